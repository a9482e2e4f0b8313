//! Rendering of a candidate as an item with its text.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use docent_api::pillars::{ExploreItem, ItemKind};
use docent_api::types::{Error, ErrorCode};

use crate::explore::rendering::best::{best_definition, best_section};
use crate::explore::rendering::context::RenderContext;
use crate::explore::rendering::data;
use crate::explore::rendering::data_overview;
use crate::explore::rendering::directory::directory;
use crate::explore::rendering::document;
use crate::explore::rendering::item::{ItemForm, Outcome, RenderedItem, count_phrase, item};
use crate::explore::rendering::page::ItemSource;
use crate::explore::rendering::part::{part_item, render_part};
use crate::explore::rendering::picture::{
    binary_media_type, describe_large_picture, describe_picture, is_viewable, picture_item,
};
use crate::explore::rendering::preview::{code_preview, document_preview};
use crate::explore::rendering::short_file::{has_room_whole, short_file, whole_item};
use crate::explore::rendering::source::{Source, SourceText, fetch};
use crate::explore::rendering::text::{ItemText, all_lines, lines_of};
use crate::explore::rendering::too_large::{INSTEAD_OF_TEXT, raise};
use crate::explore::request::call_limits::Room;
use crate::explore::request::deadline::CallPhase;
use crate::explore::request::kinds::FileKind;
use crate::explore::request::numbers::Numbers;
use crate::explore::request::scope::blocked_path;
use crate::explore::request::shape::{SectionAddress, Shape, Subsections};
use crate::explore::selection::candidate::{Candidate, CandidateKind};
use crate::limits::{DATA_OUTLINE_CHARS, EXPLORE_CHARS};
use crate::part::PartAddress;
use docent_corpus::corpus::Corpus;
use docent_document::format::{Format, is_notebook_name};
use docent_document::headings;
use docent_document::notebook::cell_number;
use docent_document::picture::Picture;
use docent_document::sections::sections;
use docent_text::time_budget::TimeBudget;
use docent_tree::archive::archive_directory;
use docent_tree::disk::Disk;
use docent_tree::error::refuse;
use docent_tree::limits::DOCUMENT_BYTES;
use docent_tree::path::RelPath;

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

impl RenderedItem {
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
        // A request may name many files in `paths` and only some of them in `fullPaths`: these
        // come whole, and the others as previews, which saves characters.
        Shape::Full(paths) if is_among(candidate, paths) => {
            Ok(whole_file(corpus, context, candidate))
        }
        Shape::Section(SectionAddress::Id(id), _)
            if is_notebook_name(&candidate.path) && cell_number(id).is_some() =>
        {
            let address = PartAddress::Name(id.clone());
            let rendered = render_part(corpus, context, candidate, &address)?;
            Ok(Outcome::Item(Box::new(rendered)))
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
            return describe_large_picture(corpus, context, candidate)
                .unwrap_or_else(|| Outcome::Blocked(blocked_path(&candidate.path, error)));
        }
        Err(error) => return unread(candidate, error),
    };
    let patience = context.deadline.patience(&corpus.disk, CallPhase::Answer);
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
    let patience = context.deadline.patience(&corpus.disk, CallPhase::Answer);
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
    let patience = context.deadline.patience(&corpus.disk, CallPhase::Answer);
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
        FileKind::Other if is_page(&file) => document_preview(&file, &mut time_budget),
        FileKind::Other => other_preview(&file, &mut time_budget),
    };
    drop(decoded);
    Outcome::Item(Box::new(rendered.with_source(source)))
}

/// Returns true if a file whose name does not determine its kind is a manual page.
fn is_page(file: &SourceText<'_>) -> bool {
    Format::from_content(&file.source.opened.name, file.text).is_some()
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

/// Returns a binary as base64 if that is allowed, else what a picture is, or the reason for which
/// another binary does not come.
fn binary(
    context: &RenderContext<'_>,
    candidate: &Candidate,
    source: &Source,
    error: Error,
) -> Outcome {
    let picture = Picture::detect(&source.opened.bytes);
    if let Some(picture) = picture
        && !(context.allows_binary && is_viewable(picture))
    {
        return describe_picture(candidate, source, picture);
    }
    if !context.allows_binary {
        let hint = match archive_directory(&candidate.path) {
            Some(directory) => format!("Its files are in `{directory}`."),
            None => "Set allowBinary to true to get it as base64.".to_owned(),
        };
        let error = Error { hint, ..error };
        return Outcome::Blocked(blocked_path(&candidate.path, error));
    }
    let mut room = context.room;
    let item = if let Some(picture) = picture {
        // Clients do not count a picture in characters. A call that sets `maxBytes` limits its
        // pictures with that alone; others, whose base64 a model may have to read, with
        // `maxChars` as well.
        if context.limits.has_own_bytes {
            room.page = usize::MAX;
        }
        picture_item(candidate, source, picture, ItemKind::FileFull)
    } else {
        let mut item = item(candidate, source, ItemKind::FileFull);
        item.metadata.media_type = Some(binary_media_type(&source.opened.name).to_owned());
        item
    };
    let text = ItemText::from_generated(STANDARD.encode(&source.opened.bytes), None);
    complete(room, item, text, INSTEAD_OF_BINARY)
}

/// Advice for a binary that is too large to come whole.
const INSTEAD_OF_BINARY: &str = "ask the person to look at it";

/// Returns an item with all its text, or the error of a text over the limit, which is never cut.
fn complete(room: Room, item: ExploreItem, text: ItemText, instead: &'static str) -> Outcome {
    // A file that is requested whole may use the room of the page. Neither its share among
    // other items nor the maximum of previews applies, since it comes whole or not at all.
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
    if let Some(picture) = Picture::detect(&source.opened.bytes) {
        return describe_picture(candidate, source, picture);
    }
    let mut item = item(candidate, source, ItemKind::FilePreview);
    item.metadata.media_type = Some(binary_media_type(&source.opened.name).to_owned());
    item.why.push(match error.code {
        ErrorCode::Binary => "binary".to_owned(),
        ErrorCode::NotText => "not text".to_owned(),
        // The reader's own reason: the document is damaged, or exceeds a limit.
        _ => error.message.clone(),
    });
    let directory = archive_directory(&candidate.path);
    item.why
        .extend(directory.map(|directory| format!("its files are in `{directory}`")));
    let text = ItemText::from_generated(String::new(), None);
    Outcome::Item(Box::new(RenderedItem::new(item, text, ItemForm::Preview)))
}

fn unread(candidate: &Candidate, error: Error) -> Outcome {
    if candidate.score.is_some() {
        // The file existed when it was searched, and the request did not name it: it is left
        // out. A file that was named is reported with its error.
        Outcome::Gone
    } else {
        Outcome::Blocked(blocked_path(&candidate.path, error))
    }
}
