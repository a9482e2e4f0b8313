//! Calls of `explore` through the component, with the answers that an MCP client gets.

use std::path::Path;

use docent_host::Limits;
use docent_host::render::Renderer;
use docent_host::tools::table;
use docent_tests::guest::{arguments, docent};

use crate::ask::Ask;

/// Opens a directory, and returns the function that answers about its files. A refusal counts as an
/// answer.
///
/// # Panics
/// If the directory cannot be granted, or there is no such tool.
pub fn open(directory: &Path) -> Ask {
    let mut session = docent(directory, Limits::default());
    let renderer = Renderer::new();
    let tool = table().find("explore").expect("the component explores");
    Box::new(move |request| {
        let request = match tool.arguments(arguments(request.clone())) {
            Ok(request) => request,
            Err(error) => return error.to_string(),
        };
        match session.call(&tool.function, request.clone()) {
            Ok(answer) => renderer.answer(tool.names(), &request, &answer),
            Err(error) => error.to_string(),
        }
    })
}
