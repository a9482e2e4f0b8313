//! How a new text is indented as the file is, where the old text was found but for blanks.

use crate::error::Reason;
use crate::limits::TAB_BLANKS;
use docent_text::lines::{with_ends, without_end};
use docent_text::saturating::saturating_u32;

/// What makes the indentation of the file of the one that was sent: the same for all lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shift {
    /// Nothing.
    None,
    /// This stands before it.
    Longer(String),
    /// This does not.
    Shorter(String),
    /// A tab for so many blanks.
    Tabs(usize),
    /// So many blanks for a tab.
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

impl Shift {
    /// Returns what makes the indentation of `own` of that of `sent`, the same lines but for
    /// blanks. The first line says nothing where the text begins within it.
    ///
    /// # Errors
    /// The lines are not all indented otherwise by the same.
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

    /// Returns what may make one indentation of another; none where that does not tell.
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

    /// Returns an indentation as the file has it; none where it cannot be shifted.
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

    /// Returns `text` indented as the file is. Its first line stays as it is where
    /// `begins_within` a line.
    ///
    /// # Errors
    /// A line cannot be shifted.
    pub fn shifted(&self, text: &str, begins_within: bool) -> Result<String, Reason> {
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
    fn of_uniform_differences() {
        for (sent, own, expected) in [
            ("a\n b", "a\n b", Some(Shift::None)),
            ("a\n    b", "a\n\tb", Some(Shift::Tabs(4))),
            ("    a\n        b", "\ta\n\t\tb", Some(Shift::Tabs(4))),
            ("\ta\n\n\t\tb", "  a\n\n    b", Some(Shift::Blanks(2))),
            (
                "  a\n    b",
                "    a\n      b",
                Some(Shift::Longer("  ".to_owned())),
            ),
            ("a\nb", "a\n  b", None),
            (
                "    a\n  b",
                "  a\nb",
                Some(Shift::Shorter("  ".to_owned())),
            ),
            ("  a\n  b", "  a\n   b", None),
            ("    a\n     b", "\ta\n\t\tb", None),
        ] {
            assert_eq!(
                Shift::between(sent, own, false).ok(),
                expected,
                "{sent:?} {own:?}"
            );
        }
        let within = Shift::between("a\nb", "a\n  b", true);
        assert_eq!(within, Ok(Shift::Longer("  ".to_owned())));
    }

    #[test]
    fn of_a_new_text() {
        let tabs = Shift::Tabs(4);
        assert_eq!(
            tabs.shifted("    a\n\n        b\nc", false).unwrap(),
            "\ta\n\n\t\tb\nc"
        );
        assert!(tabs.shifted("      a", false).is_err());
        let longer = Shift::Longer("  ".to_owned());
        assert_eq!(longer.shifted("a\nb", true).unwrap(), "a\n  b");
        assert!(
            Shift::Shorter("  ".to_owned())
                .shifted(" a", false)
                .is_err()
        );
    }
}
