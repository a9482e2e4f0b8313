//! What may follow what in a log, and what a start says of the entries before it. Who verifies a log
//! and who goes on with it ask the same questions.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::entry::{Entry, Found};
use crate::key::Verifier;
use crate::line::{Content, Written, is_signed};

/// The way through a log's entries, as far as it was gone.
#[derive(Default)]
pub struct Course {
    phase: Phase,
    /// The latest form in which a start says that entries are written.
    format: u64,
    /// Where checkpoints are kept beside the log, by the word of the last start.
    has_anchors: bool,
    /// How often the program began again without having ended.
    cut_off: u64,
    /// Calls that were begun, and of which no outcome is known yet.
    begun: BTreeSet<u64>,
    /// Entries that a start has found without a signature.
    found: Vec<Range<u64>>,
}

/// Where in the life of a program an entry stands.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Phase {
    /// Nobody knows: at the beginning, and behind an entry that was taken out.
    #[default]
    Unknown,
    Running,
    Stopped,
}

/// Whether an entry is in a signed checkpoint.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Cover {
    Signed,
    Unsigned,
}

impl Cover {
    /// Returns that of the entry `seq` where the first `signed` are in a checkpoint.
    pub fn of(seq: u64, signed: u64) -> Self {
        if seq < signed {
            Self::Signed
        } else {
            Self::Unsigned
        }
    }
}

impl Course {
    /// Goes on to the next entry, which stands on `line`.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn take(
        &mut self,
        content: &Content,
        line: &str,
        cover: Cover,
        key: &Verifier,
    ) -> Result<(), &'static str> {
        let Content::Written(written) = content else {
            if self.phase == Phase::Stopped && cover == Cover::Unsigned {
                return Err(BEHIND_A_STOP);
            }
            self.phase = Phase::Unknown;
            return Ok(());
        };
        self.start(written, line, key)?;
        let is_start = matches!(written.entry, Entry::Start(_));
        if self.phase == Phase::Stopped && !is_start {
            // The first form told of an entry that was cut off before it told of the start.
            let is_early = self.format < 2
                && (cover == Cover::Signed || matches!(written.entry, Entry::Repaired(_)));
            if !is_early {
                return Err(BEHIND_A_STOP);
            }
        }
        match &written.entry {
            Entry::Start(start) => {
                self.cut_off += u64::from(self.phase == Phase::Running);
                self.phase = Phase::Running;
                self.has_anchors = !start.anchors.is_empty();
            }
            Entry::Stop {} => self.phase = Phase::Stopped,
            Entry::Begin(_) => {
                self.begun.insert(written.seq);
            }
            Entry::Call(call) => {
                if let Some(begun) = call.begun {
                    self.begun.remove(&begun);
                }
            }
            Entry::Repaired(_) | Entry::Refused(_) | Entry::Unrecorded(_) => {}
        }
        Ok(())
    }

    /// Looks at an entry that may be a start: from the second form on, nobody else can have written
    /// it.
    fn start(&mut self, written: &Written, line: &str, key: &Verifier) -> Result<(), &'static str> {
        let Entry::Start(start) = &written.entry else {
            return Ok(());
        };
        self.format = self.format.max(start.format);
        if self.format < 2 {
            return Ok(());
        }
        if !is_signed(line, key) {
            return Err("it is a start that this key has not signed");
        }
        let Some(Found { entries, signed }) = start.found else {
            return Err("it is a start that does not say what it found");
        };
        if entries != written.seq || signed > entries {
            return Err("it is a start that found another log");
        }
        if signed < entries {
            self.found.push(signed..entries);
        }
        Ok(())
    }

    /// Whether checkpoints are kept beside the log, by its own word.
    pub fn has_anchors(&self) -> bool {
        self.has_anchors
    }

    /// Returns how often the program began again without having ended.
    pub fn cut_off(&self) -> u64 {
        self.cut_off
    }

    /// Returns the calls that were begun and of which no outcome stands behind.
    pub fn begun(&self) -> &BTreeSet<u64> {
        &self.begun
    }

    /// Returns the entries that a start has found without a signature.
    pub fn found(&self) -> &[Range<u64>] {
        &self.found
    }
}

const BEHIND_A_STOP: &str = "it stands behind a stop, and is no start that was signed";
