//! Shared code of the components that wrap docent's: they import its functions, call them with JSON
//! and return Markdown, as docent's own server does.
//!
//! `build.rs` turns the exports of docent's world into imports, and generates the function that
//! calls any of them by its name: the [`Component`] called `Imported`. There is none natively,
//! where tests bring one of their own.
#![deny(missing_docs)]

use docent_markdown::Renderer;
use docent_tool_catalog::{Tool, refusal};
use serde_json::{Map, Value};

#[cfg(target_family = "wasm")]
mod imported;

#[cfg(target_family = "wasm")]
pub use imported::Imported;

/// The reason why the component has no answer.
#[derive(Debug, PartialEq, Eq)]
pub struct WrapperRefusal {
    /// Error code of the contract.
    pub code: String,
    /// Problem, then the expected value.
    pub message: String,
    /// Next step for the caller; may be empty.
    pub hint: String,
}

impl WrapperRefusal {
    /// Returns an internal error, which does not come from the component.
    pub fn internal(message: String) -> Self {
        Self {
            code: "internal-error".to_owned(),
            message,
            hint: String::new(),
        }
    }

    /// Returns the text for a model.
    pub fn text(&self) -> String {
        refusal::call(&self.code, &self.message, &self.hint)
    }
}

/// Docent's component.
pub trait Component {
    /// Calls `function` with flat arguments in camelCase, which [`Tool::arguments`] has accepted,
    /// and returns its answer in camelCase, without null members.
    ///
    /// # Errors
    /// The component's refusal.
    fn call(
        &mut self,
        function: &str,
        arguments: Map<String, Value>,
    ) -> Result<Value, WrapperRefusal>;
}

/// Calls a tool with arguments as callers write them, and returns its answer as Markdown.
///
/// # Errors
/// The text for a model if an argument is wrong, the component refuses, or its answer withholds
/// everything that was asked for.
pub fn answer(
    tool: &Tool,
    arguments: Map<String, Value>,
    component: &mut dyn Component,
) -> Result<String, String> {
    let arguments = tool
        .arguments(arguments)
        .map_err(|error| refusal::argument(&error))?;
    let answer = component
        .call(&tool.function, arguments.clone())
        .map_err(|refused| refused.text())?;
    let text = Renderer::new().answer(tool.names(), &arguments, &answer);
    if refusal::is_withheld(&answer) {
        return Err(text);
    }
    Ok(text)
}
