//! The service for callers with the same rights: the offer of tools, and the pool that runs their
//! calls. No other code uses that pool.

use std::sync::Arc;
use std::time::Duration;

use docent_host::render::Renderer;
use docent_host::tools::{self, Tool};
use docent_host::{CallControl, CallError, Fault, OpeningLog, Openings};
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::background_pool::BackgroundPool;
use super::caller::Caller;
use super::instructions::READ_ONLY;
use super::recorder::{RecordedBytes, Recorder};
use crate::terminal::trace::Trace;

/// Interval of the checks that a stopped call opens no more files, and their maximum number.
const SETTLING_LOOK: Duration = Duration::from_millis(5);
const SETTLING_LOOKS: u32 = 100;

/// The offer of a server.
pub struct ToolSet {
    /// The roots, the default one first: `name` and `right` of each.
    pub roots: Vec<Value>,
    /// The tools on offer.
    pub tools: Vec<&'static Tool>,
    /// Form of answers.
    pub answers: Answers,
    /// Trace of calls.
    pub trace: Trace,
}

/// The form of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answers {
    /// As Markdown text.
    Markdown,
    /// As structured content, and nothing else.
    Structured,
}

/// A completed call.
pub struct CompletedCall<'a> {
    /// Caller.
    pub caller: &'a Caller,
    /// Tool.
    pub tool: &'static Tool,
    /// Arguments.
    pub request: &'a Map<String, Value>,
    /// Outcome.
    pub outcome: &'a Result<Value, CallError>,
    /// Duration, including the wait for a thread.
    pub time: Duration,
    /// Files that it opened.
    pub openings: &'a Openings,
}

/// The answer of a call.
pub struct Answer<'a> {
    /// The answer.
    pub answer: Value,
    /// Files that it opened.
    pub openings: &'a Openings,
}

/// A callback for each completed call, before its caller receives the answer.
pub type Observer = Arc<dyn Fn(&CompletedCall<'_>) -> DeliveryCallback + Send + Sync>;

/// A callback for the fate of the answer: one that cannot be recorded is not sent, and must not
/// appear elsewhere.
pub type DeliveryCallback = Box<dyn FnOnce(Delivery) + Send>;

/// The fate of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// Sent to its caller.
    Sent,
    /// Sent to nobody.
    Withheld,
}

/// The service for callers with the same rights.
pub struct ToolService {
    /// Roots, tools and form of answers.
    pub offer: ToolSet,
    /// Renderer of answers as Markdown.
    pub renderer: Renderer,
    /// Instructions for a model at the start.
    pub instructions: String,
    pool: Arc<BackgroundPool>,
    observer: Option<Observer>,
    recorder: Option<Arc<Recorder>>,
}

impl ToolService {
    /// Creates a service whose calls run in `pool`, which must have exactly the roots of `offer`.
    /// With a recorder, every call is recorded before its answer is returned.
    pub fn new(
        offer: ToolSet,
        pool: Arc<BackgroundPool>,
        observer: Option<Observer>,
        recorder: Option<Arc<Recorder>>,
    ) -> Self {
        let renderer = Renderer::new();
        let instructions = tools::instructions(&renderer, &offer.tools, &offer.roots);
        Self {
            offer,
            renderer,
            instructions,
            pool,
            observer,
            recorder,
        }
    }

    /// Returns the tool on offer with this name.
    ///
    /// # Errors
    /// Returns the expected names.
    pub fn find(&self, name: &str) -> Result<&'static Tool, String> {
        let mut offered = self.offer.tools.iter();
        let found = offered.find(|tool| tool.name == name);
        found.copied().ok_or_else(|| {
            let name_shown = tools::quote(name);
            format!(
                "unknown tool `{name_shown}`; {}",
                self.describe_expected(name)
            )
        })
    }

    /// Formats the expected names in place of a tool that is not on offer.
    fn describe_expected(&self, name: &str) -> String {
        if self.only_reads()
            && tools::table()
                .find(name)
                .is_some_and(|tool| !tool.read_only)
        {
            return "it writes, and all roots are read-only".to_owned();
        }
        let names = self.offer.tools.iter().map(|tool| tool.name.as_str());
        match tools::nearest(name, names.clone()) {
            Some(nearest) => format!("expected `{nearest}`, which is the nearest"),
            None => {
                let names: Vec<_> = names.collect();
                format!("expected one of `{}`", names.join("`, `"))
            }
        }
    }

    /// Returns true if no root may be written to.
    fn only_reads(&self) -> bool {
        let mut roots = self.offer.roots.iter();
        roots.all(|root| root["right"] == READ_ONLY)
    }

    /// Calls a tool with arguments that were checked by [`Tool::arguments`], and returns its answer
    /// in the form in which it is sent. All calls, from every transport, pass through here.
    /// Dropping the returned future cancels the call.
    ///
    /// # Errors
    /// Returns an error if the component refuses or fails, or if a call that must be recorded
    /// cannot be.
    pub async fn call<T: RecordedBytes>(
        self: &Arc<Self>,
        caller: &Caller,
        tool: &'static Tool,
        request: &Map<String, Value>,
        control: CallControl,
        form: impl FnOnce(&Self, &Map<String, Value>, Answer<'_>) -> T + Send + 'static,
    ) -> Result<T, CallError> {
        let Some(recorder) = &self.recorder else {
            let made = self.make(caller, tool, request, control).await;
            let openings = &made.openings;
            let called = |answer| Answer { answer, openings };
            let outcome = made.outcome;
            let outcome = outcome.map(|answer| form(self, request, called(answer)));
            if let Some(told) = made.told {
                told(Delivery::Sent);
            }
            return outcome;
        };
        let recorder = Arc::clone(recorder);
        // If the caller disconnects, this future is dropped. The call runs in a task of its
        // own, so that it is recorded in any case, with the files that it opened: somebody
        // could otherwise read files unrecorded by closing the connection before the answer.
        // The guard cancels the call itself.
        let cancel = control.cancel.child_token();
        let _gone = cancel.clone().drop_guard();
        let control = CallControl { cancel, ..control };
        let (service, caller, request) = (Arc::clone(self), caller.clone(), request.clone());
        let call = tokio::spawn(async move {
            let recorded = service.call_recorded(recorder, caller, tool, request, control, form);
            recorded.await
        });
        let failed = || Fault::Unanswered("the call could not be completed".to_owned());
        call.await.unwrap_or_else(|_| Err(failed().into()))
    }

    /// Runs a call, records it, and returns its answer.
    async fn call_recorded<T: RecordedBytes>(
        self: Arc<Self>,
        recorder: Arc<Recorder>,
        caller: Caller,
        tool: &'static Tool,
        request: Map<String, Value>,
        control: CallControl,
        form: impl FnOnce(&Self, &Map<String, Value>, Answer<'_>) -> T + Send,
    ) -> Result<T, CallError> {
        // The beginning is recorded before anything is read or written. Where that waits for
        // the disk, it runs on a blocking thread, so that no other call waits.
        let begun = if tool.read_only && recorder.can_record() {
            recorder.begin(&caller, tool, &request)
        } else {
            let (recorder, caller, request) =
                (Arc::clone(&recorder), caller.clone(), request.clone());
            let begin = move || recorder.begin(&caller, tool, &request);
            let begun = tokio::task::spawn_blocking(begin).await;
            begun.ok().flatten()
        };
        let Some(pending) = begun else {
            let problem = "this call cannot be recorded, as is required";
            return Err(Fault::Unavailable(problem.to_owned()).into());
        };
        let made = self.make(&caller, tool, &request, control).await;
        let openings = &made.openings;
        let called = |answer| Answer { answer, openings };
        let outcome = made
            .outcome
            .map(|answer| form(&self, &request, called(answer)));
        let call = Recorder::call(&caller, tool, &request, &outcome, made.time, &made.openings);
        // Recording may wait for the disk, so it runs on a blocking thread. The answer is
        // returned only after it has succeeded.
        let recorded = tokio::task::spawn_blocking(move || recorder.record(pending, call));
        let is_recorded = matches!(recorded.await, Ok(true));
        if let Some(told) = made.told {
            told(if is_recorded {
                Delivery::Sent
            } else {
                Delivery::Withheld
            });
        }
        if is_recorded {
            return outcome;
        }
        let problem = "the outcome of this call could not be recorded; its answer is not sent";
        Err(Fault::Unanswered(problem.to_owned()).into())
    }

    async fn make(
        &self,
        caller: &Caller,
        tool: &'static Tool,
        request: &Map<String, Value>,
        control: CallControl,
    ) -> RanCall {
        let start = Instant::now();
        let is_followed = self.observer.is_some() || self.recorder.is_some();
        let openings = is_followed.then(OpeningLog::new);
        let control = CallControl {
            openings: openings.clone(),
            ..control
        };
        let outcome = match self.pool.get().await {
            Ok(pool) => pool.call(&tool.function, request.clone(), control).await,
            Err(fault) => Err(fault.into()),
        };
        let time = start.elapsed();
        let openings = match openings {
            Some(openings) => {
                let is_ended = matches!(outcome, Err(CallError::Fault(_)));
                if is_ended && self.recorder.is_some() {
                    wait_until_settled(&openings).await;
                }
                openings.openings()
            }
            None => Openings::default(),
        };
        let told = self.observer.as_ref().map(|observer| {
            observer(&CompletedCall {
                caller,
                tool,
                request,
                outcome: &outcome,
                time,
                openings: &openings,
            })
        });
        RanCall {
            outcome,
            time,
            openings,
            told,
        }
    }
}

/// A call that was run.
struct RanCall {
    outcome: Result<Value, CallError>,
    time: Duration,
    openings: Openings,
    told: Option<DeliveryCallback>,
}

/// Waits until a call that was stopped from outside opens no more files: its guest stops within a
/// tick. A thread that is blocked in a system call is not awaited.
async fn wait_until_settled(openings: &Arc<OpeningLog>) {
    for _ in 0..SETTLING_LOOKS {
        if Arc::strong_count(openings) == 1 {
            return;
        }
        tokio::time::sleep(SETTLING_LOOK).await;
    }
}
