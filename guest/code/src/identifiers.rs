//! Which identifiers a text uses, and in which lines: words of code, not of comments or strings.

use crate::code::Code;
use crate::language::Language;
use crate::position::{TokenIndex, token_indices};

/// Gives each identifier, as often as it stands there.
pub fn each_identifier(code: &Code<'_>, mut give: impl FnMut(&str)) {
    for token in identifiers(code) {
        give(code.word(token));
    }
}

/// Returns the lines of `text`, 1-based and in order, in which the identifier `name` stands, each
/// once.
pub fn lines_with(language: Language, text: &str, name: &str) -> Vec<u32> {
    // A text that holds it nowhere need not be taken apart.
    if !text.contains(name) {
        return Vec::new();
    }
    let code = Code::new(language, text);
    let mut lines: Vec<u32> = identifiers(&code)
        .filter(|token| code.word(*token) == name)
        .map(|token| code.line(token))
        .collect();
    lines.dedup();
    lines
}

fn identifiers<'c>(code: &'c Code<'_>) -> impl Iterator<Item = TokenIndex> + 'c {
    token_indices(TokenIndex::FIRST..code.end_token()).filter(|token| code.is_name(*token))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_use_nothing() {
        let text = "// run\nfn run() {\n    let s = \"run\";\n    run(); run();\n}\n/* run */\n";
        assert_eq!(lines_with(Language::Rust, text, "run"), [2, 4]);
        assert_eq!(lines_with(Language::Rust, text, "ru"), [0; 0]);
        let text = "# 계산\n계산 = f\"{계산}\" '계산'\n";
        assert_eq!(lines_with(Language::Python, text, "계산"), [2]);
        let mut all = Vec::new();
        let code = Code::new(Language::JavaScript, "let $a = `x ${b_1}`;");
        each_identifier(&code, |name| all.push(name.to_owned()));
        assert_eq!(all, ["let", "$a", "b_1"]);
    }
}
