//! `docent explore`, `docent query`, `docent summary` and `docent tags`: what is there, what answers a question, what a document is
//! about, and which documents say what of themselves.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use docent_host::Session;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::explain;
use crate::search::place::Place;
use crate::search::{Layout, Paint, SearchError};

pub mod explore;
pub mod query;
pub mod summary;
pub mod tags;

/// Where an answer goes, and how it looks.
pub struct Page<W> {
    /// The output.
    pub output: W,
    /// How it is arranged.
    pub layout: Layout,
    /// How it is coloured.
    pub paint: Paint,
}

/// A granted directory: its name and where it lies.
pub type Root = (String, PathBuf);

impl<W: Write> Page<W> {
    /// Writes an object of JSON on a line of its own.
    fn object(&mut self, kind: &str, of: &impl Serialize) -> io::Result<()> {
        let mut object = Map::new();
        object.insert("type".to_owned(), json!(kind));
        if let Ok(Value::Object(fields)) = serde_json::to_value(of) {
            object.extend(fields);
        }
        writeln!(self.output, "{}", Value::Object(object))
    }

    /// Writes text as it stands in a document, so that it cannot steer a terminal.
    fn text(&mut self, text: &str) -> io::Result<()> {
        for line in text.lines() {
            writeln!(self.output, "{}", crate::search::print::visible(line))?;
        }
        Ok(())
    }
}

/// Returns the arguments of a call about a place.
fn arguments((root, _): &Root, place: &Place) -> Map<String, Value> {
    let mut arguments = Map::new();
    arguments.insert("root".to_owned(), json!(root));
    if let Some(file) = &place.file {
        arguments.insert("path".to_owned(), json!(file));
    }
    arguments
}

/// Calls a function of the component.
fn call<T: DeserializeOwned>(
    session: &mut Session,
    function: &str,
    arguments: Map<String, Value>,
) -> Result<T, SearchError> {
    let answer = session
        .call(function, arguments)
        .map_err(|error| SearchError::Call(explain::call(&error)))?;
    serde_json::from_value(answer)
        .map_err(|error| SearchError::Call(format!("the answer cannot be understood: {error}")))
}

/// Returns where a document of an answer lies.
fn target((_, directory): &Root, path: &str) -> PathBuf {
    directory.join(Path::new(path.trim_start_matches('/')))
}
