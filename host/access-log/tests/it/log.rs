//! Logs for the tests.

use std::fs;
use std::path::{Path, PathBuf};

use docent_access_log::anchor::Anchor;
use docent_access_log::entry::{Begin, CallFiles, EndedCall, LogEntry, Program, SentAnswer};
use docent_access_log::key::Verifier;
use docent_access_log::verify::{Report, Witnesses, verify_ambient};
use docent_access_log::{Hash, Log, LogError, StoreError};
use tempfile::TempDir;

pub struct TestLog {
    pub home: TempDir,
}

/// Attempts to take a lock, which last a few seconds.
const LOOKS: usize = 200_000;

impl TestLog {
    pub fn new() -> Self {
        Self {
            home: tempfile::tempdir().unwrap(),
        }
    }

    pub fn directory(&self) -> PathBuf {
        self.home.path().join("log")
    }

    pub fn key(&self) -> PathBuf {
        self.home.path().join("key")
    }

    /// Opens the log, which nobody has open any more.
    pub fn open(&self) -> Log {
        self.try_open(Vec::new()).unwrap()
    }

    /// Opens the log, which nobody has open any more, with these anchors. A program that another
    /// test is starting briefly has a copy of this process's files, including the lock.
    pub fn try_open(&self, anchors: Vec<Anchor>) -> Result<Log, LogError> {
        for _ in 0..LOOKS {
            match self.open_once(anchors.clone()) {
                Err(LogError::Store(StoreError::Busy(_))) => std::thread::yield_now(),
                opened => return opened,
            }
        }
        self.open_once(anchors)
    }

    /// Opens the log, or says that it is open already.
    pub fn open_once(&self, anchors: Vec<Anchor>) -> Result<Log, LogError> {
        Log::open_ambient(&self.directory(), &self.key(), anchors, program())
    }

    /// Writes a log with this number of calls between a start and a stop, and seals it.
    pub fn written(calls: usize) -> Self {
        let place = Self::new();
        let log = place.open();
        for number in 0..calls {
            log.append(call(number)).unwrap();
        }
        log.append(LogEntry::Stop {}).unwrap();
        log.seal().unwrap();
        place
    }

    pub fn segment(&self) -> PathBuf {
        self.directory().join("000001.jsonl")
    }

    pub fn lines(&self) -> Vec<String> {
        let text = fs::read_to_string(self.segment()).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    pub fn set_lines(&self, lines: &[String]) {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(self.segment(), text).unwrap();
    }

    pub fn verifier(&self) -> Verifier {
        Verifier::read_ambient(&self.directory().join("verifier")).unwrap()
    }

    pub fn report(&self) -> Report {
        let witnesses = Witnesses {
            key: Some(self.verifier()),
            ..Witnesses::default()
        };
        verify_log(&self.directory(), &witnesses)
    }
}

pub fn verify_log(directory: &Path, witnesses: &Witnesses) -> Report {
    verify_ambient(directory, witnesses).unwrap()
}

pub fn program() -> Program {
    Program {
        version: "0.1.0".to_owned(),
        component: Hash::digest(b"component"),
        roots: [("notes".to_owned(), "read-only".to_owned())].into(),
        exact: false,
    }
}

pub fn begin(number: usize) -> LogEntry {
    LogEntry::Begin(Box::new(Begin {
        who: "ann".to_owned(),
        principal: None,
        client: None,
        tool: "write".to_owned(),
        arguments: serde_json::json!({"path": format!("메모/{number}.md"), "root": "notes"}),
    }))
}

/// Returns the outcome of a call that was begun as entry `begun`.
pub fn outcome(begun: u64, number: usize) -> LogEntry {
    let LogEntry::Call(mut ended) = call(number) else {
        unreachable!("it is a call");
    };
    ended.begun = Some(begun);
    LogEntry::Call(ended)
}

pub fn call(number: usize) -> LogEntry {
    let paths = vec![format!("메모/{number}.md"), "a.md".to_owned()];
    LogEntry::Call(Box::new(EndedCall {
        begun: None,
        principal: None,
        who: "ann".to_owned(),
        client: None,
        tool: "read_document".to_owned(),
        arguments: serde_json::json!({"path": format!("{number}.md")}),
        outcome: "answered".to_owned(),
        ms: 3,
        answer: Some(SentAnswer {
            bytes: 11,
            sha256: Hash::digest(b"answer"),
        }),
        instance: Some(1),
        calls_before: number as u64,
        files: CallFiles {
            read: [("notes".to_owned(), paths)].into(),
            ..CallFiles::default()
        },
    }))
}

/// Returns the leaf hash of a line.
pub fn leaf(line: &str) -> Hash {
    Hash::digest(&[&[0], line.as_bytes()].concat())
}
