//! A page of items: as many as the limits allow, each cut to its share.

use docent_api::pillars::{BlockedPath, ExploreItem};
use docent_text::saturating::saturating_u32;

use crate::explore::candidate::{Candidate, Candidates};
use crate::explore::cursor::{Place, Rest};
use crate::explore::request::Limits;
use crate::explore::text::{Piece, Text};

/// An item with its whole text.
pub struct Rendered {
    /// The item, still without text.
    pub item: ExploreItem,
    /// Its text.
    pub text: Text,
    /// Whether the text stands in the file as it is and was asked for: content, not a preview.
    pub is_content: bool,
    /// Whether it comes whole or not at all.
    pub is_whole: bool,
}

/// What became of a candidate.
pub enum Outcome {
    /// An item.
    Item(Box<Rendered>),
    /// It is withheld.
    Blocked(BlockedPath),
    /// It could not be read.
    Gone,
}

/// Items as they are collected.
#[derive(Default)]
pub struct Page {
    /// Documents.
    pub docs: Vec<ExploreItem>,
    /// Code.
    pub code: Vec<ExploreItem>,
    /// What is withheld.
    pub blocked: Vec<BlockedPath>,
    /// Where the next page begins.
    pub to: Place,
    /// Characters of text in it.
    pub chars: usize,
    /// Where the rest of cut items begins.
    pub rest: Option<Rest>,
    /// Whether the budget ended it.
    pub is_full: bool,
    /// Whether the time ended it.
    pub timed_out: bool,
}

impl Page {
    /// Returns the page from `from` on. Documents and code take turns, so that neither uses up what
    /// the other needs.
    pub fn fill(
        candidates: &Candidates,
        from: Place,
        limits: &Limits,
        share: usize,
        mut render: impl FnMut(&Candidate) -> Outcome,
        mut is_over: impl FnMut() -> bool,
    ) -> Self {
        let mut page = Self {
            to: from,
            ..Self::default()
        };
        let mut is_docs = true;
        let mut first_cut = None;
        let mut order = 0;
        loop {
            let docs = candidates.docs.get(page.to.docs as usize);
            let docs = docs.filter(|_| page.docs.len() < limits.results);
            let code = candidates.code.get(page.to.code as usize);
            let code = code.filter(|_| page.code.len() < limits.results);
            let (candidate, takes_docs) = match (docs, code) {
                (Some(docs), Some(code)) => (if is_docs { docs } else { code }, is_docs),
                (Some(docs), None) => (docs, true),
                (None, Some(code)) => (code, false),
                (None, None) => break,
            };
            // The first one comes in any case, so that every call gets on.
            if order > 0 && is_over() {
                page.timed_out = true;
                break;
            }
            match render(candidate) {
                Outcome::Item(rendered) => {
                    let room = limits.chars - page.chars;
                    let piece = if rendered.is_whole {
                        rendered.text.piece(0, usize::MAX)
                    } else {
                        rendered.text.piece(0, share)
                    };
                    if piece.chars > room {
                        page.is_full = true;
                        break;
                    }
                    if piece.end < rendered.text.len() {
                        first_cut.get_or_insert((order, piece.end));
                    }
                    page.add(&rendered, piece, takes_docs);
                }
                Outcome::Blocked(blocked) => page.blocked.push(blocked),
                Outcome::Gone => {}
            }
            let place = if takes_docs {
                &mut page.to.docs
            } else {
                &mut page.to.code
            };
            *place += 1;
            is_docs = !takes_docs;
            order += 1;
        }
        page.rest = first_cut.map(|(item, given)| Rest {
            from,
            to: page.to,
            share: saturating_u32(share),
            item,
            given: given as u64,
        });
        page
    }

    /// Returns what is left of the cut items of an earlier page: an item that was given in full is
    /// named without its text.
    pub fn go_on(
        candidates: &Candidates,
        rest: &Rest,
        limits: &Limits,
        mut render: impl FnMut(&Candidate) -> Outcome,
        mut is_over: impl FnMut() -> bool,
    ) -> Self {
        let mut page = Self {
            to: rest.to,
            ..Self::default()
        };
        let order = in_order(candidates, rest.from, rest.to);
        let mut first = true;
        for (number, (candidate, is_docs)) in (0..).zip(order).skip(rest.item as usize) {
            let stop = |given| {
                Some(Rest {
                    item: number,
                    given,
                    ..*rest
                })
            };
            let begins = number == rest.item;
            let given = if begins { rest.given } else { 0 };
            if !std::mem::take(&mut first) && is_over() {
                page.timed_out = true;
                page.rest = stop(given);
                return page;
            }
            let Outcome::Item(rendered) = render(candidate) else {
                continue;
            };
            let share = rest.share as usize;
            let mut at = match usize::try_from(given) {
                Ok(given) if begins => given,
                _ => rendered.text.piece(0, share).end,
            };
            if rendered.is_whole || at >= rendered.text.len() {
                page.name(&rendered, is_docs);
                continue;
            }
            while at < rendered.text.len() {
                let room = limits.chars - page.chars;
                let piece = rendered.text.piece(at, room);
                if piece.end == at {
                    break;
                }
                at = piece.end;
                page.add(&rendered, piece, is_docs);
                page.set_truncated(&rendered, is_docs, false);
            }
            if at < rendered.text.len() {
                page.set_truncated(&rendered, is_docs, true);
                page.is_full = true;
                page.rest = stop(at as u64);
                return page;
            }
        }
        page
    }

    fn add(&mut self, rendered: &Rendered, piece: Piece, is_docs: bool) {
        let mut item = rendered.item.clone();
        item.truncated = piece.end < rendered.text.len();
        item.range = piece.range;
        self.chars += piece.chars;
        let text = (!piece.text.is_empty()).then_some(piece.text);
        if rendered.is_content {
            item.content = text;
        } else {
            item.preview = text;
        }
        self.group(is_docs).push(item);
    }

    /// Says whether more of what was added last of an item is behind the cursor.
    fn set_truncated(&mut self, rendered: &Rendered, is_docs: bool, truncated: bool) {
        if let Some(item) = self.group(is_docs).last_mut()
            && item.file_path == rendered.item.file_path
        {
            item.truncated = truncated;
        }
    }

    fn name(&mut self, rendered: &Rendered, is_docs: bool) {
        let mut item = rendered.item.clone();
        item.range = rendered.text.piece(0, usize::MAX).range;
        item.why = vec!["given before".to_owned()];
        self.group(is_docs).push(item);
    }

    fn group(&mut self, is_docs: bool) -> &mut Vec<ExploreItem> {
        if is_docs {
            &mut self.docs
        } else {
            &mut self.code
        }
    }
}

/// Returns the candidates between two places in the order in which a page shows them, each with
/// whether it belongs to the documents.
fn in_order(candidates: &Candidates, from: Place, to: Place) -> Vec<(&Candidate, bool)> {
    let group = |list: &'_ [Candidate], from: u32, to: u32| {
        let end = (to as usize).min(list.len());
        (from as usize).min(end)..end
    };
    let mut docs = candidates.docs[group(&candidates.docs, from.docs, to.docs)].iter();
    let mut code = candidates.code[group(&candidates.code, from.code, to.code)].iter();
    let mut order = Vec::new();
    let mut is_docs = true;
    loop {
        let next = if is_docs {
            docs.next()
                .map(|next| (next, true))
                .or_else(|| code.next().map(|next| (next, false)))
        } else {
            code.next()
                .map(|next| (next, false))
                .or_else(|| docs.next().map(|next| (next, true)))
        };
        let Some(next) = next else {
            return order;
        };
        is_docs = !next.1;
        order.push(next);
    }
}
