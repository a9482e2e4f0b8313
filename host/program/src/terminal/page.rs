//! The output of commands.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::screen::Screen;
use super::style::{Layout, Paint, visible};

/// An output, and its style.
pub struct Page<W> {
    /// The output.
    pub output: W,
    /// Layout.
    pub layout: Layout,
    /// Colours and links.
    pub paint: Paint,
    /// Size of the terminal; none if the output is not a terminal.
    pub screen: Option<Screen>,
}

impl<W: Write> Page<W> {
    /// Writes a JSON object on a line of its own.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn object(&mut self, kind: &str, of: &impl Serialize) -> io::Result<()> {
        let mut object = Map::new();
        // The type comes first, because the map keeps the order of insertion, and readers of a
        // line dispatch on it.
        object.insert("type".to_owned(), json!(kind));
        if let Ok(Value::Object(fields)) = serde_json::to_value(of) {
            object.extend(fields);
        }
        writeln!(self.output, "{}", Value::Object(object))
    }

    /// Writes text of a document, with control characters escaped.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn text(&mut self, text: &str) -> io::Result<()> {
        for line in text.lines() {
            writeln!(self.output, "{}", visible(line))?;
        }
        Ok(())
    }
}
