//! Filling in the front matter at the beginning of a Markdown text.

use docent_api::types::{Error, ErrorCode};
use docent_api::writing::FrontMatter;
use docent_document::dates::Date;
use docent_document::format::Format;
use docent_document::front_matter::length;
use docent_text::lines::with_ends;
use docent_tree::error::refuse;
use docent_tree::path::RelPath;
use serde_json::Value;

/// Returns `content` with the fields of `front_matter` in its front matter; `created` defaults to
/// `day`. Existing fields stay.
///
/// # Errors
/// `invalid-request` for a document that is not Markdown, has front matter in another language than
/// YAML, or contradicts a given field.
pub fn fill_in(
    content: &str,
    path: &RelPath,
    wanted: &FrontMatter,
    day: &str,
) -> Result<String, Error> {
    let wrong = |message: String, hint: &str| Err(refuse(ErrorCode::InvalidRequest, message, hint));
    let format = Format::from_name(path.segments().next_back().unwrap_or_default());
    if !format.is_some_and(Format::has_front_matter) {
        return wrong(
            format!(
                "`frontMatter` is given and `{path}` is not Markdown; expected `.md`, `.mdx` or \
                 `.markdown`"
            ),
            "Leave `frontMatter` out, or write a Markdown file.",
        );
    }
    if let Some(created) = wanted
        .created
        .as_deref()
        .filter(|date| Date::parse(date).is_none())
    {
        return wrong(
            format!("`created` is `{created}`; expected a date such as `2026-01-31`"),
            "Leave `created` out for today.",
        );
    }
    let (front, body) = content.split_at(length(content));
    if !front.is_empty() && !front.starts_with('-') {
        return wrong(
            "the text has front matter in TOML or JSON; expected YAML, or none".to_owned(),
            "Write title, tags and date into it, and leave `frontMatter` out.",
        );
    }
    let fields = [
        ("title", wanted.title.as_deref().map(quote), true),
        (
            "created",
            Some(wanted.created.as_deref().unwrap_or(day).to_owned()),
            wanted.created.is_some(),
        ),
        ("tags", wanted.tags.as_deref().map(list), true),
    ];
    let end = if content
        .split('\n')
        .next()
        .is_some_and(|line| line.ends_with('\r'))
    {
        "\r\n"
    } else {
        "\n"
    };
    let mut added = String::new();
    for (name, value, is_asked_for) in fields {
        let Some(value) = value else { continue };
        match (has(front, name), is_asked_for) {
            (false, _) => added.push_str(&format!("{name}: {value}{end}")),
            (true, false) => {}
            (true, true) => {
                return wrong(
                    format!(
                        "`{name}` is already in the text's front matter; expected it in one \
                         place"
                    ),
                    "Leave it out of `frontMatter`, or out of the text.",
                );
            }
        }
    }
    Ok(match with_ends(front).last() {
        None => format!(
            "---{end}{added}---{end}{}{body}",
            if body.is_empty() { "" } else { end }
        ),
        Some(fence) => {
            let inside = &front[..front.len() - fence.len()];
            format!("{inside}{added}{fence}{body}")
        }
    })
}

/// Returns true if YAML has a field of this name on its first level.
fn has(front: &str, name: &str) -> bool {
    let mut lines = front.lines();
    lines.any(|line| {
        line.strip_prefix(name)
            .is_some_and(|rest| rest.trim_start().starts_with(':'))
    })
}

/// Returns any text as a YAML string: strings of JSON are strings of YAML.
fn quote(text: &str) -> String {
    Value::from(text).to_string()
}

fn list(tags: &[String]) -> String {
    let tags: Vec<String> = tags.iter().map(|tag| quote(tag)).collect();
    format!("[{}]", tags.join(", "))
}

#[cfg(test)]
mod tests {
    use docent_document::metadata::Metadata;

    use super::*;

    fn front_matter(title: Option<&str>, tags: &[&str], created: Option<&str>) -> FrontMatter {
        FrontMatter {
            title: title.map(str::to_owned),
            tags: (!tags.is_empty()).then(|| tags.iter().map(|tag| (*tag).to_owned()).collect()),
            created: created.map(str::to_owned),
        }
    }

    fn fill(content: &str, wanted: &FrontMatter) -> Result<String, String> {
        let path = RelPath::parse("a.md").unwrap();
        fill_in(content, &path, wanted, "2026-01-02").map_err(|error| error.message)
    }

    #[test]
    fn it_comes_before_the_text() {
        let all = front_matter(Some("A: \"b\""), &["x", "y/z"], None);
        assert_eq!(
            fill("# A\n", &all).as_deref(),
            Ok(
                "---\ntitle: \"A: \\\"b\\\"\"\ncreated: 2026-01-02\ntags: [\"x\", \"y/z\"]\n---\n\
                 \n# A\n"
            ),
        );
        let none = front_matter(None, &[], Some("2025-05-05"));
        assert_eq!(
            fill("", &none).as_deref(),
            Ok("---\ncreated: 2025-05-05\n---\n")
        );
        assert_eq!(
            fill("# A\r\n", &none).as_deref(),
            Ok("---\r\ncreated: 2025-05-05\r\n---\r\n\r\n# A\r\n"),
        );
    }

    #[test]
    fn what_is_there_stays() {
        let text = "---\nauthor: me\ncreated: 2020-01-01\n---\n# A\n";
        assert_eq!(
            fill(text, &front_matter(Some("T"), &[], None)).as_deref(),
            Ok("---\nauthor: me\ncreated: 2020-01-01\ntitle: \"T\"\n---\n# A\n"),
        );
        assert_eq!(
            fill(text, &front_matter(None, &[], Some("2026-01-01"))),
            Err(
                "`created` is already in the text's front matter; expected it in one place"
                    .to_owned()
            ),
        );
    }

    #[test]
    fn what_cannot_be_filled_in_is_refused() {
        let any = front_matter(Some("T"), &[], None);
        assert!(fill("+++\na = 1\n+++\n", &any).is_err());
        assert!(fill("{\"a\": 1}\n", &any).is_err());
        assert!(fill("", &front_matter(None, &[], Some("soon"))).is_err());
        let path = RelPath::parse("a.rs").unwrap();
        assert!(fill_in("", &path, &any, "2026-01-02").is_err());
    }

    #[test]
    fn it_is_read_as_it_was_meant() {
        let all = front_matter(Some("설정: #1 'x'"), &["a-b", "ko/한글"], None);
        let text = fill("text\n", &all).unwrap();
        let metadata = Metadata::new("a.md", &text);
        assert_eq!(metadata.title, "설정: #1 'x'");
        assert_eq!(metadata.tags, ["a-b", "ko/한글"]);
        assert_eq!(metadata.created, Date::parse("2026-01-02"));
    }
}
