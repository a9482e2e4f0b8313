//! `docent understand` and `docent links`: dependencies and links between files.

use std::io::Write;

use docent_host::Session;
use docent_host::render::Renderer;
use docent_host::tools;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::args;
use crate::terminal::call::call;
use crate::terminal::error::CommandError;
use crate::terminal::notes::note;
use crate::terminal::outcome::Outcome;
use crate::terminal::page::Page;
use crate::terminal::skipped::{Skipped, not_examined};
use crate::terminal::style::{DIM, Layout, PATH, counted, visible};
use crate::terminal::wording;
use crate::writing::ground::Ground;

/// Name of the component's function and of its tool.
const NAME: &str = "understand";

/// Bytes of a page if all pages are read.
const PAGE_CHARS: u32 = 200_000;

/// Lists of an answer whose entries name a file.
const LISTS: [&str; 5] = ["structure", "dependencies", "impact", "hotSpots", "summary"];

/// The part of an answer that lists links.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LinksAnswer {
    dependencies: Vec<Link>,
    next_cursor: Option<String>,
    reasons: Vec<String>,
    stats: Stats,
}

#[derive(Deserialize)]
struct Stats {
    skipped: Skipped,
}

/// A link, or another reference.
#[derive(Deserialize, serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct Link {
    path: String,
    line: u32,
    text: String,
    kind: String,
    end: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    to: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    candidates: Vec<String>,
}

/// Prints the dependencies of `paths`.
///
/// # Errors
/// Returns an error if the component refuses or fails, or if the output cannot be written.
pub fn print<W: Write>(
    mut page: Page<W>,
    session: &mut Session,
    ground: &Ground,
    paths: &[String],
    args: &args::Understand,
) -> Result<Outcome, CommandError> {
    let mut request = request(paths);
    if let Some(symbol) = &args.symbol {
        request.insert("symbol".to_owned(), json!(symbol));
    }
    if let Some(goal) = &args.goal {
        request.insert("goal".to_owned(), json!(goal));
    }
    if !args.aspects.is_empty() {
        let aspects = args.aspects.iter().map(|aspect| aspect.name());
        request.insert("aspects".to_owned(), aspects.collect());
    }
    if let Some(depth) = args.depth {
        request.insert("depth".to_owned(), json!(depth.name()));
    }
    if let Some(chars) = args.max_chars {
        request.insert("limits".to_owned(), json!({ "maxChars": chars }));
    }
    let mut outcome = Outcome::Nothing;
    for pages in 0.. {
        let mut answer: Value = call(session, NAME, request.clone())?;
        if answer["status"] != "no-results" {
            outcome = Outcome::Found;
        }
        let next = answer["nextCursor"].take();
        let goes_on = next.is_string() && args.all;
        for list in LISTS {
            for entry in answer[list].as_array_mut().into_iter().flatten() {
                rename(entry, ground);
            }
        }
        if let Some(hint) = answer["hint"].as_str() {
            answer["hint"] = json!(wording::hint(NAME, hint));
        }
        if page.layout == Layout::Json {
            page.object("answer", &answer)?;
        } else {
            if pages > 0 {
                writeln!(page.output)?;
            }
            let tool = tools::table().find(NAME);
            let text = tool.map(|tool| Renderer::new().answer(tool.names(), &request, &answer));
            page.text(text.unwrap_or_default().trim_end())?;
        }
        if !goes_on {
            if next.is_string() && page.layout != Layout::Json {
                let more = page.paint.styled(DIM, "There is more: --all shows it.");
                writeln!(page.output, "\n{more}")?;
            }
            break;
        }
        request.insert("cursor".to_owned(), next);
    }
    page.output.flush()?;
    Ok(outcome)
}

/// Prints the links of `paths`, or of the whole directory. Returns true if one of them is broken.
///
/// # Errors
/// Returns an error if the component refuses or fails, or if the output cannot be written.
pub fn print_links<W: Write>(
    mut page: Page<W>,
    session: &mut Session,
    ground: &Ground,
    paths: &[String],
    args: &args::Links,
) -> Result<bool, CommandError> {
    let mut request = request(paths);
    request.insert("aspects".to_owned(), json!(["dependencies"]));
    request.insert(
        "limits".to_owned(),
        json!({ "maxChars": PAGE_CHARS, "maxFiles": 100_000, "timeoutMs": 60_000 }),
    );
    let mut links: Vec<Link> = Vec::new();
    let skipped = loop {
        let answer: LinksAnswer = call(session, NAME, request.clone())?;
        if answer
            .reasons
            .iter()
            .any(|reason| reason == "sources-changed")
        {
            links.clear();
        }
        links.extend(
            answer
                .dependencies
                .into_iter()
                .filter(|link| link.kind != "import"),
        );
        if let Some(reason) = answer
            .reasons
            .iter()
            .find(|reason| *reason == "timeout" || *reason == "max-files")
        {
            note(format_args!(
                "not all files were looked at ({reason}); name a directory"
            ));
        }
        match answer.next_cursor {
            Some(next) => request.insert("cursor".to_owned(), json!(next)),
            None => break answer.stats.skipped,
        };
    };
    let broken = links.iter().filter(|link| link.is_broken()).count();
    let count = |end: &str| links.iter().filter(|link| link.end == end).count() as u64;
    let (several, unknown) = (count("several"), count("unknown"));
    links.retain(|link| {
        (!args.broken || link.is_broken()) && (!args.external || link.end == "external")
    });
    // In file order: the component lists broken links first.
    links.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    for link in &mut links {
        link.path = ground.shown(&link.path);
    }
    for link in &links {
        match page.layout {
            Layout::Json => page.object("link", link)?,
            Layout::Headings | Layout::Lines => {
                let place = format!("{}:{}", visible(&link.path), link.line);
                let place = page.paint.styled(PATH, place);
                let why = page.paint.styled(DIM, link.why());
                writeln!(page.output, "{place}: {}{why}", visible(&link.text))?;
            }
        }
    }
    if page.layout == Layout::Json {
        page.object("summary", &json!({"links": links.len(), "broken": broken, "several": several, "unknown": unknown}))?;
    }
    page.output.flush()?;
    if skipped.count > 0 {
        note(not_examined(&skipped, "read"));
    }
    if page.layout == Layout::Headings {
        let mut told = format!("{}, {broken} broken", counted(links.len() as u64, "link"));
        if several > 0 {
            told += &format!(", {several} to one of several files");
        }
        if unknown > 0 {
            told += &format!(", {unknown} to what only a program knows, such as a page of a site");
        }
        note(told);
    }
    Ok(broken > 0)
}

impl Link {
    fn is_broken(&self) -> bool {
        matches!(self.end.as_str(), "no-file" | "no-section")
    }

    /// Returns the reason for which the link is broken.
    fn why(&self) -> String {
        match self.end.as_str() {
            "no-file" => format!(" (no such file{})", self.nearest()),
            "no-section" => format!(" (no such section{})", self.nearest()),
            "several" => format!(" (one of {})", self.candidates.join(", ")),
            "outside" => " (outside)".to_owned(),
            "unknown" => " (not known)".to_owned(),
            _ => String::new(),
        }
    }

    /// Returns a suggestion for the target.
    fn nearest(&self) -> String {
        let nearest = self.candidates.first();
        nearest.map_or_else(String::new, |path| format!(", nearest {path}"))
    }
}

fn request(paths: &[String]) -> Map<String, Value> {
    let mut request = Map::new();
    if !paths.is_empty() {
        request.insert("paths".to_owned(), json!(paths));
    }
    request
}

/// Rewrites the paths of an entry relative to the person's directory.
fn rename(entry: &mut Value, ground: &Ground) {
    for field in ["path", "to"] {
        if let Some(path) = entry[field].as_str() {
            entry[field] = json!(ground.shown(path));
        }
    }
    for path in entry["candidates"].as_array_mut().into_iter().flatten() {
        if let Some(text) = path.as_str() {
            *path = json!(ground.shown(text));
        }
    }
}
