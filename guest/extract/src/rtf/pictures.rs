//! Pictures: groups of hexadecimal digits or bytes, and of properties, which describe them.

use std::ops::Range;

use super::state::{RtfDestination, RtfTextState};
use super::token::{RtfToken, RtfTokens};
use super::{RtfReader, is_rtf};
use crate::docx::DocxBlock;
use crate::failure::{EarlyStop, Failure};
use crate::limits::{MEMBERS, PICTURE_MARKS};
use crate::markdown::Markdown;
use crate::members::MemberGatherer;
use crate::pictures::{picture_mark, visible_bytes};

/// Maximum bytes of the alternative text of a picture that are kept.
const DESCRIPTION_BYTES: usize = 4 << 10;

/// Maximum bytes of the name of a property; known ones are shorter.
const PROPERTY_BYTES: usize = 64;

/// The property of a shape with the alternative text.
const DESCRIPTION: &str = "wzDescription";

/// The pictures of a document that are members of its file.
#[derive(Debug, Default)]
pub struct RtfPictures {
    /// The first of them, in their order.
    all: Vec<RtfPicture>,
    /// Number of further ones.
    beyond: usize,
}

/// A picture.
#[derive(Debug)]
struct RtfPicture {
    /// Bytes of the document after the control word that begins it, by which it is found again.
    place: usize,
    /// Name: `image1.png` is the first.
    name: String,
    /// Place of its bytes, with further control words among them; `None` if they have no end.
    data: Option<Range<usize>>,
}

/// A group that is a picture, while it is read.
struct OpenRtfPicture {
    /// Number of open groups within it.
    depth: usize,
    place: usize,
    /// Extension and begin of the bytes, if it is a picture in a format that is a member.
    data: Option<(&'static str, usize)>,
}

/// A shape that is being read: a picture, or a drawing with a picture in it.
#[derive(Debug)]
pub struct OpenRtfShape {
    /// Number of open groups within it.
    depth: usize,
    has_picture: bool,
    /// Path of its picture, if that is a member.
    member: Option<String>,
    /// Name of the property that is being read.
    property: String,
    /// Alternative text.
    description: String,
}

/// Gathers the pictures of a document: `image1.png` is the first.
///
/// # Errors
/// [`Failure::Malformed`] if the file is no document of this format; [`EarlyStop::Full`] if there
/// is no room for its pictures.
pub fn gather_pictures(content: &[u8], members: &mut MemberGatherer<'_>) -> Result<(), EarlyStop> {
    if !is_rtf(content) {
        return Err(EarlyStop::Failed(Failure::Malformed));
    }
    let pictures = RtfPictures::find(content);
    for picture in &pictures.all {
        members.add(&picture.name, None, |room| match &picture.data {
            Some(data) => decode_data(&content[data.clone()], room),
            None => Err(EarlyStop::Failed(Failure::Malformed)),
        })?;
    }
    for _ in 0..pictures.beyond {
        members.omit();
    }
    Ok(())
}

impl RtfPictures {
    /// Finds the pictures of a document, even those in text that is not shown, such as headers.
    pub fn find(content: &[u8]) -> Self {
        let mut found = Self::default();
        let mut tokens = RtfTokens::new(content);
        let mut depth = 0_usize;
        // A group that repeats pictures in a format for old programs.
        let mut repetition = None;
        let mut open: Option<OpenRtfPicture> = None;
        loop {
            let before = content.len() - tokens.remaining();
            let Some(token) = tokens.next() else {
                found.push(open, None);
                return found;
            };
            match token {
                RtfToken::GroupStart => depth += 1,
                RtfToken::GroupEnd => {
                    found.push(open.take_if(|open| open.depth == depth), Some(before));
                    repetition.take_if(|outer| *outer == depth);
                    depth = depth.saturating_sub(1);
                }
                RtfToken::Word(word) => match word.name {
                    "nonshppict" | "shprslt" if repetition.is_none() => repetition = Some(depth),
                    "pict" if repetition.is_none() => {
                        found.push(open.take(), None);
                        open = Some(OpenRtfPicture {
                            depth,
                            place: tokens.remaining(),
                            data: None,
                        });
                    }
                    name => {
                        if let Some(open) = open.as_mut().filter(|open| open.depth == depth)
                            && open.data.is_none()
                            && let Some(extension) = extension(name)
                        {
                            open.data = Some((extension, content.len() - tokens.remaining()));
                        }
                    }
                },
                RtfToken::Symbol(_) | RtfToken::Hex(_) | RtfToken::Text(_) => {}
            }
        }
    }

    /// Adds a picture whose bytes end at an offset.
    fn push(&mut self, picture: Option<OpenRtfPicture>, end: Option<usize>) {
        let Some(picture) = picture else { return };
        let Some((extension, start)) = picture.data else {
            return;
        };
        if self.all.len() >= MEMBERS {
            self.beyond += 1;
            return;
        }
        self.all.push(RtfPicture {
            place: picture.place,
            name: format!("image{}.{extension}", self.all.len() + 1),
            data: end.map(|end| start..end),
        });
    }

    /// Returns the names of the members and their places.
    pub fn names(&self) -> impl Iterator<Item = (String, String)> {
        let all = self.all.iter();
        all.map(|picture| (picture.name.clone(), picture.place.to_string()))
    }
}

/// Returns the extension of a picture by the control word of its format.
fn extension(word: &str) -> Option<&'static str> {
    match word {
        "pngblip" => Some("png"),
        "jpegblip" => Some("jpg"),
        _ => None,
    }
}

/// Returns the bytes of a picture, at most `room`.
fn decode_data(data: &[u8], room: usize) -> Result<Vec<u8>, EarlyStop> {
    const MALFORMED: EarlyStop = EarlyStop::Failed(Failure::Malformed);
    const TOO_LARGE: EarlyStop = EarlyStop::Failed(Failure::TooLarge);
    let mut tokens = RtfTokens::new(data);
    let (mut bytes, mut depth, mut high) = (Vec::new(), 0_usize, None);
    while let Some(token) = tokens.next() {
        match token {
            RtfToken::GroupStart => depth += 1,
            RtfToken::GroupEnd => depth = depth.saturating_sub(1),
            RtfToken::Text(digits) if depth == 0 => {
                for digit in digits.iter().filter(|digit| !digit.is_ascii_whitespace()) {
                    let digit = char::from(*digit).to_digit(16).ok_or(MALFORMED)?;
                    match high.take() {
                        None => high = Some(digit << 4),
                        Some(_) if bytes.len() >= room => return Err(TOO_LARGE),
                        Some(high) => bytes.push(u8::try_from(high | digit).unwrap_or_default()),
                    }
                }
            }
            // These bytes are no tokens, and have been skipped.
            RtfToken::Word(word) if depth == 0 && word.name == "bin" => {
                let length = word.parameter.and_then(|it| usize::try_from(it).ok());
                let end = data.len() - tokens.remaining();
                let start = end.checked_sub(length.unwrap_or_default());
                let binary = data.get(start.ok_or(MALFORMED)?..end).ok_or(MALFORMED)?;
                if binary.len() > room.saturating_sub(bytes.len()) {
                    return Err(TOO_LARGE);
                }
                bytes.extend(binary);
            }
            _ => {}
        }
    }
    match high {
        None if !bytes.is_empty() => Ok(bytes),
        _ => Err(MALFORMED),
    }
}

impl RtfReader<'_> {
    /// Begins a drawing, which may contain a picture.
    pub fn begin_shape(&mut self) {
        let depth = self.depth();
        if self.shapes.last().is_none_or(|shape| shape.depth < depth) {
            self.shapes.push(OpenRtfShape::new(depth));
        }
    }

    /// Begins the picture whose control word was read last. One in the properties of a drawing has
    /// the alternative text of the drawing.
    pub fn begin_picture(&mut self) {
        if self.state.text.destination != RtfDestination::ShapeValue {
            self.begin_shape();
        }
        let place = self.tokens.remaining().to_string();
        if let Some(shape) = self.shapes.last_mut() {
            let member = self.pictures.member(&place).map(str::to_owned);
            shape.has_picture = true;
            shape.member = shape.member.take().or(member);
        }
    }

    /// Begins the name of a property of a shape.
    pub fn begin_property(&mut self) {
        if let Some(shape) = self.shapes.last_mut() {
            shape.property.clear();
        }
    }

    /// Adds to the name of a property of a shape, or to its value.
    pub fn push_property(&mut self, words: &str, destination: RtfDestination) {
        let Some(shape) = self.shapes.last_mut() else {
            return;
        };
        let (text, most) = match destination {
            RtfDestination::ShapeName => (&mut shape.property, PROPERTY_BYTES),
            _ if shape.property == DESCRIPTION => (&mut shape.description, DESCRIPTION_BYTES),
            _ => return,
        };
        let room = most.saturating_sub(text.len()).min(words.len());
        text.push_str(&words[..words.floor_char_boundary(room)]);
    }

    /// Ends the shape at this depth, if one is open there, and adds the mark of its picture.
    pub fn end_shape(&mut self, depth: usize, text: &mut Markdown) -> Result<(), EarlyStop> {
        let Some(shape) = self.shapes.pop_if(|shape| shape.depth >= depth) else {
            return Ok(());
        };
        let destination = match self.state.text.destination {
            RtfDestination::Container => self.state.outside,
            destination => destination,
        };
        let state = RtfTextState {
            destination,
            is_raised: false,
            ..self.state.text
        };
        let is_shown = destination == RtfDestination::Paragraph
            && !state.is_hidden
            && !state.is_deleted
            && self.omitted.pictures <= PICTURE_MARKS;
        let mark = picture_mark(shape.member.as_deref(), &shape.description);
        let Some(mark) = mark.filter(|_| shape.has_picture && is_shown) else {
            return Ok(());
        };
        self.flush(text)?;
        // The names of headings are addresses.
        let paragraph = self.state.paragraph;
        let style = self.styles.resolve(paragraph.style);
        if paragraph.outline.or(style.outline).heading().is_some() {
            let block = DocxBlock::Paragraph(mark);
            self.held.add(&block)?;
            self.check_room(text)?;
            self.story.paragraph.boxes.push(block);
            return Ok(());
        }
        if self.story.paragraph.text.ends_with(']') {
            self.story.paragraph.text.push(' ');
        }
        self.story.paragraph.picture_bytes += visible_bytes(&mark);
        self.push_text(&mark, state, text)
    }
}

impl OpenRtfShape {
    fn new(depth: usize) -> Self {
        Self {
            depth,
            has_picture: false,
            member: None,
            property: String::new(),
            description: String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_and_bytes() {
        for (data, expected) in [
            (&b"0a fF\r\n10"[..], Ok(vec![10, 255, 16])),
            (b"\\bliptag1{\\*\\blipuid 00ff}0a", Ok(vec![10])),
            (b"\\bin3 }\\{", Ok(b"}\\{".to_vec())),
            (b"0", Err(Failure::Malformed)),
            (b"0x", Err(Failure::Malformed)),
            (b"", Err(Failure::Malformed)),
            (b"00112233445566", Err(Failure::TooLarge)),
            (b"\\bin5 12345", Err(Failure::TooLarge)),
        ] {
            let bytes = decode_data(data, 4);
            assert_eq!(bytes, expected.map_err(EarlyStop::Failed), "{data:?}");
        }
    }
}
