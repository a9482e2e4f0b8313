//! Imports of a file as data to be resolved, not as text to be shown.

mod collected;
pub(crate) mod ecmascript;
pub(crate) mod python;
mod rust;
mod scanned;
pub(crate) mod target;

pub use target::{ImportPath, ImportedName, InlineModule};

use crate::code::Code;
use crate::language::Language;
use crate::limits::IMPORT_PATHS;
use crate::parse;

/// Returns the imports of `text`, read as `language`, in the order of its lines; empty for
/// languages without rules here, and those of the scripts for components of Vue and Svelte.
///
/// Comments and strings contain no imports. At most 10 000 are returned, none with a name of more
/// than 1 000 bytes.
pub fn imports(language: Language, text: &str) -> Vec<ImportPath> {
    collect_imports(&Code::new(language, text), None)
}

/// Returns the imports of `code`, given those that a parser may have found.
pub(crate) fn collect_imports(code: &Code<'_>, parsed: Option<Vec<ImportPath>>) -> Vec<ImportPath> {
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
            collect_imports(&Code::new(Language::TypeScript, &scripts), None)
        }),
        _ => Vec::new(),
    };
    found.truncate(IMPORT_PATHS);
    found.sort_by_key(|import| import.line);
    found
}
