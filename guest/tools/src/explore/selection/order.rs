//! Order of the candidates of all groups.

use crate::explore::request::cursor::ItemPosition;
use crate::explore::request::group::Group;
use crate::explore::selection::candidate::{Candidate, Candidates, compare};

/// Iterates over the candidates of all groups: if they are ranked, the best of all is next, else
/// the groups take turns.
pub struct GroupOrder<'a> {
    candidates: &'a Candidates,
    position: ItemPosition,
    turn: Group,
}

impl<'a> GroupOrder<'a> {
    /// Begins at a position.
    pub fn new(candidates: &'a Candidates, from: ItemPosition) -> Self {
        Self {
            candidates,
            position: from,
            turn: Group::Docs,
        }
    }

    /// Returns the current position, after the candidate returned last.
    pub fn position(&self) -> ItemPosition {
        self.position
    }

    /// Returns the next candidate of the groups for which `is_open` is true.
    pub fn next(&mut self, is_open: impl Fn(Group) -> bool) -> Option<(&'a Candidate, Group)> {
        let turns = [self.turn, self.turn.next(), self.turn.next().next()];
        let heads = turns.into_iter().filter(|&group| is_open(group));
        let mut heads = heads.filter_map(|group| Some((self.head(group)?, group)));
        let next = if self.candidates.are_ranked() {
            // Of equal candidates the first in the order of all groups is next, whichever group
            // had the last turn.
            heads.min_by(|a, b| compare(a.0, b.0).then((a.1 as u8).cmp(&(b.1 as u8))))
        } else {
            heads.next()
        };
        let (candidate, group) = next?;
        self.position.advance(group);
        self.turn = group.next();
        Some((candidate, group))
    }

    /// Returns the next candidate before a position.
    pub fn next_before(&mut self, end: ItemPosition) -> Option<(&'a Candidate, Group)> {
        let position = self.position;
        self.next(|group| position.count(group) < end.count(group))
    }

    fn head(&self, group: Group) -> Option<&'a Candidate> {
        self.candidates
            .group(group)
            .get(self.position.count(group) as usize)
    }
}
