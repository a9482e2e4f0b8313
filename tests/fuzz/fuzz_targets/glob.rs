//! Globs: each matches the same paths as in globset, and a directory that is reported to hold no
//! match holds none.
#![no_main]

use docent_fuzz::seeds;
use docent_tree::glob::Glob;
use globset::GlobBuilder;
use libfuzzer_sys::fuzz_target;

fn write_seeds() {
    let globs = [
        "**/*.md",
        "*.md",
        "?.md",
        "a/**/b",
        "{a,b/c}/*.{md,txt}",
        "[a-c]?[!x]",
        "\\*",
        "**",
        "a/**",
        "{a/b,**/a,}",
        "회의*",
        "[ab]?/x",
        "{a,{b,c}}",
        "[]-]",
        "a{",
    ];
    let paths = [
        "a.md",
        "a/b",
        "a/x/b",
        "b/c/x.md",
        "abc",
        "*",
        "회의록.md",
        "a/b/c",
        "é",
    ];
    let seeds = globs
        .iter()
        .flat_map(|glob| paths.map(|path| format!("{glob}\n{path}").into_bytes()));
    seeds::write(seeds);
}

fuzz_target!(init: write_seeds(), |text: &[u8]| {
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    let (text, path) = text.split_once('\n').unwrap_or((text, "a/b.md"));
    let parsed = Glob::parse(text);
    let reference = GlobBuilder::new(text).literal_separator(true).backslash_escape(true).build();
    let Ok(mut glob) = parsed else {
        return;
    };
    // The walk yields paths of names, none of which is empty.
    if path.split('/').any(str::is_empty) || path.contains('\0') {
        glob.matches_path(path);
        glob.below(path);
        return;
    }
    let is_match = glob.matches_path(path);
    // docent's globs differ intentionally in one respect: a multi-byte character counts as one for
    // `?` and classes, and composed and decomposed forms are equal.
    if text.is_ascii() && path.is_ascii() {
        let reference = reference.map(|glob| glob.compile_matcher());
        assert_eq!(reference.map(|matcher| matcher.is_match(path)).ok(), Some(is_match), "{text} {path}");
    }
    // Matching name by name gives the same result as at once, and no directory above a match is
    // skipped.
    let mut directory = String::new();
    let mut reached = glob.below("");
    let mut names = path.split('/').peekable();
    while let Some(name) = names.next() {
        let Some(state) = &mut reached else {
            assert!(!is_match, "{text} {path}: nothing below {directory}");
            return;
        };
        if names.peek().is_none() {
            assert_eq!(glob.matches(state, &directory, name), is_match, "{text} {path}");
            return;
        }
        let entered = glob.enter(state, &directory, name);
        if !directory.is_empty() {
            directory.push('/');
        }
        directory.push_str(name);
        assert_eq!(entered.is_some(), glob.below(&directory).is_some(), "{text} {directory}");
        reached = entered;
    }
});
