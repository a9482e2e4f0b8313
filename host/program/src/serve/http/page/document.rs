//! A document for people, and the same as an agent reads it.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::reply::Reply;
use super::super::routes::Asked;
use super::render::{Rendered, render as rendered};
use super::{answer, aside};

/// The tool that reads.
const READ: &str = "read_document";

/// Tokens that are shown at once: some forty pages of a book. The page offers the next ones.
const SHOWN_TOKENS: u32 = 30_000;

/// The body of a request.
#[derive(Deserialize)]
struct Wanted {
    root: String,
    path: String,
    lines: Option<String>,
}

/// Reads the document that the body of a request names.
pub async fn render(mut asked: Asked<'_>) -> Reply {
    let Wanted { root, path, lines } = match answer::read(&mut asked).await {
        Ok(wanted) => wanted,
        Err(refused) => return refused,
    };
    let mut arguments = Map::new();
    arguments.insert("path".to_owned(), path.into());
    arguments.insert("root".to_owned(), root.into());
    if let Some(lines) = lines {
        arguments.insert("lines".to_owned(), lines.into());
    }
    arguments.insert("maxTokens".to_owned(), SHOWN_TOKENS.into());
    let answered = match answer::made(&asked, READ, arguments).await {
        Ok(answered) => answered,
        Err(refused) => return refused,
    };
    aside(move || {
        let mut told = answer::told(&answered);
        told["arguments"] = answered.request.clone().into();
        if let Ok(document) = answered.outcome {
            told["document"] = shown(document);
        }
        told
    })
    .await
}

/// How a document is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// In Markdown, or in a format of which Markdown is made: that one's name.
    Markdown(Option<&'static str>),
    /// In anything else, of which its lines are shown.
    Lines,
}

impl Form {
    fn of(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        let extension = name.rsplit_once('.').map_or("", |(_, end)| end);
        let is = |other: &&str| extension.eq_ignore_ascii_case(other);
        if ["md", "markdown", "mdx"].iter().any(&is) {
            return Self::Markdown(None);
        }
        match ["docx", "xlsx", "pdf"].into_iter().find(|it| is(it)) {
            Some(format) => Self::Markdown(Some(format)),
            None => Self::Lines,
        }
    }
}

/// Returns a document as the tool read it, with its HTML and outline.
fn shown(mut document: Value) -> Value {
    let form = Form::of(document["path"].as_str().unwrap_or_default());
    let Form::Markdown(format) = form else {
        document["html"] = Value::Null;
        document["outline"] = json!([]);
        return document;
    };
    // An empty document begins in line 0.
    let first_line = document["firstLine"].as_u64().unwrap_or(1).max(1);
    let first_line = u32::try_from(first_line).unwrap_or(u32::MAX);
    let text = document["text"].as_str().unwrap_or_default();
    let Rendered { html, outline } = rendered(text, first_line);
    document["html"] = html.into();
    document["outline"] = json!(outline);
    document["extracted"] = format.into();
    document
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_markdown_is_rendered() {
        for (path, form) in [
            ("a/b.md", Form::Markdown(None)),
            ("a/B.MDX", Form::Markdown(None)),
            ("a.pdf", Form::Markdown(Some("pdf"))),
            ("a.py", Form::Lines),
            ("a.md/b", Form::Lines),
            ("md", Form::Lines),
        ] {
            assert_eq!(Form::of(path), form, "{path}");
        }
    }

    #[test]
    fn what_is_shown_has_the_lines_of_the_file() {
        let document = json!({"path": "a.md", "text": "# A\n", "firstLine": 7});
        let shown = shown(document);
        assert_eq!(
            shown["outline"],
            json!([{"level": 1, "title": "A", "line": 7}])
        );
        assert!(shown["html"].as_str().unwrap().contains("data-line=\"7\""));
    }
}
