//! Names of declarations with a keyword.

use crate::language::Language;
use crate::limits::IMPL_HEAD_TOKENS;
use crate::position::{TokenIndex, token_indices};
use crate::scan::braces::keywords::Role;
use crate::scan::braces::reader::BraceReader;
use crate::symbol::SymbolKind;

impl BraceReader<'_> {
    /// Returns the name declared by the keyword, before `end`; empty if there is none.
    pub(super) fn name(&self, role: Role, keyword: TokenIndex, end: TokenIndex) -> String {
        match role {
            Role::Function => self.function_name(keyword + 1, end),
            Role::Constructor => self.code.word(keyword).to_owned(),
            Role::Type(SymbolKind::Impl) => self.impl_name(keyword + 1, end),
            Role::Namespace => self.namespace_name(keyword + 1, end),
            Role::Value(_) if self.code.language == Language::Kotlin => {
                self.kotlin_value_name(self.first_name(keyword + 1, end), end)
            }
            _ => {
                let name = self.first_name(keyword + 1, end);
                let text = self.code.is_name(name).then(|| self.code.word(name));
                text.unwrap_or_default().trim_matches('`').to_owned()
            }
        }
    }

    fn function_name(&self, first: TokenIndex, end: TokenIndex) -> String {
        let code = self.code;
        match code.language {
            Language::Go if code.is(first, b'(') => {
                let receiver = self.go_receiver(first);
                let (name, _) = self.last_name_of_head(code.after(first), end);
                let name = code.word(name);
                if receiver.is_empty() {
                    name.trim_matches('`').to_owned()
                } else {
                    format!("{receiver}.{name}")
                }
            }
            // `fun <T> List<T>.second()`
            Language::Kotlin if code.is(first, b'<') => {
                self.plain_function_name(self.skip_angles(first, end), end)
            }
            Language::Swift if !code.is_name(first) && !code.is(first, b'&') => {
                self.swift_operator_name(first, end)
            }
            _ => self.plain_function_name(first, end),
        }
    }

    fn plain_function_name(&self, first: TokenIndex, end: TokenIndex) -> String {
        let (name, _) = self.last_name_of_head(first, end);
        self.code.word(name).trim_matches('`').to_owned()
    }

    /// Returns the name of `func == (a: A, b: A)`.
    fn swift_operator_name(&self, first: TokenIndex, end: TokenIndex) -> String {
        let code = self.code;
        let (_, after) = self.last_name_of_head(first, end);
        let name = code.slice(code.start(first)..code.start(after)).trim();
        name.trim_matches('`').to_owned()
    }

    /// Returns the last name before the parameters, `fun List<A>.name(`, and the token after it, or
    /// the first token if there is none.
    fn last_name_of_head(&self, first: TokenIndex, end: TokenIndex) -> (TokenIndex, TokenIndex) {
        let code = self.code;
        let mut name = first;
        let mut here = first;
        while here < end && !code.is(here, b'(') && !code.is(here, b'{') {
            if code.is_name(here) {
                name = here;
            }
            // `f<T>(`
            let follows_name = here.previous().is_some_and(|before| code.is_name(before));
            here = if code.is(here, b'<') && follows_name {
                self.skip_angles(here, end)
            } else {
                code.after(here)
            };
        }
        (name, here)
    }

    /// Returns the type of a receiver without its parameters: `(r *List[T])`.
    fn go_receiver(&self, open: TokenIndex) -> &str {
        let code = self.code;
        let mut inside = token_indices(open + 1..code.after(open) - 1).rev();
        let name = inside.find(|token| code.is_name(*token) && !code.is(*token + 1, b']'));
        name.map_or("", |name| code.word(name))
    }

    /// Returns the implemented or extended type: `impl<T> A for b::B`, `extension A.B`.
    fn impl_name(&self, first: TokenIndex, end: TokenIndex) -> String {
        let code = self.code;
        let is_swift = code.language == Language::Swift;
        let mut here = first;
        if code.language == Language::Rust && code.is(here, b'<') {
            here = self.skip_angles(here, end);
        }
        let mut head = token_indices(here..end).take(IMPL_HEAD_TOKENS);
        if let Some(keyword) = head.find(|token| code.word(*token) == "for") {
            here = keyword + 1;
        }
        let mut name = String::new();
        while here < end && (code.is_name(here) || code.is(here, b'.') || code.is(here, b':')) {
            // In Swift a colon precedes the protocols, `extension A: B`; in Rust it is part of a
            // path, `impl a::B`.
            if is_swift && code.is(here, b':') || code.word(here) == "where" {
                break;
            }
            name.push_str(code.word(here));
            here += 1;
        }
        name
    }

    /// Returns the text before the body: `namespace A.B {`, `namespace A\B;`.
    fn namespace_name(&self, first: TokenIndex, end: TokenIndex) -> String {
        let code = self.code;
        let mut stop = first;
        while stop < end && !code.is(stop, b'{') && !code.is(stop, b';') {
            stop += 1;
        }
        if stop == first {
            return String::new();
        }
        let name = code.slice(code.start(first)..code.end(stop - 1));
        name.trim().to_owned()
    }

    /// Returns the first token that is a name instead of a further keyword; it may be another token
    /// if a body comes first.
    fn first_name(&self, first: TokenIndex, end: TokenIndex) -> TokenIndex {
        let code = self.code;
        let mut here = first;
        while here < end && !code.is_name(here) && !code.is(here, b'{') {
            here = if code.is(here, b'<') {
                self.skip_angles(here, end)
            } else {
                here + 1
            };
        }
        // `static mut NAME`, `record struct Name`, `enum class Name`.
        while matches!(code.word(here), "struct" | "class" | "mut" | "object")
            && code.is_name(here + 1)
        {
            here += 1;
        }
        here
    }

    /// Returns the name of a property, which may follow the type that it extends: `val
    /// List<T>.second: T`.
    fn kotlin_value_name(&self, first: TokenIndex, end: TokenIndex) -> String {
        let code = self.code;
        let mut name = first;
        let mut here = first;
        while here < end && !code.is(here, b':') && !code.is(here, b'=') {
            // `val a by lazy { }`, `val a get() = 1`
            if code.is_name(here) && matches!(code.word(here), "by" | "get") {
                break;
            }
            if here > name && code.is_first_on_line(here) {
                break;
            }
            if code.is_name(here) {
                name = here;
            }
            here = if code.is(here, b'<') {
                self.skip_angles(here, end)
            } else {
                code.after(here)
            };
        }
        code.word(name).to_owned()
    }
}
