//! Identifiers used in a text: words of code, not of comments or strings.

use crate::code::Code;
use crate::position::{TokenIndex, token_indices};

/// Emits each identifier, with repetitions.
pub fn each_identifier(code: &Code<'_>, mut give: impl FnMut(&str)) {
    for token in identifiers(code) {
        give(code.word(token));
    }
}

fn identifiers<'c>(code: &'c Code<'_>) -> impl Iterator<Item = TokenIndex> + 'c {
    token_indices(TokenIndex::FIRST..code.end_token()).filter(|token| code.is_name(*token))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    #[test]
    fn comments_and_strings_use_nothing() {
        let mut all = Vec::new();
        let code = Code::new(Language::JavaScript, "let $a = `x ${b_1}`;");
        each_identifier(&code, |name| all.push(name.to_owned()));
        assert_eq!(all, ["let", "$a", "b_1"]);
        let code = Code::new(Language::Rust, "// run\nrun(\"run\");");
        let mut runs = 0;
        each_identifier(&code, |_| runs += 1);
        assert_eq!(runs, 1);
    }
}
