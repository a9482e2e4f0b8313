//! Edits by line numbers, with a hash that identifies the text to which the numbers refer.
//!
//! A line number is meaningless once a line was inserted above it, which another caller may do at
//! any time. The hash of the lines is enough: it stays valid while other parts of the file change,
//! as long as the lines keep their numbers.

use docent_text::saturating::saturating_u32;

use crate::endings::line_end;
use crate::error::{Reason, Stale};
use crate::limits::REGION_LINES;
use crate::original::{Original, shorten};
use crate::replace::{ResolvedEdit, rewrite};

/// Resolves the replacement of the lines `first` to `last`, from 1, by `new`. The hash is that of
/// the file, or of those lines with their ends. An empty `new` removes the lines; otherwise the
/// last new line has an end if the last old one has.
///
/// # Errors
/// Fails if there are no such lines, or the hash is that of another text.
pub fn replace_lines(
    original: &Original<'_>,
    lines: (u32, u32),
    hash: &str,
    new: &str,
) -> Result<ResolvedEdit, Reason> {
    let span = check_lines(original, lines, hash)?;
    let mut unified = original.fit(new)?;
    if !unified.is_empty() {
        let has_end = !line_end(&original.text()[span.clone()]).is_empty();
        match unified.strip_suffix('\n') {
            Some(plain) if !has_end => unified.truncate(plain.len()),
            None if has_end => unified.push('\n'),
            _ => {}
        }
    }
    let mut resolved = ResolvedEdit::splice(span.clone(), String::new());
    resolved.splices = rewrite(original, span, &unified);
    Ok(resolved)
}

/// Returns the byte range of lines, after checking their hash.
///
/// # Errors
/// Fails if there are no such lines, or the hash is that of another text.
pub fn check_lines(
    original: &Original<'_>,
    lines: (u32, u32),
    hash: &str,
) -> Result<std::ops::Range<usize>, Reason> {
    let (first, last) = lines;
    let count = saturating_u32(original.line_count());
    if first == 0 || last < first || last > count {
        return Err(Reason::NoLines {
            wanted: lines,
            count,
        });
    }
    let (first, last) = (first as usize - 1, last as usize - 1);
    let span = original.lines(first, last);
    let own = original.source.hash_of(span.clone());
    let hash = hash.trim();
    if own.matches_prefix(hash) {
        return Ok(span);
    }
    let file = original.source.hash();
    if file.matches_prefix(hash) {
        return Ok(span);
    }
    let shown = (first..=last).take(REGION_LINES);
    Err(Reason::Stale(Box::new(Stale {
        since: None,
        expected: hash.to_owned(),
        file: file.short(),
        lines: Some(own.short()),
        text: (
            lines.0,
            shown.map(|line| shorten(original.line(line))).collect(),
        ),
    })))
}
