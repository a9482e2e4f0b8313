//! The list of documents as resources, in pages.

use rmcp::model::{Annotations, ErrorData, ListResourcesResult, Resource};
use serde_json::{Value, json};

use super::{Calls, FIND_FILES, call_error, extensions, mime_type, uri};
use crate::serve::http::query::unescape;
use crate::terminal::style::visible;

/// Documents on one page: as many as a person scans before mentioning one. Older documents are
/// available by completion, or on later pages.
const PAGE: usize = 50;

/// The start of a page: the beginning of a root, or the end of the previous page.
struct ListStart {
    /// Index of the root among those that the client may see.
    root: usize,
    /// Cursor of the tool, if there is a previous page.
    cursor: Option<String>,
}

impl ListStart {
    /// Parses a cursor; none if it is not of this list.
    fn parse(cursor: &str, roots: &[&str]) -> Option<Self> {
        let (root, cursor) = cursor.split_once(':')?;
        let root = unescape(root)?;
        Some(Self {
            root: roots.iter().position(|name| *name == root)?,
            cursor: (!cursor.is_empty()).then(|| cursor.to_owned()),
        })
    }

    /// Formats a cursor.
    fn write(root: &str, cursor: &str) -> String {
        format!("{}:{cursor}", uri::escape(root))
    }
}

/// Returns the page of documents at `cursor`, or the first one: root by root, newest first in each.
/// With `is_detailed`, resources have their time of modification.
///
/// # Errors
/// Returns an error if `cursor` is not of this list, or if a root cannot be searched.
pub async fn list(
    calls: &impl Calls,
    cursor: Option<&str>,
    is_detailed: bool,
) -> Result<ListResourcesResult, ErrorData> {
    let roots = calls.roots();
    let mut place = match cursor {
        None => ListStart {
            root: 0,
            cursor: None,
        },
        Some(cursor) => ListStart::parse(cursor, &roots).ok_or_else(|| {
            let problem = "unknown `cursor`; expected `nextCursor` of the page before";
            ErrorData::invalid_params(problem, None)
        })?,
    };
    let glob = glob(&extensions(calls).await?);
    let mut resources = Vec::new();
    let mut next = None;
    while let Some(root) = roots.get(place.root) {
        if resources.len() >= PAGE {
            next = Some(ListStart::write(root, ""));
            break;
        }
        let mut request = json!({
            "root": root,
            "glob": glob,
            "limit": PAGE - resources.len(),
        });
        if let Some(cursor) = place.cursor.take() {
            request["cursor"] = cursor.into();
        }
        let page = calls.call(FIND_FILES, request).await.map_err(call_error)?;
        let matches = page["matches"].as_array().into_iter().flatten();
        resources.extend(matches.filter_map(|found| resource(root, found, is_detailed)));
        if let Some(cursor) = page["nextCursor"].as_str() {
            next = Some(ListStart::write(root, cursor));
            break;
        }
        place.root += 1;
    }
    let mut result = ListResourcesResult::with_all_items(resources);
    result.next_cursor = next;
    Ok(result)
}

/// Returns a glob that matches documents, ignoring the case of their extensions.
fn glob(extensions: &[String]) -> String {
    let any_case = |letter: char| {
        if letter.is_ascii_alphabetic() {
            format!("[{letter}{}]", letter.to_ascii_uppercase())
        } else {
            letter.to_string()
        }
    };
    let extensions = extensions.iter();
    let extensions: Vec<String> = extensions
        .map(|extension| extension.chars().map(any_case).collect())
        .collect();
    format!("**/*.{{{}}}", extensions.join(","))
}

/// Creates the resource of a file; none if no URI would resolve to it.
fn resource(root: &str, found: &Value, is_detailed: bool) -> Option<Resource> {
    let path = found["path"].as_str()?;
    let address = uri::for_path(root, path);
    uri::ResourceAddress::parse(&address)?;
    // Clients show the name on one line.
    let mut resource =
        Resource::new(address, visible(path).as_ref()).with_mime_type(mime_type(path));
    resource.size = found["sizeBytes"].as_u64();
    if is_detailed {
        let mut annotations = Annotations::default();
        annotations.last_modified = found["time"].as_str().map(str::to_owned);
        resource.annotations = Some(annotations);
    }
    Some(resource)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_means_a_place_in_a_root_that_is_there() {
        let roots = ["docs", "문서"];
        let place = ListStart::parse(&ListStart::write("문서", "abc:d"), &roots).unwrap();
        assert_eq!((place.root, place.cursor.as_deref()), (1, Some("abc:d")));
        let place = ListStart::parse(&ListStart::write("docs", ""), &roots).unwrap();
        assert_eq!((place.root, place.cursor), (0, None));
        for wrong in ["", "docs", "other:", "%zz:", ":abc"] {
            assert!(ListStart::parse(wrong, &roots).is_none(), "{wrong}");
        }
    }

    #[test]
    fn documents_are_found_whatever_the_case_of_their_extension() {
        let extensions = ["md".to_owned(), "x1".to_owned()];
        assert_eq!(glob(&extensions), "**/*.{[mM][dD],[xX]1}");
    }

    #[test]
    fn a_name_is_one_line_and_its_address_leads_back() {
        let found =
            json!({"path": "a/two\nlines.md", "sizeBytes": 5, "time": "2026-01-01T00:00:00.000Z"});
        let listed = resource("docs", &found, true).unwrap();
        assert_eq!(listed.uri, "docent://docs/a/two%0Alines.md");
        assert!(!listed.name.contains('\n'), "{}", listed.name);
        assert_eq!(listed.size, Some(5));
        let modified = listed.annotations.unwrap().last_modified;
        assert_eq!(modified.as_deref(), Some("2026-01-01T00:00:00.000Z"));
        assert_eq!(resource("docs", &found, false).unwrap().annotations, None);
        assert!(resource("docs", &json!({"path": "a\\b.md"}), true).is_none());
    }
}
