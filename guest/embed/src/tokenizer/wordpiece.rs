//! WordPiece tokenization: repeatedly the longest token at the start of the rest of a word.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::file::{Normalizer, TokenizerModel};
use crate::vocabulary::{FnvHash, Vocabulary};

/// A WordPiece tokenizer with the normalization of BERT.
pub(super) struct WordPiece {
    is_cleaned: bool,
    parts_ideographs: bool,
    strips_accents: bool,
    is_lowercased: bool,
    /// Prefix of a token that continues a word.
    prefix: Box<str>,
    /// Maximum characters of a known word.
    longest: usize,
    unknown: u32,
}

impl WordPiece {
    pub(super) fn new(
        normalizer: &Option<Normalizer>,
        model: &TokenizerModel,
        unknown: u32,
    ) -> Result<Self, String> {
        let Some(normalizer) = normalizer else {
            return Err("it has no normaliser; expected `BertNormalizer`".to_owned());
        };
        if normalizer.kind != "BertNormalizer" {
            return Err(format!(
                "it normalises by `{}`; expected `BertNormalizer`",
                normalizer.kind
            ));
        }
        let is_lowercased = normalizer.lowercase.unwrap_or(true);
        let prefix = model.continuing_subword_prefix.as_deref();
        Ok(Self {
            is_cleaned: normalizer.clean_text.unwrap_or(true),
            parts_ideographs: normalizer.handle_chinese_chars.unwrap_or(true),
            strips_accents: normalizer.strip_accents.unwrap_or(is_lowercased),
            is_lowercased,
            prefix: prefix.unwrap_or("##").into(),
            longest: model.max_input_chars_per_word.unwrap_or(100).min(1000),
            unknown,
        })
    }

    /// Appends the tokens of a text until there are at least `most`; may exceed it slightly.
    pub(super) fn cut(
        &self,
        vocabulary: &Vocabulary,
        text: &str,
        most: usize,
        tokens: &mut Vec<u32>,
    ) {
        for part in text.split(|c: char| self.is_space(c)) {
            let mut word = String::new();
            for c in self.normalize(part).chars() {
                let stands_alone = is_punctuation(c) || self.parts_ideographs && is_ideograph(c);
                if stands_alone {
                    self.cut_word(vocabulary, &word, tokens);
                    word.clear();
                }
                word.push(c);
                if stands_alone {
                    self.cut_word(vocabulary, &word, tokens);
                    word.clear();
                }
            }
            self.cut_word(vocabulary, &word, tokens);
            if tokens.len() >= most {
                return;
            }
        }
    }

    fn is_space(&self, c: char) -> bool {
        c.is_whitespace()
            && (!c.is_control() || matches!(c, '\t' | '\n' | '\r') || !self.is_cleaned)
    }

    fn normalize(&self, part: &str) -> String {
        let is_kept = |c: &char| {
            let is_dropped = c.is_control() || matches!(c, '\0' | '\u{fffd}') || is_format(*c);
            !self.is_cleaned || !is_dropped
        };
        let cleaned = part.chars().filter(is_kept);
        let mut part: String = match self.strips_accents {
            true => cleaned.nfd().filter(|c| !is_combining_mark(*c)).collect(),
            false => cleaned.collect(),
        };
        if self.is_lowercased {
            // By character: `str::to_lowercase` turns a sigma at the end of a word into `ς`,
            // whereas the crate `tokenizers`, the reference of the tests, turns every sigma into
            // `σ`.
            part = part.chars().flat_map(char::to_lowercase).collect();
        }
        part
    }

    fn cut_word(&self, vocabulary: &Vocabulary, word: &str, tokens: &mut Vec<u32>) {
        let first = tokens.len();
        if word.chars().count() > self.longest {
            tokens.push(self.unknown);
            return;
        }
        let mut rest = word;
        let mut piece = String::new();
        while !rest.is_empty() {
            piece.clear();
            if rest.len() < word.len() {
                piece.push_str(&self.prefix);
            }
            let mut hash = FnvHash::EMPTY.with(piece.as_bytes());
            let mut found = None;
            for (at, c) in rest.char_indices().take(vocabulary.longest()) {
                let end = at + c.len_utf8();
                hash = hash.with(&rest.as_bytes()[at..end]);
                piece.push(c);
                if let Some(id) = vocabulary.find(hash, piece.as_bytes()) {
                    found = Some((end, id));
                }
            }
            // If no token begins the rest of the word, the whole word is unknown, and the tokens
            // found so far are removed. This is the rule of BERT, by which the models were
            // trained.
            let Some((end, id)) = found else {
                tokens.truncate(first);
                tokens.push(self.unknown);
                return;
            };
            tokens.push(id);
            rest = &rest[end..];
        }
    }
}

/// Returns true if a character is an ideograph by BERT's definition: Hangul and kana are letters.
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{20000}'..='\u{2a6df}'
        | '\u{2a700}'..='\u{2ceaf}' | '\u{f900}'..='\u{faff}' | '\u{2f800}'..='\u{2fa1f}')
}

/// Returns true if a character is a format character, which only affects the display of others.
fn is_format(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}' | '\u{feff}')
}

/// Returns true if a character is punctuation: every ASCII character other than letters and digits,
/// and the punctuation of Latin, Greek, Chinese, Japanese and Korean.
fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation()
        || matches!(c, '¡' | '§' | '«' | '¶' | '·' | '»' | '¿' | '\u{37e}' | '\u{387}'
            | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{2043}' | '\u{2045}'..='\u{2051}'
            | '\u{2053}'..='\u{205e}' | '\u{2e00}'..='\u{2e4f}' | '\u{3001}'..='\u{3003}'
            | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301f}' | '\u{3030}' | '\u{303d}'
            | '\u{30a0}' | '\u{30fb}' | '\u{fe10}'..='\u{fe19}' | '\u{fe30}'..='\u{fe52}'
            | '\u{fe54}'..='\u{fe61}' | '\u{fe63}' | '\u{fe68}' | '\u{fe6a}' | '\u{fe6b}'
            | '\u{ff01}'..='\u{ff03}' | '\u{ff05}'..='\u{ff0a}' | '\u{ff0c}'..='\u{ff0f}'
            | '\u{ff1a}' | '\u{ff1b}' | '\u{ff1f}' | '\u{ff20}' | '\u{ff3b}'..='\u{ff3d}'
            | '\u{ff3f}' | '\u{ff5b}' | '\u{ff5d}' | '\u{ff5f}'..='\u{ff65}')
}
