//! Rules of ignore files: they exclude the same paths as in the crate `ignore`, for the patterns
//! that both read the same way, and no rule panics.
#![no_main]

use docent_fuzz::seeds;
use docent_tree::ignore::rules::Rules;
use ignore::gitignore::GitignoreBuilder;
use libfuzzer_sys::fuzz_target;

fn write_seeds() {
    let lines = [
        "x.md", "*.log", "/a.md", "a/b", "target/", "**/x", "a/**", "a/**/b", "a/*/c", "a?c",
        "[a-c]x", "[!a]x", "[]]x", "\\#x", "a\\*", "a\\ ", "a  ", "#x", "!keep", "*a*a*a*b",
        "a/b/", "/**",
    ];
    let paths = [
        "a.md", "a/b", "a/x/b", "target", "x", "a/b/c", "aaaaaab", "한",
    ];
    let seeds = lines
        .iter()
        .flat_map(|line| paths.map(|path| format!("*\n!{line}\n{line}\n{path}").into_bytes()));
    seeds::write(seeds);
}

/// Returns true if both read a pattern the same way. docent follows git, and the crate differs from
/// git in escapes, in classes that are not closed or contain special characters, in braces, which
/// only the crate's globs support, and in runs of more than two stars.
fn is_common(pattern: &str) -> bool {
    let is_plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '*' | '?' | '/' | '-' | '_');
    let body = pattern.strip_prefix('!').unwrap_or(pattern);
    let are_stars_plain = body
        .split('/')
        .all(|part| part == "**" || !part.contains("**"));
    !body.is_empty() && body.chars().all(is_plain) && are_stars_plain && !body.contains("//")
}

fuzz_target!(init: write_seeds(), |data: &[u8]| {
    let mut all = Rules::default();
    assert!(all.add_file(data, usize::MAX).is_ok());
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    // The last line is a path.
    let (lines, path) = text.rsplit_once('\n').unwrap_or((text, "a/b"));
    all.ignores(path, true);
    let rules = Rules::parse(lines.lines());
    let own = [false, true].map(|is_directory| rules.ignores(path, is_directory));
    let is_path = path.is_ascii() && path.split('/').all(|name| !matches!(name, "" | "." | ".."));
    if !is_path || !lines.lines().all(is_common) {
        return;
    }
    let mut builder = GitignoreBuilder::new("");
    for line in lines.lines() {
        if builder.add_line(None, line).is_err() {
            return;
        }
    }
    let Ok(reference) = builder.build() else {
        return;
    };
    for (is_directory, own) in [false, true].into_iter().zip(own) {
        let expected = reference.matched(path, is_directory).is_ignore();
        assert_eq!(own, expected, "{lines:?} on {path}, a directory: {is_directory}");
    }
});
