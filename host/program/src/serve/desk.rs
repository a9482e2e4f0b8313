//! Where calls come in: what is on offer to callers with the same rights, and the pool that serves
//! them. Nobody else uses that pool.

use std::sync::Arc;
use std::time::Duration;

use docent_host::render::Renderer;
use docent_host::tools::{self, Tool};
use docent_host::{CallControl, CallError, Fault, OpeningLog, Openings};
use docent_record::Hash;
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::instructions::READ_ONLY;
use super::late::LatePool;
use super::recorder::{Recorder, Sent};
use crate::terminal::trace::Trace;

/// How often it is looked whether a call that was ended opens nothing more, and how many times.
const SETTLING_LOOK: Duration = Duration::from_millis(5);
const SETTLING_LOOKS: u32 = 100;

/// What the server offers, and how.
pub struct Offer {
    /// The roots, the default one first: `name` and `right` of each.
    pub roots: Vec<Value>,
    /// The tools on offer.
    pub tools: Vec<&'static Tool>,
    /// How answers are sent.
    pub answers: Answers,
    /// Whether it is said what is done.
    pub trace: Trace,
}

/// How answers are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answers {
    /// As Markdown text.
    Markdown,
    /// As structured content, and nothing else.
    Structured,
}

/// Who makes a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The name of the token that the call came with, or [`Caller::LOCAL`].
    pub name: Arc<str>,
    /// Which token that is and what it opens: who is shown a call later is told by this, for a name
    /// may be given again. None where nobody is shown any.
    pub principal: Option<Hash>,
    /// The program, by its own word; none where it does not say.
    pub client: Option<Arc<str>>,
}

impl Caller {
    /// Whoever started docent, or reaches a listener that asks for no token.
    pub const LOCAL: &str = "local";

    /// Returns the caller of that name.
    pub fn local() -> Self {
        Self {
            name: Self::LOCAL.into(),
            principal: None,
            client: None,
        }
    }
}

/// A call that has ended.
pub struct Ended<'a> {
    /// Who made it.
    pub caller: &'a Caller,
    /// What was called.
    pub tool: &'static Tool,
    /// With what.
    pub request: &'a Map<String, Value>,
    /// What came of it.
    pub outcome: &'a Result<Value, CallError>,
    /// How long it took, waiting for a thread included.
    pub time: Duration,
    /// The files that it opened.
    pub openings: &'a Openings,
}

/// The answer of a call.
pub struct Called<'a> {
    /// The answer.
    pub answer: Value,
    /// The files that were opened for it.
    pub openings: &'a Openings,
}

/// Told of each call that has ended, before its caller is.
pub type Observer = Arc<dyn Fn(&Ended<'_>) -> Told + Send + Sync>;

/// Told then whether the answer is sent: where it cannot be recorded it is not, and nobody is to see
/// it elsewhere.
pub type Told = Box<dyn FnOnce(Fate) + Send>;

/// What becomes of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Its caller is sent it.
    Sent,
    /// Nobody is.
    Withheld,
}

/// What is on offer to callers with the same rights.
pub struct Desk {
    /// The roots, the tools, and how answers are sent.
    pub offer: Offer,
    /// What makes Markdown of answers.
    pub renderer: Renderer,
    /// What a model is told at the start.
    pub instructions: String,
    pool: Arc<LatePool>,
    observer: Option<Observer>,
    recorder: Option<Arc<Recorder>>,
}

impl Desk {
    /// Returns a desk that calls in `pool`, which has to have the roots of `offer` and no others. With
    /// a recorder, every call is recorded before its answer is given.
    pub fn new(
        offer: Offer,
        pool: Arc<LatePool>,
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
    /// Says what was expected.
    pub fn find(&self, name: &str) -> Result<&'static Tool, String> {
        let mut offered = self.offer.tools.iter();
        let found = offered.find(|tool| tool.name == name);
        found.copied().ok_or_else(|| {
            let name_shown = tools::quoted(name);
            format!("unknown tool `{name_shown}`; {}", self.expected(name))
        })
    }

    /// Says what was expected in the place of a tool that is not on offer.
    fn expected(&self, name: &str) -> String {
        if self.only_reads()
            && tools::table()
                .find(name)
                .is_some_and(|tool| !tool.read_only)
        {
            return "it writes, and every root was granted for reading only".to_owned();
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

    /// Whether no root may be written to.
    fn only_reads(&self) -> bool {
        let mut roots = self.offer.roots.iter();
        roots.all(|root| root["right"] == READ_ONLY)
    }

    /// Calls a tool with arguments that [`Tool::arguments`] has passed, and returns its answer in the
    /// form in which it is sent. Every call of every way in goes through here. Dropping what this
    /// returns cancels the call.
    ///
    /// # Errors
    /// What the component says, or that it failed; that the call cannot be recorded, where calls are.
    pub async fn call<T: Sent>(
        self: &Arc<Self>,
        caller: &Caller,
        tool: &'static Tool,
        request: &Map<String, Value>,
        control: CallControl,
        form: impl FnOnce(&Self, &Map<String, Value>, Called<'_>) -> T + Send + 'static,
    ) -> Result<T, CallError> {
        let Some(recorder) = &self.recorder else {
            let made = self.make(caller, tool, request, control).await;
            let openings = &made.openings;
            let called = |answer| Called { answer, openings };
            let outcome = made.outcome;
            let outcome = outcome.map(|answer| form(self, request, called(answer)));
            if let Some(told) = made.told {
                told(Fate::Sent);
            }
            return outcome;
        };
        let recorder = Arc::clone(recorder);
        // A call whose caller goes away is recorded all the same, with what it opened.
        let cancel = control.cancel.child_token();
        let _gone = cancel.clone().drop_guard();
        let control = CallControl { cancel, ..control };
        let (desk, caller, request) = (Arc::clone(self), caller.clone(), request.clone());
        let call = tokio::spawn(async move {
            let recorded = desk.recorded(recorder, caller, tool, request, control, form);
            recorded.await
        });
        let failed = || Fault::Unanswered("the call could not be followed to its end".to_owned());
        call.await.unwrap_or_else(|_| Err(failed().into()))
    }

    /// Makes a call, records it, and returns its answer.
    async fn recorded<T: Sent>(
        self: Arc<Self>,
        recorder: Arc<Recorder>,
        caller: Caller,
        tool: &'static Tool,
        request: Map<String, Value>,
        control: CallControl,
        form: impl FnOnce(&Self, &Map<String, Value>, Called<'_>) -> T + Send,
    ) -> Result<T, CallError> {
        // Before anything is read, or written. What waits for the disk holds up nobody else.
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
            let problem = "calls are recorded here, and this one cannot be";
            return Err(Fault::Unavailable(problem.to_owned()).into());
        };
        let made = self.make(&caller, tool, &request, control).await;
        let openings = &made.openings;
        let called = |answer| Called { answer, openings };
        let outcome = made
            .outcome
            .map(|answer| form(&self, &request, called(answer)));
        let call = Recorder::call(&caller, tool, &request, &outcome, made.time, &made.openings);
        // It waits for the disk now and then.
        let recorded = tokio::task::spawn_blocking(move || recorder.record(pending, call));
        let is_recorded = matches!(recorded.await, Ok(true));
        if let Some(told) = made.told {
            told(if is_recorded {
                Fate::Sent
            } else {
                Fate::Withheld
            });
        }
        if is_recorded {
            return outcome;
        }
        let problem = "calls are recorded here, and what came of this one could not be; its answer \
                       is not sent";
        Err(Fault::Unanswered(problem.to_owned()).into())
    }

    async fn make(
        &self,
        caller: &Caller,
        tool: &'static Tool,
        request: &Map<String, Value>,
        control: CallControl,
    ) -> Made {
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
                    settled(&openings).await;
                }
                openings.openings()
            }
            None => Openings::default(),
        };
        let told = self.observer.as_ref().map(|observer| {
            observer(&Ended {
                caller,
                tool,
                request,
                outcome: &outcome,
                time,
                openings: &openings,
            })
        });
        Made {
            outcome,
            time,
            openings,
            told,
        }
    }
}

/// A call that was made.
struct Made {
    outcome: Result<Value, CallError>,
    time: Duration,
    openings: Openings,
    told: Option<Told>,
}

/// Waits until a call that was ended from outside opens nothing more: its guest is stopped within a
/// tick. What a thread is held by that the system does not give back, is not waited for.
async fn settled(openings: &Arc<OpeningLog>) {
    for _ in 0..SETTLING_LOOKS {
        if Arc::strong_count(openings) == 1 {
            return;
        }
        tokio::time::sleep(SETTLING_LOOK).await;
    }
}
