//! Candidates for a hit: places where two or three bytes of the query stand at their distances.
//! One pass over the whole buffer, written so that it compiles to vector instructions.

/// Bytes looked at in one step; several vectors on every platform.
const CHUNK: usize = 128;

/// Bytes looked at in one step where a candidate is near; one vector.
const BLOCK: usize = 16;

/// Places where a hit can begin before its anchor, at most: each is tried at each candidate, so
/// that without a bound a text of candidates would cost the square of the query's length.
const MOST_STARTS: usize = 32;

/// How often in 2^32 places two bytes may pass before a third is looked at as well. Looking costs a
/// third more at each place, a candidate as much as some hundred places.
const THIRD_ABOVE: u64 = (1 << 32) / 16_384;

/// A condition on one byte: those bits of it that `keep` names equal `value`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ByteTest {
    offset: usize,
    keep: u8,
    value: u8,
}

impl ByteTest {
    fn of(offset: usize, bytes: &[u8]) -> Self {
        let first = bytes[0];
        let differing = bytes.iter().fold(0, |bits, byte| bits | (byte ^ first));
        Self {
            offset,
            keep: !differing,
            value: first & !differing,
        }
    }

    fn holds(self, byte: u8) -> bool {
        byte & self.keep == self.value
    }

    /// Returns how many of 65 536 bytes of prose pass, roughly.
    fn cost(self) -> u64 {
        (0..=u8::MAX)
            .filter(|&byte| self.holds(byte))
            .map(|byte| u64::from(frequency(byte)))
            .sum()
    }
}

/// Where to look for a query: some of its bytes, and how far before them a hit can begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// In ascending order of offset.
    pair: [ByteTest; 2],
    third: Option<ByteTest>,
    /// Fewest and most bytes between the beginning of a hit and the window of the anchor.
    before: (usize, usize),
}

impl Anchor {
    /// Returns the best anchor for a text each of whose characters is one of the `singles` at its
    /// place, or none when no place has characters of one length only.
    pub fn choose<'a>(singles: impl Iterator<Item = &'a [char]> + Clone) -> Option<Self> {
        let mut best: Option<(u64, Self)> = None;
        let mut before = (0, 0);
        let mut rest = singles;
        while let Some(characters) = rest.clone().next() {
            let mut run = Vec::new();
            while let Some(characters) = rest.clone().next() {
                if !push_tests(characters, &mut run) {
                    break;
                }
                rest.next();
            }
            if run.is_empty() {
                let lengths = characters.iter().map(|c| c.len_utf8());
                before.0 += lengths.clone().min().unwrap_or(0);
                before.1 += lengths.max().unwrap_or(0);
                rest.next();
                continue;
            }
            if before.1 - before.0 <= MOST_STARTS
                && let Some((cost, pair, third)) = rarest(&run)
                && best.is_none_or(|(least, _)| cost < least)
            {
                best = Some((
                    cost,
                    Self {
                        pair,
                        third,
                        before,
                    },
                ));
            }
            before.0 += run.len();
            before.1 += run.len();
        }
        best.map(|(_, anchor)| anchor)
    }

    /// Returns the first candidate whose hit could begin at `from` or later: the range of places,
    /// in bytes, where the hit begins.
    pub fn next(&self, text: &[u8], from: usize) -> Option<std::ops::RangeInclusive<usize>> {
        let window = self.position(text, from + self.before.0)?;
        Some(from.max(window.saturating_sub(self.before.1))..=window - self.before.0)
    }

    /// Returns the first position at or after `from` of a window where all bytes stand.
    fn position(&self, text: &[u8], from: usize) -> Option<usize> {
        let [first, second] = self.pair;
        match self.third {
            None => position(&[first, second], text, from),
            Some(third) => position(&[first, second, third], text, from),
        }
    }
}

/// Returns the first position at or after `from` of a window where every test holds.
fn position<const N: usize>(tests: &[ByteTest; N], text: &[u8], from: usize) -> Option<usize> {
    let end = tests.iter().map(|test| test.offset).max()?;
    let length = text.len().checked_sub(from + end)?;
    let lanes = tests.map(|test| &text[from + test.offset..][..length]);
    let at = first_chunk::<N, CHUNK>(tests, lanes);
    let lanes = lanes.map(|lane| &lane[at..]);
    // It is near: by small blocks, then byte by byte.
    let near = first_chunk::<N, BLOCK>(tests, lanes);
    let lanes = lanes.map(|lane| &lane[near..]);
    let found = (0..length - at - near)
        .position(|i| (0..N).all(|lane| tests[lane].holds(lanes[lane][i])))?;
    Some(from + at + near + found)
}

/// Returns where the first chunk of `SIZE` places begins in one of which every test holds, or
/// where the last whole chunk ends.
fn first_chunk<const N: usize, const SIZE: usize>(
    tests: &[ByteTest; N],
    lanes: [&[u8]; N],
) -> usize {
    let chunks = lanes.map(|lane| lane.as_chunks::<SIZE>().0);
    let count = chunks[0].len();
    let chunks = chunks.map(|lane| &lane[..count]);
    let found = (0..count).position(|chunk| {
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
    found.unwrap_or(count) * SIZE
}

/// Returns the rarest two bytes of a run, in their order, how often both pass, roughly, and the
/// third where that is too often; a single byte is both.
fn rarest(run: &[ByteTest]) -> Option<(u64, [ByteTest; 2], Option<ByteTest>)> {
    let mut costs: Vec<(u64, ByteTest)> = run.iter().map(|test| (test.cost(), *test)).collect();
    costs.sort_by_key(|(cost, _)| *cost);
    match costs[..] {
        [] => None,
        [(cost, only)] => Some((cost << 16, [only, only], None)),
        [(cost, one), (next, other), ref rest @ ..] => {
            let pair = if one.offset < other.offset {
                [one, other]
            } else {
                [other, one]
            };
            let both = cost * next;
            let third = rest
                .first()
                .filter(|_| both > THIRD_ABOVE)
                .map(|(_, test)| *test);
            Some((both, pair, third))
        }
    }
}

/// Appends a test for each byte of `characters` and returns true when all have the same length.
fn push_tests(characters: &[char], run: &mut Vec<ByteTest>) -> bool {
    let Some(length) = characters.first().map(|c| c.len_utf8()) else {
        return false;
    };
    if characters.iter().any(|c| c.len_utf8() != length) {
        return false;
    }
    let mut encoded = [0; 4];
    for i in 0..length {
        let bytes: Vec<u8> = characters
            .iter()
            .map(|c| c.encode_utf8(&mut encoded).as_bytes()[i])
            .collect();
        run.push(ByteTest::of(run.len(), &bytes));
    }
    true
}

/// Returns how many of 65 536 bytes of prose, English and Korean mixed, are `byte`, roughly: it
/// decides about speed only.
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

    fn anchor(text: &str) -> Anchor {
        let singles: Vec<Vec<char>> = text.chars().map(|c| vec![c]).collect();
        let Some(anchor) = Anchor::choose(singles.iter().map(Vec::as_slice)) else {
            panic!("a text of single characters has an anchor")
        };
        anchor
    }

    #[test]
    fn found_at_every_place_of_every_length() {
        for query in ["q", "qz", "xq z", "한국"] {
            for length in 0..200 {
                for at in 0..=length {
                    let text = format!("{}{query}{}", ".".repeat(at), ".".repeat(length - at));
                    let found = anchor(query).next(text.as_bytes(), 0);
                    assert_eq!(found, Some(at..=at), "{query} in {text}");
                    let gone = anchor(query).next(text.as_bytes(), at + 1);
                    assert_eq!(gone, None, "{query} in {text}");
                }
            }
        }
    }

    #[test]
    fn a_place_of_several_lengths_gives_a_range() {
        let singles: [&[char]; 2] = [&['k', 'K', '\u{212A}'], &['q', 'Q']];
        let Some(anchor) = Anchor::choose(singles.into_iter()) else {
            panic!("`q` is an anchor")
        };
        assert_eq!(anchor.next(b"....kq", 0), Some(2..=4));
        assert_eq!(anchor.next(b"....kq", 4), Some(4..=4));
        assert_eq!(anchor.next(b"....kq", 5), None);
    }

    #[test]
    fn none_without_a_place_of_one_length() {
        let singles: [&[char]; 1] = [&['k', 'K', '\u{212A}']];
        assert_eq!(Anchor::choose(singles.into_iter()), None);
    }
}
