//! A benchmark of transactions on real files: many files in one, and the recovery of a journal of
//! many.
//!
//! `cargo bench -p docent-fs --bench transaction -- [DIRECTORY]`; the directory decides which file
//! system is measured.

#[cfg(not(target_family = "wasm"))]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    native::main()
}

#[cfg(target_family = "wasm")]
fn main() {}

#[cfg(not(target_family = "wasm"))]
mod native {
    use std::error::Error;
    use std::path::Path;
    use std::time::{Duration, Instant};

    use cap_std::ambient_authority;
    use cap_std::fs::Dir;
    use docent_fs::NativeDisk;
    use docent_text::content_hash::{ContentHash, HashedContent};
    use docent_transaction::journal::{Change, FileOperation, Journal, Request};
    use docent_transaction::record::LineCounts;
    use docent_tree::disk::Root;
    use docent_tree::door::Consent;
    use docent_tree::path::RelPath;
    use docent_tree::write::Writable;

    const NOW: i64 = 1_767_323_045_000;

    type Outcome<R> = Result<R, Box<dyn Error>>;

    pub(super) fn main() -> Outcome<()> {
        let under = std::env::args()
            .skip(1)
            .find(|argument| !argument.starts_with('-'));
        let under = under.map_or_else(std::env::temp_dir, Into::into);
        for count in [1, 100, 1000] {
            let mut times = Vec::new();
            for _ in 0..5 {
                times.push(measure(&under, count)?);
            }
            let median = |part: fn(&(Duration, Duration)) -> Duration| {
                let mut parts: Vec<Duration> = times.iter().map(part).collect();
                parts.sort_unstable();
                parts[parts.len() / 2]
            };
            let (write, recovery) = (median(|t| t.0), median(|t| t.1));
            println!("{count} files: written in {write:.1?}, recovered in {recovery:.1?}");
        }
        Ok(())
    }

    fn text(file: usize, version: usize) -> String {
        format!(
            "# File {file}, version {version}\n{}",
            "A line of text.\n".repeat(250)
        )
    }

    fn at(file: usize) -> String {
        format!("d{}/f{file}.md", file % 20)
    }

    /// Returns the time of a write, and that of recovering from a crash just after its commit
    /// point.
    fn measure(under: &Path, count: usize) -> Outcome<(Duration, Duration)> {
        let (root, state) = (tempfile::tempdir_in(under)?, tempfile::tempdir_in(under)?);
        for file in 0..count {
            let path = root.path().join(at(file));
            std::fs::create_dir_all(path.parent().ok_or("no parent")?)?;
            std::fs::write(path, text(file, 1))?;
        }
        let open = |path: &Path| Dir::open_ambient_dir(path, ambient_authority());
        let granted = Root {
            name: "docs".to_owned(),
            writable: true,
            path: None,
        };
        let disk = NativeDisk::new(vec![(granted, open(root.path())?)])
            .with_state("docs", open(state.path())?);
        let root_of = Writable::root(&disk, 0, Consent::Withheld)?;
        let state_of = Writable::state(&disk, 0)?;
        let journal = Journal::new(&root_of, state_of.as_ref());
        let start = Instant::now();
        let done = journal.commit(request(count)?)?;
        let written = start.elapsed();
        if done.unfinished.is_some() || !done.conflicts.is_empty() {
            return Err("not all was written".into());
        }
        crash(root.path(), state.path(), count)?;
        let start = Instant::now();
        let recovered = journal.recover()?.rolled_forward;
        let took = start.elapsed();
        if recovered.is_none_or(|record| !record.conflicts.is_empty()) {
            return Err("not all was recovered".into());
        }
        for file in 0..count {
            if std::fs::read_to_string(root.path().join(at(file)))? != text(file, 2) {
                return Err("a file was not recovered".into());
            }
        }
        Ok((written, took))
    }

    fn request(count: usize) -> Outcome<Request> {
        let mut changes = Vec::new();
        for file in 0..count {
            changes.push(Change {
                operation: FileOperation::Set {
                    path: RelPath::parse(&at(file))?,
                    expected: ContentHash::new(text(file, 1).as_bytes()).into(),
                    content: HashedContent::new(text(file, 2).into_bytes()),
                },
                lines: LineCounts::default(),
            });
        }
        Ok(Request {
            changes,
            emptied: Vec::new(),
            tool: "bench".to_owned(),
            note: String::new(),
            now_ms: NOW,
        })
    }

    /// Turns a finished operation into one that was cut off just after its commit point.
    fn crash(root: &Path, state: &Path, count: usize) -> Outcome<()> {
        for file in 0..count {
            let path = root.join(at(file));
            let prepared = format!(".docent-set-1-{NOW:x}-{file}.tmp");
            std::fs::rename(&path, path.with_file_name(prepared))?;
            std::fs::write(&path, text(file, 1))?;
        }
        let record = state.join("history/0000000001");
        Ok(std::fs::rename(record, state.join("committed"))?)
    }
}
