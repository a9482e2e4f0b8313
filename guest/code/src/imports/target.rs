//! An import, and the name in it.

use std::fmt;

use crate::source::Source;

/// An import: a reference to another file, or to a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportPath {
    /// 1-based line of the imported name.
    pub line: u32,
    /// Imported name.
    pub target: ImportedName,
    /// Method by which it was found: [`Source::Parsed`] or [`Source::Heuristic`].
    pub known_by: Source,
}

/// The name in an import, as far as the file alone determines it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportedName {
    /// `mod a;` of Rust.
    RustModule {
        /// Name, without `r#`.
        name: String,
        /// Enclosing modules of this file, outermost first.
        within: Vec<InlineModule>,
        /// Paths of its attributes, including those in `cfg_attr`.
        paths: Vec<String>,
        /// True if a path applies unconditionally, so that the name does not matter.
        is_placed: bool,
    },
    /// `use a::b::C;` of Rust, one for each leaf of its tree, and `extern crate a;`.
    RustUse {
        /// Names: the first is `crate`, `self`, `super`, a crate, or empty for `::a`. The start of
        /// a path that another `use` of the file binds is replaced by that one's path, and a
        /// declaration of the file is prefixed by `self`.
        path: Vec<String>,
        /// Enclosing modules of this file, outermost first.
        within: Vec<InlineModule>,
    },
    /// Specifier of `from`, `import()` and the like of JavaScript and TypeScript.
    Specifier(String),
    /// Specifier of `require()` of JavaScript and TypeScript, for which a package may have another
    /// file.
    Required(String),
    /// `import a.b` and `from ..a.b import c, d` of Python.
    Python {
        /// Number of leading dots.
        level: u32,
        /// Names between dots; empty for dots alone.
        module: Vec<String>,
        /// Names imported from the module; each may be a module itself. Empty for the module as a
        /// whole, and `*` for all of it.
        names: Vec<String>,
    },
    /// Path of an `import` of Go.
    GoPackage(String),
    /// Package of a Java or Kotlin file, which imports nothing by itself.
    JvmPackage(String),
    /// `import a.b.C;`, `import static a.b.C.d;` or `import a.b.*;` of Java or Kotlin.
    Jvm {
        /// Names, without the star.
        path: Vec<String>,
        /// True if a star follows: all members of the named item are imported.
        is_star: bool,
    },
    /// `#include` of C or C++.
    Include {
        /// Path between the quotes or angle brackets.
        path: String,
        /// True if it is in quotes.
        is_quoted: bool,
    },
    /// A file by its path relative to the directory of this one: `include_str!("a.txt")` of Rust,
    /// `/// <reference path="a.d.ts" />` of TypeScript.
    File(String),
}

/// A Rust module with its content in braces.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct InlineModule {
    /// Name.
    pub name: String,
    /// Directory of its attribute `path`.
    pub path: Option<String>,
}

impl ImportPath {
    /// Returns its approximate size in bytes.
    pub fn bytes(&self) -> usize {
        let of_all = |names: &[String]| -> usize {
            let bytes = names.iter().map(|name| size_of::<String>() + name.len());
            bytes.sum()
        };
        let of_modules = |modules: &[InlineModule]| -> usize {
            let bytes = modules.iter().map(|module| {
                let path = module.path.as_ref().map_or(0, String::len);
                size_of::<InlineModule>() + module.name.len() + path
            });
            bytes.sum()
        };
        let own = match &self.target {
            ImportedName::RustModule {
                name,
                within,
                paths,
                ..
            } => name.len() + of_modules(within) + of_all(paths),
            ImportedName::RustUse { path, within } => of_all(path) + of_modules(within),
            ImportedName::Python { module, names, .. } => of_all(module) + of_all(names),
            ImportedName::Jvm { path, .. } => of_all(path),
            ImportedName::Specifier(text)
            | ImportedName::Required(text)
            | ImportedName::GoPackage(text)
            | ImportedName::JvmPackage(text)
            | ImportedName::Include { path: text, .. }
            | ImportedName::File(text) => text.len(),
        };
        size_of::<Self>() + own
    }
}

/// Formats in short source notation.
impl fmt::Display for ImportedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RustModule { name, .. } => write!(f, "mod {name}"),
            Self::RustUse { path, .. } => f.write_str(&path.join("::")),
            Self::Python {
                level,
                module,
                names,
            } => {
                let dots = ".".repeat(*level as usize);
                let module = module.join(".");
                match &names[..] {
                    [] => write!(f, "import {dots}{module}"),
                    names => write!(f, "from {dots}{module} import {}", names.join(", ")),
                }
            }
            Self::Jvm { path, is_star } => {
                let star = if *is_star { ".*" } else { "" };
                write!(f, "{}{star}", path.join("."))
            }
            Self::Specifier(text)
            | Self::Required(text)
            | Self::GoPackage(text)
            | Self::JvmPackage(text)
            | Self::Include { path: text, .. }
            | Self::File(text) => f.write_str(text),
        }
    }
}
