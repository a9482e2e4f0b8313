//! JSON, JSON with comments, JSON5 and JSON lines.

use crate::line::end_of_line;
use crate::path::PathStep;
use crate::scan::flow::{Dialect, comment_end, flow};
use crate::writer::{EntryWriter, ValueSpan};

/// The number of values in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Values {
    /// A single value.
    One,
    /// One value per line, numbered from 0.
    OneALine,
}

pub(super) fn scan(writer: &mut EntryWriter<'_, '_>, values: Values) {
    let text = writer.text;
    let bytes = text.as_bytes();
    let mut at = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let mut number = 0;
    while at < bytes.len() && !writer.is_over() {
        let steps = [PathStep::item(number)];
        let steps = match values {
            Values::One => &[][..],
            Values::OneALine => &steps[..],
        };
        match bytes[at] {
            // Brackets that close nothing are skipped like blanks. A file with one bracket too
            // many, or with the halves of a merge conflict, is then read to its end, and the
            // values after the bracket are entries as well.
            b' ' | b'\t' | b'\r' | b'\n' | b',' | b'}' | b']' => {
                at += 1;
                continue;
            }
            b'{' | b'[' => at = flow(writer, steps, at, at..at, Dialect::Json),
            _ => {
                if let Some(end) = comment_end(text, at, Dialect::Json) {
                    writer.text(at..end);
                    at = end;
                    continue;
                }
                let end = end_of_line(text, at);
                let value = at..at + text[at..end].trim_end().len();
                writer.value(steps, &ValueSpan::new(at, value));
                at = end;
            }
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use crate::format::DataFormat;
    use crate::scan::tests::check;

    #[test]
    fn package() {
        let text = r#"{
  "name": "@한글/app",
  "scripts": {
    "test": "jest --ci",
    "build.all": "tsc -b"
  },
  "files": ["dist", "src"],
  "keywords": [
    "one",
    "two", "three"
  ],
  "empty": {}, "none": [],
  "contributors": [{"name": "Kim"}, {"name": "Lee", "tags": [1, 2]}],
  "설정": {"이름": "값"}
}
"#;
        check(
            DataFormat::Json,
            text,
            &[
                "2 name = \"@한글/app\"",
                "3 scripts:",
                "4 scripts.test = \"jest --ci\"",
                "5 scripts.\"build.all\" = \"tsc -b\"",
                "7 files = [\"dist\", \"src\"]",
                "8 keywords:",
                "9 keywords[0] = \"one\"",
                "10 keywords[1..2] = \"two\", \"three\"",
                "12 empty = {}",
                "12 none = []",
                "13 contributors:",
                "13 contributors[0]:",
                "13 contributors[0].name = \"Kim\"",
                "13 contributors[1]:",
                "13 contributors[1].name = \"Lee\"",
                "13 contributors[1].tags = [1, 2]",
                "14 설정:",
                "14 설정.이름 = \"값\"",
            ],
        );
    }

    #[test]
    fn settings_of_typescript() {
        let text = "// Options.\n{\n  /* of the\n     compiler */\n  \"compilerOptions\": {\n    \"strict\": true, // always\n    // \"jsx\": \"react\",\n    \"paths\": { \"@/*\": [\"./src/*\"], },\n  },\n  unquoted: 'JSON5', url: \"http://x//y\",\n}\n";
        check(
            DataFormat::Json,
            text,
            &[
                "1 // Options.",
                "3-4 /* of the compiler */",
                "5 compilerOptions:",
                "6 compilerOptions.strict = true",
                "6 // always",
                "7 // \"jsx\": \"react\",",
                "8 compilerOptions.paths:",
                "8 compilerOptions.paths.@/* = [\"./src/*\"]",
                "10 unquoted = 'JSON5'",
                "10 url = \"http://x//y\"",
            ],
        );
    }

    #[test]
    fn lines_and_lone_values() {
        let text = "{\"a\": 1}\n{\"a\": {\"b\": 2}}\n3\n";
        check(
            DataFormat::JsonLines,
            text,
            &[
                "1 [0]:",
                "1 [0].a = 1",
                "2 [1]:",
                "2 [1].a:",
                "2 [1].a.b = 2",
                "3 [2] = 3",
            ],
        );
        check(DataFormat::Json, "\"alone\"", &["1 \"alone\""]);
        check(
            DataFormat::Json,
            "[[1, 2],\n [3]]",
            &["1 [0] = [1, 2]", "2 [1] = [3]"],
        );
        check(DataFormat::Json, "[1, 2]", &["1 [1, 2]"]);
    }

    #[test]
    fn broken_input_is_text() {
        check(
            DataFormat::Json,
            "{\n\"a\": \"no end\n\"b\": 2\n\"c\" 3,\n\"d\": [1,\n",
            &[
                "2 a = \"no end",
                "3 b = 2",
                "4 \"c\" 3",
                "5 d:",
                "5 d[0] = 1",
            ],
        );
        check(
            DataFormat::Json,
            "{\"a\": {\"b\": 1",
            &["1 a:", "1 a.b = 1"],
        );
        check(DataFormat::Json, "}]\n{\"a\": }", &["2 a"]);
    }

    #[test]
    fn too_deep_nesting_is_a_value() {
        let text = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
        let all = crate::keys(DataFormat::Json, &text);
        assert_eq!(all.len(), crate::limits::LEVELS + 1);
        assert!(all.iter().all(|entry| entry.value.chars().count() <= 121));
        let text = "{\"a\":".repeat(100_000);
        assert!(crate::keys(DataFormat::Json, &text).len() < 100);
    }
}
