//! Dockerfiles: instructions by stages.

use crate::entry::DataKind;
use crate::line::LineSpan;
use crate::path::PathStep;
use crate::scan::makefile::{long_line_end, word};
use crate::writer::{EntryWriter, ValueSpan};

pub(super) fn scan(writer: &mut EntryWriter<'_, '_>) {
    let text = writer.text;
    let mut at = 0;
    while let Some(line) = LineSpan::at(text, at) {
        if writer.is_over() {
            return;
        }
        at = line.next;
        let (start, trimmed) = line.trim(text);
        if trimmed.is_empty() {
            continue;
        }
        if trimmed.starts_with('#') {
            writer.text(start..start + trimmed.len());
            continue;
        }
        let (mut end, next) = long_line_end(text, line);
        at = next;
        if let Some(mark) = here_document(&text[start..end]) {
            (end, at) = document_end(text, at, mark);
        }
        let end = start + text[start..end].trim_end().len();
        let (instruction, value) = word(text, start..end);
        if !instruction.eq_ignore_ascii_case("FROM") {
            writer.value(
                &[PathStep::Key(instruction)],
                &ValueSpan::new(start, value..end),
            );
            continue;
        }
        // `FROM` begins another image, so the stage above ends. The following instructions
        // belong to this image, under the name of its stage if it has one.
        writer.close_to(0);
        match stage(&text[value..end]) {
            Some(name) => {
                let found = ValueSpan::new(start, start..end);
                writer.open(&[PathStep::Key(name)], DataKind::Table, &found);
            }
            None => writer.value(
                &[PathStep::Key(instruction)],
                &ValueSpan::new(start, value..end),
            ),
        }
    }
}

/// Returns the name that the arguments of `FROM` give a stage.
fn stage(arguments: &str) -> Option<&str> {
    let mut words = arguments.split_whitespace();
    words
        .by_ref()
        .find(|word| word.eq_ignore_ascii_case("as"))?;
    words.next()
}

/// Returns the terminator of a here-document, `RUN <<EOF`.
fn here_document(line: &str) -> Option<&str> {
    let (_, mark) = line.split_once("<<")?;
    let mark = mark.trim_start_matches('-').trim_start_matches(['"', '\'']);
    let end = mark.find(|c: char| !c.is_alphanumeric() && c != '_');
    Some(&mark[..end.unwrap_or(mark.len())]).filter(|mark| !mark.is_empty())
}

/// Returns the end of the line equal to `mark` and the start of the next one, or the end of the
/// text if there is no such line.
fn document_end(text: &str, mut at: usize, mark: &str) -> (usize, usize) {
    while let Some(line) = LineSpan::at(text, at) {
        if text[line.start..line.end].trim() == mark {
            return (line.end, line.next);
        }
        at = line.next;
    }
    (text.len(), text.len())
}

#[cfg(test)]
mod tests {
    use crate::format::DataFormat;
    use crate::scan::tests::check;

    #[test]
    fn stages() {
        let text = "# syntax=docker/dockerfile:1\nARG V=1\nFROM rust:${V} AS build\nRUN apt-get update \\\n # tools\n && apt-get install -y gcc\nRUN <<EOF\ncargo build\nEOF\n\nFROM scratch\nCOPY --from=build /app /app\nentrypoint [\"/app\"]\n";
        check(
            DataFormat::Dockerfile,
            text,
            &[
                "1 # syntax=docker/dockerfile:1",
                "2 ARG = V=1",
                "3 build: FROM rust:${V} AS build",
                "4-6 build.RUN = apt-get update \\ # tools && apt-get install -y gcc",
                "7-9 build.RUN = <<EOF cargo build EOF",
                "11 FROM = scratch",
                "12 COPY = --from=build /app /app",
                "13 entrypoint = [\"/app\"]",
            ],
        );
    }
}
