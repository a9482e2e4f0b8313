//! The parts of Sphinx that reStructuredText and MyST share: roles, directives that name a file,
//! and the entries of a `toctree`.

use std::ops::Range;

use crate::link::{Found, LinkKind};

/// Roles that name a document, a label or a file.
const ROLES: [(&str, LinkKind); 5] = [
    ("doc", LinkKind::Document),
    ("ref", LinkKind::Label),
    ("numref", LinkKind::Label),
    ("any", LinkKind::Any),
    ("download", LinkKind::Download),
];

/// Directives that name a file, and the kinds of their links.
const FILES: [(&str, LinkKind); 4] = [
    ("include", LinkKind::Included),
    ("literalinclude", LinkKind::Included),
    ("image", LinkKind::Shown),
    ("figure", LinkKind::Shown),
];

/// Directives besides those of code that generate no anchors except by `:name:`. Those of other
/// directives are unknown.
const PLAIN: [&str; 40] = [
    "image",
    "figure",
    "literalinclude",
    "toctree",
    "note",
    "warning",
    "tip",
    "hint",
    "important",
    "caution",
    "danger",
    "attention",
    "error",
    "admonition",
    "seealso",
    "versionadded",
    "versionchanged",
    "deprecated",
    "versionremoved",
    "highlight",
    "contents",
    "sectnum",
    "table",
    "csv-table",
    "list-table",
    "topic",
    "sidebar",
    "rubric",
    "centered",
    "epigraph",
    "compound",
    "container",
    "only",
    "index",
    "meta",
    "class",
    "role",
    "replace",
    "tabularcolumns",
    "hlist",
];

/// Returns the kind of link of a role with this name; `std:ref` is `ref`.
pub fn role(name: &str) -> Option<LinkKind> {
    let name = name.strip_prefix("std:").unwrap_or(name);
    let found = ROLES.iter().find(|(own, _)| *own == name);
    found.map(|(_, kind)| *kind)
}

/// Returns the role whose name ends `before`, after a colon.
pub fn role_behind_colon(before: &str) -> Option<LinkKind> {
    let name = before.strip_suffix(':')?;
    // `:std:ref:` is `:ref:`, `:xref:` is not.
    let is_it = |own: &str| {
        name.strip_suffix(own)
            .is_some_and(|rest| rest.ends_with(':'))
    };
    let found = ROLES.iter().find(|(own, _)| is_it(own));
    found.map(|(_, kind)| *kind)
}

/// Returns the range of the name in `Title <name>`, or `None` if there is no title.
pub fn title_target(inside: &str) -> Option<Range<usize>> {
    let named = inside.strip_suffix('>')?;
    named.rfind('<').map(|open| open + 1..named.len())
}

/// Returns the kind of link that a directive makes of the file in its argument, or `None` if no
/// certain file is named: `<isonum.txt>` is part of Docutils, and `a.*` is one of several.
pub fn file(name: &str, argument: &str) -> Option<LinkKind> {
    let (_, kind) = FILES.iter().find(|(own, _)| *own == name)?;
    let is_certain = !argument.is_empty() && !argument.starts_with('<') && !argument.contains('*');
    is_certain.then_some(*kind)
}

/// Returns true if the argument of a directive names a file.
pub fn takes_file(name: &str) -> bool {
    FILES.iter().any(|(own, _)| *own == name)
}

/// Returns true if a directive other than code generates no anchors except by `:name:`.
pub fn is_plain(name: &str) -> bool {
    PLAIN.contains(&name)
}

/// Returns the link of a line in a `toctree`, which contains patterns if `is_glob`. `None` for an
/// option or an entry that is not a document.
pub fn toc_entry(line: &str, at: usize, is_glob: bool) -> Option<Found> {
    let is_pattern = line.contains(['*', '?']) || is_glob && line.contains('[');
    if line.starts_with(':') || line == "self" || is_pattern && !is_glob {
        return None;
    }
    let range = match (line.rfind('<'), line.strip_suffix('>')) {
        (Some(open), Some(inside)) => open + 1..inside.len(),
        _ => 0..line.len(),
    };
    let kind = match is_pattern {
        true => LinkKind::Glob,
        false => LinkKind::Document,
    };
    Some(Found {
        kind,
        span: at..at + line.len(),
        target: line[range.clone()].to_owned(),
        destination: Some(at + range.start..at + range.end),
    })
}
