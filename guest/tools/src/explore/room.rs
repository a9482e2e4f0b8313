//! How the room for texts is dealt out.

use docent_api::pillars::ExploreItem;

use crate::explore::call_limits::Room;
use crate::explore::candidate::{Candidate, MatchKind};
use crate::explore::page::RenderedItem;
use crate::explore::text::{Piece, Unit, number_bytes};
use crate::limits::{
    NAMED_THOUSANDTHS, NEAR_NAME_THOUSANDTHS, SEARCH_FRAME_BYTES, SEARCH_SPLINTER_CHARS,
};
use docent_rank::cliff::is_near;
use docent_rank::shingles::Shingles;
use docent_text::saturating::saturating_u32;

/// Returns how much each of several texts may take, when what is short comes whole and all others
/// have as much as each other.
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

/// The room for the texts of a search, best first. It is closed at the first item that answers much
/// less well than the best one, or that has no room; what follows is named, so that nothing stands
/// before what answers better.
pub struct SearchRoom {
    room: Room,
    left: usize,
    /// The score of the first text, and whether it is what was asked for.
    best: Option<(f64, bool)>,
    state: State,
    /// What was given, with its rank.
    given: Vec<(Shingles, u32)>,
}

/// Whether texts are still given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    /// What follows is much less relevant.
    Far,
    /// What follows has no room.
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

    /// Whether further texts may be given.
    pub fn is_open(&self) -> bool {
        self.state == State::Open
    }

    /// Whether a text had no room.
    pub fn is_full(&self) -> bool {
        self.state == State::Full
    }

    /// Returns the rank of the text that was given and says the same as one of these shingles, or
    /// nearly.
    pub fn twin(&self, shingles: &Shingles) -> Option<u32> {
        let mut given = self.given.iter();
        let twin = given.find(|(given, _)| given.is_near(shingles));
        twin.map(|(_, rank)| *rank)
    }

    /// Lets the first item go on with what stands below its heading: a section that is called as
    /// the query asks often only introduces what answers it.
    pub fn read_on(&self, rendered: &mut RenderedItem) {
        if self.best.is_none()
            && let Some((text, scope)) = rendered.read_on.take()
        {
            rendered.text = text;
            rendered.scope = scope;
        }
    }

    /// Returns true if a candidate answers so much less well than the best one that it is not even
    /// named. What holds all words or an identifier of the query, or answers it by its meaning, is
    /// named in any case.
    pub fn is_less_relevant(&self, candidate: &Candidate) -> bool {
        let Some((best, _)) = self.best else {
            return false;
        };
        let least = best * f64::from(NAMED_THOUSANDTHS) / 1000.0;
        candidate.match_kind == MatchKind::Words
            && !candidate.holds_name
            && !candidate.holds_all_words
            && candidate.meant.is_none()
            && candidate.score.is_some_and(|score| score < least)
    }

    /// Returns what the text of an item may take; none where it is to be named only.
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
            // Every place where an identifier stands is what was asked for.
            MatchKind::Definition | MatchKind::Use | MatchKind::Message => true,
            MatchKind::Mention => false,
            // What was asked for by its name is found; of several no other one is better.
            MatchKind::Words if is_found && !rendered.is_asked_for => false,
            // Of a name each place that holds it may be the one that tells.
            MatchKind::Words if candidate.holds_name => {
                score >= best * f64::from(NEAR_NAME_THOUSANDTHS) / 1000.0
            }
            MatchKind::Words => is_near(score, best),
        };
        if !is_near {
            self.state = State::Far;
            return None;
        }
        let need = rendered.text.need(self.room.unit);
        let need = need.min(most(self.room.item));
        if need <= self.left || self.left >= self.splinter() {
            return Some(need.min(self.left));
        }
        self.state = State::Full;
        None
    }

    /// Returns the room below which no text is begun that does not end there.
    fn splinter(&self) -> usize {
        let (least, most) = SEARCH_SPLINTER_CHARS;
        (self.room.page / 5).clamp(least, most)
    }

    /// Returns what the frame of an item takes of room in bytes; where a caller counts characters,
    /// these are the texts' alone.
    fn frame(&self, item: &ExploreItem) -> usize {
        match self.room.unit {
            Unit::Bytes => {
                // Each is followed by a sign or three.
                let headings = item.metadata.heading_path.iter();
                let headings: usize = headings.map(|heading| heading.len() + 3).sum();
                SEARCH_FRAME_BYTES + item.file_path.len() + headings
            }
            Unit::Chars => 0,
        }
    }

    /// Takes the room of a piece of an item's text, of these shingles, which comes as the item behind
    /// so many others.
    pub fn take(
        &mut self,
        rendered: &RenderedItem,
        shingles: Shingles,
        piece: &Piece,
        others: usize,
    ) {
        let text = self.room.unit.of(&piece.text) + number_bytes(&piece.text, &piece.numbered);
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
