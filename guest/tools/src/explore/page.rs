//! A page of items: as many as the limits allow, each cut to its share.

use docent_api::pillars::{BlockedPath, ExploreItem};
use docent_api::types::Error;

use crate::explore::candidate::{Candidate, Candidates, Group};
use crate::explore::cursor::{CutItem, ItemPosition};
use crate::explore::request::CallLimits;
use crate::explore::text::{ItemText, Piece};
use crate::limits::EXPLORE_SPLINTER_CHARS;
use docent_text::saturating::saturating_u32;

/// Makes items of candidates. Implemented over a corpus; reading a file takes time and may fail.
pub trait ItemSource {
    /// Makes an item of a candidate.
    ///
    /// # Errors
    /// What ends the whole call.
    fn render(&mut self, candidate: &Candidate) -> Result<Outcome, Error>;

    /// Whether there is no time for another one.
    fn is_over(&self) -> bool;
}

/// An item with its whole text.
pub struct RenderedItem {
    /// The item, still without text.
    pub item: ExploreItem,
    /// Its text.
    pub text: ItemText,
    /// What its text is to the caller.
    pub form: ItemForm,
}

/// What the text of an item is to the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemForm {
    /// It stands for the file.
    Preview,
    /// It stands in the file as it is and was asked for.
    Section,
    /// It is all of the file, and comes whole or not at all: a whole file that is cut looks
    /// complete to a model, which then edits what it has not seen.
    WholeFile,
}

/// What became of a candidate.
pub enum Outcome {
    /// An item.
    Item(Box<RenderedItem>),
    /// It is withheld.
    Blocked(BlockedPath),
    /// It could not be read.
    Gone,
}

/// Why a page ends before its last item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageStop {
    /// The next item has no room.
    Budget,
    /// The time is over.
    Time,
}

/// Items as they are collected.
#[derive(Default)]
pub struct Page {
    /// Documents.
    pub docs: Vec<ExploreItem>,
    /// Code.
    pub code: Vec<ExploreItem>,
    /// Settings and data.
    pub data: Vec<ExploreItem>,
    /// What is withheld.
    pub blocked: Vec<BlockedPath>,
    /// Where the next page begins.
    pub to: ItemPosition,
    /// Characters of text in it.
    pub chars: usize,
    /// Where the rest of cut items begins.
    pub rest: Option<CutItem>,
    /// What ended it before its last item; none where nothing did.
    pub end: Option<PageStop>,
}

impl Page {
    /// Returns the page from `from` on, with at most `share` characters of each item. Documents and
    /// code take turns, so that neither uses up what the other needs.
    ///
    /// # Errors
    /// Those of the source.
    pub fn fill(
        candidates: &Candidates,
        from: ItemPosition,
        limits: &CallLimits,
        share: usize,
        source: &mut impl ItemSource,
    ) -> Result<Self, Error> {
        let mut page = Self {
            to: from,
            ..Self::default()
        };
        let mut turn = Group::Docs;
        let mut first_cut = None;
        let mut number = 0;
        while let Some((candidate, group)) = page.next_candidate(candidates, limits, turn) {
            // The first one comes in any case, so that every call gets on.
            if number > 0 && source.is_over() {
                page.end = Some(PageStop::Time);
                break;
            }
            match source.render(candidate)? {
                Outcome::Item(rendered) => {
                    let chars = match rendered.form {
                        ItemForm::WholeFile => usize::MAX,
                        ItemForm::Preview | ItemForm::Section => share,
                    };
                    let piece = rendered.text.piece(0, chars);
                    // It would come cut shorter than the others; the next page has room for it.
                    if piece.chars > limits.chars - page.chars {
                        page.end = Some(PageStop::Budget);
                        break;
                    }
                    if piece.end < rendered.text.len() {
                        first_cut.get_or_insert((number, piece.end));
                    }
                    page.add(&rendered, piece, group);
                }
                Outcome::Blocked(blocked) => page.blocked.push(blocked),
                Outcome::Gone => {}
            }
            // What gave no item is behind it too, or the next page would begin with it again.
            page.to.advance(group);
            turn = group.next();
            number += 1;
        }
        // The first of them is enough: a later call goes on item by item from there.
        page.rest = first_cut.map(|(item, offset)| CutItem {
            from,
            to: page.to,
            share: saturating_u32(share),
            item,
            offset: offset as u64,
        });
        Ok(page)
    }

    /// Returns the candidate that comes next: of the group whose turn it is, unless that has no
    /// more or is full.
    fn next_candidate<'a>(
        &self,
        candidates: &'a Candidates,
        limits: &CallLimits,
        turn: Group,
    ) -> Option<(&'a Candidate, Group)> {
        [turn, turn.next(), turn.next().next()]
            .into_iter()
            .find_map(|group| {
                if self.items(group).len() >= limits.results {
                    return None;
                }
                let index = self.to.of(group) as usize;
                let candidate = candidates.group(group).get(index)?;
                Some((candidate, group))
            })
    }

    /// Returns what is left of the cut items of an earlier page: an item that was given in full is
    /// named without its text.
    ///
    /// # Errors
    /// Those of the source.
    pub fn go_on(
        candidates: &Candidates,
        cut: &CutItem,
        limits: &CallLimits,
        source: &mut impl ItemSource,
    ) -> Result<Self, Error> {
        let mut page = Self {
            to: cut.to,
            ..Self::default()
        };
        let order = in_order(candidates, cut.from, cut.to);
        let rest_from = |item, offset| {
            Some(CutItem {
                item,
                offset,
                ..*cut
            })
        };
        for (number, (candidate, group)) in (0..).zip(order).skip(cut.item as usize) {
            let is_first = number == cut.item;
            let offset = if is_first { cut.offset } else { 0 };
            if !is_first && source.is_over() {
                page.end = Some(PageStop::Time);
                page.rest = rest_from(number, offset);
                break;
            }
            // What is withheld was told with the page itself.
            let Outcome::Item(rendered) = source.render(candidate)? else {
                continue;
            };
            // Of the others the earlier page gave what it gives of a text that is new.
            let offset = match usize::try_from(offset) {
                Ok(offset) if is_first => offset,
                _ => rendered.text.piece(0, cut.share as usize).end,
            };
            if rendered.form == ItemForm::WholeFile || offset >= rendered.text.len() {
                page.name(&rendered, group);
                continue;
            }
            let offset = page.add_rest(&rendered, offset, limits, group);
            if offset < rendered.text.len() {
                page.end = Some(PageStop::Budget);
                page.rest = rest_from(number, offset as u64);
                break;
            }
        }
        Ok(page)
    }

    /// Adds what there is room for of an item's text behind byte `offset`, in pieces, for a text
    /// may go on in another place of the file. Returns where the last one ends.
    fn add_rest(
        &mut self,
        rendered: &RenderedItem,
        mut offset: usize,
        limits: &CallLimits,
        group: Group,
    ) -> usize {
        while offset < rendered.text.len() {
            let room = limits.chars - self.chars;
            let piece = rendered.text.piece(offset, room);
            let is_splinter = piece.is_cut && self.chars > 0 && room < EXPLORE_SPLINTER_CHARS;
            // No room for a single character more, or for none that says anything.
            if piece.end == offset || is_splinter {
                break;
            }
            offset = piece.end;
            // A line ends a piece before the room does; what is left of that is for no other.
            let is_cut = piece.is_cut;
            self.add(rendered, piece, group);
            if is_cut {
                break;
            }
            // Another piece of it may follow on this page; then this one is not cut.
            self.set_truncated(rendered, group, false);
        }
        if offset < rendered.text.len() {
            self.set_truncated(rendered, group, true);
        }
        offset
    }

    fn add(&mut self, rendered: &RenderedItem, piece: Piece, group: Group) {
        let mut item = rendered.item.clone();
        item.truncated = piece.end < rendered.text.len();
        item.range = piece.range;
        self.chars += piece.chars;
        let text = (!piece.text.is_empty()).then_some(piece.text);
        match rendered.form {
            ItemForm::Section | ItemForm::WholeFile => item.content = text,
            ItemForm::Preview => item.preview = text,
        }
        self.items_mut(group).push(item);
    }

    /// Says whether more of what was added last of an item is behind the cursor.
    fn set_truncated(&mut self, rendered: &RenderedItem, group: Group, is_truncated: bool) {
        // Where no piece of it had room, the last item is another one.
        if let Some(item) = self.items_mut(group).last_mut()
            && item.file_path == rendered.item.file_path
        {
            item.truncated = is_truncated;
        }
    }

    fn name(&mut self, rendered: &RenderedItem, group: Group) {
        let mut item = rendered.item.clone();
        item.range = rendered.text.piece(0, usize::MAX).range;
        item.why = vec!["given before".to_owned()];
        self.items_mut(group).push(item);
    }

    fn items(&self, group: Group) -> &Vec<ExploreItem> {
        match group {
            Group::Docs => &self.docs,
            Group::Code => &self.code,
            Group::Data => &self.data,
        }
    }

    fn items_mut(&mut self, group: Group) -> &mut Vec<ExploreItem> {
        match group {
            Group::Docs => &mut self.docs,
            Group::Code => &mut self.code,
            Group::Data => &mut self.data,
        }
    }
}

/// Returns the candidates between two positions in the order in which a page shows them, each with
/// its group.
fn in_order(
    candidates: &Candidates,
    from: ItemPosition,
    to: ItemPosition,
) -> Vec<(&Candidate, Group)> {
    let between = |group| {
        let list = candidates.group(group);
        // The lists may be shorter than when the cursor was made, or the cursor forged.
        let end = (to.of(group) as usize).min(list.len());
        let start = (from.of(group) as usize).min(end);
        list[start..end]
            .iter()
            .map(move |candidate| (candidate, group))
    };
    let mut groups = Group::ALL.map(between);
    let mut order = Vec::new();
    let mut turn = Group::Docs;
    loop {
        let next = [turn, turn.next(), turn.next().next()]
            .into_iter()
            .find_map(|group| groups[group as usize].next());
        let Some((candidate, group)) = next else {
            return order;
        };
        turn = group.next();
        order.push((candidate, group));
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use docent_api::pillars::ItemKind;
    use docent_tree::door::Consent;

    use super::*;
    use crate::explore::candidate::CandidateKind;
    use crate::explore::kinds::FileKind;
    use crate::explore::render::blank;

    /// Makes items of texts of one length, and has time for so many after the first.
    struct Texts {
        chars: usize,
        form: ItemForm,
        time_for: Cell<usize>,
    }

    impl ItemSource for Texts {
        fn render(&mut self, candidate: &Candidate) -> Result<Outcome, Error> {
            Ok(Outcome::Item(Box::new(RenderedItem {
                item: blank(candidate, ItemKind::FilePreview),
                text: ItemText::made("x".repeat(self.chars), None),
                form: self.form,
            })))
        }

        fn is_over(&self) -> bool {
            let items = self.time_for.get();
            self.time_for.set(items.saturating_sub(1));
            items == 0
        }
    }

    fn texts(chars: usize, form: ItemForm, time_for: usize) -> Texts {
        Texts {
            chars,
            form,
            time_for: Cell::new(time_for),
        }
    }

    fn candidates() -> Candidates {
        let mut candidates = Candidates::default();
        for name in ["a.md", "b.md", "c.md", "x.rs"] {
            candidates.push(Candidate {
                path: name.to_owned(),
                kind: CandidateKind::File(FileKind::of(name)),
                score: None,
                source: 0,
                consent: Consent::Withheld,
            });
        }
        candidates
    }

    fn limits(chars: usize) -> CallLimits {
        CallLimits {
            results: 20,
            chars,
            item_chars: None,
            bytes: 0,
            files: 0,
            timeout_ms: 0,
        }
    }

    fn filled(chars: usize, share: usize, mut source: Texts) -> Page {
        let start = ItemPosition::default();
        Page::fill(&candidates(), start, &limits(chars), share, &mut source).unwrap_or_default()
    }

    fn names(items: &[ExploreItem]) -> Vec<&str> {
        items.iter().map(|item| item.file_path.as_str()).collect()
    }

    #[test]
    fn documents_and_code_take_turns() {
        let (all, start) = (candidates(), ItemPosition::default());
        let end = ItemPosition {
            docs: 3,
            code: 1,
            data: 0,
        };
        let order = in_order(&all, start, end);
        let order: Vec<&str> = order.iter().map(|(one, _)| one.path.as_str()).collect();
        assert_eq!(order, ["a.md", "x.rs", "b.md", "c.md"]);
        let page = filled(1000, 100, texts(10, ItemForm::Preview, 9));
        assert_eq!(names(&page.docs), ["a.md", "b.md", "c.md"]);
        assert_eq!((names(&page.code), page.to), (vec!["x.rs"], end));
        assert_eq!((page.chars, page.end, page.rest), (40, None, None));
    }

    #[test]
    fn budget_and_time_end_it() {
        let page = filled(100, 100, texts(40, ItemForm::Preview, 9));
        assert_eq!((page.chars, page.end), (80, Some(PageStop::Budget)));
        assert_eq!(
            page.to,
            ItemPosition {
                docs: 1,
                code: 1,
                data: 0
            }
        );
        // The first comes even without time.
        let page = filled(100, 100, texts(10, ItemForm::Preview, 0));
        assert_eq!((page.chars, page.end), (10, Some(PageStop::Time)));
    }

    #[test]
    fn what_was_cut_goes_on() {
        let page = filled(1000, 100, texts(250, ItemForm::Preview, 9));
        assert!(page.docs.iter().all(|item| item.truncated));
        let end = ItemPosition {
            docs: 3,
            code: 1,
            data: 0,
        };
        let cut = |item, offset| CutItem {
            from: ItemPosition::default(),
            to: end,
            share: 100,
            item,
            offset,
        };
        assert_eq!(page.rest, Some(cut(0, 100)));
        let mut source = texts(250, ItemForm::Preview, 9);
        let rest = Page::go_on(&candidates(), &cut(0, 100), &limits(500), &mut source);
        let rest = rest.unwrap_or_default();
        // Three items have 150 characters left each, and 50 are not worth a fourth.
        assert_eq!((rest.chars, rest.end), (450, Some(PageStop::Budget)));
        assert_eq!(rest.rest, Some(cut(3, 100)));
        let rest = Page::go_on(&candidates(), &cut(0, 100), &limits(570), &mut source);
        let rest = rest.unwrap_or_default();
        assert_eq!((rest.chars, rest.end), (570, Some(PageStop::Budget)));
        assert_eq!(rest.rest, Some(cut(3, 220)));
    }

    #[test]
    fn a_whole_file_is_not_cut() {
        let page = filled(300, 100, texts(250, ItemForm::WholeFile, 9));
        assert_eq!((page.chars, page.end), (250, Some(PageStop::Budget)));
        assert_eq!((page.docs[0].truncated, page.rest), (false, None));
    }
}
