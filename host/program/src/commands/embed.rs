//! `docent embed`: embeds all passages before the first query.

use std::io::Write;

use docent_host::Session;
use serde::Deserialize;
use serde_json::{Map, json};

use crate::terminal::call::call;
use crate::terminal::error::CommandError;
use crate::terminal::notes::note;
use crate::terminal::place::Root;
use crate::terminal::style::{counted, visible};

/// Function of the component that creates vectors.
const FUNCTION: &str = "manage";

/// A target to embed: a root, or a file or directory in it.
pub struct Target<'a> {
    /// The root.
    pub root: &'a Root,
    /// Path in the root; none for the whole root.
    pub path: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    model: Option<String>,
    vectors: Option<Made>,
    next_cursor: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Made {
    documents: u64,
    passages: u64,
    made: u64,
    left_out: u64,
}

impl Made {
    fn add(&mut self, other: Self) {
        self.documents += other.documents;
        self.passages += other.passages;
        self.made += other.made;
        self.left_out += other.left_out;
    }

    fn counted(self) -> String {
        let passages = counted(self.passages, "passage");
        format!("{passages} of {}", counted(self.documents, "document"))
    }
}

/// Embeds all passages of a target that have no vector yet, and prints a line with the totals.
///
/// # Errors
/// Returns an error if there is no embedder or it fails, if the vectors would not be kept, if the
/// component refuses or fails, or if the output cannot be written.
pub fn run(
    output: &mut impl Write,
    session: &mut Session,
    target: &Target<'_>,
) -> Result<(), CommandError> {
    let mut all = Made::default();
    let mut cursor = None;
    let model = loop {
        let mut request = Map::new();
        request.insert("command".to_owned(), json!("reindex"));
        request.insert("root".to_owned(), json!(target.root.name));
        for (name, value) in [("target", &target.path), ("cursor", &cursor)] {
            if let Some(value) = value {
                request.insert(name.to_owned(), json!(value));
            }
        }
        let answer: Answer = call(session, FUNCTION, request)?;
        let (Some(model), Some(made)) = (answer.model, answer.vectors) else {
            let problem = "no embedder is named; name one: `docent embed --embedder URL#MODEL`";
            return Err(CommandError::Usage(problem.to_owned()));
        };
        if !session.keeps_vectors() {
            let problem = format!(
                "what {} says would not be kept: another docent writes to its file, or the state \
                 directory cannot be written to; stop the other one",
                visible(&model)
            );
            return Err(CommandError::Usage(problem));
        }
        all.add(made);
        if answer.next_cursor.is_none() {
            break model;
        }
        // A tree may take hours, in calls of a few seconds each, so progress is shown.
        note(format_args!("{}, {} of them new", all.counted(), all.made));
        cursor = answer.next_cursor;
    };
    let name = visible(&target.root.name);
    let model = visible(&model);
    let (counted, new) = (all.counted(), all.made);
    writeln!(output, "{name}: {counted}, {new} of them new to {model}")?;
    output.flush()?;
    if all.left_out > 0 {
        note(format_args!(
            "{model} does not take {} of them",
            all.left_out
        ));
    }
    if session.vectors_are_full() {
        note(format_args!(
            "not all of them are kept: the file for {model} holds {} MB at most",
            session.limits().vector_file >> 20
        ));
    }
    Ok(())
}
