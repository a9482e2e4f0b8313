//! What a file asks of other files: imports as data to be resolved, not as text to be shown.

mod ecmascript;
mod python;
mod rust;
mod scanned;

pub(crate) use ecmascript::of_module;
pub(crate) use python::of_statements;

use std::fmt;

use crate::code::Code;
use crate::language::Language;
use crate::limits::{IMPORT_PATH_BYTES, IMPORT_PATHS};
use crate::position::ByteOffset;
use crate::{Source, parse};

/// A declaration that a file uses another one, or a package of others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportPath {
    /// The 1-based line in which the name of what is imported stands.
    pub line: u32,
    /// What it names.
    pub target: Target,
    /// How it was found: [`Source::Parsed`] or [`Source::Heuristic`].
    pub known_by: Source,
}

/// What an import names, as far as its file alone tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// `mod a;` of Rust.
    RustModule {
        /// Its name, without `r#`.
        name: String,
        /// The modules of this file that it stands in, the outermost first.
        within: Vec<InlineModule>,
        /// The paths of its attributes, those in `cfg_attr` included.
        paths: Vec<String>,
        /// Whether there is a path that holds without condition, so that the name says nothing.
        is_placed: bool,
    },
    /// `use a::b::C;` of Rust, one for each name of its tree, and `extern crate a;`.
    RustUse {
        /// Its names: the first is `crate`, `self`, `super`, a crate, or empty for `::a`. What is
        /// named by another `use` of the file begins as that does, and what the file declares with
        /// `self`.
        path: Vec<String>,
        /// The modules of this file that it stands in, the outermost first.
        within: Vec<InlineModule>,
    },
    /// What `from`, `import()` and the like of JavaScript and TypeScript name.
    Specifier(String),
    /// What `require()` of JavaScript and TypeScript names, for which a package may have another
    /// file.
    Required(String),
    /// `import a.b` and `from ..a.b import c, d` of Python.
    Python {
        /// How many dots it begins with.
        level: u32,
        /// The names between dots; empty for dots alone.
        module: Vec<String>,
        /// The names that are taken from the module; each may be a module itself. Empty for the
        /// module as a whole, and `*` for all of it.
        names: Vec<String>,
    },
    /// What `import` of Go names.
    GoPackage(String),
    /// The package that a file of Java or Kotlin belongs to, which imports nothing by itself.
    JvmPackage(String),
    /// `import a.b.C;`, `import static a.b.C.d;` or `import a.b.*;` of Java or Kotlin.
    Jvm {
        /// Its names, without the star.
        path: Vec<String>,
        /// Whether a star follows: what is named has members, and all are imported.
        is_star: bool,
    },
    /// `#include` of C or C++.
    Include {
        /// The path between the quotes or angles.
        path: String,
        /// Whether it is in quotes.
        is_quoted: bool,
    },
    /// A file by its path from the directory of this one: `include_str!("a.txt")` of Rust,
    /// `/// <reference path="a.d.ts" />` of TypeScript.
    File(String),
}

/// A module of Rust whose content stands in braces.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct InlineModule {
    /// Its name.
    pub name: String,
    /// The directory that its attribute `path` names.
    pub path: Option<String>,
}

impl ImportPath {
    /// Returns about how many bytes of memory it takes.
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
            Target::RustModule {
                name,
                within,
                paths,
                ..
            } => name.len() + of_modules(within) + of_all(paths),
            Target::RustUse { path, within } => of_all(path) + of_modules(within),
            Target::Python { module, names, .. } => of_all(module) + of_all(names),
            Target::Jvm { path, .. } => of_all(path),
            Target::Specifier(text)
            | Target::Required(text)
            | Target::GoPackage(text)
            | Target::JvmPackage(text)
            | Target::Include { path: text, .. }
            | Target::File(text) => text.len(),
        };
        size_of::<Self>() + own
    }
}

/// As code writes it, in short.
impl fmt::Display for Target {
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

/// Returns what `text`, read as `language`, imports, in the order of its lines; of languages
/// without rules here nothing, of components of Vue and Svelte what their scripts import.
///
/// What stands in comments and strings is no import. At most 10 000 are taken, none of a name of
/// more than 1 000 bytes.
pub fn imports(language: Language, text: &str) -> Vec<ImportPath> {
    of_code(&Code::new(language, text), None)
}

/// Returns the imports of `code`, of which a parser may have found these.
pub(crate) fn of_code(code: &Code<'_>, parsed: Option<Vec<ImportPath>>) -> Vec<ImportPath> {
    let mut found = match code.language {
        Language::Rust => rust::imports(code),
        Language::JavaScript | Language::TypeScript => parsed
            .or_else(|| parse::ecmascript_imports(code))
            .unwrap_or_else(|| ecmascript::scan(code)),
        Language::Python => parsed
            .or_else(|| parse::python_imports(code))
            .unwrap_or_default(),
        Language::Go => scanned::go(code),
        Language::Java | Language::Kotlin => scanned::jvm(code),
        Language::C | Language::Cpp => scanned::c(code),
        Language::Other => ecmascript::scripts(code.text).map_or(Vec::new(), |scripts| {
            of_code(&Code::new(Language::TypeScript, &scripts), None)
        }),
        _ => Vec::new(),
    };
    found.truncate(IMPORT_PATHS);
    found.sort_by_key(|import| import.line);
    found
}

/// Imports on their way into a list, within the limits.
struct Collected<'a> {
    code: &'a Code<'a>,
    known_by: Source,
    found: Vec<ImportPath>,
}

impl<'a> Collected<'a> {
    fn new(code: &'a Code<'a>, known_by: Source) -> Self {
        Self {
            code,
            known_by,
            found: Vec::new(),
        }
    }

    fn is_full(&self) -> bool {
        self.found.len() >= IMPORT_PATHS
    }

    /// Adds what is named at `offset`.
    fn push(&mut self, offset: ByteOffset, target: Target) {
        if !self.is_full() {
            self.found.push(ImportPath {
                line: self.code.line_index.line(offset),
                target,
                known_by: self.known_by,
            });
        }
    }

    /// Adds a target that is one name, unless it is too long for one.
    fn push_name(&mut self, offset: ByteOffset, name: &str, target: fn(String) -> Target) {
        if !name.is_empty() && name.len() <= IMPORT_PATH_BYTES {
            self.push(offset, target(name.to_owned()));
        }
    }
}

/// Returns what stands between the quotes of a plain string of one line; none of one with escapes,
/// whose value is another, and of pieces with expressions between them.
fn plain_string(literal: &str) -> Option<&str> {
    let quote = literal.chars().next().filter(|c| "\"'`".contains(*c))?;
    let inner = literal.strip_prefix(quote)?.strip_suffix(quote)?;
    (!inner.contains(['\\', '\n', '\r'])).then_some(inner)
}
