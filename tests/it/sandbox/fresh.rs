//! Tests that a warm instance never gives an answer that the files no longer support.

use std::fs::{self, File, FileTimes};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use docent_host::{Limits, Session};
use docent_tests::guest::{call, docent, limits};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::{Value, json};

/// Time that exceeds the interval in which a change can be confused with a later one.
const SETTLED: Duration = Duration::from_millis(60);

/// Number of rounds of a test, unless `DOCENT_FRESH_ROUNDS` sets another.
const ROUNDS: u64 = 60;

/// Number of writes whose events do not fit into the kernel's queue, which has room for 16 384.
const TOO_MANY_WRITES: usize = 18_000;

fn rounds() -> u64 {
    let rounds = std::env::var("DOCENT_FRESH_ROUNDS").ok();
    rounds.map_or(ROUNDS, |rounds| rounds.parse().unwrap())
}

/// A reproducible generator of random-looking numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % end
    }
}

/// A tree of a few directories with a few documents each.
struct Changing {
    root: PathBuf,
    numbers: Numbers,
}

impl Changing {
    fn new(root: PathBuf) -> Self {
        for directory in 0..3 {
            for file in 0..5 {
                let path = root.join(format!("d{directory}/f{file}.md"));
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, "hay, hay").unwrap();
            }
        }
        let numbers = Numbers(7);
        Self { root, numbers }
    }

    fn path(&mut self) -> PathBuf {
        let (directory, file) = (self.numbers.below(3), self.numbers.below(5));
        self.root.join(format!("d{directory}/f{file}.md"))
    }

    /// Returns a text of constant length, with or without the searched word.
    fn text(&mut self) -> &'static str {
        ["hay, hay", "harbour.", "harbour,", "hay; hay"]
            [usize::try_from(self.numbers.below(4)).unwrap()]
    }

    /// Changes something, in one of several ways that are easy to overlook.
    fn change(&mut self) {
        let (path, other, text) = (self.path(), self.path(), self.text());
        match self.numbers.below(12) {
            0..3 => fs::write(path, text).unwrap(),
            3 => write_back_in_time(&path, text),
            4 => {
                let new = self.root.join("new");
                fs::write(&new, text).unwrap();
                fs::rename(new, path).unwrap();
            }
            5 => {
                // Fails if one of them is missing.
                let _ = renameat_with(CWD, &path, CWD, &other, RenameFlags::EXCHANGE);
            }
            6 => {
                let _ = fs::remove_file(&path);
                let _ = fs::hard_link(&other, &path);
            }
            7 => {
                let _ = fs::remove_file(path);
            }
            8 => {
                // Through a name outside of the root.
                let outside = self.root.with_file_name("outside");
                let _ = fs::remove_file(&outside);
                let _ = fs::hard_link(&path, &outside);
                fs::write(outside, text).unwrap();
            }
            9 => {
                let _ = File::options()
                    .write(true)
                    .open(path)
                    .map(|file| file.set_len(3));
            }
            10 => fs::write(
                path.with_file_name(".gitignore"),
                format!("f{}.md\n", self.numbers.below(5)),
            )
            .unwrap(),
            _ => {
                let (one, two) = (self.root.join("d0"), self.root.join("d1"));
                renameat_with(CWD, one, CWD, two, RenameFlags::EXCHANGE).unwrap();
            }
        }
    }
}

/// Writes a file, and restores its previous modification time.
fn write_back_in_time(path: &Path, text: &str) {
    let before = fs::metadata(path).and_then(|metadata| metadata.modified());
    fs::write(path, text).unwrap();
    let modified = before.unwrap_or(SystemTime::UNIX_EPOCH);
    let times = FileTimes::new().set_modified(modified);
    File::options()
        .write(true)
        .open(path)
        .unwrap()
        .set_times(times)
        .unwrap();
}

fn search(session: &mut Session, query: &str) -> Value {
    let mut answer = call(session, "search-documents", json!({ "query": query })).unwrap();
    answer["stats"].as_object_mut().unwrap().remove("elapsedMs");
    answer
}

/// Returns the limits of a warm instance that watches at most so many files.
fn warm(watched_files: usize) -> Limits {
    Limits {
        cache: 1 << 20,
        watched_files,
        ..limits()
    }
}

/// Writes to two files in turns so often that the queues of their watches overflow.
fn overflow(root: &Path) {
    let open = |name| File::options().write(true).open(root.join("d0").join(name));
    // One of them may be missing.
    let files: Vec<File> = (0..5)
        .filter_map(|it| open(format!("f{it}.md")).ok())
        .collect();
    for index in 0..TOO_MANY_WRITES {
        if let Some(file) = files.get(index % files.len().max(1)) {
            file.write_all_at(b"harbour,", 0).unwrap();
        }
    }
}

/// Compares the answers of a warm instance with those of new ones, in a tree that changes before
/// each round and by `disturb`.
fn compare(watched_files: usize, disturb: impl Fn(u64, &Path)) {
    let temporary = tempfile::tempdir().unwrap();
    let root = temporary.path().join("docs");
    let mut tree = Changing::new(root.clone());
    let mut warm = docent(&root, warm(watched_files));
    for round in 0..rounds() {
        disturb(round, &root);
        for _ in 0..=tree.numbers.below(2) {
            tree.change();
        }
        // In every other round the change is old enough for its stamp to settle, and the search is
        // repeated often enough that whole directories are checked by their sum.
        let repeats = if round % 2 == 0 { 1 } else { 3 };
        let mut cold = docent(&root, limits());
        for repeat in 0..repeats {
            for query in ["harbour", "hay"] {
                let expected = search(&mut cold, query);
                assert_eq!(
                    search(&mut warm, query),
                    expected,
                    "round {round}, repeat {repeat}"
                );
            }
            for (function, request) in [
                ("smart-search", json!({ "query": "harbour hay" })),
                ("context-search", json!({ "content": "harbour" })),
            ] {
                let expected = call(&mut cold, function, request.clone()).unwrap();
                assert_eq!(
                    call(&mut warm, function, request).unwrap(),
                    expected,
                    "{function}, round {round}, repeat {repeat}"
                );
            }
            if repeats > 1 {
                thread::sleep(SETTLED);
            }
        }
    }
}

#[test]
fn what_changed_is_seen_by_the_next_call() {
    compare(10_000, |_, _| {});
}

#[test]
fn what_changed_is_seen_without_watches() {
    compare(0, |_, _| {});
}

#[test]
fn what_changed_is_seen_with_few_watches() {
    compare(7, |_, _| {});
}

#[test]
fn what_changed_is_seen_after_an_overflow() {
    compare(10_000, |round, root| {
        if round % 8 == 4 {
            overflow(root);
        }
    });
}

#[test]
fn what_changes_during_calls_is_seen_by_the_next() {
    let temporary = tempfile::tempdir().unwrap();
    let root = temporary.path().join("docs");
    let mut tree = Changing::new(root.clone());
    let mut warm = docent(&root, warm(10_000));
    for round in 0..rounds() / 4 {
        let writer = thread::spawn(move || {
            for _ in 0..200 {
                tree.change();
                thread::sleep(Duration::from_micros(300));
            }
            tree
        });
        while !writer.is_finished() {
            search(&mut warm, "harbour");
        }
        tree = writer.join().unwrap();
        // A watch that began a moment too late would not see what changed before it.
        for _ in 0..4 {
            thread::sleep(SETTLED);
            let expected = search(&mut docent(&root, limits()), "harbour");
            assert_eq!(search(&mut warm, "harbour"), expected, "round {round}");
        }
    }
}
