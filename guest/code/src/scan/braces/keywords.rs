//! Keywords of declarations, in each language with braces.

use crate::language::Language;
use crate::symbol::SymbolKind;

/// The construct that a keyword begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Function,
    Constructor,
    /// A type with members.
    Type(SymbolKind),
    /// A value, or several in round brackets.
    Value(SymbolKind),
    Alias,
    Namespace,
    Import,
    /// Variants of the enclosing enumeration.
    Case,
    /// `typedef` of C.
    Typedef,
    /// A statement without a definition.
    Control,
}

const FUNCTION: Role = Role::Function;
const CONSTRUCTOR: Role = Role::Constructor;
const CLASS: Role = Role::Type(SymbolKind::Class);
const STRUCT: Role = Role::Type(SymbolKind::Struct);
const UNION: Role = Role::Type(SymbolKind::Union);
const ENUM: Role = Role::Type(SymbolKind::Enum);
const INTERFACE: Role = Role::Type(SymbolKind::Interface);
const TRAIT: Role = Role::Type(SymbolKind::Trait);
const IMPL: Role = Role::Type(SymbolKind::Impl);
const VARIABLE: Role = Role::Value(SymbolKind::Variable);
const CONSTANT: Role = Role::Value(SymbolKind::Constant);

/// Words that begin statements in most languages, and name nothing in the others.
const CONTROL: &[&str] = &[
    "if", "elseif", "for", "while", "switch", "return", "catch", "else", "do", "try", "throw",
    "finally", "foreach", "goto", "defer", "guard", "break", "continue",
];

/// The keywords of a language with their roles.
type Keywords = &'static [(&'static str, Role)];

const RUST: Keywords = &[
    ("fn", FUNCTION),
    ("struct", STRUCT),
    ("union", UNION),
    ("enum", ENUM),
    ("trait", TRAIT),
    ("impl", IMPL),
    ("macro_rules", Role::Type(SymbolKind::Macro)),
    ("static", VARIABLE),
    ("const", CONSTANT),
    ("type", Role::Alias),
    ("mod", Role::Namespace),
    ("use", Role::Import),
];

const JAVASCRIPT: Keywords = &[
    ("function", FUNCTION),
    ("enum", ENUM),
    ("class", CLASS),
    ("var", VARIABLE),
    ("let", VARIABLE),
    ("const", CONSTANT),
    ("import", Role::Import),
];

const TYPESCRIPT: Keywords = &[
    ("function", FUNCTION),
    ("enum", ENUM),
    ("class", CLASS),
    ("interface", INTERFACE),
    ("var", VARIABLE),
    ("let", VARIABLE),
    ("const", CONSTANT),
    ("type", Role::Alias),
    ("namespace", Role::Namespace),
    ("import", Role::Import),
];

const GO: Keywords = &[
    ("func", FUNCTION),
    ("type", Role::Type(SymbolKind::Type)),
    ("var", VARIABLE),
    ("const", CONSTANT),
    ("import", Role::Import),
];

const JAVA: Keywords = &[
    ("enum", ENUM),
    ("class", CLASS),
    ("record", STRUCT),
    ("interface", INTERFACE),
    ("import", Role::Import),
    ("package", Role::Control),
    ("case", Role::Control),
    ("default", Role::Control),
    ("delete", Role::Control),
    ("new", Role::Control),
];

const KOTLIN: Keywords = &[
    ("fun", FUNCTION),
    ("constructor", CONSTRUCTOR),
    ("enum", ENUM),
    ("class", CLASS),
    ("interface", INTERFACE),
    ("object", Role::Type(SymbolKind::Object)),
    ("val", VARIABLE),
    ("var", VARIABLE),
    ("typealias", Role::Alias),
    ("import", Role::Import),
    ("package", Role::Control),
];

const C: Keywords = &[
    ("struct", STRUCT),
    ("union", UNION),
    ("enum", ENUM),
    ("typedef", Role::Typedef),
    ("case", Role::Control),
    ("default", Role::Control),
    ("delete", Role::Control),
    ("new", Role::Control),
];

const CPP: Keywords = &[
    ("struct", STRUCT),
    ("union", UNION),
    ("enum", ENUM),
    ("class", CLASS),
    ("namespace", Role::Namespace),
    ("using", Role::Import),
    ("use", Role::Import),
    ("typedef", Role::Typedef),
    ("case", Role::Control),
    ("default", Role::Control),
    ("delete", Role::Control),
    ("new", Role::Control),
];

const CSHARP: Keywords = &[
    ("struct", STRUCT),
    ("enum", ENUM),
    ("class", CLASS),
    ("record", STRUCT),
    ("interface", INTERFACE),
    ("namespace", Role::Namespace),
    ("using", Role::Import),
    ("use", Role::Import),
    ("case", Role::Control),
    ("default", Role::Control),
    ("delete", Role::Control),
    ("new", Role::Control),
];

const SWIFT: Keywords = &[
    ("func", FUNCTION),
    ("init", CONSTRUCTOR),
    ("deinit", CONSTRUCTOR),
    ("subscript", CONSTRUCTOR),
    ("struct", STRUCT),
    ("enum", ENUM),
    ("class", CLASS),
    ("actor", CLASS),
    ("protocol", INTERFACE),
    ("extension", IMPL),
    ("let", VARIABLE),
    ("var", VARIABLE),
    ("typealias", Role::Alias),
    ("associatedtype", Role::Alias),
    ("import", Role::Import),
    ("case", Role::Case),
];

const PHP: Keywords = &[
    ("function", FUNCTION),
    ("enum", ENUM),
    ("class", CLASS),
    ("interface", INTERFACE),
    ("trait", TRAIT),
    ("const", CONSTANT),
    ("namespace", Role::Namespace),
    ("use", Role::Import),
    ("using", Role::Import),
    ("require", Role::Import),
    ("require_once", Role::Import),
    ("include", Role::Import),
    ("include_once", Role::Import),
    ("case", Role::Case),
];

/// Returns the role of `word` in `language`, if it is a keyword there.
pub(super) fn role(language: Language, word: &str) -> Option<Role> {
    // Control words are shared by all languages, and no table of a language contains one of
    // them.
    if CONTROL.contains(&word) {
        return Some(Role::Control);
    }
    let keywords = match language {
        Language::Rust => RUST,
        Language::JavaScript => JAVASCRIPT,
        Language::TypeScript => TYPESCRIPT,
        Language::Go => GO,
        Language::Java => JAVA,
        Language::Kotlin => KOTLIN,
        Language::C => C,
        Language::Cpp => CPP,
        Language::CSharp => CSHARP,
        Language::Swift => SWIFT,
        Language::Php => PHP,
        Language::Python | Language::Ruby | Language::Shell | Language::Other => &[],
    };
    let entry = keywords.iter().find(|(keyword, _)| *keyword == word);
    entry.map(|(_, role)| *role)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_means_what_its_language_says() {
        for (language, word, expected) in [
            (Language::C, "class", None),
            (Language::Cpp, "class", Some(CLASS)),
            (Language::Go, "enum", None),
            (Language::Go, "if", Some(Role::Control)),
            (Language::Swift, "case", Some(Role::Case)),
            (Language::Java, "case", Some(Role::Control)),
            (Language::JavaScript, "type", None),
        ] {
            assert_eq!(role(language, word), expected, "{language:?} {word}");
        }
    }
}
