//! The newest of many files, found by docent and by the usual tools.

use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use crate::process::{in_turn, is_there};
use crate::table::Table;

/// Number of directories, fifty per area.
const DIRECTORIES: usize = 2000;

/// Number of files per directory.
const FILES: usize = 50;

/// Range of the files' change times, in seconds since 1970: a hundred days from the first day of
/// 2026 on.
const CHANGED: (u64, u64) = (1_767_225_600, 1_775_865_600);

/// Start of the requested window: a third of the files is older.
const SINCE: &str = "2026-02-03";

/// Number of requested files.
const NEWEST: &str = "100";

/// Runs of each whole process.
const ROUNDS: usize = 21;

/// Memory limit that suffices for any number of files.
const MEMORY: u64 = 64_000_000;

/// Measures `docent find`, `fdfind` and a pipeline of `find`, each as a whole process, in turn.
///
/// # Errors
/// If something cannot be created or run.
pub fn measure(table: &mut Table, docent: &Path, target: &Path) -> Result<(), Box<dyn Error>> {
    let files = in_target(target)?;
    let place = files.as_os_str().to_owned();
    let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
    let mut own = vec![docent.as_os_str().to_owned()];
    own.extend(words(&["find", "--from", SINCE, "--limit", NEWEST]));
    own.push(place.clone());
    let (mut names, mut commands) = (vec!["docent"], vec![own]);
    // Debian renames the program.
    let fd = ["fdfind", "fd"].into_iter().find(|name| is_there(name));
    match fd {
        Some(name) => {
            let midnight = format!("{SINCE} 00:00:00");
            let mut command = words(&[name, "-u", "--changed-after", &midnight, "."]);
            command.push(place.clone());
            names.push("fdfind");
            commands.push(command);
        }
        None => eprintln!("left out: neither `fdfind` nor `fd` is on PATH"),
    }
    if ["find", "sort", "head"].into_iter().all(is_there) {
        let line = format!(
            "find \"$0\" -type f -newermt {SINCE} -printf '%T@ %p\\n' | sort -rn | head -{NEWEST}"
        );
        let mut command = words(&["sh", "-c", &line]);
        command.push(place);
        names.push("find");
        commands.push(command);
    } else {
        eprintln!("left out: `find`, `sort` or `head` is not on PATH");
    }
    let costs = in_turn(&commands, ROUNDS)?;
    let cost_of = |name: &str| {
        let index = names.iter().position(|known| *known == name)?;
        Some(costs[index])
    };
    let own = costs[0];
    match cost_of("fdfind") {
        Some(fd) => {
            table.add_ratio(
                "newest 100 of 100 000 files, CPU",
                own.cpu,
                ("fdfind", fd.cpu),
                Some(1.1),
            );
            table.add_ratio(
                "newest 100 of 100 000 files, wall",
                own.wall,
                ("fdfind", fd.wall),
                None,
            );
        }
        None => {
            table.add_time("newest 100 of 100 000 files, CPU", own.cpu, None);
            table.add_time("newest 100 of 100 000 files, wall", own.wall, None);
        }
    }
    if let Some(find) = cost_of("find") {
        let pipeline = "find \\| sort \\| head";
        table.add_ratio(
            "the same, CPU, beside a pipeline",
            own.cpu,
            (pipeline, find.cpu),
            Some(1.0),
        );
    }
    table.add_size("the same, peak memory", own.peak, Some(MEMORY));
    Ok(())
}

/// Returns the directory of the files below `target`, after creating it if it is incomplete.
fn in_target(target: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let home = target.join("bench-files");
    let (directory, complete) = (home.join("files"), home.join("complete"));
    if complete.exists() {
        return Ok(directory);
    }
    if home.exists() {
        fs::remove_dir_all(&home)?;
    }
    eprintln!(
        "making {} files in {}",
        DIRECTORIES * FILES,
        directory.display()
    );
    // Reproducible times without an order: a generator modulo a power of two that visits each value
    // once.
    let mut random: u64 = 1;
    for number in 0..DIRECTORIES {
        let folder = directory.join(format!("area-{:02}/topic-{number:04}", number / 50));
        fs::create_dir_all(&folder)?;
        for file in 0..FILES {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let path = folder.join(format!("note-{file:03}.md"));
            fs::write(&path, format!("{file}\n"))?;
            let seconds = CHANGED.0 + (random >> 33) % (CHANGED.1 - CHANGED.0);
            fs::File::open(&path)?.set_modified(UNIX_EPOCH + Duration::from_secs(seconds))?;
        }
    }
    fs::write(&complete, "")?;
    Ok(directory)
}
