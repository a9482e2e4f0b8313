//! The elements of an outline.

/// A range of lines, 1-based and inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lines {
    /// First line.
    pub first: u32,
    /// Last line, not before the first.
    pub last: u32,
}

impl Lines {
    /// Returns true if `line` is in the range.
    pub fn contains(self, line: u32) -> bool {
        self.first <= line && line <= self.last
    }
}

/// The kind of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// A function outside of types.
    Function,
    /// A function of a type or an object.
    Method,
    /// A function that creates a value of a type.
    Constructor,
    /// A class.
    Class,
    /// A struct or record.
    Struct,
    /// An enumeration.
    Enum,
    /// A union of C or Rust.
    Union,
    /// A trait.
    Trait,
    /// An interface or protocol.
    Interface,
    /// An alias or another name of a type.
    Type,
    /// A constant.
    Constant,
    /// A variable.
    Variable,
    /// A field or property of a type.
    Field,
    /// A variant of an enumeration.
    Variant,
    /// A module, namespace or package.
    Module,
    /// A macro.
    Macro,
    /// An implementation or extension of a type that is defined elsewhere.
    Impl,
    /// A singleton object with its own class.
    Object,
    /// A block of text of unknown meaning.
    Block,
}

impl SymbolKind {
    /// Returns the name of the kind in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Method => "method",
            Self::Constructor => "constructor",
            Self::Class => "class",
            Self::Struct => "struct",
            Self::Enum => "enum",
            Self::Union => "union",
            Self::Trait => "trait",
            Self::Interface => "interface",
            Self::Type => "type",
            Self::Constant => "constant",
            Self::Variable => "variable",
            Self::Field => "field",
            Self::Variant => "variant",
            Self::Module => "module",
            Self::Macro => "macro",
            Self::Impl => "impl",
            Self::Object => "object",
            Self::Block => "block",
        }
    }
}

/// A definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Kind.
    pub kind: SymbolKind,
    /// Name, qualified if the definition is (`Parser::next`); for an `impl` its type; for a block
    /// its first line.
    pub name: String,
    /// Decorators, annotations or attributes before it, on one line, at most three of at most 40
    /// characters each; empty in languages without them, and in Rust, whose attributes are for the
    /// compiler.
    pub decorators: String,
    /// Declaration on one line, without body, comments, attributes and decorators. At most 600
    /// characters.
    pub signature: String,
    /// Text of the comment before it or of its docstring, in lines, without markers; may be empty.
    pub doc: String,
    /// Lines from its comments, attributes and decorators to the end of its body, within those of
    /// its parent.
    pub lines: Lines,
    /// True if it is private, by the rule or convention of the language.
    pub is_private: bool,
    /// Definitions within it, in the order of the text; empty for functions.
    pub children: Vec<Symbol>,
}

/// An import declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// Text as written, on one line, at most 200 characters.
    pub text: String,
    /// Imported module: `std::fs`, `./a`, `os.path`.
    pub module: String,
    /// Lines of the declaration.
    pub lines: Lines,
}
