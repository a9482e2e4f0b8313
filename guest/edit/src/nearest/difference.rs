//! The first difference between two texts, classified.

use docent_text::saturating::saturating_u32;

use crate::near_miss::{Difference, DifferenceKind};
use crate::nearest::index::{TextFolder, is_invisible, plain};
use crate::original::{Original, shorten};

/// Maximum characters shown after a difference.
const SHOWN_CHARS: usize = 40;

/// Returns the first difference of `sent` from the lines of the file from `start`, counted from 0,
/// or `None` if there is none. `last` tells if the last line may continue in the file.
pub fn first(
    original: &Original<'_>,
    start: usize,
    sent: &[&str],
    last: LastLine,
) -> Option<Difference> {
    let mut folder = TextFolder::default();
    for (index, own) in sent.iter().enumerate() {
        let line = start + index;
        let is_last = index + 1 == sent.len();
        let is_open = is_last && last == LastLine::Open;
        if line >= original.line_count() {
            let kind = DifferenceKind::ExtraLine(shorten(own));
            return Some(at(line, 1, kind));
        }
        let file = original.line(line);
        // The text that was sent may begin and end within a line, so its first line may be the end
        // of one of the file, its last line the beginning, and its only line any part. A text that
        // ends in a line end has a complete last line: `second` then differs from `second thing`.
        let is_equal = file == *own
            || (index == 0 && file.ends_with(own))
            || (is_open && file.starts_with(own))
            || (index == 0 && is_open && file.contains(own));
        if is_equal {
            continue;
        }
        if index > 0 && own.trim().is_empty() && !file.trim().is_empty() {
            return Some(at(line, 1, DifferenceKind::ExtraLine((*own).to_owned())));
        }
        let mut is_same =
            |a: &str, b: &str| folder.hash(a).is_some_and(|a| folder.hash(b) == Some(a));
        if !is_same(file, own) && (0 < index || !is_last) {
            let next = (line + 1 < original.line_count()).then(|| original.line(line + 1));
            if next.is_some_and(|next| is_same(next, own)) && index > 0 {
                return Some(at(line, 1, DifferenceKind::MissingLine(shorten(file))));
            }
            if sent.get(index + 1).is_some_and(|next| is_same(file, next)) {
                return Some(at(line, 1, DifferenceKind::ExtraLine(shorten(own))));
            }
        }
        return Some(line_difference(line, file, own, index == 0));
    }
    None
}

/// The extent of a text's last line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastLine {
    /// The text ends within a line, or may do so.
    Open,
    /// The last line is complete.
    Whole,
}

fn at(line: usize, column: usize, kind: DifferenceKind) -> Difference {
    Difference {
        line: saturating_u32(line + 1),
        column,
        kind,
    }
}

/// Returns the difference of a line that was sent from one of the file, within which it may begin.
fn line_difference(line: usize, file: &str, sent: &str, may_begin_within: bool) -> Difference {
    let (file_text, sent_text) = (
        file.trim_start_matches(is_blank),
        sent.trim_start_matches(is_blank),
    );
    let file_indent = &file[..file.len() - file_text.len()];
    let sent_indent = &sent[..sent.len() - sent_text.len()];
    // Either the indentation differs, or the text begins after it. Without this distinction a text
    // that was quoted from the middle of a line would be reported as one with a wrong indentation.
    let begins_within =
        may_begin_within && (sent_indent.is_empty() || !same_start(file_text, sent_text));
    if !begins_within && file_indent != sent_indent {
        let kind = DifferenceKind::Blanks {
            file: file_indent.to_owned(),
            sent: sent_indent.to_owned(),
            is_indentation: true,
        };
        return at(line, 1, kind);
    }
    let start = if begins_within { begin(file, sent) } else { 0 };
    let behind = &file[start..];
    let common = behind.chars().zip(sent.chars()).take_while(|(a, b)| a == b);
    let length: usize = common.map(|(c, _)| c.len_utf8()).sum();
    let (own, other) = (&behind[length..], &sent[length..]);
    let column = file[..start + length].chars().count() + 1;
    at(line, column, kind(own, other, &behind[..length]))
}

/// Returns true if two texts have the same first characters, ignoring case.
fn same_start(file: &str, sent: &str) -> bool {
    let begin = |text: &str| {
        text.chars()
            .take(4)
            .flat_map(char::to_lowercase)
            .collect::<String>()
    };
    begin(file) == begin(sent)
}

/// Returns the position in a line of the file at which the text that was sent most likely begins:
/// that of its longest beginning which the line contains. The lengths are halved from 64
/// characters, so that a line of two megabytes is searched five times at most.
fn begin(file: &str, sent: &str) -> usize {
    for count in [64, 32, 16, 8, 4] {
        let end = sent
            .char_indices()
            .nth(count)
            .map_or(sent.len(), |(end, _)| end);
        if let Some(at) = memchr::memmem::find(file.as_bytes(), &sent.as_bytes()[..end])
            && end > 0
        {
            return at;
        }
    }
    file.len() - file.trim_start_matches([' ', '\t']).len()
}

/// Classifies the difference of the rest of a line from that of the text that was sent. `before` is
/// the equal part. Differences that cannot be seen come first: a no-break space shown beside a
/// blank would be the same text twice, and the caller would send it again.
fn kind(file: &str, sent: &str, before: &str) -> DifferenceKind {
    let (own, other) = (file.chars().next(), sent.chars().next());
    let are_blank = |text: &str| !text.is_empty() && text.chars().all(is_blank);
    if (file.is_empty() && are_blank(sent)) || (sent.is_empty() && are_blank(file)) {
        let trailing = |rest: &str| blanks_round(before, rest).chars().count();
        return DifferenceKind::TrailingBlanks {
            file: trailing(file),
            sent: trailing(sent),
        };
    }
    let invisible = |c: Option<char>| c.filter(|c| is_invisible(*c));
    if let Some(character) = invisible(own).or(invisible(other)) {
        return DifferenceKind::Invisible {
            character,
            in_file: invisible(own).is_some(),
        };
    }
    let (Some(own), Some(other)) = (own, other) else {
        return text(file, sent);
    };
    let is_alike = |a: char, b: char| plain(a).unwrap_or(a) == plain(b).unwrap_or(b);
    let are_spaces = own.is_whitespace() && other.is_whitespace();
    let is_mistakable = may_be_mistaken(own) && may_be_mistaken(other);
    let is_mistaken = is_mistakable && (own.is_ascii() != other.is_ascii());
    if (are_spaces && !(is_blank(own) && is_blank(other))) || is_alike(own, other) || is_mistaken {
        return DifferenceKind::Character {
            file: own,
            sent: other,
        };
    }
    let (own_run, other_run) = (blanks_round(before, file), blanks_round(before, sent));
    let is_run = is_blank(own) || is_blank(other);
    if is_run && !own_run.is_empty() && !other_run.is_empty() {
        return DifferenceKind::Blanks {
            file: own_run,
            sent: other_run,
            is_indentation: false,
        };
    }
    if own.to_lowercase().eq(other.to_lowercase()) {
        return DifferenceKind::Case {
            file: word_round(before, file),
            sent: word_round(before, sent),
        };
    }
    text(file, sent)
}

/// Returns true for a letter or digit of a script, width or style with many characters that look
/// like ASCII: Greek, Cyrillic, Armenian, numerals, mathematical and full-width ones. Unicode
/// Technical Standard #39 calls them confusable: a message that shows `a` and the Cyrillic U+0430
/// without their code points would show the same letter twice.
fn may_be_mistaken(c: char) -> bool {
    let looks_alike = matches!(
        c,
        '\u{370}'..='\u{58F}' | '\u{1F00}'..='\u{1FFF}' | '\u{2100}'..='\u{218F}'
            | '\u{FF10}'..='\u{FF5A}' | '\u{1D400}'..='\u{1D7FF}'
    );
    c.is_ascii_alphanumeric() || looks_alike && c.is_alphanumeric()
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

/// Returns the blanks and tabs at the boundary of two texts.
fn blanks_round(before: &str, behind: &str) -> String {
    let start = before.trim_end_matches(is_blank).len();
    let end = behind.len() - behind.trim_start_matches(is_blank).len();
    [&before[start..], &behind[..end]].concat()
}

/// Returns the word that spans the boundary of two texts.
fn word_round(before: &str, behind: &str) -> String {
    let start = before.trim_end_matches(char::is_alphanumeric).len();
    let rest = behind.chars().take_while(|c| c.is_alphanumeric());
    before[start..]
        .chars()
        .chain(rest.take(SHOWN_CHARS))
        .collect()
}

fn text(file: &str, sent: &str) -> DifferenceKind {
    let start_of = |rest: &str| rest.chars().take(SHOWN_CHARS).collect::<String>();
    DifferenceKind::Text {
        file: start_of(file),
        sent: start_of(sent),
    }
}
