//! Outlines and imports of source code in every language: symbols nest, lines are in the text, and
//! skeletons keep their budget and report everything that they leave out.
#![no_main]

use docent_code::{Language, Lines, Symbol, read, without_comments};
use docent_fuzz::seeds;
use libfuzzer_sys::fuzz_target;

/// Returns the language that a byte selects.
fn language(byte: u8) -> Language {
    let all = &Language::ALL;
    all[usize::from(byte) % all.len()]
}

fn write_seeds() {
    let files = seeds::files("guest/code/tests/cases");
    let sources = files.iter().filter_map(|(name, text)| {
        let language = Language::from_path(name)?;
        let index = Language::ALL.iter().position(|other| *other == language)?;
        Some([&[u8::try_from(index).ok()?], text.as_bytes()].concat())
    });
    seeds::write(sources);
}

fn check_nesting(symbols: &[Symbol], outer: Lines) {
    for symbol in symbols {
        let lines = symbol.lines;
        assert!(lines.first <= lines.last, "{symbol:?}");
        assert!(
            outer.first <= lines.first && lines.last <= outer.last,
            "{symbol:?}"
        );
        assert!(!symbol.signature.contains(['\n', '\r']), "{symbol:?}");
        assert!(symbol.signature.chars().count() <= 600, "{symbol:?}");
        check_nesting(&symbol.children, lines);
    }
}

/// Returns the rows of skeletons without comments, sorted.
fn rows<'a>(rows: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let is_number = |letter: char| letter.is_ascii_digit() || letter == '-';
    let without = rows.map(|row| row.split("  // ").next().unwrap_or(row).trim_end());
    // A comment without its row leaves a number behind, and so does an item without a signature.
    let is_bare = |row: &&str| row.trim_start_matches(is_number).is_empty();
    let mut rows: Vec<&str> = without.filter(|row| !is_bare(row)).collect();
    rows.sort_unstable();
    rows
}

fuzz_target!(init: write_seeds(), |data: &[u8]| {
    let Some((first, text)) = data.split_first() else {
        return;
    };
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    let language = language(*first);
    let reading = read(language, text, |_| ());
    let (outline, paths) = (reading.outline, reading.imports);
    let last = outline.line_count;
    assert!(paths.iter().all(|path| 1 <= path.line && path.line <= last));
    check_nesting(&outline.symbols, Lines { first: 1, last });
    for import in &outline.imports {
        assert!(1 <= import.lines.first && import.lines.last <= last);
    }
    let all = outline.skeleton(usize::MAX);
    assert_eq!(all.rest, "");
    for budget in [0, 30, 200, 1000] {
        let skeleton = outline.skeleton(budget);
        assert!(skeleton.text.chars().count() <= budget, "{}", skeleton.text);
        assert!(skeleton.shown <= skeleton.symbols);
        let shown = skeleton.text.lines();
        let shown = shown.filter(|line| !line.starts_with("... left out: "));
        assert_eq!(rows(shown.chain(skeleton.rest.lines())), rows(all.text.lines()));
    }
    let preview = outline.preview(text.len());
    assert!(preview.text.len() <= (text.len() / 2).max(text.len() / 10));
    let code = without_comments(language, text);
    assert_eq!(code.len(), text.len());
    assert_eq!(code.lines().count(), text.lines().count());
});
