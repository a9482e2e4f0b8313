//! From a candidate to an item with its text.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use docent_api::pillars::{ExploreItem, ItemKind, ItemMetadata};
use docent_api::types::{Error, ErrorCode};
use docent_code::Language;

use crate::explore::candidate::{Candidate, What};
use crate::explore::code;
use crate::explore::deadline::Deadline;
use crate::explore::directory::directory;
use crate::explore::document;
use crate::explore::kinds::{Kind, Kinds};
use crate::explore::page::{Outcome, Rendered};
use crate::explore::request::{Limits, Shape};
use crate::explore::scope::blocked;
use crate::explore::text::{Text, all_lines};
use docent_corpus::corpus::Corpus;
use docent_corpus::opened::Opened;
use docent_document::format::extension;
use docent_document::headings;
use docent_document::sections::sections;
use docent_rank::bm25::{Collection, rounded_score};
use docent_rank::passages::Question;
use docent_text::time::iso_8601;
use docent_tree::disk::{Disk, Metadata};
use docent_tree::door::{Extent, Stamps};
use docent_tree::error::refuse;
use docent_tree::limits::DOCUMENT_BYTES;
use docent_tree::locate::{Located, Wanted, locate_sensitive};
use docent_tree::path::RelPath;
use docent_tree::refusal::not_found;

/// What items are made by.
pub struct Manner<'a> {
    /// Index of the root.
    pub root: usize,
    /// How much of each comes.
    pub shape: &'a Shape,
    /// The caps.
    pub limits: &'a Limits,
    /// What is asked, and the documents that it is asked of; none where files are read.
    pub asked: Option<(&'a Question, &'a str, &'a Collection)>,
    /// Characters of an item.
    pub share: usize,
    /// The kinds that take part.
    pub kinds: Kinds,
    /// Whether binaries may come.
    pub binary: bool,
    /// When to end.
    pub deadline: &'a Deadline,
}

/// A file that was read for an item.
struct Source {
    opened: Opened,
    metadata: Option<Metadata>,
}

/// Makes an item of a candidate.
///
/// # Errors
/// `document-not-found` for a section that is not there.
pub(crate) fn render<D: Disk>(
    corpus: &mut Corpus<D>,
    manner: &Manner<'_>,
    candidate: &Candidate,
) -> Result<Outcome, Error> {
    let What::File(kind) = candidate.what else {
        return Ok(directory(corpus, manner.root, candidate, manner.deadline));
    };
    let is_whole = match manner.shape {
        Shape::Full(only) => only.is_empty() || only.contains(&candidate.path),
        Shape::Best | Shape::Preview | Shape::Section(..) => false,
    };
    let cap = if is_whole {
        manner.limits.bytes
    } else {
        DOCUMENT_BYTES as u64
    };
    let source = match fetch(corpus, manner.root, candidate, cap) {
        Ok(source) => source,
        Err(error) if error.code == ErrorCode::DocumentTooLarge && is_whole => {
            return Ok(Outcome::Blocked(blocked(&candidate.path, error)));
        }
        // A section is asked for by name: what is wrong with its document is the answer.
        Err(error) if matches!(manner.shape, Shape::Section(..)) => return Err(error),
        Err(error) => return Ok(unread(candidate, error)),
    };
    let decoded = match source.opened.decode(&mut corpus.store) {
        Ok(decoded) => decoded,
        Err(error) if is_whole => return Ok(bytes(manner, candidate, &source, error)),
        Err(error) if matches!(manner.shape, Shape::Section(..)) => return Err(error),
        Err(error) => return Ok(nameless(candidate, &source, &error)),
    };
    let text: &str = &decoded.text;
    if is_whole {
        return Ok(whole(manner, candidate, &source, text));
    }
    Ok(Outcome::Item(Box::new(match (manner.shape, kind) {
        (Shape::Section(choice, below), _) => {
            let name = &source.opened.name;
            let all = sections(name, text);
            let (index, span) = document::choose(&all, &candidate.path, choice, *below)?;
            let mut item = item(candidate, &source, ItemKind::DocumentSection);
            item.title = headings::name(name, text);
            item.metadata.section_id = Some(all[index].id.clone()).filter(|id| !id.is_empty());
            item.metadata.heading_path.clone_from(&all[index].path);
            item.metadata.tokens = document::tokens(&text[span.clone()]);
            Rendered {
                item,
                text: Text::quoted(text, span),
                is_content: true,
                is_whole: false,
            }
        }
        (Shape::Best, Kind::Code(language)) => {
            best_definition(manner, candidate, &source, text, language)
        }
        (Shape::Best, _) => best_section(manner, candidate, &source, text),
        (Shape::Preview | Shape::Full(_), Kind::Code(language)) => {
            code_preview(candidate, &source, text, language)
        }
        (Shape::Preview | Shape::Full(_), Kind::Document | Kind::Log) => {
            document_preview(candidate, &source, text)
        }
        (Shape::Preview | Shape::Full(_), Kind::Other) => {
            let mut item = item(candidate, &source, ItemKind::FilePreview);
            item.metadata.tokens = document::tokens(text);
            Rendered {
                item,
                text: Text::quoted(text, 0..text.len()),
                is_content: false,
                is_whole: false,
            }
        }
    })))
}

/// Reads the file of a candidate, at most `cap` bytes of it.
fn fetch<D: Disk>(
    corpus: &mut Corpus<D>,
    root: usize,
    candidate: &Candidate,
    cap: u64,
) -> Result<Source, Error> {
    let path = RelPath::parse(&candidate.path)?;
    let file = if candidate.consented {
        locate_sensitive(&corpus.disk, root, &path)?
    } else {
        match corpus.locate(root, &path, Wanted::File)? {
            Located::File(file) => file,
            Located::Directory(_) => return Err(not_found(&path)),
        }
    };
    let metadata = file.parent.metadata(&file.name).ok();
    if let Some(size) = metadata
        .map(|metadata| metadata.size)
        .filter(|size| *size > cap)
    {
        return Err(too_large(&candidate.path, size, cap));
    }
    let extent = Extent::Whole(usize::try_from(cap).unwrap_or(usize::MAX));
    let read = file.parent.read(&file.name, extent, Stamps::Unwanted);
    let bytes = read.map_err(|_| not_found(&path))?.bytes;
    Ok(Source {
        opened: Opened {
            path: file.path,
            name: file.name,
            bytes,
        },
        metadata,
    })
}

/// Returns the best section of a document for the query; where only its name holds a word of it,
/// what it is about.
fn best_section(
    manner: &Manner<'_>,
    candidate: &Candidate,
    source: &Source,
    text: &str,
) -> Rendered {
    let name = &source.opened.name;
    let Some((asked, _, collection)) = manner.asked else {
        return document_preview(candidate, source, text);
    };
    let title = headings::name(name, text);
    let in_title = hits(asked, &title) > 0;
    let Some(best) = document::best(name, text, asked, collection, manner.share) else {
        let mut rendered = document_preview(candidate, source, text);
        let why = if in_title {
            "title match"
        } else {
            "path match"
        };
        rendered.item.why.push(why.to_owned());
        return rendered;
    };
    let section = best.section;
    let own = &text[section.span.clone()];
    let mut item = item(candidate, source, ItemKind::DocumentSection);
    if in_title {
        item.why.push("title match".to_owned());
    }
    if section
        .path
        .iter()
        .any(|heading| *heading != title && hits(asked, heading) > 0)
    {
        item.why.push("heading match".to_owned());
    }
    let body = match section.level {
        0 => own,
        _ => own.split_once('\n').map_or("", |(_, body)| body),
    };
    let in_body = hits(asked, body);
    item.why
        .extend(counted(in_body as usize, "hit in body", "hits in body"));
    item.title = title;
    item.metadata.section_id = Some(section.id).filter(|id| !id.is_empty());
    item.metadata.heading_path = section.path;
    item.metadata.tokens = document::tokens(own);
    Rendered {
        item,
        text: Text::quoted_from(text, section.span, best.from),
        is_content: false,
        is_whole: false,
    }
}

/// Returns a number with what it counts; none of 0.
pub(super) fn counted(number: usize, one: &str, many: &str) -> Option<String> {
    (number > 0).then(|| format!("{number} {}", if number == 1 { one } else { many }))
}

/// Returns how often the words of a question stand in `text`.
fn hits(asked: &Question, text: &str) -> u32 {
    let mut counts = vec![0; asked.query.terms().len()];
    asked.query.count_plain(text, 1, &mut counts);
    counts
        .iter()
        .fold(0, |sum, count| sum.saturating_add(*count))
}

/// Returns the definition that answers best; where only the file's name does, what it defines.
fn best_definition(
    manner: &Manner<'_>,
    candidate: &Candidate,
    source: &Source,
    text: &str,
    language: Language,
) -> Rendered {
    let found = manner.asked.and_then(|(asked, query, _)| {
        let searched = manner.kinds.searched(Kind::Code(language), text);
        code::best(language, text, &searched, query, &asked.query)
    });
    let Some(found) = found else {
        let mut rendered = code_preview(candidate, source, text, language);
        rendered.item.why.push("path match".to_owned());
        return rendered;
    };
    let kind = if found.names.is_empty() {
        ItemKind::FilePreview
    } else {
        ItemKind::Symbol
    };
    let mut item = item(candidate, source, kind);
    if let Some(name) = found.names.last() {
        item.title.clone_from(name);
    }
    item.why.extend(counted(found.hits, "line", "lines"));
    let (one, many) = ("line elsewhere in the file", "lines elsewhere in the file");
    item.why.extend(counted(found.others, one, many));
    item.metadata.language = Some(language.name().to_owned());
    item.metadata.heading_path = found.names;
    Rendered {
        item,
        text: Text::made(found.text, found.range),
        is_content: false,
        is_whole: false,
    }
}

fn document_preview(candidate: &Candidate, source: &Source, text: &str) -> Rendered {
    let name = &source.opened.name;
    let mut item = item(candidate, source, ItemKind::FilePreview);
    item.title = headings::name(name, text);
    item.metadata.tokens = document::tokens(text);
    Rendered {
        item,
        text: Text::made(document::preview(name, text), all_lines(text)),
        is_content: false,
        is_whole: false,
    }
}

fn code_preview(
    candidate: &Candidate,
    source: &Source,
    text: &str,
    language: Language,
) -> Rendered {
    let overview = code::overview(language, text);
    let mut item = item(candidate, source, ItemKind::FilePreview);
    item.metadata.language = Some(language.name().to_owned());
    item.metadata.tokens = document::tokens(text);
    item.why.push(format!("outline: {}", overview.source));
    Rendered {
        item,
        text: Text::made_in_two(overview.text, &overview.rest, all_lines(text)),
        is_content: false,
        is_whole: false,
    }
}

/// Returns a whole file, or why it does not come.
fn whole(manner: &Manner<'_>, candidate: &Candidate, source: &Source, text: &str) -> Outcome {
    let mut item = item(candidate, source, ItemKind::FileFull);
    item.metadata.tokens = document::tokens(text);
    if let What::File(Kind::Code(language)) = candidate.what {
        item.metadata.language = Some(language.name().to_owned());
    } else {
        item.title = headings::name(&source.opened.name, text);
    }
    complete(manner, candidate, item, Text::quoted(text, 0..text.len()))
}

/// Returns a binary as base64 where that is allowed, else why it does not come.
fn bytes(manner: &Manner<'_>, candidate: &Candidate, source: &Source, error: Error) -> Outcome {
    if !manner.binary {
        let error = Error {
            hint: "Set allowBinary to true to get it as base64.".to_owned(),
            ..error
        };
        return Outcome::Blocked(blocked(&candidate.path, error));
    }
    let mut item = item(candidate, source, ItemKind::FileFull);
    item.metadata.media_type = Some(media_type(&source.opened.name).to_owned());
    let text = Text::made(STANDARD.encode(&source.opened.bytes), None);
    complete(manner, candidate, item, text)
}

/// Returns an item with all its text, or why it does not come: over the limit nothing is cut.
fn complete(manner: &Manner<'_>, candidate: &Candidate, item: ExploreItem, text: Text) -> Outcome {
    let limits = manner.limits;
    let most = limits.item_chars.unwrap_or(limits.chars).min(limits.chars);
    let chars = text.chars();
    if chars > most {
        let error = refuse(
            ErrorCode::DocumentTooLarge,
            format!(
                "`{}` has {chars} characters; expected at most {most}",
                candidate.path
            ),
            "Raise limits.maxChars, or ask for a section, or a preview that names the sections.",
        );
        return Outcome::Blocked(blocked(&candidate.path, error));
    }
    Outcome::Item(Box::new(Rendered {
        item,
        text,
        is_content: true,
        is_whole: true,
    }))
}

/// Returns the item of a file that cannot be shown as text.
fn nameless(candidate: &Candidate, source: &Source, error: &Error) -> Outcome {
    let mut item = item(candidate, source, ItemKind::FilePreview);
    item.metadata.media_type = Some(media_type(&source.opened.name).to_owned());
    item.why.push(match error.code {
        ErrorCode::Binary => "binary".to_owned(),
        ErrorCode::NotText => "not text".to_owned(),
        _ => error.message.clone(),
    });
    Outcome::Item(Box::new(Rendered {
        item,
        text: Text::made(String::new(), None),
        is_content: false,
        is_whole: false,
    }))
}

fn unread(candidate: &Candidate, error: Error) -> Outcome {
    if candidate.score.is_some() {
        // It was there when it was searched.
        Outcome::Gone
    } else {
        Outcome::Blocked(blocked(&candidate.path, error))
    }
}

fn item(candidate: &Candidate, source: &Source, kind: ItemKind) -> ExploreItem {
    let mut item = blank(candidate, kind);
    let metadata = source.metadata;
    item.title.clone_from(&source.opened.name);
    item.metadata.size = Some(metadata.map_or(source.opened.bytes.len() as u64, |m| m.size));
    item.metadata.modified = metadata.and_then(|m| m.modified).and_then(iso_8601);
    item
}

pub(super) fn blank(candidate: &Candidate, kind: ItemKind) -> ExploreItem {
    ExploreItem {
        kind,
        file_path: candidate.path.clone(),
        title: String::new(),
        score: candidate.score.map(rounded_score),
        range: None,
        preview: None,
        content: None,
        truncated: false,
        metadata: ItemMetadata {
            size: None,
            modified: None,
            language: None,
            media_type: None,
            section_id: None,
            heading_path: Vec::new(),
            tokens: None,
        },
        why: Vec::new(),
    }
}

fn too_large(path: &str, size: u64, cap: u64) -> Error {
    refuse(
        ErrorCode::DocumentTooLarge,
        format!("`{path}` has {size} bytes; expected at most {cap}"),
        "Raise limits.maxBytes, or ask for a section, or a preview that names the sections.",
    )
}

/// Returns the media type of a binary by its name, as IANA registers it.
fn media_type(name: &str) -> &'static str {
    let own = extension(name).unwrap_or_default().to_ascii_lowercase();
    match own.as_str() {
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "svg" => "image/svg+xml",
        "pdf" => "application/pdf",
        "zip" => "application/zip",
        "gz" => "application/gzip",
        "wasm" => "application/wasm",
        "mp3" => "audio/mpeg",
        "wav" => "audio/wav",
        "mp4" => "video/mp4",
        "woff2" => "font/woff2",
        "docx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx" => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        _ => "application/octet-stream",
    }
}
