//! What words mean in the languages with braces.

use crate::SymbolKind;
use crate::language::Language;

/// What a keyword begins.
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
    /// Variants of the enumeration round it.
    Case,
    /// C's `typedef`.
    Typedef,
    /// A statement that defines nothing.
    Control,
}

/// Returns what `word` begins in `language`, if it is a keyword there.
pub(super) fn role(language: Language, word: &str) -> Option<Role> {
    use Language as L;
    use Role as R;
    use SymbolKind as K;
    let role = match (language, word) {
        (
            _,
            "if" | "elseif" | "for" | "while" | "switch" | "return" | "catch" | "else" | "do"
            | "try" | "throw" | "finally" | "foreach" | "goto" | "defer" | "guard" | "break"
            | "continue",
        ) => R::Control,
        (L::Go | L::Swift, "func") | (L::Kotlin, "fun") | (L::Rust, "fn") => R::Function,
        (L::Php | L::JavaScript | L::TypeScript, "function") => R::Function,
        (L::Swift, "init" | "deinit" | "subscript") | (L::Kotlin, "constructor") => R::Constructor,
        (L::Go, "type") => R::Type(K::Type),
        (L::Rust | L::Swift | L::C | L::Cpp | L::CSharp, "struct") => R::Type(K::Struct),
        (L::Rust | L::C | L::Cpp, "union") => R::Type(K::Union),
        (L::Go, _) if !matches!(word, "const" | "var" | "import") => return None,
        (_, "enum") => R::Type(K::Enum),
        (L::Rust, "class") | (L::C, "class") => return None,
        (_, "class") => R::Type(K::Class),
        (L::Swift, "actor") => R::Type(K::Class),
        (L::Java | L::CSharp, "record") => R::Type(K::Struct),
        (L::Swift, "protocol") => R::Type(K::Interface),
        (L::Java | L::Kotlin | L::CSharp | L::Php | L::TypeScript, "interface") => {
            R::Type(K::Interface)
        }
        (L::Rust | L::Php, "trait") => R::Type(K::Trait),
        (L::Swift, "extension") | (L::Rust, "impl") => R::Type(K::Impl),
        (L::Kotlin, "object") => R::Type(K::Object),
        (L::Rust, "macro_rules") => R::Type(K::Macro),
        (L::Kotlin, "val" | "var") | (L::Swift, "let" | "var") => R::Value(K::Variable),
        (L::Go | L::JavaScript | L::TypeScript, "var") => R::Value(K::Variable),
        (L::JavaScript | L::TypeScript, "let") | (L::Rust, "static") => R::Value(K::Variable),
        (L::Go | L::JavaScript | L::TypeScript | L::Php | L::Rust, "const") => {
            R::Value(K::Constant)
        }
        (L::Kotlin | L::Swift, "typealias") | (L::Swift, "associatedtype") => R::Alias,
        (L::TypeScript | L::Rust, "type") => R::Alias,
        (L::Cpp | L::CSharp | L::Php | L::TypeScript, "namespace") | (L::Rust, "mod") => {
            R::Namespace
        }
        (L::Go | L::Java | L::Kotlin | L::Swift | L::JavaScript | L::TypeScript, "import") => {
            R::Import
        }
        (L::CSharp | L::Php | L::Cpp, "using" | "use") | (L::Rust, "use") => R::Import,
        (L::Php, "require" | "require_once" | "include" | "include_once") => R::Import,
        (L::Swift | L::Php, "case") => R::Case,
        (L::C | L::Cpp, "typedef") => R::Typedef,
        (L::Java | L::Kotlin, "package") => R::Control,
        (L::C | L::Cpp | L::Java | L::CSharp, "case" | "default" | "delete" | "new") => R::Control,
        _ => return None,
    };
    Some(role)
}

/// Whether `word` may stand before a declaration in `language`.
pub(super) fn is_modifier(language: Language, word: &str) -> bool {
    use Language as L;
    match language {
        L::Java => matches!(
            word,
            "public"
                | "private"
                | "protected"
                | "static"
                | "final"
                | "abstract"
                | "native"
                | "synchronized"
                | "transient"
                | "volatile"
                | "strictfp"
                | "default"
                | "sealed"
        ),
        L::CSharp => matches!(
            word,
            "public"
                | "private"
                | "protected"
                | "internal"
                | "static"
                | "sealed"
                | "abstract"
                | "virtual"
                | "override"
                | "async"
                | "partial"
                | "readonly"
                | "extern"
                | "unsafe"
                | "new"
                | "volatile"
                | "ref"
                | "const"
                | "event"
                | "required"
                | "file"
                | "global"
                | "explicit"
                | "implicit"
        ),
        L::Kotlin => matches!(
            word,
            "public"
                | "private"
                | "protected"
                | "internal"
                | "open"
                | "abstract"
                | "final"
                | "override"
                | "suspend"
                | "inline"
                | "noinline"
                | "crossinline"
                | "infix"
                | "operator"
                | "tailrec"
                | "external"
                | "data"
                | "sealed"
                | "annotation"
                | "inner"
                | "companion"
                | "const"
                | "lateinit"
                | "expect"
                | "actual"
                | "value"
                | "enum"
        ),
        L::Swift => matches!(
            word,
            "public"
                | "private"
                | "fileprivate"
                | "internal"
                | "open"
                | "package"
                | "static"
                | "final"
                | "override"
                | "mutating"
                | "nonmutating"
                | "lazy"
                | "weak"
                | "unowned"
                | "convenience"
                | "required"
                | "optional"
                | "dynamic"
                | "indirect"
                | "async"
                | "nonisolated"
                | "isolated"
                | "prefix"
                | "postfix"
                | "infix"
                | "distributed"
                | "borrowing"
                | "consuming"
        ),
        L::Php => matches!(
            word,
            "public"
                | "private"
                | "protected"
                | "static"
                | "final"
                | "abstract"
                | "readonly"
                | "var"
        ),
        L::C | L::Cpp => matches!(
            word,
            "static"
                | "inline"
                | "extern"
                | "const"
                | "constexpr"
                | "consteval"
                | "constinit"
                | "virtual"
                | "explicit"
                | "friend"
                | "mutable"
                | "volatile"
                | "register"
                | "thread_local"
                | "_Noreturn"
                | "__inline"
                | "export"
        ),
        L::Rust => matches!(
            word,
            "pub" | "unsafe" | "async" | "extern" | "default" | "auto"
        ),
        L::JavaScript | L::TypeScript => matches!(
            word,
            "export"
                | "default"
                | "declare"
                | "abstract"
                | "async"
                | "public"
                | "private"
                | "protected"
                | "static"
                | "readonly"
                | "override"
        ),
        _ => false,
    }
}

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

/// Whether a word with brackets behind it says something about a declaration, and is not its name.
pub(super) fn is_attribute_word(word: &str) -> bool {
    matches!(
        word,
        "__attribute__"
            | "__declspec"
            | "alignas"
            | "_Alignas"
            | "decltype"
            | "noexcept"
            | "throw"
            | "requires"
            | "explicit"
            | "typeof"
            | "__typeof__"
            | "sizeof"
            | "asm"
            | "__asm__"
    )
}
