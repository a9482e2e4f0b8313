//! Tests of the watches that spare a warm instance from checking each file.

use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use docent_host::{Limits, Session, Work};
use docent_tests::guest::{call, docent, limits, stepping};
use serde_json::json;

/// Number of documents.
const FILES: u64 = 40;

/// Creates documents that are old enough for their stamps to settle.
fn create_files(root: &Path) {
    for file in 0..FILES {
        let path = root.join(format!("d{}/f{file}.md", file % 2));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "hay, hay").unwrap();
    }
    thread::sleep(Duration::from_millis(60));
}

/// A session, and the work of its last call.
struct Watching {
    session: Session,
    work: Arc<Mutex<Work>>,
}

impl Watching {
    fn new(root: &Path, watched_files: usize) -> Self {
        // Watches are trusted for a time, which a busy machine must not reach.
        let limits = stepping(Limits {
            cache: 1 << 20,
            watched_files,
            ..limits()
        });
        let session = docent(root, limits);
        let work: Arc<Mutex<Work>> = Arc::default();
        let last = Arc::clone(&work);
        session.trace(Arc::new(move |trace| *last.lock().unwrap() = trace.work));
        Self { session, work }
    }

    /// Returns the number of documents with a word, and the work of finding them.
    fn search(&mut self, word: &str) -> (usize, Work) {
        let request = json!({ "query": word });
        let answer = call(&mut self.session, "search-documents", request).unwrap();
        let found = answer["results"].as_array().map_or(0, Vec::len);
        (found, *self.work.lock().unwrap())
    }

    /// Returns the numbers of stamps of a search in sums and from watches, after it was repeated.
    fn repeat(&mut self) -> (u64, u64) {
        for _ in 0..4 {
            self.search("hay");
        }
        let (found, work) = self.search("hay");
        assert!(found > 0);
        (work.summed_stamps, work.watched_stamps)
    }
}

/// Returns true if files below `root` are watched on this system.
fn can_watch(root: &Path) -> bool {
    let Ok(status) = rustix::fs::statfs(root) else {
        return false;
    };
    cfg!(target_os = "linux") && [0xEF53, 0x5846_5342, 0x0102_1994].contains(&status.f_type)
}

#[test]
fn a_repeated_question_checks_no_file() {
    let temporary = tempfile::tempdir().unwrap();
    let root = temporary.path();
    create_files(root);
    let mut none = Watching::new(root, 0);
    assert_eq!(none.repeat(), (FILES, 0));
    if !can_watch(root) {
        return;
    }
    let mut all = Watching::new(root, 1_000);
    assert_eq!(all.repeat(), (0, FILES));
    // One of the two directories.
    let mut half = Watching::new(root, 30);
    assert_eq!(half.repeat(), (FILES / 2, FILES / 2));
    // A change makes its directory be checked, once.
    fs::write(root.join("d0/f0.md"), "harbour.").unwrap();
    thread::sleep(Duration::from_millis(60));
    let (found, work) = all.search("harbour");
    assert_eq!(found, 1);
    assert_eq!(work.watched_stamps, FILES / 2);
    assert_eq!(all.search("hay").0, usize::try_from(FILES - 1).unwrap());
    assert_eq!(all.repeat(), (0, FILES));
}

#[test]
fn lost_events_lead_back_to_checks() {
    let temporary = tempfile::tempdir().unwrap();
    let root = temporary.path();
    create_files(root);
    let mut all = Watching::new(root, 1_000);
    all.repeat();
    // More than the 16 384 events that the kernel keeps; equal ones in a row count once.
    let open = |name| File::options().write(true).open(root.join(name)).unwrap();
    let files = ["d0/f0.md", "d0/f2.md"].map(open);
    for index in 0..18_000 {
        files[index % 2].write_all_at(b"harbour.", 0).unwrap();
    }
    thread::sleep(Duration::from_millis(60));
    let (found, work) = all.search("harbour");
    assert_eq!(found, 2);
    // The other directory is checked too: what changed there may be among what was lost.
    assert_eq!(work.watched_stamps, 0);
}

#[test]
fn a_new_file_is_watched_too() {
    let temporary = tempfile::tempdir().unwrap();
    let root = temporary.path();
    create_files(root);
    let mut all = Watching::new(root, 1_000);
    all.repeat();
    fs::write(root.join("d1/new.md"), "harbour.").unwrap();
    fs::remove_file(root.join("d1/f1.md")).unwrap();
    thread::sleep(Duration::from_millis(60));
    assert_eq!(all.search("harbour").0, 1);
    if can_watch(root) {
        assert_eq!(all.repeat(), (0, FILES));
    }
    fs::write(root.join("d1/new.md"), "no match").unwrap();
    assert_eq!(all.search("harbour").0, 0);
}
