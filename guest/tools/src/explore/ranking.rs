//! The order of the files that hold words of a query, and which of them are worth naming.

use std::ops::ControlFlow;

use docent_rank::bm25::{Collection, Query, Ranking};
use docent_rank::cliff;
use docent_rank::closeness::{ReadDocument, SecondStage, TextKind, words_read_again};
use docent_rank::neighbours::with_neighbours;
use docent_text::matching::finder::Case;
use docent_text::matching::phrase::has_quoted;
use docent_text::patience::Pace;
use docent_text::words::identifier;
use docent_tree::door::Consent;

use crate::explore::candidate::{Candidate, CandidateKind, MatchKind, NameFound};
use crate::explore::change_logs::{asks_for_changes, is_change_log};
use crate::explore::deadline::Phase;
use crate::explore::definitions::DefinedName;
use crate::explore::kinds::FileKind;
use crate::explore::search::{GroupMatches, MatchedFile};
use crate::identifier_matches::{IdentifierMatches, Spelling};
use crate::limits::{
    CHANGE_LOG_THOUSANDTHS, DEFINITION_FILES, DEFINITION_OUTLINES, IDENTIFIER_DOCUMENTS,
    TEST_THOUSANDTHS,
};
use crate::test_files::{asks_for_tests, is_test};

/// What the files of a group are ranked by.
#[derive(Clone, Copy)]
pub struct RankedBy<'a> {
    /// The query as it is written.
    pub text: &'a str,
    /// Its words.
    pub query: &'a Query,
    /// The identifier that is looked up among the files.
    pub name: Option<&'a str>,
    /// The identifier whose parts each file has to hold.
    pub needed: Option<&'a str>,
    /// The files that tell how rare a word is.
    pub collection: &'a Collection,
    /// The score of the best file of the groups before this one, which its own are held against.
    pub best: f64,
}

impl GroupMatches {
    /// Returns the relevant files, best first, equals by path: for an identifier those that hold it,
    /// else those that hold all terms or come near the best; and how they hold it, where they do.
    pub(super) fn ranked(
        &self,
        by: RankedBy<'_>,
        read: &mut impl FnMut(&str, Phase, &mut dyn FnMut(&str)) -> ControlFlow<()>,
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
        let scores = with_neighbours(self.files.len(), |at| self.files[at].placed(&ranking));
        let mut ranked: Vec<(f64, &MatchedFile)> = scores.into_iter().zip(&self.files).collect();
        if let Some(needed) = needed {
            let needed = IdentifierMatches::<'_, ()>::new(needed, query);
            ranked.retain(|(_, file)| needed.may_be_in(&file.held.counts));
        }
        sort_by_score(&mut ranked);
        let matches = match name {
            Some(name) => Some(IdentifierMatches::new(name, query)),
            None => IdentifierMatches::of(text, query),
        };
        let exact = matches.and_then(|matches| with_identifier(matches, &ranked, read));
        let mut found = exact.as_ref().map(|(spelling, _)| match spelling {
            Spelling::Exact | Spelling::Inside => NameFound::AsWritten,
            Spelling::OtherCase => NameFound::OtherCase,
        });
        let match_kind = if exact.is_some() {
            MatchKind::Use
        } else {
            MatchKind::Words
        };
        // Of data it is one entry that answers. Beside code that holds a name, documents are looked
        // through for one place too.
        let kind = match ranked.first().map(|(_, file)| file.kind) {
            Some(FileKind::Code(_) | FileKind::Data) => TextKind::Code,
            _ if needed.is_some() => TextKind::Code,
            _ => TextKind::Document,
        };
        let holds_name = exact.is_some() && !has_quoted(text);
        let exact = exact.map(|(_, mut exact)| {
            // The words round it tell which of them is meant.
            if identifier::lone(text).is_none() {
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
                cliff::is_relevant(*score, best, &file.held.counts)
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
            meant: None,
        };
        let mut candidates: Vec<Candidate> = ranked.into_iter().map(candidate).collect();
        if let Some(name) = DefinedName::of_query(text) {
            let is_as_written = found == Some(NameFound::AsWritten);
            let is_defined = find_definitions(&name, Case::Sensitive, &mut candidates, read);
            // What holds it as it is written defines no other name.
            if !is_defined
                && !is_as_written
                && find_definitions(&name, Case::Ignored, &mut candidates, read)
            {
                found.get_or_insert(NameFound::DefinedInOtherCase);
            }
        }
        (candidates, found)
    }

    /// Returns whether one of the files holds an identifier, in whatever case, or may.
    pub(super) fn may_hold(
        &self,
        name: &str,
        query: &Query,
        read: &mut impl FnMut(&str, Phase, &mut dyn FnMut(&str)) -> ControlFlow<()>,
    ) -> bool {
        let matches = IdentifierMatches::<'_, ()>::new(name, query);
        let mut files = self
            .files
            .iter()
            .filter(|file| matches.may_be_in(&file.held.counts));
        let has_name = files.by_ref().take(IDENTIFIER_DOCUMENTS).any(|file| {
            let mut has_name = false;
            let flow = read(&file.path, Phase::Answer, &mut |text: &str| {
                has_name = matches.spelling_in(text).is_some();
            });
            has_name || flow.is_break()
        });
        // Of files that were not read nothing is known.
        has_name || files.next().is_some()
    }
}

/// Puts the files that define a name before all others, as far as that can be told of the best, and
/// returns whether there are any.
fn find_definitions(
    name: &DefinedName<'_>,
    case: Case,
    candidates: &mut [Candidate],
    read: &mut impl FnMut(&str, Phase, &mut dyn FnMut(&str)) -> ControlFlow<()>,
) -> bool {
    let mut outlines = 0;
    for candidate in candidates.iter_mut().take(DEFINITION_FILES) {
        let CandidateKind::File(FileKind::Code(language)) = candidate.kind else {
            continue;
        };
        // Nothing more can be told, so nothing more need be read.
        if outlines == DEFINITION_OUTLINES {
            break;
        }
        let mut is_defined = false;
        let flow = read(&candidate.path, Phase::Scan, &mut |text: &str| {
            if name.may_be_defined_in(text, case) {
                outlines += 1;
                is_defined = name.is_defined_in(language, text, case);
            }
        });
        if is_defined {
            candidate.match_kind = MatchKind::Definition;
        }
        if flow.is_break() {
            break;
        }
    }
    // Stable: among those of one kind the order stays.
    candidates.sort_by_key(|candidate| candidate.match_kind);
    let best = candidates.first();
    best.is_some_and(|candidate| candidate.match_kind == MatchKind::Definition)
}

/// Sorts files by score, best first, equals by path.
fn sort_by_score(ranked: &mut [(f64, &MatchedFile)]) {
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.path.cmp(&b.1.path)));
}

/// Lets tests and lists of changes count less where the query does not ask for them.
fn put_side_files_back(ranked: &mut [(f64, &MatchedFile)], query: &str) {
    let of_tests = asks_for_tests(query);
    // Of a name it tells since when that is there.
    let of_changes = asks_for_changes(query) || identifier::named(query).is_some();
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

/// Puts the best files in the order of the second stage; leaves them as they are where the time for
/// looking at files does not suffice to read them all: what is left is for showing them.
fn read_again(
    ranked: &mut [(f64, &MatchedFile)],
    kind: TextKind,
    query: &Query,
    ranking: &Ranking,
    read: &mut impl FnMut(&str, Phase, &mut dyn FnMut(&str)) -> ControlFlow<()>,
) {
    let best = kind.worth_reading(ranked.iter().map(|(_, file)| words_read_again(&file.held)));
    let paths = ranked.iter().map(|(_, file)| file.path.as_str());
    let second_stage = SecondStage::new(query, ranking, kind).among(paths);
    let mut again = ranked[..best].to_vec();
    for (score, file) in &mut again {
        let flow = read(&file.path, Phase::Scan, &mut |text: &str| {
            let document = ReadDocument {
                path: &file.path,
                text,
                length: file.held.length,
                passages: file.held.passages.as_ref(),
                score: *score,
            };
            *score = second_stage
                .score(document, &mut Pace::endless())
                .unwrap_or(*score);
        });
        if flow.is_break() {
            return;
        }
    }
    sort_by_score(&mut again);
    ranked[..best].copy_from_slice(&again);
}

/// Returns the files that hold an identifier as it is written, else those that hold it in another
/// case, with how it is spelt; none where none does, or where the time does not suffice to tell.
fn with_identifier<'a>(
    mut matches: IdentifierMatches<'_, (f64, &'a MatchedFile)>,
    ranked: &[(f64, &'a MatchedFile)],
    read: &mut impl FnMut(&str, Phase, &mut dyn FnMut(&str)) -> ControlFlow<()>,
) -> Option<(Spelling, Vec<(f64, &'a MatchedFile)>)> {
    let mut read_files = 0;
    for (score, file) in ranked {
        if !matches.may_be_in(&file.held.counts) {
            continue;
        }
        // The rest are worse, and each costs its reading.
        if read_files == IDENTIFIER_DOCUMENTS {
            break;
        }
        read_files += 1;
        let mut spelling = None;
        let flow = read(&file.path, Phase::Answer, &mut |text: &str| {
            spelling = matches.spelling_in(text)
        });
        if flow.is_break() {
            // Those found so far may lack the only one that spells it so.
            return None;
        }
        if let Some(spelling) = spelling {
            matches.push(spelling, (*score, *file));
        }
    }
    matches.into_best()
}
