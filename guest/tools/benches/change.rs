//! Cost, apart from the disk, of an edit of one line among two hundred thousand, shown and written,
//! in Latin letters, in Korean and among links: `cargo bench -p docent-tools --bench change`.
#![expect(
    clippy::disallowed_macros,
    clippy::disallowed_types,
    reason = "a benchmark takes the time and prints what it measured"
)]

use std::time::{Duration, Instant};

use docent_api::writing::{ChangeOptions, Edit};
use docent_tools::{Docent, NO_CHANGE_OPTIONS, NO_EDIT, ToolSettings};
use docent_tree::memory::MemoryDisk;

const LINES: usize = 200_000;
const ROUNDS: usize = 15;

/// The line that is edited.
const OLD: &str = "The answer is 41.";

/// Returns `LINES` distinct lines around the one that is edited.
fn text(line: fn(usize) -> String) -> String {
    let half = |numbers: std::ops::Range<usize>| numbers.map(line).collect::<String>();
    format!("{}{OLD}\n{}", half(0..LINES / 2), half(LINES / 2..LINES))
}

/// Returns the least that a call takes.
fn cost(text: &str, dry_run: bool) -> Duration {
    let disk = MemoryDisk::with_files(&[("a.md", text)]);
    disk.set_writable("docs");
    disk.grant_state();
    let mut docent = Docent::new(disk, ToolSettings::default());
    let mut best = Duration::MAX;
    for round in 0..ROUNDS {
        let edit = Edit {
            path: Some("a.md".to_owned()),
            old_text: Some(OLD.to_owned()),
            new_text: Some(format!("{OLD} {round}")),
            ..NO_EDIT
        };
        let options = ChangeOptions {
            dry_run: Some(dry_run),
            ..NO_CHANGE_OPTIONS
        };
        let started = Instant::now();
        let answer = docent.change(vec![edit], Some(options));
        best = best.min(started.elapsed());
        match answer {
            Ok(answer) => assert_eq!(answer.applied, !dry_run),
            Err(error) => panic!("{error:?}"),
        }
    }
    best
}

/// Returns the line of this number.
type Line = fn(usize) -> String;

fn main() {
    let lines: [(&str, Line); 3] = [
        ("Latin letters", |n| {
            format!("The line {n} says that {} is its double.\n", 2 * n)
        }),
        ("Korean", |n| {
            format!("{n}번째 줄은 {} 이 그 두 배라고 합니다.\n", 2 * n)
        }),
        ("links", |n| {
            format!("The [line](l{}.md) {n} has its double.\n", n % 10)
        }),
    ];
    for (what, line) in lines {
        let text = text(line);
        let (shown, written) = (cost(&text, true), cost(&text, false));
        let size = text.len() >> 20;
        println!("{what}, {size} MB: shown in {shown:.1?}, written in {written:.1?}");
    }
}
