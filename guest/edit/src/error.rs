//! Why an edit cannot be made, with all that mends it. No path stands here: whoever asked knows it.

use docent_text::content_hash::ContentHash;

use crate::nearest::Miss;

/// Why one edit is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The text to look for is empty, or nothing but blanks where blanks do not count.
    EmptyText,
    /// The text is not there.
    NotFound(Box<Miss>),
    /// The text is there, but not where it was asked to be.
    Elsewhere(Condition, Spots),
    /// The text stands at several places.
    Ambiguous(Spots),
    /// The text stands at fewer places than the number that was asked for.
    NoOccurrence {
        /// The number that was asked for, from 1 on.
        wanted: usize,
        /// Where it stands.
        spots: Spots,
    },
    /// The text stands at another number of places.
    OtherCount {
        /// How many were expected.
        expected: usize,
        /// Where it stands.
        spots: Spots,
    },
    /// The indentation of the new text cannot follow that of the file.
    Indentation {
        /// The line of the old or new text, from 1 on, at which that shows.
        line: u32,
    },
    /// The file, or the lines, are not those that the hash was taken of.
    Stale(Box<Stale>),
    /// There are no such lines.
    NoLines {
        /// First and last line that were asked for, from 1 on.
        wanted: (u32, u32),
        /// How many lines there are.
        count: u32,
    },
    /// No section is called that.
    NoSection {
        /// What was asked for.
        address: String,
        /// Headings that there are, with those above them.
        headings: Vec<String>,
        /// How many there are in all.
        count: usize,
    },
    /// Several sections are called that.
    SeveralSections {
        /// What was asked for.
        address: String,
        /// The sections.
        sections: Vec<NamedSection>,
    },
    /// What is sent as a section does not fit it.
    Section(SectionProblem),
    /// What is sent cannot stand in the file.
    Unfit(Unfit),
    /// The edit would replace bytes that are no text in the file's encoding, in this line.
    Damaged {
        /// The line, from 1 on.
        line: u32,
    },
    /// One hunk of a diff cannot be applied.
    Hunk {
        /// Its number in the diff, from 1 on.
        number: usize,
        /// Why.
        reason: Box<Reason>,
    },
    /// What a hunk makes stands at its place already.
    AlreadyMade {
        /// First and last line of it.
        lines: (u32, u32),
    },
    /// A hunk adds lines and does not say where: it has neither context nor removed lines.
    NoContext,
    /// The edit and another one of the same call change the same lines.
    Overlap {
        /// The index of the other edit.
        other: usize,
        /// First and last line of this one.
        lines: (u32, u32),
        /// First and last line of the other one.
        other_lines: (u32, u32),
    },
}

/// What a place had to satisfy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// To lie in a section.
    Within,
    /// To stand behind a text.
    Before,
    /// To stand before a text.
    After,
    /// To stand behind the lines that a hunk names.
    Anchor,
    /// To consist of whole lines.
    WholeLines,
    /// To begin where the file begins: no context stands before the change.
    FileStart,
    /// To end where the file ends: no context stands behind the change.
    FileEnd,
}

/// Places of a text in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spots {
    /// The first of them.
    pub shown: Vec<Spot>,
    /// How many there are.
    pub count: usize,
}

/// A section, by all its names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedSection {
    /// Its id, which no other has.
    pub id: String,
    /// Its heading with those above it.
    pub path: String,
    /// The line of its heading, from 1 on.
    pub line: u32,
}

/// A place of a text in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Its line, from 1 on.
    pub line: u32,
    /// The headings that it stands below, joined; empty where there are none.
    pub section: String,
    /// The line before it, without its end; none for the first line.
    pub before: Option<String>,
}

/// A hash that is none of what is there now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stale {
    /// The hash that was sent.
    pub expected: String,
    /// The short hash of the file.
    pub file: String,
    /// The short hash of the lines; none where the edit has no lines.
    pub lines: Option<String>,
    /// What stands there now: the number of the first line, and the lines.
    pub text: (u32, Vec<String>),
    /// The unified diff since the text of the hash that was sent, where that text is known.
    pub since: Option<String>,
}

impl Stale {
    /// Returns what is told of a file of which another hash was expected.
    pub fn of_file(expected: &str, file: ContentHash, since: Option<String>) -> Self {
        Self {
            expected: expected.to_owned(),
            file: file.short(),
            lines: None,
            text: (1, Vec::new()),
            since,
        }
    }
}

/// A character that cannot stand in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// The character.
    pub character: char,
    /// Its line in what was sent, from 1 on.
    pub line: u32,
    /// Its column there, in characters, from 1 on.
    pub column: usize,
    /// Why it cannot.
    pub kind: UnfitKind,
}

/// Why a character cannot stand in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnfitKind {
    /// The file's encoding, of this name, lacks it.
    Lacking(&'static str),
    /// It would make the file a binary.
    Nul,
}

/// Why what was sent is not what a section takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SectionProblem {
    /// Files of this kind have no headings.
    NoHeadings,
    /// There is nothing to add.
    Empty,
    /// The content begins with another heading of the same or a higher level.
    OtherHeading {
        /// That heading as it is sent, in one line.
        sent: String,
        /// The section's own as it stands in the file.
        own: String,
    },
    /// The content holds a subsection that would stay beside it.
    SubsectionTwice {
        /// Its heading.
        heading: String,
    },
    /// Subsections would lose what they stand below.
    SubsectionsStay {
        /// How many.
        count: usize,
    },
    /// A fence or something alike is left open in what is sent: headings behind it would be part of
    /// that.
    LeavesOpen,
    /// The section itself leaves one open, so that what is added would be part of it.
    IsOpen,
    /// Other headings would be none any more, or of another level.
    ChangesOthers,
    /// What is sent is no heading of one line and the same level.
    NoHeading,
}
