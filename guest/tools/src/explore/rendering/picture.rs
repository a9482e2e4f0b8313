//! Items of pictures: format, dimensions and size. *Never:* pixels.

use docent_api::pillars::{ExploreItem, ItemKind};

use crate::explore::rendering::context::RenderContext;
use crate::explore::rendering::item::{ItemForm, Outcome, RenderedItem, item};
use crate::explore::rendering::source::{Source, fetch};
use crate::explore::rendering::text::ItemText;
use crate::explore::selection::candidate::Candidate;
use crate::limits::PICTURE_PIXELS;
use docent_corpus::corpus::Corpus;
use docent_document::format::media_type;
use docent_document::picture::Picture;
use docent_tree::disk::Disk;
use docent_tree::limits::DOCUMENT_BYTES;

/// Returns the item of a picture, without its bytes.
pub(super) fn describe_picture(
    candidate: &Candidate,
    source: &Source,
    picture: Picture,
) -> Outcome {
    let item = picture_item(candidate, source, picture, ItemKind::FilePreview);
    let text = ItemText::from_generated(String::new(), None);
    Outcome::Item(Box::new(RenderedItem::new(item, text, ItemForm::Preview)))
}

/// Returns the item of a picture with more bytes than the call returns whole; `None` for another
/// file, and for a picture of more bytes than any document has.
pub(super) fn describe_large_picture<D: Disk>(
    corpus: &mut Corpus<D>,
    context: &RenderContext<'_>,
    candidate: &Candidate,
) -> Option<Outcome> {
    // The name decides if the file is read, so that no other large file is.
    if !media_type(&candidate.path).starts_with("image/") {
        return None;
    }
    let source = fetch(corpus, context, candidate, DOCUMENT_BYTES as u64).ok()?;
    let picture = Picture::detect(&source.opened.bytes)?;
    Some(describe_picture(candidate, &source, picture))
}

/// Returns an item of a picture without text.
pub(super) fn picture_item(
    candidate: &Candidate,
    source: &Source,
    picture: Picture,
    kind: ItemKind,
) -> ExploreItem {
    let mut item = item(candidate, source, kind);
    item.metadata.media_type = Some(picture.format.media_type().to_owned());
    item.why.push(format!(
        "{} picture, {} × {} pixels, {} bytes",
        picture.format.name(),
        picture.width,
        picture.height,
        source.opened.bytes.len()
    ));
    if !picture.is_complete {
        item.why.push("its end is missing".to_owned());
    }
    item
}

/// Returns true if models accept the picture. A service of models refuses a conversation with a
/// picture that is cut or too large, at each further turn.
pub(super) fn is_viewable(picture: Picture) -> bool {
    picture.is_complete && picture.width.max(picture.height) <= PICTURE_PIXELS
}

/// Returns the media type of a binary that comes as base64. One that is named like a picture and
/// is none has no type of its own, so that no client takes it for one.
pub(super) fn binary_media_type(name: &str) -> &'static str {
    let named = media_type(name);
    if named.starts_with("image/") {
        return media_type("");
    }
    named
}
