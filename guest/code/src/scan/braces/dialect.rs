//! How the languages with braces differ, beyond their words.

use crate::language::Language;

/// Whether a declaration may end with its line in `language`.
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

/// Whether functions and fields are declared without a keyword in `language`.
pub(super) fn is_c_like(language: Language) -> bool {
    matches!(
        language,
        Language::C | Language::Cpp | Language::Java | Language::CSharp
    )
}

/// Whether this is C or C++, which share a preprocessor, `typedef` and ways of declaring.
pub(super) fn is_c_or_cpp(language: Language) -> bool {
    matches!(language, Language::C | Language::Cpp)
}

/// Whether methods are written without a keyword in a class of this language.
pub(super) fn is_ecmascript(language: Language) -> bool {
    matches!(language, Language::JavaScript | Language::TypeScript)
}
