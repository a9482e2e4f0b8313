//! Hints about hits in the documents of a page that are not shown.

use docent_api::search::{SearchMode, SearchResult};

use super::request::SearchRequest;
use crate::limits::MAX_RESULTS;
use crate::unsearched::{CODE_AND_DATA, describe_unsearched};
use docent_tree::skips::LeftOut;

/// Returns a hint on how to see the hits that the page does not show, or `None` if it shows all, or
/// if only titles were requested.
pub fn hint(results: &[SearchResult], request: &SearchRequest) -> Option<String> {
    if request.mode == SearchMode::TitlesOnly {
        return None;
    }
    let most = request.settings.max_results;
    let (mut left_out, mut is_over_budget, mut is_cut) = (0u32, false, false);
    for result in results {
        let shown = shown_hits(result);
        left_out = left_out.saturating_add(result.match_count.saturating_sub(shown));
        is_over_budget |= shown < result.match_count.min(most);
        let mut sections = result.matches.iter().filter_map(|one| one.section.as_ref());
        is_cut |= sections.any(|section| section.cut);
    }
    let hits = match (left_out, is_cut) {
        (0, false) => return None,
        (0, true) => {
            return Some("Sections are cut: read the lines up to their `lastLine`.".to_owned());
        }
        (1, _) => "1 match is not shown".to_owned(),
        (hits, _) => format!("{hits} matches are not shown"),
    };
    let way = if is_over_budget {
        "set `path` to one document, or raise `maxTokens`"
    } else if most < MAX_RESULTS.1 {
        "raise `maxResults`"
    } else {
        "read the documents"
    };
    Some(format!("{hits}: {way}."))
}

/// Returns a description of the files that were not searched, if nothing was found, or `None` if
/// all were searched.
pub fn nothing(left_out: &LeftOut, request: &SearchRequest) -> Option<String> {
    let kinds = if request.extensions.is_explicit() {
        "with other extensions"
    } else {
        CODE_AND_DATA
    };
    let sentence = describe_unsearched(left_out, kinds);
    (!sentence.is_empty()).then(|| sentence.trim_start().to_owned())
}

/// Returns the number of a document's hits that are shown.
fn shown_hits(result: &SearchResult) -> u32 {
    let hits = result.matches.iter();
    let hits = hits.map(|one| one.section.as_ref().map_or(1, |section| section.hits));
    hits.fold(0, u32::saturating_add)
}
