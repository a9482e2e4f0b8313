//! Entry points of the commands that find and read: the part of `lib.rs` that resolves their paths.

use std::env;
use std::fs;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use docent_host::Session;

use crate::commands::search::Printer;
use crate::commands::{explore, find, grep, query, search, summary, tags};
use crate::config::{self, Flags, Setup};
use crate::output::{BARE, OUTPUT_BYTES, ended, look, page};
use crate::spelling::as_listed_ambient;
use crate::terminal::error::CommandError;
use crate::terminal::notes::note;
use crate::terminal::outcome::{Outcome, Reach};
use crate::terminal::place::{self, Found, Group, Kind, Parts, Place, Root};
use crate::terminal::style::{Layout, Paint, visible};
use crate::{Program, args, granted_roots, surroundings};

impl Program {
    pub fn search(self, args: &args::Search) -> Result<ExitCode, CommandError> {
        let surroundings = surroundings();
        let flags = Flags {
            config: args.output.config.clone(),
            ..Flags::default()
        };
        let setup = config::setup(&flags, &surroundings)?;
        let example = "docent search QUERY .";
        let (groups, reach) = groups(&setup, &args.paths, Parts::Refused, example)?;
        let (layout, paint) = if args.null { BARE } else { look(&args.output) };
        // Stdout by itself is flushed at every line break.
        let printer = Printer::new(
            BufWriter::with_capacity(OUTPUT_BYTES, io::stdout().lock()),
            layout,
            paint,
        );
        let mut run = search::SearchRun::new(args, printer);
        for group in groups {
            // The directories of an instance are fixed, so each group needs its own.
            let grants = granted_roots(&setup, &group.roots, None)?;
            let roots = Root::all(&grants);
            let mut session = self.session(&setup, grants)?;
            if run.search(&mut session, &roots, &group.places)?.is_break() {
                break;
            }
        }
        Ok(ended(reach, run.finish()?))
    }

    pub fn grep(self, args: &args::Grep) -> Result<ExitCode, CommandError> {
        let mut run = grep::GrepRun::new(args, page(look(&args.output)));
        let reach = self.in_each_place(
            args.output.config.as_deref(),
            (&args.paths, Parts::Refused),
            "docent grep PATTERN .",
            |session, root, place| run.look(session, root, place),
        )?;
        Ok(ended(reach, run.finish()?))
    }

    pub fn find(self, args: &args::Find) -> Result<ExitCode, CommandError> {
        // The clock is read once, so that `--from` and `--to` are relative to the same instant.
        let request =
            find::FindRequest::understand(args, &chrono::Local::now(), |path| path.exists())?;
        let mut found = find::FoundFiles::default();
        let reach = self.in_each_place(
            args.output.config.as_deref(),
            (&request.paths, Parts::Refused),
            "docent find GLOB .",
            |session, root, place| found.look(&request, session, root, place),
        )?;
        let (layout, paint) = if args.null { BARE } else { look(&args.output) };
        let mut output = BufWriter::with_capacity(OUTPUT_BYTES, io::stdout().lock());
        let outcome = found.print(&request, layout, paint, &chrono::Local, &mut output)?;
        Ok(ended(reach, outcome))
    }

    pub fn query(self, args: &args::Query) -> Result<ExitCode, CommandError> {
        let mut run = query::QueryRun::new(args, page(look(&args.output)));
        let reach = self.in_each_place(
            args.output.config.as_deref(),
            (&args.paths, Parts::Taken),
            "docent query QUESTION .",
            |session, root, place| run.ask(session, root, place),
        )?;
        Ok(ended(reach, run.finish()?))
    }

    pub fn explore(self, args: &args::Explore) -> Result<ExitCode, CommandError> {
        let (query, paths) = explore::query_and_paths(args, |path| path.exists());
        let page = page(look(&args.output));
        let mut run = explore::ExploreRun::new(args, query.as_deref(), page);
        let reach = self.in_each_place(
            args.output.config.as_deref(),
            (&paths, Parts::Taken),
            if query.is_some() {
                "docent explore WORDS ."
            } else {
                "docent explore ."
            },
            |session, root, place| run.look(session, root, place),
        )?;
        Ok(ended(reach, run.finish()?))
    }

    pub fn summary(self, args: &args::Summary) -> Result<ExitCode, CommandError> {
        let mut page = page(if args.json {
            (Layout::Json, Paint::Plain)
        } else {
            (Layout::Lines, Paint::Plain)
        });
        let mut is_first = true;
        let reach = self.in_each_place(
            args.config.as_deref(),
            (&args.paths, Parts::Refused),
            "docent summary NOTE.md",
            |session, root, place| {
                let is_first = std::mem::take(&mut is_first);
                summary::print(&mut page, is_first, session, root, place)
            },
        )?;
        // Flushed here to report an error, which dropping the buffer would discard.
        page.output.flush()?;
        Ok(ended(reach, Outcome::Found))
    }

    pub fn tags(self, args: &args::Tags) -> Result<ExitCode, CommandError> {
        let request = tags::TagsRequest::understand(args, |path| path.exists())?;
        let paths = request.paths.clone();
        let mut run = tags::TagsRun::new(request, page(look(&args.output)));
        let reach = self.in_each_place(
            args.output.config.as_deref(),
            (&paths, Parts::Refused),
            "docent tags TAG .",
            |session, root, place| run.look(session, root, place),
        )?;
        Ok(ended(reach, run.finish()?))
    }

    /// Runs `work` in each place that `paths` name, or in the configured roots if there are none.
    /// Reports missing paths, and returns a value that says if there are any. `example` is a
    /// command that names a directory.
    fn in_each_place(
        self,
        config: Option<&Path>,
        (paths, parts): (&[PathBuf], Parts),
        example: &str,
        mut work: impl FnMut(&mut Session, &Root, &Place) -> Result<(), CommandError>,
    ) -> Result<Reach, CommandError> {
        let flags = Flags {
            config: config.map(Path::to_owned),
            ..Flags::default()
        };
        let setup = config::setup(&flags, &surroundings())?;
        let (groups, reach) = groups(&setup, paths, parts, example)?;
        for group in groups {
            let grants = granted_roots(&setup, &group.roots, None)?;
            let roots = Root::all(&grants);
            let mut session = self.session(&setup, grants)?;
            for place in &group.places {
                work(&mut session, &roots[place.root], place)?;
            }
        }
        Ok(reach)
    }
}

/// Resolves `paths`, or the configured roots if there are none. Reports missing paths, and returns
/// a value that says if there are any. `example` is a command that names a directory.
fn groups(
    setup: &Setup,
    paths: &[PathBuf],
    parts: Parts,
    example: &str,
) -> Result<(Vec<Group>, Reach), CommandError> {
    let mut reach = Reach::All;
    if paths.is_empty() {
        if setup.roots.is_empty() {
            return Err(CommandError::Usage(format!(
                "no directory to search; name one: `{example}`"
            )));
        }
        return Ok((vec![configured(setup)?], reach));
    }
    let mut found = Vec::new();
    // As with grep, a missing path does not prevent the search of the others.
    for path in paths {
        match located(path, parts) {
            Ok(place) => found.push(place),
            Err(error) => {
                let shown = path.display().to_string();
                let shown = visible(&shown);
                note(format_args!("`{shown}` cannot be searched: {error}"));
                reach = Reach::Some;
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
fn configured(setup: &Setup) -> Result<Group, CommandError> {
    // It may have been removed under the shell; then paths are shown as absolute.
    let here = env::current_dir().and_then(fs::canonicalize).ok();
    let mut places = Vec::new();
    for (index, root) in setup.roots.iter().enumerate() {
        // A missing root is refused when it is granted, with the system's reason.
        let resolved = fs::canonicalize(&root.path).unwrap_or_else(|_| root.path.clone());
        // Paths are shown relative to the current directory if possible.
        let beneath = here
            .as_ref()
            .and_then(|here| resolved.strip_prefix(here).ok());
        let shown = beneath.map_or_else(|| resolved.clone(), Path::to_owned);
        places.push(Place::root(index, shown));
    }
    Ok(Group {
        roots: setup.roots.clone(),
        places,
    })
}

/// Resolves a path, without links, and returns the entry there.
pub fn located(path: &Path, parts: Parts) -> io::Result<Found> {
    let listed = as_listed_ambient(path);
    let path = &*listed;
    let found = |written: &Path, resolved: PathBuf, kind| Found {
        written: written.to_owned(),
        resolved,
        kind,
    };
    // Links are followed here, with the person's own rights, because the guard follows none.
    match path.canonicalize() {
        Ok(resolved) if resolved.is_dir() => Ok(found(path, resolved, Kind::Directory)),
        Ok(resolved) => Ok(found(path, resolved, Kind::File)),
        Err(error) if parts == Parts::Refused => Err(error),
        Err(error) => {
            let mut divisions = place::divisions(path);
            let part = divisions.find_map(|(file, part)| {
                let file = as_listed_ambient(file);
                let resolved = file.canonicalize().ok().filter(|path| path.is_file())?;
                Some(found(&file, resolved, Kind::Part(part.to_owned())))
            });
            part.ok_or(error)
        }
    }
}
