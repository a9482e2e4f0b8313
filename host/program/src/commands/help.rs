//! `docent help`: the help of a command, and the pages of the book.

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::{Args, Command, CommandFactory as _};
use docent_client_config::NAME;
use docent_host::tools;

use crate::app::App;
use crate::args::Cli;
use crate::terminal::error::CommandError;
use crate::terminal::style::visible;

/// Pages of the book in the program, each by the name of its file in `docs/`.
const PAGES: [BookPage; 13] = [
    BookPage::new("access-log", include_str!("../../../../docs/access-log.md")),
    BookPage::new("benchmarks", include_str!("../../../../docs/benchmarks.md")),
    BookPage::new("clients", include_str!("../../../../docs/clients.md")),
    BookPage::new("commands", include_str!("../../../../docs/commands.md")),
    BookPage::new(
        "configuration",
        include_str!("../../../../docs/configuration.md"),
    ),
    BookPage::new(
        "containment",
        include_str!("../../../../docs/containment.md"),
    ),
    BookPage::new("editing", include_str!("../../../../docs/editing.md")),
    BookPage::new("embedding", include_str!("../../../../docs/embedding.md")),
    BookPage::new("formats", include_str!("../../../../docs/formats.md")),
    BookPage::new("hosts", include_str!("../../../../docs/hosts.md")),
    BookPage::new("meaning", include_str!("../../../../docs/meaning.md")),
    BookPage::new("serving", include_str!("../../../../docs/serving.md")),
    BookPage::new("tools", include_str!("../../../../docs/tools.md")),
];

/// Ending of a page's file, by which a page is shown whose name is that of a command.
const ENDING: &str = ".md";

/// Name of the topic that lists the others.
const TOPICS: &str = "topics";

/// Text for a start of the program without arguments.
pub const FIRST_STEPS: &str = "\
docent finds, reads and edits documents in the directories you grant it.

  docent setup                      connect Claude, Codex, VS Code and others
  docent search WORD DIR            find text in documents
  docent query 'QUESTION' DIR       show the sections that answer a question
  docent explore FILE               show what is in a file or a directory
  docent edit FILE --old A --new B  show an edit; --apply writes it
  docent doctor --root DIR          check that everything works

`docent help` lists the commands, `docent help topics` the pages of the book.
";

/// The arguments of `docent help`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples: docent help search, docent help token new, docent help topics")]
pub struct HelpArgs {
    /// A command, a page of the book, or `topics` for the list of pages
    #[arg(value_name = "COMMAND|TOPIC")]
    subject: Vec<String>,
}

/// A page of the book.
struct BookPage {
    name: &'static str,
    text: &'static str,
}

impl BookPage {
    const fn new(name: &'static str, text: &'static str) -> Self {
        Self { name, text }
    }

    fn find(name: &str) -> Option<&'static Self> {
        PAGES.iter().find(|page| page.name == name)
    }

    /// Returns the page's first heading.
    fn title(&self) -> &str {
        let mut lines = self.text.lines();
        let heading = lines.find_map(|line| line.strip_prefix("# "));
        heading.unwrap_or(self.name)
    }
}

/// Prints the help of a command, or a page of the book.
///
/// # Errors
/// Returns an error if there is no such command or topic.
pub fn run(app: &App, args: &HelpArgs) -> Result<ExitCode, CommandError> {
    let subject: Vec<_> = args.subject.iter().map(String::as_str).collect();
    app.print(&answer(&subject)?)
}

fn answer(subject: &[&str]) -> Result<String, CommandError> {
    match subject {
        [] => {
            let commands = help_of(&[]);
            return Ok(format!(
                "{commands}\n`docent help {TOPICS}` lists the pages of the book.\n"
            ));
        }
        [TOPICS] => return Ok(list()),
        _ => {}
    }
    let cli = Cli::command();
    if is_command(&cli, subject) {
        let mut help = help_of(subject);
        if let [name] = subject
            && let Some(page) = BookPage::find(name)
        {
            let _ = write!(help, "\nSee also: docent help {}{ENDING}\n", page.name);
        }
        return Ok(help);
    }
    match subject {
        [name] => match BookPage::find(name.strip_suffix(ENDING).unwrap_or(name)) {
            Some(page) => Ok(page.text.to_owned()),
            None => Err(unknown(name, &cli)),
        },
        several => Err(unknown(&several.join(" "), &cli)),
    }
}

/// Returns true if these names lead to a command.
fn is_command(cli: &Command, path: &[&str]) -> bool {
    let mut names = path.iter();
    let found = names.try_fold(cli, |command, name| command.find_subcommand(name));
    found.is_some()
}

/// Returns the help of a command: what its `--help` prints, which clap alone decides.
fn help_of(path: &[&str]) -> String {
    let line = [&[NAME], path, &["--help"]].concat();
    match Cli::command().try_get_matches_from(line) {
        Err(help) => help.to_string(),
        Ok(_) => String::new(),
    }
}

fn list() -> String {
    let width = PAGES.iter().map(|page| page.name.len()).max();
    let width = width.unwrap_or_default() + ENDING.len();
    let cli = Cli::command();
    let mut list = String::from("Pages of the book, each shown by `docent help TOPIC`:\n\n");
    for page in &PAGES {
        let ending = match cli.find_subcommand(page.name) {
            Some(_) => ENDING,
            None => "",
        };
        let name = format!("{}{ending}", page.name);
        let _ = writeln!(list, "  {name:width$}  {}", page.title());
    }
    list
}

fn unknown(subject: &str, cli: &Command) -> CommandError {
    let commands = cli.get_subcommands().map(Command::get_name);
    let pages = PAGES.iter().map(|page| page.name);
    let names = commands.chain(pages).chain([TOPICS]);
    let expected = match tools::nearest(subject, names) {
        Some(nearest) => format!("expected `{nearest}`, which is the nearest"),
        None => {
            let pages = PAGES.map(|page| page.name).join("`, `");
            format!("expected a command, `{TOPICS}`, or one of `{pages}`")
        }
    };
    CommandError::Usage(format!(
        "no command or topic `{}`; {expected}",
        visible(subject)
    ))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn the_program_holds_every_page() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        let files = fs::read_dir(docs).unwrap();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        let pages = names.filter_map(|name| name.strip_suffix(".md").map(str::to_owned));
        // The index and the list of pages for mdbook are not pages, and only those who make
        // releases read about them.
        let others = ["SUMMARY", "README", "releasing"];
        let is_page = |name: &String| !others.contains(&name.as_str());
        let mut pages: Vec<_> = pages.filter(is_page).collect();
        pages.sort();
        assert_eq!(pages, PAGES.map(|page| page.name));
    }

    #[test]
    fn the_first_steps_take_ten_lines() {
        assert_eq!(FIRST_STEPS.lines().count(), 10);
        for line in FIRST_STEPS.lines() {
            assert!(line.len() <= 80, "{line}");
        }
        let examples = FIRST_STEPS
            .lines()
            .filter_map(|line| line.strip_prefix("  docent "));
        for example in examples {
            let name = example.split_whitespace().next().unwrap();
            assert!(Cli::command().find_subcommand(name).is_some(), "{name}");
        }
    }

    #[test]
    fn a_command_comes_before_a_page_of_its_name() {
        let help = answer(&["tools"]).unwrap();
        assert!(help.contains("Usage: docent tools"), "{help}");
        assert!(help.ends_with("See also: docent help tools.md\n"), "{help}");
        assert!(answer(&["tools.md"]).unwrap().starts_with("# "));
        let nested = answer(&["token", "new"]).unwrap();
        assert!(nested.contains("Usage: docent token new"), "{nested}");
    }

    #[test]
    fn topics_are_listed_and_shown() {
        let list = answer(&[TOPICS]).unwrap();
        for page in &PAGES {
            assert!(
                list.contains(page.name) && list.contains(page.title()),
                "{list}"
            );
        }
        assert_eq!(answer(&["access-log"]).unwrap(), PAGES[0].text);
        assert!(answer(&[]).unwrap().contains("Usage: docent"));
    }

    #[test]
    fn an_unknown_topic_is_refused_with_the_nearest() {
        let refused = |subject: &[&str]| answer(subject).unwrap_err().to_string();
        assert_eq!(
            refused(&["acces-log"]),
            "no command or topic `acces-log`; expected `access-log`, which is the nearest"
        );
        assert_eq!(
            refused(&["serch"]),
            "no command or topic `serch`; expected `search`, which is the nearest"
        );
        let far = refused(&["zzzzzz"]);
        assert!(
            far.contains("or one of `access-log`, `benchmarks`, `clients`"),
            "{far}"
        );
        assert!(refused(&["token", "make"]).starts_with("no command or topic `token make`"));
    }
}
