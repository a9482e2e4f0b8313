//! The questions of a client to a server.

use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use docent_test_processes::server::Server;
use serde_json::json;

use crate::counter::{CountLog, Counter};

/// A word that occurs in about one document in a hundred.
pub const WORD: &str = "deadlock";

/// A pattern that is a rare literal.
pub const PATTERN: &str = "checksum";

/// Questions; the first one is that of a new process.
const QUESTIONS: [&str; 4] = [
    "how is a deadlock avoided",
    "which checksum is computed",
    "what does the tokenizer return",
    "when does parsing panic",
];

/// Time that a call may take: more than the default, so that no answer is one in part.
const TIMEOUT_MS: u32 = 60_000;

/// A request to a server.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// A search for the same word, through all its pages.
    Search,
    /// A question.
    Question(usize),
    /// A pattern that is a rare literal.
    Pattern,
    /// The structure of the whole tree.
    Understand,
    /// A question for a word that a document has only just got.
    Changed(usize),
}

/// A server on a tree.
pub struct Session<'a> {
    server: Server,
    tree: &'a Path,
}

impl<'a> Session<'a> {
    /// Starts a server, which keeps its state in `state` if there is one.
    ///
    /// # Errors
    /// If it does not answer.
    pub fn start(
        command: Command,
        tree: &'a Path,
        state: Option<&Path>,
    ) -> Result<Self, Box<dyn Error>> {
        let more: Vec<OsString> = match state {
            Some(state) => vec!["--state".into(), state.as_os_str().to_owned()],
            None => vec!["--no-state".into()],
        };
        Ok(Self {
            server: Server::launch(command, tree, &more)?,
            tree,
        })
    }

    /// Makes a request.
    ///
    /// # Errors
    /// If it is refused, or a change is not seen.
    pub fn make(&mut self, step: Step) -> Result<(), Box<dyn Error>> {
        match step {
            Step::Search => self.server.search(WORD),
            Step::Question(number) => {
                let query = QUESTIONS[number % QUESTIONS.len()];
                let question = json!({ "query": query, "limits": { "timeoutMs": TIMEOUT_MS } });
                self.server.ask("explore", &question).map(drop)
            }
            Step::Pattern => {
                let pattern = json!({ "pattern": PATTERN, "limits": { "timeoutMs": TIMEOUT_MS } });
                self.server.ask("explore", &pattern).map(drop)
            }
            Step::Understand => {
                let options = json!({ "limits": { "timeoutMs": TIMEOUT_MS } });
                self.server.ask("understand", &options).map(drop)
            }
            Step::Changed(number) => self.change(number).map(drop),
        }
    }

    /// Makes a request, and returns its CPU time: for a changed document that of the question
    /// after the change.
    ///
    /// # Errors
    /// If it is refused, or a change is not seen.
    pub fn cost(&mut self, step: Step) -> Result<Duration, Box<dyn Error>> {
        if let Step::Changed(number) = step {
            return self.change(number);
        }
        let before = self.server.cpu()?;
        self.make(step)?;
        Ok(self.server.cpu()?.saturating_sub(before))
    }

    /// Returns the CPU time of the process so far.
    ///
    /// # Errors
    /// If the system does not report it.
    pub fn cpu(&self) -> Result<Duration, Box<dyn Error>> {
        self.server.cpu()
    }

    /// Returns the peak memory of the process so far, in bytes.
    ///
    /// # Errors
    /// If the system does not report it.
    pub fn peak(&self) -> Result<u64, Box<dyn Error>> {
        self.server.peak()
    }

    /// Gives a document a word that no other has, asks for it, and restores the document. Returns
    /// the CPU time of the question.
    fn change(&mut self, number: usize) -> Result<Duration, Box<dyn Error>> {
        let path = nth_document(self.tree, number)?;
        let shown = path.strip_prefix(self.tree)?.display().to_string();
        let before = fs::read_to_string(&path)?;
        let word = format!("zorvelik{}", "abcdefghij".get(number % 10..).unwrap_or("k"));
        fs::write(&path, format!("{before}\nThe {word} was added.\n"))?;
        let answered = self.server.cpu().and_then(|started| {
            let question = json!({ "query": word, "limits": { "timeoutMs": TIMEOUT_MS } });
            let answer = self.server.ask("explore", &question)?;
            Ok((answer, self.server.cpu()?.saturating_sub(started)))
        });
        fs::write(&path, before)?;
        let (answer, cost) = answered?;
        if !answer.to_string().contains(&shown) {
            return Err(format!("a change of {shown} was not seen: {answer}").into());
        }
        Ok(cost)
    }
}

/// Returns the instructions of a session that makes these requests.
///
/// # Errors
/// If a request is refused, or nothing is counted.
pub fn count(
    counter: Counter,
    program: &Path,
    tree: &Path,
    steps: &[Step],
) -> Result<u64, Box<dyn Error>> {
    let log = CountLog::new()?;
    let mut session = Session::start(counter.command(program, &log.path()), tree, None)?;
    for step in steps {
        session.make(*step)?;
    }
    // The server ends with its input, and then the count is written.
    drop(session);
    counter.read(&log.path())
}

/// Returns a document in the part of a tree that `number` selects.
fn nth_document(tree: &Path, number: usize) -> Result<PathBuf, Box<dyn Error>> {
    let mut path = tree.to_owned();
    while path.is_dir() {
        let entries = fs::read_dir(&path)?.map(|entry| Ok(entry?.path()));
        let mut entries = entries.collect::<std::io::Result<Vec<PathBuf>>>()?;
        entries.sort();
        if entries.is_empty() {
            return Err(format!("{} is empty", path.display()).into());
        }
        path = entries.swap_remove(number % entries.len());
    }
    Ok(path)
}
