//! Lines by their numbers, with a hash that says of which text the numbers are.

use docent_text::saturating::saturating_u32;

use crate::endings::of_last_line;
use crate::error::{Reason, Stale};
use crate::limits::REGION_LINES;
use crate::original::{Original, shortened};
use crate::replace::{Resolved, rewrite};

/// Returns what it means to replace the lines `first` to `last`, from 1 on, by `new`. The hash is
/// that of the file, or of those lines with their ends. An empty `new` removes them; else a line
/// end stands behind it where one stands behind them.
///
/// # Errors
/// There are no such lines, or the hash is of other ones.
pub fn replace_lines(
    original: &Original<'_>,
    lines: (u32, u32),
    hash: &str,
    new: &str,
) -> Result<Resolved, Reason> {
    let span = checked(original, lines, hash)?;
    let mut unified = original.fit(new)?;
    if !unified.is_empty() {
        let has_end = !of_last_line(&original.text()[span.clone()]).is_empty();
        match unified.strip_suffix('\n') {
            Some(plain) if !has_end => unified.truncate(plain.len()),
            None if has_end => unified.push('\n'),
            _ => {}
        }
    }
    let mut resolved = Resolved::splice(span.clone(), String::new());
    resolved.splices = rewrite(original, span, &unified);
    Ok(resolved)
}

/// Returns where lines stand, which are those that a hash was taken of.
///
/// # Errors
/// There are no such lines, or the hash is of other ones.
pub fn checked(
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
            shown.map(|line| shortened(original.line(line))).collect(),
        ),
    })))
}
