//! The measurements, in order.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use docent_test_processes::program::{build_docent, profile_and_target};

use crate::arguments::{Arguments, Part};
use crate::counter::Counter;
use crate::documents::DocumentTrees;
use crate::goals::GoalTable;
use crate::jobs::{DocumentGoals, LARGE_GOALS, MeasuredTree, SMALL_GOALS};
use crate::{documents, files, jobs, newest};

/// Runs the requested measurements, and prints their tables; or removes the trees.
///
/// # Errors
/// If something cannot be built, started or measured.
pub fn run(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let (profile, target) = profile_and_target(&std::env::current_exe()?)?;
    let home = target.join("bench-large");
    if arguments.is_removal {
        if home.exists() {
            fs::remove_dir_all(&home)?;
        }
        return Ok(());
    }
    let program = match &arguments.program {
        // It is started in the same directory, but a name without a `/` would be sought on PATH.
        Some(program) => {
            fs::canonicalize(program).map_err(|error| format!("{}: {error}", program.display()))?
        }
        None => build_docent(&profile, &target)?,
    };
    fs::create_dir_all(&home)?;
    let suite = Suite {
        arguments,
        home,
        program,
    };
    suite.measure()
}

struct Suite {
    arguments: Arguments,
    home: PathBuf,
    program: PathBuf,
}

impl Suite {
    fn measure(&self) -> Result<(), Box<dyn Error>> {
        println!(
            "Medians of CPU times of whole processes; {} processors, which may have other work: \
             compare ratios.\n",
            std::thread::available_parallelism().map_or(1, usize::from),
        );
        let is_asked = |part| self.arguments.parts.contains(&part);
        let mut times = GoalTable::new("docent");
        if is_asked(Part::Small) || is_asked(Part::Large) {
            let trees = documents::in_home(&self.home)?;
            if is_asked(Part::Small) {
                let name = "16 500 documents";
                self.measure_documents(&mut times, name, &trees.small, &SMALL_GOALS)?;
            }
            if is_asked(Part::Large) {
                let name = "100 000 documents";
                self.measure_documents(&mut times, name, &trees.large, &LARGE_GOALS)?;
            }
        }
        if is_asked(Part::Files) {
            self.measure_files(&mut times)?;
        }
        let mut counts = GoalTable::new("instructions");
        if is_asked(Part::Counts) {
            self.count(&mut counts)?;
        }
        times.print();
        counts.print();
        Ok(())
    }

    fn measure_documents(
        &self,
        table: &mut GoalTable,
        name: &str,
        directory: &Path,
        goals: &DocumentGoals,
    ) -> Result<(), Box<dyn Error>> {
        let tree = MeasuredTree {
            name,
            directory,
            goals,
            program: &self.program,
            rounds: self.arguments.rounds,
        };
        jobs::measure(table, tree)
    }

    fn measure_files(&self, table: &mut GoalTable) -> Result<(), Box<dyn Error>> {
        let tree = files::tree(&self.home)?;
        let mut directories = vec![
            ("1 000 000 files", tree.clone()),
            (
                "1 000 000 files, flat",
                files::flat(&self.home, &tree, files::FILES)?,
            ),
        ];
        if self.arguments.has_two_million {
            let flat = files::flat(&self.home, &tree, 2 * files::FILES)?;
            directories.push(("2 000 000 files, flat", flat));
        }
        for (name, directory) in directories {
            newest::measure(
                table,
                name,
                &directory,
                &self.program,
                self.arguments.rounds,
            )?;
        }
        Ok(())
    }

    fn count(&self, table: &mut GoalTable) -> Result<(), Box<dyn Error>> {
        let DocumentTrees { least, .. } = documents::in_home(&self.home)?;
        let few = least.join("topic-000");
        let mut short = vec![self.program.as_os_str().to_owned()];
        short.extend(["search".into(), "the".into(), few.into_os_string()]);
        let counter = match Counter::choose(&short) {
            Ok(counter) => counter,
            Err(reasons) => {
                println!(
                    "Instructions cannot be counted here: {reasons}. Expected a processor whose \
                     counters `perf` can read, or valgrind 3.21, the first to know `openat2`."
                );
                return Ok(());
            }
        };
        println!(
            "Instructions in user mode are counted by {}.",
            counter.name()
        );
        jobs::count_all(table, counter, &self.program, "2 000 documents", &least)?;
        let tree = files::tree(&self.home)?;
        let flat = files::flat(&self.home, &tree, files::FEW)?;
        let part = files::part(&tree);
        newest::count(table, counter, "20 000 files", &part, &self.program)?;
        newest::count(table, counter, "20 000 files, flat", &flat, &self.program)
    }
}
