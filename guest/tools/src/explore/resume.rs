//! Resumption of a call: the content of its cursors, their validation, and the cursors of its
//! answer.

use docent_api::pillars::{ExploreCursor, ExploreNext};
use docent_api::types::Error;

use crate::explore::rendering::context::RenderContext;
use crate::explore::rendering::page::{ItemSource, Page};
use crate::explore::request::ExploreRequest;
use crate::explore::request::call_limits::Room;
use crate::explore::request::cursor::{
    CutItem, DecodedCursor, ItemPosition, decode, encode, is_of,
};
use crate::explore::request::numbers::Numbers;
use crate::explore::request::pack::Pack;
use crate::explore::selection::plan::AnswerPlan;
use crate::explore::selection::semantic::ListOrder;
use crate::explore::selection::traversal::{RangeScan, ScanPass};
use crate::paging::cursor::Fingerprint;

/// Position at which a call continues, or its beginning.
pub struct Resume {
    /// Range of files to visit.
    pub scan: RangeScan,
    /// Ranking mode of the lists.
    pub order: ListOrder,
    items: Option<DecodedCursor<ItemPosition>>,
    content: Option<DecodedCursor<CutItem>>,
    /// Fingerprint of cursors for items: the subject, whatever the view.
    items_fingerprint: Fingerprint,
    /// Fingerprint of cursors for content: the subject and the view, which determines the texts.
    content_fingerprint: Fingerprint,
    /// The cursors as received.
    cursor: Option<ExploreCursor>,
    /// Room of this call.
    own_room: Room,
}

/// State of the sources compared with those of a cursor or pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// As far as known, they are unchanged.
    Same,
    /// They have changed: positions in the old lists mean nothing in the new ones.
    Changed,
}

impl Resume {
    /// Decodes the cursors of a request.
    ///
    /// # Errors
    /// `invalid-cursor` for those of another request.
    pub fn decode(request: &ExploreRequest) -> Result<Self, Error> {
        let items_fingerprint = request.subject.fingerprint();
        let content_fingerprint = request.shape.add_to(items_fingerprint);
        // Line numbers take up room, so they determine where texts were cut: a cursor made with
        // them does not fit a request without.
        let content_fingerprint = match request.numbers {
            Numbers::Shown | Numbers::ShownInProse => content_fingerprint,
            Numbers::LeftOut => content_fingerprint.with("without numbers"),
        };
        let cursor = request.cursor.as_ref();
        let mut items = cursor.and_then(|cursor| cursor.items.as_deref());
        let mut content = cursor.and_then(|cursor| cursor.content.as_deref());
        // An answer may have both cursors or only one of them. A caller that knows one field
        // sends whatever it got in that field, so a content cursor that arrives as `items` is
        // accepted. Both kinds are distinguished by their first byte.
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
        // The cut items of a page come before further items. If the page was the last of its
        // range, the cursor for further items belongs to the next range, and the files to visit
        // in this call are those of the content cursor.
        let content_range = content
            .as_ref()
            .map(|content| (&content.range, content.sources, content.moment));
        let items_range = items
            .as_ref()
            .map(|items| (&items.range, items.sources, items.moment));
        let (scan, order) = match content_range.or(items_range) {
            Some((range, sources, moment)) => {
                // Only a call that has visited the whole range knows the digest of its sources.
                // A cursor without one points to a range that nobody has visited, so it is a
                // first pass, which may stop in the middle; a repeated pass has to reach the
                // same end.
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

    /// Validates the cursors and the pack against the plan of this call.
    pub fn validate_against(&self, plan: &AnswerPlan, pack: Option<&Pack>) -> Freshness {
        // The traversal of this call ended before that of the call that issued the cursor. Its
        // list is shorter only because of the time, and comparing digests would report a change
        // that nobody made.
        if plan.traversal.is_short {
            return Freshness::Same;
        }
        let list = plan.list_digest(self.scan.range.round);
        let items = self.items.as_ref();
        let items = items.map(|items| (&items.range, items.sources));
        let content = self.content.as_ref();
        let content = content.map(|content| (&content.range, content.sources));
        // A cursor may name a range other than that of this call, whose files were not visited.
        // Nothing is known about it, so it counts as unchanged; the call that visits it will
        // compare.
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

    /// Restarts at the beginning of this call's results.
    pub fn restart(&mut self) {
        self.items = None;
        self.content = None;
    }

    /// Returns true if the answer is the first of its subject.
    pub fn is_first(&self) -> bool {
        self.first_item() == ItemPosition::default()
            && self.scan.range.round == 0
            && self.content.is_none()
    }

    /// Returns the room of the page whose cut items continue.
    pub fn room(&self) -> Option<Room> {
        let content = self.content.as_ref();
        content.map(|content| content.position.room())
    }

    /// Returns the page of the cursors, or the first one without cursors. The rest of cut items
    /// comes before further items.
    ///
    /// # Errors
    /// Those of the source.
    pub fn page(
        &self,
        plan: &AnswerPlan,
        context: &RenderContext<'_>,
        source: &mut impl ItemSource,
    ) -> Result<Page, Error> {
        // Positions count candidates of the complete list. In the list of a call that was too
        // short, the same number is another file, so nothing is shown and the cursors are
        // returned unchanged.
        if plan.traversal.is_short {
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
    pub fn next(&self, plan: &AnswerPlan, page: &Page) -> ExploreNext {
        // The same cursors are returned, so that a caller with more time can repeat the call.
        if plan.traversal.is_short {
            let cursor = self.cursor.as_ref();
            return ExploreNext {
                items_cursor: cursor.and_then(|cursor| cursor.items.clone()),
                content_cursor: cursor.and_then(|cursor| cursor.content.clone()),
                less_relevant: false,
            };
        }
        let range = &self.scan.range;
        let items = match (&self.content, &self.items) {
            // The cursor for further items is kept until the rest of the cut ones has been
            // shown.
            (Some(_), Some(items)) => Some(items.clone()),
            (None, _) | (_, None) => plan.next_items(range, page.to),
        };
        let content = page.rest.map(|position| DecodedCursor {
            position,
            range: plan.with_end(range),
            sources: plan.list_digest(range.round),
            moment: plan.moment,
        });
        ExploreNext {
            items_cursor: items.map(|items| encode(self.items_fingerprint, &items)),
            content_cursor: content.map(|content| encode(self.content_fingerprint, &content)),
            // Nothing is known about files not visited yet.
            less_relevant: page.is_rest_less_relevant && plan.traversal.next.is_none(),
        }
    }

    fn first_item(&self) -> ItemPosition {
        let items = self.items.as_ref();
        items.map_or_else(ItemPosition::default, |items| items.position)
    }
}
