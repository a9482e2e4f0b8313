//! Where the answers of commands go.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::screen::Screen;
use super::style::{Layout, Paint, visible};

/// Where an answer goes, and how it looks.
pub struct Page<W> {
    /// The output.
    pub output: W,
    /// How it is arranged.
    pub layout: Layout,
    /// How it is coloured.
    pub paint: Paint,
    /// What it is seen on; none where it is no terminal.
    pub screen: Option<Screen>,
}

impl<W: Write> Page<W> {
    /// Writes an object of JSON on a line of its own.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn object(&mut self, kind: &str, of: &impl Serialize) -> io::Result<()> {
        let mut object = Map::new();
        // First: the map keeps this order, and who reads the line goes by the type.
        object.insert("type".to_owned(), json!(kind));
        if let Ok(Value::Object(fields)) = serde_json::to_value(of) {
            object.extend(fields);
        }
        writeln!(self.output, "{}", Value::Object(object))
    }

    /// Writes text as it stands in a document, so that it cannot steer a terminal.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn text(&mut self, text: &str) -> io::Result<()> {
        for line in text.lines() {
            writeln!(self.output, "{}", visible(line))?;
        }
        Ok(())
    }
}
