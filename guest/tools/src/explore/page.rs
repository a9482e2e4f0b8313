//! A page of items. What is read shares the room for texts by need. Of a search the best come with
//! their texts, and those behind them are named.

use docent_api::pillars::{BlockedPath, ExploreItem, LineRange};
use docent_api::types::Error;
use docent_code::Outline;

use crate::explore::best::NEAR_IN_MEANING;
use crate::explore::call_limits::{CallLimits, Room};
use crate::explore::candidate::{Candidate, Candidates, Group};
use crate::explore::cursor::{CutItem, ItemPosition};
use crate::explore::order::Order;
use crate::explore::room::{SearchRoom, level};
use crate::explore::text::{ItemText, Piece, Unit, number_bytes};
use crate::limits::{EXPLORE_ITEM_CHARS, EXPLORE_PAGE_BYTES, EXPLORE_SPLINTER_CHARS, PLACES_NAMED};
use docent_rank::shingles::Shingles;
use docent_text::content_hash::ContentHash;
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
    /// The lines of the section or definition that its text is of, where it is of one.
    pub scope: Option<LineRange>,
    /// Words of the query that it holds.
    pub held: Vec<String>,
    /// What comes instead of its text and scope where it is the best item of a search: it goes on
    /// with what stands below its heading.
    pub read_on: Option<(ItemText, Option<LineRange>)>,
    /// What its text takes at most where that is less than any may.
    pub most: Option<usize>,
    /// Whether its heading or title is the query, or the query names its file.
    pub is_asked_for: bool,
    /// What the text was made of, where it can be made to another length.
    pub outline: Option<Outline>,
    /// The file as it was read, for its hash; none where there is none to tell.
    pub bytes: Option<Vec<u8>>,
}

impl RenderedItem {
    /// Returns an item of which nothing more is known.
    pub fn new(item: ExploreItem, text: ItemText, form: ItemForm) -> Self {
        Self {
            item,
            text,
            form,
            scope: None,
            held: Vec::new(),
            read_on: None,
            most: None,
            is_asked_for: false,
            outline: None,
            bytes: None,
        }
    }

    /// Makes the first part of the text no longer than so many characters, where it can be made
    /// so: an outline says more when it is made for its room than when it is cut.
    fn fit(&mut self, chars: usize) {
        if let Some(outline) = &self.outline
            && Unit::Chars.of(self.text.beginning()) > chars
        {
            let skeleton = outline.skeleton(chars);
            self.text = self.text.remade(skeleton.text, &skeleton.rest);
        }
    }
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
    /// Where the next page begins: behind the last item that came with its text.
    pub to: ItemPosition,
    /// Characters of text in it.
    pub chars: usize,
    /// Where the rest of cut items begins.
    pub rest: Option<CutItem>,
    /// What ended it before its last item; none where nothing did.
    pub end: Option<PageStop>,
    /// True if the candidates behind it answer much less well than the best one.
    pub is_rest_less_relevant: bool,
}

/// An item that a page of reading may show, before the room for each is known.
struct ReadItem {
    rendered: Box<RenderedItem>,
    group: Group,
    /// Which candidate of the page it is.
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
    /// these fit and answer nearly as well as the first, and the others by name.
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
        let mut order = Order::new(candidates, from);
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
            // The first one comes in any case, so that every call gets on.
            if number > 0 && source.is_over() {
                page.end = Some(PageStop::Time);
                break;
            }
            match source.render(candidate)? {
                Outcome::Item(mut rendered) => {
                    texts.read_on(&mut rendered);
                    let shingles = Shingles::of(rendered.text.beginning());
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
            // What is only named comes with its text on the next page.
            if texts.is_open() {
                page.to = order.position();
            }
            number += 1;
        }
        page.end = page.end.or(texts.is_full().then_some(PageStop::Budget));
        page.rest = first_cut.map(|cut| page.cut_item(from, room, cut));
        Ok(page)
    }

    /// Returns the page of what is read from `from` on: as many items as have room for some text
    /// each. They share it by need: what is short comes whole, and all others have as much as each
    /// other. Documents, code and data take turns, so that none uses up what the others need.
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
        // The first of them is enough: a later call goes on item by item from there.
        let room = Room {
            item: share,
            ..room
        };
        page.rest = first_cut.map(|cut| page.cut_item(from, room, cut));
        Ok(page)
    }

    /// Returns the items that a page of reading has room for, and goes behind them.
    fn read_items(
        &mut self,
        candidates: &Candidates,
        limits: &CallLimits,
        room: Room,
        source: &mut impl ItemSource,
    ) -> Result<Vec<ReadItem>, Error> {
        let mut items: Vec<ReadItem> = Vec::new();
        let mut order = Order::new(candidates, self.to);
        let (mut least, mut bytes, mut number) = (0, 0, 0);
        loop {
            let of_group = |group| items.iter().filter(move |item| item.group == group).count();
            let is_open = |group| of_group(group) < limits.group_results();
            let Some((candidate, group)) = order.next(is_open) else {
                break;
            };
            // The first one comes in any case, so that every call gets on.
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
                    // They wait for each other in memory.
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
            // What gave no item is behind it too, or the next page would begin with it again.
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

    /// Returns what is left of the cut items of an earlier page: an item that was given in full is
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
        let mut order = Order::new(candidates, cut.from);
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
            // Those before it tell how much room it had, where that depends on them.
            if current < cut.item && texts.is_none() {
                continue;
            }
            if current > cut.item && source.is_over() {
                page.end = Some(PageStop::Time);
                page.rest = rest_from(current, 0);
                break;
            }
            // What is withheld was told with the page itself.
            let Outcome::Item(mut rendered) = source.render(candidate)? else {
                continue;
            };
            let Some(given) = given_before(&mut rendered, candidate, cut, texts.as_mut()) else {
                continue;
            };
            let offset = match usize::try_from(cut.offset) {
                _ if current < cut.item => continue,
                // The others gave what a page gives of a text that is new.
                Ok(offset) if current == cut.item && offset > 0 => offset,
                _ => given,
            };
            if rendered.form == ItemForm::WholeFile || offset >= rendered.text.len() {
                page.name_given(&rendered, group);
                continue;
            }
            // What comes now is all that was left of it, or its own cursor tells of more.
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

    /// Adds what there is room for of an item's text behind byte `offset`, in pieces, for a text
    /// may go on in another place of the file. Returns where the last one ends.
    fn add_rest(
        &mut self,
        rendered: &RenderedItem,
        mut offset: usize,
        room: Room,
        group: Group,
    ) -> usize {
        while offset < rendered.text.len() {
            let left = room.page.saturating_sub(self.taken(room.unit));
            let piece = rendered.text.piece(offset, left, room.unit);
            let is_splinter = piece.is_cut && self.chars > 0 && left < EXPLORE_SPLINTER_CHARS;
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

    /// Returns what the texts of the page take.
    fn taken(&self, unit: Unit) -> usize {
        let text = |item: &ExploreItem| {
            let text = item.preview.as_deref().or(item.content.as_deref());
            text.map_or(0, |text| unit.of(text) + number_bytes(text, &item.numbered))
        };
        self.all().map(text).sum()
    }

    fn add(&mut self, rendered: &RenderedItem, piece: Piece, group: Group) {
        let mut item = rendered.item.clone();
        item.truncated = piece.end < rendered.text.len();
        item.range = piece.range;
        item.numbered = piece.numbered;
        // With what follows a section its text may be longer than it.
        item.scope = rendered.scope.filter(|scope| {
            piece.range.is_none_or(|range| {
                let is_inside = scope.first <= range.first && range.last <= scope.last;
                is_inside && *scope != range
            })
        });
        if let Some(bytes) = &rendered.bytes {
            item.metadata.hash = Some(ContentHash::of(bytes).short());
        }
        self.chars += piece.chars;
        let text = (!piece.text.is_empty()).then_some(piece.text);
        match rendered.form {
            ItemForm::Section | ItemForm::WholeFile => item.content = text,
            ItemForm::Preview => item.preview = text,
        }
        self.push(item, group);
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

    /// Adds an item that comes with its text on a later page.
    fn name(&mut self, rendered: RenderedItem, group: Group) {
        let range = rendered.text.piece(0, usize::MAX, Unit::Bytes).range;
        let mut item = rendered.item;
        item.range = rendered.scope.or(range);
        item.only_named = true;
        // What holds all of the words needs no reason beside what it is called.
        item.why.retain(|why| why == NEAR_IN_MEANING);
        if !rendered.held.is_empty() {
            item.why = vec![format!("holds {}", rendered.held.join(", "))];
        }
        self.push(item, group);
    }

    /// Adds an item whose text an earlier page gave.
    fn name_given(&mut self, rendered: &RenderedItem, group: Group) {
        let mut item = rendered.item.clone();
        item.range = rendered.text.piece(0, usize::MAX, Unit::Bytes).range;
        item.only_named = true;
        item.why = vec!["given before".to_owned()];
        self.push(item, group);
    }

    /// Names the items whose text an earlier call gave, without that.
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

    /// Adds a place that says the same as the item of a rank.
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

/// Returns where an earlier page ended the text of an item; none where that page said of it that it
/// is the same as another.
fn given_before(
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
    let shingles = Shingles::of(rendered.text.beginning());
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
