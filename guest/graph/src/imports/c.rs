//! Resolution of C and C++ includes: next to the file, in the usual directories of projects, and by
//! path suffix.

use docent_code::{Language, Source};

use super::paths::{at, child, parent, upwards};
use super::target::ImportTarget;
use crate::limits::IMPORT_CANDIDATES;
use crate::names::Names;

/// The files that can be included.
#[derive(Debug, Default)]
pub(super) struct Headers {
    /// Paths with their segments reversed, sorted, so that paths with the same suffix are adjacent.
    backwards: Vec<String>,
}

/// Extensions of included files that are not recognised as code.
const INCLUDED: [&str; 6] = ["inc", "def", "tcc", "tpp", "txx", "ixx"];

/// First segments of system headers, which libraries of the same name do not replace.
const OF_SYSTEMS: [&str; 8] = [
    "sys", "linux", "asm", "net", "netinet", "arpa", "bits", "mach",
];

impl Headers {
    pub(super) fn new(names: &Names) -> Self {
        let is_header = |path: &&str| {
            let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
            let language = Language::from_path(path);
            INCLUDED.contains(&extension) || matches!(language, Some(Language::C | Language::Cpp))
        };
        let mut backwards: Vec<String> = names
            .files()
            .filter(is_header)
            .map(reverse_segments)
            .collect();
        backwards.sort_unstable();
        Self { backwards }
    }

    /// Resolves an include of `path` in the file `from`.
    pub(super) fn resolve(
        &self,
        from: &str,
        path: &str,
        is_quoted: bool,
        names: &Names,
    ) -> (ImportTarget, Source) {
        let found = |path| (ImportTarget::Files(vec![path]), Source::Heuristic);
        if path.starts_with('/') {
            return (ImportTarget::External, Source::Heuristic);
        }
        let is_there = |path: &String| names.has_file(path);
        if is_quoted && let Some(path) = at(parent(from), path).filter(is_there) {
            return found(path);
        }
        let has_directory = path.contains('/');
        let around = upwards(parent(from)).find_map(|directory| {
            let include = at(&child(directory, "include"), path).filter(is_there);
            let source = || at(&child(directory, "src"), path).filter(is_there);
            let beside = || at(directory, path).filter(is_there);
            // The compiler's search paths are unknown, so the usual directories are tried, the
            // nearest first. `<string.h>` is not searched for in `src` or in plain directories:
            // a project may have a header of that name, such as `compat/string.h`, and mean that
            // of the system.
            let is_own = is_quoted || has_directory;
            include.or_else(|| is_own.then(|| source().or_else(beside))?)
        });
        if let Some(path) = around {
            return found(path);
        }
        let first = path.split('/').next().unwrap_or(path);
        let is_of_system = !is_quoted && (!has_directory || OF_SYSTEMS.contains(&first));
        let outside = if is_quoted {
            ImportTarget::Missing
        } else {
            ImportTarget::External
        };
        if is_of_system || path.split('/').any(|name| matches!(name, "" | "." | "..")) {
            return (outside, Source::Heuristic);
        }
        // The last resort are files anywhere in the tree whose paths end with the name. A quoted
        // name belongs to the project, so several are candidates. A name in angle brackets may
        // belong to an installed library, and then several files of that name are no evidence
        // for any.
        let imported = match (self.ending_with(path), is_quoted) {
            (files, _) if files.is_empty() => outside,
            (files, _) if files.len() == 1 => ImportTarget::Files(files),
            (files, true) => ImportTarget::Several(files),
            (_, false) => ImportTarget::External,
        };
        (imported, Source::Heuristic)
    }

    /// Returns the files whose paths end with the segments of `path`.
    fn ending_with(&self, path: &str) -> Vec<String> {
        let mut wanted = reverse_segments(path);
        let is_whole = self.backwards.binary_search(&wanted).is_ok();
        let mut files: Vec<String> = is_whole.then(|| path.to_owned()).into_iter().collect();
        wanted.push('/');
        let first = self.backwards.partition_point(|path| *path < wanted);
        let rest = self.backwards[first..].iter();
        let rest = rest.take_while(|path| path.starts_with(&wanted));
        files.extend(
            rest.take(IMPORT_CANDIDATES)
                .map(|path| reverse_segments(path)),
        );
        files
    }
}

/// Returns the segments of a path, the last first.
fn reverse_segments(path: &str) -> String {
    path.split('/').rev().collect::<Vec<_>>().join("/")
}
