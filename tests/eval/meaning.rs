//! What an embedder adds to how well `smart-search` ranks documents.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use docent_host::embedder::Embedder;
use docent_host::{Limits, Session};
use docent_tests::guest::{call, docent};
use serde_json::{Value, json};

use crate::cost::Meter;
use crate::documents::{self, Set};
use crate::metrics::Metrics;
use crate::remembering::Remembering;
use crate::smart_search;
use crate::table::{Record, Row, Table};

/// How long an embedder may take to say which model it is: some load it first.
const LOOK: Duration = Duration::from_secs(300);

/// How long one call may take: nothing is to be left out for want of time.
const CALL: Duration = Duration::from_secs(600);

/// Bytes of vectors that are kept where all passages are known beforehand.
const ALL: usize = 1 << 30;

/// What is known of the passages before a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// They are not asked for.
    Unasked,
    /// Nothing: the passages of the documents that words find are embedded, and then forgotten.
    Nothing,
    /// All of them.
    All,
}

/// Measures on each set of a directory how documents are ranked by words, by words and the meaning
/// of what they find, and with the meaning of all passages, and prints it. What the embedder says is
/// kept in `state`.
///
/// # Errors
/// When the embedder fails, a set cannot be read, or a query is refused.
pub fn measure(
    directory: &Path,
    embedder: Arc<dyn Embedder>,
    meter: &Meter,
    state: &Path,
) -> Result<(), Box<dyn Error>> {
    let model = embedder.model(LOOK);
    let model = model.map_err(|failure| format!("the embedder says no model: {failure:?}"))?;
    let embedder = Arc::new(Remembering::open(embedder, model, state)?);
    let mut ranks = Table::new("Documents by meaning");
    let mut costs = Table::new("What the embedder was asked for");
    for name in documents::names(directory)? {
        let set = Set::read(directory, &name)?;
        let tree = tempfile::tempdir()?;
        set.write(tree.path())?;
        let begun = (meter.cpu()?, embedder.passages());
        let mut all = open(tree.path(), &embedder, Known::All);
        let passages = embed(&mut all, &name)?;
        let new = embedder.passages() - begun.1;
        let cpu = meter.cpu()?.saturating_sub(begun.0);
        costs.add(
            Row::new(name.as_str())
                .whole("passages", passages)
                .whole("of them new", new)
                .whole("CPU ms", cpu.as_millis() as usize)
                .ratio("CPU ms each", cpu.as_secs_f64() * 1000.0 / new as f64),
        );
        for known in [Known::Unasked, Known::Nothing, Known::All] {
            let session = match known {
                Known::All => &mut all,
                _ => &mut open(tree.path(), &embedder, known),
            };
            let row = Row::new(format!("{name}, {}", known.name()));
            ranks.add(ranked(session, &set, known)?.row(row));
        }
    }
    let model = embedder.described();
    println!(
        "\n{}, of weight {}, {} passages a question",
        model.name, model.weight, model.passages
    );
    ranks.print(&Record::default());
    costs.print(&Record::default());
    Ok(())
}

fn open(tree: &Path, embedder: &Arc<Remembering>, known: Known) -> Session {
    let limits = Limits {
        timeout: CALL,
        vectors: if known == Known::All { ALL } else { 0 },
        ..Limits::default()
    };
    let session = docent(tree, limits);
    session.embed_with(Arc::clone(embedder) as Arc<dyn Embedder>);
    session
}

/// Has all passages embedded that docent makes of a set, and returns how many they are.
fn embed(session: &mut Session, name: &str) -> Result<usize, Box<dyn Error>> {
    let (mut passages, mut request) = (0, json!({ "command": "reindex" }));
    loop {
        let answer = call(session, "manage", request.clone())?;
        let made = &answer["vectors"];
        if made["leftOut"].as_u64() != Some(0) {
            return Err(format!("{name}: the embedder does not take all passages: {made}").into());
        }
        passages += made["passages"].as_u64().unwrap_or_default() as usize;
        let Some(next) = answer.get("nextCursor").filter(|next| !next.is_null()) else {
            return Ok(passages);
        };
        eprintln!("eval: {name}: {passages} passages");
        request["cursor"] = next.clone();
    }
}

fn ranked(session: &mut Session, set: &Set, known: Known) -> Result<Metrics, Box<dyn Error>> {
    let mut metrics = Metrics::default();
    for query in &set.queries {
        let (rank, answer) = smart_search::first_relevant(session, query, known.options())?;
        let reasons = answer["reasons"].as_array().into_iter().flatten();
        if known != Known::Unasked
            && let Some(cut) = reasons
                .filter_map(Value::as_str)
                .find(|one| !is_by_choice(one))
        {
            return Err(format!("{query} is answered in part: {cut}").into());
        }
        metrics.add(rank, None);
    }
    Ok(metrics)
}

/// Whether passages are left out only because the model is asked for no more of them: then there is
/// no other reason behind it.
fn is_by_choice(reason: &str) -> bool {
    reason.ends_with("passages without vectors")
}

impl Known {
    fn name(self) -> &'static str {
        match self {
            Self::Unasked => "keyword",
            Self::Nothing => "lazy",
            Self::All => "all",
        }
    }

    fn options(self) -> Value {
        let mode = match self {
            Self::Unasked => "keyword",
            Self::Nothing | Self::All => "auto",
        };
        json!({ "mode": mode })
    }
}

#[cfg(test)]
mod tests {
    use super::is_by_choice;

    #[test]
    fn time_that_runs_out_is_no_choice() {
        assert!(is_by_choice("3 of 28 passages without vectors"));
        let slow = "3 of 28 passages without vectors: the embedder took too long";
        assert!(!is_by_choice(slow));
        assert!(!is_by_choice("the embedder cannot be reached"));
    }
}
