//! Tests of README.md and the book in docs/: the examples print the output that is shown, links
//! resolve, and the summary lists every page.
//!
//! A ```` ```console ```` block that begins with `$ docent` is run, unless its info string has the
//! word `no_run`. The examples of a page run one after the other, in a fresh copy of docs/example.
//! A line `...` stands for any number of lines, and dates with a time of day are not compared.
//! `BLESS=1` writes the actual output into the pages.

use std::fmt::Write as _;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use crate::program::{ran, shell};

/// Maximum bytes of the README: some minutes of reading for a newcomer.
const README_BYTES: u64 = 9_000;

/// Difference in age between consecutive files of the examples, in the order of their paths.
const AGE_STEP: Duration = Duration::from_secs(3_600);

/// Directory of the examples, as the pages name it.
const EXAMPLE_PATH: &str = "/path/to";

/// Format of a time that is not compared; each `0` is a digit.
const TIME: &str = "0000-00-00 00:00";

/// A command on a page.
struct Example {
    command: String,
    /// Lines of the page with its output.
    output: Range<usize>,
}

/// An example whose output differs from that on its page.
struct Difference {
    example: Example,
    printed: String,
}

/// A copy of docs/example, and a home directory for the program's state.
struct Scratch {
    _tree: TempDir,
    directory: PathBuf,
    home: TempDir,
}

impl Scratch {
    /// Copies the files. Their order by time is that of their paths.
    fn new() -> Self {
        let tree = tempfile::tempdir().unwrap();
        // As the program prints it: the path of a temporary directory may contain a link.
        let directory = tree.path().canonicalize().unwrap();
        let mut files = Vec::new();
        copy(&workspace().join("docs/example"), &directory, &mut files);
        files.sort();
        for (steps, path) in (0_u32..).zip(&files) {
            let file = fs::File::options().write(true).open(path).unwrap();
            let copied = file.metadata().unwrap().modified().unwrap();
            file.set_modified(copied - AGE_STEP * steps).unwrap();
        }
        Self {
            _tree: tree,
            directory,
            home: tempfile::tempdir().unwrap(),
        }
    }

    /// Runs a command in a shell and returns its output on stdout and stderr.
    fn printed(&self, command: &str) -> String {
        let output = shell()
            .arg("-c")
            // A command may end with a comment, so the closing brace has a line of its own.
            .arg(format!("{{ {command}\n}} 2>&1"))
            .current_dir(&self.directory)
            .env("HOME", self.home.path())
            .env("TZ", "UTC")
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.is_empty(), "{command}: {errors}");
        String::from_utf8(output.stdout)
            .unwrap()
            .replace(self.directory.to_str().unwrap(), EXAMPLE_PATH)
    }
}

/// Copies a directory and appends the new files to `files`.
fn copy(from: &Path, to: &Path, files: &mut Vec<PathBuf>) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target, files);
        } else {
            fs::copy(entry.path(), &target).unwrap();
            files.push(target);
        }
    }
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// Returns the names of the Markdown files in a directory, sorted.
fn markdown_files(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".md"))
        .collect();
    names.sort();
    names
}

/// Returns README.md and the pages of the book, as paths in the workspace.
fn pages() -> Vec<String> {
    let docs = markdown_files(&workspace().join("docs"));
    let docs = docs.into_iter().map(|name| format!("docs/{name}"));
    std::iter::once("README.md".to_owned())
        .chain(docs)
        .collect()
}

/// Returns the info strings of fenced blocks, and the ranges of the lines between their fences.
fn blocks<'a>(lines: &[&'a str]) -> Vec<(&'a str, Range<usize>)> {
    let mut blocks = Vec::new();
    let mut open: Option<(&str, &str, usize)> = None;
    for (number, line) in lines.iter().copied().enumerate() {
        let (fence, info) = line.split_at(line.len() - line.trim_start_matches('`').len());
        match open {
            None if fence.len() >= 3 && !info.contains('`') => {
                open = Some((fence, info, number + 1));
            }
            Some((opening, info_string, first))
                if info.is_empty() && fence.starts_with(opening) =>
            {
                blocks.push((info_string, first..number));
                open = None;
            }
            _ => {}
        }
    }
    assert!(open.is_none(), "a block has no end: {open:?}");
    blocks
}

/// Returns true if the commands of a block are run.
fn is_run(info: &str, block: &[&str]) -> bool {
    let mut words = info.split_whitespace();
    words.next() == Some("console")
        && words.all(|word| word != "no_run")
        && block
            .first()
            .is_some_and(|line| line.starts_with("$ docent "))
}

/// Returns the examples of a page that are run.
fn examples(lines: &[&str]) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    for (info, block) in blocks(lines) {
        if !is_run(info, &lines[block.clone()]) {
            continue;
        }
        for number in block {
            if let Some(command) = lines[number].strip_prefix("$ ") {
                examples.push(Example {
                    command: command.to_owned(),
                    output: number + 1..number + 1,
                });
            } else if let Some(example) = examples.last_mut() {
                example.output.end = number + 1;
            }
        }
    }
    examples
}

/// Returns the line with its first time replaced by `TIME`.
fn without_time(line: &str) -> String {
    let is_time = |text: &str| {
        text.bytes().zip(TIME.bytes()).all(|(byte, form)| {
            if form == b'0' {
                byte.is_ascii_digit()
            } else {
                byte == form
            }
        })
    };
    let found = (0..line.len()).find(|&at| line.get(at..at + TIME.len()).is_some_and(is_time));
    match found {
        Some(at) => format!("{}{TIME}{}", &line[..at], &line[at + TIME.len()..]),
        None => line.to_owned(),
    }
}

/// Normalizes lines for comparison: without times, and without empty lines at the end.
fn comparable<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut lines: Vec<String> = lines.map(without_time).collect();
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    lines
}

/// Returns true if the lines match those that are shown, where `...` stands for any number of
/// lines.
fn fits(shown: &[String], printed: &[String]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((line, rest)) if line == "..." => {
            (0..=printed.len()).any(|left_out| fits(rest, &printed[left_out..]))
        }
        Some((line, rest)) => printed
            .split_first()
            .is_some_and(|(first, others)| first == line && fits(rest, others)),
    }
}

/// Runs the examples of a page, and returns those whose output differs.
fn differences(lines: &[&str]) -> Vec<Difference> {
    let scratch = Scratch::new();
    let mut differences = Vec::new();
    for example in examples(lines) {
        let printed = scratch.printed(&example.command);
        let shown = comparable(lines[example.output.clone()].iter().copied());
        if !fits(&shown, &comparable(printed.lines())) {
            differences.push(Difference { example, printed });
        }
    }
    differences
}

/// Returns the page with the actual output of its examples.
fn blessed(lines: &[&str], differences: &[Difference]) -> String {
    let mut text = String::new();
    let mut at = 0;
    for Difference { example, printed } in differences {
        let before = &lines[at..example.output.start];
        for line in before.iter().copied().chain(printed.lines()) {
            writeln!(text, "{line}").unwrap();
        }
        at = example.output.end;
    }
    for line in &lines[at..] {
        writeln!(text, "{line}").unwrap();
    }
    text
}

#[test]
fn examples_print_what_they_show() {
    let is_blessing = std::env::var_os("BLESS").is_some();
    let mut report = String::new();
    for page in pages() {
        let path = workspace().join(&page);
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let differences = differences(&lines);
        if differences.is_empty() {
            continue;
        }
        if is_blessing {
            fs::write(&path, blessed(&lines, &differences)).unwrap();
            continue;
        }
        for Difference { example, printed } in differences {
            let line = example.output.start;
            let command = example.command;
            writeln!(report, "{page}:{line}: `{command}` prints\n{printed}").unwrap();
        }
    }
    assert!(
        report.is_empty(),
        "{report}`just examples` writes this into the pages"
    );
}

#[test]
fn pages_with_examples_have_some_that_are_run() {
    for (page, least) in [
        ("README.md", 5),
        ("docs/commands.md", 10),
        ("docs/editing.md", 5),
        ("docs/configuration.md", 1),
        ("docs/containment.md", 1),
    ] {
        let text = fs::read_to_string(workspace().join(page)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let count = examples(&lines).len();
        assert!(count >= least, "{page}: {count} examples are run");
    }
}

#[test]
fn examples_are_told_from_other_blocks() {
    let page = "```console\n$ docent a # x\none\n$ docent b\n```\n\n\
                ```console no_run\n$ docent c\n```\n```console\n$ curl d\n```\n```sh\ndocent e\n```\n\
                ````console\n$ docent f\n```\ntext\n```\n````\n";
    let lines: Vec<&str> = page.lines().collect();
    let found: Vec<(String, Range<usize>)> = examples(&lines)
        .into_iter()
        .map(|example| (example.command, example.output))
        .collect();
    let expected = [
        ("docent a # x", 2..3),
        ("docent b", 4..4),
        ("docent f", 17..20),
    ];
    assert_eq!(
        found,
        expected.map(|(command, output)| (command.to_owned(), output))
    );
}

#[test]
fn lines_may_be_left_out_of_an_example() {
    let compare = |shown: &str, printed: &str| {
        let [shown, printed] = [shown, printed].map(|text| comparable(text.lines()));
        fits(&shown, &printed)
    };
    assert!(compare("a\nb", "a\nb\n\n"));
    assert!(compare("a\n...\nd", "a\nb\nc\nd"));
    assert!(compare("...", ""));
    assert!(compare("1  2026-01-02 03:04  x", "1  2027-11-12 13:14  x"));
    assert!(!compare("a\n...\nc", "a\nb"));
    assert!(!compare("a", "a\nb"));
    assert!(!compare("a  2026-01-02", "a  2027-01-02"));
}

#[test]
fn links_lead_somewhere() {
    let arguments = [
        "links",
        "--broken",
        "--root",
        ".",
        "README.md",
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "deploy",
        "docs",
    ];
    let (code, broken, errors) = ran(&workspace(), &arguments);
    assert_eq!((code, broken.as_str()), (0, ""), "{errors}");
}

#[test]
fn the_summary_names_every_page_once() {
    let docs = workspace().join("docs");
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    let mut named: Vec<&str> = summary
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target)
        .collect();
    named.sort_unstable();
    let below = |directory: &'static str| {
        let names = markdown_files(&docs.join(directory)).into_iter();
        names.map(move |name| format!("{directory}/{name}"))
    };
    let mut pages: Vec<String> = markdown_files(&docs)
        .into_iter()
        .filter(|name| name != "SUMMARY.md")
        .chain(below("decisions"))
        .chain(below("design"))
        .collect();
    pages.sort();
    assert_eq!(named, pages);
}

#[test]
fn the_readme_is_short() {
    let bytes = fs::metadata(workspace().join("README.md")).unwrap().len();
    assert!(bytes <= README_BYTES, "README.md has {bytes} bytes");
}
