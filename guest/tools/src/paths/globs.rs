//! Recognition of globs among the paths of a request.

/// Returns true if a path is surely a glob, such as `docs/**/*.md`: file names rarely contain `*`
/// or `?`.
pub fn is_glob(path: &str) -> bool {
    path.contains(['*', '?'])
}

/// Returns true if a path may be a glob unless a file has this name, such as `pages/[id].tsx`,
/// which is the name of a page in some frameworks and a glob elsewhere.
pub fn may_be_glob(path: &str) -> bool {
    path.contains(['*', '?', '[', '{'])
}
