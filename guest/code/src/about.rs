//! Descriptions of code files, taken from their first comment.

use crate::code::Code;
use crate::language::Language;
use crate::position::{ByteOffset, TokenIndex};

/// Words of comments about the licence of a file instead of its purpose.
const LEGAL: [&str; 7] = [
    "copyright",
    "license",
    "licence",
    "spdx-",
    "all rights reserved",
    "@flow",
    "code generated",
];

/// Prefixes of comment lines addressed to tools.
const FOR_TOOLS: [&str; 8] = [
    "eslint",
    "@ts-",
    "-*-",
    "vim:",
    "!/",
    "<reference",
    "go:build",
    "+build",
];

/// Returns the first paragraph of the comments at the start of a text, on one line, or `None` if
/// there is none about its purpose.
pub fn about(code: &Code<'_>) -> Option<String> {
    let first = code.start(TokenIndex::FIRST);
    let docstring = match code.language {
        Language::Python => code.lone_strings().into_iter().next(),
        _ => None,
    };
    let docstring = docstring.filter(|span| span.start == first).map(|span| {
        let text = code
            .slice(span)
            .trim_start_matches(|c| "rRuUbB".contains(c));
        text.trim_matches(['"', '\''])
    });
    // Adjacent comments are one text, which a blank line ends. Otherwise the licence at the top
    // and the description below it would be one block, and the words of the licence would
    // exclude both.
    let mut blocks: Vec<(ByteOffset, String)> = Vec::new();
    let before = code.comments.iter().take_while(|span| span.start < first);
    for span in before {
        let lines = code.slice(span.clone()).lines();
        let said = lines
            .map(|line| code.without_markers(line))
            .filter(|line| !FOR_TOOLS.iter().any(|sign| line.starts_with(sign)))
            .collect::<Vec<_>>()
            .join("\n");
        match blocks.last_mut() {
            Some((end, block)) if code.slice(*end..span.start).matches('\n').count() <= 1 => {
                *end = span.end;
                block.push('\n');
                block.push_str(&said);
            }
            _ => blocks.push((span.end, said)),
        }
    }
    let blocks = blocks.into_iter().map(|(_, block)| block);
    docstring
        .map(str::to_owned)
        .into_iter()
        .chain(blocks)
        .filter(|block| {
            let lower = block.to_lowercase();
            !LEGAL.iter().any(|word| lower.contains(word))
        })
        .find_map(|block| first_paragraph(&block))
}

/// Returns the first paragraph of a comment, on one line, or `None` if it has no letter.
fn first_paragraph(comment: &str) -> Option<String> {
    let paragraph: Vec<&str> = comment
        .lines()
        .map(str::trim)
        .skip_while(|line| !line.contains(char::is_alphanumeric))
        .take_while(|line| line.contains(char::is_alphanumeric))
        .collect();
    (!paragraph.is_empty()).then(|| paragraph.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_comments() {
        for (language, text, expected) in [
            (
                Language::Rust,
                "//! Reads files.\n//! Slowly.\n\nuse a;\n",
                Some("Reads files. Slowly."),
            ),
            (
                Language::Rust,
                "// Copyright 2020 A.\n\n//! Parses\n//! v1.2 dates. More.\n",
                Some("Parses v1.2 dates. More."),
            ),
            (
                Language::Python,
                "#!/usr/bin/env python\n\"\"\"Runs it\n\nand more\"\"\"\nimport os\n",
                Some("Runs it"),
            ),
            (
                Language::TypeScript,
                "/* eslint-disable */\n/**\n * 설정을 읽는다.\n */\nimport a from 'a';\n",
                Some("설정을 읽는다."),
            ),
            (Language::Go, "package main\n\n// Not about it.\n", None),
            (Language::C, "", None),
        ] {
            let code = Code::new(language, text);
            assert_eq!(about(&code).as_deref(), expected, "{text}");
        }
    }
}
