//! Whether a log is what was written.

use std::path::Path;

use crate::course::{Course, Cover};
use crate::hash::Hash;
use crate::key::Verifier;
use crate::line::{Content, Written};
use crate::note::{Checkpoint, NoteError};
use crate::store::{Dropped, Kept, Store, StoreError};
use crate::tree::Frontier;

/// By what a log is verified.
#[derive(Clone, Debug, Default)]
pub struct Witnesses {
    /// The key that has to have signed it; none for the one that lies beside it, which proves no
    /// more than that it was not damaged by accident.
    pub key: Option<Verifier>,
    /// Signed checkpoints that were kept elsewhere.
    pub anchored: Vec<String>,
}

/// What was found out about a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The name of the log; none where there is no key.
    pub origin: Option<String>,
    /// Entries, those that were taken out and dropped among them.
    pub entries: u64,
    /// Entries in segments that were dropped, at the beginning.
    pub dropped: u64,
    /// Entries that were taken out one by one.
    pub withheld: u64,
    /// Checkpoints that were compared.
    pub checkpoints: u64,
    /// So many entries, from the first on, are in a signed checkpoint.
    pub signed: u64,
    /// So many are in a checkpoint that was kept elsewhere.
    pub anchored: u64,
    /// Entries for which no signature vouches: those behind the last checkpoint, and those that a
    /// start has found so.
    pub unsigned: u64,
    /// Calls that were begun and of which no outcome was recorded, by the numbers of their entries. A
    /// call that runs just now is among them.
    pub unfinished: Vec<u64>,
    /// How often the program began again without having ended.
    pub cut_off: u64,
    /// How often an entry has an earlier time than the one before.
    pub clock_steps: u64,
    /// What follows from all that.
    pub verdict: Verdict,
}

/// What follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing was changed, as far as signatures and anchors reach.
    Intact,
    /// Something was changed.
    Tampered {
        /// The first entry that is not what was written, or not there.
        entry: u64,
        /// What is wrong with it.
        why: String,
    },
    /// Nobody can tell.
    Unknown(String),
}

/// The way through a log, as far as it was gone.
struct Way {
    report: Report,
    tree: Frontier,
    last: Option<Hash>,
    time: Option<String>,
    course: Course,
    /// Checkpoints by their sizes, ascending: what is still to be compared, and whether it was kept
    /// elsewhere.
    expected: Vec<(Checkpoint, Place)>,
    compared: usize,
}

/// Where a checkpoint was kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Here,
    Elsewhere,
}

/// That an entry is not what was written.
struct Bad(u64, String);

/// Verifies the log in a directory.
///
/// # Errors
/// When it cannot be read. That there is none is [`StoreError::Missing`]: a missing log is no clean
/// one.
pub fn verify_ambient(directory: &Path, witnesses: &Witnesses) -> Result<Report, StoreError> {
    let store = Store::new(directory);
    store.segments_ambient()?;
    let own = store.verifier_ambient()?;
    let own = own.and_then(|text| Verifier::parse(&text).ok());
    let key = witnesses.key.clone().or(own);
    let mut way = Way::new(key.as_ref().map(|key| key.name().to_owned()));
    let Some(key) = key else {
        way.report.verdict = Verdict::Unknown("there is no key to check its signatures".to_owned());
        return Ok(way.report);
    };
    // Checkpoints before entries: a program may be writing, and what it signs now is behind these.
    let read = (store.dropped_ambient(), store.checkpoints_ambient());
    let segments = store.segments_ambient()?;
    let verified = match read {
        (Ok(dropped), Ok(kept)) => way
            .expect(&key, &kept, &witnesses.anchored)
            .and_then(|()| way.begin(dropped.clone()))
            .and_then(|()| way.go_through(&store, &segments, &dropped, &key)),
        (Err(StoreError::Damaged(path)), _) | (_, Err(StoreError::Damaged(path))) => {
            Err(Bad(0, format!("`{}` is damaged", path.display())))
        }
        (Err(error), _) | (_, Err(error)) => return Err(error),
    };
    way.count();
    way.report.verdict = match verified {
        Err(Bad(entry, why)) => Verdict::Tampered { entry, why },
        Ok(()) => way.verdict(),
    };
    Ok(way.report)
}

impl Way {
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
            course: Course::default(),
            expected: Vec::new(),
            compared: 0,
        }
    }

    /// Takes in the checkpoints that the log has to agree with.
    fn expect(&mut self, key: &Verifier, kept: &[Kept], anchored: &[String]) -> Result<(), Bad> {
        let mut size = 0;
        for (number, kept) in kept.iter().enumerate() {
            let number = number + 1;
            let checkpoint = read(&kept.note, key);
            let checkpoint =
                checkpoint.map_err(|why| Bad(size, format!("checkpoint {number}: {why}")))?;
            if checkpoint.size < size {
                let why = format!("checkpoint {number} has fewer entries than the one before");
                return Err(Bad(checkpoint.size, why));
            }
            size = checkpoint.size;
            self.expected.push((checkpoint, Place::Here));
        }
        for note in anchored {
            // One of another log says that this is not the log whose checkpoints are kept there.
            let checkpoint = read(note, key).map_err(|why| {
                let other = Checkpoint::parse(note).ok().map(|it| it.origin);
                let other = other.filter(|origin| origin != key.name());
                let why = other.map_or(why.to_string(), |it| format!("it is of the log `{it}`"));
                Bad(0, format!("a checkpoint kept elsewhere: {why}"))
            })?;
            self.expected.push((checkpoint, Place::Elsewhere));
        }
        self.expected
            .sort_by_key(|(checkpoint, place)| (checkpoint.size, *place));
        Ok(())
    }

    fn begin(&mut self, dropped: Dropped) -> Result<(), Bad> {
        self.report.dropped = dropped.tree.size();
        self.tree = dropped.tree;
        self.last = dropped.last;
        // What is older than what is left can be compared with nothing any more.
        let dropped = self.report.dropped;
        self.compared = self.expected.partition_point(|(it, _)| it.size < dropped);
        self.compare()
    }

    /// Compares the tree with the checkpoints of its size.
    fn compare(&mut self) -> Result<(), Bad> {
        while let Some((checkpoint, place)) = self.expected.get(self.compared) {
            if checkpoint.size != self.tree.size() {
                break;
            }
            if checkpoint.root != self.tree.root() {
                let signed = match place {
                    Place::Here => "what was signed",
                    Place::Elsewhere => "what was kept elsewhere",
                };
                // Up to the checkpoint before, all is well.
                let why = format!("the first {} entries are not {signed}", checkpoint.size);
                return Err(Bad(self.report.signed.max(self.report.anchored), why));
            }
            self.report.checkpoints += 1;
            match place {
                Place::Here => self.report.signed = checkpoint.size,
                Place::Elsewhere => self.report.anchored = checkpoint.size,
            }
            self.compared += 1;
        }
        Ok(())
    }

    fn go_through(
        &mut self,
        store: &Store,
        segments: &[u64],
        dropped: &Dropped,
        key: &Verifier,
    ) -> Result<(), Bad> {
        let signed = self.expected.last().map_or(0, |(last, _)| last.size);
        let mut misplaced = None;
        for number in segments {
            let failed = |error: StoreError| Bad(self.tree.size(), error.to_string());
            for line in store.lines_ambient(*number).map_err(failed)? {
                let seq = self.tree.size();
                let Some(content) = Content::parse(&line.text) else {
                    // The program writes, or was ended while it wrote: nobody was told of this one.
                    if !line.is_ended && Some(number) == segments.last() {
                        continue;
                    }
                    return Err(Bad(seq, "it is no entry".to_owned()));
                };
                if dropped.covers(&content) && seq == self.report.dropped {
                    continue;
                }
                if !line.is_ended {
                    return Err(Bad(seq, "its line has no end".to_owned()));
                }
                if content.seq() != seq {
                    let why = format!("entry {} stands in its place", content.seq());
                    return Err(Bad(seq, why));
                }
                match &content {
                    Content::Withheld(_) => self.report.withheld += 1,
                    Content::Written(written) => self.look_at(written)?,
                }
                let cover = Cover::of(seq, signed);
                let taken = self.course.take(&content, &line.text, cover, key);
                if let Err(why) = taken {
                    // What nobody has signed is counted to its end.
                    if cover == Cover::Signed {
                        return Err(Bad(seq, why.to_owned()));
                    }
                    misplaced.get_or_insert_with(|| Bad(seq, why.to_owned()));
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
                Err(Bad(
                    size,
                    format!("entries {size} to {} are missing", signed - 1),
                ))
            }
        }
    }

    fn look_at(&mut self, written: &Written) -> Result<(), Bad> {
        if written.prev != self.last {
            // Either of the two may have been changed, and the hash is that of the first.
            let before = written.seq.saturating_sub(1);
            return Err(Bad(
                before,
                "the entry behind it stands on another one".to_owned(),
            ));
        }
        if self.time.as_ref().is_some_and(|time| *time > written.time) {
            self.report.clock_steps += 1;
        }
        self.time = Some(written.time.clone());
        Ok(())
    }

    /// Puts into the report what was counted on the way.
    fn count(&mut self) {
        let report = &mut self.report;
        report.entries = self.tree.size();
        report.cut_off = self.course.cut_off();
        report.unfinished = self.course.begun().iter().copied().collect();
        let covered = report.signed.max(report.anchored).max(report.dropped);
        // A start stands behind what it found, and may itself be behind the last checkpoint.
        let found = self.course.found().iter();
        let found = found.map(|range| range.end.min(covered).saturating_sub(range.start));
        report.unsigned = found.sum::<u64>() + report.entries.saturating_sub(covered);
    }

    /// Returns what follows where nothing is wrong.
    fn verdict(&self) -> Verdict {
        if self.report.checkpoints == 0 && self.tree.size() > self.report.dropped {
            return Verdict::Unknown("nothing of it is signed yet".to_owned());
        }
        if self.course.has_anchors() && self.report.anchored == 0 {
            let why = "its checkpoints are kept elsewhere as well, and none was given to compare";
            return Verdict::Unknown(why.to_owned());
        }
        Verdict::Intact
    }
}

fn read(note: &str, key: &Verifier) -> Result<Checkpoint, NoteError> {
    let checkpoint = Checkpoint::verified(note, key)?;
    if checkpoint.origin == key.name() {
        Ok(checkpoint)
    } else {
        Err(NoteError::Forged)
    }
}
