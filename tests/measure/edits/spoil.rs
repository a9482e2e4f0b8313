//! The eight ways in which models spoil an edit.

use unicode_normalization::UnicodeNormalization as _;

use crate::history::Edit;

/// The way in which an edit is spoilt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Not at all: every program has to make it.
    Not,
    /// Leading spaces are replaced with tabs, or tabs with spaces.
    Tabs,
    /// Every line ends with two spaces.
    TrailingBlanks,
    /// The spaces between words are no-break spaces.
    NoBreakSpaces,
    /// Quotes and apostrophes are typographic.
    Quotes,
    /// Letters and Hangul are in decomposed form.
    Decomposed,
    /// A CR precedes each LF.
    CarriageReturns,
    /// The text is from before a commit that changed it.
    Stale,
    /// The text occurs in the file twice.
    Duplicated,
}

/// A spoilt edit.
#[derive(Debug)]
pub struct Task<'a> {
    /// Name of the file.
    pub name: &'a str,
    /// Content of the file.
    pub file: String,
    /// Text to search for.
    pub old: String,
    /// Replacement.
    pub new: String,
    /// Expected content afterwards; none if the edit must be refused.
    pub expected: Option<String>,
    /// First line of the right place, from 1.
    pub first: usize,
    /// Number of lines of the right place.
    pub count: usize,
}

impl Way {
    /// All ways.
    pub const ALL: [Self; 9] = [
        Self::Not,
        Self::Tabs,
        Self::TrailingBlanks,
        Self::NoBreakSpaces,
        Self::Quotes,
        Self::Decomposed,
        Self::CarriageReturns,
        Self::Stale,
        Self::Duplicated,
    ];

    /// Returns the name of the way.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Not => "as it is",
            Self::Tabs => "tabs",
            Self::TrailingBlanks => "trailing blanks",
            Self::NoBreakSpaces => "no-break spaces",
            Self::Quotes => "quotes",
            Self::Decomposed => "decomposed letters",
            Self::CarriageReturns => "CRLF",
            Self::Stale => "stale by a commit",
            Self::Duplicated => "duplicated block",
        }
    }

    /// Spoils an edit, the `number`th of this way; none if there is nothing to spoil.
    pub fn spoil(self, edit: &Edit, number: usize) -> Option<Task<'_>> {
        match self {
            Self::Not => Some(with_text(edit, edit.old.clone())),
            Self::Stale => stale(edit),
            Self::Duplicated => Some(duplicated(edit, number)),
            Self::CarriageReturns => {
                let task = with_text(edit, edit.old.replace('\n', "\r\n"));
                let new = edit.new.replace('\n', "\r\n");
                (task.old != edit.old).then_some(Task { new, ..task })
            }
            _ => {
                let old = self.spoilt(&edit.old);
                (old != edit.old).then(|| with_text(edit, old))
            }
        }
    }

    fn spoilt(self, text: &str) -> String {
        match self {
            Self::Tabs => each_line(text, with_other_indentation),
            Self::TrailingBlanks => each_line(text, |line| format!("{line}  ")),
            Self::NoBreakSpaces => each_line(text, |line| {
                let words = line.trim_start();
                let blanks = &line[..line.len() - words.len()];
                format!("{blanks}{}", words.replace(' ', "\u{A0}"))
            }),
            Self::Quotes => with_quotes(text),
            Self::Decomposed => text.nfd().collect(),
            Self::Not | Self::CarriageReturns | Self::Stale | Self::Duplicated => text.to_owned(),
        }
    }
}

/// Returns the edit with another text to search for.
fn with_text(edit: &Edit, old: String) -> Task<'_> {
    Task {
        name: &edit.name,
        file: edit.before.clone(),
        old,
        new: edit.new.clone(),
        expected: Some(edit.after.clone()),
        first: edit.first,
        count: edit.old.lines().count(),
    }
}

/// Returns an edit of a text as it was before the commit, in the file as it is after it.
fn stale(edit: &Edit) -> Option<Task<'_>> {
    // If lines were only added at the end of the text, the file still contains it.
    let is_gone = !edit.after.contains(&edit.old);
    is_gone.then(|| Task {
        file: edit.after.clone(),
        new: format!("{}\nAnd one line more.", edit.old),
        expected: None,
        count: edit.new.lines().count(),
        ..with_text(edit, edit.old.clone())
    })
}

/// Repeats the text at the end of the file, or at its beginning, in turn.
fn duplicated(edit: &Edit, number: usize) -> Task<'_> {
    let around = |text: &str| {
        if number.is_multiple_of(2) {
            format!("{text}\n{}\n", edit.old)
        } else {
            format!("{}\n{text}", edit.old)
        }
    };
    let lines_before = if number.is_multiple_of(2) {
        0
    } else {
        edit.old.split('\n').count()
    };
    Task {
        file: around(&edit.before),
        expected: Some(around(&edit.after)),
        first: edit.first + lines_before,
        ..with_text(edit, edit.old.clone())
    }
}

/// Applies a function to each line that is not blank.
fn each_line(text: &str, spoil: impl Fn(&str) -> String) -> String {
    let line = |line: &str| {
        if line.trim().is_empty() {
            line.to_owned()
        } else {
            spoil(line)
        }
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

fn with_other_indentation(line: &str) -> String {
    let words = line.trim_start_matches([' ', '\t']);
    let blanks = &line[..line.len() - words.len()];
    let other = if blanks.contains('\t') {
        blanks.replace('\t', "    ")
    } else if blanks.len().is_multiple_of(4) {
        blanks.replace("    ", "\t")
    } else {
        blanks.replace("  ", "\t")
    };
    other + words
}

fn with_quotes(text: &str) -> String {
    let mut is_open = false;
    let quote = |c| match c {
        '"' => {
            is_open = !is_open;
            if is_open { '\u{201C}' } else { '\u{201D}' }
        }
        '\'' => '\u{2019}',
        c => c,
    };
    text.chars().map(quote).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_spoils_what_it_says() {
        let text = "    say \"é\"\n\n\tit's a b";
        for (way, expected) in [
            (Way::Tabs, "\tsay \"é\"\n\n    it's a b"),
            (Way::TrailingBlanks, "    say \"é\"  \n\n\tit's a b  "),
            (
                Way::NoBreakSpaces,
                "    say\u{A0}\"é\"\n\n\tit's\u{A0}a\u{A0}b",
            ),
            (Way::Quotes, "    say “é”\n\n\tit’s a b"),
            (Way::Decomposed, "    say \"e\u{301}\"\n\n\tit's a b"),
        ] {
            assert_eq!(way.spoilt(text), expected, "{way:?}");
        }
    }

    #[test]
    fn where_the_right_place_is() {
        let edit = Edit {
            name: "a.md".into(),
            before: "1\n2\n3\n".into(),
            after: "1\nzwei\n3\n".into(),
            old: "1\n2\n3".into(),
            new: "1\nzwei\n3".into(),
            first: 1,
        };
        let task = Way::Duplicated.spoil(&edit, 1).unwrap();
        assert_eq!((task.file.as_str(), task.first), ("1\n2\n3\n1\n2\n3\n", 4));
        assert_eq!(task.expected.as_deref(), Some("1\n2\n3\n1\nzwei\n3\n"));
        let task = Way::Stale.spoil(&edit, 0).unwrap();
        assert_eq!((task.file.as_str(), task.expected), ("1\nzwei\n3\n", None));
        assert!(Way::Tabs.spoil(&edit, 0).is_none());
    }
}
