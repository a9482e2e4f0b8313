//! Conversion from byte offsets to lines.

use crate::position::{ByteOffset, ByteRange};
use crate::symbol::Lines;

/// The starts of the lines of a text.
#[derive(Clone, Debug)]
pub(crate) struct LineIndex {
    starts: Vec<ByteOffset>,
    length: ByteOffset,
}

impl LineIndex {
    /// Indexes the lines of `text`, which end with LF, CR LF or CR alone.
    pub(crate) fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![ByteOffset::START];
        for index in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            let next = index + 1;
            let ends = bytes[index] == b'\n' || bytes.get(next) != Some(&b'\n');
            // A final line end does not begin another line: `a⏎` has one line.
            if ends && next < bytes.len() {
                starts.push(ByteOffset::new(next));
            }
        }
        let length = ByteOffset::new(bytes.len());
        Self { starts, length }
    }

    /// Returns the 1-based line of the byte at `offset`; the last line past the end.
    pub(crate) fn line(&self, offset: ByteOffset) -> u32 {
        self.starts.partition_point(|start| *start <= offset).max(1) as u32
    }

    /// Returns the lines of `span`, at least one.
    pub(crate) fn lines(&self, span: &ByteRange) -> Lines {
        let first = self.line(span.start);
        let last = self.line(span.end.saturating_sub(1).max(span.start));
        Lines { first, last }
    }

    /// Returns the number of lines; an empty text has one.
    pub(crate) fn count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// Returns the byte range of a 1-based line, including its end.
    pub(crate) fn span(&self, line: u32) -> ByteRange {
        let index = line.saturating_sub(1) as usize;
        let end = self.starts.get(index + 1).unwrap_or(&self.length);
        self.starts
            .get(index)
            .map_or(ByteOffset::START..ByteOffset::START, |start| *start..*end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::byte_range;

    #[test]
    fn every_kind_of_line_end() {
        let index = LineIndex::new("a\nb\r\nc\rd");
        assert_eq!(index.count(), 4);
        let lines: Vec<u32> = [0, 1, 2, 3, 4, 5, 6, 7, 99]
            .map(|offset| index.line(ByteOffset::new(offset)))
            .into();
        assert_eq!(lines, [1, 1, 2, 2, 2, 3, 3, 4, 4]);
        assert_eq!(index.span(2), byte_range(2, 5));
    }

    #[test]
    fn a_final_end_begins_no_line() {
        assert_eq!(LineIndex::new("a\n").count(), 1);
        assert_eq!(LineIndex::new("").count(), 1);
        assert_eq!(LineIndex::new("\r\n").count(), 1);
    }
}
