//! Renaming of a heading: its text is replaced, while its markup and an id after it are kept.

use std::ops::Range;

use docent_document::format::Format;
use docent_document::headings::anchor::explicit_id;
use docent_document::sections::sections;
use docent_text::lines::{with_ends, without_end};
use docent_text::sort::sort_by_key;

use crate::error::{Reason, SectionProblem};
use crate::original::Original;
use crate::replace::ResolvedEdit;
use crate::section::outline::SectionOutline;
use crate::source::Splice;
use crate::text_match::MatchKind;

/// Resolves the renaming of a section to `sent`, which may begin with the markup of a heading.
///
/// # Errors
/// Fails if `sent` does not yield a heading of the same level.
pub fn rename(original: &Original<'_>, index: usize, sent: &str) -> Result<ResolvedEdit, Reason> {
    let no_heading = || Reason::Section(SectionProblem::NoHeading);
    let outline = original.outline();
    let section = &outline.sections[index];
    let span = section.span.start..outline.heading_ends[index];
    let name = plain(original.name, section.level, sent).ok_or_else(no_heading)?;
    let splices = if has_signs(original.name) {
        splices(original, span.clone(), &name)
    } else {
        verbatim_splices(original, span.clone(), &section.heading, &name)
    };
    let splices = splices.ok_or_else(no_heading)?;
    // The result is parsed to make sure that it is still a heading of the same level, and that all
    // other headings are unchanged. `- B` above an underline, for example, is an item of a list.
    let text = original.source.splice_text(&splices);
    let after = SectionOutline::new(original.name, &text);
    let is_kept = after.sections.len() == outline.sections.len()
        && after
            .sections
            .iter()
            .zip(&outline.sections)
            .enumerate()
            .all(|(at, (new, old))| {
                new.level == old.level && (at == index || new.heading == old.heading)
            });
    if !is_kept || after.sections[index].heading.is_empty() {
        return Err(no_heading());
    }
    Ok(ResolvedEdit {
        claims: vec![span],
        splices,
        matched: MatchKind::Exact,
        warnings: Vec::new(),
    })
}

/// Returns the text of a heading that was sent: one line, without the markup before it. Markup of
/// another level is refused, `## B` for a heading `# A`: renaming a section does not move it to
/// another level, and with it its subsections.
fn plain(name: &str, level: u8, sent: &str) -> Option<String> {
    let line = sent.trim();
    if line.is_empty() || line.contains(['\n', '\r']) {
        return None;
    }
    let sign = match Format::from_name(name) {
        Some(Format::Adoc) => '=',
        Some(Format::Rst) => return Some(line.to_owned()),
        _ if has_signs(name) => '#',
        format => {
            let sent = sections(name, line).into_iter().next();
            let Some(sent) = sent.filter(|sent| sent.level > 0) else {
                return Some(line.to_owned());
            };
            // The level of a command of LaTeX depends on the whole document.
            let is_same = sent.level == level || format == Some(Format::Tex);
            return is_same.then_some(sent.heading);
        }
    };
    let text = line.trim_start_matches(sign);
    let count = line.len() - text.len();
    if count == 0 || !text.starts_with([' ', '\t']) {
        return Some(line.to_owned());
    }
    let text = text.trim();
    (count == usize::from(level) && !text.is_empty()).then(|| text.to_owned())
}

/// Returns true if the headings of a file begin with `#` or `=`, or have a rule below their text.
fn has_signs(name: &str) -> bool {
    let has_signs =
        |format: Format| format.is_markdown() || matches!(format, Format::Rst | Format::Adoc);
    Format::from_name(name).is_some_and(has_signs)
}

/// Returns the splice of a heading whose source contains its plain text once. Markup within the
/// text, such as `\section{The \emph{new} way}`, has no place in the new text, and only the author
/// knows whether it is still wanted.
fn verbatim_splices(
    original: &Original<'_>,
    span: Range<usize>,
    heading: &str,
    name: &str,
) -> Option<Vec<Splice>> {
    let mut places = original.text()[span.clone()].match_indices(heading);
    let (at, _) = places.next().filter(|_| !heading.is_empty())?;
    let start = span.start + at;
    places.next().is_none().then(|| {
        vec![Splice {
            range: start..start + heading.len(),
            text: name.to_owned(),
        }]
    })
}

/// Returns the splices of a heading at `span`.
fn splices(original: &Original<'_>, span: Range<usize>, name: &str) -> Option<Vec<Splice>> {
    let text = &original.text()[span.clone()];
    let lines: Vec<&str> = with_ends(text).collect();
    let signed = without_end(lines.first()?).trim_start_matches([' ', '\t']);
    let sign = match Format::from_name(original.name) {
        Some(Format::Adoc) => '=',
        _ => '#',
    };
    let is_signed =
        Format::from_name(original.name) != Some(Format::Rst) && signed.starts_with(sign);
    if is_signed && lines.len() == 1 {
        let (range, blank) = atx_text_range(without_end(lines[0]), sign);
        let range = span.start + range.start..span.start + range.end;
        let text = format!("{}{name}", if blank { " " } else { "" });
        return Some(vec![Splice { range, text }]);
    }
    setext_splices(original, span, &lines, name)
}

/// Returns the range of the text in `## Text ##`, and true if the blank before it is missing.
fn atx_text_range(line: &str, sign: char) -> (Range<usize>, bool) {
    let inside = line
        .trim_start_matches([' ', '\t'])
        .trim_start_matches(sign);
    let start = line.len() - inside.trim_start_matches([' ', '\t']).len();
    let trimmed = line.trim_end();
    let open = trimmed.trim_end_matches(sign);
    let is_closed = open.len() < trimmed.len() && open.ends_with([' ', '\t']);
    let end = if is_closed { open } else { trimmed }.trim_end().len();
    let end = explicit_id(line).map_or(end, |id| id.text_end);
    (start..end.max(start), inside.is_empty())
}

/// Returns the splices of a heading with a rule below its text, and possibly above it. A rule as
/// long as the old text becomes as long as the new one; in reStructuredText so does a shorter one.
fn setext_splices(
    original: &Original<'_>,
    span: Range<usize>,
    lines: &[&str],
    name: &str,
) -> Option<Vec<Splice>> {
    let (rule, above) = lines.split_last()?;
    let is_rst = Format::from_name(original.name) == Some(Format::Rst);
    let has_overline = is_rst && above.len() == 2;
    let title = above.get(usize::from(has_overline)..)?;
    let source: String = title.concat();
    let text = source.trim_end();
    let text = explicit_id(text).map_or(text, |id| &text[..id.text_end]);
    let indent = text.len() - text.trim_start().len();
    let (old, new) = (width(text.trim_start()), width(name));
    let title_start = span.start + if has_overline { above[0].len() } else { 0 };
    let mut splices = vec![Splice {
        range: title_start + indent..title_start + text.len(),
        text: name.to_owned(),
    }];
    let mut stretch = |start: usize, rule: &str| {
        let signs = rule.trim();
        let length = signs.chars().count();
        let is_short = is_rst && length < new + 2 * indent;
        let Some(sign) = signs.chars().next().filter(|_| length == old || is_short) else {
            return;
        };
        let start = start + (rule.len() - rule.trim_start().len());
        let wanted = if length == old { new } else { new + 2 * indent };
        splices.push(Splice {
            range: start..start + signs.len(),
            text: sign.to_string().repeat(wanted.max(3)),
        });
    };
    stretch(title_start + source.len(), rule);
    if has_overline {
        stretch(span.start, above[0]);
    }
    sort_by_key(&mut splices, |splice| splice.range.start);
    Some(splices)
}

/// Returns the number of columns of a text: two for an East Asian wide character. A rule is
/// measured in columns, and docutils warns of an underline that has fewer than its title.
fn width(text: &str) -> usize {
    text.chars().map(|c| if is_wide(c) { 2 } else { 1 }).sum()
}

fn is_wide(c: char) -> bool {
    matches!(
        u32::from(c),
        0x1100..=0x115F
            | 0x2E80..=0xA4CF
            | 0xAC00..=0xD7A3
            | 0xF900..=0xFAFF
            | 0xFE30..=0xFE6F
            | 0xFF00..=0xFF60
            | 0xFFE0..=0xFFE6
            | 0x20000..=0x3FFFD
    )
}
