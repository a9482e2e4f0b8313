//! Candidate search: finds positions at which two or three bytes of the query occur at their
//! distances. One pass over the whole buffer, written so that it compiles to vector instructions.
//!
//! The bytes chosen are the rarest ones by `frequency`, among those at the same distance in every
//! spelling of the query. Upper and lower case differ in one bit, which the test of a byte masks
//! out, so that ignoring case costs nothing.

use crate::sort::sort_by_key;

/// Bytes tested in one step; several vectors on every platform. Whether any position matches is
/// only decided once per step, so that a larger step has fewer branches, while a candidate costs a
/// second search within its step.
const CHUNK: usize = 128;

/// Bytes tested in one step near a candidate; one vector.
const BLOCK: usize = 16;

/// Maximum positions before an anchor at which a hit can begin. Each is tried at each candidate, so
/// that without a bound a text full of candidates would cost the square of the query's length: in a
/// query such as `kkkk…x`, each `k` may have one byte or three.
const MOST_STARTS: usize = 32;

/// Passes in 2^32 positions above which a third byte is tested as well. The third test adds a third
/// to the cost of each position; a candidate costs as much as some hundred positions. For `the`,
/// two bytes pass too often; for `quiz`, two are enough.
const THIRD_ABOVE: u64 = (1 << 32) / 16_384;

/// A test of one byte: its bits under the mask `keep` equal `value`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ByteTest {
    /// Offset of the byte in the window of the anchor.
    offset: usize,
    keep: u8,
    value: u8,
}

impl ByteTest {
    /// Returns the narrowest test that each of `bytes` passes; other bytes may pass as well.
    fn new(offset: usize, bytes: &[u8]) -> Self {
        let first = bytes[0];
        let differing = bytes.iter().fold(0, |bits, byte| bits | (byte ^ first));
        Self {
            offset,
            keep: !differing,
            value: first & !differing,
        }
    }

    #[inline]
    fn is_passed_by(self, byte: u8) -> bool {
        byte & self.keep == self.value
    }

    /// Estimates the number of bytes that pass, of 65 536 bytes of prose.
    fn cost(self) -> u64 {
        (0..=u8::MAX)
            .filter(|&byte| self.is_passed_by(byte))
            .map(|byte| u64::from(frequency(byte)))
            .sum()
    }
}

/// A search plan for a query: tests of some of its bytes, and the distances from the start of a
/// hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchPlan {
    tests: ByteTests,
    before: Distance,
}

/// Byte tests of an anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ByteTests {
    /// Two tests in ascending order of offset.
    pair: [ByteTest; 2],
    third: Option<ByteTest>,
}

/// Range of bytes between the start of a hit and the window of the anchor. It has more than one
/// value if a character before the window has spellings of several lengths, such as `k` and U+212A:
/// a hit of `kiwi` by its `w` begins two or four bytes before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Distance {
    least: usize,
    most: usize,
}

impl SearchPlan {
    /// Chooses the best anchor for texts in which each character is one of the `singles` of its
    /// segment. Returns `None` if no segment has characters of one length only.
    pub fn choose<'a>(singles: impl Iterator<Item = &'a [char]> + Clone) -> Option<Self> {
        let mut best: Option<(u64, Self)> = None;
        let mut before = Distance { least: 0, most: 0 };
        let mut rest = singles;
        while let Some(characters) = rest.clone().next() {
            // A run of segments that each have one length: within it, distances are fixed.
            let mut run = Vec::new();
            while let Some(characters) = rest.clone().next() {
                if !push_tests(characters, &mut run) {
                    break;
                }
                rest.next();
            }
            if run.is_empty() {
                let lengths = characters.iter().map(|c| c.len_utf8());
                before.least += lengths.clone().min().unwrap_or(0);
                before.most += lengths.max().unwrap_or(0);
                rest.next();
                continue;
            }
            if before.most - before.least <= MOST_STARTS
                && let Some((cost, tests)) = rarest(&run)
                && best.is_none_or(|(least, _)| cost < least)
            {
                best = Some((cost, Self { tests, before }));
            }
            before.least += run.len();
            before.most += run.len();
        }
        best.map(|(_, anchor)| anchor)
    }

    /// Returns the first candidate whose hit could begin at or after `from`: the range of byte
    /// positions at which the hit begins.
    pub fn next(&self, text: &[u8], from: usize) -> Option<std::ops::RangeInclusive<usize>> {
        let window = self.position(text, from + self.before.least)?;
        let first = window.saturating_sub(self.before.most);
        Some(from.max(first)..=window - self.before.least)
    }

    /// Returns the first window at or after `from` that passes the tests.
    fn position(&self, text: &[u8], from: usize) -> Option<usize> {
        let [first, second] = self.tests.pair;
        match self.tests.third {
            None => position(&[first, second], text, from),
            Some(third) => position(&[first, second, third], text, from),
        }
    }
}

/// Returns the first position at or after `from` at which every test passes.
fn position<const N: usize>(tests: &[ByteTest; N], text: &[u8], from: usize) -> Option<usize> {
    // There is one view of the text for each test, shifted by its offset, so that the bytes to test
    // have the same index in all of them. The compiler then sees slices of equal length and removes
    // the bounds checks.
    let end = tests.iter().map(|test| test.offset).max()?;
    let length = text.len().checked_sub(from + end)?;
    let lanes = tests.map(|test| &text[from + test.offset..][..length]);
    let chunk_start = first_chunk::<N, CHUNK>(tests, lanes);
    let lanes = lanes.map(|lane| &lane[chunk_start..]);
    // A match is within the next chunk, or there is none. It is searched for in small blocks, which
    // still compile to one vector each, and then byte by byte.
    let block_start = first_chunk::<N, BLOCK>(tests, lanes);
    let lanes = lanes.map(|lane| &lane[block_start..]);
    let start = chunk_start + block_start;
    let index = (0..length - start)
        .position(|index| (0..N).all(|lane| tests[lane].is_passed_by(lanes[lane][index])))?;
    Some(from + start + index)
}

/// Returns the start of the first chunk of `SIZE` positions that contains a match, or the end of
/// the last whole chunk.
fn first_chunk<const N: usize, const SIZE: usize>(
    tests: &[ByteTest; N],
    lanes: [&[u8]; N],
) -> usize {
    let chunks = lanes.map(|lane| lane.as_chunks::<SIZE>().0);
    // Asserts equal lengths, which moves the bounds checks out of the loop.
    let count = chunks[0].len();
    let chunks = chunks.map(|lane| &lane[..count]);
    let candidate = (0..count).position(|chunk| {
        // The loop records only if any position matches, not which one. With an exit at the first
        // match it would have a branch for each position, and would not vectorize.
        let mut any = 0;
        #[expect(
            clippy::needless_range_loop,
            reason = "by index and without a branch it compiles to vectors"
        )]
        for i in 0..SIZE {
            let mut differs = 0;
            for lane in 0..N {
                differs |= (chunks[lane][chunk][i] & tests[lane].keep) ^ tests[lane].value;
            }
            any |= u8::from(differs == 0);
        }
        any != 0
    });
    candidate.unwrap_or(count) * SIZE
}

/// Returns the tests of the rarest two bytes of a run, with a third if two pass too often, and an
/// estimate of how often both pass. A single byte is used for both.
fn rarest(run: &[ByteTest]) -> Option<(u64, ByteTests)> {
    let mut costs: Vec<(u64, ByteTest)> = run.iter().map(|test| (test.cost(), *test)).collect();
    sort_by_key(&mut costs, |(cost, _)| *cost);
    let (cost, pair, third) = match costs[..] {
        [] => return None,
        // A single byte is used for both tests. Its cost counts as if the other byte could be any,
        // so that an anchor of two bytes is preferred.
        [(cost, only)] => (cost << 16, [only, only], None),
        [(cost, one), (next, other), ref rest @ ..] => {
            let pair = if one.offset < other.offset {
                [one, other]
            } else {
                [other, one]
            };
            let both = cost * next;
            let third = rest.first().filter(|_| both > THIRD_ABOVE);
            (both, pair, third.map(|(_, test)| *test))
        }
    };
    Some((cost, ByteTests { pair, third }))
}

/// Appends a test for each byte of `characters`. Returns true if all of them have the same length.
fn push_tests(characters: &[char], run: &mut Vec<ByteTest>) -> bool {
    let Some(length) = characters.first().map(|c| c.len_utf8()) else {
        return false;
    };
    if characters.iter().any(|c| c.len_utf8() != length) {
        return false;
    }
    // The test of a byte is the narrowest that all spellings pass. `é` and `É` are C3 A9 and C3 89
    // in UTF-8: one test is for C3, and one masks out the bit in which A9 and 89 differ.
    let mut encoded = [0; 4];
    for i in 0..length {
        let bytes: Vec<u8> = characters
            .iter()
            .map(|c| c.encode_utf8(&mut encoded).as_bytes()[i])
            .collect();
        run.push(ByteTest::new(run.len(), &bytes));
    }
    true
}

/// Estimates the occurrences of `byte` in 65 536 bytes of mixed English and Korean prose. The
/// estimate only affects speed: with wrong values, the search has more candidates and the same
/// hits.
fn frequency(byte: u8) -> u32 {
    match byte {
        b' ' => 10_000,
        b'e' => 6_000,
        b't' => 4_500,
        b'a' | b'i' | b'n' | b'o' => 3_800,
        b's' | b'r' => 3_400,
        b'l' | b'h' | b'd' => 2_200,
        b'c' | b'u' | b'm' | b'p' => 1_500,
        b'f' | b'g' | b'y' | b'b' | b'w' => 1_000,
        b'\n' | b'.' | b',' | b'-' | b'`' => 900,
        b'v' => 600,
        b'k' => 450,
        b'x' | b'j' | b'q' | b'z' => 120,
        b'A'..=b'Z' | b'0'..=b'9' => 180,
        b'!'..=b'~' => 250,
        0xEA..=0xED => 700,
        0xE2 | 0xE3 | 0xC3 => 150,
        0x80..=0xBF => 60,
        _ => 20,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn anchor(text: &str) -> SearchPlan {
        let singles: Vec<Vec<char>> = text.chars().map(|c| vec![c]).collect();
        let Some(anchor) = SearchPlan::choose(singles.iter().map(Vec::as_slice)) else {
            panic!("a text of single characters has an anchor")
        };
        anchor
    }

    #[test]
    fn found_at_every_place_of_every_length() {
        for query in ["q", "qz", "xq z", "한국"] {
            for length in 0..200 {
                for position in 0..=length {
                    let (before, after) = (".".repeat(position), ".".repeat(length - position));
                    let text = format!("{before}{query}{after}");
                    let first = anchor(query).next(text.as_bytes(), 0);
                    assert_eq!(first, Some(position..=position), "{query} in {text}");
                    let next = anchor(query).next(text.as_bytes(), position + 1);
                    assert_eq!(next, None, "{query} in {text}");
                }
            }
        }
    }

    #[test]
    fn a_place_of_several_lengths_gives_a_range() {
        let singles: [&[char]; 2] = [&['k', 'K', '\u{212A}'], &['q', 'Q']];
        let Some(anchor) = SearchPlan::choose(singles.into_iter()) else {
            panic!("`q` is an anchor")
        };
        assert_eq!(anchor.next(b"....kq", 0), Some(2..=4));
        assert_eq!(anchor.next(b"....kq", 4), Some(4..=4));
        assert_eq!(anchor.next(b"....kq", 5), None);
    }

    #[test]
    fn none_without_a_place_of_one_length() {
        let singles: [&[char]; 1] = [&['k', 'K', '\u{212A}']];
        assert_eq!(SearchPlan::choose(singles.into_iter()), None);
    }
}
