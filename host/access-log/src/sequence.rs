//! The order in which entries may follow each other, and the claims of a start about the entries
//! before it. Shared by the verifier and the writer, which have to agree.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::entry::{FoundEntries, LogEntry};
use crate::key::Verifier;
use crate::line::{LineContent, WrittenEntry, is_signed};

/// The state of a log after a prefix of its entries.
#[derive(Default)]
pub struct EntrySequence {
    phase: LogPhase,
    /// Latest format that a start has declared.
    format: u64,
    /// True if the last start names anchors.
    has_anchors: bool,
    /// Number of starts that follow no stop.
    cut_off: u64,
    /// Numbers of the calls that were begun and have no outcome yet.
    begun: BTreeSet<u64>,
    /// Ranges of entries that a start found without a signature.
    found: Vec<Range<u64>>,
}

/// The phase of the program's life after an entry.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum LogPhase {
    /// Unknown: at the beginning, and after an entry that was withheld.
    #[default]
    Unknown,
    Running,
    Stopped,
}

/// The presence of an entry in a signed checkpoint.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Cover {
    Signed,
    Unsigned,
}

impl Cover {
    /// Returns the cover of entry `seq` if the first `signed` entries are in a checkpoint.
    pub fn new(seq: u64, signed: u64) -> Self {
        if seq < signed {
            Self::Signed
        } else {
            Self::Unsigned
        }
    }
}

impl EntrySequence {
    /// Advances to the next entry, whose text is `line`.
    ///
    /// A stop must be followed by a signed start. Otherwise somebody without the key could append
    /// entries to a log that ended cleanly, and the next checkpoint would sign them.
    ///
    /// # Errors
    /// Describes what is wrong with the entry.
    pub fn take(
        &mut self,
        content: &LineContent,
        line: &str,
        cover: Cover,
        key: &Verifier,
    ) -> Result<(), &'static str> {
        let LineContent::Written(written) = content else {
            // A withheld line has no content, so nothing shows if it was a start. After a stop,
            // a signed checkpoint must vouch for its position. Otherwise anyone without the key
            // could append `{"seq":9,"withheld":"…"}` to a log that ended cleanly: such a line
            // needs no `prev`, and everything after it would be accepted in the phase
            // `Unknown`.
            if self.phase == LogPhase::Stopped && cover == Cover::Unsigned {
                return Err(BEHIND_A_STOP);
            }
            self.phase = LogPhase::Unknown;
            return Ok(());
        };
        self.start(written, line, key)?;
        let is_start = matches!(written.entry, LogEntry::Start(_));
        if self.phase == LogPhase::Stopped && !is_start {
            // The first format wrote the `repaired` entry of a half-written line before the
            // start, and did not sign starts. Entries after a stop are accepted there if they
            // are such an entry, or if a checkpoint covers them.
            let is_early = self.format < 2
                && (cover == Cover::Signed || matches!(written.entry, LogEntry::Repaired(_)));
            if !is_early {
                return Err(BEHIND_A_STOP);
            }
        }
        match &written.entry {
            LogEntry::Start(start) => {
                self.cut_off += u64::from(self.phase == LogPhase::Running);
                self.phase = LogPhase::Running;
                self.has_anchors = !start.anchors.is_empty();
            }
            LogEntry::Stop {} => self.phase = LogPhase::Stopped,
            LogEntry::Begin(_) => {
                self.begun.insert(written.seq);
            }
            LogEntry::Call(call) => {
                if let Some(begun) = call.begun {
                    self.begun.remove(&begun);
                }
            }
            LogEntry::Repaired(_) | LogEntry::Refused(_) | LogEntry::Unrecorded(_) => {}
        }
        Ok(())
    }

    /// Checks an entry if it is a start. From the second format on a start is signed by itself, so
    /// nobody without the key can have written it.
    fn start(
        &mut self,
        written: &WrittenEntry,
        line: &str,
        key: &Verifier,
    ) -> Result<(), &'static str> {
        let LogEntry::Start(start) = &written.entry else {
            return Ok(());
        };
        // The format never decreases. Otherwise an unsigned start that claims format 1 could be
        // appended to a log of format 2, and the rules for old logs would apply to whatever
        // follows.
        self.format = self.format.max(start.format);
        if self.format < 2 {
            return Ok(());
        }
        if !is_signed(line, key) {
            return Err("it is a start that this key has not signed");
        }
        let Some(FoundEntries { entries, signed }) = start.found else {
            return Err("it is a start that does not say what it found");
        };
        // The numbers bind the signed start to its position. A start copied from another place
        // in the log, or from an older copy of it, has a valid signature but another number of
        // entries before it.
        if entries != written.seq || signed > entries {
            return Err("it is a start that found another log");
        }
        if signed < entries {
            self.found.push(signed..entries);
        }
        Ok(())
    }

    /// Returns true if the log itself says that it has anchors.
    pub fn has_anchors(&self) -> bool {
        self.has_anchors
    }

    /// Returns the number of starts that follow no stop.
    pub fn cut_off(&self) -> u64 {
        self.cut_off
    }

    /// Returns the numbers of the calls that were begun and have no outcome.
    pub fn unfinished_calls(&self) -> &BTreeSet<u64> {
        &self.begun
    }

    /// Returns the ranges of entries that a start found without a signature.
    pub fn unsigned_ranges(&self) -> &[Range<u64>] {
        &self.found
    }
}

const BEHIND_A_STOP: &str = "it follows a stop and is not a signed start";
