//! Metadata of a document: its front matter, its inline tags, and its PARA folder.

use std::collections::BTreeSet;

use crate::dates::Date;
use crate::format::Format;
use crate::front_matter;
use crate::front_matter::field::FrontMatter;
use crate::front_matter::field::{Field, Fields};
use crate::headings;
use crate::headings::org::org_fields;
use crate::inline_tags::inline_tags;
use crate::limits::{TAG_CHARS, TAGS};
use crate::mdx::Mdx;
use docent_text::fold::fold;
use docent_text::width::usual_width;

/// A category of the PARA method, which sorts notes by actionability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    /// Work with an end.
    Projects,
    /// Ongoing responsibilities.
    Areas,
    /// Topics of interest.
    Resources,
    /// Inactive items.
    Archives,
}

/// The metadata of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// Byte offset of the body.
    pub body: usize,
    /// Title: that of the front matter, else the first heading, else the file name.
    pub title: String,
    /// Tags without `#`, those of the front matter first, deduplicated ignoring case.
    pub tags: Vec<String>,
    /// Category by the front matter, else by the path.
    pub category: Option<Category>,
    /// Creation date in the front matter.
    pub created: Option<Date>,
    /// Modification date in the front matter.
    pub modified: Option<Date>,
    /// True if there is front matter that cannot be parsed.
    pub is_broken: bool,
}

impl Metadata {
    /// Reads the metadata of the document at `path`.
    pub fn new(path: &str, text: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        let FrontMatter { fields, body } = match Format::from_name(name) {
            Some(format) if format.has_front_matter() => front_matter::read(text),
            format => {
                let is_org = format == Some(Format::Org);
                let fields = is_org.then(|| org_fields(text));
                FrontMatter {
                    fields: Some(fields.unwrap_or_default()),
                    body: 0,
                }
            }
        };
        let is_broken = fields.is_none();
        let fields = fields.unwrap_or_default();
        let text_of = |names: [&str; 2]| names.iter().find_map(|name| text_field(&fields, name));
        let category = text_of(["category", "para"]).and_then(Category::parse);
        Self {
            // The title is read line by line, as in all tools, so that a document has the same
            // title in a listing of thousands and in its own metadata, even if the rest of its
            // front matter cannot be parsed.
            title: headings::name(name, text),
            tags: tags(&fields, &text[body..], name),
            category: category.or_else(|| Category::from_path(path)),
            created: text_of(["created", "date"]).and_then(Date::parse),
            modified: text_of(["modified", "updated"]).and_then(Date::parse),
            is_broken,
            body,
        }
    }
}

/// Returns the scalar value of the first field of this name.
fn text_field<'f>(fields: &'f Fields, name: &str) -> Option<&'f str> {
    fields.iter().find_map(|(key, field)| match field {
        Field::Text(text) if key == name => Some(text.as_str()),
        _ => None,
    })
}

fn tags(fields: &Fields, body: &str, name: &str) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    let mut known = BTreeSet::new();
    let mut add = |tag: &str| {
        let tag = tag.trim().trim_start_matches('#');
        let length = tag.chars().take(TAG_CHARS + 1).count();
        let has_room = (1..=TAG_CHARS).contains(&length) && tags.len() < TAGS;
        if has_room && known.insert(fold_text(tag)) {
            tags.push(tag.to_owned());
        }
    };
    for (key, field) in fields {
        match field {
            _ if key != "tags" && key != "tag" => {}
            Field::List(list) => list.iter().for_each(|tag| add(tag)),
            // A text with a comma is split at commas only, so that `tags: a, b c` has the tags `a`
            // and `b c`. Without a comma it is split at blanks, as in `tags: a b`.
            Field::Text(text) if text.contains(',') => text.split(',').for_each(&mut add),
            Field::Text(text) => text.split_whitespace().for_each(&mut add),
        }
    }
    match Format::from_name(name) {
        Some(Format::Mdx) => {
            let markdown = Mdx::new(body).markdown;
            inline_tags(&markdown).into_iter().for_each(add);
        }
        Some(format) if format.is_markdown() => inline_tags(body).into_iter().for_each(add),
        _ => {}
    }
    tags
}

/// Folds a text for comparison.
pub fn fold_text(text: &str) -> String {
    use unicode_normalization::UnicodeNormalization as _;
    // Widths are unified and the text is composed before it is folded, because one tag may be typed
    // in several forms: `ｔａｇ` and `tag`, or `é` as one character and as two. Each form would
    // otherwise be a tag of its own, with a part of the documents.
    text.chars().map(usual_width).nfc().map(fold).collect()
}

impl Category {
    /// Parses the name of a category, singular or plural.
    fn parse(word: &str) -> Option<Self> {
        match word.trim().to_lowercase().as_str() {
            "project" | "projects" => Some(Self::Projects),
            "area" | "areas" => Some(Self::Areas),
            "resource" | "resources" => Some(Self::Resources),
            "archive" | "archives" => Some(Self::Archives),
            _ => None,
        }
    }

    /// Returns the category of the first folder in `path` that has the name of one.
    fn from_path(path: &str) -> Option<Self> {
        let (folders, _) = path.rsplit_once('/')?;
        folders.split('/').find_map(|folder| {
            // A number before the name is ignored: people number these folders to keep them in
            // order, as in `1-Projects` and `02 Areas`.
            let unnumbered = folder.trim_start_matches(|c: char| c.is_ascii_digit());
            Self::parse(unnumbered.trim_start_matches(['-', '_', '.', ')', ' ']))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags_of(text: &str) -> Vec<String> {
        Metadata::new("a.md", text).tags
    }

    #[test]
    fn all_three_kinds_of_front_matter() {
        let yaml = "---\ntitle: T\ntags: [Rust, web/api]\ncategory: Projects\ncreated: 2025-01-02\nupdated: 2025-03-04T05:06:07Z\n---\nbody #Rust #more\n";
        let toml = "+++\ntitle = \"T\"\ntags = ['Rust', \"web/api\"]\npara = \"project\"\ndate = 2025-01-02\nmodified = 2025-03-04T05:06:07Z\n+++\nbody #Rust #more\n";
        let json = "{\n\"title\": \"T\", \"tags\": [\"Rust\", \"web/api\"], \"category\": \"PROJECT\", \"date\": \"2025-01-02\", \"updated\": \"2025-03-04T05:06:07Z\"}\nbody #Rust #more\n";
        for text in [yaml, toml, json] {
            let found = Metadata::new("areas/a.md", text);
            assert!(
                text[found.body..].trim_start().starts_with("body"),
                "{text}"
            );
            let expected = Metadata {
                body: found.body,
                title: "T".to_owned(),
                tags: ["Rust", "web/api", "more"].map(str::to_owned).to_vec(),
                category: Some(Category::Projects),
                created: Date::parse("2025-01-02"),
                modified: Date::parse("2025-03-04T05:06:07Z"),
                is_broken: false,
            };
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn keywords_of_org() {
        let text = "#+TITLE: 회의 기록\n#+FILETAGS: :work:회의:\n#+CATEGORY: projects\n#+DATE: [2025-01-02 목]\n\n* TODO x :more:Work:\n";
        let expected = Metadata {
            body: 0,
            title: "회의 기록".to_owned(),
            tags: ["work", "회의", "more"].map(str::to_owned).to_vec(),
            category: Some(Category::Projects),
            created: Date::parse("2025-01-02"),
            modified: None,
            is_broken: false,
        };
        assert_eq!(Metadata::new("areas/a.org", text), expected);
    }

    #[test]
    fn tags_in_one_text() {
        assert_eq!(
            tags_of("---\ntags: \"a, b c, #d\"\n---\n"),
            ["a", "b c", "d"]
        );
        assert_eq!(tags_of("---\ntags: a b\n---\n"), ["a", "b"]);
        assert_eq!(
            tags_of("---\ntags:\n  - a\n  - A\n  - 2024\n---\n"),
            ["a", "2024"]
        );
        assert_eq!(tags_of("---\ntags:\n---\n"), [""; 0]);
        let many: Vec<String> = (0..120).map(|i| format!("t{i}")).collect();
        assert_eq!(
            tags_of(&format!("---\ntags: {}\n---\n", many.join(" "))),
            many
        );
    }

    #[test]
    fn categories_of_folders() {
        for (path, expected) in [
            ("1-Projects/x.md", Some(Category::Projects)),
            ("02 Areas/x/y.md", Some(Category::Areas)),
            ("notes/resource/x.md", Some(Category::Resources)),
            ("ARCHIVES/projects/x.md", Some(Category::Archives)),
            ("projects.md", None),
            ("my projects/x.md", None),
            ("x.md", None),
        ] {
            assert_eq!(Metadata::new(path, "").category, expected, "{path}");
        }
        let other = Metadata::new("areas/x.md", "---\ncategory: blog\n---\n");
        assert_eq!(other.category, Some(Category::Areas));
    }

    #[test]
    fn broken_front_matter_is_no_metadata() {
        for (text, title) in [
            ("---\ntags: [a, b\ntitle: T\n---\n# H\n", "T"),
            ("---\n\ttitle: \"T\n---\n# H\n", "H"),
            ("+++\ntitle = \n+++\n# H\n", "H"),
            ("{\"title\": \"T\", }\n# H\n", "H"),
        ] {
            let found = Metadata::new("a.md", text);
            assert!(
                found.is_broken && found.tags.is_empty() && found.created.is_none(),
                "{text}"
            );
            assert_eq!(found.title, title, "{text}");
        }
        for text in [
            "",
            "text",
            "{{ template }}\n",
            "{ brace\n",
            "---\n\nrule\n---\n",
        ] {
            assert!(!Metadata::new("a.md", text).is_broken, "{text}");
        }
    }
}
