//! Paths in a tree: names separated by `/`, the root as an empty text.

use crate::destination::join;

/// Returns the parent directory of `path`.
pub(super) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// Returns the last name of `path`.
pub(super) fn name_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Returns the last name of `path` up to its last dot.
pub(super) fn stem_of(path: &str) -> &str {
    let name = name_of(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Resolves `path` relative to `directory`, or returns `None` if it leaves the tree.
pub(super) fn at(directory: &str, path: &str) -> Option<String> {
    if path.starts_with('/') {
        return None;
    }
    // `join` expects a document, of which only the directory matters.
    let document = child(directory, "_");
    join(&document, path)
}

/// Returns the path of `name` in `directory`.
pub(super) fn child(directory: &str, name: &str) -> String {
    if directory.is_empty() {
        name.to_owned()
    } else {
        format!("{directory}/{name}")
    }
}

/// Returns `directory` and its ancestors, the root last.
pub(super) fn upwards(directory: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(directory), |path| {
        (!path.is_empty()).then_some(parent(path))
    })
}

/// Returns `path` relative to `directory`, or `None` if it is not in it.
pub(super) fn below<'p>(path: &'p str, directory: &str) -> Option<&'p str> {
    if directory.is_empty() {
        return Some(path);
    }
    let rest = path.strip_prefix(directory)?;
    if rest.is_empty() {
        Some(rest)
    } else {
        rest.strip_prefix('/')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_a_tree() {
        assert_eq!(at("a/b", "../c").as_deref(), Some("a/c"));
        assert_eq!(at("", "./c/.").as_deref(), Some("c"));
        assert_eq!(at("a", "..").as_deref(), Some(""));
        assert_eq!(at("a", "../../c"), None);
        assert_eq!(at("", "../c"), None);
        assert_eq!(at("a", "/c"), None);
        assert_eq!(upwards("a/b").collect::<Vec<_>>(), ["a/b", "a", ""]);
        assert_eq!(below("a/b", "a"), Some("b"));
        assert_eq!(below("ab", "a"), None);
        assert_eq!(
            (stem_of("a/b.c.d"), child("", "a")),
            ("b.c", "a".to_owned())
        );
    }
}
