//! Recent calls, in memory: their requests, callers and answers.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};
use docent_access_log::Hash;
use docent_host::render::Renderer;
use docent_host::tools::Tool;
use serde_json::{Map, Value, json};

use crate::explain;
use crate::serve::caller::Caller;
use crate::serve::http::call_report;
use crate::serve::tool_service::{Answers, CompletedCall};

/// Maximum calls that are kept: as many as a person looks back at.
const MOST_CALLS: usize = 200;

/// Maximum bytes of requests and answers that are kept, so that a few long ones do not fill the
/// memory.
const MOST_BYTES: usize = 32 << 20;

/// The recent calls of a running server. They are never written to disk.
pub struct RecentCalls {
    /// None if no calls are kept.
    kept: Option<Mutex<StoredCall>>,
    answers: Answers,
    renderer: Renderer,
}

#[derive(Default)]
struct StoredCall {
    /// Number of the latest call.
    latest: u64,
    bytes: usize,
    calls: VecDeque<Arc<RecentCall>>,
}

/// A completed call.
pub struct RecentCall {
    /// Number of the call, assigned when it enters the list.
    id: u64,
    time: DateTime<Utc>,
    caller: Caller,
    tool: &'static Tool,
    request: Map<String, Value>,
    /// Answer as JSON text, which takes a fraction of the memory of its parsed values.
    pub answer: Result<String, CallFailure>,
    took: Duration,
    /// Files that it opened, in the format of the page.
    files: Value,
    bytes: usize,
    /// Size of the answer as it was sent; computed when it is first shown.
    weight: OnceLock<Value>,
}

/// The refusal or fault of a call.
pub struct CallFailure {
    outcome: &'static str,
    /// Error in the format of the page.
    pub error: Value,
    text: String,
}

impl RecentCalls {
    /// Creates a list of calls whose answers are sent in the form `answers`. It stays empty unless
    /// `keeps` is true.
    pub fn new(answers: Answers, keeps: bool) -> Self {
        Self {
            kept: keeps.then(Mutex::default),
            answers,
            renderer: Renderer::new(),
        }
    }

    /// Creates the record of a call; none if calls are not kept.
    pub fn record(&self, ended: &CompletedCall<'_>) -> Option<RecentCall> {
        self.kept.as_ref()?;
        let answer = match ended.outcome {
            Ok(answer) => Ok(answer.to_string()),
            Err(error) => {
                let (outcome, told) = call_report::outcome_keyword(ended.outcome);
                Err(CallFailure {
                    outcome,
                    error: told.unwrap_or_default(),
                    text: explain::call(error),
                })
            }
        };
        let request = ended.request.clone();
        let length =
            |value: &Map<String, Value>| serde_json::to_string(value).map_or(0, |it| it.len());
        let bytes = length(&request) + answer.as_ref().map_or(0, String::len);
        (bytes <= MOST_BYTES).then(|| RecentCall {
            id: 0,
            time: Utc::now(),
            caller: ended.caller.clone(),
            tool: ended.tool,
            request,
            answer,
            took: ended.time,
            files: call_report::describe_opened(ended.openings),
            bytes,
            weight: OnceLock::new(),
        })
    }

    /// Adds the record of a call to the list, once its answer is sent.
    pub fn keep(&self, mut record: RecentCall) {
        let Some(kept) = &self.kept else { return };
        let mut kept = lock(kept);
        kept.latest += 1;
        kept.bytes += record.bytes;
        record.id = kept.latest;
        kept.calls.push_back(Arc::new(record));
        while kept.calls.len() > MOST_CALLS || kept.bytes > MOST_BYTES {
            let Some(oldest) = kept.calls.pop_front() else {
                break;
            };
            kept.bytes -= oldest.bytes;
        }
    }

    /// Returns the answer of a call, and the exact text that was sent.
    pub fn sent_answer(&self, record: &RecentCall) -> (Option<Value>, String) {
        match &record.answer {
            Err(refused) => (None, refused.text.clone()),
            Ok(answer) => {
                let answer: Value = serde_json::from_str(answer).unwrap_or_default();
                let text = call_report::sent_text(
                    &self.renderer,
                    self.answers,
                    record.tool,
                    &record.request,
                    &answer,
                );
                (Some(answer), text)
            }
        }
    }

    /// Describes a call without its answer.
    pub fn describe(&self, record: &RecentCall) -> Value {
        let outcome = record
            .answer
            .as_ref()
            .map_or_else(|it| it.outcome, |_| "answered");
        let weight = || call_report::measure_text(&self.sent_answer(record).1);
        json!({
            "id": record.id,
            "time": record.time.to_rfc3339_opts(SecondsFormat::Millis, true),
            "principal": &*record.caller.name,
            "client": record.caller.client.as_deref(),
            "tool": record.tool.name,
            "arguments": record.request,
            "outcome": outcome,
            "ms": call_report::milliseconds(record.took),
            "files": record.files,
            "sent": record.weight.get_or_init(weight),
        })
    }

    /// Returns the calls after the one with this number that `visibility` permits.
    pub fn after(&self, id: u64, visibility: CallVisibility) -> Value {
        let Some(kept) = &self.kept else {
            return json!({"off": true});
        };
        let (latest, calls) = {
            let kept = lock(kept);
            // The page may ask with a number from before a restart, which exceeds the latest
            // one. It then gets all calls; otherwise it would show none until as many have been
            // made.
            let id = if id > kept.latest { 0 } else { id };
            let is_new =
                |call: &&Arc<RecentCall>| call.id > id && visibility.shows(call.caller.principal);
            let calls: Vec<_> = kept.calls.iter().filter(is_new).cloned().collect();
            (kept.latest, calls)
        };
        let calls: Vec<_> = calls.iter().map(|call| self.describe(call)).collect();
        json!({"latest": latest, "most": MOST_CALLS, "calls": calls})
    }

    /// Returns the call with this number, if `visibility` permits it.
    pub fn one(&self, id: u64, visibility: CallVisibility) -> Option<Arc<RecentCall>> {
        let kept = lock(self.kept.as_ref()?);
        let mut calls = kept.calls.iter();
        let found = calls.find(|it| it.id == id && visibility.shows(it.caller.principal));
        found.cloned()
    }
}

fn lock(kept: &Mutex<StoredCall>) -> MutexGuard<'_, StoredCall> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The calls that a principal may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallVisibility {
    /// All calls.
    All,
    /// Calls of this principal: of the same token, with the same roots and rights. A name is not an
    /// identity, because it can be given to another token, and a token can be given other roots.
    Own(Hash),
}

impl CallVisibility {
    /// Returns true if a call of `principal` is visible.
    pub fn shows(self, principal: Option<Hash>) -> bool {
        match self {
            Self::All => true,
            Self::Own(own) => principal == Some(own),
        }
    }
}

#[cfg(test)]
mod tests {
    use docent_host::{Openings, tools};

    use super::*;

    fn record(calls: &RecentCalls, name: &str, text: &str) {
        let caller = Caller {
            name: name.into(),
            principal: Some(Hash::digest(name.as_bytes())),
            client: Some("test".into()),
        };
        let request = json!({"path": "a.md"});
        let taken = calls.record(&CompletedCall {
            caller: &caller,
            tool: tools::table().find("read_document").unwrap(),
            request: request.as_object().unwrap(),
            outcome: &Ok(json!({"path": "a.md", "text": text})),
            time: Duration::from_millis(3),
            openings: &Openings::default(),
        });
        taken.into_iter().for_each(|record| calls.keep(record));
    }

    /// Skips counting the size of each answer, which is slow for long ones.
    fn kept(calls: &RecentCalls) -> Vec<u64> {
        let kept = lock(calls.kept.as_ref().unwrap());
        kept.calls.iter().map(|it| it.id).collect()
    }

    fn ids(told: &Value) -> Vec<u64> {
        let calls = told["calls"].as_array().unwrap();
        calls.iter().map(|it| it["id"].as_u64().unwrap()).collect()
    }

    #[test]
    fn the_newest_are_kept() {
        let calls = RecentCalls::new(Answers::Structured, true);
        for _ in 0..MOST_CALLS + 3 {
            record(&calls, "ann", "x");
        }
        let told = calls.after(0, CallVisibility::All);
        assert_eq!(ids(&told).len(), MOST_CALLS);
        assert_eq!(ids(&told)[0], 4);
        assert_eq!(told["latest"], MOST_CALLS + 3);
        assert_eq!(ids(&calls.after(201, CallVisibility::All)), [202, 203]);
        // After a restart of the server, all calls are returned.
        assert_eq!(
            ids(&calls.after(9999, CallVisibility::All)).len(),
            MOST_CALLS
        );
        assert!(calls.one(3, CallVisibility::All).is_none());
    }

    #[test]
    fn long_answers_put_out_older_ones() {
        let calls = RecentCalls::new(Answers::Structured, true);
        let long = "x".repeat(MOST_BYTES / 3);
        for _ in 0..5 {
            record(&calls, "ann", &long);
        }
        assert_eq!(kept(&calls), [4, 5]);
        record(&calls, "ann", &"x".repeat(MOST_BYTES));
        assert_eq!(kept(&calls), [4, 5]);
    }

    #[test]
    fn others_calls_are_not_there() {
        let calls = RecentCalls::new(Answers::Markdown, true);
        record(&calls, "ann", "x");
        record(&calls, "ben", "x");
        assert_eq!(
            ids(&calls.after(0, CallVisibility::Own(Hash::digest(b"ben")))),
            [2]
        );
        assert!(
            calls
                .one(1, CallVisibility::Own(Hash::digest(b"ben")))
                .is_none()
        );
        assert_eq!(ids(&calls.after(0, CallVisibility::All)), [1, 2]);
    }

    #[test]
    fn what_is_kept_is_what_was_sent() {
        let calls = RecentCalls::new(Answers::Structured, true);
        record(&calls, "ann", "x");
        let call = calls.one(1, CallVisibility::All).unwrap();
        let (structured, text) = calls.sent_answer(&call);
        assert_eq!(text, structured.unwrap().to_string());
        assert_eq!(calls.describe(&call)["sent"]["bytes"], text.len());
    }

    #[test]
    fn where_none_are_kept_that_is_said() {
        let calls = RecentCalls::new(Answers::Markdown, false);
        record(&calls, "ann", "x");
        assert_eq!(calls.after(0, CallVisibility::All), json!({"off": true}));
        assert!(calls.one(1, CallVisibility::All).is_none());
    }
}
