//! Edits by heading.
//!
//! A section is a heading and the text below it up to the next heading; the sections below headings
//! of deeper levels are its subsections. Blank lines around unchanged text are kept; between added
//! text and its neighbours there are as many as the file usually has.

pub mod address;
mod definitions;
pub mod outline;
mod rename;

use std::ops::Range;

use docent_document::format::Format;
use docent_document::sections::{Section, with_subsections};
use docent_text::lines::with_ends;

use crate::endings::leading_line_end;
use crate::error::{Reason, SectionProblem};
use crate::original::{Original, shorten};
use crate::replace::{ResolvedEdit, rewrite};
use crate::section::address::find;
use crate::section::definitions::KeptDefinitions;
use crate::section::outline::{BlankLineCounts, SectionOutline, blank_lines, core, leaves_open};
use crate::source::Splice;
use crate::text_match::MatchKind;

/// An edit of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionEdit<'a> {
    /// Section: its id, its heading, or the path of headings to it.
    pub address: &'a str,
    /// Operation.
    pub op: SectionOp,
    /// Text to add, or the new heading.
    pub content: &'a str,
    /// True if the operation includes the subsections.
    pub include_subsections: bool,
}

/// The operation on a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SectionOp {
    /// Replaces its text and keeps its heading.
    Replace,
    /// Adds the content at the end of its text, before its subsections unless they are included:
    /// after them it would be the text of the last subsection.
    Append,
    /// Adds the content below its heading.
    Prepend,
    /// Adds the content before its heading.
    InsertBefore,
    /// Adds the content after it and its subsections.
    InsertAfter,
    /// Deletes it with its heading.
    Delete,
    /// Replaces the text of its heading.
    Rename,
}

/// Resolves an edit of a section.
///
/// # Errors
/// Fails if no section, or more than one, has that name, or the content does not fit.
pub fn edit(original: &Original<'_>, edit: &SectionEdit<'_>) -> Result<ResolvedEdit, Reason> {
    let index = find(original, edit.address)?;
    let sent = original.fit(edit.content)?;
    let parts = SectionParts::new(original, index, edit.include_subsections);
    let result = match edit.op {
        SectionOp::Rename => return rename::rename(original, index, &sent),
        SectionOp::Delete => parts.delete(edit.include_subsections),
        SectionOp::Replace => parts.replace(&sent),
        SectionOp::Append => parts.append(&sent),
        SectionOp::Prepend => parts.prepend(&sent),
        SectionOp::InsertBefore => parts.insert_before(&sent),
        SectionOp::InsertAfter => parts.insert_after(&sent),
    };
    let resolved = result.and_then(|resolved| parts.check_headings(edit.op, resolved));
    resolved.map_err(Reason::Section)
}

/// A section, with the positions that its edits need.
struct SectionParts<'o, 't> {
    original: &'o Original<'t>,
    text: &'o str,
    index: usize,
    section: &'o Section,
    /// Byte range including its subsections.
    whole: Range<usize>,
    /// End of the text that the edit includes.
    end: usize,
    /// End of the heading, after its line end.
    heading_end: usize,
    habit: BlankLineCounts,
}

impl<'o, 't> SectionParts<'o, 't> {
    fn new(original: &'o Original<'t>, index: usize, include_subsections: bool) -> Self {
        let outline = original.outline();
        let section = &outline.sections[index];
        let whole = with_subsections(&outline.sections, index);
        let text = original.text();
        Self {
            original,
            text,
            index,
            section,
            end: if include_subsections {
                whole.end
            } else {
                section.span.end
            },
            heading_end: outline.heading_ends[index],
            whole,
            habit: outline.habit(text),
        }
    }

    fn subsections(&self) -> &[Section] {
        let behind = &self.original.sections()[self.index + 1..];
        let count = behind
            .iter()
            .take_while(|below| below.level > self.section.level)
            .count();
        &behind[..count]
    }

    /// Returns the end of the last line that is not blank, before its line end.
    fn content_end(&self, end: usize) -> usize {
        core(self.text, self.section.span.start..end).map_or(end, |core| core.end)
    }

    /// Refuses an edit that would change the headings around it. The meaning of a line depends on
    /// those before it: an open HTML block swallows the next heading, and a line before `===`
    /// becomes a part of its heading. No list of such cases would be complete, so the result is
    /// parsed, and the headings before and after the edit are compared.
    fn check_headings(
        &self,
        op: SectionOp,
        resolved: ResolvedEdit,
    ) -> Result<ResolvedEdit, SectionProblem> {
        let old = self.original.sections();
        let stays = !matches!(op, SectionOp::Delete | SectionOp::InsertBefore);
        let above = &old[..self.index + usize::from(stays)];
        let end = match op {
            SectionOp::Delete | SectionOp::InsertAfter => self.whole.end,
            SectionOp::InsertBefore => self.section.span.start,
            _ => self.end,
        };
        let below = old.partition_point(|section| section.span.start < end);
        let text = self.original.source.splice_text(&resolved.splices);
        let new = SectionOutline::new(self.original.name, &text).sections;
        let (above, below) = (headings(above), headings(&old[below..]));
        let new = headings(&new);
        let are_kept = new.len() >= above.len() + below.len()
            && new.starts_with(&above)
            && new.ends_with(&below);
        if are_kept {
            Ok(resolved)
        } else {
            Err(SectionProblem::ChangesOthers)
        }
    }

    fn replace(&self, sent: &str) -> Result<ResolvedEdit, SectionProblem> {
        let content = self.content(sent, Requirement::MayBeEmpty)?;
        self.check_subsections(&content)?;
        let kept = KeptDefinitions::new(self.original, &(self.heading_end..self.end), &content);
        let content = kept.below(&content);
        let heading = self.content_end(self.heading_end);
        let Some(core) = core(self.text, self.heading_end..self.end) else {
            return Ok(self.add_behind(heading, self.habit.below_heading, &content, self.end));
        };
        let gap = self.gap(core.end, self.end);
        let mut splices = if content.is_empty() {
            vec![Splice {
                range: heading..core.end,
                text: String::new(),
            }]
        } else {
            rewrite(self.original, core.clone(), &content)
        };
        if !gap.is_empty() && !content.is_empty() {
            splices.push(Splice {
                range: core.end..core.end,
                text: gap.to_owned(),
            });
        }
        Ok(ResolvedEdit {
            claims: std::iter::once(heading..self.end.max(core.end)).collect(),
            splices,
            matched: MatchKind::Exact,
            warnings: kept.warning().into_iter().collect(),
        })
    }

    fn append(&self, sent: &str) -> Result<ResolvedEdit, SectionProblem> {
        let content = self.content(sent, Requirement::IsFilled)?;
        self.check_open(self.end)?;
        let at = self.content_end(self.end);
        let is_empty = core(self.text, self.heading_end..self.end).is_none();
        let blanks = if is_empty {
            self.habit.below_heading
        } else {
            1
        };
        Ok(self.add_behind(at, blanks, &content, self.end))
    }

    fn prepend(&self, sent: &str) -> Result<ResolvedEdit, SectionProblem> {
        let own_end = self.section.span.end;
        let Some(core) = core(self.text, self.heading_end..own_end) else {
            let content = self.content(sent, Requirement::IsFilled)?;
            let at = self.content_end(own_end);
            return Ok(self.add_behind(at, self.habit.below_heading, &content, own_end));
        };
        let content = self.content(sent, Requirement::IsFilled)?;
        Ok(self.add_before(core.start, 1, &content))
    }

    fn insert_before(&self, sent: &str) -> Result<ResolvedEdit, SectionProblem> {
        let content = self.beside(sent)?;
        let at = self.section.span.start;
        let mut resolved = self.add_before(at, self.habit.above_heading, &content);
        let before = &self.text[..at];
        let content = before.trim_end_matches([' ', '\t', '\n', '\r']);
        if !content.is_empty() && blank_lines(&before[content.len()..]) < 2 {
            let new_line = self.original.endings.new_line();
            resolved.splices[0].text.insert_str(0, new_line);
        }
        Ok(resolved)
    }

    fn insert_after(&self, sent: &str) -> Result<ResolvedEdit, SectionProblem> {
        let content = self.beside(sent)?;
        self.check_open(self.whole.end)?;
        let at = self.content_end(self.whole.end);
        Ok(self.add_behind(at, self.habit.above_heading, &content, self.whole.end))
    }

    fn delete(&self, include_subsections: bool) -> Result<ResolvedEdit, SectionProblem> {
        let count = self.subsections().len();
        if count > 0 && !include_subsections {
            return Err(SectionProblem::SubsectionsStay { count });
        }
        let before = &self.text[..self.whole.start];
        let content = before.trim_end_matches([' ', '\t', '\n', '\r']).len();
        let mut range = self.whole.clone();
        // With the last section the blank lines above it are removed, since they would end the
        // file. A line end of the file is kept, and an absent one stays absent, so that a diff
        // shows only the section.
        if range.end == self.text.len() && content > 0 {
            let has_end = self.text.ends_with(['\n', '\r']);
            let line_end = if has_end {
                leading_line_end(&self.text[content..]).len()
            } else {
                0
            };
            range.start = content + line_end;
        }
        let kept = KeptDefinitions::new(self.original, &self.whole, "");
        let text = if kept.is_empty() {
            let gap = if content > 0 && range.end < self.text.len() {
                self.gap(content, range.start)
            } else {
                ""
            };
            gap.to_owned()
        } else {
            self.in_place(&kept, content, &range)
        };
        let mut resolved = ResolvedEdit::splice(range, text);
        resolved.warnings.extend(kept.warning());
        Ok(resolved)
    }

    /// Returns the kept definitions, surrounded by the blank lines that they need at `range` of the
    /// deleted section. `content` is the end of the text before it. In Markdown a definition cannot
    /// interrupt a paragraph (CommonMark 0.31, section 4.7): directly below the text before the
    /// section it would be a part of that text.
    fn in_place(&self, kept: &KeptDefinitions, content: usize, range: &Range<usize>) -> String {
        let endings = self.original.endings;
        let above = if content == 0 {
            0
        } else {
            2usize.saturating_sub(blank_lines(&self.text[content..range.start]))
        };
        let is_last = range.end == self.text.len();
        let below = if is_last {
            usize::from(self.text.ends_with(['\n', '\r']))
        } else {
            2
        };
        let text = format!(
            "{}{}{}",
            "\n".repeat(above),
            kept.below(""),
            "\n".repeat(below)
        );
        endings.adapt(&text, [])
    }

    /// Returns the missing line end between a text that ends at `at` and a heading after the blank
    /// lines up to `end`. An underlined heading without a blank line before it would include the
    /// text: a setext heading may span several lines (CommonMark 0.31, section 4.3).
    fn gap(&self, at: usize, end: usize) -> &'static str {
        let outline = self.original.outline();
        let mut sections = outline.sections.iter().zip(&outline.heading_ends);
        let next = sections.find(|(next, _)| next.span.start >= self.end);
        let is_underlined = next.is_some_and(|(next, heading_end)| {
            let heading = &self.text[next.span.start..*heading_end];
            with_ends(heading).count() > 1
        });
        if is_underlined && blank_lines(&self.text[at..end]) < 2 {
            self.original.endings.new_line()
        } else {
            ""
        }
    }

    /// Adds content after the line that ends at `at`. `end` is the end of the blank lines after it.
    /// They stay after the content, so that the distance to the next heading is kept; if there are
    /// none, one is added, since the next heading may be underlined.
    fn add_behind(&self, at: usize, blanks: usize, content: &str, end: usize) -> ResolvedEdit {
        if content.is_empty() {
            return ResolvedEdit::splice(at..at, String::new());
        }
        let endings = self.original.endings;
        let new_line = endings.new_line();
        let content = endings.adapt(content, []);
        let line_end = leading_line_end(&self.text[at..]).len();
        if line_end == 0 {
            // The file ends without a line end. The content is added on lines of its own, and the
            // file still ends without one.
            let text = format!("{}{content}", new_line.repeat(1 + blanks));
            return ResolvedEdit::splice(at..at, text);
        }
        let behind = blank_lines(&self.text[at..end]);
        let missing = if end < self.text.len() {
            2usize.saturating_sub(behind)
        } else {
            0
        };
        let text = format!(
            "{}{content}{}",
            new_line.repeat(blanks),
            new_line.repeat(1 + missing)
        );
        let at = at + line_end;
        ResolvedEdit::splice(at..at, text)
    }

    /// Adds content before the line that begins at `at`.
    fn add_before(&self, at: usize, blanks: usize, content: &str) -> ResolvedEdit {
        let endings = self.original.endings;
        let mut text = endings.adapt(content, []);
        text.push_str(&endings.new_line().repeat(1 + blanks));
        ResolvedEdit::splice(at..at, text)
    }

    /// Returns the content without blank lines around it, and without the section's own heading,
    /// which a caller may repeat. Another heading of the same or a higher level is refused: the
    /// content would end the section, and the text after it would belong to that heading.
    fn content(&self, sent: &str, gap: Requirement) -> Result<String, SectionProblem> {
        let mut content = trim_blank_lines(sent);
        let outline = SectionOutline::new(self.original.name, content);
        let first = outline
            .sections
            .first()
            .filter(|first| first.level > 0 && first.span.start == 0);
        if let Some(first) = first {
            // In reStructuredText the level of a heading follows from the order in which the styles
            // of underlines first occur in the document, and in LaTeX from its outermost command,
            // so it is unknown in a part of it.
            let format = Format::from_name(self.original.name);
            let has_levels = !matches!(format, Some(Format::Rst | Format::Tex));
            let is_same = first.heading == self.section.heading;
            if is_same && (first.level == self.section.level || !has_levels) {
                content = trim_blank_lines(&content[outline.heading_ends[0]..]);
            } else if has_levels && (is_same || first.level <= self.section.level) {
                return Err(SectionProblem::OtherHeading {
                    sent: shorten(content.lines().next().unwrap_or_default()),
                    own: shorten(
                        self.original
                            .line(self.original.line_index(self.section.span.start)),
                    ),
                });
            }
        }
        if content.is_empty() && gap == Requirement::IsFilled {
            return Err(SectionProblem::Empty);
        }
        self.check_closed(content)
    }

    /// Returns the content to be added before or after the section.
    fn beside(&self, sent: &str) -> Result<String, SectionProblem> {
        let content = trim_blank_lines(sent);
        if content.is_empty() {
            return Err(SectionProblem::Empty);
        }
        self.check_closed(content)
    }

    fn check_closed(&self, content: &str) -> Result<String, SectionProblem> {
        if leaves_open(self.original.name, content) {
            return Err(SectionProblem::LeavesOpen);
        }
        Ok(content.to_owned())
    }

    /// Refuses to add to a section that leaves a block open: below an open fence the added text
    /// would be code. Only the last section can leave one open, since a heading was found after any
    /// other.
    fn check_open(&self, end: usize) -> Result<(), SectionProblem> {
        let is_last = end == self.text.len();
        if is_last && leaves_open(self.original.name, &self.text[self.section.span.start..end]) {
            return Err(SectionProblem::IsOpen);
        }
        Ok(())
    }

    /// Refuses content that contains a subsection which is also kept. A caller that read the
    /// section with its subsections may send all of them back, and without `include_subsections`
    /// each would be in the file twice.
    fn check_subsections(&self, content: &str) -> Result<(), SectionProblem> {
        if self.end == self.whole.end {
            return Ok(());
        }
        let sent = SectionOutline::new(self.original.name, content).sections;
        let stays = |heading: &str| {
            self.subsections()
                .iter()
                .any(|below| below.heading == heading)
        };
        let twice = sent
            .into_iter()
            .find(|sent| sent.level > 0 && stays(&sent.heading));
        twice.map_or(Ok(()), |sent| {
            let heading = sent.heading;
            Err(SectionProblem::SubsectionTwice { heading })
        })
    }
}

/// Returns the headings of sections, with their levels.
fn headings(sections: &[Section]) -> Vec<(u8, &str)> {
    let headed = sections.iter().filter(|section| section.level > 0);
    headed
        .map(|section| (section.level, section.heading.as_str()))
        .collect()
}

/// The requirement that content is present.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Requirement {
    MayBeEmpty,
    IsFilled,
}

/// Returns a text without the blank lines around it and without its last line end.
fn trim_blank_lines(text: &str) -> &str {
    core(text, 0..text.len()).map_or("", |core| &text[core])
}
