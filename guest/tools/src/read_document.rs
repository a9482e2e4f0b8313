//! `read-document`: the text of a document, or a part of it.

use std::ops::Range;

use docent_api::documents::{ReadDocumentAnswer, ReadDocumentOptions};
use docent_api::types::{Error, ErrorCode};

use crate::limits::{HINTED_SECTIONS, NEXT_CALL_TOKENS, READ_BYTES, READ_FRAME_TOKENS, TOKENS};
use crate::part::lines::{AskedLines, LineNumbers};
use crate::part::{self, AskedPath, PartAddress};
use docent_corpus::corpus::Corpus;
use docent_document::addresses::find;
use docent_document::format::is_notebook_name;
use docent_document::headings;
use docent_document::notebook::{cell_number, cell_span};
use docent_document::sections::{Section, sections, with_subsections};
use docent_rank::fences::fences;
use docent_text::content_hash::ContentHash;
use docent_text::lines::with_ends;
use docent_text::saturating::saturating_u32;
use docent_text::time_budget::TimeBudget;
use docent_text::tokens::estimate::estimate;
use docent_tree::disk::Disk;
use docent_tree::error::{check_range, refuse};
use docent_tree::path::RelPath;

/// Options with the default for everything.
pub const NO_OPTIONS: ReadDocumentOptions = ReadDocumentOptions {
    root: None,
    section: None,
    lines: None,
    max_tokens: None,
    line_numbers: None,
};

/// Requested part of a document.
enum Part {
    Whole,
    Section(String),
    Lines(AskedLines),
    /// A part given in its path.
    Address(PartAddress),
}

/// A range of whole lines.
#[derive(Clone)]
struct WholeLines {
    /// Byte range of the part.
    span: Range<usize>,
    /// `None` if there are no lines.
    numbers: Option<LineNumbers>,
}

/// Reads a document; see `wit/world.wit`.
///
/// # Errors
/// For a request that cannot be served, and for a document that cannot be read.
pub fn read_document<D: Disk>(
    corpus: &mut Corpus<D>,
    path: String,
    options: ReadDocumentOptions,
) -> Result<ReadDocumentAnswer, Error> {
    let asked = AskedPath::parse(&path)?;
    let ReadDocumentOptions {
        root,
        section,
        lines,
        max_tokens,
        line_numbers,
    } = options;
    let part = Part::parse(section, lines.as_deref())?;
    let max_tokens = check_range("maxTokens", max_tokens, TOKENS)?;
    let root = corpus.choose_root(root.as_deref())?;
    corpus.store.begin_call();
    let (opened, address) = part::open(corpus, root.index, &asked)?;
    let part = part.or_of_path(address, &asked)?;
    let decoded = opened.decode(&mut corpus.store)?;
    let (path, name) = (&opened.path, &opened.name);
    let text: &str = &decoded.text;
    let span = match &part {
        Part::Whole => 0..text.len(),
        Part::Section(section) => find_section(path, name, text, section)?,
        Part::Lines(numbers) => find_lines(path, text, *numbers)?,
        Part::Address(address) => {
            let time_budget = &mut TimeBudget::unlimited();
            part::resolve(path.as_str(), name, text, address, time_budget)?.span
        }
    };
    let whole = WholeLines::from_span(text, span);
    let title = headings::name(name, text);
    let total_lines = saturating_u32(with_ends(text).count());
    let hash = ContentHash::new(&opened.bytes).short();
    let range = match max_tokens {
        None => whole.clone(),
        Some(budget) => {
            let shown = [
                path.as_str(),
                title.as_str(),
                root.name.as_str(),
                decoded.origin,
                hash.as_str(),
            ];
            let mut frame = ReadFrame::new(shown, total_lines);
            if line_numbers == Some(true) {
                frame.line_number = estimate(&total_lines.to_string()) + 1;
            }
            whole.within(text, budget, &frame)?
        }
    };
    let size = opened.bytes.len() as u64;
    // With a budget, the range was cut to the limit of an answer already. Without one, it is
    // refused: a caller that did not ask for a part would take a cut text for the whole
    // document.
    if range.span.len() > READ_BYTES {
        return Err(too_large(path, size, range.span.len()));
    }
    let out = &text[range.span.clone()];
    Ok(ReadDocumentAnswer {
        root: root.shown,
        name: title,
        tokens: estimate(out),
        text: out.to_owned(),
        first_line: range.numbers.map_or(0, |numbers| numbers.first),
        last_line: range.numbers.map_or(0, |numbers| numbers.last),
        total_lines,
        size,
        hash,
        encoding: decoded.origin.to_ascii_lowercase(),
        replaced_bytes: (!decoded.replaced.is_empty())
            .then(|| saturating_u32(decoded.replaced_bytes())),
        next_lines: range.next_lines(&whole),
        path: path.to_string(),
    })
}

impl Part {
    fn parse(section: Option<String>, lines: Option<&str>) -> Result<Self, Error> {
        match (section, lines) {
            (None, None) => Ok(Self::Whole),
            (Some(_), Some(_)) => Err(refuse(
                ErrorCode::InvalidRequest,
                "`section` and `lines` are both given; expected at most one of them",
                "Leave one of them out.",
            )),
            (Some(section), None) => Ok(Self::Section(section)),
            (None, Some(lines)) => AskedLines::parse(lines).map(Self::Lines).ok_or_else(|| {
                refuse(
                    ErrorCode::InvalidRequest,
                    format!("`lines` is `{lines}`; expected `10-40`, `10-`, `10` or `-50`"),
                    "Lines count from 1, and both ends are included.",
                )
            }),
        }
    }

    /// Returns the part in the path of a request, or in its other arguments.
    fn or_of_path(self, address: Option<PartAddress>, asked: &AskedPath) -> Result<Self, Error> {
        match (address, self) {
            (None, part) => Ok(part),
            (Some(address), Self::Whole) => Ok(Self::Address(address)),
            (Some(_), _) => Err(refuse(
                ErrorCode::InvalidRequest,
                format!("`{asked}` names a part beside `section` or `lines`; expected one of them"),
                "Leave section and lines out, or name the document alone.",
            )),
        }
    }
}

fn find_lines(path: &RelPath, text: &str, lines: AskedLines) -> Result<Range<usize>, Error> {
    lines.span(text).map_err(|(first, count)| {
        refuse(
            ErrorCode::InvalidRequest,
            format!("`lines` begins at {first}; expected at most {count}, the last of `{path}`"),
            "Ask for lines that the document has, or leave lines out.",
        )
    })
}

fn find_section(
    path: &RelPath,
    name: &str,
    text: &str,
    section: &str,
) -> Result<Range<usize>, Error> {
    if is_notebook_name(name)
        && let Some(span) = cell_number(section).and_then(|number| cell_span(text, number))
    {
        return Ok(span);
    }
    let all = sections(name, text);
    match find(&all, section)[..] {
        [index] => Ok(with_subsections(&all, index)),
        [] => Err(no_section(path, section, &all)),
        ref several => Err(several_sections(path, section, &all, several)),
    }
}

fn no_section(path: &RelPath, section: &str, all: &[Section]) -> Error {
    let ids: Vec<String> = all
        .iter()
        .filter(|section| !section.id.is_empty())
        .take(HINTED_SECTIONS)
        .map(|section| format!("`{}`", section.id))
        .collect();
    refuse(
        ErrorCode::InvalidRequest,
        format!("`section` is `{section}`; expected a heading of `{path}`"),
        if ids.is_empty() {
            "The document has no headings; ask for lines instead.".to_owned()
        } else {
            format!("Its sections are {}.", ids.join(", "))
        },
    )
}

fn several_sections(path: &RelPath, section: &str, all: &[Section], several: &[usize]) -> Error {
    let named: Vec<String> = several
        .iter()
        .take(HINTED_SECTIONS)
        .map(|&index| format!("`{}` ({})", all[index].id, all[index].path.join(" > ")))
        .collect();
    let more = match several.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    refuse(
        ErrorCode::InvalidRequest,
        format!(
            "`section` is `{section}`, the heading of {} sections of `{path}`; expected one of them",
            several.len()
        ),
        format!("They are {}{more}.", named.join(", ")),
    )
}

/// Tokens that an answer's Markdown takes in addition to the text; see `host/markdown/templates`.
struct ReadFrame {
    /// Before and after the text, including fences of the usual length.
    around: u32,
    /// The next call, if the text is cut.
    next_call: u32,
    /// The number of a line; 0 if lines have no numbers.
    line_number: u32,
}

impl ReadFrame {
    /// Returns the frame of a document with `total_lines` lines and with this path, title, root,
    /// encoding and hash.
    fn new([path, title, root, encoding, hash]: [&str; 5], total_lines: u32) -> Self {
        // The numbers of lines and tokens, and of the next lines to request.
        let number = estimate(&total_lines.to_string());
        let names = [path, title, root, encoding, hash].map(estimate);
        Self {
            around: READ_FRAME_TOKENS + names.iter().sum::<u32>() + 4 * number,
            next_call: NEXT_CALL_TOKENS + estimate(path) + estimate(root) + 2 * number,
            line_number: 0,
        }
    }
}

impl WholeLines {
    /// Returns the lines covered by `span`.
    fn from_span(text: &str, span: Range<usize>) -> Self {
        let numbers = LineNumbers::from_span(text, &span);
        Self { span, numbers }
    }

    /// Returns the lines of `whole` after this beginning of it, in the form of `lines`.
    fn next_lines(&self, whole: &Self) -> Option<String> {
        let last = self.numbers?.last;
        let end = whole.numbers?.last;
        (last < end).then(|| format!("{}-{end}", last + 1))
    }

    /// Returns the longest beginning, in whole lines, that costs at most `budget` tokens with its
    /// frame and is within the limit of one answer.
    fn within(&self, text: &str, budget: u32, frame: &ReadFrame) -> Result<Self, Error> {
        let inside = &text[self.span.clone()];
        // Only the text that is shown determines how long its fences have to be.
        let cost = |part: &str| {
            let numbers = match frame.line_number {
                0 => 0,
                tokens => saturating_u32(with_ends(part).count()).saturating_mul(tokens),
            };
            estimate(part)
                .saturating_add(fences(part))
                .saturating_add(numbers)
        };
        let room = budget.saturating_sub(frame.around);
        // The size is compared first, since the estimate reads all of the text.
        let is_within = inside.len() <= READ_BYTES && cost(inside) <= room;
        let Some(LineNumbers { first, .. }) = self.numbers.filter(|_| !is_within) else {
            return Ok(self.clone());
        };
        let room = room.saturating_sub(frame.next_call);
        let ends: Vec<usize> = with_ends(inside)
            .scan(0, |end, line| {
                *end += line.len();
                Some(*end)
            })
            .take_while(|&end| end <= READ_BYTES)
            .collect();
        // A binary search, since each estimate reads all of the text: for a document of 30 000
        // lines 15 estimates instead of thousands. Costs grow with the length, except that a
        // longer text may need shorter fences. The search may then end at a shorter beginning
        // than possible, which fits in any case.
        let fitting = ends.partition_point(|&end| cost(&inside[..end]) <= room);
        let Some(&end) = fitting.checked_sub(1).and_then(|last| ends.get(last)) else {
            return Err(refuse(
                ErrorCode::LimitReached,
                format!("line {first} alone costs more; expected at most {budget} tokens"),
                "Give a larger maxTokens, or search for a text in that line to see its surroundings.",
            ));
        };
        let last = first + saturating_u32(fitting) - 1;
        Ok(Self {
            span: self.span.start..self.span.start + end,
            numbers: Some(LineNumbers { first, last }),
        })
    }
}

fn too_large(path: &RelPath, size: u64, length: usize) -> Error {
    refuse(
        ErrorCode::DocumentTooLarge,
        format!(
            "`{path}` has {size} bytes, {length} of them asked for; expected at most {READ_BYTES}"
        ),
        "Read a part of it with lines, section or maxTokens.",
    )
}
