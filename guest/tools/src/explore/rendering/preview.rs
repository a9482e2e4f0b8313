//! Previews: items that represent a whole document or file of code.

use docent_api::pillars::ItemKind;
use docent_code::Language;

use crate::explore::rendering::code::{self, Comments};
use crate::explore::rendering::context::RenderContext;
use crate::explore::rendering::document;
use crate::explore::rendering::item::{ItemForm, RenderedItem, item};
use crate::explore::rendering::source::SourceText;
use crate::explore::rendering::text::{ItemText, all_lines};
use docent_document::headings;
use docent_text::time_budget::TimeBudget;

/// Returns a preview of a document, or its first paragraph if there is no time for more.
pub(super) fn document_preview(
    file: &SourceText<'_>,
    time_budget: &mut TimeBudget<'_>,
) -> RenderedItem {
    let name = &file.source.opened.name;
    let mut item = item(file.candidate, file.source, ItemKind::FilePreview);
    item.title = headings::name(name, file.text);
    let preview = document::preview(name, file.text, time_budget);
    item.metadata.tokens = document::tokens(file.text, time_budget);
    let text = ItemText::from_parts(preview.text, &preview.rest, all_lines(file.text));
    let text = text.with_quotes(preview.quoted.into_iter().collect());
    RenderedItem::new(item, text, ItemForm::Preview)
}

/// Returns the outline of a file of code, or its beginning if there is no time for the outline.
pub(super) fn code_preview(
    context: &RenderContext<'_>,
    file: &SourceText<'_>,
    language: Language,
    time_budget: &mut TimeBudget<'_>,
) -> RenderedItem {
    let comments = if context.kinds.comments {
        Comments::Inclusions
    } else {
        Comments::LeftOut
    };
    let overview = code::overview(
        language,
        file.text,
        comments,
        context.room.item,
        time_budget,
    );
    let mut item = item(file.candidate, file.source, ItemKind::FilePreview);
    item.metadata.language = Some(language.name().to_owned());
    let Some(overview) = overview else {
        let text = ItemText::from_file(file.text, 0..file.text.len());
        return RenderedItem::new(item, text, ItemForm::Preview);
    };
    item.metadata.tokens = document::tokens(file.text, time_budget);
    item.why.push(format!("outline: {}", overview.source));
    let text = ItemText::from_parts(overview.text, &overview.rest, all_lines(file.text));
    RenderedItem {
        outline: Some(overview.outline),
        ..RenderedItem::new(item, text, ItemForm::Preview)
    }
}
