//! Packs a model into the component: `DOCENT_MODEL_DIR` names its directory, and further variables
//! set what its files do not contain.
//!
//! The weights are rounded to 8 bits here, so that the component has a quarter of their size and
//! nothing has to be converted when it runs. The result is read back as a check.
#![expect(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "it runs in the build, and files and variables are what it reads"
)]

use std::env;
use std::error::Error;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use docent_embed::{Files, Model, ModelReader, ModelSettings, Pooling};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

const CONFIG: &str = "config.json";
const TOKENIZER: &str = "tokenizer.json";
const WEIGHTS: &str = "model.safetensors";
const POOLING: &str = "1_Pooling/config.json";

const DIRECTORY: &str = "DOCENT_MODEL_DIR";

/// Bytes of the weights read at once.
const PIECE: usize = 1 << 20;

/// Limits per text and per query: minimum, maximum and default, as in the table `embedder` of the
/// program's configuration.
const MAX_BYTES: (u32, u32, u32) = (64, 8192, 2000);
const PASSAGES: (u32, u32, u32) = (1, 1000, 25);

/// Maximum weight of the semantic order beside the lexical one.
const MOST_WEIGHT: f64 = 100.0;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build.rs");
    // Natively the crate is empty, so no model has to be configured to build the workspace.
    if env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family != "wasm") {
        return ExitCode::SUCCESS;
    }
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Outcome<()> {
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let directory = directory()?;
    let config = content(&directory, CONFIG)?;
    let tokenizer = content(&directory, TOKENIZER)?;
    let settings = ModelSettings {
        pooling: pooling(&directory)?,
        query_prefix: variable("DOCENT_MODEL_QUERY_PREFIX").unwrap_or_default(),
        passage_prefix: variable("DOCENT_MODEL_PASSAGE_PREFIX").unwrap_or_default(),
    };
    let mut digest = Sha256::new();
    for file in [&config, &tokenizer] {
        digest.update(file.len().to_le_bytes());
        digest.update(file);
    }
    let weights = pack_weights(&directory, &config, &tokenizer, &settings, &mut digest)?;
    let files = Files {
        config: &config,
        tokenizer: &tokenizer,
        weights: &weights,
    };
    let dimensions = Model::read(files, settings.clone())?.dimensions();
    for (name, content) in [
        (CONFIG, &config),
        (TOKENIZER, &tokenizer),
        (WEIGHTS, &weights),
    ] {
        fs::write(out.join(name), content)?;
    }
    let digest = digest.finalize();
    fs::write(
        out.join("packed.rs"),
        code(&directory, &settings, dimensions, &digest)?,
    )?;
    Ok(())
}

/// Returns the directory of the model.
fn directory() -> Outcome<PathBuf> {
    let named = variable(DIRECTORY).map(PathBuf::from);
    // A relative path would be resolved against the directory of this crate, which is not where
    // the command was entered.
    let directory = named.filter(|path| path.is_absolute()).ok_or_else(|| {
        format!(
            "`{DIRECTORY}` names no model to put into the component; expected the whole path of a \
             directory with `{CONFIG}`, `{TOKENIZER}` and `{WEIGHTS}`"
        )
    })?;
    let files = [CONFIG, TOKENIZER, WEIGHTS, POOLING].map(|name| directory.join(name));
    // Cargo counts a missing file as changed in each build.
    for path in files.iter().filter(|path| path.exists()) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    Ok(directory)
}

/// Returns a variable's value; none if it is unset or empty.
fn variable(name: &str) -> Option<String> {
    println!("cargo::rerun-if-env-changed={name}");
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn content(directory: &Path, name: &str) -> Outcome<Vec<u8>> {
    let path = directory.join(name);
    Ok(fs::read(&path).map_err(|error| format!("`{}` cannot be read: {error}", path.display()))?)
}

/// Returns the weights rounded to 8 bits; those in the file are added to the digest.
fn pack_weights(
    directory: &Path,
    config: &[u8],
    tokenizer: &[u8],
    settings: &ModelSettings,
    digest: &mut Sha256,
) -> Outcome<Vec<u8>> {
    let path = directory.join(WEIGHTS);
    let unreadable = |error| format!("`{}` cannot be read: {error}", path.display());
    let mut file = File::open(&path).map_err(unreadable)?;
    let length = file.metadata().map_err(unreadable)?.len();
    let mut reader = ModelReader::new(config, tokenizer, length, settings.clone())?;
    let mut piece = vec![0; PIECE];
    loop {
        let count = file.read(&mut piece).map_err(unreadable)?;
        if count == 0 {
            return Ok(reader.into_packed()?);
        }
        digest.update(&piece[..count]);
        reader.push(&piece[..count])?;
    }
}

#[derive(Deserialize)]
struct PoolingFile {
    #[serde(default)]
    pooling_mode_cls_token: bool,
}

/// Returns the configured pooling, or else that of the directory, or else the mean.
fn pooling(directory: &Path) -> Outcome<Pooling> {
    match variable("DOCENT_MODEL_POOLING").as_deref() {
        Some("mean") => return Ok(Pooling::Mean),
        Some("first") => return Ok(Pooling::First),
        Some(other) => {
            return Err(
                format!("`DOCENT_MODEL_POOLING` is `{other}`; expected `mean` or `first`").into(),
            );
        }
        None => {}
    }
    let Ok(text) = fs::read(directory.join(POOLING)) else {
        return Ok(Pooling::Mean);
    };
    let config: PoolingFile =
        serde_json::from_slice(&text).map_err(|error| format!("`{POOLING}`: {error}"))?;
    Ok(match config.pooling_mode_cls_token {
        true => Pooling::First,
        false => Pooling::Mean,
    })
}

/// Returns the model's properties as Rust code.
fn code(
    directory: &Path,
    settings: &ModelSettings,
    dimensions: usize,
    digest: &[u8],
) -> Outcome<String> {
    let own = directory.file_name().and_then(|name| name.to_str());
    let name = variable("DOCENT_MODEL_NAME").or_else(|| own.map(str::to_owned));
    let name = name.ok_or("the model has no name; expected one in `DOCENT_MODEL_NAME`")?;
    let max_bytes = number("DOCENT_MODEL_MAX_BYTES", MAX_BYTES)?;
    let passages = number("DOCENT_MODEL_PASSAGES", PASSAGES)?;
    let weight = weight()?;
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let ModelSettings {
        pooling,
        query_prefix,
        passage_prefix,
    } = settings;
    // The fingerprint is equal to that of the host for the same model in a directory, since its
    // vectors are equal. It has everything that determines them: the files, the pooling and the
    // texts put before a query or a passage.
    let fingerprint = format!("encoder 1 {digest} {pooling:?} {query_prefix:?} {passage_prefix:?}");
    Ok(format!(
        "pub const NAME: &str = {name:?};\n\
         pub const FINGERPRINT: &str = {fingerprint:?};\n\
         pub const DIMENSIONS: u32 = {dimensions};\n\
         pub const MAX_BYTES: u32 = {max_bytes};\n\
         pub const PASSAGES: u32 = {passages};\n\
         pub const WEIGHT: f64 = {weight:?};\n\
         pub const POOLING: docent_embed::Pooling = docent_embed::Pooling::{pooling:?};\n\
         pub const QUERY_PREFIX: &str = {query_prefix:?};\n\
         pub const PASSAGE_PREFIX: &str = {passage_prefix:?};\n\
         pub static CONFIG: &[u8] = include_bytes!({CONFIG:?});\n\
         pub static TOKENIZER: &[u8] = include_bytes!({TOKENIZER:?});\n\
         pub static WEIGHTS: &[u8] = include_bytes!({WEIGHTS:?});\n"
    ))
}

/// Returns an integer within bounds, or the default if the variable is not set.
fn number(name: &str, (least, most, usual): (u32, u32, u32)) -> Outcome<u32> {
    let Some(value) = variable(name) else {
        return Ok(usual);
    };
    let number = value.parse().ok();
    let number = number.filter(|number| (least..=most).contains(number));
    Ok(number.ok_or_else(|| format!("`{name}` is `{value}`; expected {least} to {most}"))?)
}

fn weight() -> Outcome<f64> {
    let Some(value) = variable("DOCENT_MODEL_WEIGHT") else {
        return Ok(1.0);
    };
    let weight = value.parse().ok();
    let weight = weight.filter(|weight| (0.0..=MOST_WEIGHT).contains(weight));
    Ok(weight.ok_or_else(|| {
        format!("`DOCENT_MODEL_WEIGHT` is `{value}`; expected 0 to {MOST_WEIGHT}")
    })?)
}
