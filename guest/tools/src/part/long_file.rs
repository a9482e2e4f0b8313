//! Lines of a file that is too long to be read as a whole: it is read in pieces, and only as much
//! is kept as an answer can contain.

use std::ops::ControlFlow;

use docent_text::lines::{count_ends, ends};
use docent_text::saturating::saturating_u32;

use crate::part::lines::{AskedLines, LineNumbers};

/// The requested lines of a file that is read in pieces.
pub struct LineWindow {
    asked: AskedLines,
    /// Bytes that are kept at most.
    most: usize,
    kept: Vec<u8>,
    /// Number of the line that begins with the first byte kept.
    first: u32,
    /// Number of the line that contains the next byte.
    line: u32,
    /// True if the last piece ended with a CR, which an LF at the start of the next one completes.
    carry: bool,
    /// True if there are more of the lines than are kept.
    is_cut: bool,
}

/// The lines that were found.
#[derive(Debug, PartialEq, Eq)]
pub struct FoundLines {
    /// Their bytes.
    pub bytes: Vec<u8>,
    /// The number of the first.
    pub first: u32,
    /// True if there are more lines than these: before them for the last lines, else after them.
    pub is_cut: bool,
}

impl LineWindow {
    /// Returns a window for lines that keeps at most `most` bytes.
    pub fn new(asked: AskedLines, most: usize) -> Self {
        Self {
            asked,
            most,
            kept: Vec::new(),
            first: 1,
            line: 1,
            carry: false,
            is_cut: false,
        }
    }

    /// Takes the next piece of the file; breaks if no further one is needed.
    pub fn add(&mut self, piece: &[u8]) -> ControlFlow<()> {
        // A CR at the end of a piece may be the first half of a CRLF that the next piece
        // completes. It is held back and put before that piece: counted at once, the two bytes
        // would be two line ends, and every following line would have a wrong number.
        let carried = std::mem::take(&mut self.carry).then(|| [b"\r", piece].concat());
        let piece = carried.as_deref().unwrap_or(piece);
        self.carry = piece.ends_with(b"\r");
        let piece = &piece[..piece.len() - usize::from(self.carry)];
        self.take(piece)
    }

    fn take(&mut self, piece: &[u8]) -> ControlFlow<()> {
        match self.asked {
            AskedLines::Numbered(numbers) => self.take_numbered(piece, numbers),
            AskedLines::Last(_) => {
                self.kept.extend_from_slice(piece);
                self.line = self.line.saturating_add(saturating_u32(count_ends(piece)));
                // Kept text is dropped only when it has grown to twice the limit. Each byte is
                // then moved a bounded number of times; dropping after each piece would move
                // the whole window for every piece of a file of gigabytes.
                if self.kept.len() > 2 * self.most {
                    self.drop_before(self.kept.len() - self.most);
                }
                ControlFlow::Continue(())
            }
        }
    }

    fn take_numbered(&mut self, piece: &[u8], numbers: LineNumbers) -> ControlFlow<()> {
        let line = self.line;
        self.line = line.saturating_add(saturating_u32(count_ends(piece)));
        // Returns the start of the line with this number in the piece.
        let start_of = |number: u32| match number.checked_sub(line) {
            None | Some(0) => Some(0),
            Some(before) => ends(piece).nth(before as usize - 1),
        };
        let Some(start) = start_of(numbers.first) else {
            return ControlFlow::Continue(());
        };
        if self.kept.is_empty() {
            self.first = numbers.first;
        }
        let behind = numbers.last.checked_add(1).and_then(start_of);
        self.kept
            .extend_from_slice(&piece[start..behind.unwrap_or(piece.len())]);
        if self.kept.len() > self.most {
            let end = ends(&self.kept).take_while(|end| *end <= self.most).last();
            self.kept.truncate(end.unwrap_or(self.most));
            self.is_cut = true;
            return ControlFlow::Break(());
        }
        match behind {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        }
    }

    /// Drops kept text before the first line that begins at or after `at`.
    fn drop_before(&mut self, at: usize) {
        let start = ends(&self.kept).find(|end| *end >= at).unwrap_or(at);
        let dropped = count_ends(&self.kept[..start]);
        self.first = self.first.saturating_add(saturating_u32(dropped));
        self.kept.drain(..start);
    }

    /// Returns the requested lines after the whole file was read.
    ///
    /// # Errors
    /// The number of lines of the file, if it ends before them.
    pub fn finish(mut self) -> Result<FoundLines, u32> {
        if std::mem::take(&mut self.carry) {
            let _ = self.take(b"\r");
        }
        if let AskedLines::Last(last) = self.asked {
            let is_ended = self.kept.ends_with(b"\n") || self.kept.ends_with(b"\r");
            let lines = count_ends(&self.kept) + usize::from(!is_ended && !self.kept.is_empty());
            let before = lines.saturating_sub(last as usize);
            // Lines that were dropped on the way are only missing if they were requested.
            self.is_cut = lines < last as usize && self.first > 1;
            if before > 0 {
                let start = ends(&self.kept).nth(before - 1).unwrap_or(0);
                self.first = self.first.saturating_add(saturating_u32(before));
                self.kept.drain(..start);
            }
            if self.kept.len() > self.most {
                self.drop_before(self.kept.len() - self.most);
                self.is_cut = true;
            }
        }
        let Self {
            kept, first, line, ..
        } = self;
        if kept.is_empty() {
            return Err(line.saturating_sub(1));
        }
        Ok(FoundLines {
            bytes: kept,
            first,
            is_cut: self.is_cut,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read_lines(
        asked: &str,
        text: &str,
        piece: usize,
        most: usize,
    ) -> Option<(u32, String, bool)> {
        let mut window = LineWindow::new(AskedLines::parse(asked)?, most);
        let mut pieces = text.as_bytes().chunks(piece);
        while let Some(piece) = pieces.next()
            && window.add(piece).is_continue()
        {}
        let found = window.finish().ok()?;
        let text = String::from_utf8_lossy(&found.bytes).into_owned();
        Some((found.first, text, found.is_cut))
    }

    #[test]
    fn no_more_is_kept_than_there_may_be() {
        let text = "one\ntwo\nthree\nfour\n";
        let cut = |asked| read_lines(asked, text, 3, 9);
        assert_eq!(cut("1-3"), Some((1, "one\ntwo\n".to_owned(), true)));
        assert_eq!(cut("-2"), Some((4, "four\n".to_owned(), true)));
        assert_eq!(cut("-1"), Some((4, "four\n".to_owned(), false)));
        assert_eq!(cut("2-2"), Some((2, "two\n".to_owned(), false)));
        assert_eq!(cut("5"), None);
    }

    proptest! {
        #[test]
        fn lines_are_those_of_the_whole_text(
            text in "[ab\n\r]{0,40}",
            (first, count) in (1u32..8, 0u32..5),
            piece in 1usize..7,
        ) {
            for asked in [format!("{first}-{}", first + count), format!("{first}-"), format!("-{first}")] {
                let lines = AskedLines::parse(&asked);
                let span = lines.and_then(|lines| lines.span(&text).ok());
                let expected = span.filter(|span| !span.is_empty()).map(|span| {
                    let before = count_ends(&text.as_bytes()[..span.start]);
                    (before as u32 + 1, text[span].to_owned(), false)
                });
                prop_assert_eq!(read_lines(&asked, &text, piece, 1 << 10), expected, "{}", asked);
            }
        }
    }
}
