//! Laws that every scanner keeps for any input.

use std::ops::ControlFlow;

use proptest::prelude::*;

use crate::entry::{DataEntry, DataKind};
use crate::format::DataFormat;
use crate::visitor::Visitor;
use crate::{keys, visit};

/// Lines and entries of a text, one entry per line.
struct Shown(Vec<String>);

impl Visitor for Shown {
    fn entry(&mut self, entry: &DataEntry<'_, '_>) -> ControlFlow<()> {
        let lines = entry.lines;
        self.0.push(if lines.first == lines.last {
            format!("{} {entry}", lines.first)
        } else {
            format!("{}-{} {entry}", lines.first, lines.last)
        });
        ControlFlow::Continue(())
    }
}

/// Compares the entries of a text with the expected `LINES PATH = VALUE`.
pub(super) fn check(format: DataFormat, text: &str, expected: &[&str]) {
    let mut shown = Shown(Vec::new());
    visit(format, text, &mut shown);
    assert_eq!(shown.0, expected, "{text}");
}

/// Entries of a text with their raw values.
#[derive(Default)]
struct Raw {
    values: Vec<(u32, u32, String)>,
    depth: usize,
    opened: usize,
    ended: usize,
}

impl Visitor for Raw {
    fn entry(&mut self, entry: &DataEntry<'_, '_>) -> ControlFlow<()> {
        assert_eq!(entry.depth, self.depth);
        assert!(entry.lines.first <= entry.value_line && entry.value_line <= entry.lines.last);
        if matches!(entry.kind, DataKind::Table | DataKind::List) {
            self.depth += 1;
            self.opened += 1;
        }
        let keys: String = entry.path.0.iter().filter_map(|step| step.key()).collect();
        let lines = entry.lines;
        let said = format!("{keys}{}{}", entry.note, entry.value);
        self.values.push((lines.first, lines.last, said));
        ControlFlow::Continue(())
    }

    fn end(&mut self, _: usize) {
        self.depth -= 1;
        self.ended += 1;
    }
}

/// Checks the laws: lines are ordered and within the text, tables end, each word is in an entry.
fn laws(format: DataFormat, text: &str) -> Result<(), TestCaseError> {
    let mut raw = Raw::default();
    visit(format, text, &mut raw);
    prop_assert_eq!(raw.opened, raw.ended);
    let lines: Vec<&str> = docent_text::lines::with_ends(text).collect();
    let mut last_first = 1;
    for (first, last, _) in &raw.values {
        prop_assert!(*first >= last_first && first <= last);
        prop_assert!(*last as usize <= lines.len().max(1));
        last_first = *first;
    }
    // Closing tags are in no entry.
    if format == DataFormat::Xml {
        return Ok(());
    }
    // Words of letters are neither brackets nor quotes, which need not be in an entry.
    for (index, line) in lines.iter().enumerate() {
        for word in line
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
        {
            let number = index as u32 + 1;
            let is_said = raw.values.iter().any(|(first, last, said)| {
                (*first..=*last).contains(&number) && said.contains(word)
            });
            prop_assert!(is_said, "{:?}: {:?} of {:?}", format, word, text);
        }
    }
    Ok(())
}

/// Generates pieces of all formats, in any order.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "b1",
        "가",
        " ",
        "  ",
        "\t",
        "\n",
        "\n",
        "\r\n",
        "\r",
        ":",
        ": ",
        "=",
        " = ",
        ",",
        "{",
        "}",
        "[",
        "]",
        "[[",
        "]]",
        "\"",
        "'",
        "\"\"\"",
        "'''",
        "\\",
        "#",
        " # ",
        "//",
        "/*",
        "*/",
        "- ",
        "---\n",
        "| ",
        ">",
        "&x ",
        "!t ",
        "<a>",
        "</a>",
        "<b x=\"1\">",
        "<c/>",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<",
        ";",
        "FROM x AS y\n",
        "<<EOF",
        "EOF\n",
        "require (\n",
        ")\n",
        "{{",
        "key",
        "<key>",
        "</key>",
        "<dict>",
        "\u{feff}",
        "?",
        "%",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_text(text in pieces()) {
        for format in DataFormat::ALL {
            laws(format, &text)?;
        }
    }
}

#[test]
fn a_visitor_may_break() {
    struct First(usize);
    impl Visitor for First {
        fn entry(&mut self, _: &DataEntry<'_, '_>) -> ControlFlow<()> {
            self.0 += 1;
            ControlFlow::Break(())
        }
    }
    let text = "a: 1\nb = 2\n[c]\n<d>x</d>\ne: {f: 1}\n".repeat(3);
    for format in DataFormat::ALL {
        let mut first = First(0);
        visit(format, &text, &mut first);
        assert_eq!(first.0, 1, "{format:?}");
        assert!(!keys(format, &text).is_empty());
    }
}
