//! A page of items. Items that are read share the room for texts by need. In a search, the best
//! items come with their texts, and those after them are only named.

use docent_api::pillars::{BlockedPath, ExploreItem};
use docent_api::types::Error;

use crate::explore::rendering::item::{ItemForm, NEAR_IN_MEANING, Outcome, RenderedItem};
use crate::explore::rendering::room::{SearchRoom, level};
use crate::explore::rendering::text::{Piece, number_bytes};
use crate::explore::request::call_limits::{CallLimits, Room};
use crate::explore::request::cursor::{CutItem, ItemPosition};
use crate::explore::request::group::Group;
use crate::explore::request::unit::Unit;
use crate::explore::selection::candidate::{Candidate, Candidates};
use crate::explore::selection::order::GroupOrder;
use crate::limits::{EXPLORE_ITEM_CHARS, EXPLORE_PAGE_BYTES, EXPLORE_SPLINTER_CHARS, PLACES_NAMED};
use docent_rank::shingles::Shingles;
use docent_text::content_hash::ContentHash;
use docent_text::saturating::saturating_u32;

/// Renderer of candidates as items. Implemented over a corpus; reading a file takes time and may
/// fail.
pub trait ItemSource {
    /// Renders a candidate as an item.
    ///
    /// # Errors
    /// An error that ends the whole call.
    fn render(&mut self, candidate: &Candidate) -> Result<Outcome, Error>;

    /// Returns true if there is no time for another item.
    fn is_over(&self) -> bool;
}

impl RenderedItem {
    /// Shortens the first part of the text to `chars` characters if it can be made to that length:
    /// an outline made for its room is more informative than a truncated one.
    fn fit(&mut self, chars: usize) {
        if let Some(outline) = &self.outline
            && Unit::Chars.measure(self.text.beginning()) > chars
        {
            let skeleton = outline.skeleton(chars);
            self.text = self.text.with_text(skeleton.text, &skeleton.rest);
        }
    }
}

/// Reason for which a page ends before its last item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageStop {
    /// The next item does not fit.
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
    /// Paths withheld from the caller.
    pub blocked: Vec<BlockedPath>,
    /// Position of the next page: after the last item that came with its text.
    pub to: ItemPosition,
    /// Characters of text in it.
    pub chars: usize,
    /// The cut items, if any, whose rest a cursor can continue.
    pub rest: Option<CutItem>,
    /// Reason for which it ended before its last item, or `None` if it did not.
    pub end: Option<PageStop>,
    /// True if the candidates after it match much less well than the best one.
    pub is_rest_less_relevant: bool,
}

/// An item of a page of reading, before the room for each is known.
struct ReadItem {
    rendered: Box<RenderedItem>,
    group: Group,
    /// Index of the candidate within the page.
    number: u32,
}

impl Page {
    fn beginning_at(from: ItemPosition) -> Self {
        Self {
            to: from,
            ..Self::default()
        }
    }

    /// Returns the page of a search from `from` on: the best items with their texts as long as
    /// these fit and match nearly as well as the first, and the others by name.
    ///
    /// # Errors
    /// Those of the source.
    pub fn search(
        candidates: &Candidates,
        from: ItemPosition,
        limits: &CallLimits,
        room: Room,
        source: &mut impl ItemSource,
    ) -> Result<Self, Error> {
        let mut page = Self::beginning_at(from);
        let mut order = GroupOrder::new(candidates, from);
        let mut texts = SearchRoom::new(room);
        let mut first_cut = None;
        let (mut number, mut named) = (0, 0);
        while page.len() < limits.all_results() && named < PLACES_NAMED {
            let is_open = |group| page.items(group).len() < limits.group_results();
            let Some((candidate, group)) = order.next(is_open) else {
                break;
            };
            if texts.is_less_relevant(candidate) {
                page.is_rest_less_relevant = true;
                break;
            }
            // The first item always comes, even if the time is over. A page without items would
            // have a cursor to its own beginning, and a caller with a short timeout would
            // repeat it forever.
            if number > 0 && source.is_over() {
                page.end = Some(PageStop::Time);
                break;
            }
            match source.render(candidate)? {
                Outcome::Item(mut rendered) => {
                    texts.read_on(&mut rendered);
                    let shingles = Shingles::new(rendered.text.beginning());
                    if let Some(twin) = texts.twin(&shingles) {
                        page.add_place(twin, &rendered.item);
                    } else if let Some(most) = texts.allot(candidate, &rendered) {
                        let piece = rendered.text.piece(0, most, room.unit);
                        if piece.end < rendered.text.len() {
                            first_cut.get_or_insert((number, piece.end));
                        }
                        texts.take(&rendered, shingles, &piece, page.len());
                        page.add(&rendered, piece, group);
                    } else {
                        page.name(*rendered, group);
                        named += 1;
                    }
                }
                Outcome::Blocked(blocked) => page.blocked.push(blocked),
                Outcome::Gone => {}
            }
            // The position of the next page is after the last item with its text. Items that
            // are only named come again there, with their texts.
            if texts.is_open() {
                page.to = order.position();
            }
            number += 1;
        }
        page.end = page.end.or(texts.is_full().then_some(PageStop::Budget));
        page.rest = first_cut.map(|cut| page.cut_item(from, room, cut));
        Ok(page)
    }

    /// Returns the page that is read from `from` on: as many items as have room for some text each.
    /// They share the room by need: short texts come whole, and all others get equal shares.
    /// Documents, code and data take turns, so that none uses up the room of the others.
    ///
    /// # Errors
    /// Those of the source.
    pub fn read(
        candidates: &Candidates,
        from: ItemPosition,
        limits: &CallLimits,
        room: Room,
        source: &mut impl ItemSource,
    ) -> Result<Self, Error> {
        let mut page = Self::beginning_at(from);
        let items = page.read_items(candidates, limits, room, source)?;
        let need = |item: &ReadItem| item.rendered.text.need(room.unit);
        let is_whole = |item: &&ReadItem| item.rendered.form == ItemForm::WholeFile;
        let whole: usize = items.iter().filter(is_whole).map(need).sum();
        let others = items.iter().filter(|item| !is_whole(item)).map(need);
        let share = level(others.collect(), room.page.saturating_sub(whole)).min(room.item);
        let mut first_cut = None;
        for mut item in items {
            let most = match item.rendered.form {
                ItemForm::WholeFile => usize::MAX,
                ItemForm::Preview | ItemForm::Section => share,
            };
            item.rendered.fit(most);
            let piece = item.rendered.text.piece(0, most, room.unit);
            if piece.end < item.rendered.text.len() {
                first_cut.get_or_insert((item.number, piece.end));
            }
            page.add(&item.rendered, piece, item.group);
        }
        // Recording the first cut item is enough: a later call renders the page again from
        // there, item by item, and knows from the room of the page where each of them was cut.
        let room = Room {
            item: share,
            ..room
        };
        page.rest = first_cut.map(|cut| page.cut_item(from, room, cut));
        Ok(page)
    }

    /// Returns the items that fit on a page of reading, and advances past them.
    fn read_items(
        &mut self,
        candidates: &Candidates,
        limits: &CallLimits,
        room: Room,
        source: &mut impl ItemSource,
    ) -> Result<Vec<ReadItem>, Error> {
        let mut items: Vec<ReadItem> = Vec::new();
        let mut order = GroupOrder::new(candidates, self.to);
        let (mut least, mut bytes, mut number) = (0, 0, 0);
        loop {
            let of_group = |group| items.iter().filter(move |item| item.group == group).count();
            let is_open = |group| of_group(group) < limits.group_results();
            let Some((candidate, group)) = order.next(is_open) else {
                break;
            };
            // As in a search, the first item always comes.
            if number > 0 && source.is_over() {
                self.end = Some(PageStop::Time);
                break;
            }
            match source.render(candidate)? {
                Outcome::Item(rendered) => {
                    let need = rendered.text.need(room.unit);
                    let own = match rendered.form {
                        ItemForm::WholeFile => need,
                        ItemForm::Preview | ItemForm::Section => {
                            need.min(EXPLORE_ITEM_CHARS).min(room.item)
                        }
                    };
                    bytes += rendered.text.len();
                    // The share of each item depends on the needs of all, so all texts are in
                    // memory until the last one is known. Twenty files of megabytes are
                    // therefore several pages.
                    let is_full = least + own > room.page || bytes > EXPLORE_PAGE_BYTES;
                    if is_full && !items.is_empty() {
                        self.end = Some(PageStop::Budget);
                        break;
                    }
                    least += own;
                    items.push(ReadItem {
                        rendered,
                        group,
                        number,
                    });
                }
                Outcome::Blocked(blocked) => self.blocked.push(blocked),
                Outcome::Gone => {}
            }
            // Candidates without an item, such as blocked or deleted files, are passed as well:
            // a page that ends with them would otherwise begin with them again.
            self.to = order.position();
            number += 1;
        }
        Ok(items)
    }

    fn cut_item(&self, from: ItemPosition, room: Room, (item, offset): (u32, usize)) -> CutItem {
        CutItem {
            from,
            to: self.to,
            page: saturating_u32(room.page),
            share: saturating_u32(room.item),
            in_bytes: room.unit == Unit::Bytes,
            item,
            offset: offset as u64,
        }
    }

    /// Returns the rest of the cut items of an earlier page; an item that was already complete is
    /// named without its text.
    ///
    /// # Errors
    /// Those of the source.
    pub fn go_on(
        candidates: &Candidates,
        cut: &CutItem,
        room: Room,
        source: &mut impl ItemSource,
    ) -> Result<Self, Error> {
        let mut page = Self::beginning_at(cut.to);
        let mut order = GroupOrder::new(candidates, cut.from);
        let mut texts = candidates.are_ranked().then(|| SearchRoom::new(cut.room()));
        let rest_from = |item, offset| {
            Some(CutItem {
                item,
                offset,
                ..*cut
            })
        };
        let mut number = 0;
        while let Some((candidate, group)) = order.next_before(cut.to) {
            let current = number;
            number += 1;
            // In a search, the room of an item depends on the items before it, which are
            // rendered again to find where each was cut. In a page of reading all have the same
            // share, so earlier items are skipped.
            if current < cut.item && texts.is_none() {
                continue;
            }
            if current > cut.item && source.is_over() {
                page.end = Some(PageStop::Time);
                page.rest = rest_from(current, 0);
                break;
            }
            // Withheld paths were listed on the page itself.
            let Outcome::Item(mut rendered) = source.render(candidate)? else {
                continue;
            };
            let Some(given) = previous_end(&mut rendered, candidate, cut, texts.as_mut()) else {
                continue;
            };
            let offset = match usize::try_from(cut.offset) {
                _ if current < cut.item => continue,
                // Only the first cut item continues at the offset of the cursor. Each of the
                // others continues where that page had ended it, which `previous_end`
                // determines.
                Ok(offset) if current == cut.item && offset > 0 => offset,
                _ => given,
            };
            if rendered.form == ItemForm::WholeFile || offset >= rendered.text.len() {
                page.name_given(&rendered, group);
                continue;
            }
            // The lines of the whole section are left out: either this piece is all that was
            // missing, or the next cursor continues it.
            rendered.scope = None;
            let offset = page.add_rest(&rendered, offset, room, group);
            if offset < rendered.text.len() {
                page.end = Some(PageStop::Budget);
                page.rest = rest_from(current, offset as u64);
                break;
            }
        }
        Ok(page)
    }

    /// Adds as much of an item's text after byte `offset` as fits, in pieces, since a text may
    /// continue in another place of the file. Returns the end of the last piece.
    fn add_rest(
        &mut self,
        rendered: &RenderedItem,
        mut offset: usize,
        room: Room,
        group: Group,
    ) -> usize {
        while offset < rendered.text.len() {
            let left = room.page.saturating_sub(self.used_room(room.unit));
            let piece = rendered.text.piece(offset, left, room.unit);
            let is_splinter = piece.is_cut && self.chars > 0 && left < EXPLORE_SPLINTER_CHARS;
            // There is no room for a single character more, or only for a piece too short to be
            // useful.
            if piece.end == offset || is_splinter {
                break;
            }
            offset = piece.end;
            // A line end may end the piece before the room is used up. The remainder stays
            // unused: no other item follows a cut one.
            let is_cut = piece.is_cut;
            self.add(rendered, piece, group);
            if is_cut {
                break;
            }
            // Another piece of the same item may follow on this page, so this one does not
            // count as cut.
            self.set_truncated(rendered, group, false);
        }
        if offset < rendered.text.len() {
            self.set_truncated(rendered, group, true);
        }
        offset
    }

    /// Returns the room taken by the texts of the page.
    fn used_room(&self, unit: Unit) -> usize {
        let text = |item: &ExploreItem| {
            let text = item.preview.as_deref().or(item.content.as_deref());
            text.map_or(0, |text| {
                unit.measure(text) + number_bytes(text, &item.numbered)
            })
        };
        self.all().map(text).sum()
    }

    fn add(&mut self, rendered: &RenderedItem, piece: Piece, group: Group) {
        let mut item = rendered.item.clone();
        item.truncated = piece.end < rendered.text.len();
        item.range = piece.range;
        item.numbered = piece.numbered;
        // With the sections below its heading, the text may be longer than its own section. A
        // scope that does not contain the text is not shown.
        item.scope = rendered.scope.filter(|scope| {
            piece.range.is_none_or(|range| {
                let is_inside = scope.first <= range.first && range.last <= scope.last;
                is_inside && *scope != range
            })
        });
        if let Some(hashed) = &rendered.hashed {
            item.metadata.hash = Some(ContentHash::new(&hashed.bytes).short());
        }
        self.chars += piece.chars;
        let text = (!piece.text.is_empty()).then_some(piece.text);
        match rendered.form {
            ItemForm::Section | ItemForm::WholeFile => item.content = text,
            ItemForm::Preview => item.preview = text,
        }
        self.push(item, group);
    }

    /// Sets whether the cursor continues the item that was added last.
    fn set_truncated(&mut self, rendered: &RenderedItem, group: Group, is_truncated: bool) {
        // If no piece of the item fitted, the last one on the page is another item.
        if let Some(item) = self.items_mut(group).last_mut()
            && item.file_path == rendered.item.file_path
        {
            item.truncated = is_truncated;
        }
    }

    /// Adds an item that comes with its text on a later page.
    fn name(&mut self, rendered: RenderedItem, group: Group) {
        let range = rendered.text.piece(0, usize::MAX, Unit::Bytes).range;
        let mut item = rendered.item;
        item.range = rendered.scope.or(range);
        item.only_named = true;
        // For an item with all of the words its name is reason enough.
        item.why.retain(|why| why == NEAR_IN_MEANING);
        if !rendered.held.is_empty() {
            item.why = vec![format!("holds {}", rendered.held.join(", "))];
        }
        self.push(item, group);
    }

    /// Adds an item whose text was on an earlier page.
    fn name_given(&mut self, rendered: &RenderedItem, group: Group) {
        let mut item = rendered.item.clone();
        item.range = rendered.text.piece(0, usize::MAX, Unit::Bytes).range;
        item.only_named = true;
        item.why = vec!["given before".to_owned()];
        self.push(item, group);
    }

    /// Names the items whose text was in an earlier answer, without their texts.
    pub fn name_all(&mut self) {
        let items = self
            .docs
            .iter_mut()
            .chain(&mut self.code)
            .chain(&mut self.data);
        for item in items.filter(|item| !item.only_named) {
            item.preview = None;
            item.content = None;
            item.numbered = Vec::new();
            item.truncated = false;
            item.only_named = true;
            item.why = vec!["given before".to_owned()];
        }
        self.chars = 0;
    }

    /// Adds a place with the same text as the item at a rank.
    fn add_place(&mut self, rank: u32, place: &ExploreItem) {
        let mut items = self
            .docs
            .iter_mut()
            .chain(&mut self.code)
            .chain(&mut self.data);
        if let Some(item) = items.find(|item| item.rank == rank) {
            item.also_in.push(place.file_path.clone());
        }
    }

    fn push(&mut self, mut item: ExploreItem, group: Group) {
        item.rank = saturating_u32(self.len() + 1);
        self.items_mut(group).push(item);
    }

    fn len(&self) -> usize {
        self.all().count()
    }

    fn all(&self) -> impl Iterator<Item = &ExploreItem> {
        self.docs.iter().chain(&self.code).chain(&self.data)
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

/// Returns the offset at which an earlier page ended the text of an item, or `None` if that page
/// reported it as a duplicate of another.
fn previous_end(
    rendered: &mut RenderedItem,
    candidate: &Candidate,
    cut: &CutItem,
    texts: Option<&mut SearchRoom>,
) -> Option<usize> {
    let room = cut.room();
    let Some(texts) = texts else {
        rendered.fit(room.item);
        return Some(rendered.text.piece(0, room.item, room.unit).end);
    };
    texts.read_on(rendered);
    let shingles = Shingles::new(rendered.text.beginning());
    if texts.twin(&shingles).is_some() {
        return None;
    }
    let most = texts.allot(candidate, rendered)?;
    let piece = rendered.text.piece(0, most, room.unit);
    texts.take(rendered, shingles, &piece, 0);
    Some(piece.end)
}

#[cfg(test)]
mod tests;
