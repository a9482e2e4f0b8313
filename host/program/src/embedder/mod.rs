//! The configured embedder: a model in a directory, or an endpoint, on this machine unless the
//! person allows another.
//!
//! No other module makes connections: `connection` opens them, with TLS if required, and `http` is
//! one request and its response. `docs/decisions/http.md` gives the reasons for writing both here.

mod address;
mod connection;
mod endpoint;
mod http;

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use docent_host::embedder::{EmbedFailure, Embedder, Model};
use docent_host::encoder::{Encoder, EncoderError, EncoderSettings};

pub use address::{AddressReach, EmbedderAddress};
pub use endpoint::{EmbeddingEndpoint, EndpointSpec};

use crate::terminal::notes::note;
use crate::terminal::style::visible;

/// The configuration of an embedder.
#[derive(Clone, Debug, PartialEq)]
pub enum Spec {
    /// A server.
    Endpoint(EndpointSpec),
    /// A model in a directory, which runs in a sandbox of its own.
    Directory(DirectorySpec),
}

/// A model in a directory.
#[derive(Clone, Debug, PartialEq)]
pub struct DirectorySpec {
    /// Directory of its files.
    pub directory: PathBuf,
    /// Settings of the model.
    pub settings: EncoderSettings,
    /// Background embedding of other passages.
    pub background: Background,
}

/// The treatment, between calls, of passages that have no vector yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Background {
    /// Some are embedded after each query.
    Embeds,
    /// None is embedded.
    Rests,
}

/// Timeout for a server to describe its model outside of calls. Some load it first.
const ENDPOINT_LOOK: Duration = Duration::from_secs(30);

/// Timeout for loading a model.
const ENCODER_LOOK: Duration = Duration::from_secs(300);

/// An embedder, ready to be asked.
#[derive(Clone)]
pub enum NamedEmbedder {
    /// A server that has not been asked yet.
    Endpoint(Arc<EmbeddingEndpoint>),
    /// A model that is not loaded yet.
    Encoder(Arc<Encoder>),
}

impl Spec {
    /// Creates the embedder. The files of a model exist, but a fault in them is only reported once
    /// it is known.
    ///
    /// # Errors
    /// Returns an error if a file of the model is missing or invalid.
    pub fn create(&self) -> Result<NamedEmbedder, EncoderError> {
        let shown = self.to_string();
        self.create_with(move |error| note(unusable(&shown, error)))
    }

    /// Returns the treatment of passages without vectors.
    pub fn background(&self) -> Background {
        match self {
            Self::Endpoint(spec) => spec.background,
            Self::Directory(spec) => spec.background,
        }
    }

    /// Asks the embedder for its model.
    ///
    /// # Errors
    /// Returns the reason for which it does not answer.
    pub fn look(&self) -> Result<Model, String> {
        let problem = Arc::new(Mutex::new(None));
        let said = Arc::clone(&problem);
        let report = move |error: &EncoderError| {
            *said.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.to_string());
        };
        let named = self
            .create_with(report)
            .map_err(|error| error.to_string())?;
        named.look().map_err(|failure| {
            let problem = problem
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take();
            problem.unwrap_or_else(|| named.in_words(failure))
        })
    }

    fn create_with(
        &self,
        report: impl Fn(&EncoderError) + Send + Sync + 'static,
    ) -> Result<NamedEmbedder, EncoderError> {
        Ok(match self {
            Self::Endpoint(spec) => {
                NamedEmbedder::Endpoint(Arc::new(EmbeddingEndpoint::new(spec.clone())))
            }
            Self::Directory(DirectorySpec {
                directory,
                settings,
                background: _,
            }) => {
                let encoder = Encoder::open_ambient(directory, settings.clone(), report)?;
                NamedEmbedder::Encoder(Arc::new(encoder))
            }
        })
    }
}

impl NamedEmbedder {
    /// Loads a model, or asks a server for its model, before the first query. A fault is reported
    /// as soon as it is known.
    pub fn begin(&self) {
        match self {
            Self::Encoder(encoder) => encoder.begin(),
            Self::Endpoint(endpoint) => {
                let (named, shown) = (self.clone(), endpoint.address().to_string());
                // This only finds out early that an embedder is unusable. If no thread can be
                // started, the first query finds out.
                let _ = thread::Builder::new()
                    .name("docent-embedder".to_owned())
                    .spawn(move || {
                        if let Err(failure) = named.look() {
                            note(unusable(&shown, named.in_words(failure)));
                        }
                    });
            }
        }
    }

    fn look(&self) -> Result<Model, EmbedFailure> {
        match self {
            Self::Endpoint(endpoint) => endpoint.model(ENDPOINT_LOOK),
            Self::Encoder(encoder) => encoder.model(ENCODER_LOOK),
        }
    }

    fn in_words(&self, failure: EmbedFailure) -> String {
        let distrust = match self {
            Self::Endpoint(endpoint) => endpoint.distrust(),
            Self::Encoder(_) => None,
        };
        match distrust {
            Some(why) => format!("it cannot be trusted: {why}"),
            None => in_words(failure).to_owned(),
        }
    }

    /// Returns the embedder for calls.
    pub fn embedder(&self) -> Arc<dyn Embedder> {
        match self {
            Self::Endpoint(endpoint) => Arc::clone(endpoint) as Arc<dyn Embedder>,
            Self::Encoder(encoder) => Arc::clone(encoder) as Arc<dyn Embedder>,
        }
    }
}

/// Formats the warning that an embedder is unusable, so that ranking is lexical.
fn unusable(embedder: &str, problem: impl fmt::Display) -> String {
    format!("no semantic search with {embedder}: {problem}")
}

fn in_words(failure: EmbedFailure) -> &'static str {
    match failure {
        EmbedFailure::Unavailable => "it cannot be reached",
        EmbedFailure::Refused => "it rejects the request",
        EmbedFailure::TooSlow => "it took too long to say which model it is",
        EmbedFailure::Broken => "its answer is invalid",
    }
}

impl Spec {
    /// Describes the model, and the destination of texts.
    pub fn description(&self) -> String {
        match self {
            Self::Endpoint(EndpointSpec { model, address, .. }) => format!(
                "{}: queries and passages of documents are sent to {self}{}",
                visible(model),
                if address.is_remote() {
                    ", another machine"
                } else {
                    ""
                }
            ),
            Self::Directory(DirectorySpec { settings, .. }) => format!(
                "{}: it runs here, in a sandbox of its own, from {self}",
                visible(&settings.name)
            ),
        }
    }
}

impl fmt::Display for Spec {
    /// Writes the location of the embedder.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Endpoint(spec) => spec.address.fmt(f),
            Self::Directory(spec) => visible(&spec.directory.display().to_string()).fmt(f),
        }
    }
}
