//! `explore` through the component, answered as a client of MCP is.

use std::path::Path;

use docent_host::Limits;
use docent_host::render::Renderer;
use docent_host::tools::table;
use docent_tests::guest::{arguments, docent};

use crate::ask::Ask;

/// Returns what answers about the files below a directory. A refusal is an answer as well.
///
/// # Panics
/// When the directory cannot be granted, or there is no such tool.
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
