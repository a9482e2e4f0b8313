//! Lines of a text: LF, CRLF and a lone CR all end one, as in CommonMark (section 2.1). Editors
//! show the same lines, and a file of Windows or an old Macintosh has the line numbers that its
//! author sees.

use crate::saturating::saturating_u32;

/// Returns the offsets after each line end of `text`, in order. A CR at the very end does not
/// count, because an LF may follow: `text` may be a piece of a file whose next piece begins with
/// it.
pub fn ends(text: &[u8]) -> impl Iterator<Item = usize> + '_ {
    memchr::memchr2_iter(b'\n', b'\r', text).filter_map(|at| {
        let is_end = text[at] == b'\n' || text.get(at + 1).is_some_and(|next| *next != b'\n');
        is_end.then_some(at + 1)
    })
}

/// Returns the number of line ends in `text`.
pub fn count_ends(text: &[u8]) -> usize {
    // The CR of a CRLF is not a line end of its own. It is searched for separately, because most
    // texts contain none, and a search for a single byte is faster than a count of two.
    let returns = memchr::memchr_iter(b'\r', text);
    let lone_returns = returns.filter(|&index| text.get(index + 1) != Some(&b'\n'));
    // The text is counted in chunks of 192 bytes, whose sums fit a byte. A sum of bytes compiles to
    // vector instructions of 16 lanes; a sum in a wider type would need several of them for each.
    let feeds: usize = text
        .chunks(192)
        .map(|chunk| {
            let is_feed = chunk.iter().map(|&byte| u8::from(byte == b'\n'));
            usize::from(is_feed.sum::<u8>())
        })
        .sum();
    feeds + lone_returns.count()
}

/// An incremental counter of line numbers.
#[derive(Debug)]
pub struct LineCounter<'a> {
    text: &'a str,
    /// Offset up to which the text has been counted.
    offset: usize,
    /// Number of line ends before `offset`.
    ends: usize,
}

impl<'a> LineCounter<'a> {
    /// Creates a counter at the first line of `text`.
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            offset: 0,
            ends: 0,
        }
    }

    /// Returns the 1-based line of the byte at `position`, which must not decrease between calls. A
    /// line end belongs to the line it ends.
    pub fn line(&mut self, position: usize) -> u32 {
        let bytes = self.text.as_bytes();
        // Between CR and LF the line has not ended yet: the LF belongs to it. If the CR were
        // counted here, the LF would be counted once more at the next call, since a count begins
        // where the last one ended.
        let is_split = position > 0
            && bytes.get(position - 1) == Some(&b'\r')
            && bytes.get(position) == Some(&b'\n');
        let end = if is_split { position - 1 } else { position };
        if end > self.offset {
            self.ends += count_ends(&bytes[self.offset..end]);
            self.offset = end;
        }
        saturating_u32(self.ends + 1)
    }
}

/// Splits `text` into lines, each with its line end, in order. A text that ends with a line end has
/// no empty last line.
#[inline]
pub fn with_ends(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let bytes = rest.as_bytes();
        let length = match memchr::memchr2(b'\n', b'\r', bytes) {
            Some(end) if bytes[end] == b'\r' && bytes.get(end + 1) == Some(&b'\n') => end + 2,
            Some(end) => end + 1,
            None => bytes.len(),
        };
        let (line, after) = rest.split_at(length);
        rest = after;
        Some(line)
    })
}

/// Strips the line end of a line.
#[inline]
pub fn without_end(line: &str) -> &str {
    line.trim_end_matches(['\r', '\n'])
}

/// Splits `text` into slices of about `bytes` bytes, at most that many if possible. Each ends at a
/// line end, or before a blank if a line is longer, so that no word spans two slices: counts of
/// words or tokens of the slices then add up to those of the text.
pub fn slices(text: &str, bytes: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (slice, after) = rest.split_at(slice_length(rest, bytes));
        rest = after;
        Some(slice)
    })
}

fn slice_length(rest: &str, bytes: usize) -> usize {
    if rest.len() <= bytes {
        return rest.len();
    }
    let (near, far) = rest.as_bytes().split_at(bytes);
    if let Some(end) = memchr::memrchr(b'\n', near) {
        return end + 1;
    }
    if let Some(blank) = memchr::memrchr(b' ', near).filter(|&blank| blank > 0) {
        return blank;
    }
    match memchr::memchr2(b'\n', b' ', far) {
        Some(at) if far[at] == b'\n' => bytes + at + 1,
        Some(at) => (bytes + at).max(1),
        None => rest.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kinds_of_ends() {
        let text = "a\nb\r\nc\rd\n\re";
        let lines: Vec<&str> = with_ends(text).collect();
        assert_eq!(lines, ["a\n", "b\r\n", "c\r", "d\n", "\r", "e"]);
        let mut counter = LineCounter::new(text);
        let numbers: Vec<u32> = (0..text.len()).map(|index| counter.line(index)).collect();
        assert_eq!(numbers, [1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 6]);
    }

    #[test]
    fn no_line_after_the_last_end() {
        assert_eq!(with_ends("").count(), 0);
        assert_eq!(with_ends("\n").count(), 1);
        assert_eq!(with_ends("a\nb\n").count(), 2);
    }

    #[test]
    fn slices_end_with_lines_or_before_blanks() {
        let text = "one two\nthree four five six\nsevenseven eight";
        let all: Vec<&str> = slices(text, 10).collect();
        let expected = [
            "one two\n",
            "three",
            " four",
            " five six\n",
            "sevenseven",
            " eight",
        ];
        assert_eq!(all, expected);
        assert_eq!(all.concat(), text);
        let word = "가".repeat(100);
        assert_eq!(slices(&word, 10).count(), 1);
        assert_eq!(slices(&format!(" {word}"), 10).count(), 1);
    }

    #[test]
    fn many_ends() {
        assert_eq!(count_ends("\n".repeat(1000).as_bytes()), 1000);
        assert_eq!(count_ends("\r\n".repeat(1000).as_bytes()), 1000);
        assert_eq!(count_ends("\r".repeat(1000).as_bytes()), 1000);
    }
}
