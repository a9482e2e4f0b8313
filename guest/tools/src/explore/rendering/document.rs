//! Documents: the best section for a query, a requested section, and a preview of a document.

use std::ops::Range;

use docent_api::types::{Error, ErrorCode};
use unicode_normalization::UnicodeNormalization as _;

use crate::explore::rendering::further::{with_lines, with_sections};
use crate::explore::rendering::literal::{Literal, LiteralLine};
use crate::explore::rendering::text::{ItemText, QuotedLines, fit};
use crate::explore::request::call_limits::Room;
use crate::explore::request::numbers::Numbers;
use crate::explore::request::shape::{SectionAddress, Subsections};
use crate::lexical::similarity::nearest;
use crate::lexical::word_hits::QueryWords;
use crate::limits::{BLOCK_TOKENS, FIRST_PARAGRAPH_CHARS, NEAREST_HEADINGS, PARTS_OF_ROOM};
use docent_document::headings;
use docent_document::parts::{Unit, parts};
use docent_document::sections::{Section, sections, slug, with_subsections};
use docent_document::toc;
use docent_rank::bm25::Collection;
use docent_rank::passages::{Question, ScoredDocument};
use docent_text::lines::{LineCounter, with_ends};
use docent_text::time_budget::TimeBudget;
use docent_text::tokens::estimate::estimate_within;
use docent_tree::error::refuse;

/// The best section of a document for a question.
pub struct BestSection {
    /// The section.
    pub section: Section,
    /// Its text, starting at its best part if it is longer than its room; followed by the other
    /// matching parts of the document that fit.
    pub text: ItemText,
    /// Number of lines with a literal match, or `None` if there is no literal.
    pub lines: Option<usize>,
    /// The section with the sections below its heading, as far as the best item of a search has
    /// room; `None` if there are none.
    pub read_on: Option<ReadOn>,
}

/// A section continued with the sections below its heading.
pub struct ReadOn {
    /// The part that fits.
    pub text: ItemText,
    /// Byte range of the whole in the document.
    pub whole: Range<usize>,
}

/// Search within a document.
#[derive(Clone, Copy)]
pub struct SectionSearch<'a> {
    /// Words of the query.
    pub question: &'a Question,
    /// The documents that were searched.
    pub collection: &'a Collection,
    /// Byte range of the best semantic match, or `None` if none is known.
    pub semantic: Option<&'a Range<usize>>,
    /// Words of the query in the form in which answers name them.
    pub words: &'a QueryWords<'a>,
    /// Literal text of the query.
    pub literal: Option<&'a Literal>,
    /// Display of line numbers, which take up room.
    pub numbers: Numbers,
}

/// Returns the best section of a document for a question, or `None` if only the document's name
/// contains a word of it, or if the time is over.
pub fn best(
    name: &str,
    text: &str,
    search: SectionSearch<'_>,
    room: Room,
    time_budget: &mut TimeBudget<'_>,
) -> Option<BestSection> {
    let SectionSearch {
        question,
        collection,
        semantic,
        words,
        literal,
        numbers,
    } = search;
    let semantic = semantic.cloned().unwrap_or_default();
    let all = ScoredDocument::new_within(name, text, question, time_budget)?;
    let lines = literal.map(|literal| literal.lines(text));
    let held = sections_with(all.sections(), lines.as_deref().unwrap_or_default());
    let all = all.with_semantic_match(semantic.clone());
    // If some sections contain the literal text, only these compete. Other sections may contain
    // the parts of the name more often: for `parse_config`, one that explains how to parse and
    // what a config is.
    let held = held.map(|held| ScoredDocument::from_sections(text, held, question));
    let document = held.as_ref().unwrap_or(&all);
    // Rarity is judged among all documents that were searched, the length of a section among
    // the sections of this one. A question has the same rare words everywhere, but a glossary
    // has short sections and a manual long ones.
    let mut sections = Collection::default();
    document.add_to(&mut sections);
    let scorer = question.scorer(collection, sections.mean_length());
    // The size of a part is measured in characters, whatever unit the room has: it is a matter
    // of content, and must not change with the way in which answers are counted.
    let best = document.best(&scorer, room.item / PARTS_OF_ROOM, time_budget)?;
    let section = best.section.clone();
    let own = &text[section.span.clone()];
    let is_whole = room.unit.measure(own) <= room.item;
    let shown = match lines.as_deref() {
        Some(lines) if !is_whole => passage_with(text, &section.span, lines, room),
        _ => section.span.clone(),
    };
    let listed = lines
        .as_deref()
        .and_then(|lines| with_lines(text, shown, lines, (room, numbers)));
    let lines = lines.filter(|lines| !lines.is_empty());
    let lines = lines.map(|lines| lines.len());
    if let Some(text) = listed {
        return Some(BestSection {
            section,
            text,
            lines,
            read_on: None,
        });
    }
    if is_whole {
        let read_on = read_on(text, all.sections(), &section, (room, numbers));
        let mut others = document.near_best(&scorer, &section, time_budget);
        // Some sections match only through the words of a heading above them. Shown without
        // that heading, they would contain nothing of the query.
        others.retain(|other| words.are_as_many_in(&text[other.span.clone()], own, collection));
        let joined = with_sections(text, &section, &others, (room, numbers));
        let text = joined.unwrap_or_else(|| ItemText::from_file(text, section.span.clone()));
        return Some(BestSection {
            section,
            text,
            lines,
            read_on,
        });
    }
    // A semantic match need not contain the words by which parts are compared, so the best part
    // by words may be far from it. The passage then begins at the match.
    let is_semantic = section.span.contains(&semantic.start) && !semantic.is_empty();
    let start = if is_semantic {
        semantic.start
    } else {
        best.start
    };
    let (from, stops) = passage(own, start - section.span.start, room);
    let from = section.span.start + from;
    let text = ItemText::from_file_at(text, section.span.clone(), from).with_stops(stops);
    Some(BestSection {
        section,
        text,
        lines,
        read_on: None,
    })
}

/// Returns the sections in which one of these lines begins, or `None` if there are none.
fn sections_with(all: &[Section], lines: &[LiteralLine]) -> Option<Vec<Section>> {
    let is_held = |section: &&Section| {
        let before = lines.partition_point(|line| line.span.start < section.span.start);
        let first = lines.get(before);
        first.is_some_and(|line| line.span.start < section.span.end)
    };
    let held: Vec<Section> = all.iter().filter(is_held).cloned().collect();
    (!held.is_empty()).then_some(held)
}

/// Returns the part of a long section that is shown before the other matching lines: the lines
/// around the first match, about half of the room.
fn passage_with(
    text: &str,
    section: &Range<usize>,
    lines: &[LiteralLine],
    room: Room,
) -> Range<usize> {
    let first = lines.iter().find(|line| section.contains(&line.span.start));
    let at = first.map_or(section.start, |line| line.span.start);
    let room = room.at_most(room.item / 2);
    let (from, stops) = passage(&text[section.clone()], at - section.start, room);
    let from = section.start + from;
    let most = from + room.unit.fit(&text[from..section.end], room.item);
    let stops = stops.into_iter().map(|stop| from + stop);
    let line_end = || {
        let lines = with_ends(&text[from..section.end]);
        let ends = lines.scan(from, |end, line| {
            *end += line.len();
            Some(*end)
        });
        ends.take_while(|end| *end <= most).last()
    };
    // The passage reaches at least to the end of the matching line, whatever room that takes.
    let line = first.map_or(from, |line| line.span.end);
    let end = stops.take_while(|stop| *stop <= most).last();
    let end = end.filter(|end| *end >= line).or_else(line_end);
    from..end.unwrap_or(line).max(line)
}

/// Returns a section with the sections below its heading: whole sections, and the first blocks of
/// the first one that does not fit.
fn read_on(
    text: &str,
    all: &[Section],
    section: &Section,
    (room, numbers): (Room, Numbers),
) -> Option<ReadOn> {
    let index = all.iter().position(|one| one.span == section.span)?;
    let whole = with_subsections(all, index);
    // A section that takes most of the room is more than an introduction, and is shown alone.
    if room.unit.measure(&text[section.span.clone()]) > room.best_item() / 2 {
        return None;
    }
    let end_in = |most| whole.start + room.unit.fit(&text[whole.clone()], most);
    let numbered = ItemText::from_file(text, whole.start..end_in(room.best_item()));
    let plain = numbered.need(room.unit);
    let numbers = numbered.with_numbers(numbers).need(room.unit) - plain;
    let most = end_in(room.best_item().saturating_sub(numbers));
    let below = all[index + 1..].iter().map(|below| &below.span);
    let cut = below.clone().find(|span| span.end.min(whole.end) > most);
    let end = match cut {
        None => whole.end,
        Some(cut) => {
            let inside = &text[cut.start..text.floor_char_boundary(most + room.item).min(cut.end)];
            let blocks = parts(inside, Unit::Tokens, BLOCK_TOKENS, BLOCK_TOKENS * 4).into_iter();
            let ends = blocks.map(|block| cut.start + block.end);
            let last = ends.take_while(|end| *end <= most).last();
            // A heading without text below it is not content: the passage ends before the
            // section instead.
            let is_text = |end: &usize| text[cut.start..*end].trim().contains('\n');
            last.filter(is_text).unwrap_or(cut.start)
        }
    };
    (end > section.span.end).then(|| ReadOn {
        text: ItemText::from_file(text, whole.start..end),
        whole,
    })
}

/// Returns the start of a passage of a section that contains the part starting at `best`, and the
/// positions after its start at which it may end: between paragraphs, else items and rows.
///
/// The passage starts as far before the part as its room allows, to include its introduction: the
/// head of a table, the sentence before a block of code.
fn passage(own: &str, best: usize, room: Room) -> (usize, Vec<usize>) {
    // A section can be as long as a document of megabytes without headings. Only the text that
    // one passage can reach on either side is divided into blocks, so the cost depends on the
    // room and not on the section.
    let before = own.floor_char_boundary(best.saturating_sub(room.item));
    let end = own.floor_char_boundary(best.saturating_add(room.item.saturating_mul(4)));
    let around = &own[before..end];
    let mut blocks: Vec<usize> = parts(around, Unit::Tokens, BLOCK_TOKENS, BLOCK_TOKENS * 4)
        .into_iter()
        .map(|span| before + span.start)
        .collect();
    blocks.push(end);
    let rest = room.unit.measure(&own[best..]);
    // If the section ends before the room is used up, the passage begins earlier by as much as
    // is left.
    let spare = room.item.saturating_sub(rest);
    let lead = spare.max(room.item / PARTS_OF_ROOM);
    let from = blocks
        .iter()
        .copied()
        .find(|&block| {
            block >= before && block <= best && room.unit.measure(&own[block..best]) <= lead
        })
        .unwrap_or(best);
    let stops = blocks.into_iter().filter(|&block| block > from);
    (from, stops.map(|block| block - from).collect())
}

/// Preview of a document.
pub struct Preview {
    /// Its table of contents and its first paragraph, up to the length that a preview quotes.
    pub text: String,
    /// The rest of the paragraph.
    pub rest: String,
    /// Position of the paragraph in both, or `None` if there is no paragraph.
    pub quoted: Option<QuotedLines>,
}

/// Returns a preview of a document: its table of contents with the lines and tokens of each entry,
/// if there is time to count them, and its first paragraph.
pub fn preview(name: &str, text: &str, time_budget: &mut TimeBudget<'_>) -> Preview {
    let all = sections(name, text);
    let mut out = String::new();
    let contents = toc::entries_within(text, &all, time_budget);
    for entry in contents.into_iter().flatten() {
        // A list as Markdown nests it.
        let indent = "  ".repeat(usize::from(entry.level.saturating_sub(1)));
        let heading = headings::heading::one_line(&entry.text);
        let (line, tokens) = (entry.line, entry.tokens);
        out.push_str(&format!("{indent}- L{line} {heading} ({tokens} tokens)\n"));
    }
    let at = first_paragraph(text, &all);
    let (at, paragraph) = (at.start, &text[at]);
    if !out.is_empty() && !paragraph.is_empty() {
        out.push('\n');
    }
    let most = paragraph.char_indices().nth(FIRST_PARAGRAPH_CHARS);
    let end = most.map_or(paragraph.len(), |(most, _)| fit(paragraph, most));
    let start = out.len();
    out.push_str(&paragraph[..end]);
    Preview {
        text: out,
        rest: paragraph[end..].to_owned(),
        quoted: (!paragraph.is_empty()).then(|| QuotedLines {
            span: start..start + paragraph.len(),
            first: LineCounter::new(text).line(at),
        }),
    }
}

/// Returns the byte range of the first paragraph of a document, headings excluded.
fn first_paragraph(text: &str, all: &[Section]) -> Range<usize> {
    let paragraph = all.iter().find_map(|section| {
        let own = &text[section.span.clone()];
        let body = if section.level > 0 {
            own.split_once('\n').map_or("", |(_, body)| body)
        } else {
            own
        };
        let begin = section.span.end - body.len();
        // A title may be underlined with `=====` instead of marked with `#`. That line is not a
        // paragraph.
        let before = with_ends(body).take_while(|line| is_blank_or_rule(line));
        let start: usize = before.map(str::len).sum();
        let lines = with_ends(&body[start..]).take_while(|line| !line.trim().is_empty());
        let length: usize = lines.map(str::len).sum();
        let paragraph = body[start..start + length].trim_end();
        (!paragraph.is_empty()).then(|| begin + start..begin + start + paragraph.len())
    });
    paragraph.unwrap_or(0..0)
}

/// Returns true if a section's own text is only its heading, with the content in its subsections.
pub fn is_heading_alone(level: u8, own: &str) -> bool {
    level > 0 && with_ends(own).skip(1).all(is_blank_or_rule)
}

/// Returns true if a line is blank or underlines a heading.
fn is_blank_or_rule(line: &str) -> bool {
    line.trim()
        .chars()
        .all(|c| matches!(c, '-' | '=' | '*' | '_' | '~'))
}

/// Returns the requested section: its index and its span, including its subsections if they are
/// requested.
///
/// # Errors
/// `document-not-found` with the nearest headings in the hint.
pub fn choose(
    all: &[Section],
    path: &str,
    address: &SectionAddress,
    subsections: Subsections,
) -> Result<(usize, Range<usize>), Error> {
    let index = match address {
        SectionAddress::Id(id) => {
            // Links write the id as `#setup`, and callers copy it from there.
            let plain = id.trim_start_matches('#');
            let by_id = all
                .iter()
                .position(|section| section.level > 0 && section.id == plain);
            // The text before the first heading has the empty id.
            by_id.or_else(|| {
                let is_first = plain.is_empty() && !all.is_empty();
                is_first.then_some(0)
            })
        }
        SectionAddress::Path(headings) => by_path(all, headings),
    };
    match index {
        Some(index) => {
            let span = match subsections {
                Subsections::Inclusions => with_subsections(all, index),
                Subsections::Exclusions => all[index].span.clone(),
            };
            Ok((index, span))
        }
        None => Err(no_section(all, path, address)),
    }
}

/// Returns the first section whose whole path is the requested one, else the first whose path ends
/// with it.
fn by_path(all: &[Section], headings: &[String]) -> Option<usize> {
    let folded = |heading: &str| -> String {
        // A model copies a heading from the text with its marks, `## Setup`, and the text may
        // have the same letters in another normal form than the request. Both are removed
        // before comparing, and case is ignored.
        let plain = heading.trim().trim_start_matches('#').trim();
        // Composed, since the text may contain the same letters in another normal form.
        plain.nfc().flat_map(char::to_lowercase).collect()
    };
    let wanted: Vec<String> = headings.iter().map(|heading| folded(heading)).collect();
    let paths: Vec<Vec<String>> = all
        .iter()
        .map(|section| section.path.iter().map(|heading| folded(heading)).collect())
        .collect();
    // `Setup` matches the heading at the top before the one in a chapter, whose whole path is
    // `Install > Setup`.
    let whole = paths.iter().position(|path| *path == wanted);
    whole.or_else(|| {
        let ends = |path: &Vec<String>| !path.is_empty() && path.ends_with(&wanted);
        paths.iter().position(ends)
    })
}

fn no_section(all: &[Section], path: &str, address: &SectionAddress) -> Error {
    let (field, wanted) = match address {
        SectionAddress::Id(id) => ("sectionId", id.clone()),
        SectionAddress::Path(headings) => ("headingPath", headings.join(" > ")),
    };
    let headed: Vec<&Section> = all.iter().filter(|section| section.level > 0).collect();
    // Only the last heading is compared for the hint; those above it are often correct.
    let last = slug(wanted.rsplit(" > ").next().unwrap_or_default());
    let ids = headed.iter().map(|section| section.id.as_str());
    let named: Vec<String> = nearest(&last, ids, NEAREST_HEADINGS)
        .into_iter()
        .map(|index| headings::heading::one_line(&headed[index].heading))
        .map(|heading| format!("`{heading}`"))
        .collect();
    refuse(
        ErrorCode::DocumentNotFound,
        format!("`{field}` is `{wanted}`; expected a heading of `{path}`"),
        if named.is_empty() {
            "The document has no headings; read it with view `full`, or search in it.".to_owned()
        } else {
            format!("The nearest headings are {}.", named.join(", "))
        },
    )
}

/// Returns the estimated tokens of a text, or `None` if it is empty or the time is over.
pub fn tokens(text: &str, time_budget: &mut TimeBudget<'_>) -> Option<u32> {
    estimate_within(text, time_budget).filter(|_| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "---\ntitle: T\n---\n# Guide\n\nWhat it is\nabout.\n\nMore.\n\n## Setup\n\nDo this.\n\n### Linux\n\nx\n\n## 설정\n\ny\n\n# Other\n\n## Setup\n\nz\n";

    fn chosen(address: &SectionAddress, subsections: Subsections) -> Result<&'static str, String> {
        let all = sections("a.md", TEXT);
        match choose(&all, "a.md", address, subsections) {
            Ok((_, span)) => Ok(&TEXT[span]),
            Err(error) => Err(error.hint),
        }
    }

    fn path(headings: &[&str]) -> SectionAddress {
        SectionAddress::Path(headings.iter().map(|&heading| heading.to_owned()).collect())
    }

    #[test]
    fn sections_by_id_and_path() {
        let setup = "## Setup\n\nDo this.\n\n";
        assert_eq!(
            chosen(
                &SectionAddress::Id("setup".to_owned()),
                Subsections::Exclusions
            ),
            Ok(setup)
        );
        assert_eq!(
            chosen(&path(&["setup"]), Subsections::Exclusions),
            Ok(setup)
        );
        assert_eq!(
            chosen(&path(&["Guide", "Setup"]), Subsections::Exclusions),
            Ok(setup)
        );
        assert_eq!(
            chosen(&path(&["Other", "Setup"]), Subsections::Exclusions),
            Ok("## Setup\n\nz\n")
        );
        assert_eq!(
            chosen(&path(&["## 설정"]), Subsections::Exclusions),
            Ok("## 설정\n\ny\n\n")
        );
        assert_eq!(
            chosen(&path(&["Setup"]), Subsections::Inclusions),
            Ok("## Setup\n\nDo this.\n\n### Linux\n\nx\n\n")
        );
        let hint = chosen(&path(&["Setpu"]), Subsections::Exclusions);
        assert_eq!(
            hint,
            Err("The nearest headings are `Setup`, `Setup`, `Guide`, `Linux`, `설정`.".to_owned())
        );
    }

    #[test]
    fn a_preview_is_contents_and_first_paragraph() {
        let text = "# Guide\n\nWhat it is\nabout.\n\nMore.\n\n## Setup\n\nDo this.\n";
        let preview = |name, text| preview(name, text, &mut TimeBudget::unlimited()).text;
        let guide = preview("a.md", text);
        let lines: Vec<&str> = guide.lines().collect();
        assert!(lines[0].starts_with("- L1 Guide (") && lines[1].starts_with("  - L8 Setup ("));
        assert_eq!(lines[2..], ["", "What it is", "about."]);
        assert_eq!(preview("a.txt", "one\ntwo\n\nthree\n"), "one\ntwo");
        assert_eq!(
            preview("a.md", "Title\n=====\n\ntext\n"),
            "- L1 Title (6 tokens)\n\ntext"
        );
    }

    #[test]
    fn what_a_long_paragraph_has_beyond_a_preview_is_its_rest() {
        let paragraph = "word ".repeat(300);
        let preview = preview("a.txt", &paragraph, &mut TimeBudget::unlimited());
        assert_eq!(preview.text.len(), FIRST_PARAGRAPH_CHARS);
        assert_eq!(preview.text + &preview.rest, paragraph.trim_end());
    }
}
