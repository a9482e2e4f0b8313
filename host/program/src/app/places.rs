//! Paths of the commands that find and read, as places in granted roots.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use docent_host::Session;

use super::App;
use super::spelling::as_listed_ambient;
use crate::config::{Flags, Setup};
use crate::terminal::error::CommandError;
use crate::terminal::notes::note;
use crate::terminal::outcome::PathPresence;
use crate::terminal::place::{
    self, GrantedRoot, PartPolicy, PathKind, PlaceGroup, ResolvedPath, SearchPlace,
};
use crate::terminal::style::visible;

impl App {
    /// Runs `work` in each place that `paths` name, or in the configured roots if there are none.
    /// Reports missing paths, and returns a value that says if there are any. `example` is a
    /// command that names a directory.
    ///
    /// # Errors
    /// Returns an error of `work`, or an error if a place cannot be granted.
    pub fn in_each_place(
        &self,
        config: Option<&Path>,
        (paths, parts): (&[PathBuf], PartPolicy),
        example: &str,
        mut work: impl FnMut(&mut Session, &GrantedRoot, &SearchPlace) -> Result<(), CommandError>,
    ) -> Result<PathPresence, CommandError> {
        let flags = Flags {
            config: config.map(Path::to_owned),
            ..Flags::default()
        };
        let setup = self.load_setup(&flags)?;
        let (groups, reach) = self.groups(&setup, paths, parts, example)?;
        for group in groups {
            let grants = self.grant_roots(&setup, &group.roots, None)?;
            let roots = GrantedRoot::all(&grants);
            let mut session = self.session(&setup, grants)?;
            for place in &group.places {
                work(&mut session, &roots[place.root], place)?;
            }
        }
        Ok(reach)
    }

    /// Resolves `paths`, or the configured roots if there are none. Reports missing paths, and
    /// returns a value that says if there are any. `example` is a command that names a directory.
    ///
    /// # Errors
    /// Returns an error if there are neither paths nor roots, or if a name is not UTF-8.
    pub fn groups(
        &self,
        setup: &Setup,
        paths: &[PathBuf],
        parts: PartPolicy,
        example: &str,
    ) -> Result<(Vec<PlaceGroup>, PathPresence), CommandError> {
        let mut reach = PathPresence::All;
        if paths.is_empty() {
            if setup.roots.is_empty() {
                return Err(CommandError::Usage(format!(
                    "no directory to search; name one: `{example}`"
                )));
            }
            return Ok((vec![self.configured_places(setup)], reach));
        }
        let mut found = Vec::new();
        // As with grep, a missing path is reported and does not prevent the search of the
        // others; the exit code shows that something was missing.
        for path in paths {
            match self.locate(path, parts) {
                Ok(place) => found.push(place),
                Err(error) => {
                    let shown = path.display().to_string();
                    let shown = visible(&shown);
                    note(format_args!("`{shown}` cannot be searched: {error}"));
                    reach = PathPresence::Some;
                }
            }
        }
        let groups = place::group(found).map_err(|path| {
            CommandError::Usage(format!(
                "`{}` cannot be searched: its name is not UTF-8",
                path.display()
            ))
        })?;
        Ok((groups, reach))
    }

    /// Returns the configured roots as places, relative to the current directory.
    fn configured_places(&self, setup: &Setup) -> PlaceGroup {
        // The current directory may have been removed while the shell is in it. Paths are then
        // shown as absolute.
        let here = self.current_directory();
        let mut places = Vec::new();
        for (index, root) in setup.roots.iter().enumerate() {
            // A missing root is refused when it is granted, with the system's reason.
            let resolved = fs::canonicalize(&root.path).unwrap_or_else(|_| root.path.clone());
            // Paths are shown relative to the current directory if possible.
            let beneath = here
                .as_ref()
                .and_then(|here| resolved.strip_prefix(here).ok());
            let shown = beneath.map_or_else(|| resolved.clone(), Path::to_owned);
            places.push(SearchPlace::root(index, shown));
        }
        PlaceGroup {
            roots: setup.roots.clone(),
            places,
        }
    }

    /// Resolves a path, without links, and returns the entry there.
    ///
    /// # Errors
    /// Returns the error of the system if there is none.
    pub fn locate(&self, path: &Path, parts: PartPolicy) -> io::Result<ResolvedPath> {
        let listed = as_listed_ambient(path);
        let path = &*listed;
        let found = |written: &Path, resolved: PathBuf, kind| ResolvedPath {
            written: written.to_owned(),
            resolved,
            kind,
        };
        // Links are followed here, with the person's own rights: whoever writes `docent search
        // link x` means the target. The guard follows none, so the resolved path is granted.
        match path.canonicalize() {
            Ok(resolved) if resolved.is_dir() => Ok(found(path, resolved, PathKind::Directory)),
            Ok(resolved) => Ok(found(path, resolved, PathKind::File)),
            Err(error) => {
                let mut divisions = place::container_divisions(path);
                let member = divisions.find_map(|(file, member)| {
                    let file = as_listed_ambient(file);
                    let resolved = file.canonicalize().ok().filter(|path| path.is_file())?;
                    Some(found(path, resolved, PathKind::Member(member.to_owned())))
                });
                if member.is_some() || parts == PartPolicy::Refused {
                    return member.ok_or(error);
                }
                let mut divisions = place::divisions(path);
                let part = divisions.find_map(|(file, part)| {
                    let file = as_listed_ambient(file);
                    let resolved = file.canonicalize().ok().filter(|path| path.is_file())?;
                    Some(found(&file, resolved, PathKind::Part(part.to_owned())))
                });
                part.ok_or(error)
            }
        }
    }
}
