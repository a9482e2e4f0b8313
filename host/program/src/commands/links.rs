//! `docent links`: the links between files, and which of them are broken.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use docent_host::Session;
use serde::Deserialize;
use serde_json::json;

use crate::app::App;
use crate::args::OutputArgs;
use crate::references::{FUNCTION, GrantedTree, request};
use crate::terminal::call::call;
use crate::terminal::error::CommandError;
use crate::terminal::notes::note;
use crate::terminal::outcome::NOTHING;
use crate::terminal::page::Page;
use crate::terminal::place::PartPolicy;
use crate::terminal::skipped::{Skipped, not_examined};
use crate::terminal::style::{DIM, Layout, PATH, count_noun, visible};
use crate::writing::command_root::CommandRoot;

/// Bytes of a page if all pages are read.
const PAGE_CHARS: u32 = 200_000;

/// The arguments of `docent links`.
#[derive(Debug, Args)]
#[command(after_help = "\
Each link is printed as `PATH:LINE: TARGET`, with the reason if it cannot be resolved. A link is \
broken if its target file, or its section of that file, does not exist. Ambiguous links, and links \
that only a site's program can resolve, are counted separately. The network is not used. The tree \
is the configured root, otherwise the git repository, otherwise the current directory. With \
--json, each line is an object. Exit status: 0, 1 when a link is broken, 2 on an error.")]
pub struct LinksArgs {
    /// Files or directories [default: the whole tree]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Only broken links
    #[arg(short = 'b', long)]
    broken: bool,
    /// Only links to other sites
    #[arg(short = 'x', long, conflicts_with = "broken")]
    external: bool,
    /// Root of the tree
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
}

/// Lists the links of the paths on the command line.
///
/// # Errors
/// Returns an error if the tree cannot be granted, if the component refuses or fails, or if the
/// output cannot be written.
pub fn run(app: &App, args: &LinksArgs) -> Result<ExitCode, CommandError> {
    let paths = (args.paths.as_slice(), PartPolicy::Refused);
    let mut tree = GrantedTree::open(app, &args.output, args.root.as_ref(), paths)?;
    let page = app.page(&args.output);
    let is_broken = print(
        page,
        &mut tree.session,
        &tree.command_root,
        &tree.names,
        args,
    )?;
    Ok(if is_broken {
        ExitCode::from(NOTHING)
    } else {
        ExitCode::SUCCESS
    })
}

/// The part of an answer that lists links.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LinksAnswer {
    dependencies: Vec<LinkRow>,
    next_cursor: Option<String>,
    reasons: Vec<String>,
    stats: LinkStats,
}

#[derive(Deserialize)]
struct LinkStats {
    skipped: Skipped,
}

/// A link, or another reference.
#[derive(Deserialize, serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct LinkRow {
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

/// Prints the links of `paths`, or of the whole directory. Returns true if one of them is broken.
///
/// # Errors
/// Returns an error if the component refuses or fails, or if the output cannot be written.
fn print<W: Write>(
    mut page: Page<W>,
    session: &mut Session,
    command_root: &CommandRoot,
    paths: &[String],
    args: &LinksArgs,
) -> Result<bool, CommandError> {
    let mut request = request(paths);
    request.insert("aspects".to_owned(), json!(["dependencies"]));
    request.insert(
        "limits".to_owned(),
        json!({ "maxChars": PAGE_CHARS, "maxFiles": 100_000, "timeoutMs": 60_000 }),
    );
    let mut links: Vec<LinkRow> = Vec::new();
    let skipped = loop {
        let answer: LinksAnswer = call(session, FUNCTION, request.clone())?;
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
                "not all files were examined ({reason}); name a directory"
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
        link.path = command_root.show(&link.path);
    }
    for link in &links {
        match page.layout {
            Layout::Json => page.object("link", link)?,
            Layout::Headings | Layout::Lines => {
                let place = format!("{}:{}", visible(&link.path), link.line);
                let place = page.paint.style(PATH, place);
                let why = page.paint.style(DIM, link.why());
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
        let mut told = format!(
            "{}, {broken} broken",
            count_noun(links.len() as u64, "link")
        );
        if several > 0 {
            told += &format!(", {several} to one of several files");
        }
        if unknown > 0 {
            told += &format!(", {unknown} that only a site's program can resolve, such as a page");
        }
        note(told);
    }
    Ok(broken > 0)
}

impl LinkRow {
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
