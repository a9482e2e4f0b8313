//! Cost of `find-files`, apart from the disk, on a hundred thousand entries that cost next to
//! nothing: `cargo bench -p docent-tools --bench find`.
#![expect(
    clippy::disallowed_macros,
    clippy::disallowed_types,
    reason = "a benchmark takes the time and prints what it measured"
)]

use std::rc::Rc;
use std::time::{Duration, Instant};

use docent_api::find::FindFilesOptions;
use docent_tools::{Docent, ToolSettings};
use docent_tree::disk::{
    Directory, Disk, Entries, Entry, Failure, Kind, Moment, OpenFile, Root, Stamp, Stat,
    Surroundings,
};
use docent_tree::extractor::{Extractor, Unconfined};

const DIRECTORIES: usize = 2000;
const FILES: usize = 50;
const ROUNDS: usize = 15;

/// Two levels: directories, and files in each.
struct Flat {
    outer: Vec<(String, Kind)>,
    inner: Vec<(String, Kind)>,
}

struct Level<'a>(&'a Flat, &'a [(String, Kind)]);

struct Nothing;

impl<'a> Disk for &'a Flat {
    type Directory = Level<'a>;

    fn roots(&self) -> Vec<Root> {
        vec![Root {
            name: "flat".to_owned(),
            writable: false,
            path: None,
        }]
    }

    fn open_root(&self, _index: usize) -> Result<Level<'a>, Failure> {
        Ok(Level(self, &self.outer))
    }
}

impl Surroundings for &Flat {
    fn extractor(&self) -> Rc<dyn Extractor> {
        Rc::new(Unconfined)
    }

    fn monotonic_ms(&self) -> u64 {
        0
    }

    fn unix_ms(&self) -> i64 {
        0
    }
}

impl Directory for Level<'_> {
    type File = Nothing;

    fn entries(&self) -> Result<Entries, Failure> {
        let named = self.1.iter().map(|(name, kind)| Entry {
            name: name.clone(),
            kind: *kind,
        });
        Ok(Entries {
            named: named.collect(),
            unnamed: 0,
        })
    }

    fn visit(&self, mut see: impl FnMut(&str, Kind)) -> Result<u32, Failure> {
        for (name, kind) in self.1 {
            see(name, *kind);
        }
        Ok(0)
    }

    fn open_directory(&self, _name: &str) -> Result<Self, Failure> {
        Ok(Level(self.0, &self.0.inner))
    }

    fn open_file(&self, _name: &str) -> Result<Nothing, Failure> {
        Err(Failure::NotFound)
    }

    fn stat(&self, name: &str) -> Result<Stat, Failure> {
        let bytes = name.as_bytes();
        let seconds = i64::from(bytes[bytes.len() - 6]) * 1000 + i64::from(bytes[bytes.len() - 5]);
        Ok(Stat {
            kind: if name.ends_with(".md") {
                Kind::File
            } else {
                Kind::Directory
            },
            size: 1,
            modified: Some(Moment {
                seconds,
                nanoseconds: 0,
            }),
            created: None,
            accessed: None,
        })
    }

    fn stamp(&self) -> Option<Stamp> {
        None
    }

    fn stamp_of(&self, _name: &str) -> Option<Stamp> {
        None
    }

    fn sum_of_stamps(&self) -> Option<Stamp> {
        None
    }
}

impl OpenFile for Nothing {
    fn stamp(&self) -> Option<Stamp> {
        None
    }

    fn read_all(&self, _cap: usize) -> Result<Vec<u8>, Failure> {
        Err(Failure::Io)
    }

    fn read_head(&self, _bytes: usize) -> Result<Vec<u8>, Failure> {
        Err(Failure::Io)
    }

    fn read_at(&self, _offset: u64, _bytes: usize) -> Result<Vec<u8>, Failure> {
        Err(Failure::Io)
    }
}

fn main() {
    // In no order, as file systems list them.
    let spread = |count: usize, suffix: &str, kind: Kind| -> Vec<(String, Kind)> {
        (0..count)
            .map(|i| (format!("entry-{:05}{suffix}", i * 7919 % count), kind))
            .collect()
    };
    let flat = Flat {
        outer: spread(DIRECTORIES, "", Kind::Directory),
        inner: spread(FILES, ".md", Kind::File),
    };
    for (what, glob) in [("everything", None), ("with a glob", Some("**/*.md"))] {
        let mut best = Duration::MAX;
        for _ in 0..ROUNDS {
            let mut docent = Docent::new(&flat, ToolSettings::default());
            let options = FindFilesOptions {
                glob: glob.map(str::to_owned),
                root: None,
                path: None,
                from: Some("1970-01-01T00:00:00Z".to_owned()),
                to: None,
                time_field: None,
                sort: None,
                recursive: None,
                max_depth: None,
                include_files: None,
                include_directories: None,
                include_hidden: None,
                include_ignored: None,
                limit: None,
                cursor: None,
                timeout_ms: None,
                max_files_scanned: None,
                max_directories_scanned: None,
            };
            let started = Instant::now();
            let answer = docent.find_files(Some(options));
            best = best.min(started.elapsed());
            match answer {
                Ok(answer) => assert_eq!(answer.stats.files_scanned, 100_000),
                Err(error) => panic!("{error:?}"),
            }
        }
        let each = best.as_secs_f64() * 1e6 / (DIRECTORIES * FILES) as f64;
        println!("{what}: {best:.1?}, {each:.3} µs a file");
    }
}
