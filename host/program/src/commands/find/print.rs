//! Output of the files that were found.

use std::io::{self, Write};

use chrono::TimeZone;
use serde_json::{Value, json};

use super::{FindCall, FoundFile, FoundFiles, PathTerminator};
use crate::terminal::error::CommandError;
use crate::terminal::notes::note;
use crate::terminal::outcome::ResultPresence;
use crate::terminal::skipped::not_examined;
use crate::terminal::style::{DIM, Layout, PATH, Paint, count_noun, visible};
use crate::terminal::time::local;

/// Width of the size column.
const SIZE_WIDTH: usize = 9;

impl FoundFiles {
    /// Prints all matches, with times in `zone`. Returns an outcome that says if there were any.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub(super) fn print<Z: TimeZone>(
        mut self,
        request: &FindCall,
        layout: Layout,
        paint: Paint,
        zone: &Z,
        output: &mut impl Write,
    ) -> Result<ResultPresence, CommandError>
    where
        Z::Offset: std::fmt::Display,
    {
        self.cut(request);
        for found in &self.matches {
            match (layout, request.path_end) {
                (Layout::Lines, PathTerminator::Nul) => write!(output, "{}\0", found.path)?,
                _ => found.print(layout, paint, zone, output)?,
            }
        }
        match layout {
            Layout::Json => writeln!(
                output,
                "{}",
                json!({
                    "type": "summary",
                    "matches": self.matches.len(),
                    "hasMore": self.has_more,
                    "filesScanned": self.files,
                    "directoriesScanned": self.directories,
                    "skipped": self.skipped,
                    "elapsedMs": self.elapsed_ms,
                })
            )?,
            Layout::Headings if self.matches.is_empty() => {
                let seen = format!("nothing found among {}", count_noun(self.files, "file"));
                writeln!(output, "{}", paint.style(DIM, seen))?;
            }
            Layout::Headings | Layout::Lines => {}
        }
        // Flushed first, so that on a terminal the notes on stderr appear below the matches.
        output.flush()?;
        if layout != Layout::Json {
            if self.has_more {
                let shown = self.matches.len();
                note(format_args!(
                    "only the first {shown} are shown, see --limit"
                ));
            }
            if self.skipped.count > 0 {
                note(not_examined(&self.skipped, "examined"));
            }
        }
        Ok(ResultPresence::from_count(self.matches.len() as u64))
    }
}

impl FoundFile {
    fn print<Z: TimeZone>(
        &self,
        layout: Layout,
        paint: Paint,
        zone: &Z,
        output: &mut impl Write,
    ) -> io::Result<()>
    where
        Z::Offset: std::fmt::Display,
    {
        let slash = if self.kind == "directory" { "/" } else { "" };
        match layout {
            Layout::Json => {
                let mut object = json!({ "type": "match" });
                if let (Some(object), Ok(Value::Object(fields))) =
                    (object.as_object_mut(), serde_json::to_value(self))
                {
                    object.extend(fields);
                }
                writeln!(output, "{object}")
            }
            Layout::Lines => {
                // Escaped: programs that open files by piped paths use `-0`.
                let path = paint.style(PATH, visible(&self.path));
                writeln!(output, "{}", paint.link(&self.target, &path))
            }
            Layout::Headings => {
                let time = local(&self.time, zone);
                let size = self.size_bytes.map_or("-".to_owned(), size);
                let beside = paint.style(DIM, format!("{time}  {size:>SIZE_WIDTH$}"));
                let path = paint.style(PATH, format!("{}{slash}", visible(&self.path)));
                writeln!(output, "{beside}  {}", paint.link(&self.target, &path))
            }
        }
    }
}

/// Formats a number of bytes in units of 1000: `512 B`, `12.3 KB`.
fn size(bytes: u64) -> String {
    docent_host::render::size(bytes)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use chrono::{FixedOffset, Utc};

    use super::*;
    use crate::commands::find::milliseconds;
    use crate::commands::find::tests::request;

    fn found() -> FoundFiles {
        let matches: Vec<FoundFile> = serde_json::from_value(json!([
            {"path": "a b.md", "kind": "file", "time": "2026-02-28T23:30:59.999Z",
             "sizeBytes": 12_345},
            {"path": "d\u{1b}", "kind": "directory", "time": "+292278994-08-17T07:12:55.807Z"},
        ]))
        .unwrap();
        let mut found = FoundFiles::default();
        for mut one in matches {
            one.milliseconds = milliseconds(&one.time);
            one.target = Path::new("/w").join(&one.path);
            found.matches.push(one);
        }
        found
    }

    fn printed(flags: &[&str], layout: Layout, paint: Paint) -> String {
        let mut output = Vec::new();
        let zone = FixedOffset::east_opt(9 * 3600).unwrap();
        found()
            .print(&request(flags), layout, paint, &zone, &mut output)
            .unwrap();
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn a_terminal_gets_local_time_and_size() {
        assert_eq!(
            printed(&["--sort", "time-asc"], Layout::Headings, Paint::Plain),
            "2026-03-01 08:30    12.3 KB  a b.md\n\
             +292278994-08-17T07:12:55.807Z          -  d\\u{1b}/\n",
        );
        let painted = printed(
            &["-n", "1", "--sort", "path-asc"],
            Layout::Headings,
            Paint::Full,
        );
        assert!(
            painted.contains("\x1b]8;;file:///w/a%20b.md\x1b\\\x1b[35ma b.md"),
            "{painted:?}"
        );
    }

    #[test]
    fn a_pipe_gets_paths() {
        assert_eq!(
            printed(&[], Layout::Lines, Paint::Plain),
            "d\\u{1b}\na b.md\n"
        );
        assert_eq!(
            printed(&["-n", "1"], Layout::Lines, Paint::Plain),
            "d\\u{1b}\n"
        );
        assert_eq!(
            printed(&["-0"], Layout::Lines, Paint::Plain),
            "d\u{1b}\0a b.md\0"
        );
    }

    #[test]
    fn json_is_one_object_a_line() {
        let printed = printed(
            &["-n", "1", "--sort", "time-asc"],
            Layout::Json,
            Paint::Plain,
        );
        let lines: Vec<Value> = printed
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0]["type"], "match");
        assert_eq!(lines[0]["path"], "a b.md");
        assert_eq!(lines[0]["sizeBytes"], 12_345);
        assert_eq!(lines[1]["type"], "summary");
        assert_eq!(lines[1]["hasMore"], true);
    }

    #[test]
    fn nothing_is_told() {
        let mut output = Vec::new();
        let outcome = FoundFiles::default()
            .print(
                &request(&[]),
                Layout::Headings,
                Paint::Plain,
                &Utc,
                &mut output,
            )
            .unwrap();
        assert_eq!(outcome, ResultPresence::Nothing);
        assert_eq!(
            String::from_utf8(output).unwrap(),
            "nothing found among 0 files\n"
        );
    }
}
