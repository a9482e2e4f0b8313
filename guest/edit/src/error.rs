//! Reasons for refusing an edit, with everything that helps to correct it. They contain no path:
//! the caller knows it.
//!
//! A reason holds facts and no words. `explain/` words them for a caller of the tools, and tests
//! compare the facts.

use docent_text::content_hash::ContentHash;

use crate::near_miss::NearMiss;

/// The reason for which an edit is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The text to find is empty, or consists of blanks where blanks do not count.
    EmptyText,
    /// The text does not occur.
    NotFound(Box<NearMiss>),
    /// The text occurs, but not where the edit requires it. The edit is not applied at the other
    /// places, even if there is a single one.
    Elsewhere(Condition, Locations),
    /// The text occurs at several places.
    Ambiguous(Locations),
    /// The text occurs fewer times than the requested occurrence.
    NoOccurrence {
        /// Requested occurrence, from 1.
        wanted: usize,
        /// Places of the text.
        spots: Locations,
    },
    /// The text occurs another number of times than expected.
    OtherCount {
        /// Expected number of places.
        expected: usize,
        /// Places of the text.
        spots: Locations,
    },
    /// The indentation of the new text cannot be adapted to that of the file.
    Indentation {
        /// Line of the old or new text, from 1, at which it fails.
        line: u32,
    },
    /// The file, or the lines, do not have the hash that was sent.
    Stale(Box<Stale>),
    /// The requested lines do not exist.
    NoLines {
        /// First and last requested line, from 1.
        wanted: (u32, u32),
        /// Number of lines in the file.
        count: u32,
    },
    /// No section has the requested name.
    NoSection {
        /// Requested section.
        address: String,
        /// Existing headings, with those above them.
        headings: Vec<String>,
        /// Number of headings in the file.
        count: usize,
    },
    /// Several sections have the requested name.
    SeveralSections {
        /// Requested section.
        address: String,
        /// Sections with that name.
        sections: Vec<NamedSection>,
    },
    /// The content that was sent does not fit the section.
    Section(SectionProblem),
    /// The text that was sent contains a character that the file cannot contain.
    Unfit(Unfit),
    /// The edit would replace bytes that are invalid in the file's encoding, or change how they are
    /// decoded. They are shown as U+FFFD, and writing that character back would destroy the bytes
    /// for good.
    Damaged {
        /// Line of the bytes, from 1.
        line: u32,
    },
    /// A hunk of a diff cannot be applied.
    Hunk {
        /// Number of the hunk in the diff, from 1.
        number: usize,
        /// Reason for which it cannot be applied.
        reason: Box<Reason>,
    },
    /// The result of a hunk already exists at its place. A patch that is applied twice would
    /// otherwise add its lines twice, or change another copy of the block.
    AlreadyMade {
        /// First and last line of the result.
        lines: (u32, u32),
    },
    /// A hunk adds lines at no particular place: it has neither context nor removed lines.
    NoContext,
    /// The edit and another one of the same call change the same text. Both refer to the text
    /// before the call, so there is no order in which they could be applied.
    Overlap {
        /// Index of the other edit.
        other: usize,
        /// First and last line of this edit.
        lines: (u32, u32),
        /// First and last line of the other edit.
        other_lines: (u32, u32),
    },
    /// The file is a notebook, which is edited as it is shown.
    Notebook(NotebookProblem),
    /// The file is a notebook, and the edit is of the file's own lines, where it is refused.
    OwnLines(Box<Reason>),
}

/// The reason for which an edit does not fit a notebook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotebookProblem {
    /// The edit selects lines by their numbers, or the beginning or end of the file. The Markdown
    /// that is shown and the file have different lines, so that one could be taken for the other.
    LineNumbers,
    /// The place is not only in the sources of cells, but in outputs or between cells.
    Outside {
        /// Line of the Markdown, from 1.
        line: u32,
    },
    /// The text is in the source of a cell that is not shown as it is: it holds control characters,
    /// the bytes of a picture or a megabyte.
    Altered {
        /// Number of the cell, from 1.
        cell: u32,
    },
    /// The edit is of the file's own lines, and another one of the call of a cell as it is shown.
    Mixed {
        /// Index of the other edit.
        other: usize,
    },
    /// The file would not be a notebook any more, since the edit leaves no valid JSON.
    NotJson,
}

/// The condition that a place does not meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// It must be in a section.
    Within,
    /// It must follow a text.
    Before,
    /// It must precede a text.
    After,
    /// It must be below the anchors of a hunk.
    Anchor,
    /// It must consist of whole lines.
    WholeLines,
    /// It must begin at the start of the file, since the hunk has no context before its change.
    FileStart,
    /// It must end at the end of the file, since the hunk has no context after its change.
    FileEnd,
}

/// The places of a text in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Locations {
    /// First few places.
    pub shown: Vec<Location>,
    /// Number of all places.
    pub count: usize,
}

/// A section with all its names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedSection {
    /// Unique id.
    pub id: String,
    /// Heading, with those above it.
    pub path: String,
    /// Line of the heading, from 1.
    pub line: u32,
}

/// The place of a text in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Line of the place, from 1.
    pub line: u32,
    /// Headings above the place, joined; empty if there are none.
    pub section: String,
    /// Line before it, without its end; `None` for the first line.
    pub before: Option<String>,
}

/// A hash that matches neither the file nor the lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stale {
    /// Hash that was sent.
    pub expected: String,
    /// Short hash of the file.
    pub file: String,
    /// Short hash of the lines; `None` if the edit names no lines.
    pub lines: Option<String>,
    /// Number of the first line shown, and the current lines.
    pub text: (u32, Vec<String>),
    /// Unified diff from the text with the sent hash, if that text is known. It shows the change
    /// that the caller has not seen, in fewer lines than the whole file.
    pub since: Option<String>,
}

impl Stale {
    /// Describes a file that does not have the expected hash.
    pub fn for_file(expected: &str, file: ContentHash, since: Option<String>) -> Self {
        Self {
            expected: expected.to_owned(),
            file: file.short(),
            lines: None,
            text: (1, Vec::new()),
            since,
        }
    }
}

/// A character that a file cannot contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// Character.
    pub character: char,
    /// Line in the text that was sent, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: usize,
    /// Reason for which the file cannot contain it.
    pub kind: UnfitKind,
}

/// The reason for which a file cannot contain a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnfitKind {
    /// The encoding of the file, with this name, has no such character.
    Lacking(&'static str),
    /// It would make the file binary: a file with a NUL near its beginning is not decoded as text,
    /// so no later edit could remove the NUL.
    Nul,
}

/// The reason for which content does not fit a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SectionProblem {
    /// Files of this kind have no headings.
    NoHeadings,
    /// There is nothing to add.
    Empty,
    /// The content begins with another heading of the same or a higher level.
    OtherHeading {
        /// Heading in the content, as one line.
        sent: String,
        /// Heading of the section in the file.
        own: String,
    },
    /// The content contains a subsection that is also kept.
    SubsectionTwice {
        /// Heading of the subsection.
        heading: String,
    },
    /// Subsections would be left without their section, and so move below the section before it:
    /// without `## B`, `### C` below it would become a part of `# A`.
    SubsectionsStay {
        /// Number of subsections.
        count: usize,
    },
    /// The content leaves a fence or a similar block open, of which the headings after it would
    /// become part.
    LeavesOpen,
    /// The section itself leaves a block open, of which the added content would become part.
    IsOpen,
    /// Other headings would disappear or change their level.
    ChangesOthers,
    /// The content is not a heading of one line and the same level.
    NoHeading,
}
