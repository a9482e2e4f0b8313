//! Tokenization of a text, as configured in `tokenizer.json`.

mod charsmap;
mod file;
mod unigram;
mod wordpiece;

use crate::error::ModelError;
use crate::vocabulary::Vocabulary;

use unigram::Unigram;
use wordpiece::WordPiece;

/// The algorithm that splits words.
enum WordSplitter {
    WordPiece(WordPiece),
    Unigram(Unigram),
}

/// A tokenizer with its vocabulary.
pub(crate) struct Tokenizer {
    vocabulary: Vocabulary,
    cut: WordSplitter,
    /// Start token of a text.
    begin: u32,
    end: u32,
}

impl Tokenizer {
    /// Parses `tokenizer.json`; every token is below `size`.
    pub(crate) fn read(text: &[u8], size: usize) -> Result<Self, ModelError> {
        Self::read_checked(text, size).map_err(ModelError::Tokenizer)
    }

    fn read_checked(text: &[u8], size: usize) -> Result<Self, String> {
        let mut file: file::TokenizerFile = serde_json::from_slice(text)
            .map_err(|error| format!("{error}; expected one of WordPiece or Unigram pieces"))?;
        let file::Pieces { vocabulary, scores } = std::mem::take(&mut file.model.vocab);
        if let Some(last) = vocabulary.last_id().filter(|&last| last as usize >= size) {
            return Err(format!(
                "it has a piece {last}; expected numbers below `vocab_size` of `config.json`, {size}"
            ));
        }
        let id = |piece: &str| {
            let id = vocabulary.id(piece);
            id.ok_or_else(|| format!("its vocabulary has no `{piece}`"))
        };
        let is_unigram = match file.model.kind.as_deref() {
            Some("Unigram") => true,
            Some("WordPiece") => false,
            // Old files have no type.
            None => !scores.is_empty(),
            Some(other) => {
                return Err(format!(
                    "its pieces are of the kind `{other}`; expected `WordPiece` or `Unigram`"
                ));
            }
        };
        if is_unigram == scores.is_empty() {
            return Err("its vocabulary is not of the kind that it names".to_owned());
        }
        let (cut, begin, end) = if is_unigram {
            let unknown = file.model.unk_id.filter(|&id| (id as usize) < scores.len());
            let unknown = unknown.ok_or("it names no piece for what is unknown (`unk_id`)")?;
            let special = file.added_tokens.iter().filter(|token| token.special);
            let special = special.map(|token| token.id).collect();
            let cut = Unigram::new(&file.normalizer, scores, unknown, special)?;
            (WordSplitter::Unigram(cut), id("<s>")?, id("</s>")?)
        } else {
            let unknown = id(file.model.unk_token.as_deref().unwrap_or("[UNK]"))?;
            let cut = WordPiece::new(&file.normalizer, &file.model, unknown)?;
            (WordSplitter::WordPiece(cut), id("[CLS]")?, id("[SEP]")?)
        };
        Ok(Self {
            vocabulary,
            cut,
            begin,
            end,
        })
    }

    /// Tokenizes a text into at most `most` tokens, including the start and end tokens; the rest is
    /// truncated.
    pub(crate) fn tokens(&self, text: &str, most: usize) -> Vec<u32> {
        let mut tokens = vec![self.begin];
        let most = most.saturating_sub(1);
        match &self.cut {
            WordSplitter::WordPiece(cut) => cut.cut(&self.vocabulary, text, most, &mut tokens),
            WordSplitter::Unigram(cut) => cut.cut(&self.vocabulary, text, most, &mut tokens),
        }
        tokens.truncate(most);
        tokens.push(self.end);
        tokens
    }
}
