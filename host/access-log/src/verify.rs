//! Verification of a log against its signatures and anchored checkpoints.

use std::path::Path;

use crate::checkpoint::{Checkpoint, NoteError};
use crate::hash::Hash;
use crate::key::Verifier;
use crate::line::{LineContent, WrittenEntry};
use crate::sequence::{Cover, EntrySequence};
use crate::store::{Dropped, LogDirectory, StoreError, StoredCheckpoint};
use crate::tree::Frontier;

/// The evidence by which a log is verified.
#[derive(Clone, Debug, Default)]
pub struct Witnesses {
    /// Key that must have signed the log. `None` for the one stored beside it, which only proves
    /// that the log was not damaged by accident.
    pub key: Option<Verifier>,
    /// Signed checkpoints from anchors.
    pub anchored: Vec<String>,
}

/// The findings about a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Name of the log; `None` if there is no key.
    pub origin: Option<String>,
    /// Number of entries, including those that were withheld or dropped.
    pub entries: u64,
    /// Number of entries in dropped segments, at the beginning.
    pub dropped: u64,
    /// Number of entries that were withheld one by one.
    pub withheld: u64,
    /// Number of checkpoints that were compared.
    pub checkpoints: u64,
    /// Number of entries, from the first on, that are in a signed checkpoint.
    pub signed: u64,
    /// Number of entries, from the first on, that are in an anchored checkpoint.
    pub anchored: u64,
    /// Number of entries for which no signature vouches: those after the last checkpoint, and those
    /// that a start found without one.
    pub unsigned: u64,
    /// Numbers of the entries of calls that were begun and have no recorded outcome. Includes calls
    /// that are running.
    pub unfinished: Vec<u64>,
    /// Number of starts that follow no stop.
    pub cut_off: u64,
    /// Number of entries with an earlier time than the one before.
    pub clock_steps: u64,
    /// Conclusion from these findings.
    pub verdict: Verdict,
}

/// The conclusion about a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing was changed, as far as signatures and anchors reach.
    Intact,
    /// Something was changed.
    Tampered {
        /// Number of the first entry that is missing or is not what was written.
        entry: u64,
        /// Description of what is wrong with it.
        why: String,
    },
    /// There is not enough evidence, for the given reason.
    Unknown(String),
}

/// The state of a verification after a prefix of the log.
struct Verification {
    report: Report,
    tree: Frontier,
    last: Option<Hash>,
    time: Option<String>,
    sequence: EntrySequence,
    /// Checkpoints to compare, with their origins, by ascending size.
    expected: Vec<(Checkpoint, CheckpointOrigin)>,
    compared: usize,
}

/// The origin of a checkpoint: the log itself, or an anchor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CheckpointOrigin {
    Here,
    Elsewhere,
}

/// The error of an entry that is not what was written, by its number.
struct BadEntry(u64, String);

/// Verifies the log in a directory.
///
/// # Errors
/// Fails if the log cannot be read. A directory without a log is [`StoreError::Missing`]: a missing
/// log must not pass for a clean one.
pub fn verify_ambient(directory: &Path, witnesses: &Witnesses) -> Result<Report, StoreError> {
    let store = LogDirectory::new(directory);
    store.segments_ambient()?;
    let own = store.verifier_ambient()?;
    let own = own.and_then(|text| Verifier::parse(&text).ok());
    let key = witnesses.key.clone().or(own);
    let mut verification = Verification::new(key.as_ref().map(|key| key.name().to_owned()));
    let Some(key) = key else {
        verification.report.verdict =
            Verdict::Unknown("there is no key to check its signatures".to_owned());
        return Ok(verification.report);
    };
    // Checkpoints are read before entries, because a program may be writing meanwhile. It signs
    // entries only after they are in their file, so every checkpoint read here has its entries
    // in the segments read later. In the other order, a checkpoint signed in between would
    // cover entries that were not read, and an intact log would be reported as cut off.
    let read = (store.read_dropped_ambient(), store.checkpoints_ambient());
    let segments = store.segments_ambient()?;
    let verified = match read {
        (Ok(dropped), Ok(kept)) => verification
            .expect(&key, &kept, &witnesses.anchored)
            .and_then(|()| verification.begin(dropped.clone()))
            .and_then(|()| verification.check_segments(&store, &segments, &dropped, &key)),
        (Err(StoreError::Damaged(path)), _) | (_, Err(StoreError::Damaged(path))) => {
            Err(BadEntry(0, format!("`{}` is damaged", path.display())))
        }
        (Err(error), _) | (_, Err(error)) => return Err(error),
    };
    verification.count();
    verification.report.verdict = match verified {
        Err(BadEntry(entry, why)) => Verdict::Tampered { entry, why },
        Ok(()) => verification.verdict(),
    };
    Ok(verification.report)
}

impl Verification {
    fn new(origin: Option<String>) -> Self {
        Self {
            report: Report {
                origin,
                entries: 0,
                dropped: 0,
                withheld: 0,
                checkpoints: 0,
                signed: 0,
                anchored: 0,
                unsigned: 0,
                unfinished: Vec::new(),
                cut_off: 0,
                clock_steps: 0,
                verdict: Verdict::Intact,
            },
            tree: Frontier::default(),
            last: None,
            time: None,
            sequence: EntrySequence::default(),
            expected: Vec::new(),
            compared: 0,
        }
    }

    /// Collects the checkpoints that the log has to agree with.
    fn expect(
        &mut self,
        key: &Verifier,
        kept: &[StoredCheckpoint],
        anchored: &[String],
    ) -> Result<(), BadEntry> {
        // Sizes must not decrease. The writer's tree only grows, so a smaller size means that
        // the log was cut off and continued, or that lines of the checkpoint file were
        // reordered.
        let mut size = 0;
        for (number, kept) in kept.iter().enumerate() {
            let number = number + 1;
            let checkpoint = read(&kept.note, key);
            let checkpoint =
                checkpoint.map_err(|why| BadEntry(size, format!("checkpoint {number}: {why}")))?;
            if checkpoint.size < size {
                let why = format!("checkpoint {number} has fewer entries than the one before");
                return Err(BadEntry(checkpoint.size, why));
            }
            size = checkpoint.size;
            self.expected.push((checkpoint, CheckpointOrigin::Here));
        }
        for note in anchored {
            // A checkpoint of another log is an error and is not ignored: the anchor was named
            // as the one that keeps this log's checkpoints. If it has those of another log,
            // somebody has replaced the log, or the key and the log together.
            let checkpoint = read(note, key).map_err(|why| {
                let other = Checkpoint::parse(note).ok().map(|it| it.origin);
                let other = other.filter(|origin| origin != key.name());
                let why = other.map_or(why.to_string(), |it| {
                    format!("it belongs to the log `{it}`")
                });
                BadEntry(0, format!("a checkpoint kept elsewhere: {why}"))
            })?;
            self.expected
                .push((checkpoint, CheckpointOrigin::Elsewhere));
        }
        self.expected
            .sort_by_key(|(checkpoint, place)| (checkpoint.size, *place));
        Ok(())
    }

    fn begin(&mut self, dropped: Dropped) -> Result<(), BadEntry> {
        self.report.dropped = dropped.tree.size();
        self.tree = dropped.tree;
        self.last = dropped.last;
        // The roots of checkpoints that are older than the remaining entries cannot be computed
        // any more: the dropped state is a tree of one size. They are skipped. A checkpoint of
        // exactly that size vouches for the dropped state itself.
        let dropped = self.report.dropped;
        self.compared = self.expected.partition_point(|(it, _)| it.size < dropped);
        self.compare()
    }

    /// Compares the tree with the checkpoints of its size.
    fn compare(&mut self) -> Result<(), BadEntry> {
        while let Some((checkpoint, place)) = self.expected.get(self.compared) {
            if checkpoint.size != self.tree.size() {
                break;
            }
            if checkpoint.root != self.tree.root() {
                let signed = match place {
                    CheckpointOrigin::Here => "what was signed",
                    CheckpointOrigin::Elsewhere => "what was kept elsewhere",
                };
                // The previous checkpoint matched, so all entries up to its size are correct,
                // and the first bad entry is one of those after it. The links between the lines
                // are intact, so whoever changed one has rewritten the later ones to match, and
                // nothing shows which was the first.
                let why = format!("the first {} entries are not {signed}", checkpoint.size);
                return Err(BadEntry(self.report.signed.max(self.report.anchored), why));
            }
            self.report.checkpoints += 1;
            match place {
                CheckpointOrigin::Here => self.report.signed = checkpoint.size,
                CheckpointOrigin::Elsewhere => self.report.anchored = checkpoint.size,
            }
            self.compared += 1;
        }
        Ok(())
    }

    fn check_segments(
        &mut self,
        store: &LogDirectory,
        segments: &[u64],
        dropped: &Dropped,
        key: &Verifier,
    ) -> Result<(), BadEntry> {
        let signed = self.expected.last().map_or(0, |(last, _)| last.size);
        let mut misplaced = None;
        for number in segments {
            let failed = |error: StoreError| BadEntry(self.tree.size(), error.to_string());
            for line in store.lines_ambient(*number).map_err(failed)? {
                let seq = self.tree.size();
                let Some(content) = LineContent::parse(&line.text) else {
                    // A line without an end at the end of the log is being written, or was left
                    // by a program that was killed meanwhile. Its entry was not acknowledged:
                    // the answer of its call was not sent. Anywhere else, such a line was
                    // changed later.
                    if !line.is_ended && Some(number) == segments.last() {
                        continue;
                    }
                    return Err(BadEntry(seq, "it is not an entry".to_owned()));
                };
                if dropped.covers(&content) && seq == self.report.dropped {
                    continue;
                }
                if !line.is_ended {
                    return Err(BadEntry(seq, "its line has no end".to_owned()));
                }
                if content.seq() != seq {
                    let why = format!("entry {} is in its place", content.seq());
                    return Err(BadEntry(seq, why));
                }
                match &content {
                    LineContent::Withheld(_) => self.report.withheld += 1,
                    LineContent::Written(written) => self.check_entry(written)?,
                }
                let cover = Cover::new(seq, signed);
                let taken = self.sequence.take(&content, &line.text, cover, key);
                if let Err(why) = taken {
                    // An error in a signed entry ends the verification. An error after the last
                    // checkpoint is kept until all entries are read, so that the report counts
                    // the unsigned ones in full: that is how much of the log rests on no
                    // signature.
                    if cover == Cover::Signed {
                        return Err(BadEntry(seq, why.to_owned()));
                    }
                    misplaced.get_or_insert_with(|| BadEntry(seq, why.to_owned()));
                }
                let leaf = content.leaf(&line.text);
                self.tree.push(leaf);
                self.last = Some(leaf);
                self.compare()?;
            }
        }
        if let Some(bad) = misplaced {
            return Err(bad);
        }
        match self.expected.get(self.compared) {
            None => Ok(()),
            Some((checkpoint, _)) => {
                let (size, signed) = (self.tree.size(), checkpoint.size);
                Err(BadEntry(
                    size,
                    format!("entries {size} to {} are missing", signed - 1),
                ))
            }
        }
    }

    fn check_entry(&mut self, written: &WrittenEntry) -> Result<(), BadEntry> {
        if written.prev != self.last {
            // The link between two lines is broken. Either may have been changed: the earlier
            // one, whose hash then differs, or the `prev` of the later one. The earlier number
            // is reported, because no entry before it is affected.
            let before = written.seq.saturating_sub(1);
            return Err(BadEntry(
                before,
                "the next entry refers to a different one".to_owned(),
            ));
        }
        if self.time.as_ref().is_some_and(|time| *time > written.time) {
            self.report.clock_steps += 1;
        }
        self.time = Some(written.time.clone());
        Ok(())
    }

    /// Computes the counts and stores them in the report.
    fn count(&mut self) {
        let report = &mut self.report;
        report.entries = self.tree.size();
        report.cut_off = self.sequence.cut_off();
        report.unfinished = self.sequence.unfinished_calls().iter().copied().collect();
        let covered = report.signed.max(report.anchored).max(report.dropped);
        // The ranges of the starts and the entries after the last checkpoint may overlap: a
        // start comes after the entries that it found, and may itself come after the last
        // checkpoint. Each range is therefore cut at `covered`, and everything after `covered`
        // is counted once.
        let found = self.sequence.unsigned_ranges().iter();
        let found = found.map(|range| range.end.min(covered).saturating_sub(range.start));
        report.unsigned = found.sum::<u64>() + report.entries.saturating_sub(covered);
    }

    /// Returns the verdict of a log without any error.
    fn verdict(&self) -> Verdict {
        if self.report.checkpoints == 0 && self.tree.size() > self.report.dropped {
            return Verdict::Unknown("nothing of it is signed yet".to_owned());
        }
        if self.sequence.has_anchors() && self.report.anchored == 0 {
            let why = "its checkpoints are kept elsewhere as well, and none was given to compare";
            return Verdict::Unknown(why.to_owned());
        }
        Verdict::Intact
    }
}

fn read(note: &str, key: &Verifier) -> Result<Checkpoint, NoteError> {
    let checkpoint = Checkpoint::parse_verified(note, key)?;
    if checkpoint.origin == key.name() {
        Ok(checkpoint)
    } else {
        Err(NoteError::Forged)
    }
}
