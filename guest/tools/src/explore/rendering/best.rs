//! The part of a file that answers a query best: a section of a document or a definition of code.

use crate::explore::rendering::code::{self, CodeForm, CodeSearch};
use crate::explore::rendering::context::{RenderContext, SearchContext};
use crate::explore::rendering::document;
use crate::explore::rendering::item::{ItemForm, NEAR_IN_MEANING, RenderedItem};
use crate::explore::rendering::item::{count_phrase, item};
use crate::explore::rendering::preview::{code_preview, document_preview};
use crate::explore::rendering::source::SourceText;
use crate::explore::rendering::text::ItemText;
use crate::explore::rendering::text::lines_of;
use crate::explore::request::kinds::FileKind;
use crate::explore::request::unit::Unit;
use crate::explore::selection::candidate::MatchQuality;
use crate::limits::MENTION_CHARS;
use docent_api::pillars::ItemKind;
use docent_code::Language;
use docent_document::headings;
use docent_document::sections::Section;
use docent_rank::bm25::{Bm25Query, Collection};
use docent_rank::passages::Question;
use docent_text::time_budget::TimeBudget;
use docent_text::words::identifier;

/// Returns the best section of a document for the query, or a preview of the document if only its
/// name contains a word of the query.
pub(super) fn best_section(
    context: &RenderContext<'_>,
    file: &SourceText<'_>,
    time_budget: &mut TimeBudget<'_>,
) -> RenderedItem {
    // Without a query no section is better than another.
    let Some(search) = context.search else {
        return document_preview(file, time_budget);
    };
    let (name, text) = (&file.source.opened.name, file.text);
    let question = search.question;
    let title = headings::name(name, text);
    let is_in_title = hits(question, &title) > 0;
    let mut room = match context.room.unit {
        Unit::Bytes if file.candidate.holds_name => context.room.at_most(MENTION_CHARS),
        Unit::Bytes | Unit::Chars => context.room,
    };
    let wanted = document::SectionSearch {
        question,
        collection: search.collection,
        semantic: file.candidate.semantic.as_ref(),
        words: search.words,
        literal: search.literal,
        numbers: context.numbers_of(file.candidate.kind),
    };
    let mut best = document::best(name, text, wanted, room, time_budget);
    // A document that only mentions the name gets little room, as its best section is a
    // sentence about something else. A section whose heading contains the name is about it, so
    // it is rendered again with the room of an answer.
    let own_heading = best.as_ref().and_then(|best| best.section.path.last());
    let query_name =
        identifier::find(search.query).filter(|_| !identifier::asks_for_uses(search.query));
    if room != context.room
        && own_heading
            .zip(query_name)
            .is_some_and(|(heading, name)| heading.contains(name))
    {
        room = context.room;
        best = document::best(name, text, wanted, room, time_budget);
    }
    // The words occur in the path or the title only; a preview shows whether the document is
    // relevant.
    let Some(best) = best else {
        let mut rendered = document_preview(file, time_budget);
        // The time ended before the text was searched. Then it is not known where the words
        // occur, and no reason is claimed.
        if time_budget.is_over() {
            return rendered;
        }
        let why = if is_in_title {
            "title match"
        } else {
            "path match"
        };
        rendered.item.why.push(why.to_owned());
        rendered.held = search.words.words_in(&title, search.collection);
        return rendered;
    };
    let section = best.section;
    let own = &text[section.span.clone()];
    let mut item = item(file.candidate, file.source, ItemKind::DocumentSection);
    item.why = match best.lines {
        Some(lines) => count_phrase(lines, "line", "lines").into_iter().collect(),
        None => reasons(search, &title, &section, own, time_budget),
    };
    if item.why.is_empty() && file.candidate.semantic.is_some() {
        item.why.push(NEAR_IN_MEANING.to_owned());
    }
    item.title = title;
    // An empty id cannot be requested.
    item.metadata.section_id = Some(section.id).filter(|id| !id.is_empty());
    item.metadata.heading_path = section.path;
    item.metadata.tokens = document::tokens(own, time_budget);
    let held = search.words.words_in(own, search.collection);
    let is_query = |heading: &String| search.words.are_all_of(heading, search.collection);
    let heading = item.metadata.heading_path.last();
    let is_asked_for = is_query(&item.title) || heading.is_some_and(is_query);
    // A section whose heading equals the query is sufficient as it is. A section whose heading
    // only contains some of the words introduces the subject, and is continued with the
    // sections below it.
    let is_called = heading.is_some_and(|it| search.words.are_in_heading(it, search.collection));
    // A heading without text does not answer the query, even if it is the requested one.
    let is_introduction =
        is_called && !is_asked_for || document::is_heading_alone(section.level, own);
    let may_read_on = is_introduction && room == context.room;
    let read_on = best.read_on.filter(|_| may_read_on);
    RenderedItem {
        scope: lines_of(text, &section.span),
        held,
        read_on: read_on.map(|read_on| (read_on.text, lines_of(text, &read_on.whole))),
        most: Some(room.item).filter(|most| *most < context.room.item),
        is_asked_for,
        ..RenderedItem::new(item, best.text, ItemForm::Preview)
    }
}

/// Returns the reasons for which the section with the text `own` answers, in a document of this
/// title.
fn reasons(
    search: SearchContext<'_>,
    title: &str,
    section: &Section,
    own: &str,
    time_budget: &mut TimeBudget<'_>,
) -> Vec<String> {
    let words = search.words;
    let mut why = Vec::new();
    if words.are_in_heading(title, search.collection) {
        why.push("title match".to_owned());
    }
    // The first heading of most documents is their title as well; it counts once.
    let mut headings = section.path.iter().filter(|heading| *heading != title);
    if headings.any(|heading| words.are_in_heading(heading, search.collection)) {
        why.push("heading match".to_owned());
    }
    // Hits in the heading are counted as a heading match already. The text before the first
    // heading has level 0 and no heading line to leave out.
    let body = match section.level {
        0 => own,
        _ => own.split_once('\n').map_or("", |(_, body)| body),
    };
    match words.hits(body) {
        Some(0) if why.is_empty() => {
            let parts = search.question.query.hits_within(body, time_budget);
            if parts.is_some_and(|parts| parts > 0) {
                why.push("parts of words in body".to_owned());
            }
        }
        Some(in_body) => why.extend(count_phrase(in_body, "hit in body", "hits in body")),
        None => why.push("hits in body".to_owned()),
    }
    why
}

/// Returns the number of occurrences of a question's words in a short text.
fn hits(question: &Question, text: &str) -> u32 {
    let hits = question
        .query
        .hits_within(text, &mut TimeBudget::unlimited());
    hits.unwrap_or(0)
}

/// Returns the weight of each term of a query by its rarity, with a mean of 100.
fn term_worths(query: &Bm25Query, collection: &Collection) -> Vec<u32> {
    let ranking = collection.rank(query, collection.mean_length());
    let weights: Vec<f64> = (0..query.terms().len())
        .map(|term| ranking.term_weight(term))
        .collect();
    let sum: f64 = weights.iter().sum();
    let worth =
        |weight: &f64| (weight * 100.0 * weights.len() as f64 / sum.max(f64::MIN_POSITIVE)) as u32;
    weights.iter().map(worth).collect()
}

/// Returns the best definition of a file of code for the query, or its outline if only its name
/// matches.
pub(super) fn best_definition(
    context: &RenderContext<'_>,
    file: &SourceText<'_>,
    language: Language,
    time_budget: &mut TimeBudget<'_>,
) -> RenderedItem {
    let found = context.search.and_then(|search| {
        let kind = FileKind::Code(language);
        let searched = context.kinds.searchable(kind, file.text);
        let query = &search.question.query;
        let code_search = CodeSearch {
            text: file.text,
            language,
            query: search.query,
            terms: query,
            literal: search.literal,
            term_worths: &term_worths(query, search.collection),
            form: match file.candidate.match_kind {
                MatchQuality::Definition => CodeForm::Definition,
                _ if file.candidate.holds_name => CodeForm::Uses,
                _ => CodeForm::Definition,
            },
            room: context.room,
        };
        let found = code::best(&searched, &code_search, time_budget)?;
        let held = search.words.words_in(&found.text, search.collection);
        Some((found, held))
    });
    let Some((found, held)) = found else {
        let mut rendered = code_preview(context, file, language, time_budget);
        rendered.item.why.push("path match".to_owned());
        return rendered;
    };
    // Hits outside every definition, in imports for example, have no symbol to show.
    let kind = if found.names.is_empty() {
        ItemKind::FilePreview
    } else {
        ItemKind::Symbol
    };
    let mut item = item(file.candidate, file.source, kind);
    if let Some(name) = found.names.last() {
        item.title.clone_from(name);
    }
    item.why.extend(count_phrase(found.hits, "line", "lines"));
    if !found.others.is_empty() {
        item.why.push(format!("also {}", found.others.join(", ")));
    }
    item.metadata.language = Some(language.name().to_owned());
    item.metadata.heading_path = found.names;
    RenderedItem {
        held,
        ..RenderedItem::new(
            item,
            ItemText::from_parts(found.text, &found.rest, found.range).with_quotes(found.quoted),
            ItemForm::Preview,
        )
    }
}
