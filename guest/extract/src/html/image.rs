//! Images: their descriptions, and their names where they are members of the file.

use super::page::PageReader;
use super::tags::{AttributeName, HtmlTag, TagAttributes};
use crate::limits::PICTURE_MARKS;
use crate::pictures::picture_mark;

impl PageReader<'_> {
    /// Adds the description of an image, with its name if it is a member of the file.
    pub(super) fn start_image(&mut self, tag: HtmlTag, attributes: &TagAttributes) {
        let address = attributes.get(AttributeName::Source);
        let address = address.filter(|_| tag == HtmlTag::Image && self.no_scripts == 0);
        let description = attributes.get(AttributeName::Alt);
        // The names of headings are addresses, and a letter is a part of a word. An image with an
        // empty description is no content.
        let is_word = description.is_some_and(|words| words.trim().chars().nth(1).is_none());
        if self.flow.heading.is_none()
            && !is_word
            && self.omitted.pictures < PICTURE_MARKS
            && let Some(member) = address.and_then(|address| self.sink.picture(address))
            && let Some(mark) = picture_mark(Some(member), description.unwrap_or_default())
        {
            self.omitted.pictures += 1;
            self.flow.inline.push_image(&mark);
            return;
        }
        let Some(description) = description else {
            self.omitted.pictures += usize::from(tag == HtmlTag::Image && self.no_scripts == 0);
            return;
        };
        // Pages that load their images late give each a second time for programs without scripts.
        let is_again = self.no_scripts > 0 && self.last_image == description;
        if is_again || description.trim().is_empty() {
            return;
        }
        description.clone_into(&mut self.last_image);
        self.flow.inline.push_image(description);
    }
}
