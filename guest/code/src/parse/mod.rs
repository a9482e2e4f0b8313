//! Outlines by parsers.

mod ecmascript;
mod python;
mod rust;

use crate::code::Code;
use crate::declarations::Declarations;
use crate::imports::target::ImportPath;
use crate::language::Language;
use crate::weight::is_parsable;

/// Parses `code`, or returns `None` if there is no parser for its language, the text is nested too
/// deep, or the parser fails.
pub(crate) fn parse(code: &Code<'_>) -> Option<Declarations> {
    match code.language {
        // The reader of Rust removes the bodies of functions before it checks the nesting.
        Language::Rust => rust::parse(code),
        Language::JavaScript | Language::TypeScript if is_parsable(code) => ecmascript::parse(code),
        Language::Python if is_parsable(code) => python::parse(code),
        _ => None,
    }
}

/// Returns the imports of a JavaScript or TypeScript file, or `None` if no parser accepts it.
pub(crate) fn ecmascript_imports(code: &Code<'_>) -> Option<Vec<ImportPath>> {
    is_parsable(code)
        .then(|| ecmascript::imports(code))
        .flatten()
}

/// Returns the imports of a Python file, or `None` if no parser accepts it.
pub(crate) fn python_imports(code: &Code<'_>) -> Option<Vec<ImportPath>> {
    is_parsable(code).then(|| python::imports(code))
}
