//! Named files that fit as they are, and so need no preview.

use docent_api::pillars::{ExploreItem, ItemKind};
use docent_document::headings;
use docent_text::time_budget::TimeBudget;

use crate::explore::rendering::context::RenderContext;
use crate::explore::rendering::document;
use crate::explore::rendering::item::{ItemForm, RenderedItem, item};
use crate::explore::rendering::source::SourceText;
use crate::explore::rendering::text::ItemText;
use crate::explore::request::kinds::FileKind;
use crate::part::AskedPath;

/// Returns true if a named file fits into its share of the room.
pub(super) fn has_room_whole(
    context: &RenderContext<'_>,
    file: &SourceText<'_>,
    kind: FileKind,
) -> bool {
    // Without its comments the text is not that of the file: it would be shown as the whole,
    // and an edit made from it would remove the comments.
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
    // The length is compared before lines are counted, which visits the whole text: most files
    // that are too long are far too long.
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

/// Returns the item of a whole file, still without its text.
pub(super) fn whole_item(
    file: &SourceText<'_>,
    kind: FileKind,
    time_budget: &mut TimeBudget<'_>,
) -> ExploreItem {
    let mut item = item(file.candidate, file.source, ItemKind::FileFull);
    item.metadata.tokens = document::tokens(file.text, time_budget);
    // Code keeps its file name as title, which `item` has set.
    match kind {
        FileKind::Code(language) => item.metadata.language = Some(language.name().to_owned()),
        _ => item.title = headings::name(&file.source.opened.name, file.text),
    }
    item
}
