//! The findings about a text that does not occur: the regions most similar to it, and their
//! differences from it.

/// The findings about a text that does not occur.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NearMiss {
    /// Lines, from 1, at which the new text already occurs.
    pub done: Option<(u32, u32)>,
    /// True if the text occurs after the other edits of the call. All edits refer to the text
    /// before the call, so one edit cannot change the result of another.
    pub is_made_by_others: bool,
    /// Damage without which the text occurs, at the first region.
    pub damage: Option<Damage>,
    /// Regions most similar to the text, the most similar first.
    pub regions: Vec<Region>,
    /// True if nothing is similar, and the only region is the file, which is short.
    pub is_whole_file: bool,
    /// First difference from the first region.
    pub difference: Option<Difference>,
}

/// A region of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// First line, from 1.
    pub first: u32,
    /// Last line.
    pub last: u32,
    /// Lines of the text that the region contains.
    pub equal: EqualLines,
    /// First line that is shown.
    pub shown: u32,
    /// Lines around the first difference as in the file, the long ones truncated.
    pub lines: Vec<String>,
}

/// The number of lines that a region shares with a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EqualLines {
    /// Number of lines of the text that the region contains, ignoring blanks, case and the like.
    pub count: usize,
    /// Number of lines of the text, without blank ones.
    pub total: usize,
}

/// The damage to a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// Each line begins with its number.
    LineNumbers,
    /// `\n`, `\t` or `\"` occur instead of the characters that they denote.
    Escapes,
}

/// The first difference between a text and the lines of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Line of the file, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: usize,
    /// Kind of the difference.
    pub kind: DifferenceKind,
}

/// The kind of a difference between a text and a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// One character that looks like another.
    Character {
        /// Character in the file.
        file: char,
        /// Character that was sent.
        sent: char,
    },
    /// A character without width, present on one side only.
    Invisible {
        /// Character.
        character: char,
        /// True if the file contains it.
        in_file: bool,
    },
    /// Blanks and tabs, at the beginning of a line or within it.
    Blanks {
        /// Blanks in the file.
        file: String,
        /// Blanks that were sent.
        sent: String,
        /// True if they begin the line.
        is_indentation: bool,
    },
    /// Blanks at the end of a line.
    TrailingBlanks {
        /// Number in the file.
        file: usize,
        /// Number that was sent.
        sent: usize,
    },
    /// Upper and lower case.
    Case {
        /// Word in the file.
        file: String,
        /// Word that was sent.
        sent: String,
    },
    /// A line of the file that was not sent.
    MissingLine(String),
    /// A line that was sent and is not in the file.
    ExtraLine(String),
    /// Any other text.
    Text {
        /// Rest of the line in the file.
        file: String,
        /// Rest of the line that was sent.
        sent: String,
    },
}
