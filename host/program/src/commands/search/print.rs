//! Output of documents and their hits: for people on a terminal, for a pipe, or as JSON.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use serde_json::json;

use super::answer::{HitDocument, SearchHit, SearchSummary};
use super::args::{SearchArgs, SearchMode, mode};
use super::excerpt::{self, Excerpt};
use crate::terminal::notes::note;
use crate::terminal::skipped::not_examined;
use crate::terminal::style::{DIM, HIT, LINE, Layout, PATH, Paint, Style, count_noun, visible};

/// A printer that writes to `output`.
pub struct Printer<W> {
    output: W,
    layout: Layout,
    paint: Paint,
    printed: bool,
}

impl<W: Write> Printer<W> {
    /// Creates a printer with this layout and paint.
    pub fn new(output: W, layout: Layout, paint: Paint) -> Self {
        Self {
            output,
            layout,
            paint,
            printed: false,
        }
    }

    /// Prints a document, whose path is shown as `shown` and links to `target`.
    pub(super) fn document(
        &mut self,
        args: &SearchArgs,
        context: usize,
        shown: &str,
        target: &Path,
        mut document: HitDocument,
    ) -> io::Result<()> {
        match self.layout {
            Layout::Json => {
                shown.clone_into(&mut document.path);
                let mut object = json!({"type": "document"});
                if let (Some(object), Ok(serde_json::Value::Object(fields))) =
                    (object.as_object_mut(), serde_json::to_value(document))
                {
                    object.extend(fields);
                }
                writeln!(self.output, "{object}")
            }
            Layout::Lines => self.lines(args, context, shown, target, &document),
            Layout::Headings => self.headings(args, context, shown, target, &document),
        }
    }

    fn lines(
        &mut self,
        args: &SearchArgs,
        context: usize,
        shown: &str,
        target: &Path,
        document: &HitDocument,
    ) -> io::Result<()> {
        // Unescaped, even with control characters: programs open files by these paths.
        if args.null {
            return write!(self.output, "{shown}\0");
        }
        let path = self.link(target, &self.style_totals(PATH, visible(shown)));
        if mode(args) == SearchMode::TitlesOnly {
            return writeln!(self.output, "{path}");
        }
        for hit in &document.matches {
            if mode(args) == SearchMode::FullContext {
                for (line, text) in number_lines(hit) {
                    writeln!(
                        self.output,
                        "{path}:{}:{}",
                        self.style_totals(LINE, line),
                        visible(text)
                    )?;
                }
            } else {
                let line = self.style_totals(LINE, hit.line);
                let excerpt = self.excerpt(args, context, hit);
                writeln!(self.output, "{path}:{line}: {excerpt}")?;
            }
        }
        Ok(())
    }

    fn headings(
        &mut self,
        args: &SearchArgs,
        context: usize,
        shown: &str,
        target: &Path,
        document: &HitDocument,
    ) -> io::Result<()> {
        let with_hits = mode(args) != SearchMode::TitlesOnly;
        // A list of names alone has no blank lines.
        if self.printed && with_hits {
            writeln!(self.output)?;
        }
        self.printed = true;
        let path = self.link(target, &self.style_totals(PATH, visible(shown)));
        let name = self.style_totals(DIM, visible(&document.name));
        let count = self.style_totals(DIM, count_noun(document.match_count, "hit"));
        writeln!(self.output, "{path}  {name}  {count}")?;
        if !with_hits {
            return Ok(());
        }
        for (index, hit) in document.matches.iter().enumerate() {
            if mode(args) == SearchMode::FullContext {
                if index > 0 {
                    writeln!(self.output, "{}", self.style_totals(DIM, "   --"))?;
                }
                for (line, text) in number_lines(hit) {
                    writeln!(
                        self.output,
                        "{}  {}",
                        self.style_totals(LINE, format!("{line:>5}")),
                        visible(text)
                    )?;
                }
            } else {
                let line = self.style_totals(LINE, format!("{:>5}", hit.line));
                let excerpt = self.excerpt(args, context, hit);
                writeln!(self.output, "{line}  {excerpt}")?;
            }
        }
        let hidden = document
            .match_count
            .saturating_sub(document.matches.len() as u64);
        if mode(args) == SearchMode::Snippets && hidden > 0 {
            let more = format!("       {hidden} more, see --max-results");
            writeln!(self.output, "{}", self.style_totals(DIM, more))?;
        }
        Ok(())
    }

    /// Prints the totals: a last line on a terminal and in JSON, and on stderr what the hits do not
    /// show.
    pub(super) fn summary(&mut self, args: &SearchArgs, summary: &SearchSummary) -> io::Result<()> {
        let stats = &summary.stats;
        match self.layout {
            Layout::Json => {
                let object = json!({
                    "type": "summary",
                    "query": args.query.trim(),
                    "totalMatches": summary.matches,
                    "totalFiles": summary.documents,
                    "truncated": summary.is_cut,
                    "settings": summary.settings,
                    "documentsSearched": stats.documents_searched,
                    "bytesSearched": stats.bytes_searched,
                    "skipped": stats.skipped,
                    "elapsedMs": stats.elapsed_ms,
                });
                writeln!(self.output, "{object}")?;
                return Ok(());
            }
            Layout::Headings => {
                let gap = if summary.documents == 0 { "" } else { "\n" };
                let found = self.style_totals(DIM, summarize_totals(summary));
                writeln!(self.output, "{gap}{found}")?;
            }
            Layout::Lines if summary.hidden_matches > 0 => {
                let more = count_noun(summary.hidden_matches, "more hit");
                note(format_args!("{more} not shown, see --max-results"));
            }
            Layout::Lines => {}
        }
        for text in notes(args, summary) {
            note(text);
        }
        Ok(())
    }

    /// Flushes the output.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }

    fn excerpt(&self, args: &SearchArgs, context: usize, hit: &SearchHit) -> String {
        let Excerpt { before, hit, after } = excerpt::split(&hit.excerpt, &args.query, context);
        // Line breaks are spaces in an excerpt, and insignificant at its ends.
        let (before, after) = (visible(before.trim_start()), visible(after.trim_end()));
        format!("{before}{}{after}", self.style_totals(HIT, visible(hit)))
    }

    fn style_totals(&self, style: Style, text: impl fmt::Display) -> String {
        self.paint.style(style, text)
    }

    fn link(&self, target: &Path, text: &str) -> String {
        self.paint.link(target, text)
    }
}

/// Summarizes the totals in a few words.
fn summarize_totals(summary: &SearchSummary) -> String {
    let searched = count_noun(summary.stats.documents_searched, "document");
    if summary.documents == 0 {
        return format!("nothing found in {searched}");
    }
    let hits = count_noun(summary.matches, "hit");
    format!("{hits} in {} of {searched}", summary.documents)
}

/// Returns notes on what the hits do not show: cuts, clamped settings and skipped entries.
fn notes(args: &SearchArgs, summary: &SearchSummary) -> Vec<String> {
    let mut notes = Vec::new();
    if summary.is_cut {
        let documents = count_noun(summary.documents, "document");
        notes.push(format!("the search ended after {documents}, see --limit"));
    }
    if let Some(settings) = summary.settings {
        for (option, asked, taken) in [
            ("--context", args.context, settings.context_chars),
            ("--max-results", args.max_results, settings.max_results),
        ] {
            if asked != taken {
                notes.push(format!("{option} {asked} was taken as {taken}"));
            }
        }
    }
    let skipped = &summary.stats.skipped;
    if skipped.count > 0 {
        notes.push(not_examined(skipped, "searched"));
    }
    notes
}

/// Numbers the lines of a section. LF, CRLF and a lone CR end a line.
fn number_lines(hit: &SearchHit) -> impl Iterator<Item = (u64, &str)> {
    // The line break at the end of a section does not start another line.
    let text = hit.excerpt.strip_suffix('\n').unwrap_or(&hit.excerpt);
    let text = text.strip_suffix('\r').unwrap_or(text);
    let mut rest = Some(text);
    let lines = std::iter::from_fn(move || {
        let text = rest?;
        let Some(end) = text.find(['\n', '\r']) else {
            rest = None;
            return Some(text);
        };
        let ending = if text[end..].starts_with("\r\n") {
            2
        } else {
            1
        };
        rest = Some(&text[end + ending..]);
        Some(&text[..end])
    });
    (hit.line..).zip(lines)
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::args::Cli;
    use crate::commands::Command;
    use crate::commands::search::answer::{SearchSettings, SearchStats};

    fn arguments(flags: &[&str]) -> SearchArgs {
        let arguments = ["docent", "search", "word"].iter().chain(flags);
        let Command::Search(args) = Cli::parse_from(arguments).command else {
            panic!("not a search")
        };
        args
    }

    fn printed(layout: Layout, paint: Paint, flags: &[&str]) -> String {
        shown("d/a b.md", layout, paint, flags)
    }

    fn shown(path: &str, layout: Layout, paint: Paint, flags: &[&str]) -> String {
        let args = arguments(flags);
        let document: HitDocument = serde_json::from_value(json!({
            "path": "/a b.md", "name": "A", "matchCount": 3,
            "matches": [{"line": 2, "excerpt": "...x **word** y"},
                        {"line": 40, "excerpt": "**Word**\u{1b}[0m"}],
        }))
        .unwrap();
        let mut output = Vec::new();
        let mut printer = Printer::new(&mut output, layout, paint);
        printer
            .document(&args, 50, path, Path::new("/w/d/a b.md"), document)
            .unwrap();
        let stats = SearchStats {
            documents_searched: 9,
            ..SearchStats::default()
        };
        let summary = SearchSummary {
            matches: 3,
            hidden_matches: 1,
            documents: 1,
            stats,
            ..SearchSummary::default()
        };
        printer.summary(&args, &summary).unwrap();
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn a_pipe_gets_a_line_for_each_hit() {
        assert_eq!(
            printed(Layout::Lines, Paint::Plain, &[]),
            "d/a b.md:2: ...x word y\nd/a b.md:40: Word\\u{1b}[0m\n",
        );
        assert_eq!(printed(Layout::Lines, Paint::Plain, &["-l"]), "d/a b.md\n");
    }

    #[test]
    fn a_path_cannot_break_its_line() {
        let odd = |layout, flags: &[&str]| shown("d/a\nb\u{1b}.md", layout, Paint::Plain, flags);
        assert_eq!(odd(Layout::Lines, &["-l"]), "d/a\\u{a}b\\u{1b}.md\n");
        let lines = odd(Layout::Lines, &[]);
        assert!(lines.starts_with("d/a\\u{a}b\\u{1b}.md:2: "), "{lines}");
        // Readers of NUL-terminated paths need the name unescaped.
        assert_eq!(odd(Layout::Lines, &["-l", "-0"]), "d/a\nb\u{1b}.md\0");
    }

    #[test]
    fn what_was_cut_or_taken_otherwise_is_told() {
        let summary = |is_cut, context_chars, max_results| SearchSummary {
            documents: 2,
            is_cut,
            settings: Some(SearchSettings {
                context_chars,
                max_results,
            }),
            ..SearchSummary::default()
        };
        assert!(notes(&arguments(&[]), &summary(false, 50, 10)).is_empty());
        let args = arguments(&["-C", "5", "-m", "0"]);
        let cut = "the search ended after 2 documents, see --limit";
        assert_eq!(
            notes(&args, &summary(true, 10, 1)),
            [
                cut,
                "--context 5 was taken as 10",
                "--max-results 0 was taken as 1"
            ]
        );
    }

    #[test]
    fn a_terminal_gets_headings_and_links() {
        assert_eq!(
            printed(Layout::Headings, Paint::Plain, &[]),
            "d/a b.md  A  3 hits\n    2  ...x word y\n   40  Word\\u{1b}[0m\n       \
             1 more, see --max-results\n\n\
             3 hits in 1 of 9 documents\n",
        );
        let painted = printed(Layout::Headings, Paint::Full, &[]);
        let link = "\x1b]8;;file:///w/d/a%20b.md\x1b\\\x1b[35md/a b.md\x1b[0m\x1b]8;;\x1b\\";
        assert!(painted.starts_with(link), "{painted:?}");
        assert!(
            painted.contains("\x1b[1;31mWord\x1b[0m\\u{1b}[0m"),
            "{painted:?}"
        );
    }

    #[test]
    fn json_is_one_object_a_line() {
        let printed = printed(Layout::Json, Paint::Plain, &[]);
        let lines: Vec<serde_json::Value> = printed
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(lines[0]["type"], "document");
        assert_eq!(lines[0]["path"], "d/a b.md");
        assert_eq!(lines[0]["matches"][1]["line"], 40);
        assert_eq!(lines[1]["type"], "summary");
        assert_eq!(lines[1]["totalMatches"], 3);
        assert_eq!(lines[1]["truncated"], false);
        assert_eq!(lines.len(), 2);
    }

    #[test]
    fn sections_keep_their_line_numbers() {
        let hit = SearchHit {
            line: 7,
            excerpt: "a\r\n\nb\rc\n".to_owned(),
            section: None,
        };
        let lines: Vec<_> = number_lines(&hit).collect();
        assert_eq!(lines, [(7, "a"), (8, ""), (9, "b"), (10, "c")]);
    }
}
