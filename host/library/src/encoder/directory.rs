//! A directory with the files of a model.

use std::fs::{File, OpenOptions};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::error::{EncoderError, FileProblem};
use super::settings::Pooling;

/// The files of a model.
const CONFIG: &str = "config.json";
const TOKENIZER: &str = "tokenizer.json";
const WEIGHTS: &str = "model.safetensors";

/// Maximum bytes read of each file.
const CONFIG_BYTES: u64 = 1 << 20;
const TOKENIZER_BYTES: u64 = 64 << 20;
const WEIGHTS_BYTES: u64 = 4 << 30;

/// A directory with a model: `config.json`, `tokenizer.json` and `model.safetensors`.
#[derive(Clone, Debug)]
pub(crate) struct ModelDirectory(PathBuf);

/// The files of a model, open.
pub(crate) struct ModelFiles {
    pub(crate) config: Vec<u8>,
    pub(crate) tokenizer: Vec<u8>,
    pub(crate) weights: File,
    pub(crate) weights_length: u64,
    /// Pooling method that the directory configures.
    pub(crate) pooling: Option<Pooling>,
}

#[derive(Deserialize)]
struct PoolingConfig {
    #[serde(default)]
    pooling_mode_cls_token: bool,
}

impl ModelDirectory {
    /// Returns the model in `directory`.
    pub(crate) fn new(directory: &Path) -> Self {
        Self(directory.to_owned())
    }

    /// Checks that the files are present; see [`Self::open_ambient`].
    pub(crate) fn check_ambient(&self) -> Result<(), EncoderError> {
        for (name, most) in [
            (CONFIG, CONFIG_BYTES),
            (TOKENIZER, TOKENIZER_BYTES),
            (WEIGHTS, WEIGHTS_BYTES),
        ] {
            self.file(name, most)?;
        }
        Ok(())
    }

    /// Opens the files, and reads the small ones. Symbolic links are followed: the person has named
    /// the directory.
    ///
    /// # Errors
    /// If a file is missing, is not a regular file, or is larger than its limit.
    pub(crate) fn open_ambient(&self) -> Result<ModelFiles, EncoderError> {
        let (weights, weights_length) = self.file(WEIGHTS, WEIGHTS_BYTES)?;
        Ok(ModelFiles {
            config: self.content(CONFIG, CONFIG_BYTES)?,
            tokenizer: self.content(TOKENIZER, TOKENIZER_BYTES)?,
            weights,
            weights_length,
            pooling: self.pooling(),
        })
    }

    /// Returns the pooling method that the directory configures, if it configures one.
    fn pooling(&self) -> Option<Pooling> {
        let text = self.content("1_Pooling/config.json", CONFIG_BYTES).ok()?;
        let config: PoolingConfig = serde_json::from_slice(&text).ok()?;
        Some(match config.pooling_mode_cls_token {
            true => Pooling::First,
            false => Pooling::Mean,
        })
    }

    fn content(&self, name: &str, most: u64) -> Result<Vec<u8>, EncoderError> {
        let (file, length) = self.file(name, most)?;
        let mut content = Vec::with_capacity(length as usize);
        // The file is read up to the size that was checked, since it may grow meanwhile.
        let read = file.take(length).read_to_end(&mut content);
        read.map_err(|error| self.problem(name, error.into()))?;
        Ok(content)
    }

    fn file(&self, name: &str, most: u64) -> Result<(File, u64), EncoderError> {
        open(&self.0.join(name), most).map_err(|problem| self.problem(name, problem))
    }

    fn problem(&self, name: &str, problem: FileProblem) -> EncoderError {
        EncoderError::File {
            path: self.0.join(name),
            problem,
        }
    }
}

/// Opens a file and refuses anything but a regular file: opening a named pipe would block until
/// another process writes to it.
fn open(path: &Path, most: u64) -> Result<(File, u64), FileProblem> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
    }
    let file = options.open(path)?;
    let facts = file.metadata()?;
    if !facts.is_file() {
        return Err(FileProblem::NotRegular);
    }
    let length = facts.len();
    if length > most {
        return Err(FileProblem::TooLarge { length, most });
    }
    Ok((file, length))
}
