//! Completion of roots and paths in the URI of a document.

use std::borrow::Cow;

use docent_host::CallError;
use docent_text::fold::Case;
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, ErrorData, Reference};
use serde_json::{Value, json};

use super::read::decompose_text;
use super::{Calls, FIND_FILES, call_error, extension, extensions, uri};
use crate::serve::http::query::unescape;

/// Entries of a directory per listing, the maximum of the tool.
const LISTED: u32 = 1000;

/// Maximum listings per completion: the user waits for one after every letter.
const LISTINGS: usize = 10;

/// Completes an argument of the template for documents. Any other argument has no completions.
///
/// # Errors
/// Returns an error if the reference is to another template, or to another argument of this one.
pub async fn complete(
    calls: &impl Calls,
    request: &CompleteRequestParams,
) -> Result<CompleteResult, ErrorData> {
    let Reference::Resource(reference) = &request.r#ref else {
        // No prompts exist. Clients that ask for the completion of one nevertheless show an
        // error as a fault of the server, so the answer is an empty list.
        return Ok(CompleteResult::default());
    };
    if reference.uri != uri::TEMPLATE {
        let problem = format!("unknown template; expected `{}`", uri::TEMPLATE);
        return Err(ErrorData::invalid_params(problem, None));
    }
    let value = &request.argument.value;
    let found = match request.argument.name.as_str() {
        "root" => {
            let mut roots = calls.roots();
            roots.retain(|root| begins(root, value));
            Completions {
                values: roots.into_iter().map(str::to_owned).collect(),
                is_all: true,
            }
        }
        "path" => {
            let context = request.context.as_ref();
            let named = context.and_then(|context| context.arguments.as_ref()?.get("root"));
            paths(calls, named.map(String::as_str), value).await?
        }
        _ => {
            let problem = "unknown argument of the template; expected `root` or `path`";
            return Err(ErrorData::invalid_params(problem, None));
        }
    };
    let mut completion = CompletionInfo::default();
    let total = found.values.len();
    completion.values = found.values;
    completion.values.truncate(CompletionInfo::MAX_VALUES);
    completion.total = u32::try_from(total).ok().filter(|_| found.is_all);
    completion.has_more = Some(!found.is_all || total > CompletionInfo::MAX_VALUES);
    Ok(CompleteResult::new(completion))
}

/// The completions of an argument.
struct Completions {
    values: Vec<String>,
    /// True if there are no others.
    is_all: bool,
}

/// Returns the documents and directories whose paths begin with `value`, one segment at a time: the
/// entries of the directory that it names. A directory ends with `/`.
async fn paths(
    calls: &impl Calls,
    root: Option<&str>,
    value: &str,
) -> Result<Completions, ErrorData> {
    let mut found = Completions {
        values: Vec::new(),
        is_all: true,
    };
    let roots = calls.roots();
    let root = root.or_else(|| roots.first().copied());
    let Some(root) = root.filter(|root| roots.contains(root)) else {
        return Ok(found);
    };
    // Completed values come back percent-encoded, as they were offered. A person may also type
    // a lone `%`, which is not an escape and is taken literally.
    let value = unescape(value).unwrap_or(Cow::Borrowed(value));
    let (directory, name) = value.rsplit_once('/').unwrap_or(("", &value));
    // Paths are relative to their root, and hidden entries are not listed by the tool, so
    // neither an absolute path nor one through `.git` has completions.
    if value.starts_with('/') || directory.split('/').any(|name| name.starts_with('.')) {
        return Ok(found);
    }
    let extensions = extensions(calls).await?;
    let mut cursor = None;
    for _ in 0..LISTINGS {
        let mut request = json!({
            "root": root,
            "path": directory,
            "recursive": false,
            "includeDirectories": true,
            "sort": "path-asc",
            "limit": LISTED,
        });
        if let Some(cursor) = cursor.take() {
            request["cursor"] = cursor;
        }
        let page = match calls.call(FIND_FILES, request).await {
            Ok(page) => page,
            // A path that does not exist has no completions.
            Err(CallError::Refused(_)) => return Ok(found),
            Err(error) => return Err(call_error(error)),
        };
        let matches = page["matches"].as_array().into_iter().flatten();
        let begun = matches.filter_map(|entry| complete_entry(entry, directory, name, &extensions));
        found.values.extend(begun);
        found.is_all = page["nextCursor"].is_null();
        if found.is_all {
            break;
        }
        cursor = Some(page["nextCursor"].clone());
    }
    Ok(found)
}

/// Returns the completion for an entry of `directory`; none if its name does not begin with `name`,
/// or if it is not a document.
fn complete_entry(
    entry: &Value,
    directory: &str,
    name: &str,
    extensions: &[String],
) -> Option<String> {
    let path = entry["path"].as_str()?;
    let own = path.rsplit_once('/').map_or(path, |(_, name)| name);
    let is_directory = entry["kind"] == "directory";
    let is_document = || extension(own).is_some_and(|own| extensions.contains(&own));
    // The listing contains the directory itself, as `.` or by its path, which is not a
    // completion of anything in it.
    let is_itself = path == "." || path.matches('/').count() < levels(directory);
    if is_itself || !begins(own, name) || !(is_directory || is_document()) {
        return None;
    }
    let end = if is_directory { "/" } else { "" };
    Some(uri::escape_for_template(path) + end)
}

/// Returns the number of segments of a path.
fn levels(path: &str) -> usize {
    path.split('/').filter(|name| !name.is_empty()).count()
}

/// Returns true if `name` begins with `typed`, ignoring case and normal form. An unfinished Korean
/// syllable matches its completions.
fn begins(name: &str, typed: &str) -> bool {
    let letters = |text| decompose_text(text, Case::Ignored);
    letters(name).starts_with(&letters(typed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_begin_whatever_their_normal_form_and_case() {
        for (name, typed) in [
            ("Guide", "gu"),
            ("한글.md", "\u{1112}\u{1161}\u{11ab}"),
            ("\u{1112}\u{1161}\u{11ab}글.md", "한"),
            ("한글.md", "하"),
            ("a", ""),
        ] {
            assert!(begins(name, typed), "{name} {typed}");
        }
        assert!(!begins("guide", "uide"));
        assert!(!begins("한글", "글"));
    }

    #[test]
    fn documents_and_directories_complete_a_path() {
        let extensions = ["md".to_owned()];
        let value = |path: &str, kind: &str, directory: &str, name: &str| {
            complete_entry(
                &json!({"path": path, "kind": kind}),
                directory,
                name,
                &extensions,
            )
        };
        assert_eq!(value("a/b.MD", "file", "a", "b").as_deref(), Some("a/b.MD"));
        assert_eq!(value("a/c", "directory", "a", "").as_deref(), Some("a/c/"));
        assert_eq!(
            value("a/c#.md", "file", "a", "").as_deref(),
            Some("a/c%23.md")
        );
        assert_eq!(value("a/b.bin", "file", "a", "b"), None);
        assert_eq!(value("a", "directory", "a", ""), None);
        assert_eq!(value(".", "directory", "", ""), None);
    }
}
