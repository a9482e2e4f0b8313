//! What an outline consists of.

/// A range of lines, 1-based, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lines {
    /// The first line.
    pub first: u32,
    /// The last line, at least the first.
    pub last: u32,
}

impl Lines {
    /// Whether `line` is one of these.
    pub fn contains(self, line: u32) -> bool {
        self.first <= line && line <= self.last
    }
}

/// What a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// A function that belongs to no type.
    Function,
    /// A function of a type or an object.
    Method,
    /// What makes a value of a type.
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
    /// A single object that is its own class.
    Object,
    /// A block of text whose meaning is not known.
    Block,
}

impl SymbolKind {
    /// Returns the kind's name in lower case.
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
    /// What it is.
    pub kind: SymbolKind,
    /// Its name, qualified where the definition is (`Parser::next`); of an `impl` its type; of a
    /// block its first line.
    pub name: String,
    /// The decorators, annotations or attributes before it, on one line, each cut to 40 characters
    /// and at most three of them; empty in languages that have none, and in Rust, whose attributes
    /// are for the compiler.
    pub decorators: String,
    /// How it is declared, on one line: without body, comments, attributes and decorators. At most
    /// 600 characters.
    pub signature: String,
    /// What the comment before it or the string within it says, in lines, without markers; may be
    /// empty.
    pub doc: String,
    /// From its comments, attributes and decorators to the end of its body. They lie within its
    /// parent's.
    pub lines: Lines,
    /// Whether it is not meant for others, by the language's own rule or custom.
    pub is_private: bool,
    /// What is defined within, in the order of the text; nothing within functions.
    pub children: Vec<Symbol>,
}

/// A declaration of what a file uses of others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// As written, on one line, at most 200 characters.
    pub text: String,
    /// What is imported: `std::fs`, `./a`, `os.path`.
    pub module: String,
    /// Where it stands.
    pub lines: Lines,
}
