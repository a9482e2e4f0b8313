//! Adaptation of a new text's indentation to the file, for an old text that was found by ignoring
//! blanks.

use crate::error::Reason;
use crate::limits::TAB_BLANKS;
use docent_text::lines::{with_ends, without_end};
use docent_text::saturating::saturating_u32;

/// The transformation from the indentation that was sent to that of the file, the same for all
/// lines. An edit whose lines need different transformations is refused: the depth of a new line
/// would be a guess, and in Python or YAML it is the meaning of the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndentShift {
    /// The identity.
    None,
    /// This prefix is added.
    Longer(String),
    /// This prefix is removed.
    Shorter(String),
    /// Every group of this many blanks becomes a tab.
    Tabs(usize),
    /// Every tab becomes this many blanks.
    Blanks(usize),
}

/// Returns the indentation of a line.
fn indentation(line: &str) -> &str {
    let text = line.trim_start_matches([' ', '\t']);
    &line[..line.len() - text.len()]
}

fn is_blank(line: &str) -> bool {
    without_end(line).trim_matches([' ', '\t']).is_empty()
}

impl IndentShift {
    /// Determines the transformation from the indentation of `sent` to that of `own`, which are the
    /// same lines except for blanks. The first line is ignored if the text begins within a line.
    ///
    /// # Errors
    /// Fails if no transformation applies to all lines.
    pub fn between(sent: &str, own: &str, begins_within: bool) -> Result<Self, Reason> {
        let pairs = with_ends(sent).zip(with_ends(own)).enumerate();
        let pairs = pairs.filter(|(_, (sent, own))| !is_blank(sent) && !is_blank(own));
        let pairs = pairs.map(|(index, (sent, own))| (index, indentation(sent), indentation(own)));
        let pairs = pairs.filter(|(index, ..)| *index > 0 || !begins_within);
        let pairs: Vec<(usize, &str, &str)> = pairs.collect();
        let candidates = pairs
            .iter()
            .find_map(|(_, sent, own)| Self::candidates(sent, own));
        let mut misfit = 0;
        for shift in candidates.unwrap_or_else(|| vec![Self::None]) {
            let other = pairs
                .iter()
                .find(|(_, sent, own)| shift.apply(sent).as_deref() != Some(own));
            match other {
                Some((index, ..)) => misfit = misfit.max(*index),
                None => return Ok(shift),
            }
        }
        let line = saturating_u32(misfit + 1);
        Err(Reason::Indentation { line })
    }

    /// Returns the transformations from one indentation to another that are possible, or `None` if
    /// both are empty. A line without indentation says nothing about the others: between `a⏎    b`
    /// and `a⏎⇥b` only the second line shows that four blanks are a tab.
    fn candidates(sent: &str, own: &str) -> Option<Vec<Self>> {
        let count = |text: &str, sign: char| text.chars().all(|c| c == sign).then_some(text.len());
        let mut all = Vec::new();
        if sent == own {
            all.push(Self::None);
        }
        if let Some(more) = own.strip_suffix(sent).filter(|more| !more.is_empty()) {
            all.push(Self::Longer(more.to_owned()));
        }
        if let Some(less) = sent.strip_suffix(own).filter(|less| !less.is_empty()) {
            all.push(Self::Shorter(less.to_owned()));
        }
        let width = |blanks: usize, tabs: usize| {
            let is_even = tabs > 0 && blanks > 0 && blanks.is_multiple_of(tabs);
            is_even
                .then(|| blanks / tabs)
                .filter(|width| *width <= TAB_BLANKS)
        };
        let tabs = count(sent, ' ').zip(count(own, '\t'));
        all.extend(
            tabs.and_then(|(blanks, tabs)| width(blanks, tabs))
                .map(Self::Tabs),
        );
        let blanks = count(own, ' ').zip(count(sent, '\t'));
        all.extend(
            blanks
                .and_then(|(blanks, tabs)| width(blanks, tabs))
                .map(Self::Blanks),
        );
        let says_nothing = sent.is_empty() && own.is_empty();
        (!says_nothing).then_some(all)
    }

    /// Returns the transformed indentation, or `None` if it cannot be transformed.
    fn apply(&self, sent: &str) -> Option<String> {
        match self {
            Self::None => Some(sent.to_owned()),
            Self::Longer(more) => Some(format!("{more}{sent}")),
            Self::Shorter(less) => sent.strip_prefix(less.as_str()).map(str::to_owned),
            Self::Tabs(width) => {
                let is_even = sent.chars().all(|c| c == ' ') && sent.len().is_multiple_of(*width);
                is_even.then(|| "\t".repeat(sent.len() / width))
            }
            Self::Blanks(width) => {
                let is_even = sent.chars().all(|c| c == '\t');
                is_even.then(|| " ".repeat(sent.len() * width))
            }
        }
    }

    /// Returns `text` indented like the file. The first line is unchanged if the text begins within
    /// a line.
    ///
    /// # Errors
    /// Fails if a line cannot be transformed.
    pub fn shift_text(&self, text: &str, begins_within: bool) -> Result<String, Reason> {
        let mut out = String::with_capacity(text.len());
        for (index, line) in with_ends(text).enumerate() {
            if is_blank(line) || (index == 0 && begins_within) {
                out.push_str(line);
                continue;
            }
            let sent = indentation(line);
            let number = saturating_u32(index + 1);
            let own = self
                .apply(sent)
                .ok_or(Reason::Indentation { line: number })?;
            out.push_str(&own);
            out.push_str(&line[sent.len()..]);
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uniform_differences_are_shifted() {
        for (sent, own, expected) in [
            ("a\n b", "a\n b", Some(IndentShift::None)),
            ("a\n    b", "a\n\tb", Some(IndentShift::Tabs(4))),
            ("    a\n        b", "\ta\n\t\tb", Some(IndentShift::Tabs(4))),
            ("\ta\n\n\t\tb", "  a\n\n    b", Some(IndentShift::Blanks(2))),
            (
                "  a\n    b",
                "    a\n      b",
                Some(IndentShift::Longer("  ".to_owned())),
            ),
            ("a\nb", "a\n  b", None),
            (
                "    a\n  b",
                "  a\nb",
                Some(IndentShift::Shorter("  ".to_owned())),
            ),
            ("  a\n  b", "  a\n   b", None),
            ("    a\n     b", "\ta\n\t\tb", None),
        ] {
            assert_eq!(
                IndentShift::between(sent, own, false).ok(),
                expected,
                "{sent:?} {own:?}"
            );
        }
        let within = IndentShift::between("a\nb", "a\n  b", true);
        assert_eq!(within, Ok(IndentShift::Longer("  ".to_owned())));
    }

    #[test]
    fn a_new_text_is_shifted() {
        let tabs = IndentShift::Tabs(4);
        assert_eq!(
            tabs.shift_text("    a\n\n        b\nc", false).unwrap(),
            "\ta\n\n\t\tb\nc"
        );
        assert!(tabs.shift_text("      a", false).is_err());
        let longer = IndentShift::Longer("  ".to_owned());
        assert_eq!(longer.shift_text("a\nb", true).unwrap(), "a\n  b");
        assert!(
            IndentShift::Shorter("  ".to_owned())
                .shift_text(" a", false)
                .is_err()
        );
    }
}
