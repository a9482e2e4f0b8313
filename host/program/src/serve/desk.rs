//! Where calls come in: what is on offer to callers with the same rights, and the pool that serves
//! them. Nobody else uses that pool.

use std::sync::Arc;
use std::time::Duration;

use docent_host::render::Renderer;
use docent_host::tools::{self, Tool};
use docent_host::{CallControl, CallError};
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::instructions::READ_ONLY;
use super::late::LatePool;
use crate::terminal::trace::Trace;

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
}

/// Told of each call that has ended, before its caller is.
pub type Observer = Arc<dyn Fn(&Ended<'_>) + Send + Sync>;

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
}

impl Desk {
    /// Returns a desk that calls in `pool`, which has to have the roots of `offer` and no others.
    pub fn new(offer: Offer, pool: Arc<LatePool>, observer: Option<Observer>) -> Self {
        let renderer = Renderer::new();
        let instructions = tools::instructions(&renderer, &offer.tools, &offer.roots);
        Self {
            offer,
            renderer,
            instructions,
            pool,
            observer,
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

    /// Calls a tool with arguments that [`Tool::arguments`] has passed. Every call of every way in
    /// goes through here.
    ///
    /// # Errors
    /// What the component says, or that it failed.
    pub async fn call(
        &self,
        caller: &Caller,
        tool: &'static Tool,
        request: &Map<String, Value>,
        control: CallControl,
    ) -> Result<Value, CallError> {
        let start = Instant::now();
        let outcome = match self.pool.get().await {
            Ok(pool) => pool.call(&tool.function, request.clone(), control).await,
            Err(fault) => Err(fault.into()),
        };
        if let Some(observer) = &self.observer {
            observer(&Ended {
                caller,
                tool,
                request,
                outcome: &outcome,
                time: start.elapsed(),
            });
        }
        outcome
    }
}
