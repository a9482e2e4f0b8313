//! The reference implementation: random trees and requests, and the expected matches, computed as
//! simply as possible.

use docent_api::find::{FindFilesOptions, FindSort, TimeField};
use docent_tree::disk::Failure;
use docent_tree::memory::{MemoryDisk, Times};
use globset::GlobBuilder;
use proptest::prelude::*;

/// Path, time in milliseconds since 1970, and size of a match.
pub type Expected = (String, i64, Option<u64>);

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A file of this many bytes.
    File(u8),
    /// A directory.
    Directory,
    /// A directory that cannot be opened.
    Locked,
    /// A symbolic link.
    Link,
    /// A FIFO.
    Fifo,
}

/// An entry of a random tree. Its parent directories are entries of their own.
#[derive(Clone, Debug)]
pub struct Node {
    /// Path of the entry.
    pub path: String,
    kind: EntryKind,
    times: [Option<i128>; 3],
    unnamed: u32,
}

impl Node {
    /// Returns true if it is a file.
    pub fn is_file(&self) -> bool {
        matches!(self.kind, EntryKind::File(_))
    }

    /// Returns the kind of the entry.
    pub fn kind(&self) -> EntryKind {
        self.kind
    }

    /// Returns the change time in nanoseconds since 1970.
    pub fn modified(&self) -> Option<i128> {
        self.times[0]
    }

    /// Returns the number of its entries whose names are not UTF-8.
    pub fn unnamed(&self) -> u32 {
        self.unnamed
    }

    /// Returns an entry that every file system can hold and that its owner can open, with the time
    /// [`NOON`] if its own is missing or far off.
    pub fn tame(self) -> Self {
        let kind = match self.kind {
            EntryKind::Locked => EntryKind::Directory,
            other => other,
        };
        let is_common =
            |time: &i128| (-1_000_000_000_000_000_000..4_000_000_000_000_000_000).contains(time);
        let time = self.times[0]
            .filter(is_common)
            .unwrap_or(i128::from(NOON) * 1_000_000);
        Self {
            kind,
            times: [Some(time); 3],
            ..self
        }
    }

    fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    fn is_directory(&self) -> bool {
        matches!(self.kind, EntryKind::Directory | EntryKind::Locked)
    }
}

/// A random `find-files` request.
#[derive(Clone, Debug, PartialEq)]
pub struct FindRequest {
    /// Directory to search.
    pub path: String,
    from: Option<i64>,
    to: Option<i64>,
    /// Time that is compared.
    pub field: TimeField,
    /// Order of the matches.
    pub sort: FindSort,
    recursive: bool,
    max_depth: u32,
    glob: Option<&'static str>,
    files: bool,
    directories: bool,
    hidden: bool,
}

/// The budget of a call.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Maximum milliseconds.
    pub milliseconds: u32,
    /// Maximum files.
    pub files: u32,
    /// Maximum directories.
    pub directories: u32,
}

/// The centre of the random times, 2001-09-09T01:46:40Z, in milliseconds since 1970.
pub const NOON: i64 = 1_000_000_000_000;

/// Generates times: some equal, some in one millisecond, some before 1970, some far off, some
/// unknown.
fn time() -> impl Strategy<Value = Option<i128>> {
    prop_oneof![
        4 => (-2i128..3).prop_map(|ms| Some((i128::from(NOON) + ms) * 1_000_000)),
        4 => (0i128..3).prop_map(|ns| Some(i128::from(NOON) * 1_000_000 + ns * 400_000)),
        1 => (-3i128..3).prop_map(|ns| Some(ns * 600_000)),
        1 => Just(Some(i128::from(i64::MAX) * 1_000_000_000)),
        1 => Just(Some(-i128::from(i64::MAX) * 1_000_000_000)),
        1 => Just(Some(400_000_000_000_000_000_000)),
        1 => Just(None),
    ]
}

fn kind() -> impl Strategy<Value = EntryKind> {
    prop_oneof![
        12 => any::<u8>().prop_map(EntryKind::File),
        3 => Just(EntryKind::Directory),
        1 => Just(EntryKind::Locked),
        1 => Just(EntryKind::Link),
        1 => Just(EntryKind::Fifo),
    ]
}

/// Generates names that sort differently by bytes, by path and by locale; hidden and ignored ones.
fn name() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        4 => prop::sample::select(vec!["a", "b", "B", "a-b", "a.md", "a0", "-", "b.md"]),
        1 => prop::sample::select(vec!["é", "가", "ab\u{1F600}", ".h", ".a.md", "skip", "id_rsa"]),
    ]
}

/// Generates random trees, each path once and with all parent directories. The root, an ignore file
/// that excludes `skip`, and the directories in which requests start always exist.
pub fn nodes() -> impl Strategy<Value = Vec<Node>> {
    let path = proptest::collection::vec(name(), 1..5);
    let unnamed = || prop_oneof![9 => Just(0), 1 => 1u32..3];
    let node = (path, kind(), [time(), time(), time()], unnamed());
    (
        proptest::collection::vec(node, 0..25),
        [time(), time(), time()],
        unnamed(),
    )
        .prop_map(|(drawn, times, unnamed)| {
            let directory = |path: &str| Node {
                path: path.to_owned(),
                kind: EntryKind::Directory,
                times,
                unnamed: 0,
            };
            let mut nodes = vec![
                Node {
                    unnamed,
                    ..directory("")
                },
                Node {
                    kind: EntryKind::File(5),
                    ..directory(".gitignore")
                },
            ];
            let mut add = |path: String, kind: EntryKind, times, unnamed| match nodes
                .iter_mut()
                .find(|node| node.path == path)
            {
                Some(node) if kind == EntryKind::Directory => node.kind = kind,
                Some(_) => {}
                None => nodes.push(Node {
                    path,
                    kind,
                    times,
                    unnamed,
                }),
            };
            for (segments, kind, times, unnamed) in drawn {
                for end in 1..segments.len() {
                    add(segments[..end].join("/"), EntryKind::Directory, times, 0);
                }
                add(segments.join("/"), kind, times, unnamed);
            }
            for path in ["a", "b", "a/b"] {
                add(path.to_owned(), EntryKind::Directory, times, 0);
            }
            nodes
        })
}

/// Generates random requests.
pub fn find_requests() -> impl Strategy<Value = FindRequest> {
    let bound = || prop_oneof![3 => Just(None), 1 => (-2i64..3).prop_map(|ms| Some(NOON + ms))];
    let fields = prop::sample::select(vec![
        TimeField::Modified,
        TimeField::Created,
        TimeField::Accessed,
    ]);
    let sorts = prop::sample::select(vec![
        FindSort::TimeDesc,
        FindSort::TimeAsc,
        FindSort::PathAsc,
    ]);
    let globs = prop::sample::select(vec![
        None,
        None,
        None,
        None,
        Some("**"),
        Some("*"),
        Some("**/*.md"),
        Some("a/**"),
        Some("a/*"),
        Some("{a,b}/**/a*"),
        Some("**/b/**"),
        Some("[ab]*/*"),
        Some("a/b/a.md"),
        Some("**/가"),
        Some("."),
        Some("x/y"),
    ]);
    let paths = prop::sample::select(vec!["", "", "", ".", "a", "b", "a/b"]);
    (
        (paths, bound(), bound(), fields, sorts),
        (
            prop::bool::weighted(0.85),
            prop_oneof![3 => Just(64u32), 2 => 0u32..4],
            globs,
        ),
        (prop::bool::weighted(0.9), any::<bool>(), any::<bool>()),
    )
        .prop_map(
            |(
                (path, from, to, field, sort),
                (recursive, max_depth, glob),
                (files, directories, hidden),
            )| {
                let (from, to) = match (from, to) {
                    (Some(from), Some(to)) if from > to => (Some(to), Some(from)),
                    other => other,
                };
                FindRequest {
                    path: path.trim_start_matches('.').to_owned(),
                    from,
                    to,
                    field,
                    sort,
                    recursive,
                    max_depth,
                    glob,
                    files,
                    directories,
                    hidden,
                }
            },
        )
}

/// Generates random budgets, mostly small.
pub fn budgets() -> impl Strategy<Value = Budget> {
    let few = || prop_oneof![1u32..4, 1u32..30, Just(1000u32)];
    (few(), few(), few()).prop_map(|(milliseconds, files, directories)| Budget {
        milliseconds,
        files,
        directories,
    })
}

/// Creates the tree on a disk in memory.
pub fn plant(nodes: &[Node]) -> MemoryDisk {
    let disk = MemoryDisk::with_roots(&["docs"]);
    for node in nodes {
        let path = node.path.as_str();
        match node.kind {
            _ if path == ".gitignore" => disk.write("docs", path, b"skip\n"),
            EntryKind::File(size) => disk.write("docs", path, &vec![b'x'; size.into()]),
            _ if path.is_empty() => {}
            EntryKind::Directory | EntryKind::Locked => disk.make_directory("docs", path),
            EntryKind::Link => disk.link("docs", path),
            EntryKind::Fifo => disk.make_fifo("docs", path),
        }
    }
    for node in nodes {
        let [modified, created, accessed] = node.times;
        let times = Times {
            modified,
            created,
            accessed,
        };
        disk.set_times("docs", &node.path, times);
        if node.is_directory() {
            (0..node.unnamed).for_each(|_| disk.add_unnamed("docs", &node.path));
        }
        if node.kind == EntryKind::Locked {
            disk.deny("docs", &node.path, Failure::Permission);
        }
    }
    disk
}

impl FindRequest {
    /// Returns the request for every file that is not hidden.
    pub fn whole(sort: FindSort) -> Self {
        Self {
            path: String::new(),
            from: None,
            to: None,
            field: TimeField::Modified,
            sort,
            recursive: true,
            max_depth: 64,
            glob: None,
            files: true,
            directories: false,
            hidden: false,
        }
    }

    /// Returns the request without limits and budgets.
    pub fn options(&self) -> FindFilesOptions {
        FindFilesOptions {
            root: None,
            path: (!self.path.is_empty()).then(|| self.path.clone()),
            from: self
                .from
                .map(|ms| format!("2001-09-09T01:46:{:06.3}Z", seconds(ms))),
            to: self
                .to
                .map(|ms| format!("2001-09-09T10:46:{:06.3}+09:00", seconds(ms))),
            time_field: Some(self.field),
            sort: Some(self.sort),
            recursive: Some(self.recursive),
            max_depth: Some(self.max_depth),
            glob: self.glob.map(str::to_owned),
            include_files: Some(self.files),
            include_directories: Some(self.directories),
            include_hidden: Some(self.hidden),
            include_ignored: None,
            limit: None,
            cursor: None,
            timeout_ms: None,
            max_files_scanned: None,
            max_directories_scanned: None,
        }
    }

    /// Sorts matches in the requested order.
    pub fn sort(&self, found: &mut [Expected]) {
        found.sort_by(|(p, a, _), (q, b, _)| match self.sort {
            FindSort::TimeDesc => b.cmp(a).then(p.as_bytes().cmp(q.as_bytes())),
            FindSort::TimeAsc => a.cmp(b).then(p.as_bytes().cmp(q.as_bytes())),
            FindSort::PathAsc => p.as_bytes().cmp(q.as_bytes()).then(a.cmp(b)),
        });
    }

    /// Returns true if no time or kind can match, so that nothing is examined.
    fn is_vain(&self) -> bool {
        (self.from.is_some() && self.from == self.to) || !(self.files || self.directories)
    }

    fn levels(&self) -> usize {
        if self.recursive {
            self.max_depth as usize
        } else {
            1
        }
    }

    /// Returns the number of levels of a path below the start; none if it is not below it.
    fn depth(&self, path: &str) -> Option<usize> {
        let rest = if self.path.is_empty() || path == self.path {
            path.strip_prefix(&self.path)?
        } else {
            path.strip_prefix(&format!("{}/", self.path))?
        };
        Some(
            rest.split('/')
                .filter(|segment| !segment.is_empty())
                .count(),
        )
    }

    fn leaves_out(&self, node: &Node) -> bool {
        node.name() == "skip" || (node.name().starts_with('.') && !self.hidden)
    }
}

fn seconds(milliseconds: i64) -> f64 {
    let of_minute = u32::try_from(milliseconds - (NOON - 40_000)).unwrap_or_default();
    f64::from(of_minute) / 1000.0
}

/// Returns the expected matches, in order, and the expected skipped entries, in any order; the
/// latter only without a glob, which also decides what is examined.
pub fn expected(nodes: &[Node], request: &FindRequest) -> (Vec<Expected>, Option<Vec<String>>) {
    let (mut found, mut skipped) = (Vec::new(), Vec::new());
    if request.is_vain() {
        return (found, Some(skipped));
    }
    let glob = request.glob.map(|glob| {
        let built = GlobBuilder::new(glob).literal_separator(true).build();
        built
            .unwrap_or_else(|error| panic!("{error}"))
            .compile_matcher()
    });
    for node in nodes {
        let Some(depth) = request.depth(&node.path) else {
            continue;
        };
        let is_start = depth == 0;
        let is_reached = nodes.iter().all(|above| {
            let is_above = node.path.starts_with(&format!("{}/", above.path))
                && request.depth(&above.path).is_some_and(|depth| depth > 0);
            !is_above || (above.kind == EntryKind::Directory && !request.leaves_out(above))
        });
        if !is_reached || (!is_start && request.leaves_out(node)) {
            continue;
        }
        let path = if node.path.is_empty() {
            "."
        } else {
            &node.path
        };
        if depth < request.levels() && node.is_directory() {
            if node.kind == EntryKind::Locked {
                skipped.push(format!("{path} Permission"));
            } else {
                (0..node.unnamed).for_each(|_| skipped.push(format!("{path} NameNotUtf8")));
            }
        }
        if depth > request.levels() || (is_start && !request.recursive) {
            continue;
        }
        let size = match node.kind {
            EntryKind::Link => {
                skipped.push(format!("{path} Symlink"));
                continue;
            }
            EntryKind::Fifo => {
                skipped.push(format!("{path} NotRegular"));
                continue;
            }
            EntryKind::File(size) if request.files => Some(u64::from(size)),
            EntryKind::Directory | EntryKind::Locked if request.directories => None,
            _ => continue,
        };
        let time = node.times[match request.field {
            TimeField::Modified => 0,
            TimeField::Created => 1,
            TimeField::Accessed => 2,
        }];
        let Some(time) = time else {
            skipped.push(format!("{path} NoTimestamp"));
            continue;
        };
        let milliseconds = time.div_euclid(1_000_000);
        let milliseconds = i64::try_from(milliseconds).unwrap_or(if milliseconds < 0 {
            i64::MIN
        } else {
            i64::MAX
        });
        let is_in_time = request.from.is_none_or(|from| from <= milliseconds)
            && request.to.is_none_or(|to| milliseconds < to);
        if is_in_time && glob.as_ref().is_none_or(|glob| glob.is_match(path)) {
            found.push((path.to_owned(), milliseconds, size));
        }
    }
    request.sort(&mut found);
    (found, request.glob.is_none().then_some(skipped))
}

/// Parses the time of an answer into milliseconds since 1970.
pub fn milliseconds(time: &str) -> i64 {
    match time {
        "+292278994-08-17T07:12:55.807Z" => i64::MAX,
        "-292275055-05-16T16:47:04.192Z" => i64::MIN,
        // chrono writes years of more than four digits differently from ISO 8601.
        expanded if expanded.starts_with('+') => {
            let year = &expanded[1..7];
            let shifted = expanded.replacen(&format!("+{year}"), "2645", 1);
            assert_eq!(year, "014645", "the only other far year of the tests");
            // 12 000 years are thirty times four hundred years, which all have the same length.
            milliseconds(&shifted) + 30 * 146_097 * 86_400_000
        }
        _ => match chrono::DateTime::parse_from_rfc3339(time) {
            Ok(time) => time.timestamp_millis(),
            Err(error) => panic!("{time}: {error}"),
        },
    }
}
