//! The outputs of a cell: streams, results, displayed data and errors.

use super::json::JsonReader;
use super::{NotebookReader, short_name, text_of};
use crate::failure::EarlyStop;
use crate::markdown::Markdown;

/// A writer of the outputs of one cell.
pub struct OutputWriter<'w> {
    notebook: &'w mut NotebookReader,
    text: &'w mut Markdown,
    /// Name and text of a stream that the next output may continue: programs write one line in
    /// several parts.
    stream: (String, String),
}

/// The members of an output.
#[derive(Default)]
struct CellOutput<'a> {
    kind: String,
    /// Name of a stream.
    stream: String,
    text: Option<JsonReader<'a>>,
    error_name: Option<JsonReader<'a>>,
    error_value: Option<JsonReader<'a>>,
    traceback: Option<JsonReader<'a>>,
    forms: OutputForms<'a>,
}

/// The forms of one output, of which a program shows the richest.
#[derive(Default)]
struct OutputForms<'a> {
    plain: Option<JsonReader<'a>>,
    markdown: Option<JsonReader<'a>>,
    latex: Option<JsonReader<'a>>,
    json: Option<JsonReader<'a>>,
    has_markup: bool,
    has_picture: bool,
    has_other: bool,
}

impl<'w> OutputWriter<'w> {
    /// Creates a writer of the outputs of a cell of `notebook`.
    pub fn new(notebook: &'w mut NotebookReader, text: &'w mut Markdown) -> Self {
        Self {
            notebook,
            text,
            stream: Default::default(),
        }
    }

    /// Adds the outputs in an array.
    pub fn write(mut self, mut outputs: JsonReader<'_>) -> Result<(), EarlyStop> {
        outputs.array(&mut |output| self.output(output))?;
        self.end_stream()
    }

    /// Adds an output.
    fn output(&mut self, value: JsonReader<'_>) -> Result<(), EarlyStop> {
        let output = CellOutput::read(value)?;
        if output.kind == "stream" {
            if self.stream.0 != output.stream {
                self.end_stream()?;
                self.stream.0 = output.stream;
            }
            if let Some(value) = output.text {
                let room = self.text.room().saturating_sub(self.stream.1.len());
                self.stream.1 += &text_of(value, room)?;
            }
            return Ok(());
        }
        self.end_stream()?;
        match output.kind.as_str() {
            "error" | "pyerr" => self.error(&output),
            _ => self.data(&output.forms),
        }
    }

    /// Adds the stream read so far.
    fn end_stream(&mut self) -> Result<(), EarlyStop> {
        let (name, words) = std::mem::take(&mut self.stream);
        let info = if name == "stderr" { "stderr" } else { "output" };
        self.text.fenced_code(info, &without_escapes(&words))
    }

    /// Adds an error with its traceback, which ends with the name and the message of the error.
    fn error(&mut self, output: &CellOutput<'_>) -> Result<(), EarlyStop> {
        let mut words = String::new();
        let room = self.text.room();
        if let Some(mut lines) = output.traceback {
            lines.array(&mut |line| {
                words += &text_of(line, room.saturating_sub(words.len()))?;
                words.push('\n');
                Ok(())
            })?;
        }
        if words.trim().is_empty() {
            for part in [output.error_name, output.error_value]
                .into_iter()
                .flatten()
            {
                if !words.is_empty() {
                    words += ": ";
                }
                words += &text_of(part, room.saturating_sub(words.len()))?;
            }
        }
        self.text.fenced_code("error", &without_escapes(&words))
    }

    /// Adds a result or displayed data in one of its forms.
    fn data(&mut self, forms: &OutputForms<'_>) -> Result<(), EarlyStop> {
        let room = self.text.room();
        self.notebook.omitted.pictures += usize::from(forms.has_picture);
        let plain = match forms.plain {
            Some(plain) => Some(text_of(plain, room)?),
            None => None,
        };
        // An object without a text of its own says nothing: `<IPython.core.display.HTML object>`.
        let is_object = |plain: &String| plain.starts_with('<') && plain.ends_with(" object>");
        let has_words = plain.as_ref().is_some_and(|plain| !is_object(plain));
        if !has_words && let Some(markdown) = forms.markdown {
            let words = text_of(markdown, room)?;
            let words = self.notebook.without_data(words);
            return self.text.markdown(&words);
        }
        if !has_words && forms.has_markup {
            self.notebook.omitted.markup += 1;
        }
        if let Some(plain) = plain {
            return self.text.fenced_code("output", &without_escapes(&plain));
        }
        if let Some(latex) = forms.latex {
            return self.text.fenced_code("latex", &text_of(latex, room)?);
        }
        if let Some(json) = forms.json {
            return self.text.fenced_code("json", &json.raw(room)?);
        }
        self.notebook.omitted.other += usize::from(forms.has_other && !forms.has_picture);
        Ok(())
    }
}

impl<'a> CellOutput<'a> {
    /// Notes the members of an output.
    fn read(mut value: JsonReader<'a>) -> Result<Self, EarlyStop> {
        let mut output = Self::default();
        value.object(&mut |name, mut value| {
            match name {
                "output_type" => output.kind = short_name(value)?,
                // `stream` is the name of version 3.
                "name" | "stream" => output.stream = short_name(value)?,
                "ename" => output.error_name = Some(value),
                "evalue" => output.error_value = Some(value),
                "traceback" => output.traceback = Some(value),
                "data" => {
                    return value.object(&mut |name, value| {
                        output.forms.note(name, value);
                        Ok(())
                    });
                }
                // In version 3 the forms are members of the output.
                "text" => {
                    output.text = Some(value);
                    output.forms.plain = Some(value);
                }
                "html" => output.forms.has_markup = true,
                "latex" => output.forms.latex = Some(value),
                "png" | "jpeg" | "svg" | "pdf" => output.forms.has_picture = true,
                "json" | "javascript" => output.forms.has_other = true,
                _ => {}
            }
            Ok(())
        })?;
        Ok(output)
    }
}

impl<'a> OutputForms<'a> {
    /// Notes the form of a type.
    fn note(&mut self, name: &str, value: JsonReader<'a>) {
        match name {
            "text/plain" => self.plain = Some(value),
            "text/markdown" => self.markdown = Some(value),
            "text/latex" => self.latex = Some(value),
            "application/json" => self.json = Some(value),
            "text/html" => self.has_markup = true,
            name if name.starts_with("image/") => self.has_picture = true,
            _ => self.has_other = true,
        }
    }
}

/// Returns text without the escape sequences of terminals (ECMA-48, section 5.4): colours.
fn without_escapes(text: &str) -> String {
    const ESCAPE: char = '\u{1B}';
    let mut parts = text.split(ESCAPE);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = match part.as_bytes().first() {
            Some(b'[') => {
                let is_end = |c: char| ('@'..='~').contains(&c);
                let end = part[1..].find(is_end).map(|end| end + 2);
                end.map_or("", |end| &part[end..])
            }
            // The title of a window or the address of a link, up to a bell or another escape.
            Some(b']') => part.find('\u{7}').map_or("", |end| &part[end + 1..]),
            Some(b'\\') => &part[1..],
            _ => part,
        };
        plain.push_str(rest);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_terminals() {
        for (text, expected) in [
            ("a", "a"),
            ("\u{1B}[0;31mred\u{1B}[0m", "red"),
            (
                "\u{1B}]8;;https://e.org\u{1B}\\link\u{1B}]8;;\u{7}.",
                "link.",
            ),
            ("\u{1B}[", ""),
            ("\u{1B}", ""),
        ] {
            assert_eq!(without_escapes(text), expected);
        }
    }
}
