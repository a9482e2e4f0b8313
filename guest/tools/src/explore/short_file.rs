//! Named files that fit as they are, and so need no preview.

use docent_text::time_budget::TimeBudget;

use crate::explore::kinds::FileKind;
use crate::explore::page::{ItemForm, RenderedItem};
use crate::explore::render::{RenderContext, SourceText, whole_item};
use crate::explore::text::ItemText;
use crate::part::AskedPath;

/// Returns true if a named file fits into its share of the room.
pub(super) fn has_room_whole(
    context: &RenderContext<'_>,
    file: &SourceText<'_>,
    kind: FileKind,
) -> bool {
    // Without its comments the text differs from the file.
    if matches!(kind, FileKind::Code(_)) && !context.kinds.comments {
        return false;
    }
    let paths = context.short_files;
    let is_this = |path: &AskedPath| {
        let whole = path.whole();
        whole.is_some_and(|path| path.as_str() == file.candidate.path)
    };
    let room = context.room;
    let most = (room.page / paths.len().max(1)).min(room.item);
    // Checked before counting lines: most files that are too long are far too long.
    let is_short = room.unit.measure(file.text) <= most && !file.text.is_empty();
    let need = || {
        let text = ItemText::from_file(file.text, 0..file.text.len());
        text.with_numbers(context.numbers).need(room.unit)
    };
    paths.iter().any(is_this) && is_short && need() <= most
}

/// Returns the item of a file with all its text.
pub(super) fn short_file(
    file: &SourceText<'_>,
    kind: FileKind,
    time_budget: &mut TimeBudget<'_>,
) -> RenderedItem {
    let item = whole_item(file, kind, time_budget);
    let text = ItemText::from_file(file.text, 0..file.text.len());
    RenderedItem::new(item, text, ItemForm::Section)
}
