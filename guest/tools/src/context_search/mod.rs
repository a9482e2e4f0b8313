//! `context-search`: search for documents by their metadata.

mod criteria;

use docent_api::context::{
    ContextQuery, ContextResult, ContextSearchAnswer, ContextSearchOptions, DateField, Operator,
    Para,
};
use docent_api::types::{Error, SkipReason};

pub use crate::context_search::criteria::NO_OPTIONS;
use crate::context_search::criteria::{Criteria, CriteriaMatch};
use crate::contract;
use crate::limits::{CONTEXT_CHARS_DEFAULT, CONTEXT_LIMIT, CONTEXT_LIMIT_DEFAULT, TAGS_SHOWN};
use crate::paging::cursor::{self, Fingerprint};
use crate::unsearched::{CODE_AND_DATA, describe_unsearched};
use docent_corpus::corpus::Corpus;
use docent_corpus::extensions::is_path_of_known_kind;
use docent_corpus::store::{KnownContent, Text};
use docent_corpus::visit::{Visit, read_current};
use docent_corpus::walk::Walk;
use docent_document::dates::Date;
use docent_document::metadata::Metadata;
use docent_text::matching::excerpt::excerpt;
use docent_text::saturating::saturating_u32;
use docent_text::time::iso_8601;
use docent_text::width::Widths;
use docent_tree::disk::{Directory, Disk, Metadata as FileMetadata};
use docent_tree::error::check_range;
use docent_tree::path::{RelPath, RelPathRef};

/// The documents of a tree that meet the criteria.
struct MetadataMatches<'a> {
    criteria: &'a Criteria,
    documents: Vec<MetadataMatch>,
    /// Modification time of the newest document, in milliseconds since 1970.
    newest: Option<i64>,
}

/// A document that meets the criteria.
struct MetadataMatch {
    path: String,
    /// Metadata with only the tags that are shown.
    metadata: Metadata,
    more_tags: usize,
    modified: Option<Date>,
    snippet: Option<String>,
    criteria_match: CriteriaMatch,
}

/// Finds documents by their metadata; see `wit/world.wit`.
///
/// # Errors
/// For a request that cannot be served; never for a document that cannot be read.
pub fn context_search<D: Disk>(
    corpus: &mut Corpus<D>,
    options: ContextSearchOptions,
) -> Result<ContextSearchAnswer, Error> {
    let criteria = Criteria::parse(&options)?;
    let path = RelPath::parse_or_root(options.path.as_deref())?;
    let limit =
        check_range("limit", options.limit, CONTEXT_LIMIT)?.unwrap_or(CONTEXT_LIMIT_DEFAULT);
    let root = corpus.choose_root(options.root.as_deref())?;
    let query = criteria.to_query();
    let fingerprint = fingerprint(&root.name, &path, &query);
    let after = match &options.cursor {
        Some(cursor) => Some(cursor::decode(fingerprint, cursor)?),
        None => None,
    };
    corpus.store.begin_call();
    let mut matches = MetadataMatches {
        criteria: &criteria,
        documents: Vec::new(),
        newest: None,
    };
    let skips = corpus.visit(root.index, &path, &mut matches)?;
    let MetadataMatches {
        documents, newest, ..
    } = matches;
    // The second walk over the rest of the root is only made if there is a match to score.
    let newest = if documents.is_empty() {
        newest
    } else {
        newest_of_root(corpus, root.index, &path, newest)
    };
    let total_count = saturating_u32(documents.len());
    let mut results: Vec<ContextResult> = documents
        .into_iter()
        .map(|document| document.result(newest))
        .collect();
    // The score depends on the newest document of all, so every page is made from all matches.
    results.sort_by_cached_key(key);
    // The cursor has the key of the last result and not its index. If a document with a better
    // score is added between two pages, an index would repeat a result, and if one is deleted
    // it would skip one.
    results.retain(|result| after.as_ref().is_none_or(|after| key(result) > *after));
    let has_more = results.len() > limit as usize;
    results.truncate(limit as usize);
    let last = results.last().filter(|_| has_more);
    Ok(ContextSearchAnswer {
        root: root.shown,
        query,
        next_cursor: last.map(|last| cursor::encode(fingerprint, &key(last))),
        results,
        total_count,
        hint: (total_count == 0)
            .then(|| {
                describe_unsearched(&skips.left_out, CODE_AND_DATA)
                    .trim_start()
                    .to_owned()
            })
            .filter(|hint| !hint.is_empty()),
        skipped: skips.finish(),
    })
}

/// Returns the fingerprint to which a cursor is bound.
fn fingerprint(root: &str, path: &RelPath, query: &ContextQuery) -> Fingerprint {
    // Every field is taken by name: one that is added later does not compile until it is
    // handled here, and so cannot be missing in the binding of a cursor.
    let ContextQuery {
        tags,
        content,
        title,
        category,
        start,
        end,
        date_field,
        operator,
    } = query;
    let category = category.map(|category| match category {
        Para::Projects => "projects",
        Para::Areas => "areas",
        Para::Resources => "resources",
        Para::Archives => "archives",
    });
    Fingerprint::new("context-search")
        .with(root)
        .with(path.as_str())
        .with_list(tags.iter().map(String::as_str))
        .with_optional(content.as_deref())
        .with_optional(title.as_deref())
        .with_optional(category)
        .with_optional(start.as_deref())
        .with_optional(end.as_deref())
        .with(match date_field {
            DateField::Created => "created",
            DateField::Modified => "modified",
        })
        .with(match operator {
            Operator::And => "and",
            Operator::Or => "or",
        })
}

impl Visit for MetadataMatches<'_> {
    fn visit_named(
        &mut self,
        path: RelPathRef<'_>,
        text: &str,
        file: Option<FileMetadata>,
    ) -> Result<(), SkipReason> {
        if self.look_at(path.as_str(), text, file) {
            // The document was searched, by its text and without metadata, and may be among the
            // results. It is reported as skipped all the same, since its tags are unknown.
            Err(SkipReason::FrontMatter)
        } else {
            Ok(())
        }
    }

    fn visit_current<T: Directory>(&mut self, walk: &mut Walk<'_, T>) -> Result<(), SkipReason> {
        with_text(walk, |path, text, file| self.visit_named(path, text, file))
    }
}

/// Passes the text of the walk's current document to `take`, from the cache if it is valid.
fn with_text<T: Directory>(
    walk: &mut Walk<'_, T>,
    take: impl FnOnce(RelPathRef<'_>, &str, Option<FileMetadata>) -> Result<(), SkipReason>,
) -> Result<(), SkipReason> {
    // Without the date of the disk, that of the front matter is used if there is one.
    let file = walk.metadata().ok();
    if let Some(id) = walk.current_document() {
        match walk.store.document(id).map(|document| &document.content) {
            Some(KnownContent::Unreadable(reason)) => return Err(*reason),
            Some(KnownContent::Text(Text { text, .. })) => {
                return take(walk.rel_path(), text, file);
            }
            Some(KnownContent::Readable(_) | KnownContent::Nothing) | None => {}
        }
    }
    read_current(walk, |walk, id, text, bytes| {
        if let Some(id) = id {
            walk.store
                .set_text(id, text, Widths::from_text(text), bytes);
        }
        take(walk.rel_path(), text, file)
    })
}

/// The documents of a root that do not lie at or below a path.
struct Elsewhere<'a> {
    path: &'a RelPath,
    /// As in [`MetadataMatches`].
    newest: Option<i64>,
}

/// Returns the modification time of the newest document of the root, given that `newest` is the
/// time of the newest one at or below `path`: recency must not depend on the searched path.
fn newest_of_root<D: Disk>(
    corpus: &mut Corpus<D>,
    root: usize,
    path: &RelPath,
    newest: Option<i64>,
) -> Option<i64> {
    if path.as_str().is_empty() {
        return newest;
    }
    let mut elsewhere = Elsewhere { path, newest };
    // An unreadable file elsewhere was not requested; a search there reports it.
    let _ = corpus.visit(root, &RelPath::default(), &mut elsewhere);
    elsewhere.newest
}

impl Visit for Elsewhere<'_> {
    fn visit_named(
        &mut self,
        path: RelPathRef<'_>,
        text: &str,
        file: Option<FileMetadata>,
    ) -> Result<(), SkipReason> {
        if is_path_of_known_kind(path.as_str()) {
            let modified = modification_date(&Metadata::new(path.as_str(), text), file);
            self.newest = self.newest.max(modified.map(Date::start));
        }
        Ok(())
    }

    fn visit_current<T: Directory>(&mut self, walk: &mut Walk<'_, T>) -> Result<(), SkipReason> {
        let inside = walk.path().strip_prefix(self.path.as_str());
        if inside.is_some_and(|inside| inside.is_empty() || inside.starts_with('/')) {
            return Ok(());
        }
        with_text(walk, |path, text, file| self.visit_named(path, text, file))
    }
}

/// Returns the modification time of a document: from its metadata, else from the disk.
fn modification_date(metadata: &Metadata, file: Option<FileMetadata>) -> Option<Date> {
    let on_disk = file
        .and_then(|file| file.modified)
        .and_then(|nanoseconds| i64::try_from(nanoseconds.div_euclid(1_000_000)).ok());
    metadata.modified.or(on_disk.map(Date::Moment))
}

impl MetadataMatches<'_> {
    /// Checks a document, and returns true if its front matter cannot be parsed.
    fn look_at(&mut self, path: &str, text: &str, file: Option<FileMetadata>) -> bool {
        let mut metadata = Metadata::new(path, text);
        let is_broken = metadata.is_broken;
        let modified = modification_date(&metadata, file);
        // All documents count, matched or not: recency must not depend on the query.
        if is_path_of_known_kind(path) {
            self.newest = self.newest.max(modified.map(Date::start));
        }
        if let Some(criteria_match) = self.criteria.meet(&metadata, text, modified) {
            let context = CONTEXT_CHARS_DEFAULT;
            let first = criteria_match.first.as_ref();
            let more_tags = metadata.tags.len().saturating_sub(TAGS_SHOWN);
            metadata.tags.truncate(TAGS_SHOWN);
            self.documents.push(MetadataMatch {
                path: path.to_owned(),
                // The snippet is made now. The text is neither kept nor read again for the
                // page: keeping the texts of all matches would need the memory of the whole
                // tree.
                snippet: first.map(|hit| excerpt(text, metadata.body, hit, context)),
                metadata,
                more_tags,
                modified,
                criteria_match,
            });
        }
        is_broken
    }
}

impl MetadataMatch {
    fn result(self, newest: Option<i64>) -> ContextResult {
        let age = newest
            .zip(self.modified)
            .map(|(newest, own)| newest - own.start());
        let (relevance_score, why) = self.criteria_match.score(age);
        ContextResult {
            path: self.path,
            title: self.metadata.title,
            relevance_score,
            snippet: self.snippet,
            tags: self.metadata.tags,
            more_tags: (self.more_tags > 0).then(|| saturating_u32(self.more_tags)),
            category: self.metadata.category.map(contract::para),
            created: self.metadata.created.and_then(date_text),
            modified: self.modified.and_then(date_text),
            why,
        }
    }
}

/// Returns a date in the form of an answer: a day, or a time.
fn date_text(date: Date) -> Option<String> {
    let mut text = iso_8601(i128::from(date.start()) * 1_000_000)?;
    // A day has no time, so none is shown.
    if let Date::Day(_) = date {
        text.truncate("2025-12-15".len());
    }
    Some(text)
}

/// Returns the sort key of a result in the order of all pages, as a path: the score's distance from
/// 100, and the document; files whose kind is unknown from their names come last.
fn key(result: &ContextResult) -> String {
    let behind = if is_path_of_known_kind(&result.path) {
        0
    } else {
        // This is more than any distance from 100, so all other files come first.
        200
    };
    // Three digits, so that the keys sort as texts like the numbers.
    format!(
        "{:03}/{}",
        behind + 100 - result.relevance_score.min(100),
        result.path
    )
}
