//! Allocation of the room for texts.

use docent_api::pillars::ExploreItem;

use crate::explore::rendering::item::RenderedItem;
use crate::explore::rendering::text::{Piece, number_bytes};
use crate::explore::request::call_limits::Room;
use crate::explore::request::unit::Unit;
use crate::explore::selection::candidate::{Candidate, MatchQuality};
use crate::limits::{
    NAMED_THOUSANDTHS, NEAR_NAME_THOUSANDTHS, SEARCH_FRAME_BYTES, SEARCH_SPLINTER_CHARS,
};
use docent_rank::cutoff::is_near;
use docent_rank::shingles::Shingles;
use docent_text::saturating::saturating_u32;

/// Returns the maximum share of each of several texts, such that short ones come whole and all
/// others get equal shares.
pub fn level(mut needs: Vec<usize>, room: usize) -> usize {
    needs.sort_unstable();
    let mut left = room;
    for (index, &need) in needs.iter().enumerate() {
        let share = left / (needs.len() - index);
        if need > share {
            return share;
        }
        left -= need;
    }
    room
}

/// The room for the texts of a search, best first. It is closed at the first item that matches much
/// less well than the best one or does not fit; later items are only named, so that none precedes a
/// better match.
pub struct SearchRoom {
    room: Room,
    left: usize,
    /// Score of the first text, and true if it is the requested one.
    best: Option<(f64, bool)>,
    state: State,
    /// Shingles and ranks of the texts given so far.
    given: Vec<(Shingles, u32)>,
}

/// State of the room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    /// The remaining candidates are much less relevant.
    Far,
    /// The next text does not fit.
    Full,
}

impl SearchRoom {
    /// Returns all of the room.
    pub fn new(room: Room) -> Self {
        Self {
            room,
            left: room.page,
            best: None,
            state: State::Open,
            given: Vec::new(),
        }
    }

    /// Returns true if further texts may be given.
    pub fn is_open(&self) -> bool {
        self.state == State::Open
    }

    /// Returns true if a text did not fit.
    pub fn is_full(&self) -> bool {
        self.state == State::Full
    }

    /// Returns the rank of a text given earlier whose shingles are equal to these, or nearly.
    pub fn twin(&self, shingles: &Shingles) -> Option<u32> {
        let mut given = self.given.iter();
        let twin = given.find(|(given, _)| given.is_near(shingles));
        twin.map(|(_, rank)| *rank)
    }

    /// Extends the first item with the sections below its heading: a section whose heading matches
    /// the query often only introduces the answer.
    pub fn read_on(&self, rendered: &mut RenderedItem) {
        if self.best.is_none()
            && let Some((text, scope)) = rendered.read_on.take()
        {
            rendered.text = text;
            rendered.scope = scope;
        }
    }

    /// Returns true if a candidate matches so much less well than the best one that it is not even
    /// named. Candidates that contain all words or an identifier of the query, and semantic
    /// matches, are always named.
    pub fn is_less_relevant(&self, candidate: &Candidate) -> bool {
        let Some((best, _)) = self.best else {
            return false;
        };
        let least = best * f64::from(NAMED_THOUSANDTHS) / 1000.0;
        candidate.match_kind == MatchQuality::Words
            && !candidate.holds_name
            && !candidate.holds_all_words
            && candidate.semantic.is_none()
            && candidate.score.is_some_and(|score| score < least)
    }

    /// Returns the maximum for the text of an item, or `None` if it is only to be named.
    pub fn allot(&mut self, candidate: &Candidate, rendered: &RenderedItem) -> Option<usize> {
        if !self.is_open() {
            return None;
        }
        let score = candidate.score.unwrap_or_default();
        let most = |room: usize| rendered.most.map_or(room, |most| most.min(room));
        let Some((best, is_found)) = self.best else {
            self.best = Some((score, rendered.is_asked_for));
            return Some(most(self.room.best_item()));
        };
        let is_near = match candidate.match_kind {
            // These items hold exactly what was asked for, an identifier or a message, so all
            // of them are shown, whatever their scores are.
            MatchQuality::Definition | MatchQuality::Use | MatchQuality::Message => true,
            MatchQuality::Mention => false,
            // The item that the query names is found, so nothing else can be better.
            MatchQuality::Words if is_found && !rendered.is_asked_for => false,
            // Any file that contains the name may be the relevant one, and its score says
            // little: a short file that uses the name once scores low. The bound is therefore
            // lower than for words.
            MatchQuality::Words if candidate.holds_name => {
                score >= best * f64::from(NEAR_NAME_THOUSANDTHS) / 1000.0
            }
            MatchQuality::Words => is_near(score, best),
        };
        if !is_near {
            self.state = State::Far;
            return None;
        }
        let need = rendered.text.need(self.room.unit);
        let need = need.min(most(self.room.item));
        // A text that does not fit is begun all the same if enough room is left for some lines;
        // its rest comes by the cursor. With less room than that, the heading of the item would
        // take more than its text, and the page is closed.
        if need <= self.left || self.left >= self.splinter() {
            return Some(need.min(self.left));
        }
        self.state = State::Full;
        None
    }

    /// Returns the room below which no text is begun that does not fit completely.
    fn splinter(&self) -> usize {
        let (least, most) = SEARCH_SPLINTER_CHARS;
        (self.room.page / 5).clamp(least, most)
    }

    /// Returns the room taken by the frame of an item in bytes, or 0 if the caller counts
    /// characters, which apply to texts only.
    fn frame(&self, item: &ExploreItem) -> usize {
        match self.room.unit {
            Unit::Bytes => {
                // Each heading is followed by one to three characters.
                let headings = item.metadata.heading_path.iter();
                let headings: usize = headings.map(|heading| heading.len() + 3).sum();
                SEARCH_FRAME_BYTES + item.file_path.len() + headings
            }
            Unit::Chars => 0,
        }
    }

    /// Takes the room of a piece of an item's text, with the shingles of the piece, for an item
    /// that is preceded by `others` items.
    pub fn take(
        &mut self,
        rendered: &RenderedItem,
        shingles: Shingles,
        piece: &Piece,
        others: usize,
    ) {
        let text = self.room.unit.measure(&piece.text) + number_bytes(&piece.text, &piece.numbered);
        self.left = self.left.saturating_sub(text + self.frame(&rendered.item));
        self.given.push((shingles, saturating_u32(others + 1)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_short_comes_whole_and_the_others_share() {
        for (needs, room, expected) in [
            (vec![10, 20, 30], 100, 100),
            (vec![10, 20, 30], 60, 60),
            (vec![10, 100, 100], 110, 50),
            (vec![100, 100], 80, 40),
            (vec![], 80, 80),
        ] {
            assert_eq!(level(needs.clone(), room), expected, "{needs:?}");
        }
    }
}
