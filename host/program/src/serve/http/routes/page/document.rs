//! Documents for people, and in the form that agents read.

use docent_host::CallError;
use docent_text::tokens::estimate::estimate;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::answer;
use super::render::{Rendered, render as rendered};
use super::response::aside;
use crate::serve::converted;
use crate::serve::http::reply::Reply;
use crate::serve::http::routes::request::AuthenticatedRequest;

/// Tool that reads whole lines.
const READ: &str = "read_document";

/// Tool that reads a line in pieces if it is too long for the other.
const PIECES: &str = "explore";

/// Maximum tokens shown at once: some forty pages of a book. The page offers the next ones.
const SHOWN_TOKENS: u32 = 30_000;

/// Maximum lines shown at once: a browser cannot lay out more short lines in an instant.
const SHOWN_LINES: usize = 5_000;

/// Maximum characters of a line shown at once.
const PIECE_CHARS: u32 = 60_000;

/// Code of the tool for a line that exceeds the limit.
const NO_ROOM: &str = "limit-reached";

/// The body of a request.
#[derive(Deserialize)]
struct DocumentBody {
    root: String,
    path: String,
    lines: Option<String>,
    /// Cursor of the next piece of a line.
    piece: Option<String>,
}

impl DocumentBody {
    /// Returns the arguments that read whole lines.
    fn lines(&self) -> Map<String, Value> {
        let mut arguments = Map::new();
        arguments.insert("path".to_owned(), self.path.as_str().into());
        arguments.insert("root".to_owned(), self.root.as_str().into());
        if let Some(lines) = &self.lines {
            arguments.insert("lines".to_owned(), lines.as_str().into());
        }
        arguments.insert("maxTokens".to_owned(), SHOWN_TOKENS.into());
        arguments
    }

    /// Returns the arguments that read in pieces, starting at the first of these lines.
    fn pieces(&self) -> Map<String, Value> {
        let lines = self.lines.as_deref().unwrap_or("1");
        let first = lines.split('-').next().unwrap_or(lines).trim();
        let arguments = json!({
            "paths": [format!("{}:{first}-", self.path)],
            "root": self.root,
            "view": "section",
            "limits": {"maxChars": PIECE_CHARS, "maxItemChars": PIECE_CHARS},
        });
        let mut arguments = arguments.as_object().cloned().unwrap_or_default();
        if let Some(piece) = &self.piece {
            arguments.insert("cursor".to_owned(), json!({"content": piece}));
        }
        arguments
    }
}

/// Reads the document that the body of a request names.
pub async fn render(mut asked: AuthenticatedRequest<'_>) -> Reply {
    let wanted: DocumentBody = match answer::read(&mut asked).await {
        Ok(wanted) => wanted,
        Err(refused) => return refused,
    };
    let mut answered = None;
    if wanted.piece.is_none() {
        match answer::run_call(&asked, READ, wanted.lines()).await {
            Ok(read) => answered = Some(read).filter(|read| !is_without_room(&read.outcome)),
            Err(refused) => return refused,
        }
    }
    let is_piece = answered.is_none();
    let answered = match answered {
        Some(answered) => answered,
        None => match answer::run_call(&asked, PIECES, wanted.pieces()).await {
            Ok(answered) => answered,
            Err(refused) => return refused,
        },
    };
    aside(move || {
        let mut told = answer::describe(&answered);
        told["tool"] = answered.tool.name.as_str().into();
        told["arguments"] = answered.request.clone().into();
        match answered.outcome {
            Ok(read) if is_piece => tell_piece(&mut told, &read),
            Ok(document) => told["document"] = render_document(document),
            Err(_) => {}
        }
        told
    })
    .await
}

fn is_without_room(outcome: &Result<Value, CallError>) -> bool {
    matches!(outcome, Err(CallError::Refused(refusal)) if refusal.code == NO_ROOM)
}

/// Adds to the answer the properties of a piece, or the reason for its absence.
fn tell_piece(told: &mut Value, read: &Value) {
    let groups = ["docs", "code", "data"].map(|group| &read["data"][group][0]);
    let item = groups.into_iter().find(|item| item["content"].is_string());
    let Some(item) = item else {
        told["outcome"] = "refused".into();
        told["error"] = read["blocked"][0].clone();
        return;
    };
    told["document"] = json!({
        "path": item["filePath"],
        "name": item["title"],
        "text": item["content"],
        "firstLine": item["range"]["first"],
        "lastLine": item["range"]["last"],
        "size": item["metadata"]["size"],
        "hash": item["metadata"]["hash"],
        "nextPiece": read["next"]["contentCursor"],
        "isPiece": true,
        "html": null,
        "outline": [],
    });
}

/// The format of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DocumentForm {
    /// Markdown, or a format that is converted to Markdown: its name.
    Markdown(Option<&'static str>),
    /// Any other format, which is shown as lines.
    Lines,
}

impl DocumentForm {
    fn from_path(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        let extension = name.rsplit_once('.').map_or("", |(_, end)| end);
        let is = |other: &&str| extension.eq_ignore_ascii_case(other);
        if ["md", "markdown", "mdx"].iter().any(&is) {
            return Self::Markdown(None);
        }
        match converted::extension(name) {
            Some(format) => Self::Markdown(Some(format)),
            None => Self::Lines,
        }
    }
}

/// Cuts a document to the lines that are shown at once, and names the next ones.
fn cut(document: &mut Value) {
    let text = document["text"].as_str().unwrap_or_default();
    let mut ends = text.match_indices('\n').map(|(at, _)| at + 1);
    let Some(end) = ends.nth(SHOWN_LINES - 1).filter(|end| *end < text.len()) else {
        return;
    };
    let text = text[..end].to_owned();
    let first = document["firstLine"].as_u64().unwrap_or(1);
    let next = first + SHOWN_LINES as u64;
    // The text may be a part of a range that the tool has cut already. The rest of that range
    // is in `nextLines`, and its end is the end of what remains.
    let last = document["nextLines"]
        .as_str()
        .and_then(|lines| lines.split_once('-')?.1.parse().ok())
        .or(document["lastLine"].as_u64())
        .unwrap_or(next);
    document["tokens"] = estimate(&text).into();
    document["text"] = text.into();
    document["lastLine"] = (next - 1).into();
    document["nextLines"] = format!("{next}-{last}").into();
}

/// Converts a document from the tool's answer, with its HTML and outline.
fn render_document(mut document: Value) -> Value {
    cut(&mut document);
    let mut form = DocumentForm::from_path(document["path"].as_str().unwrap_or_default());
    // A file with the name of a notebook that is none is text.
    if form == DocumentForm::Markdown(Some("ipynb")) && document["encoding"] != "ipynb" {
        form = DocumentForm::Lines;
    }
    let DocumentForm::Markdown(format) = form else {
        document["html"] = Value::Null;
        document["outline"] = json!([]);
        return document;
    };
    // An empty document has no first line, which the tool reports as 0; lines are counted from
    // 1 here.
    let first_line = document["firstLine"].as_u64().unwrap_or(1).max(1);
    let first_line = u32::try_from(first_line).unwrap_or(u32::MAX);
    let text = document["text"].as_str().unwrap_or_default();
    let Rendered {
        html,
        outline,
        is_flattened,
        plain_from,
    } = rendered(text, first_line);
    document["html"] = html.into();
    document["isFlattened"] = is_flattened.into();
    document["plainFrom"] = plain_from.into();
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
            ("a/b.md", DocumentForm::Markdown(None)),
            ("a/B.MDX", DocumentForm::Markdown(None)),
            ("a.pdf", DocumentForm::Markdown(Some("pdf"))),
            ("a.py", DocumentForm::Lines),
            ("a.md/b", DocumentForm::Lines),
            ("md", DocumentForm::Lines),
        ] {
            assert_eq!(DocumentForm::from_path(path), form, "{path}");
        }
    }

    #[test]
    fn only_notebooks_are_rendered_as_such() {
        for (encoding, is_rendered) in [("ipynb", true), ("utf-8", false)] {
            let document = json!({"path": "a.ipynb", "encoding": encoding, "text": "# A\n"});
            assert_eq!(render_document(document)["html"].is_string(), is_rendered);
        }
    }

    #[test]
    fn what_is_shown_has_the_lines_of_the_file() {
        let document = json!({"path": "a.md", "text": "# A\n", "firstLine": 7});
        let shown = render_document(document);
        assert_eq!(
            shown["outline"],
            json!([{"level": 1, "title": "A", "line": 7}])
        );
        assert!(shown["html"].as_str().unwrap().contains("data-line=\"7\""));
    }

    #[test]
    fn no_more_lines_come_than_are_shown_at_once() {
        let document = |lines: usize, next: Value| {
            json!({
                "path": "a.txt",
                "text": "x\n".repeat(lines),
                "firstLine": 11,
                "lastLine": 10 + lines,
                "totalLines": 90_000,
                "nextLines": next,
            })
        };
        let all = render_document(document(SHOWN_LINES, Value::Null));
        assert_eq!(
            (&all["lastLine"], &all["nextLines"]),
            (&json!(5_010), &Value::Null)
        );
        let cut = render_document(document(SHOWN_LINES + 1, Value::Null));
        assert_eq!(
            (&cut["lastLine"], &cut["nextLines"]),
            (&json!(5_010), &json!("5011-5011"))
        );
        assert_eq!(cut["text"].as_str().unwrap().lines().count(), SHOWN_LINES);
        let cut = render_document(document(SHOWN_LINES + 1, json!("5012-90000")));
        assert_eq!(cut["nextLines"], "5011-90000");
    }

    #[test]
    fn a_line_without_room_is_read_in_pieces() {
        let wanted = |lines: Option<&str>, piece: Option<&str>| DocumentBody {
            root: "docs".to_owned(),
            path: "a.md".to_owned(),
            lines: lines.map(str::to_owned),
            piece: piece.map(str::to_owned),
        };
        assert_eq!(wanted(None, None).pieces()["paths"], json!(["a.md:1-"]));
        let next = wanted(Some("7-90"), Some("c")).pieces();
        assert_eq!(next["paths"], json!(["a.md:7-"]));
        assert_eq!(next["cursor"], json!({"content": "c"}));
        let read = json!({
            "data": {"docs": [], "code": [{"content": "x", "range": {"first": 7, "last": 7}}]},
            "next": {"contentCursor": "d"},
        });
        let mut told = json!({});
        tell_piece(&mut told, &read);
        assert_eq!(told["document"]["firstLine"], 7);
        assert_eq!(told["document"]["nextPiece"], "d");
        let refused = json!({"data": {"docs": []}, "blocked": [{"code": "sensitive"}]});
        tell_piece(&mut told, &refused);
        assert_eq!(told["error"]["code"], "sensitive");
    }
}
