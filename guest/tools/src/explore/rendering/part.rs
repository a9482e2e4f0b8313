//! Parts of files that are named by a path.

use std::ops::{ControlFlow, Range};
use std::rc::Rc;

use docent_api::pillars::ItemKind;
use docent_api::types::{Error, ErrorCode};

use crate::explore::rendering::context::{RenderContext, SearchContext};
use crate::explore::rendering::document;
use crate::explore::rendering::item::{ItemForm, Outcome, RenderedItem};
use crate::explore::rendering::item::{count_phrase, item};
use crate::explore::rendering::source::{Source, fetch};
use crate::explore::rendering::text::ItemText;
use crate::explore::rendering::text::lines_of;
use crate::explore::rendering::too_large::is_foreign;
use crate::explore::request::deadline::CallPhase;
use crate::explore::request::kinds::FileKind;
use crate::explore::request::scope::blocked_path;
use crate::explore::request::shape::Shape;
use crate::explore::request::unit::Unit;
use crate::explore::selection::candidate::{Candidate, CandidateKind};
use crate::limits::READ_BYTES;
use crate::part::lines::AskedLines;
use crate::part::long_file::LineWindow;
use crate::part::{FoundPart, PartAddress, PartKind, resolve};
use docent_corpus::corpus::Corpus;
use docent_corpus::opened::OpenedDocument;
use docent_document::headings;
use docent_text::lines::with_ends;
use docent_text::time_budget::TimeBudget;
use docent_tree::disk::Disk;
use docent_tree::door::Consent;
use docent_tree::error::{invalid, refuse};
use docent_tree::limits::DOCUMENT_BYTES;
use docent_tree::locate::{Located, TargetKind};
use docent_tree::path::RelPath;

/// Returns the part of a candidate's file, verbatim in every view; for a query, from its match on.
/// If it is the only path of the request, an error in it is the answer to the call.
///
/// # Errors
/// `invalid-request` for a section of a part; those of the only path.
pub fn part_item<D: Disk>(
    corpus: &mut Corpus<D>,
    context: &RenderContext<'_>,
    candidate: &Candidate,
    address: &PartAddress,
) -> Result<Outcome, Error> {
    if matches!(context.shape, Shape::Section(..)) {
        return Err(invalid(
            format!(
                "`section` is given with `{}{address}`, which names a part; expected one of them",
                candidate.path
            ),
            "Leave section out, or name the document alone.",
        ));
    }
    match render_part(corpus, context, candidate, address) {
        Ok(rendered) => Ok(Outcome::Item(Box::new(rendered))),
        // A search found this part a moment ago. If it cannot be rendered now, the file has
        // changed or is gone, which is not an error of the caller.
        Err(_) if candidate.score.is_some() => Ok(Outcome::Gone),
        Err(error) if context.is_one_path => Err(error),
        Err(error) => {
            let path = format!("{}{address}", candidate.path);
            Ok(Outcome::Blocked(blocked_path(&path, error)))
        }
    }
}

/// Returns a part of a file.
///
/// # Errors
/// Those of reading and of resolving the address.
pub fn render_part<D: Disk>(
    corpus: &mut Corpus<D>,
    context: &RenderContext<'_>,
    candidate: &Candidate,
    address: &PartAddress,
) -> Result<RenderedItem, Error> {
    // A file over the limit of every tool can still be read by lines: `app.log:-50` are its
    // last fifty. It is read piece by piece, and only the requested lines are kept. A search
    // has nothing to rank in such a file, so for a query the error stands.
    let source = match (
        fetch(corpus, context, candidate, DOCUMENT_BYTES as u64),
        address,
    ) {
        (Err(error), PartAddress::Lines(lines))
            if error.code == ErrorCode::DocumentTooLarge && context.search.is_none() =>
        {
            return long_lines(corpus, context, candidate, lines, error);
        }
        (source, _) => source?,
    };
    let decoded = source.opened.decode(&mut corpus.store)?;
    let (name, text): (&str, &str) = (&source.opened.name, &decoded.text);
    let patience = context.deadline.patience(&corpus.disk, CallPhase::Answer);
    let mut time_budget = TimeBudget::new(&patience);
    let FoundPart { kind, span, names } =
        resolve(&candidate.path, name, text, address, &mut time_budget)?;
    let item_kind = match kind {
        PartKind::Lines => ItemKind::FilePreview,
        PartKind::Section(_) => ItemKind::DocumentSection,
        PartKind::Definition => ItemKind::Symbol,
    };
    let mut item = item(candidate, &source, item_kind);
    let CandidateKind::File(file_kind) = candidate.kind else {
        // Unreachable: a directory has no parts.
        return Err(invalid("a directory has no parts", "Name a file."));
    };
    match file_kind {
        FileKind::Code(language) => item.metadata.language = Some(language.name().to_owned()),
        FileKind::Document | FileKind::Log => item.title = headings::name(name, text),
        FileKind::Data | FileKind::Other => {}
    }
    match kind {
        PartKind::Section(id) => item.metadata.section_id = Some(id),
        PartKind::Definition => item.title = names.last().cloned().unwrap_or_default(),
        PartKind::Lines => {}
    }
    item.metadata.heading_path = names;
    item.metadata.tokens = document::tokens(&text[span.clone()], &mut time_budget);
    let scope = lines_of(text, &span);
    let rendered = match context.search {
        None => RenderedItem::new(item, ItemText::from_file(text, span), ItemForm::Section),
        Some(search) => {
            let own = &text[span.clone()];
            let searched = context.kinds.searchable(file_kind, text);
            let hits = PartHits::count(&searched, &span, search, &mut time_budget);
            item.why.extend(count_phrase(hits.lines, "line", "lines"));
            // A part that fits is shown from its beginning. A longer one starts at the
            // paragraph with the best line; its beginning follows as the rest.
            let is_whole = context.room.unit.measure(own) <= context.room.item;
            let from = if is_whole { span.start } else { hits.from };
            let held = search.words.words_in(own, search.collection);
            let text = ItemText::from_file_at(text, span, from);
            RenderedItem {
                held,
                ..RenderedItem::new(item, text, ItemForm::Preview)
            }
        }
    };
    drop(decoded);
    Ok(RenderedItem { scope, ..rendered }.with_source(source))
}

/// Returns lines of a file that is too long to be opened as a whole.
fn long_lines<D: Disk>(
    corpus: &mut Corpus<D>,
    context: &RenderContext<'_>,
    candidate: &Candidate,
    lines: &str,
    too_large: Error,
) -> Result<RenderedItem, Error> {
    let (Some(asked), false) = (AskedLines::parse(lines), is_foreign(&candidate.path)) else {
        return Err(too_large);
    };
    let path = RelPath::parse(&candidate.path)?;
    let file = match candidate.consent {
        Consent::Given => corpus.locate_sensitive(context.root, &path)?,
        Consent::Withheld => {
            let kind = TargetKind::File;
            match corpus.locate_among(context.root, &path, kind, context.included)? {
                Located::File(file) => file,
                Located::Directory(_) => return Err(too_large),
            }
        }
    };
    let metadata = file.parent.metadata(&file.name).ok();
    let mut window = LineWindow::new(asked, READ_BYTES);
    let mut is_over = false;
    let read = file.parent.read_through(&file.name, |piece| {
        is_over = context.deadline.is_over_now(&corpus.disk);
        match is_over {
            true => ControlFlow::Break(()),
            false => window.add(piece),
        }
    });
    if is_over {
        return Err(refuse(
            ErrorCode::LimitReached,
            format!("`{path}:{lines}` was not reached in time"),
            "Raise limits.timeoutMs.",
        ));
    }
    let found = read.map_err(|_| too_large).and_then(|()| {
        window.finish().map_err(|count| {
            refuse(
                ErrorCode::InvalidRequest,
                format!(
                    "`{path}:{lines}` begins after the end; expected at most line {count}, the last"
                ),
                "Ask for lines that the file has.",
            )
        })
    })?;
    let opened = OpenedDocument {
        path,
        name: file.name,
        bytes: found.bytes,
    };
    let decoded = opened.decode(&mut corpus.store)?;
    let text = ItemText::from_file(&decoded.text, 0..decoded.text.len()).beginning_at(found.first);
    drop(decoded);
    let mut item = item(
        candidate,
        &Source {
            opened: Rc::new(opened),
            metadata,
        },
        ItemKind::FilePreview,
    );
    if found.is_cut {
        item.why.push(match asked {
            AskedLines::Last(_) => {
                format!("no more than the last {READ_BYTES} bytes of these lines")
            }
            AskedLines::Numbered(_) => format!("the first {READ_BYTES} bytes of these lines"),
        });
    }
    // No hash is shown: the bytes at hand are these lines and not the file. A hash of them
    // would be refused by `change`, which compares it with the whole file.
    let scope = text.piece(0, usize::MAX, Unit::Bytes).range;
    let rendered = RenderedItem::new(item, text, ItemForm::Section);
    Ok(RenderedItem { scope, ..rendered })
}

/// The lines of a part that contain words of a query.
struct PartHits {
    /// Number of lines.
    lines: usize,
    /// Start of the paragraph with the line that contains most of the words.
    from: usize,
}

impl PartHits {
    /// Counts the hits within `span` of `text`, as time allows.
    fn count(
        text: &str,
        span: &Range<usize>,
        search: SearchContext<'_>,
        time_budget: &mut TimeBudget<'_>,
    ) -> Self {
        let query = &search.question.query;
        let mut hits = Self {
            lines: 0,
            from: span.start,
        };
        let (mut at, mut paragraph, mut most) = (span.start, span.start, 0);
        for line in with_ends(&text[span.clone()]) {
            let mut counts = vec![0; query.terms().len()];
            query.count_plain(line, 1, &mut counts);
            let words = counts.iter().filter(|count| **count > 0).count();
            hits.lines += usize::from(words > 0);
            if words > most {
                most = words;
                hits.from = paragraph;
            }
            at += line.len();
            if line.trim().is_empty() {
                paragraph = at;
            }
            if time_budget.is_over_after(line.len()) {
                break;
            }
        }
        hits
    }
}
