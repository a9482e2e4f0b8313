//! Names of roots, derived from preopened directories:
//!
//! ```text
//! /docs                   docs
//! /srv/team/notes/        notes
//! C:\Users\me\Notes       Notes
//! /other/notes            notes-2
//! .                       root
//! /.docent-state/docs     the state directory of `docs`, not a root
//! ```

/// A preopened directory that has no name yet.
#[derive(Clone, Debug)]
pub struct Preopen {
    /// Guest path given by the host. Any string: `/docs`, `.`, or an absolute path of the host.
    pub guest_path: String,
}

/// First segment of the guest paths of state directories: `/.docent-state/NAME` belongs to the root
/// `NAME`. Directories preopened there are not roots.
pub const STATE: &str = ".docent-state";

/// Returns the name of the root whose state directory is preopened at this guest path, or `None` if
/// it is not a state directory.
#[must_use]
pub fn state_of(guest_path: &str) -> Option<String> {
    let mut segments = segments(guest_path);
    let name = segments.pop()?;
    (segments == [STATE]).then_some(name)
}

/// Returns the indexes of the preopens that become roots, each with its name, in the given order.
///
/// A root is named by the last segment of its guest path; a name that is taken gets `-2`, `-3`, …
/// State directories are not roots. A preopen whose guest path equals that of another or lies
/// beneath it is left out, since its files can be reached through the other one; so is one that
/// `same_object` identifies with an earlier one.
#[must_use]
pub fn name_roots(
    preopens: &[Preopen],
    mut same_object: impl FnMut(usize, usize) -> bool,
) -> Vec<(usize, String)> {
    let paths: Vec<Vec<String>> = preopens.iter().map(|p| segments(&p.guest_path)).collect();
    let mut roots: Vec<(usize, String)> = Vec::new();
    for (index, path) in paths.iter().enumerate() {
        if path.first().is_some_and(|first| first == STATE) {
            continue;
        }
        // Each path is compared with all others, not only with the earlier ones: the outer
        // directory may be granted later, as in `/docs/sub`, `/docs`. Segments are compared,
        // because `/docs-old` is not beneath `/docs`.
        let covered = paths.iter().enumerate().any(|(other, outer)| {
            let beneath = path.len() > outer.len() && path.starts_with(outer);
            let repeated = other < index && path == outer;
            beneath || repeated
        });
        // One directory may be granted under two paths, `/a` and `/b`, which only the host can
        // tell; its files would be found twice. The host is asked last, so that a path that is
        // covered anyway costs no call.
        if covered || roots.iter().any(|(other, _)| same_object(*other, index)) {
            continue;
        }
        let stem = path.last().map_or("root", String::as_str);
        let mut name = stem.to_owned();
        let mut number = 2;
        while roots.iter().any(|(_, taken)| *taken == name) {
            name = format!("{stem}-{number}");
            number += 1;
        }
        roots.push((index, name));
    }
    roots
}

/// Returns a guest path by which requests may name a root, or `None` if it is relative or `/`.
#[must_use]
pub fn absolute(guest_path: &str) -> Option<String> {
    let is_absolute = guest_path.starts_with('/') && !segments(guest_path).is_empty();
    is_absolute.then(|| guest_path.to_owned())
}

/// Splits a guest path at `/` and `\`, without empty and `.` segments.
fn segments(path: &str) -> Vec<String> {
    path.split(['/', '\\'])
        .filter(|segment| !segment.is_empty() && *segment != ".")
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Preopen, absolute, name_roots, state_of};

    fn names(paths: &[&str]) -> Vec<(usize, String)> {
        let preopens: Vec<Preopen> = paths
            .iter()
            .map(|path| Preopen {
                guest_path: (*path).to_owned(),
            })
            .collect();
        name_roots(&preopens, |_, _| false)
    }

    fn named(index: usize, name: &str) -> (usize, String) {
        (index, name.to_owned())
    }

    #[test]
    fn the_last_segment_names_a_root() {
        assert_eq!(names(&["/docs"]), [named(0, "docs")]);
        assert_eq!(names(&["/srv/team/notes/"]), [named(0, "notes")]);
        assert_eq!(names(&["C:\\Users\\me\\Notes"]), [named(0, "Notes")]);
        assert_eq!(names(&["."]), [named(0, "root")]);
        assert_eq!(names(&["/"]), [named(0, "root")]);
    }

    #[test]
    fn an_absolute_guest_path_names_a_root() {
        for path in ["/docs", "/srv/team/notes/"] {
            assert_eq!(absolute(path).as_deref(), Some(path));
        }
        for path in ["/", "/./", ".", "docs", ""] {
            assert_eq!(absolute(path), None, "{path}");
        }
    }

    #[test]
    fn names_are_made_unique() {
        assert_eq!(
            names(&["/a/notes", "/b/notes", "/c/notes"]),
            [named(0, "notes"), named(1, "notes-2"), named(2, "notes-3")]
        );
        assert_eq!(
            names(&["/x/n-2", "/a/n", "/b/n"]),
            [named(0, "n-2"), named(1, "n"), named(2, "n-3")]
        );
    }

    #[test]
    fn overlapping_preopens_are_listed_once() {
        assert_eq!(names(&["/docs", "/docs/sub"]), [named(0, "docs")]);
        assert_eq!(names(&["/docs/sub", "/docs"]), [named(1, "docs")]);
        assert_eq!(names(&["/docs", "/docs/"]), [named(0, "docs")]);
        assert_eq!(
            names(&["/docs", "/docs-old"]),
            [named(0, "docs"), named(1, "docs-old")]
        );
        assert_eq!(names(&["/", "/docs"]), [named(0, "root")]);
    }

    #[test]
    fn state_directories_are_no_roots() {
        let paths = ["/docs", "/.docent-state/docs", "/.docent-state"];
        assert_eq!(names(&paths), [named(0, "docs")]);
        let states = paths.map(state_of);
        assert_eq!(states, [None, Some("docs".to_owned()), None]);
        assert_eq!(state_of("/.docent-state/docs/x"), None);
        assert_eq!(state_of("/x/.docent-state"), None);
        // A root that contains the whole guest does not hide the state directory.
        assert_eq!(names(&["/", "/.docent-state/root"]), [named(0, "root")]);
    }

    #[test]
    fn the_same_directory_under_two_names_is_one_root() {
        let preopens = ["/a", "/b"].map(|path| Preopen {
            guest_path: path.to_owned(),
        });
        assert_eq!(name_roots(&preopens, |_, _| true), [named(0, "a")]);
    }
}
