//! The recorder, which writes calls to the access log.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use docent_access_log::entry::{
    Begin, CallFiles, EndedCall, LogEntry, Refused, SentAnswer, Unrecorded,
};
use docent_access_log::verify::{Report, Witnesses, verify_ambient};
use docent_access_log::{Hash, Log, LogError, StoredLine, lines_ambient};
use docent_host::tools::Tool;
use docent_host::{CallError, Fault, FileUsage, Openings};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value, json};

use tokio_util::sync::{CancellationToken, DropGuard};

use super::caller::Caller;
use crate::terminal::notes::note;

/// Maximum bytes of an argument's text that is recorded literally: a query, a path. Longer texts
/// are mostly content of documents.
const ARGUMENT_BYTES: usize = 256;

/// Interval of the checks for entries to sign.
const TICK: Duration = Duration::from_secs(5);

/// Interval in which requests with invalid tokens are recorded, and the maximum of distinct
/// addresses in it.
const REFUSALS: Duration = Duration::from_secs(60);
const ADDRESSES: usize = 16;

/// Interval of the checks that all calls are recorded, and their maximum number: longer than a
/// guest takes to stop, and than a disk takes to write.
const SETTLING_LOOK: Duration = Duration::from_millis(5);
const SETTLING_LOOKS: u32 = 1000;

/// A recorder of calls.
pub struct Recorder {
    log: Log,
    /// Number of started calls that are not recorded yet.
    pending: AtomicUsize,
    /// Number of calls that could not be recorded, until that fact is recorded.
    unrecorded: AtomicU64,
    refusals: Mutex<Refusals>,
}

/// The requests with invalid tokens that are not recorded yet.
struct Refusals {
    waiting: Refused,
    /// Time of the last record.
    recorded: Option<Instant>,
}

/// A fault of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrongToken {
    /// There is no token.
    Missing,
    /// The token is unknown, revoked or expired.
    Wrong,
}

/// A call to be recorded, until this is dropped.
pub struct Pending {
    recorder: Arc<Recorder>,
    /// Number of the entry for its start, until its outcome is recorded.
    begun: Option<u64>,
}

impl Drop for Pending {
    fn drop(&mut self) {
        if self.begun.is_some() {
            self.recorder.log.abandon();
        }
        self.recorder.pending.fetch_sub(1, Ordering::Release);
    }
}

/// An answer in the form in which it is sent.
pub trait RecordedBytes: Send + 'static {
    /// Returns the bytes of its content.
    fn content(&self) -> Vec<u8>;
}

impl RecordedBytes for Value {
    fn content(&self) -> Vec<u8> {
        self.to_string().into_bytes()
    }
}

impl RecordedBytes for CallToolResult {
    fn content(&self) -> Vec<u8> {
        if let Some(structured) = &self.structured_content {
            return structured.content();
        }
        self.content.content()
    }
}

impl RecordedBytes for Vec<ContentBlock> {
    /// Returns the texts, and pictures as base64.
    fn content(&self) -> Vec<u8> {
        let sent = self.iter().filter_map(|block| match block {
            ContentBlock::Text(text) => Some(text.text.as_bytes()),
            ContentBlock::Image(picture) => Some(picture.data.as_bytes()),
            _ => None,
        });
        sent.flatten().copied().collect()
    }
}

impl Recorder {
    /// Creates a recorder that writes to `log`.
    pub fn new(log: Log) -> Self {
        Self {
            log,
            pending: AtomicUsize::new(0),
            unrecorded: AtomicU64::new(0),
            refusals: Mutex::new(Refusals {
                waiting: Refused::default(),
                recorded: None,
            }),
        }
    }

    /// Returns true if the last record was written, and more can be.
    pub fn can_record(&self) -> bool {
        self.log.is_writable()
    }

    /// Records the start of a call, with space reserved on disk for its outcome, if the call may
    /// change something or the log is not known to be writable. Returns none if that fails: the
    /// call must not be made.
    pub fn begin(
        self: &Arc<Self>,
        caller: &Caller,
        tool: &Tool,
        request: &Map<String, Value>,
    ) -> Option<Pending> {
        // Counted before anything else, so that `wait_until_recorded` waits for this call from its
        // beginning. `Pending` counts down when it is dropped, on every path.
        self.pending.fetch_add(1, Ordering::Relaxed);
        let mut pending = Pending {
            recorder: Arc::clone(self),
            begun: None,
        };
        // A call that only reads is recorded once, before its answer is sent: if that fails,
        // the answer is withheld and nothing has happened. A call that writes cannot be taken
        // back, so its beginning is on the disk before it runs. While the log is not known to
        // be writable, reading calls are begun as well, which finds out whether it is writable
        // again.
        if tool.read_only && self.can_record() {
            return Some(pending);
        }
        let begin = Begin {
            who: caller.name.to_string(),
            principal: caller.principal,
            client: caller.client.as_deref().map(str::to_owned),
            tool: tool.name.clone(),
            arguments: arguments(tool, request),
        };
        match self.log.begin(LogEntry::Begin(Box::new(begin))) {
            Ok(seq) => {
                pending.begun = Some(seq);
                Some(pending)
            }
            Err(error) => {
                self.count_failure(&error);
                None
            }
        }
    }

    /// Counts a call that could not be recorded, and reports the error.
    fn count_failure(&self, error: &LogError) {
        self.unrecorded.fetch_add(1, Ordering::Relaxed);
        note(format_args!("a call could not be recorded: {error}"));
    }

    /// Waits until all started calls are recorded, including those whose callers have disconnected.
    pub async fn wait_until_recorded(&self) {
        for _ in 0..SETTLING_LOOKS {
            if self.pending.load(Ordering::Acquire) == 0 {
                return;
            }
            tokio::time::sleep(SETTLING_LOOK).await;
        }
    }

    /// Records the outcome of a call. Returns true if it was written.
    pub fn record(&self, mut pending: Pending, mut call: EndedCall) -> bool {
        call.begun = pending.begun.take();
        let is_begun = call.begun.is_some();
        let entry = LogEntry::Call(Box::new(call));
        let recorded = if is_begun {
            self.log.finish(entry)
        } else {
            self.log.append(entry)
        };
        match recorded {
            Ok(_) => true,
            Err(error) => {
                self.count_failure(&error);
                false
            }
        }
    }

    /// Records the number of unrecorded calls, if there are any. The attempt also finds out
    /// whether the log is writable again.
    fn record_unrecorded(&self) {
        let calls = self.unrecorded.load(Ordering::Relaxed);
        if calls == 0 {
            return;
        }
        if self
            .log
            .append(LogEntry::Unrecorded(Unrecorded { calls }))
            .is_ok()
        {
            self.unrecorded.fetch_sub(calls, Ordering::Relaxed);
        }
    }

    /// Returns the entries for which `wanted` is true, in order.
    pub fn lines(&self, wanted: impl Fn(&StoredLine) -> bool) -> Vec<StoredLine> {
        lines_ambient(self.log.directory(), wanted).unwrap_or_default()
    }

    /// Verifies the log with this machine's key; none if it cannot be read.
    pub fn report(&self) -> Option<Report> {
        let witnesses = Witnesses {
            key: Some(self.log.verifier().clone()),
            ..Witnesses::default()
        };
        verify_ambient(self.log.directory(), &witnesses).ok()
    }

    /// Returns the time of the last signed checkpoint, in RFC 3339 format.
    pub fn last_signed_at(&self) -> Option<String> {
        self.log.last_signed_at()
    }

    /// Counts a request with an invalid token.
    pub fn count_refused(&self, why: WrongToken, peer: Option<IpAddr>) {
        let mut refusals = self.refusals();
        let waiting = &mut refusals.waiting;
        *match why {
            WrongToken::Missing => &mut waiting.missing,
            WrongToken::Wrong => &mut waiting.wrong,
        } += 1;
        if let Some(peer) = peer.map(|peer| peer.to_string())
            // A sender with many addresses must not fill the memory or the log: the first
            // addresses of an interval are counted by name, and all requests are counted in
            // `missing` and `wrong`.
            && (waiting.from.len() < ADDRESSES || waiting.from.contains_key(&peer))
        {
            *waiting.from.entry(peer).or_default() += 1;
        }
    }

    fn refusals(&self) -> MutexGuard<'_, Refusals> {
        self.refusals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the requests with invalid tokens, if there are any.
    fn record_refusals(&self, at_once: bool) {
        let refused = {
            let mut refusals = self.refusals();
            let is_early = refusals
                .recorded
                .is_some_and(|recorded| recorded.elapsed() < REFUSALS);
            if refusals.waiting == Refused::default() || is_early && !at_once {
                return;
            }
            refusals.recorded = Some(Instant::now());
            std::mem::take(&mut refusals.waiting)
        };
        if let Err(error) = self.log.append(LogEntry::Refused(refused)) {
            note(format_args!(
                "refused requests could not be recorded: {error}"
            ));
        }
    }

    /// Signs the entries that are due. Must be called every few seconds.
    pub fn tick(&self) {
        self.record_unrecorded();
        self.record_refusals(false);
        if let Err(error) = self.log.tick() {
            note(format_args!("the log could not be signed: {error}"));
        }
    }

    /// Seals the log: later entries belong to another start.
    pub fn seal(&self) {
        self.record_unrecorded();
        self.record_refusals(true);
        let ended = self
            .log
            .append(LogEntry::Stop {})
            .and_then(|_| self.log.seal());
        if let Err(error) = ended {
            note(format_args!("the log could not be sealed: {error}"));
        }
    }

    /// Creates the record of a call.
    pub fn call<T: RecordedBytes>(
        caller: &Caller,
        tool: &Tool,
        request: &Map<String, Value>,
        outcome: &Result<T, CallError>,
        time: Duration,
        openings: &Openings,
    ) -> EndedCall {
        let answer = outcome.as_ref().ok().map(|answer| {
            let content = answer.content();
            SentAnswer {
                bytes: content.len() as u64,
                sha256: Hash::digest(&content),
            }
        });
        EndedCall {
            begun: None,
            who: caller.name.to_string(),
            principal: caller.principal,
            client: caller.client.as_deref().map(str::to_owned),
            tool: tool.name.clone(),
            arguments: arguments(tool, request),
            outcome: outcome.as_ref().err().map_or("answered", word).to_owned(),
            ms: u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
            answer,
            instance: openings.instance,
            calls_before: openings.calls_before,
            files: files(openings),
        }
    }
}

/// Signs entries periodically until the returned guard is dropped.
pub fn start_ticking(recorder: &Arc<Recorder>) -> DropGuard {
    let over = CancellationToken::new();
    let (recorder, ended) = (Arc::clone(recorder), over.clone());
    tokio::spawn(async move {
        let mut ticks = tokio::time::interval(TICK);
        loop {
            tokio::select! {
                () = ended.cancelled() => return,
                _ = ticks.tick() => {}
            }
            let recorder = Arc::clone(&recorder);
            let _ = tokio::task::spawn_blocking(move || recorder.tick()).await;
        }
    });
    over.drop_guard()
}

/// Returns the code of a refusal, or the keyword of a fault.
fn word(error: &CallError) -> &str {
    match error {
        CallError::Refused(refusal) => &refusal.code,
        CallError::Fault(fault) => match fault {
            Fault::Timeout(_) => "timeout",
            Fault::RootSilent(_) => "root-silent",
            Fault::OutOfMemory(_) => "out-of-memory",
            Fault::ResultTooLarge(_) => "result-too-large",
            Fault::Cancelled => "cancelled",
            Fault::Busy => "busy",
            Fault::Arguments(_) => "invalid-arguments",
            Fault::Unavailable(_) | Fault::NoFunction(_) => "unavailable",
            Fault::Unanswered(_) => "unanswered",
            Fault::Trap(_) => "stopped",
        },
    }
}

/// Returns the arguments of a call without text of documents: texts of more than [`ARGUMENT_BYTES`]
/// are replaced by their length and SHA-256, as are all texts for a tool that writes, except names
/// such as `path` and `root`.
fn arguments(tool: &Tool, request: &Map<String, Value>) -> Value {
    let whole = Value::Object(request.clone());
    if tool.read_only {
        return without_texts(whole, &|_, text| text.len() > ARGUMENT_BYTES);
    }
    // A tool that writes has texts of documents in arguments of any length: `{"oldText": "no",
    // "newText": "yes"}` in a contract is its content. Only arguments whose names say that they
    // are names or commands are recorded literally.
    let is_name = |name: &str| {
        let name = name.to_ascii_lowercase();
        ["path", "root", "id", "action", "operation", "command"]
            .iter()
            .any(|end| name.ends_with(end))
    };
    without_texts(whole, &|name, text| {
        !is_name(name) || text.len() > ARGUMENT_BYTES
    })
}

/// Replaces the texts for which `is_hidden` is true, given their names.
fn without_texts(value: Value, is_hidden: &dyn Fn(&str, &str) -> bool) -> Value {
    fn inside(name: &str, value: Value, is_hidden: &dyn Fn(&str, &str) -> bool) -> Value {
        match value {
            Value::String(text) if is_hidden(name, &text) => {
                json!({"bytes": text.len(), "sha256": Hash::digest(text.as_bytes()).to_string()})
            }
            Value::Array(items) => {
                let items = items.into_iter();
                items.map(|item| inside(name, item, is_hidden)).collect()
            }
            Value::Object(fields) => {
                let fields = fields.into_iter();
                fields
                    .map(|(name, value)| {
                        let value = inside(&name, value, is_hidden);
                        (name, value)
                    })
                    .collect()
            }
            other => other,
        }
    }
    inside("", value, is_hidden)
}

fn files(openings: &Openings) -> CallFiles {
    let mut files = CallFiles {
        left_out: openings.left_out,
        ..CallFiles::default()
    };
    let add = |map: &mut BTreeMap<String, Vec<String>>, root: &str, path: &str| {
        map.entry(root.to_owned())
            .or_default()
            .push(path.to_owned());
    };
    for file in &openings.files {
        match file.usage {
            FileUsage::Read => add(&mut files.read, &file.root, &file.path),
            FileUsage::Written => add(&mut files.written, &file.root, &file.path),
            FileUsage::Removed => add(&mut files.removed, &file.root, &file.path),
            FileUsage::Refused(why) => {
                let refused = files.refused.entry(file.root.to_string()).or_default();
                refused.push((file.path.clone(), why.to_owned()));
            }
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use docent_host::tools;

    use super::*;

    #[test]
    fn no_text_of_documents_is_recorded() {
        let shown = |tool: &str, request: Value| {
            let Value::Object(request) = request else {
                unreachable!("a request is an object");
            };
            arguments(tools::table().find(tool).unwrap(), &request)
        };
        let long = "x".repeat(ARGUMENT_BYTES + 1);
        let asked = shown(
            "search_documents",
            json!({"query": "harbour", "path": long}),
        );
        assert_eq!(asked["query"], "harbour");
        assert_eq!(asked["path"]["bytes"], ARGUMENT_BYTES + 1);
        let edit = json!({"path": "a.md", "oldText": "a secret", "newText": "b"});
        let changed = shown("change", json!({"edits": [edit], "dryRun": true}));
        assert_eq!(changed["edits"][0]["path"], "a.md");
        assert_eq!(changed["edits"][0]["oldText"]["bytes"], 8);
        assert_eq!(changed["dryRun"], true);
        assert!(!changed.to_string().contains("secret"), "{changed}");
    }
}
