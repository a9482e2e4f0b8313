//! The text of a document as a resource.

use docent_host::CallError;
use docent_text::fold::{Case, decompose};
use rmcp::model::{ErrorData, ReadResourceResult, ResourceContents};
use serde_json::{Value, json};

use super::uri::ResourceAddress;
use super::{Calls, EXPLORE, READ_DOCUMENT, call_error, mime_type};

/// Maximum tokens of a text: a client shows all of it to a model.
const READ_TOKENS: u32 = 25_000;

/// Codes of refusals that may be reported: the document exists and is visible, but something
/// prevents it from being read.
const TOLD: [&str; 5] = [
    "document-read-failed",
    "document-too-large",
    "limit-reached",
    "timeout",
    "internal-error",
];

/// Returns the text of the document at `uri`, up to [`READ_TOKENS`] tokens; if it is cut, a second
/// content gives the way to continue.
///
/// # Errors
/// Returns an error if there is no such document, or if it cannot be read.
pub async fn read(calls: &impl Calls, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let missing = || {
        let data = json!({"uri": uri});
        // The error is the same for a root without a right, a hidden file and a file that does
        // not exist. A more precise one would tell a caller which names exist beyond its
        // rights.
        ErrorData::resource_not_found("there is no such resource", Some(data))
    };
    let address = ResourceAddress::parse(uri).ok_or_else(missing)?;
    // A root without a right appears not to exist.
    if !calls.roots().contains(&address.root.as_str()) {
        return Err(missing());
    }
    let request = json!({
        "root": address.root,
        "path": address.path,
        "maxTokens": READ_TOKENS,
    });
    let answer = match calls.call(READ_DOCUMENT, request).await {
        Ok(answer) => answer,
        Err(CallError::Refused(refusal)) if !TOLD.contains(&refusal.code.as_str()) => {
            return Err(missing());
        }
        Err(CallError::Refused(refusal)) => {
            let error = CallError::Refused(refusal);
            let text = crate::explain::call(&error);
            return Err(ErrorData::internal_error(text, None));
        }
        Err(error) => return Err(call_error(error)),
    };
    // The tool also accepts a path with a part, such as `a.md#setup`, and answers with the
    // file's own path. A URI names whole documents, so an answer with another path than the one
    // that was asked for is not returned.
    let path = answer["path"].as_str().unwrap_or_default();
    if !is_same(path, &address.path) {
        return Err(missing());
    }
    let content = |text: String, mime_type: &str| ResourceContents::TextResourceContents {
        uri: uri.to_owned(),
        mime_type: Some(mime_type.to_owned()),
        text,
        meta: None,
    };
    let text = answer["text"].as_str().unwrap_or_default().to_owned();
    let mut contents = vec![content(text, mime_type(path))];
    let mut tools = [READ_DOCUMENT, EXPLORE].into_iter();
    let next = tools.find(|tool| calls.is_on_offer(tool));
    contents.extend(go_on(&address, &answer, next).map(|line| content(line, "text/plain")));
    Ok(ReadResourceResult::new(contents))
}

/// Formats the note after a cut text on the way to continue, with the tool that the client has for
/// it.
fn go_on(address: &ResourceAddress, answer: &Value, tool: Option<&str>) -> Option<String> {
    let lines = answer["nextLines"].as_str()?;
    let (last, total) = (&answer["lastLine"], &answer["totalLines"]);
    let cut = format!("Cut after line {last} of {total}.");
    let ResourceAddress { root, path } = address;
    let arguments = match tool {
        Some(READ_DOCUMENT) => json!({"root": root, "path": path, "lines": lines}),
        Some(EXPLORE) => json!({"root": root, "paths": [format!("{path}:{lines}")]}),
        _ => return Some(cut),
    };
    let tool = tool.unwrap_or_default();
    Some(format!("{cut} Continue with `{tool}` {arguments}."))
}

/// Returns true if two paths are equal in some normal form.
fn is_same(one: &str, other: &str) -> bool {
    decompose_text(one, Case::Sensitive) == decompose_text(other, Case::Sensitive)
}

/// Returns the characters of `text`, decomposed.
pub fn decompose_text(text: &str, case: Case) -> String {
    let mut letters = String::with_capacity(text.len());
    for letter in text.chars() {
        decompose(letter, case, |part| letters.push(part));
    }
    letters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_was_cut_says_how_to_go_on() {
        let address = ResourceAddress::parse("docent://docs/a%0Ab.md").unwrap();
        let answer = json!({"lastLine": 9, "totalLines": 20, "nextLines": "10-20"});
        for (tool, expected) in [
            (None, "Cut after line 9 of 20."),
            (
                Some(READ_DOCUMENT),
                r#"Cut after line 9 of 20. Continue with `read_document` {"root":"docs","path":"a\nb.md","lines":"10-20"}."#,
            ),
            (
                Some(EXPLORE),
                r#"Cut after line 9 of 20. Continue with `explore` {"root":"docs","paths":["a\nb.md:10-20"]}."#,
            ),
        ] {
            assert_eq!(go_on(&address, &answer, tool).as_deref(), Some(expected));
        }
        assert_eq!(go_on(&address, &json!({"lastLine": 9}), None), None);
    }

    #[test]
    fn composed_and_decomposed_paths_are_the_same() {
        assert!(is_same("한.md", "\u{1112}\u{1161}\u{11ab}.md"));
        assert!(!is_same("a.md", "A.md"));
        assert!(!is_same("a.md", "a.md#setup"));
    }
}
