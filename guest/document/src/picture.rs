//! Pictures: format and dimensions, from the bytes of a file.

/// A picture in a format that models can see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Format.
    pub format: PictureFormat,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// True if its last bytes are those with which its format ends.
    pub is_complete: bool,
}

/// A format of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// Graphics Interchange Format, moving or not.
    Gif,
    /// JPEG in any process.
    Jpeg,
    /// Portable Network Graphics.
    Png,
    /// WebP: lossy, lossless or extended.
    WebP,
}

impl PictureFormat {
    /// Returns the name of the format.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Gif => "GIF",
            Self::Jpeg => "JPEG",
            Self::Png => "PNG",
            Self::WebP => "WebP",
        }
    }

    /// Returns the media type of the format.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Gif => "image/gif",
            Self::Jpeg => "image/jpeg",
            Self::Png => "image/png",
            Self::WebP => "image/webp",
        }
    }
}

impl Picture {
    /// Detects a picture by its bytes, whatever its name. Returns `None` for other content and for
    /// a picture without dimensions, which no viewer opens.
    #[must_use]
    pub fn detect(content: &[u8]) -> Option<Self> {
        let (format, width, height) = png(content)
            .or_else(|| gif(content))
            .or_else(|| webp(content))
            .or_else(|| jpeg(content))?;
        (width > 0 && height > 0).then_some(Self {
            format,
            width,
            height,
            is_complete: is_complete(format, content),
        })
    }
}

/// Returns true if a picture ends as its format demands. Other bytes may follow its end.
fn is_complete(format: PictureFormat, content: &[u8]) -> bool {
    let contains = |end: &[u8]| memchr::memmem::rfind(content, end).is_some();
    match format {
        PictureFormat::Gif => content.contains(&b';'),
        PictureFormat::Jpeg => contains(b"\xff\xd9"),
        // The last chunk is empty; its checksum is always the same.
        PictureFormat::Png => contains(b"IEND\xae\x42\x60\x82"),
        PictureFormat::WebP => bytes_at(content, 4).is_some_and(|length| {
            content.len() as u64 >= 8 + u64::from(u32::from_le_bytes(length))
        }),
    }
}

type Dimensions = (PictureFormat, u32, u32);

/// The signature, then the chunk `IHDR` with two numbers of four bytes.
fn png(content: &[u8]) -> Option<Dimensions> {
    let header = content.strip_prefix(b"\x89PNG\r\n\x1a\n")?;
    let numbers = header.get(4..)?.strip_prefix(b"IHDR")?;
    let number = |at| Some(u32::from_be_bytes(bytes_at(numbers, at)?));
    Some((PictureFormat::Png, number(0)?, number(4)?))
}

/// The signature with the version, then two numbers of two bytes.
fn gif(content: &[u8]) -> Option<Dimensions> {
    let numbers = content
        .strip_prefix(b"GIF87a")
        .or_else(|| content.strip_prefix(b"GIF89a"))?;
    let number = |at| Some(u16::from_le_bytes(bytes_at(numbers, at)?).into());
    Some((PictureFormat::Gif, number(0)?, number(2)?))
}

/// A RIFF container whose first chunk says how the picture is stored.
fn webp(content: &[u8]) -> Option<Dimensions> {
    let chunk = content
        .strip_prefix(b"RIFF")?
        .get(4..)?
        .strip_prefix(b"WEBP")?;
    let data = chunk.get(8..)?;
    let (width, height) = match chunk.get(..4)? {
        // A key frame: its start code, then two numbers of 14 bits, each with two bits of scale.
        b"VP8 " => {
            let numbers = data.get(3..)?.strip_prefix(b"\x9d\x01\x2a")?;
            let number = |at| Some(u32::from(u16::from_le_bytes(bytes_at(numbers, at)?)) & 0x3FFF);
            (number(0)?, number(2)?)
        }
        // A signature, then two numbers of 14 bits less one.
        b"VP8L" => {
            let bits = u32::from_le_bytes(bytes_at(data.strip_prefix(b"\x2f")?, 0)?);
            ((bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1)
        }
        // Flags, then two numbers of 24 bits less one.
        b"VP8X" => {
            let number = |at| {
                let [low, middle, high] = bytes_at(data, at)?;
                Some(u32::from_le_bytes([low, middle, high, 0]) + 1)
            };
            (number(4)?, number(7)?)
        }
        _ => return None,
    };
    Some((PictureFormat::WebP, width, height))
}

/// Segments until that of a frame, which has the height before the width.
fn jpeg(content: &[u8]) -> Option<Dimensions> {
    let mut rest = content.strip_prefix(b"\xff\xd8")?;
    loop {
        let [mark, kind] = bytes_at(rest, 0)?;
        if mark != 0xFF {
            return None;
        }
        match kind {
            // Any number of fill bytes may precede a marker.
            0xFF => rest = rest.get(1..)?,
            // Markers without a segment.
            0x01 | 0xD0..=0xD8 => rest = rest.get(2..)?,
            // A frame of any process; C4, C8 and CC are tables.
            0xC0..=0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF => {
                let number = |at| Some(u16::from_be_bytes(bytes_at(rest, at)?).into());
                return Some((PictureFormat::Jpeg, number(7)?, number(5)?));
            }
            // The end, or a scan without a frame.
            0xD9 | 0xDA => return None,
            _ => {
                let length = u16::from_be_bytes(bytes_at(rest, 2)?);
                // The length contains itself.
                rest = rest.get(2 + usize::from(length.max(2))..)?;
            }
        }
    }
}

fn bytes_at<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dimensions(content: &[u8]) -> Option<(&'static str, u32, u32)> {
        let picture = Picture::detect(content)?;
        Some((picture.format.name(), picture.width, picture.height))
    }

    #[test]
    fn pictures_have_dimensions() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x03\x20\0\0\x02\x58\x08\x02";
        assert_eq!(dimensions(png), Some(("PNG", 800, 600)));
        assert_eq!(
            dimensions(b"GIF89a\x40\x01\xf0\0\0"),
            Some(("GIF", 320, 240))
        );
        let lossy = b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\x30\x01\0\x9d\x01\x2a\x26\x42\x70\x01";
        assert_eq!(dimensions(lossy), Some(("WebP", 550, 368)));
        let lossless = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x8f\xc1\x4a\0";
        assert_eq!(dimensions(lossless), Some(("WebP", 400, 300)));
        let extended = b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\x10\0\0\0\x8f\x01\0\x2b\x01\0";
        assert_eq!(dimensions(extended), Some(("WebP", 400, 300)));
        // An Exif segment, a fill byte, tables, and the frame behind them.
        let jpeg =
            b"\xff\xd8\xff\xe1\0\x04ab\xff\xff\xc4\0\x03t\xff\xc2\0\x11\x08\0\xf0\x01\x40\x03";
        assert_eq!(dimensions(jpeg), Some(("JPEG", 320, 240)));
    }

    #[test]
    fn a_picture_that_was_cut_is_incomplete() {
        let header = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x03\x20\0\0\x02\x58\x08\x02";
        let end = b"\0\0\0\0IEND\xae\x42\x60\x82";
        let gif = b"GIF89a\x40\x01\xf0\0\0";
        let jpeg = b"\xff\xd8\xff\xc0\0\x11\x08\0\xf0\x01\x40\x03";
        let webp = b"RIFF\x17\0\0\0WEBPVP8X\x0a\0\0\0\x10\0\0\0\x8f\x01\0\x2b\x01\0";
        let pictures: [(&[u8], &[u8]); 4] =
            [(header, end), (gif, b";"), (jpeg, b"\xff\xd9"), (webp, b"")];
        for (start, end) in pictures {
            let cut = Picture::detect(start).map(|picture| picture.is_complete);
            assert_eq!(cut, Some(false), "{start:?}");
            let whole = [start, end, b"\0"].concat();
            let picture = Picture::detect(&whole).map(|picture| picture.is_complete);
            assert_eq!(picture, Some(true), "{start:?}");
        }
    }

    #[test]
    fn other_content_is_no_picture() {
        let empty = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\0\0\0\0\0";
        let scan = b"\xff\xd8\xff\xda\0\x08";
        let cases: [&[u8]; 6] = [
            b"",
            b"GIF89a",
            b"\xff\xd8\xff",
            b"RIFF\0\0\0\0WAVEfmt ",
            empty,
            scan,
        ];
        for content in cases {
            assert_eq!(Picture::detect(content), None, "{content:?}");
        }
        let segments = [b"\xff\xd8".as_slice(), &b"\xff\xe0\0\0".repeat(10_000)].concat();
        assert_eq!(Picture::detect(&segments), None);
    }
}
