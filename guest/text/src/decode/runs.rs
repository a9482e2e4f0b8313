//! What the runs of bytes beyond ASCII in a file say of its encoding.
//!
//! A file may hold text of more than one: a log to which two programs wrote, a line that was
//! pasted. So runs are counted by what they are, not errors by where they stand.

use crate::limits::{SURELY_KOREAN_BYTES, UTF_8_RUN_SHARE, UTF_8_SHARE};

/// How many bytes beyond ASCII stand in runs of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Runs {
    /// Runs that are UTF-8, of sequences or so long that no other encoding looks so.
    utf8: usize,
    /// Single characters of two bytes in UTF-8, which may be one or two of another encoding.
    pairs: usize,
    /// Runs that are no UTF-8.
    foreign: usize,
    /// Those of the foreign ones that are Korean syllables in EUC-KR.
    korean: usize,
    /// Those of the pairs that are.
    korean_pairs: usize,
}

impl Runs {
    /// Counts the runs of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
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

    /// Whether the file is UTF-8 in which something else stands.
    pub fn are_utf8(&self) -> bool {
        let are_few = self.utf8 > 0 && self.utf8 * UTF_8_SHARE >= self.foreign;
        are_few || self.pairs > 0 && self.pairs + self.utf8 >= self.foreign && !self.are_korean()
    }

    /// Whether all that is beyond ASCII, but for what little is damaged, are Korean syllables.
    pub fn are_korean(&self) -> bool {
        let all = self.foreign + self.pairs + self.utf8;
        let korean = self.korean + self.korean_pairs;
        // `é` is a syllable as well: the pairs say nothing by themselves.
        self.korean > 0 && self.korean * 10 >= self.foreign * 7 && korean * 10 >= all * 7
    }

    /// Whether they are, and so many that no text in Chinese would look so by chance.
    pub fn are_surely_korean(&self) -> bool {
        self.are_korean() && self.korean >= SURELY_KOREAN_BYTES
    }

    /// Whether everything beyond ASCII is Korean.
    pub fn are_all_korean(&self) -> bool {
        self.utf8 == 0 && self.korean == self.foreign && self.korean_pairs == self.pairs
    }
}

/// Whether a run consists of Korean syllables in EUC-KR, two bytes each, with its punctuation.
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
        let runs = Runs::of(&korean);
        // The first word is a letter in UTF-8 as well.
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
            assert_eq!(Runs::of(bytes).are_utf8(), is_utf8, "{bytes:x?}");
        }
    }
}
