//! Rendering of a candidate as an item with its text.

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use docent_api::pillars::{ExploreItem, ItemKind, ItemMetadata, LineRange};
use docent_api::types::{Error, ErrorCode};
use docent_code::Language;

use crate::explore::best::{best_definition, best_section};
use crate::explore::call_limits::{CallLimits, Room};
use crate::explore::candidate::{Candidate, CandidateKind};
use crate::explore::code::{self, Comments};
use crate::explore::data;
use crate::explore::data_overview;
use crate::explore::deadline::{Deadline, Phase};
use crate::explore::directory::directory;
use crate::explore::document;
use crate::explore::kinds::{FileKind, FileKinds};
use crate::explore::literal::Literal;
use crate::explore::page::{ItemForm, ItemSource, Outcome, RenderedItem};
use crate::explore::part::part_item;
use crate::explore::request::{Request, SectionAddress, Shape, Subsections};
use crate::explore::scope::blocked_path;
use crate::explore::short_file::{has_room_whole, short_file};
use crate::explore::text::{ItemText, Numbers, Unit, all_lines};
use crate::explore::too_large::{INSTEAD_OF_TEXT, is_cap_of_call, raise, too_large};
use crate::lexical::word_hits::QueryWords;
use crate::limits::{DATA_OUTLINE_CHARS, EXPLORE_CHARS};
use crate::part::AskedPath;
use docent_corpus::corpus::Corpus;
use docent_corpus::opened::OpenedDocument;
use docent_document::format::media_type;
use docent_document::headings;
use docent_document::sections::sections;
use docent_rank::bm25::{Collection, rounded_score};
use docent_rank::passages::Question;
use docent_text::time::iso_8601;
use docent_text::time_budget::TimeBudget;
use docent_tree::disk::{Disk, Metadata};
use docent_tree::door::Consent;
use docent_tree::error::refuse;
use docent_tree::included::Inclusions;
use docent_tree::limits::DOCUMENT_BYTES;
use docent_tree::locate::{Located, TargetKind};
use docent_tree::path::RelPath;
use docent_tree::refusal::not_found;

/// Advice for a file of unknown size that exceeds the limit of this call.
const RAISE_BYTES: &str =
    "Raise limits.maxBytes, or ask for a section, or a preview that names the sections.";

/// Context that `render` needs in addition to the candidate.
pub struct RenderContext<'a> {
    /// Index of the root.
    pub root: usize,
    /// True if there is at most one path.
    pub is_one_path: bool,
    /// Extent of each item.
    pub shape: &'a Shape,
    /// Limits of the call.
    pub limits: &'a CallLimits,
    /// The search, or `None` if files are read.
    pub search: Option<SearchContext<'a>>,
    /// The room for texts.
    pub room: Room,
    /// Included kinds of files.
    pub kinds: FileKinds,
    /// Entries included although names and rules exclude them.
    pub included: Inclusions,
    /// Display of line numbers.
    pub numbers: Numbers,
    /// Files that come whole if each fits into its share of the room; empty if there are none.
    pub short_files: &'a [AskedPath],
    /// True if binaries are allowed.
    pub allows_binary: bool,
    /// Deadline of the call.
    pub deadline: &'a Deadline,
}

impl<'a> RenderContext<'a> {
    /// Returns the context for the items of a request.
    pub fn new(
        request: &'a Request,
        search: Option<SearchContext<'a>>,
        room: Room,
        deadline: &'a Deadline,
    ) -> Self {
        Self {
            root: request.root,
            is_one_path: request.subject.paths.len() < 2,
            shape: &request.shape,
            limits: &request.limits,
            search,
            room,
            kinds: request.subject.kinds,
            included: request.subject.included,
            numbers: request.numbers,
            short_files: match request.shows_short_files {
                true => &request.subject.paths,
                false => &[],
            },
            allows_binary: request.allows_binary,
            deadline,
        }
    }
}

impl RenderContext<'_> {
    /// Returns the numbering of a file's lines.
    pub fn numbers_of(&self, kind: CandidateKind) -> Numbers {
        let is_prose = match kind {
            CandidateKind::File(FileKind::Code(_) | FileKind::Data) => false,
            CandidateKind::File(FileKind::Document | FileKind::Log | FileKind::Other)
            | CandidateKind::Directory => true,
        };
        if is_prose && self.search.is_some() {
            self.numbers.in_prose()
        } else {
            self.numbers
        }
    }
}

/// A query and the documents that are searched for it.
#[derive(Clone, Copy)]
pub struct SearchContext<'a> {
    /// The query as written.
    pub query: &'a str,
    /// Its words in the form used for ranking.
    pub question: &'a Question,
    /// Its words in the form in which answers name them.
    pub words: &'a QueryWords<'a>,
    /// Its literal text.
    pub literal: Option<&'a Literal>,
    /// The documents that were searched.
    pub collection: &'a Collection,
}

/// The items of a corpus.
pub struct CorpusItems<'a, D> {
    /// The corpus.
    pub corpus: &'a mut Corpus<D>,
    /// Context in which the items are made.
    pub context: &'a RenderContext<'a>,
}

impl<D: Disk> ItemSource for CorpusItems<'_, D> {
    fn render(&mut self, candidate: &Candidate) -> Result<Outcome, Error> {
        let mut outcome = render(self.corpus, self.context, candidate)?;
        if let Outcome::Item(rendered) = &mut outcome {
            rendered.number(self.context.numbers_of(candidate.kind));
            if let Some(search) = self.context.search {
                rendered.is_asked_for |= names_file(search.query, &candidate.path);
            }
        }
        Ok(outcome)
    }

    fn is_over(&self) -> bool {
        self.context.deadline.is_over_now(&self.corpus.disk)
    }
}

/// Returns true if a query names a file among other words: `scripts of package.json`.
fn names_file(query: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let mut words = query.split_whitespace();
    name.contains('.') && words.any(|word| word.trim_matches(['`', '"', '\'', '?', ',']) == name)
}

/// A file that was read for an item.
pub(super) struct Source {
    pub(super) opened: OpenedDocument,
    pub(super) metadata: Option<Metadata>,
}

impl RenderedItem {
    /// Sets the source from which it was made.
    pub(super) fn with_source(self, source: Source) -> Self {
        Self {
            bytes: Some(source.opened.bytes),
            ..self
        }
    }

    /// Sets the display of line numbers in its texts.
    fn number(&mut self, numbers: Numbers) {
        let take = |text: &mut ItemText| {
            let empty = ItemText::from_generated(String::new(), None);
            *text = std::mem::replace(text, empty).with_numbers(numbers);
        };
        take(&mut self.text);
        if let Some((text, _)) = &mut self.read_on {
            take(text);
        }
    }
}

/// A file with its text.
pub(super) struct SourceText<'a> {
    pub(super) candidate: &'a Candidate,
    pub(super) source: &'a Source,
    pub(super) text: &'a str,
}

/// Renders a candidate as an item.
fn render<D: Disk>(
    corpus: &mut Corpus<D>,
    context: &RenderContext<'_>,
    candidate: &Candidate,
) -> Result<Outcome, Error> {
    if let Some(address) = &candidate.part {
        return part_item(corpus, context, candidate, address);
    }
    let CandidateKind::File(kind) = candidate.kind else {
        return Ok(directory(corpus, context, candidate));
    };
    match context.shape {
        // The others come as previews: by naming some of many files, models save characters.
        Shape::Full(paths) if is_among(candidate, paths) => {
            Ok(whole_file(corpus, context, candidate))
        }
        Shape::Section(address, subsections) => {
            section(corpus, context, candidate, address, *subsections)
        }
        Shape::Best | Shape::Preview | Shape::Full(_) => {
            Ok(part_of_file(corpus, context, candidate, kind))
        }
    }
}

fn is_among(candidate: &Candidate, paths: &[RelPath]) -> bool {
    paths.is_empty() || paths.iter().any(|path| path.as_str() == candidate.path)
}

/// Returns a whole file, a binary as base64 if that is allowed, or the reason for which it does not
/// come.
fn whole_file<D: Disk>(
    corpus: &mut Corpus<D>,
    context: &RenderContext<'_>,
    candidate: &Candidate,
) -> Outcome {
    let source = match fetch(corpus, context, candidate, context.limits.bytes) {
        Ok(source) => source,
        Err(error) if error.code == ErrorCode::DocumentTooLarge => {
            return Outcome::Blocked(blocked_path(&candidate.path, error));
        }
        Err(error) => return unread(candidate, error),
    };
    let patience = context.deadline.patience(&corpus.disk, Phase::Answer);
    match source.opened.decode(&mut corpus.store) {
        Ok(decoded) => whole_text(
            context,
            &SourceText {
                candidate,
                source: &source,
                text: &decoded.text,
            },
            &mut TimeBudget::new(&patience),
        ),
        Err(error) => binary(context, candidate, &source, error),
    }
}

/// Returns the requested section. It is requested by name, so an error in its document is the
/// answer to the call.
fn section<D: Disk>(
    corpus: &mut Corpus<D>,
    context: &RenderContext<'_>,
    candidate: &Candidate,
    address: &SectionAddress,
    subsections: Subsections,
) -> Result<Outcome, Error> {
    let source = fetch(corpus, context, candidate, DOCUMENT_BYTES as u64)?;
    let decoded = source.opened.decode(&mut corpus.store)?;
    let (name, text): (&str, &str) = (&source.opened.name, &decoded.text);
    let all = sections(name, text);
    let (index, span) = document::choose(&all, &candidate.path, address, subsections)?;
    let mut item = item(candidate, &source, ItemKind::DocumentSection);
    item.title = headings::name(name, text);
    item.metadata.section_id = Some(all[index].id.clone()).filter(|id| !id.is_empty());
    item.metadata.heading_path.clone_from(&all[index].path);
    let patience = context.deadline.patience(&corpus.disk, Phase::Answer);
    item.metadata.tokens = document::tokens(&text[span.clone()], &mut TimeBudget::new(&patience));
    let scope = lines_of(text, &span);
    let rendered = RenderedItem {
        scope,
        ..RenderedItem::new(item, ItemText::from_file(text, span), ItemForm::Section)
    };
    drop(decoded);
    Ok(Outcome::Item(Box::new(rendered.with_source(source))))
}

/// Returns the best part of a file for the query, or a preview of the file.
fn part_of_file<D: Disk>(
    corpus: &mut Corpus<D>,
    context: &RenderContext<'_>,
    candidate: &Candidate,
    kind: FileKind,
) -> Outcome {
    let source = match fetch(corpus, context, candidate, DOCUMENT_BYTES as u64) {
        Ok(source) => source,
        Err(error) => return unread(candidate, error),
    };
    let decoded = match source.opened.decode(&mut corpus.store) {
        Ok(decoded) => decoded,
        Err(error) => return decode_failure(candidate, &source, &error),
    };
    let file = SourceText {
        candidate,
        source: &source,
        text: &decoded.text,
    };
    let is_best = matches!(context.shape, Shape::Best);
    let patience = context.deadline.patience(&corpus.disk, Phase::Answer);
    let mut time_budget = TimeBudget::new(&patience);
    let rendered = match kind {
        _ if has_room_whole(context, &file, kind) => short_file(&file, kind, &mut time_budget),
        FileKind::Code(language) if is_best => {
            best_definition(context, &file, language, &mut time_budget)
        }
        FileKind::Code(language) => code_preview(context, &file, language, &mut time_budget),
        FileKind::Data => data_item(context, &file, &mut time_budget),
        _ if is_best => best_section(context, &file, &mut time_budget),
        FileKind::Document | FileKind::Log => document_preview(&file, &mut time_budget),
        FileKind::Other => other_preview(&file, &mut time_budget),
    };
    drop(decoded);
    Outcome::Item(Box::new(rendered.with_source(source)))
}

/// Returns the item of a whole file, still without its text.
pub(super) fn whole_item(
    file: &SourceText<'_>,
    kind: FileKind,
    time_budget: &mut TimeBudget<'_>,
) -> ExploreItem {
    let mut item = item(file.candidate, file.source, ItemKind::FileFull);
    item.metadata.tokens = document::tokens(file.text, time_budget);
    // Code keeps its file name as title, which `item` has set.
    match kind {
        FileKind::Code(language) => item.metadata.language = Some(language.name().to_owned()),
        _ => item.title = headings::name(&file.source.opened.name, file.text),
    }
    item
}

/// Reads the file of a candidate, at most `cap` bytes of it.
pub(super) fn fetch<D: Disk>(
    corpus: &mut Corpus<D>,
    context: &RenderContext<'_>,
    candidate: &Candidate,
    cap: u64,
) -> Result<Source, Error> {
    let (root, included) = (context.root, context.included);
    let path = RelPath::parse(&candidate.path)?;
    let file = match candidate.consent {
        Consent::Given => corpus.locate_sensitive(root, &path)?,
        Consent::Withheld => match corpus.locate_among(root, &path, TargetKind::File, included)? {
            Located::File(file) => file,
            // It was a file when it was chosen.
            Located::Directory(_) => return Err(not_found(&path)),
        },
    };
    // Checked before reading: a file that is too large must not cost the time to read it.
    let metadata = file.parent.metadata(&file.name).ok();
    if let Some(size) = metadata
        .map(|metadata| metadata.size)
        .filter(|size| *size > cap)
    {
        return Err(too_large(&candidate.path, size, cap));
    }
    let most = usize::try_from(cap).unwrap_or(usize::MAX);
    let opened = OpenedDocument::read(file, most).map_err(|error| match error.code {
        // It has grown since, or the disk does not report its size.
        ErrorCode::DocumentTooLarge if is_cap_of_call(cap) => Error {
            hint: RAISE_BYTES.to_owned(),
            ..error
        },
        _ => error,
    })?;
    Ok(Source { opened, metadata })
}

/// Returns the lines of a span of a text, or `None` if the span is empty.
pub(super) fn lines_of(text: &str, span: &Range<usize>) -> Option<LineRange> {
    ItemText::from_file(text, span.clone())
        .piece(0, usize::MAX, Unit::Bytes)
        .range
}

/// Returns a number with the noun it counts, or `None` for 0.
pub(super) fn count_phrase(number: usize, one: &str, many: &str) -> Option<String> {
    (number > 0).then(|| format!("{number} {}", if number == 1 { one } else { many }))
}

/// Returns a preview of a document, or its first paragraph if there is no time for more.
pub(super) fn document_preview(
    file: &SourceText<'_>,
    time_budget: &mut TimeBudget<'_>,
) -> RenderedItem {
    let name = &file.source.opened.name;
    let mut item = item(file.candidate, file.source, ItemKind::FilePreview);
    item.title = headings::name(name, file.text);
    let preview = document::preview(name, file.text, time_budget);
    item.metadata.tokens = document::tokens(file.text, time_budget);
    let text = ItemText::from_parts(preview.text, &preview.rest, all_lines(file.text));
    let text = text.with_quotes(preview.quoted.into_iter().collect());
    RenderedItem::new(item, text, ItemForm::Preview)
}

/// Returns the outline of a file of code, or its beginning if there is no time for the outline.
pub(super) fn code_preview(
    context: &RenderContext<'_>,
    file: &SourceText<'_>,
    language: Language,
    time_budget: &mut TimeBudget<'_>,
) -> RenderedItem {
    let comments = if context.kinds.comments {
        Comments::Inclusions
    } else {
        Comments::LeftOut
    };
    let overview = code::overview(
        language,
        file.text,
        comments,
        context.room.item,
        time_budget,
    );
    let mut item = item(file.candidate, file.source, ItemKind::FilePreview);
    item.metadata.language = Some(language.name().to_owned());
    let Some(overview) = overview else {
        let text = ItemText::from_file(file.text, 0..file.text.len());
        return RenderedItem::new(item, text, ItemForm::Preview);
    };
    item.metadata.tokens = document::tokens(file.text, time_budget);
    item.why.push(format!("outline: {}", overview.source));
    let text = ItemText::from_parts(overview.text, &overview.rest, all_lines(file.text));
    RenderedItem {
        outline: Some(overview.outline),
        ..RenderedItem::new(item, text, ItemForm::Preview)
    }
}

/// Returns the entries of a file of settings that match the query; its keys if there is no query,
/// or if only its name matches.
fn data_item(
    context: &RenderContext<'_>,
    file: &SourceText<'_>,
    time_budget: &mut TimeBudget<'_>,
) -> RenderedItem {
    let name = &file.source.opened.name;
    let search = context
        .search
        .filter(|_| matches!(context.shape, Shape::Best));
    let best = search.and_then(|search| {
        let terms = &search.question.query;
        data::best(name, file.text, search.query, terms, time_budget)
    });
    let mut item = item(file.candidate, file.source, ItemKind::FilePreview);
    item.metadata.tokens = document::tokens(file.text, time_budget);
    let mut held = Vec::new();
    let text = if let Some(best) = best {
        if let Some(search) = search {
            held = search.words.words_in(&best.text, search.collection);
        }
        item.why.extend(count_phrase(best.hits, "entry", "entries"));
        ItemText::from_generated(best.text, best.range)
    } else {
        item.why.extend(search.map(|_| "path match".to_owned()));
        let chars = context.limits.item_chars.unwrap_or(DATA_OUTLINE_CHARS);
        let keys = data_overview::overview(name, file.text, chars, time_budget);
        if keys.is_empty() {
            ItemText::from_file(file.text, 0..file.text.len())
        } else {
            ItemText::from_generated(keys, all_lines(file.text))
        }
    };
    RenderedItem {
        held,
        ..RenderedItem::new(item, text, ItemForm::Preview)
    }
}

/// Returns the item of a file of another kind, with its beginning as preview, since its structure
/// is unknown.
fn other_preview(file: &SourceText<'_>, time_budget: &mut TimeBudget<'_>) -> RenderedItem {
    let mut item = item(file.candidate, file.source, ItemKind::FilePreview);
    item.metadata.tokens = document::tokens(file.text, time_budget);
    let text = ItemText::from_file(file.text, 0..file.text.len());
    RenderedItem::new(item, text, ItemForm::Preview)
}

fn whole_text(
    context: &RenderContext<'_>,
    file: &SourceText<'_>,
    time_budget: &mut TimeBudget<'_>,
) -> Outcome {
    let kind = match file.candidate.kind {
        CandidateKind::File(kind) => kind,
        CandidateKind::Directory => FileKind::Other,
    };
    let item = whole_item(file, kind, time_budget);
    let text = ItemText::from_file(file.text, 0..file.text.len());
    complete(context.room, item, text, INSTEAD_OF_TEXT)
}

/// Returns a binary as base64 if that is allowed, else the reason for which it does not come.
fn binary(
    context: &RenderContext<'_>,
    candidate: &Candidate,
    source: &Source,
    error: Error,
) -> Outcome {
    if !context.allows_binary {
        let error = Error {
            hint: "Set allowBinary to true to get it as base64.".to_owned(),
            ..error
        };
        return Outcome::Blocked(blocked_path(&candidate.path, error));
    }
    let mut item = item(candidate, source, ItemKind::FileFull);
    item.metadata.media_type = Some(media_type(&source.opened.name).to_owned());
    let text = ItemText::from_generated(STANDARD.encode(&source.opened.bytes), None);
    complete(context.room, item, text, INSTEAD_OF_BINARY)
}

/// Advice for a binary that is too large to come whole.
const INSTEAD_OF_BINARY: &str = "ask the person to look at it";

/// Returns an item with all its text, or the error of a text over the limit, which is never cut.
fn complete(room: Room, item: ExploreItem, text: ItemText, instead: &'static str) -> Outcome {
    // Limited neither by its share of the page nor by the maximum of previews: a file requested
    // whole may use the whole room.
    let most = room.page;
    let chars = text.chars();
    if chars > most {
        let error = refuse(
            ErrorCode::DocumentTooLarge,
            format!(
                "`{}` has {chars} characters; expected at most {most}",
                item.file_path
            ),
            raise("maxChars", chars as u64, EXPLORE_CHARS.1, instead),
        );
        return Outcome::Blocked(blocked_path(&item.file_path, error));
    }
    Outcome::Item(Box::new(RenderedItem::new(item, text, ItemForm::WholeFile)))
}

/// Returns the item of a file that cannot be shown as text.
fn decode_failure(candidate: &Candidate, source: &Source, error: &Error) -> Outcome {
    let mut item = item(candidate, source, ItemKind::FilePreview);
    item.metadata.media_type = Some(media_type(&source.opened.name).to_owned());
    item.why.push(match error.code {
        ErrorCode::Binary => "binary".to_owned(),
        ErrorCode::NotText => "not text".to_owned(),
        // The reader's own reason: the document is damaged, or exceeds a limit.
        _ => error.message.clone(),
    });
    let text = ItemText::from_generated(String::new(), None);
    Outcome::Item(Box::new(RenderedItem::new(item, text, ItemForm::Preview)))
}

fn unread(candidate: &Candidate, error: Error) -> Outcome {
    if candidate.score.is_some() {
        // It existed when it was searched, and was not named in the request.
        Outcome::Gone
    } else {
        Outcome::Blocked(blocked_path(&candidate.path, error))
    }
}

pub(super) fn item(candidate: &Candidate, source: &Source, kind: ItemKind) -> ExploreItem {
    let mut item = blank(candidate, kind);
    let metadata = source.metadata;
    item.title.clone_from(&source.opened.name);
    // If the disk does not report a size, the number of bytes read.
    item.metadata.size =
        Some(metadata.map_or(source.opened.bytes.len() as u64, |metadata| metadata.size));
    item.metadata.modified = metadata
        .and_then(|metadata| metadata.modified)
        .and_then(iso_8601);
    item
}

pub(super) fn blank(candidate: &Candidate, kind: ItemKind) -> ExploreItem {
    ExploreItem {
        // Set when the item is placed on a page.
        rank: 0,
        kind,
        file_path: candidate.path.clone(),
        title: String::new(),
        score: candidate.score.map(rounded_score),
        range: None,
        preview: None,
        content: None,
        truncated: false,
        only_named: false,
        scope: None,
        numbered: Vec::new(),
        also_in: Vec::new(),
        metadata: ItemMetadata {
            size: None,
            modified: None,
            language: None,
            media_type: None,
            section_id: None,
            heading_path: Vec::new(),
            tokens: None,
            hash: None,
        },
        why: Vec::new(),
    }
}
