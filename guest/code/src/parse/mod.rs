//! Outlines by parsers.

mod ecmascript;
mod python;
mod rust;

use crate::code::Code;
use crate::imports::ImportPath;
use crate::language::Language;
use crate::scan::Declarations;
use crate::weight::is_parsable;

/// Returns what a parser finds in `code`; none where there is no parser for its language, the text
/// nests too deep, or nothing can be made of it.
pub(crate) fn parse(code: &Code<'_>) -> Option<Declarations> {
    match code.language {
        // It asks for itself, behind a step that leaves out what nests most.
        Language::Rust => rust::parse(code),
        Language::JavaScript | Language::TypeScript if is_parsable(code) => ecmascript::parse(code),
        Language::Python if is_parsable(code) => python::parse(code),
        _ => None,
    }
}

/// Returns what a file of JavaScript or TypeScript imports; none where no parser takes it.
pub(crate) fn ecmascript_imports(code: &Code<'_>) -> Option<Vec<ImportPath>> {
    is_parsable(code)
        .then(|| ecmascript::imports(code))
        .flatten()
}

/// Returns what a file of Python imports; none where no parser takes it.
pub(crate) fn python_imports(code: &Code<'_>) -> Option<Vec<ImportPath>> {
    is_parsable(code).then(|| python::imports(code))
}
