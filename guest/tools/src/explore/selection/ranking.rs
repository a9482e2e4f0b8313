//! Ranking of the files that contain words of a query, and the cutoff of those worth naming.

use std::ops::ControlFlow;

use docent_rank::bm25::{Bm25Query, Collection, Ranking};
use docent_rank::cutoff;
use docent_rank::neighbours::with_neighbours;
use docent_rank::rerank::{RerankInput, Reranker, TextKind, words_read_again};
use docent_text::matching::finder::Case;
use docent_text::matching::phrase::has_phrase;
use docent_text::sort::sort_by_key;
use docent_text::time_budget::TimeBudget;
use docent_text::words::identifier;
use docent_tree::door::Consent;

use crate::explore::request::deadline::CallPhase;
use crate::explore::request::kinds::FileKind;
use crate::explore::selection::candidate::{Candidate, CandidateKind, MatchQuality, NameFound};
use crate::explore::selection::change_logs::{asks_for_changes, is_change_log};
use crate::explore::selection::definitions::DefinedName;
use crate::explore::selection::matches::{GroupMatches, MatchedFile};
use crate::lexical::identifier_matches::{IdentifierMatches, Spelling};
use crate::limits::{
    CHANGE_LOG_THOUSANDTHS, DEFINITION_FILES, DEFINITION_OUTLINES, IDENTIFIER_DOCUMENTS,
    TEST_THOUSANDTHS,
};
use crate::paths::test_files::{asks_for_tests, is_test};

/// Criteria by which the files of a group are ranked.
#[derive(Clone, Copy)]
pub struct RankedBy<'a> {
    /// The query as it is written.
    pub text: &'a str,
    /// Its words.
    pub query: &'a Bm25Query,
    /// The identifier that is looked up among the files.
    pub name: Option<&'a str>,
    /// The identifier of which each file must contain all parts.
    pub needed: Option<&'a str>,
    /// The collection that determines the rarity of words.
    pub collection: &'a Collection,
    /// Score of the best file of the earlier groups, with which its own scores are compared.
    pub best: f64,
}

impl GroupMatches {
    /// Returns the relevant files, best first, equals by path, and the form in which they contain
    /// the identifier. For an identifier these are the files that contain it, else those that
    /// contain all terms or score near the best.
    pub(super) fn rank(
        &self,
        by: RankedBy<'_>,
        read: &mut impl FnMut(&str, CallPhase, &mut dyn FnMut(&str)) -> ControlFlow<()>,
    ) -> (Vec<Candidate>, Option<NameFound>) {
        let RankedBy {
            text,
            query,
            name,
            needed,
            collection,
            best: best_before,
        } = by;
        let ranking = collection.rank(query, collection.mean_length());
        let scores = with_neighbours(self.files.len(), |at| {
            self.files[at].to_positioned(&ranking)
        });
        let mut ranked: Vec<(f64, &MatchedFile)> = scores.into_iter().zip(&self.files).collect();
        if let Some(needed) = needed {
            let needed = IdentifierMatches::<'_, ()>::new(needed, query);
            ranked.retain(|(_, file)| needed.may_be_in(&file.held.counts));
        }
        sort_by_score(&mut ranked);
        let matches = match name {
            Some(name) => Some(IdentifierMatches::new(name, query)),
            None => IdentifierMatches::for_query(text, query),
        };
        let exact = matches.and_then(|matches| with_identifier(matches, &ranked, read));
        let mut found = exact.as_ref().map(|(spelling, _)| match spelling {
            Spelling::Exact | Spelling::Inside => NameFound::AsWritten,
            Spelling::OtherCase => NameFound::OtherCase,
        });
        let match_kind = if exact.is_some() {
            MatchQuality::Use
        } else {
            MatchQuality::Words
        };
        // Files of code and settings are long and contain most words somewhere, so the second
        // stage compares their best places: in settings, one entry is the answer. If code
        // contains the name, documents are compared by their best places too, since a mention
        // is one sentence.
        let kind = match ranked.first().map(|(_, file)| file.kind) {
            Some(FileKind::Code(_) | FileKind::Data) => TextKind::Code,
            _ if needed.is_some() => TextKind::Code,
            _ => TextKind::Document,
        };
        let holds_name = exact.is_some() && !has_phrase(text);
        let exact = exact.map(|(_, mut exact)| {
            // The query has words besides the identifier, such as `where is parse_config
            // called`. They choose among the files that contain it.
            if identifier::parse_lone(text).is_none() {
                read_again(&mut exact, TextKind::Code, query, &ranking, read);
            }
            put_side_files_back(&mut exact, text);
            exact
        });
        let ranked = exact.unwrap_or_else(|| {
            read_again(&mut ranked, kind, query, &ranking, read);
            put_side_files_back(&mut ranked, text);
            let best = ranked.first().map_or(0.0, |(score, _)| *score);
            let best = best.max(best_before);
            let is_relevant = |(score, file): &(f64, &MatchedFile)| {
                cutoff::is_relevant(*score, best, &file.held.counts)
            };
            ranked.into_iter().filter(is_relevant).collect()
        });
        let candidate = |(score, file): (f64, &MatchedFile)| Candidate {
            path: file.path.clone(),
            kind: CandidateKind::File(file.kind),
            score: Some(score),
            match_kind,
            source: file.held.digest,
            consent: Consent::Withheld,
            holds_name: holds_name && matches!(file.kind, FileKind::Code(_)),
            holds_all_words: file.held.counts.iter().all(|count| *count > 0),
            part: file.part.clone(),
            semantic: None,
        };
        let mut candidates: Vec<Candidate> = ranked.into_iter().map(candidate).collect();
        if let Some(name) = DefinedName::from_query(text) {
            let is_as_written = found == Some(NameFound::AsWritten);
            let is_defined = find_definitions(&name, Case::Sensitive, &mut candidates, read);
            // A file that contains the name as written does not define another spelling of it,
            // so `parseConfig` is not looked up as `ParseConfig` if the first one occurs.
            if !is_defined
                && !is_as_written
                && find_definitions(&name, Case::Ignored, &mut candidates, read)
            {
                found.get_or_insert(NameFound::DefinedInOtherCase);
            }
        }
        (candidates, found)
    }

    /// Returns true if one of the files contains an identifier, in any case, or may contain it.
    pub(super) fn may_hold(
        &self,
        name: &str,
        query: &Bm25Query,
        read: &mut impl FnMut(&str, CallPhase, &mut dyn FnMut(&str)) -> ControlFlow<()>,
    ) -> bool {
        let matches = IdentifierMatches::<'_, ()>::new(name, query);
        let mut files = self
            .files
            .iter()
            .filter(|file| matches.may_be_in(&file.held.counts));
        let has_name = files.by_ref().take(IDENTIFIER_DOCUMENTS).any(|file| {
            let mut has_name = false;
            let flow = read(&file.path, CallPhase::Answer, &mut |text: &str| {
                has_name = matches.spelling_in(text).is_some();
            });
            has_name || flow.is_break()
        });
        // The content of the files that were not read is unknown. Saying that nothing contains
        // the name would be a guess, so it counts as contained.
        has_name || files.next().is_some()
    }
}

/// Puts the files that define a name before all others, checking only the best, and returns true if
/// there are any.
fn find_definitions(
    name: &DefinedName<'_>,
    case: Case,
    candidates: &mut [Candidate],
    read: &mut impl FnMut(&str, CallPhase, &mut dyn FnMut(&str)) -> ControlFlow<()>,
) -> bool {
    let mut outlines = 0;
    for candidate in candidates.iter_mut().take(DEFINITION_FILES) {
        let CandidateKind::File(FileKind::Code(language)) = candidate.kind else {
            continue;
        };
        // Outlining a file means parsing it. After the last outline no further file needs to be
        // read.
        if outlines == DEFINITION_OUTLINES {
            break;
        }
        let mut is_defined = false;
        let flow = read(&candidate.path, CallPhase::Scan, &mut |text: &str| {
            if name.may_be_defined_in(text, case) {
                outlines += 1;
                is_defined = name.is_defined_in(language, text, case);
            }
        });
        if is_defined {
            candidate.match_kind = MatchQuality::Definition;
        }
        if flow.is_break() {
            break;
        }
    }
    // The sort is stable: candidates of one kind keep their order.
    sort_by_key(candidates, |candidate| candidate.match_kind);
    let best = candidates.first();
    best.is_some_and(|candidate| candidate.match_kind == MatchQuality::Definition)
}

/// Sorts files by score, best first, equals by path.
fn sort_by_score(ranked: &mut [(f64, &MatchedFile)]) {
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.path.cmp(&b.1.path)));
}

/// Lowers the scores of tests and change logs unless the query asks for them.
fn put_side_files_back(ranked: &mut [(f64, &MatchedFile)], query: &str) {
    let of_tests = asks_for_tests(query);
    // For a name, a change log gives the version that introduced it, which may be what is
    // asked.
    let of_changes = asks_for_changes(query) || identifier::find(query).is_some();
    let weight = |file: &MatchedFile| match file.kind {
        FileKind::Code(_) if !of_tests && is_test(&file.path) => TEST_THOUSANDTHS,
        FileKind::Document if !of_changes && is_change_log(&file.path) => CHANGE_LOG_THOUSANDTHS,
        _ => 1000,
    };
    for (score, file) in ranked.iter_mut() {
        *score *= f64::from(weight(file)) / 1000.0;
    }
    sort_by_score(ranked);
}

/// Reranks the best files; keeps their order if the time for visiting files does not suffice to
/// read them all, since the rest of the time is for rendering.
fn read_again(
    ranked: &mut [(f64, &MatchedFile)],
    kind: TextKind,
    query: &Bm25Query,
    ranking: &Ranking,
    read: &mut impl FnMut(&str, CallPhase, &mut dyn FnMut(&str)) -> ControlFlow<()>,
) {
    let best = kind.worth_reading(ranked.iter().map(|(_, file)| words_read_again(&file.held)));
    let paths = ranked.iter().map(|(_, file)| file.path.as_str());
    let second_stage = Reranker::new(query, ranking, kind).with_paths(paths);
    let mut again = ranked[..best].to_vec();
    for (score, file) in &mut again {
        let flow = read(&file.path, CallPhase::Scan, &mut |text: &str| {
            let document = RerankInput {
                path: &file.path,
                text,
                length: file.held.length,
                passages: file.held.passages.as_ref(),
                score: *score,
            };
            *score = second_stage
                .score(document, &mut TimeBudget::unlimited())
                .unwrap_or(*score);
        });
        // Either all files at the top are reranked, or none. With some of them scored by the
        // second stage and others by the first, the order would depend on how far the time
        // sufficed.
        if flow.is_break() {
            return;
        }
    }
    sort_by_score(&mut again);
    ranked[..best].copy_from_slice(&again);
}

/// Returns the files that contain an identifier as written, else those that contain it in another
/// case, with its spelling; `None` if there are none, or if the time does not suffice to find out.
fn with_identifier<'a>(
    mut matches: IdentifierMatches<'_, (f64, &'a MatchedFile)>,
    ranked: &[(f64, &'a MatchedFile)],
    read: &mut impl FnMut(&str, CallPhase, &mut dyn FnMut(&str)) -> ControlFlow<()>,
) -> Option<(Spelling, Vec<(f64, &'a MatchedFile)>)> {
    let mut read_files = 0;
    for (score, file) in ranked {
        if !matches.may_be_in(&file.held.counts) {
            continue;
        }
        // The remaining files rank lower, and each of them would have to be read.
        if read_files == IDENTIFIER_DOCUMENTS {
            break;
        }
        read_files += 1;
        let mut spelling = None;
        let flow = read(&file.path, CallPhase::Answer, &mut |text: &str| {
            spelling = matches.spelling_in(text)
        });
        if flow.is_break() {
            // The only file with this spelling may be among those not read. A choice of the
            // others by another spelling would depend on the time, so no choice is made.
            return None;
        }
        if let Some(spelling) = spelling {
            matches.push(spelling, (*score, *file));
        }
    }
    matches.into_best()
}
