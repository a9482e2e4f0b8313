//! Modifiers of declarations, in each language with braces.

use crate::language::Language;

const JAVA_MODIFIERS: &[&str] = &[
    "public",
    "private",
    "protected",
    "static",
    "final",
    "abstract",
    "native",
    "synchronized",
    "transient",
    "volatile",
    "strictfp",
    "default",
    "sealed",
];

const CSHARP_MODIFIERS: &[&str] = &[
    "public",
    "private",
    "protected",
    "internal",
    "static",
    "sealed",
    "abstract",
    "virtual",
    "override",
    "async",
    "partial",
    "readonly",
    "extern",
    "unsafe",
    "new",
    "volatile",
    "ref",
    "const",
    "event",
    "required",
    "file",
    "global",
    "explicit",
    "implicit",
];

const KOTLIN_MODIFIERS: &[&str] = &[
    "public",
    "private",
    "protected",
    "internal",
    "open",
    "abstract",
    "final",
    "override",
    "suspend",
    "inline",
    "noinline",
    "crossinline",
    "infix",
    "operator",
    "tailrec",
    "external",
    "data",
    "sealed",
    "annotation",
    "inner",
    "companion",
    "const",
    "lateinit",
    "expect",
    "actual",
    "value",
    "enum",
];

const SWIFT_MODIFIERS: &[&str] = &[
    "public",
    "private",
    "fileprivate",
    "internal",
    "open",
    "package",
    "static",
    "final",
    "override",
    "mutating",
    "nonmutating",
    "lazy",
    "weak",
    "unowned",
    "convenience",
    "required",
    "optional",
    "dynamic",
    "indirect",
    "async",
    "nonisolated",
    "isolated",
    "prefix",
    "postfix",
    "infix",
    "distributed",
    "borrowing",
    "consuming",
];

const PHP_MODIFIERS: &[&str] = &[
    "public",
    "private",
    "protected",
    "static",
    "final",
    "abstract",
    "readonly",
    "var",
];

const C_MODIFIERS: &[&str] = &[
    "static",
    "inline",
    "extern",
    "const",
    "constexpr",
    "consteval",
    "constinit",
    "virtual",
    "explicit",
    "friend",
    "mutable",
    "volatile",
    "register",
    "thread_local",
    "_Noreturn",
    "__inline",
    "export",
];

const RUST_MODIFIERS: &[&str] = &["pub", "unsafe", "async", "extern", "default", "auto"];

const ECMASCRIPT_MODIFIERS: &[&str] = &[
    "export",
    "default",
    "declare",
    "abstract",
    "async",
    "public",
    "private",
    "protected",
    "static",
    "readonly",
    "override",
];

/// Words that may precede a declaration. Go has none.
const MODIFIERS: &[(Language, &[&str])] = &[
    (Language::Java, JAVA_MODIFIERS),
    (Language::CSharp, CSHARP_MODIFIERS),
    (Language::Kotlin, KOTLIN_MODIFIERS),
    (Language::Swift, SWIFT_MODIFIERS),
    (Language::Php, PHP_MODIFIERS),
    (Language::C, C_MODIFIERS),
    (Language::Cpp, C_MODIFIERS),
    (Language::Rust, RUST_MODIFIERS),
    (Language::JavaScript, ECMASCRIPT_MODIFIERS),
    (Language::TypeScript, ECMASCRIPT_MODIFIERS),
];

/// Returns true if `word` may precede a declaration in `language`.
pub(super) fn is_modifier(language: Language, word: &str) -> bool {
    let entry = MODIFIERS.iter().find(|(other, _)| *other == language);
    entry.is_some_and(|(_, words)| words.contains(&word))
}

/// Words that are attributes when followed by brackets, and not names.
const ATTRIBUTE_WORDS: &[&str] = &[
    "__attribute__",
    "__declspec",
    "alignas",
    "_Alignas",
    "decltype",
    "noexcept",
    "throw",
    "requires",
    "explicit",
    "typeof",
    "__typeof__",
    "sizeof",
    "asm",
    "__asm__",
];

/// Returns true if a word followed by brackets is an attribute, and not a name.
pub(super) fn is_attribute_word(word: &str) -> bool {
    ATTRIBUTE_WORDS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_may_be_a_modifier_in_one_language_and_none_in_another() {
        assert!(is_modifier(Language::Kotlin, "enum"));
        assert!(!is_modifier(Language::Java, "enum"));
        assert!(!is_modifier(Language::Go, "static"));
    }
}
