//! Tests that a warm instance never gives an answer that the files no longer support.

use std::fs::{self, File, FileTimes};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use docent_host::{Limits, Session};
use docent_tests::guest::{call, docent, limits};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::{Value, json};

/// Time that exceeds the interval in which a change can be confused with a later one.
const SETTLED: Duration = Duration::from_millis(60);

const ROUNDS: u64 = 60;

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
        match self.numbers.below(10) {
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
            8 => fs::write(
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

#[test]
fn what_changed_is_seen_by_the_next_call() {
    let temporary = tempfile::tempdir().unwrap();
    let root = temporary.path().join("docs");
    let mut tree = Changing::new(root.clone());
    let mut warm = docent(
        &root,
        Limits {
            cache: 1 << 20,
            ..limits()
        },
    );
    for round in 0..ROUNDS {
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
