//! Statistics of the runs of non-ASCII bytes in a file, by encoding.
//!
//! A file may contain several encodings: a log written by two programs, a pasted line. So runs are
//! classified and counted, instead of counting the errors of one encoding.

use crate::limits::{SURELY_KOREAN_BYTES, UTF_8_RUN_SHARE, UTF_8_SHARE};

/// Number of non-ASCII bytes in the runs of each class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Runs {
    /// Bytes of valid UTF-8 runs that are long enough, or of enough sequences, to exclude other
    /// encodings. In UTF-8 the first byte of a character determines the number of continuation
    /// bytes (RFC 3629, section 3), which text in another encoding seldom satisfies for more than
    /// one character.
    utf8: usize,
    /// Bytes of single two-byte UTF-8 characters, which may be one or two characters of another
    /// encoding: C3 A9 is `é` in UTF-8, `Ã©` in Windows-1252, and a syllable in EUC-KR. They are
    /// counted apart, because they are evidence only if nothing else contradicts it.
    pairs: usize,
    /// Bytes of runs that are not UTF-8.
    foreign: usize,
    /// Bytes of those foreign runs that are Korean syllables in EUC-KR.
    korean: usize,
    /// Bytes of those pairs that are Korean syllables in EUC-KR.
    korean_pairs: usize,
}

impl Runs {
    /// Counts the runs of `bytes`.
    pub fn new(bytes: &[u8]) -> Self {
        let mut runs = Self::default();
        for run in bytes.split(u8::is_ascii).filter(|run| !run.is_empty()) {
            let (mut damaged, mut is_long) = (0, false);
            for chunk in run.utf8_chunks() {
                damaged += chunk.invalid().len();
                is_long |= chunk.valid().bytes().any(|byte| byte >= 0xE0);
            }
            let is_utf8 = damaged * UTF_8_RUN_SHARE <= run.len();
            if is_utf8 && (is_long || run.len() > 2) {
                runs.utf8 += run.len();
                continue;
            }
            let korean = if is_korean(run) { run.len() } else { 0 };
            if is_utf8 {
                runs.pairs += run.len();
                runs.korean_pairs += korean;
            } else {
                runs.foreign += run.len();
                runs.korean += korean;
            }
        }
        runs
    }

    /// Returns true if the file is UTF-8 with insertions in another encoding.
    pub fn are_utf8(&self) -> bool {
        let are_few = self.utf8 > 0 && self.utf8 * UTF_8_SHARE >= self.foreign;
        are_few || self.pairs > 0 && self.pairs + self.utf8 >= self.foreign && !self.are_korean()
    }

    /// Returns true if the non-ASCII bytes are Korean syllables, allowing little damage.
    pub fn are_korean(&self) -> bool {
        let all = self.foreign + self.pairs + self.utf8;
        let korean = self.korean + self.korean_pairs;
        // `é` in UTF-8 is a valid syllable of EUC-KR as well, so that pairs alone are no evidence:
        // a French text would be Korean. At least one run that is not UTF-8 has to be Korean, and
        // most of all bytes.
        self.korean > 0 && self.korean * 10 >= self.foreign * 7 && korean * 10 >= all * 7
    }

    /// Returns true if they are Korean, and numerous enough that Chinese text would not look so by
    /// chance.
    pub fn are_surely_korean(&self) -> bool {
        self.are_korean() && self.korean >= SURELY_KOREAN_BYTES
    }

    /// Returns true if all non-ASCII bytes are Korean.
    pub fn are_all_korean(&self) -> bool {
        self.utf8 == 0 && self.korean == self.foreign && self.korean_pairs == self.pairs
    }
}

/// Returns true if a run consists of two-byte Korean syllables in EUC-KR and their punctuation.
fn is_korean(run: &[u8]) -> bool {
    let (syllables, rest) = run.as_chunks::<2>();
    let is_letter =
        |[first, second]: &[u8; 2]| (0xB0..=0xC8).contains(first) && (0xA1..=0xFE).contains(second);
    let is_sign =
        |[first, second]: &[u8; 2]| (0xA1..=0xA3).contains(first) && (0xA1..=0xFE).contains(second);
    rest.is_empty()
        && syllables.iter().any(is_letter)
        && syllables
            .iter()
            .all(|pair| is_letter(pair) || is_sign(pair))
}

#[cfg(test)]
mod tests {
    use encoding_rs::EUC_KR;

    use super::*;

    #[test]
    fn runs_by_kind() {
        let korean = EUC_KR.encode("큰 문서").0.into_owned();
        let runs = Runs::new(&korean);
        // The first word is a valid letter in UTF-8 as well.
        assert_eq!((runs.pairs, runs.foreign), (2, 4));
        assert!(runs.are_all_korean() && !runs.are_utf8());
        for (bytes, is_utf8) in [
            ("한글 \u{FFFD}".as_bytes(), true),
            ("été".as_bytes(), true),
            (b"caf\xE9", false),
            (b"\xC3\xA9t\xC3\xA9, caf\xE9", true),
            (b"\xC3\xA9t\xE9 caf\xE9 caf\xE9", false),
            (b"ascii", false),
        ] {
            assert_eq!(Runs::new(bytes).are_utf8(), is_utf8, "{bytes:x?}");
        }
    }
}
