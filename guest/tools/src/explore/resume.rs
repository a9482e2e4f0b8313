//! Where a call goes on: what its cursors hold, whether that still counts, and the cursors of its
//! answer.

use docent_api::pillars::{ExploreCursor, ExploreNext};
use docent_api::types::Error;

use crate::cursor::Fingerprint;
use crate::explore::call_limits::Room;
use crate::explore::cursor::{CutItem, DecodedCursor, ItemPosition, decode, encode, is_of};
use crate::explore::meaning::ListOrder;
use crate::explore::pack::Pack;
use crate::explore::page::{ItemSource, Page};
use crate::explore::plan::Plan;
use crate::explore::render::RenderContext;
use crate::explore::request::Request;
use crate::explore::text::Numbers;
use crate::explore::tour::{RangeScan, ScanPass};

/// Where a call goes on, or that it begins.
pub struct Resume {
    /// The files that it looks at.
    pub scan: RangeScan,
    /// What their order goes by.
    pub order: ListOrder,
    items: Option<DecodedCursor<ItemPosition>>,
    content: Option<DecodedCursor<CutItem>>,
    /// What cursors for items are bound to: the subject, whatever is shown of each.
    items_fingerprint: Fingerprint,
    /// What cursors for content are bound to: the shape too, which decides the texts.
    content_fingerprint: Fingerprint,
    /// As they came.
    cursor: Option<ExploreCursor>,
    /// The room of this call.
    own_room: Room,
}

/// Whether the sources are those that a cursor or pack was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// As far as can be told, they are.
    Same,
    /// Positions in the old lists mean nothing in the new ones.
    Changed,
}

impl Resume {
    /// Returns where the cursors of a request say to go on.
    ///
    /// # Errors
    /// `invalid-cursor` for those of another request.
    pub fn decode(request: &Request) -> Result<Self, Error> {
        let items_fingerprint = request.subject.fingerprint();
        let content_fingerprint = request.shape.add_to(items_fingerprint);
        // Numbers take of the room, and so they decide where texts were cut.
        let content_fingerprint = match request.numbers {
            Numbers::Shown | Numbers::ShownInProse => content_fingerprint,
            Numbers::LeftOut => content_fingerprint.with("without numbers"),
        };
        let cursor = request.cursor.as_ref();
        let mut items = cursor.and_then(|cursor| cursor.items.as_deref());
        let mut content = cursor.and_then(|cursor| cursor.content.as_deref());
        // The only one that an answer names comes in the place of the first.
        if content.is_none() && items.is_some_and(is_of::<CutItem>) {
            content = items.take();
        }
        let items: Option<DecodedCursor<ItemPosition>> = items
            .map(|text| decode(items_fingerprint, "items", text))
            .transpose()?;
        let content: Option<DecodedCursor<CutItem>> = content
            .map(|text| decode(content_fingerprint, "content", text))
            .transpose()?
            .filter(|content: &DecodedCursor<CutItem>| content.position.is_possible());
        // The cut items of a page are in the range before or round that of further items, and they
        // come first.
        let content_range = content
            .as_ref()
            .map(|content| (&content.range, content.sources, content.moment));
        let items_range = items
            .as_ref()
            .map(|items| (&items.range, items.sources, items.moment));
        let (scan, order) = match content_range.or(items_range) {
            Some((range, sources, moment)) => {
                // Only a call that has looked at the range can tell its sources.
                let (pass, order) = match sources {
                    Some(_) => (ScanPass::Repeat, ListOrder::before(moment)),
                    None => (ScanPass::First, ListOrder::First),
                };
                let range = range.clone();
                (RangeScan { range, pass }, order)
            }
            None => (RangeScan::default(), ListOrder::First),
        };
        Ok(Self {
            scan,
            order,
            items,
            content,
            items_fingerprint,
            content_fingerprint,
            cursor: request.cursor.clone(),
            own_room: request.room,
        })
    }

    /// Returns whether the positions still count in what this call found, and the pack that it goes
    /// on with.
    pub fn checked_against(&self, plan: &Plan, pack: Option<&Pack>) -> Freshness {
        // It has not seen what they were made from, so it cannot tell.
        if plan.tour.is_short {
            return Freshness::Same;
        }
        let list = plan.list_digest(self.scan.range.round);
        let items = self.items.as_ref();
        let items = items.map(|items| (&items.range, items.sources));
        let content = self.content.as_ref();
        let content = content.map(|content| (&content.range, content.sources));
        // Of another range than this call looks at nothing is known either.
        let is_stale = [items, content]
            .into_iter()
            .flatten()
            .any(|(range, sources)| {
                *range == self.scan.range && sources.is_some() && sources != list
            });
        if is_stale || plan.contradicts(pack, &self.scan.range) {
            Freshness::Changed
        } else {
            Freshness::Same
        }
    }

    /// Goes to the beginning of what this call found.
    pub fn restart(&mut self) {
        self.items = None;
        self.content = None;
    }

    /// Whether the answer is the first of its subject.
    pub fn is_first(&self) -> bool {
        self.first_item() == ItemPosition::default()
            && self.scan.range.round == 0
            && self.content.is_none()
    }

    /// Returns the room that texts had on the page whose cut items go on.
    pub fn room(&self) -> Option<Room> {
        let content = self.content.as_ref();
        content.map(|content| content.position.room())
    }

    /// Returns the page that the cursors stand for, the first one without any. The rest of cut
    /// items goes before further items.
    ///
    /// # Errors
    /// Those of the source.
    pub fn page(
        &self,
        plan: &Plan,
        context: &RenderContext<'_>,
        source: &mut impl ItemSource,
    ) -> Result<Page, Error> {
        // A list that is not the earlier one would be shown from a position in that.
        if plan.tour.is_short {
            return Ok(Page::default());
        }
        let candidates = &plan.candidates;
        match &self.content {
            Some(content) => Page::go_on(candidates, &content.position, self.own_room, source),
            None => {
                let (from, limits, room) = (self.first_item(), context.limits, context.room);
                if candidates.are_ranked() {
                    Page::search(candidates, from, limits, room, source)
                } else {
                    Page::read(candidates, from, limits, room, source)
                }
            }
        }
    }

    /// Returns the cursors of the answer.
    pub fn next(&self, plan: &Plan, page: &Page) -> ExploreNext {
        // To be tried again, with more time.
        if plan.tour.is_short {
            let cursor = self.cursor.as_ref();
            return ExploreNext {
                items_cursor: cursor.and_then(|cursor| cursor.items.clone()),
                content_cursor: cursor.and_then(|cursor| cursor.content.clone()),
                less_relevant: false,
            };
        }
        let range = &self.scan.range;
        let items = match (&self.content, &self.items) {
            // Further items wait until the rest of the cut ones was given.
            (Some(_), Some(items)) => Some(items.clone()),
            (None, _) | (_, None) => plan.next_items(range, page.to),
        };
        let content = page.rest.map(|position| DecodedCursor {
            position,
            range: plan.ended(range),
            sources: plan.list_digest(range.round),
            moment: plan.moment,
        });
        ExploreNext {
            items_cursor: items.map(|items| encode(self.items_fingerprint, &items)),
            content_cursor: content.map(|content| encode(self.content_fingerprint, &content)),
            // Of files that were not looked at yet nothing is known.
            less_relevant: page.is_rest_less_relevant && plan.tour.next.is_none(),
        }
    }

    fn first_item(&self) -> ItemPosition {
        let items = self.items.as_ref();
        items.map_or_else(ItemPosition::default, |items| items.position)
    }
}
