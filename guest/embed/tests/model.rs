//! A whole model: its vectors beside those of the original, and files that are damaged.
//!
//! `tests/tiny` is a model of random weights, and `expected.json` in it what other programs make of
//! it: `tests/reference.py` made both. With `DOCENT_EMBED_MODEL` set to the directory of a real
//! model that has such a file, that one is compared as well.
#![expect(
    clippy::disallowed_methods,
    reason = "the files of models are what is tested"
)]

use std::path::{Path, PathBuf};
use std::{env, fs};

use docent_embed::{Files, Model, ModelError, ModelReader, Pooling, Role, Settings};
use serde::Deserialize;

/// What other programs make of a text.
#[derive(Deserialize)]
struct Expected {
    text: String,
    // None of these where the other program does not tell.
    tokens: Option<Vec<u32>>,
    mean: Option<Vec<f32>>,
    first: Option<Vec<f32>>,
}

struct Directory {
    config: Vec<u8>,
    tokenizer: Vec<u8>,
    weights: Vec<u8>,
    expected: Vec<Expected>,
}

impl Directory {
    fn read(path: &Path) -> Self {
        let read = |name: &str| fs::read(path.join(name)).unwrap();
        Self {
            config: read("config.json"),
            tokenizer: read("tokenizer.json"),
            weights: read("model.safetensors"),
            expected: serde_json::from_slice(&read("expected.json")).unwrap(),
        }
    }

    fn tiny() -> Self {
        Self::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tiny"))
    }

    fn model(&self, pooling: Pooling) -> Result<Model, ModelError> {
        let files = Files {
            config: &self.config,
            tokenizer: &self.tokenizer,
            weights: &self.weights,
        };
        let settings = Settings {
            pooling,
            ..Settings::default()
        };
        Model::read(files, settings)
    }

    /// Returns what is said of the files, which are not a model.
    fn fault(&self) -> String {
        let error = self.model(Pooling::Mean).err();
        error.expect("the files are no model").to_string()
    }
}

fn cosine(a: &[i8], b: &[f32]) -> f32 {
    let length = |sum: f32| sum.sqrt();
    let own = length(a.iter().map(|&n| f32::from(n) * f32::from(n)).sum());
    let other = length(b.iter().map(|n| n * n).sum());
    let product: f32 = a.iter().zip(b).map(|(&a, b)| f32::from(a) * b).sum();
    product / (own * other)
}

#[test]
fn vectors_are_those_of_the_original() {
    let tiny = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tiny");
    let real = env::var_os("DOCENT_EMBED_MODEL").map(PathBuf::from);
    for path in [Some(tiny), real].into_iter().flatten() {
        let directory = Directory::read(&path);
        assert!(!directory.expected.is_empty());
        for pooling in [Pooling::Mean, Pooling::First] {
            let model = directory.model(pooling).unwrap();
            for expected in &directory.expected {
                let text = &expected.text;
                if let Some(tokens) = &expected.tokens {
                    assert_eq!(&model.tokens(Role::Query, text), tokens, "{text}");
                }
                let vector = model.embed(Role::Query, text);
                let original = match pooling {
                    Pooling::Mean => &expected.mean,
                    Pooling::First => &expected.first,
                };
                let Some(original) = original else { continue };
                assert_eq!(vector.len(), model.dimensions());
                let near = cosine(&vector, original);
                assert!(near > 0.99, "{text} {pooling:?}: {near}");
            }
        }
    }
}

#[test]
fn a_file_cut_off_anywhere_is_an_error_that_names_it() {
    let mut directory = Directory::tiny();
    let whole = directory.weights.clone();
    for length in 0..whole.len() {
        directory.weights.truncate(0);
        directory.weights.extend_from_slice(&whole[..length]);
        let fault = directory.fault();
        assert!(
            fault.starts_with("`model.safetensors`: "),
            "{length}: {fault}"
        );
    }
    directory.weights = whole;
    let whole = directory.tokenizer.clone();
    for length in 0..whole.len() {
        directory.tokenizer = whole[..length].to_vec();
        let fault = directory.fault();
        assert!(fault.starts_with("`tokenizer.json`: "), "{length}: {fault}");
    }
    directory.tokenizer = whole;
    let whole = directory.config.trim_ascii().to_vec();
    for length in 0..whole.len() {
        directory.config = whole[..length].to_vec();
        let fault = directory.fault();
        assert!(fault.starts_with("`config.json`: "), "{length}: {fault}");
    }
}

#[test]
fn weights_come_in_pieces_of_any_length() {
    let directory = Directory::tiny();
    let whole = directory.model(Pooling::Mean).unwrap();
    let expected = whole.embed(Role::Query, "the cat sat");
    let length = directory.weights.len() as u64;
    let (config, tokenizer) = (&directory.config, &directory.tokenizer);
    let reader = || ModelReader::new(config, tokenizer, length, Settings::default()).unwrap();
    for size in [1, 3, 7, 64, 1000] {
        let mut reader = reader();
        for piece in directory.weights.chunks(size) {
            reader.push(piece).unwrap();
        }
        let model = reader.finish().unwrap();
        assert_eq!(model.embed(Role::Query, "the cat sat"), expected, "{size}");
    }
    // Fewer bytes than were said to come.
    for missing in [1, 100, directory.weights.len()] {
        let mut reader = reader();
        let end = directory.weights.len() - missing;
        reader.push(&directory.weights[..end]).unwrap();
        let fault = reader.finish().err().unwrap().to_string();
        assert!(fault.contains("is it all of the file?"), "{fault}");
    }
}

#[test]
fn weights_that_are_no_model_are_said_by_name() {
    let mut directory = Directory::tiny();
    let whole = directory.weights.clone();
    directory.weights[..8].copy_from_slice(&u64::MAX.to_le_bytes());
    assert!(
        directory
            .fault()
            .contains("its header has 18446744073709551615 bytes")
    );
    directory.weights.clone_from(&whole);
    let last = whole.len() - 4;
    directory.weights[last..].copy_from_slice(&f32::NAN.to_le_bytes());
    assert!(directory.fault().contains("holds what is no number"));
    // Of the same length, so that all else stays where it is.
    for (from, to, says) in [
        (
            "\"F32\"",
            "\"I32\"",
            "holds `I32`; expected `F32`, `F16`, `BF16` or `I8`",
        ),
        (
            "[16,36]",
            "[36,16]",
            "has the shape [36, 16]; expected [16, 36]",
        ),
        ("[0,", "[9,", "expected 2112 bytes"),
        ("[3840,3904]", "[3776,3840]", "lies over"),
        (
            "word_embeddings",
            "work_embeddings",
            "it has no tensor `embeddings.word_embeddings",
        ),
    ] {
        let at = whole
            .windows(from.len())
            .position(|bytes| bytes == from.as_bytes());
        directory.weights.clone_from(&whole);
        directory.weights[at.unwrap()..][..to.len()].copy_from_slice(to.as_bytes());
        let fault = directory.fault();
        assert!(fault.contains(says), "{says}: {fault}");
    }
}

/// Returns the model's files with weights of 8 bits.
fn packed() -> Directory {
    let mut directory = Directory::tiny();
    let (config, tokenizer) = (&directory.config, &directory.tokenizer);
    let length = directory.weights.len() as u64;
    let mut reader = ModelReader::new(config, tokenizer, length, Settings::default()).unwrap();
    reader.push(&directory.weights).unwrap();
    directory.weights = reader.packed().unwrap();
    directory
}

/// Reads the model where it lies. It lies there until the tests end.
fn in_place(directory: Directory) -> (&'static [u8], impl Fn(&'static [u8]) -> String) {
    let config: &[u8] = directory.config.leak();
    let tokenizer: &[u8] = directory.tokenizer.leak();
    let fault = move |weights| {
        let files = Files {
            config,
            tokenizer,
            weights,
        };
        let model = Model::read_in_place(files, Settings::default());
        model.map_or_else(
            |error| error.to_string(),
            |model| format!("{:?}", model.embed(Role::Query, "the cat sat")),
        )
    };
    (directory.weights.leak(), fault)
}

#[test]
fn a_packed_model_is_smaller_and_the_same() {
    let (whole, packed) = (Directory::tiny(), packed());
    assert!(packed.weights.len() < whole.weights.len());
    let model = whole.model(Pooling::Mean).unwrap();
    let again = packed.model(Pooling::Mean).unwrap();
    for expected in &whole.expected {
        for role in [Role::Query, Role::Passage] {
            let text = &expected.text;
            assert_eq!(again.embed(role, text), model.embed(role, text), "{text}");
        }
    }
    let length = packed.weights.len() as u64;
    let (config, tokenizer) = (&packed.config, &packed.tokenizer);
    let mut reader = ModelReader::new(config, tokenizer, length, Settings::default()).unwrap();
    for piece in packed.weights.chunks(7) {
        reader.push(piece).unwrap();
    }
    assert_eq!(reader.packed().unwrap(), packed.weights);
    // Where it lies, both forms can be read.
    let expected = format!("{:?}", model.embed(Role::Query, "the cat sat"));
    for directory in [whole, packed] {
        let (weights, read) = in_place(directory);
        assert_eq!(read(weights), expected);
    }
}

#[test]
fn a_packed_model_that_is_damaged_is_said_by_name() {
    let packed = packed();
    let whole = packed.weights.clone();
    let (weights, read) = in_place(packed);
    for length in 0..weights.len() {
        let fault = read(&weights[..length]);
        assert!(
            fault.starts_with("`model.safetensors`: "),
            "{length}: {fault}"
        );
    }
    let mut directory = self::packed();
    for (from, to, says) in [
        (
            "\"I8\"",
            "\"U8\"",
            "holds `U8`; expected `F32`, `F16`, `BF16` or `I8`",
        ),
        (
            "weight_scale",
            "weight_store",
            "_scale` with the scales of its rows",
        ),
        (
            "[16,1]",
            "[1,16]",
            "has the shape [1, 16]; expected [16, 1]",
        ),
        (
            "\"F32\"",
            "\"I8\" ",
            "holds `I8`; expected `F32`, `F16` or `BF16`",
        ),
    ] {
        directory.weights.clone_from(&whole);
        let at = whole
            .windows(from.len())
            .position(|bytes| bytes == from.as_bytes());
        directory.weights[at.unwrap()..][..to.len()].copy_from_slice(to.as_bytes());
        let fault = directory.fault();
        assert!(fault.contains(says), "{says}: {fault}");
    }
    // A scale of which a weight is beyond a million, and one that is no number.
    let header: [u8; 8] = *whole.first_chunk().unwrap();
    let start = 8 + u64::from_le_bytes(header) as usize;
    let entries: serde_json::Value = serde_json::from_slice(&whole[8..start]).unwrap();
    let name = "embeddings.word_embeddings.weight";
    let offsets = &entries[format!("{name}_scale")]["data_offsets"];
    let at = start + offsets[0].as_u64().unwrap() as usize;
    for scale in [9e3, f32::NAN] {
        directory.weights.clone_from(&whole);
        directory.weights[at..][..4].copy_from_slice(&scale.to_le_bytes());
        let fault = directory.fault();
        assert!(
            fault.contains(name) && fault.contains("no number"),
            "{fault}"
        );
    }
    // Other programs write the scales as a row.
    directory.weights.clone_from(&whole);
    let columns = b"[16,1]";
    let places = whole.windows(columns.len()).enumerate();
    for (at, _) in places.filter(|(_, bytes)| bytes == columns) {
        directory.weights[at..][..columns.len()].copy_from_slice(b"[16]  ");
    }
    assert!(directory.model(Pooling::Mean).is_ok());
}

#[test]
fn another_kind_of_model_is_said_by_name() {
    for (from, to, says) in [
        ("\"bert\"", "\"gpt2\"", "`model_type` is `gpt2`"),
        ("\"gelu\"", "\"silu\"", "`hidden_act` is `silu`"),
        (
            "\"hidden_size\": 16",
            "\"hidden_size\": 15",
            "`hidden_size` is 15",
        ),
        ("\"vocab_size\": 3", "\"vocab_size\": 13", "has the shape"),
        (
            "\"vocab_size\": 3",
            "\"vocab_size\": ",
            "expected numbers below",
        ),
    ] {
        let mut directory = Directory::tiny();
        let config = String::from_utf8(directory.config).unwrap();
        assert!(config.contains(from), "{from}");
        let position = config.rfind(from).unwrap();
        let changed = format!(
            "{}{to}{}",
            &config[..position],
            &config[position + from.len()..]
        );
        directory.config = changed.into_bytes();
        let fault = directory.fault();
        assert!(fault.contains(says), "{says}: {fault}");
    }
}

/// A tokenizer of scored pieces in place of the tiny model's own.
fn unigram() -> Directory {
    let mut directory = Directory::tiny();
    directory.tokenizer = r#"{"normalizer": null, "added_tokens": [
        {"id": 0, "content": "<s>", "special": true},
        {"id": 1, "content": "</s>", "special": true}],
        "model": {"type": "Unigram", "unk_id": 2, "vocab": [["<s>", 0], ["</s>", 0], ["<unk>", 0],
        ["▁", -3.0], ["▁un", -4.0], ["do", -4.0], ["▁und", -5.0], ["o", -2.5], ["국", -5], ["어", -5],
        ["국어", -6]]}}"#
        .as_bytes()
        .to_vec();
    directory
}

#[test]
fn words_are_cut_where_the_pieces_score_most() {
    let model = unigram().model(Pooling::Mean).unwrap();
    let tokens = |text: &str| model.tokens(Role::Passage, text);
    // -5 - 2.5 is more than -4 - 4.
    assert_eq!(tokens(" undo\n"), [0, 6, 7, 1]);
    assert_eq!(tokens("국어 o"), [0, 3, 10, 3, 7, 1]);
    // What is unknown is one piece, and what begins a text cannot be written in one.
    assert_eq!(tokens("oxyzo"), [0, 3, 7, 2, 7, 1]);
    assert_eq!(tokens("<s>"), [0, 3, 2, 1]);
    assert_eq!(tokens(""), [0, 1]);
    assert_eq!(tokens(&"undo ".repeat(99)).len(), 24);
}
