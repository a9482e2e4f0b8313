//! Differences between the languages with braces, other than their words.

use crate::language::Language;

/// Returns true if a declaration may end with its line in `language`.
pub(super) fn ends_with_line(language: Language) -> bool {
    matches!(
        language,
        Language::Go
            | Language::Kotlin
            | Language::Swift
            | Language::JavaScript
            | Language::TypeScript
    )
}

/// Returns true if functions and fields are declared without a keyword in `language`.
pub(super) fn is_c_like(language: Language) -> bool {
    matches!(
        language,
        Language::C | Language::Cpp | Language::Java | Language::CSharp
    )
}

/// Returns true for C and C++, which share a preprocessor, `typedef` and declaration syntax.
pub(super) fn is_c_or_cpp(language: Language) -> bool {
    matches!(language, Language::C | Language::Cpp)
}

/// Returns true if methods are written without a keyword in a class of this language.
pub(super) fn is_ecmascript(language: Language) -> bool {
    matches!(language, Language::JavaScript | Language::TypeScript)
}
