//! Documents as resources: their list, their content, and completion of their URIs. Each answer is
//! made from those of tools, so rights, limits and records are those of calls.

mod completion;
mod list;
mod read;
mod uri;

use docent_host::{CallError, Fault};
use rmcp::model::{ErrorData, ResourceTemplate};
use serde_json::Value;

pub use completion::complete;
pub use list::list;
pub use read::read;

use crate::explain;
use crate::serve::converted;

/// Tools that resources are made from. They are called even if they are not on offer.
const FIND_FILES: &str = "find_files";
const READ_DOCUMENT: &str = "read_document";
const GET_CONFIG: &str = "get_config";

/// Another tool that shows lines of a document, for clients that have it.
const EXPLORE: &str = "explore";

/// The calls of tools for a request of a client.
pub trait Calls {
    /// Calls the tool with this name.
    fn call(
        &self,
        tool: &'static str,
        arguments: Value,
    ) -> impl Future<Output = Result<Value, CallError>> + Send;

    /// Returns true if the client may call the tool with this name itself.
    fn is_on_offer(&self, tool: &str) -> bool;

    /// Returns the names of the roots that the client may see, the default one first.
    fn roots(&self) -> Vec<&str>;
}

/// Returns the templates of document URIs.
pub fn templates() -> Vec<ResourceTemplate> {
    let template = ResourceTemplate::new(uri::TEMPLATE, "document");
    vec![template.with_description("A document, by its root and its path.")]
}

/// Returns the file name extensions of documents, in lower case.
async fn extensions(calls: &impl Calls) -> Result<Vec<String>, ErrorData> {
    let config = calls
        .call(GET_CONFIG, Value::Null)
        .await
        .map_err(call_error)?;
    let formats = config["formats"].as_array().into_iter().flatten();
    Ok(formats
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect())
}

/// Returns the last extension of a name, without its dot, in lower case.
fn extension(path: &str) -> Option<String> {
    let (_, extension) = path.rsplit_once('.')?;
    Some(extension.to_ascii_lowercase())
}

/// Returns the MIME type of a document's text, by its name. Text extracted from binary formats is
/// Markdown.
fn mime_type(path: &str) -> &'static str {
    match extension(path).as_deref() {
        Some("md" | "mdx" | "markdown") => "text/markdown",
        _ if converted::extension(path).is_some() => "text/markdown",
        Some("rst") => "text/x-rst",
        Some("adoc") => "text/asciidoc",
        _ => "text/plain",
    }
}

/// Converts a failed call to a protocol error.
#[expect(clippy::needless_pass_by_value, reason = "it stands in `map_err`")]
fn call_error(error: CallError) -> ErrorData {
    let text = explain::call(&error);
    match &error {
        CallError::Refused(_) | CallError::Fault(Fault::Arguments(_)) => {
            ErrorData::invalid_params(text, None)
        }
        CallError::Fault(_) => ErrorData::internal_error(text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_of_a_text_follows_its_name() {
        for (path, expected) in [
            ("a.md", "text/markdown"),
            ("a.PDF", "text/markdown"),
            ("a/b.rst", "text/x-rst"),
            ("a.adoc", "text/asciidoc"),
            ("a.log", "text/plain"),
            ("Makefile", "text/plain"),
        ] {
            assert_eq!(mime_type(path), expected, "{path}");
        }
    }
}
