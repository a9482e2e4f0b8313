//! Tests of every form of edit on every kind of file: text that is not edited keeps its bytes.

use docent_edit::diff::parse::parse;
use docent_edit::find_text::TextQuery;
use docent_edit::insert::InsertPosition;
use docent_edit::plan::Edit;
use docent_edit::section::{SectionEdit, SectionOp};
use docent_edit::source::Source;
use docent_text::content_hash::ContentHash;
use encoding_rs::{EUC_KR, SHIFT_JIS};

use crate::support::planned;

/// Text long enough for its encoding to be detected, with a place for edits in the middle.
const KOREAN: &str = "# 문서 설정\n\n첫째 문단은 문서를 검색하는 방법을 설명합니다.\n\n## 바꿀 곳\n\n설정을 바꾸려면 관리자에게 문의하세요.\n한 줄 더 있습니다.\n\n## 마지막\n\n끝에 있는 문단입니다.\n";
const JAPANESE: &str = "# 文書の設定\n\nこれは日本語の文書です。\n\n## バックアップ\n\n設定を変更してください。\n一行あります。\n\n## 終わり\n\n最後の段落です。\n";

/// Returns a text with line endings of this kind; `mixed` alternates between three.
fn with_endings(text: &str, kind: &str) -> String {
    let ends: &[&str] = match kind {
        "mixed" => &["\n", "\r\n", "\n", "\r"],
        "crlf" => &["\r\n"],
        "cr" => &["\r"],
        _ => &["\n"],
    };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut out = String::new();
    for (at, line) in lines.iter().enumerate() {
        // A CR before an empty line would become half of a CRLF.
        let end = match ends[at % ends.len()] {
            "\r" if kind == "mixed" && lines.get(at + 1) == Some(&"\n") => "\r\n",
            end => end,
        };
        out.push_str(&line.replace('\n', end));
    }
    out
}

fn files(text: &str) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for kind in ["lf", "crlf", "mixed", "cr"] {
        for final_end in [true, false] {
            let text = with_endings(text, kind);
            let text = if final_end { &text } else { text.trim_end() };
            let name = |encoding: &str| format!("{encoding}, {kind}, {final_end}");
            let units = || std::iter::once(0xFEFF).chain(text.encode_utf16());
            files.push((name("utf-8"), text.as_bytes().to_vec()));
            files.push((name("mark"), format!("\u{FEFF}{text}").into_bytes()));
            files.push((
                name("utf-16le"),
                units().flat_map(u16::to_le_bytes).collect(),
            ));
            files.push((
                name("utf-16be"),
                units().flat_map(u16::to_be_bytes).collect(),
            ));
            let legacy = if text.contains('문') {
                EUC_KR
            } else {
                SHIFT_JIS
            };
            files.push((name(legacy.name()), legacy.encode(text).0.into_owned()));
        }
    }
    files
}

/// Checks an edit that must touch only the lines from `first` up to `behind`, exclusive.
fn check(name: &str, bytes: &[u8], edit: Edit<'_>, first: usize, behind: usize) {
    let source = Source::decode(bytes).unwrap();
    let lines: Vec<&str> = docent_text::lines::with_ends(source.text()).collect();
    let plan = planned(bytes, "a.md", std::slice::from_ref(&edit));
    let plan = plan.unwrap_or_else(|refused| panic!("{name} {edit:?} {refused:?}"));
    assert!(plan.changed, "{name}");
    // The bytes before and after are counted in the file itself.
    let before: String = lines[..first].concat();
    let rest: String = lines[behind..].concat();
    assert!(
        plan.text.starts_with(&before),
        "{name} {edit:?} {:?}",
        plan.text
    );
    assert!(
        plan.text.ends_with(&rest),
        "{name} {edit:?} {:?}",
        plan.text
    );
    let head = common(bytes, &plan.bytes, false);
    let tail = common(bytes, &plan.bytes, true);
    let width = |text: &str| match source.encoding() {
        "UTF-8" => text.len(),
        "UTF-16LE" | "UTF-16BE" => 2 * text.encode_utf16().count(),
        encoding => encoding_rs::Encoding::for_label(encoding.as_bytes())
            .unwrap()
            .encode(text)
            .0
            .len(),
    };
    assert!(head >= width(&before), "{name} {edit:?}");
    assert!(tail >= width(&rest), "{name} {edit:?}");
    let again = Source::decode(&plan.bytes).unwrap();
    assert_eq!(
        (again.text(), again.encoding()),
        (plan.text.as_str(), source.encoding()),
        "{name}"
    );
    assert_eq!(again.has_mark(), source.has_mark());
    let ends = |text: &str| text.ends_with(['\n', '\r']);
    assert_eq!(ends(again.text()), ends(source.text()), "{name} {edit:?}");
}

fn common(a: &[u8], b: &[u8], from_behind: bool) -> usize {
    if from_behind {
        a.iter()
            .rev()
            .zip(b.iter().rev())
            .take_while(|(a, b)| a == b)
            .count()
    } else {
        a.iter().zip(b).take_while(|(a, b)| a == b).count()
    }
}

#[test]
fn what_is_not_edited_keeps_its_bytes() {
    for text in [KOREAN, JAPANESE] {
        let lines: Vec<&str> = text.lines().collect();
        let (old, new) = (
            lines[6..8].join("\n"),
            format!("{}\nx\n{}", lines[6], lines[2]),
        );
        let address = lines[4].trim_start_matches("## ");
        let section = |op, content| {
            Edit::Section(SectionEdit {
                address,
                op,
                content,
                include_subsections: false,
            })
        };
        let diff = format!(
            "@@ -90,5 +90,5 @@\n {}\n {}\n-{}\n-{}\n+x\n+{}\n {}\n",
            lines[4], lines[5], lines[6], lines[7], lines[2], lines[8]
        );
        let patch = parse(&diff).unwrap();
        for (name, bytes) in files(text) {
            let hash = ContentHash::new(&bytes).short();
            let check = |edit, first, behind| check(&name, &bytes, edit, first, behind);
            check(Edit::Text(TextQuery::only(&old), &new), 6, 8);
            check(Edit::Text(TextQuery::only(lines[6]), "x"), 6, 7);
            check(Edit::Insert(InsertPosition::Start, "x\ny"), 0, 0);
            check(
                Edit::Insert(InsertPosition::End, "x\ny"),
                lines.len() - 1,
                lines.len(),
            );
            check(
                Edit::Insert(InsertPosition::BeforeLine(7, &hash), "x"),
                6,
                6,
            );
            check(
                Edit::Insert(InsertPosition::AfterText(TextQuery::only(lines[6])), "x\n"),
                6,
                7,
            );
            check(Edit::Lines((7, 8), &hash, "x\ny\nz"), 6, 8);
            check(Edit::Hunks(&patch[0].hunks), 6, 8);
            check(section(SectionOp::Replace, "x\ny"), 6, 8);
            check(section(SectionOp::Append, "x\ny"), 8, 8);
            check(section(SectionOp::Prepend, "x\ny"), 6, 6);
            check(section(SectionOp::InsertBefore, "## X\n\nx"), 4, 4);
            check(section(SectionOp::InsertAfter, "## X\n\nx"), 8, 8);
            check(section(SectionOp::Delete, ""), 4, 9);
            check(section(SectionOp::Rename, "X"), 4, 5);
        }
    }
}

#[test]
fn lines_that_are_added_end_as_those_round_them() {
    for (kind, end) in [("lf", "\n"), ("crlf", "\r\n"), ("cr", "\r")] {
        let text = with_endings("# A\n\none\ntwo\n\n# B\n\nthree\n", kind);
        let hash = ContentHash::new(text.as_bytes()).short();
        let section = |op| {
            Edit::Section(SectionEdit {
                address: "A",
                op,
                content: "x\ny",
                include_subsections: false,
            })
        };
        for edit in [
            Edit::Text(TextQuery::only("one"), "1\n2\n3"),
            Edit::Insert(InsertPosition::Start, "x\ny"),
            Edit::Insert(InsertPosition::End, "x\ny"),
            Edit::Insert(InsertPosition::AfterLine(3, &hash), "x\ny"),
            Edit::Lines((3, 4), &hash, "x\ny\nz"),
            section(SectionOp::Replace),
            section(SectionOp::Append),
            section(SectionOp::Prepend),
            section(SectionOp::InsertBefore),
            section(SectionOp::InsertAfter),
        ] {
            let plan = planned(text.as_bytes(), "a.md", std::slice::from_ref(&edit)).unwrap();
            let rest = plan.text.replace(end, "");
            assert!(
                !rest.contains(['\n', '\r']),
                "{kind} {edit:?} {:?}",
                plan.text
            );
        }
    }
}
