//! The effect of an embedder on the ranks of documents in `smart-search`.

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

/// Maximum time in which an embedder describes its model: some load it first.
const LOOK: Duration = Duration::from_secs(300);

/// Time limit of a call, so high that nothing is left out for lack of time.
const CALL: Duration = Duration::from_secs(600);

/// Bytes of vectors kept in memory if all passages are known beforehand.
const ALL: usize = 1 << 30;

/// The passages whose vectors are known before a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// The embedder is not used.
    Unasked,
    /// None: the passages of the lexical hits are embedded for each query, and then forgotten.
    Nothing,
    /// All of them.
    All,
}

/// Measures the ranks of documents on each set of a directory, and prints them: lexical ranks,
/// ranks with the semantic order of the lexical hits, and ranks with the semantic order of all
/// passages. The embedder's vectors are cached in `state`.
///
/// # Errors
/// If the embedder fails, a set cannot be read, or a query is refused.
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

/// Embeds all passages of a set, and returns their number.
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

/// Returns true if passages are only left out because of the model's limit of passages: then no
/// other reason follows.
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
