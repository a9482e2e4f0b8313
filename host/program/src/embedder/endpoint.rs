//! An endpoint with OpenAI's interface (`POST …/embeddings`), such as Ollama, llama.cpp, LM Studio,
//! vLLM or TEI.
//!
//! Texts are sent to its address alone: without proxies or redirects, and without name resolution
//! except for another machine that the person has allowed.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use docent_host::embedder::{EmbedFailure, Embedder, Model, Role};
use serde::{Deserialize, Serialize};

use super::Background;
use super::address::EmbedderAddress;
use super::http::{HttpRequest, RequestError};

/// Time for which the description of a model remains valid.
const DESCRIBED: Duration = Duration::from_secs(60);

/// Pause after an endpoint was too slow to describe its model; otherwise each call would wait for
/// it.
const LEFT_ALONE: Duration = Duration::from_secs(30);

/// Text that is embedded to identify a model.
const PROBE: &str = "What is this?";

/// Minimum cosine between two vectors of [`PROBE`] by the same model: rounding differs between
/// machines and over time.
const SAME: f64 = 0.999;

/// The configuration of an endpoint.
#[derive(Clone, PartialEq)]
pub struct EndpointSpec {
    /// Address of the endpoint.
    pub address: EmbedderAddress,
    /// Name of the model.
    pub model: String,
    /// API key, if the endpoint requires one.
    pub key: Option<String>,
    /// Prefix of each query.
    pub query_prefix: String,
    /// Prefix of each passage.
    pub passage_prefix: String,
    /// Maximum bytes of a text.
    pub max_bytes: u32,
    /// Maximum passages that one query may embed.
    pub passages: u32,
    /// Weight of its ranking beside the lexical one.
    pub weight: f64,
    /// Background embedding of other passages.
    pub background: Background,
}

/// An endpoint.
pub struct EmbeddingEndpoint {
    spec: EndpointSpec,
    known: Mutex<EndpointState>,
}

/// The cached state of an endpoint.
#[derive(Default)]
struct EndpointState {
    /// Its model, its first vector of [`PROBE`], and the time of the last description.
    described: Option<(Model, Vec<f32>, Instant)>,
    /// End of the pause in which it is not asked.
    silent_until: Option<Instant>,
    /// Reason for which it was not trusted at the last request.
    distrust: Option<String>,
}

#[derive(Serialize)]
struct EmbeddingRequest<'a> {
    model: &'a str,
    input: &'a [String],
    // Some endpoints answer with base64 instead of numbers if the format is not named.
    encoding_format: &'static str,
}

#[derive(Deserialize)]
struct EmbeddingResponse {
    data: Vec<Embedded>,
}

#[derive(Deserialize)]
struct Embedded {
    index: Option<usize>,
    embedding: Vec<f32>,
}

/// A reason for missing vectors.
enum EmbeddingRefusal {
    /// Fewer texts, or shorter ones, might succeed.
    TooMuch(EmbedFailure),
    /// No text can succeed.
    All(EmbedFailure),
}

impl std::fmt::Debug for EmbeddingEndpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Debug::fmt(&self.spec, f)
    }
}

impl std::fmt::Debug for EndpointSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The key is left out: this text may appear in logs and messages.
        f.debug_struct("EndpointSpec")
            .field("address", &self.address)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

impl EmbeddingEndpoint {
    /// Creates an endpoint; no request is sent.
    pub fn new(spec: EndpointSpec) -> Self {
        Self {
            spec,
            known: Mutex::default(),
        }
    }

    /// Returns its address.
    pub fn address(&self) -> EmbedderAddress {
        self.spec.address.clone()
    }

    /// Returns the reason for which it was not trusted at the last request, if so.
    pub fn distrust(&self) -> Option<String> {
        self.lock_known().distrust.clone()
    }

    fn lock_known(&self) -> MutexGuard<'_, EndpointState> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the vectors of texts: of those that the endpoint accepts together, or at least
    /// alone.
    fn vectors(
        &self,
        texts: &[String],
        end: Instant,
    ) -> Result<Vec<Option<Vec<f32>>>, EmbedFailure> {
        match self.ask(texts, end) {
            Ok(vectors) => Ok(vectors.into_iter().map(Some).collect()),
            Err(EmbeddingRefusal::All(failure)) => Err(failure),
            Err(EmbeddingRefusal::TooMuch(_)) if texts.len() > 1 => {
                let (front, back) = texts.split_at(texts.len() / 2);
                let (front, back) = (self.vectors(front, end), self.vectors(back, end));
                // A single text can be refused, such as one longer than the context of the
                // model, and the endpoint then refuses all texts of the request. Halving
                // isolates it: of 50 texts with one that is too long, 49 get vectors after
                // about a dozen requests. A timeout or a malformed answer ends the search.
                let (mut both, rest) = match (front, back) {
                    (Ok(front), Ok(back)) => (front, back),
                    (Ok(front), Err(EmbedFailure::Refused | EmbedFailure::Unavailable)) => {
                        (front, vec![None; back_of(texts)])
                    }
                    (Err(EmbedFailure::Refused | EmbedFailure::Unavailable), Ok(back)) => {
                        (vec![None; texts.len() / 2], back)
                    }
                    (Err(failure), _) | (_, Err(failure)) => return Err(failure),
                };
                both.extend(rest);
                Ok(both)
            }
            Err(EmbeddingRefusal::TooMuch(failure)) => Err(failure),
        }
    }

    /// Requests the vectors of texts, in their order.
    fn ask(&self, texts: &[String], end: Instant) -> Result<Vec<Vec<f32>>, EmbeddingRefusal> {
        let question = EmbeddingRequest {
            model: &self.spec.model,
            input: texts,
            encoding_format: "float",
        };
        let broken = || EmbeddingRefusal::All(EmbedFailure::Broken);
        let body = serde_json::to_vec(&question).map_err(|_| broken())?;
        let request = HttpRequest {
            address: &self.spec.address,
            key: self.spec.key.as_deref(),
            body: &body,
        };
        let answer = request.send(end);
        self.lock_known().distrust = match &answer {
            Err(RequestError::Untrusted(why)) => Some(why.clone()),
            _ => None,
        };
        let (status, body) = answer.map_err(|error| match error {
            RequestError::Unreachable | RequestError::Untrusted(_) => {
                EmbeddingRefusal::All(EmbedFailure::Unavailable)
            }
            RequestError::TooSlow => EmbeddingRefusal::All(EmbedFailure::TooSlow),
            RequestError::Malformed => broken(),
            // Some endpoints close the connection instead of answering if a text is too long,
            // so fewer texts may succeed.
            RequestError::Closed => EmbeddingRefusal::TooMuch(EmbedFailure::Unavailable),
        })?;
        match status {
            200 => {}
            400 | 413 | 422 | 500 => return Err(EmbeddingRefusal::TooMuch(EmbedFailure::Refused)),
            _ => return Err(EmbeddingRefusal::All(EmbedFailure::Refused)),
        }
        let answer: EmbeddingResponse = serde_json::from_slice(&body).map_err(|_| broken())?;
        in_order(answer, texts.len()).ok_or_else(broken)
    }

    /// Describes the model by its vector of [`PROBE`].
    fn describe_model(&self, probe: &[f32]) -> Model {
        let spec = &self.spec;
        let rounded: Vec<i32> = probe
            .iter()
            .map(|one| (one * 127.0).round() as i32)
            .collect();
        let parts = (&spec.query_prefix, &spec.passage_prefix, rounded);
        Model {
            name: spec.model.clone(),
            fingerprint: format!("{} {} {parts:?}", spec.address, spec.model),
            // The library refuses more than 4096 dimensions, so the cast needs no error of its
            // own.
            dimensions: u32::try_from(probe.len()).unwrap_or(u32::MAX),
            max_bytes: spec.max_bytes,
            passages: spec.passages,
            weight: spec.weight,
        }
    }
}

/// Returns the number of texts in the second half.
fn back_of(texts: &[String]) -> usize {
    texts.len() - texts.len() / 2
}

/// Returns one vector for each text, in the order of the texts; none if any is missing.
fn in_order(answer: EmbeddingResponse, texts: usize) -> Option<Vec<Vec<f32>>> {
    let mut vectors: Vec<Option<Vec<f32>>> = vec![None; texts];
    if answer.data.len() != texts {
        return None;
    }
    for (place, embedded) in answer.data.into_iter().enumerate() {
        let slot = vectors.get_mut(embedded.index.unwrap_or(place))?;
        // As many vectors as texts were returned, so a repeated index means that another one is
        // missing. Assigning a vector to the wrong text would go unnoticed.
        if slot.replace(embedded.embedding).is_some() {
            return None;
        }
    }
    vectors.into_iter().collect()
}

/// Returns the cosine of two vectors.
fn alike(a: &[f32], b: &[f32]) -> f64 {
    let product = |a: &[f32], b: &[f32]| -> f64 {
        let pairs = a.iter().zip(b);
        pairs.map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    };
    product(a, b) / (product(a, a) * product(b, b)).sqrt()
}

impl Embedder for EmbeddingEndpoint {
    fn model(&self, timeout: Duration) -> Result<Model, EmbedFailure> {
        let now = Instant::now();
        {
            let known = self.lock_known();
            if let Some((model, _, asked)) = &known.described
                && now.duration_since(*asked) < DESCRIBED
            {
                return Ok(model.clone());
            }
            if known.silent_until.is_some_and(|until| now < until) {
                return Err(EmbedFailure::TooSlow);
            }
        }
        let text = format!("{}{PROBE}", self.spec.passage_prefix);
        let made = self.vectors(&[text], now + timeout);
        let mut known = self.lock_known();
        if made == Err(EmbedFailure::TooSlow) {
            known.silent_until = Some(Instant::now() + LEFT_ALONE);
        }
        let probe = made?.into_iter().flatten().next();
        let probe = probe.ok_or(EmbedFailure::Refused)?;
        if let Some((model, first, asked)) = &mut known.described
            && first.len() == probe.len()
            && alike(first, &probe) >= SAME
        {
            *asked = now;
            return Ok(model.clone());
        }
        let model = self.describe_model(&probe);
        known.described = Some((model.clone(), probe, now));
        Ok(model)
    }

    fn embed(
        &self,
        role: Role,
        texts: &[&str],
        timeout: Duration,
    ) -> Result<Vec<Option<Vec<f32>>>, EmbedFailure> {
        let prefix = match role {
            Role::Query => &self.spec.query_prefix,
            Role::Passage => &self.spec.passage_prefix,
        };
        let texts: Vec<String> = texts.iter().map(|text| format!("{prefix}{text}")).collect();
        self.vectors(&texts, Instant::now() + timeout)
    }
}

#[cfg(test)]
mod tests {
    use super::super::AddressReach;
    use super::*;

    fn order(json: &str, texts: usize) -> Option<Vec<Vec<f32>>> {
        in_order(serde_json::from_str(json).ok()?, texts)
    }

    #[test]
    fn vectors_are_told_by_their_index() {
        let swapped = r#"{"data":[{"index":1,"embedding":[1]},{"index":0,"embedding":[2]}]}"#;
        assert_eq!(order(swapped, 2), Some(vec![vec![2.0], vec![1.0]]));
        let bare = r#"{"data":[{"embedding":[1]},{"embedding":[2]}],"usage":{}}"#;
        assert_eq!(order(bare, 2), Some(vec![vec![1.0], vec![2.0]]));
        for (json, texts) in [
            (bare, 1),
            (bare, 3),
            (
                r#"{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[2]}]}"#,
                2,
            ),
            (r#"{"data":[{"index":9,"embedding":[1]}]}"#, 1),
            (r#"{"data":[{"index":0,"embedding":"AACAPw=="}]}"#, 1),
            (r#"{"data":[{"index":0,"embedding":[NaN]}]}"#, 1),
            (r#"{"error":"no"}"#, 1),
            ("<html>", 1),
        ] {
            assert_eq!(order(json, texts), None, "{json}");
        }
    }

    #[test]
    fn a_key_is_not_shown() {
        let spec = EndpointSpec {
            address: EmbedderAddress::parse("http://127.0.0.1:1/v1", AddressReach::Here).unwrap(),
            model: "m".to_owned(),
            key: Some("canary".to_owned()),
            query_prefix: String::new(),
            passage_prefix: String::new(),
            max_bytes: 1,
            passages: 1,
            weight: 1.0,
            background: Background::Embeds,
        };
        assert!(!format!("{spec:?} {:?}", EmbeddingEndpoint::new(spec.clone())).contains("canary"));
    }
}
