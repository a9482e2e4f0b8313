//! Tests with misbehaving encoders: a text that makes one misbehave loses its own vector, and
//! nothing else is affected.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use docent_host::embedder::{EmbedFailure, Embedder as _, Role};
use docent_host::encoder::{Encoder, EncoderError, EncoderSettings};
use tempfile::TempDir;

use super::deed::EncoderDeed;

const PATIENCE: Duration = Duration::from_secs(300);

fn settings() -> EncoderSettings {
    EncoderSettings {
        name: "misbehaving".to_owned(),
        pooling: None,
        query_prefix: String::new(),
        passage_prefix: String::new(),
        max_bytes: 1000,
        passages: 10,
        weight: 1.0,
    }
}

/// Returns a model directory with placeholder files, and a word in the first of them.
fn model(word: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, content) in [
        ("config.json", word),
        ("tokenizer.json", "{}"),
        ("model.safetensors", "weights"),
    ] {
        fs::write(directory.path().join(name), content).unwrap();
    }
    directory
}

/// The reported errors of an encoder.
type Reports = Arc<Mutex<Vec<String>>>;

fn encoder(directory: &Path) -> (Encoder, Reports) {
    let reports = Reports::default();
    let into = Arc::clone(&reports);
    let report = move |error: &EncoderError| into.lock().unwrap().push(error.to_string());
    let wasm = fs::read(env!("DOCENT_TEST_ENCODER")).unwrap();
    let encoder = Encoder::with_component_ambient(wasm, directory, settings(), report);
    (encoder.unwrap(), reports)
}

fn embed(encoder: &Encoder, texts: &[&str]) -> Result<Vec<Option<Vec<f32>>>, EmbedFailure> {
    encoder.embed(Role::Passage, texts, PATIENCE)
}

const ORDINARY: [f32; 4] = [1.0; 4];

#[test]
fn what_happens_to_one_text_happens_to_no_other() {
    let directory = model("");
    let (encoder, reports) = encoder(directory.path());
    for deed in [
        EncoderDeed::Panic,
        EncoderDeed::Allocate,
        EncoderDeed::Refuse,
        EncoderDeed::TooShort,
        EncoderDeed::TooLong,
    ] {
        let word = deed.word();
        assert_eq!(
            embed(&encoder, &[word]),
            Err(EmbedFailure::Broken),
            "{word}"
        );
        let both = embed(&encoder, &["before", word, "behind"]);
        assert_eq!(
            both,
            Ok(vec![Some(ORDINARY.to_vec()), None, None]),
            "{word}"
        );
        let next = embed(&encoder, &["a", "b"]);
        assert_eq!(next, Ok(vec![Some(ORDINARY.to_vec()); 2]), "{word}");
    }
    assert!(reports.lock().unwrap().is_empty());
}

#[test]
fn one_that_computes_for_ever_is_not_waited_for() {
    let directory = model("");
    let (encoder, _) = encoder(directory.path());
    assert!(encoder.model(PATIENCE).is_ok());
    let word = EncoderDeed::Loop.word();
    let waited = encoder.embed(Role::Query, &["a", word], Duration::from_secs(1));
    assert_eq!(waited, Ok(vec![Some(ORDINARY.to_vec()), None]));
    // It is still computing: the caller has continued without it.
    let next = encoder.embed(Role::Query, &["a"], Duration::ZERO);
    assert_eq!(next, Err(EmbedFailure::TooSlow));
}

#[test]
fn one_that_computes_for_ever_ends_with_who_asks() {
    // While it embeds, and while it loads its model.
    for word in ["", EncoderDeed::Loop.word()] {
        let directory = model(word);
        let (encoder, reports) = encoder(directory.path());
        if word.is_empty() {
            assert!(encoder.model(PATIENCE).is_ok());
        }
        let waited = encoder.embed(Role::Query, &[EncoderDeed::Loop.word()], Duration::ZERO);
        assert_eq!(waited, Err(EmbedFailure::TooSlow));
        drop(encoder);
        // Its thread, which holds the other reference, ends.
        while Arc::strong_count(&reports) > 1 {
            thread::yield_now();
        }
        // It was not stopped by its own limit, which would be reported as a fault of the model.
        assert!(reports.lock().unwrap().is_empty(), "{reports:?}");
    }
}

#[test]
fn one_that_fails_with_its_model_is_reported_once() {
    for (deed, says) in [
        (EncoderDeed::Panic, "stopped abnormally"),
        (EncoderDeed::Allocate, "needs more than 512 MiB of memory"),
        (EncoderDeed::Refuse, "as it was told"),
    ] {
        let directory = model(deed.word());
        let (encoder, reports) = encoder(directory.path());
        for _ in 0..2 {
            assert_eq!(encoder.model(PATIENCE), Err(EmbedFailure::Broken));
            assert_eq!(embed(&encoder, &["a"]), Err(EmbedFailure::Broken));
        }
        let reports = reports.lock().unwrap();
        assert_eq!(reports.len(), 1, "{reports:?}");
        assert!(reports[0].contains(says), "{reports:?}");
    }
}

#[test]
fn it_sees_texts_and_nothing_else() {
    let directory = model("");
    let (encoder, _) = encoder(directory.path());
    let seen = embed(&encoder, &[EncoderDeed::Look.word()]);
    assert_eq!(seen, Ok(vec![Some(ORDINARY.to_vec())]));
    // This encoder remembers texts. docent's own, which does not, is the only one that can be
    // configured.
    let recalled = embed(&encoder, &["secret", EncoderDeed::Recall.word()]);
    assert_eq!(recalled.unwrap()[1], Some(vec![7.0; 4]));
}

#[test]
fn files_that_are_no_model_are_refused_before_anything_runs() {
    let missing = model("");
    fs::remove_file(missing.path().join("tokenizer.json")).unwrap();
    let directory = model("");
    fs::remove_file(directory.path().join("config.json")).unwrap();
    fs::create_dir(directory.path().join("config.json")).unwrap();
    let large = model("");
    let file = fs::File::create(large.path().join("config.json")).unwrap();
    file.set_len(2 << 20).unwrap();
    for (model, says) in [
        (&missing, "tokenizer.json` cannot be read"),
        (&directory, "config.json` is not a regular file"),
        (
            &large,
            "config.json` has 2097152 bytes; expected at most 1048576",
        ),
    ] {
        let error = Encoder::open_ambient(model.path(), settings(), |_| {});
        let error = error.unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}

#[test]
#[cfg(unix)]
fn a_named_pipe_is_not_waited_for() {
    let directory = model("");
    let pipe = directory.path().join("model.safetensors");
    fs::remove_file(&pipe).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let error = Encoder::open_ambient(directory.path(), settings(), |_| {});
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("model.safetensors` is not a regular file"),
        "{error}"
    );
}
