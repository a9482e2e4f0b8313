//! Decorators, annotations and attributes of a definition.

use crate::code::Code;
use crate::language::Language;
use crate::limits::{DECORATOR_CHARS, DECORATORS};
use crate::position::ByteRange;
use crate::truncate::cut;

impl Code<'_> {
    /// Returns the decorators at `span`, which ends at the head of a definition, in the form of
    /// [`crate::Symbol::decorators`].
    pub(crate) fn decorators(&self, span: ByteRange) -> String {
        // C and C++ are excluded, because macros may be in the place of attributes.
        let has_decorators = matches!(
            self.language,
            Language::Python
                | Language::JavaScript
                | Language::TypeScript
                | Language::Java
                | Language::Kotlin
                | Language::Swift
                | Language::CSharp
                | Language::Php
        );
        if !has_decorators || span.end <= span.start {
            return String::new();
        }
        let line = self.signature(span);
        let decorators = pieces(&line).into_iter();
        // `@Override` is checked by the compiler and tells a reader nothing about the method.
        let decorators = decorators.filter(|decorator| *decorator != "@Override");
        let shown = decorators.take(DECORATORS);
        let shown: Vec<String> = shown
            .map(|decorator| cut(decorator, DECORATOR_CHARS))
            .collect();
        shown.join(" ")
    }
}

/// Splits decorators, each of which begins outside of brackets: `@a(b)`, `[A]`, `#[A]`.
fn pieces(line: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut depth = 0usize;
    let mut start = None;
    let mut follows_blank = true;
    for (index, byte) in line.bytes().enumerate() {
        if depth == 0 && follows_blank && matches!(byte, b'@' | b'[' | b'#') {
            pieces.extend(start.map(|start| line[start..index].trim_end()));
            start = Some(index);
        }
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        follows_blank = byte == b' ';
    }
    pieces.extend(start.map(|start| &line[start..]));
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_begins_outside_of_brackets() {
        for (line, expected) in [
            ("@a", vec!["@a"]),
            ("@a.b(c, @d) @e", vec!["@a.b(c, @d)", "@e"]),
            ("[A, B(1)] [C]", vec!["[A, B(1)]", "[C]"]),
            ("#[A] #[B('[')]", vec!["#[A]", "#[B('[')]"]),
            (
                "@Size(max = 3) @A @B @C",
                vec!["@Size(max = 3)", "@A", "@B", "@C"],
            ),
            ("", vec![]),
        ] {
            assert_eq!(pieces(line), expected, "{line}");
        }
    }
}
