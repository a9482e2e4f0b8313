//! `explore` through the real program: called by a client, measured on three tasks, and from the
//! command line.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::program::{Session, ran, tree};

const VERSION: &str = "2025-11-25";

/// Maximum bytes of the tool descriptions in a model's context.
const TOOL_BYTES: usize = 6_000;

fn session(directory: &TempDir, more: &[&str]) -> Session {
    let root = format!("docs={}", directory.path().display());
    let arguments = [&["--root", &root], more].concat();
    Session::initialized(VERSION, &arguments)
}

/// A client that counts the bytes that pass through a model: arguments and answers.
struct Counted {
    session: Session,
    bytes: usize,
}

impl Counted {
    fn explore(&mut self, arguments: Value) -> String {
        self.bytes += arguments.to_string().len();
        let text = self.session.text("explore", arguments);
        self.bytes += text.len();
        text
    }
}

fn counted(directory: &TempDir) -> Counted {
    Counted {
        session: session(directory, &[]),
        bytes: 0,
    }
}

/// Creates documents on many topics, each about an option of its own.
fn manuals() -> TempDir {
    let directory = tree(&[]);
    let topics = [
        "cache", "network", "storage", "locale", "logging", "search", "backup", "display",
    ];
    for number in 0..4000_u32 {
        let topic = topics[number as usize % topics.len()];
        let text = format!(
            "# Manual {number}\n\n\
             How the {topic} of unit {number} is set up, and what its options mean.\n\n\
             ## Overview\n\n\
             The {topic} is ready after the first start. Most people need no option at all.\n\n\
             ## Options\n\n### {topic}_limit_{number}\n\n\
             How much the {topic} may take, in megabytes. Default: `{}`.\n\n\
             ### {topic}_mode_{number}\n\nWhether the {topic} is strict. Default: `off`.\n\n\
             ## See also\n\nThe manual of unit {}.\n",
            number % 97 + 8,
            (number + 1) % 4000,
        );
        let path = directory.path().join(format!("{topic}/{number}.md"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    directory
}

/// Creates a changelog of 190 KB.
fn changelog() -> TempDir {
    let mut text = String::from("# Changelog\n\nAll that a user can notice.\n");
    for number in (0..400).rev() {
        let (major, minor) = (number / 40, number % 40);
        text.push_str(&format!("\n## {major}.{minor}.0\n\n"));
        for line in 0..6 {
            let what = ["reader", "writer", "parser", "index"][(number + line) % 4];
            text.push_str(&format!(
                "- The {what} takes {} steps less where a document has more than {} parts.\n",
                number + line,
                number * 3 + 1
            ));
        }
        if number == 213 {
            text.push_str("- The default of `retry_budget` is 4 attempts.\n");
        }
    }
    assert!((185_000..195_000).contains(&text.len()), "{}", text.len());
    tree(&[("CHANGELOG.md", &text), ("README.md", "# Project\n")])
}

#[test]
fn the_default_of_an_option_among_four_thousand_documents() {
    let directory = manuals();
    let mut client = counted(&directory);
    let answer =
        client.explore(json!({"query": "storage_limit_2018", "limits": {"maxResults": 1}}));
    assert!(answer.contains("Default: `86`"), "{answer}");
    assert!(client.bytes <= 1_200, "{} bytes\n{answer}", client.bytes);
    // With words as well.
    let mut client = counted(&directory);
    let query = "default limit of storage, unit 2018";
    let answer = client.explore(json!({"query": query, "limits": {"maxResults": 1}}));
    assert!(answer.contains("storage/2018.md"), "{answer}");
    assert!(client.bytes <= 1_200, "{} bytes\n{answer}", client.bytes);
}

#[test]
fn one_section_of_a_long_changelog() {
    let directory = changelog();
    let mut client = counted(&directory);
    let found = client.explore(json!({
        "query": "retry_budget default", "paths": ["CHANGELOG.md"],
        "limits": {"maxResults": 1, "maxItemChars": 200},
    }));
    assert!(found.contains("Changelog > 5.13.0"), "{found}");
    let read = client.explore(json!({
        "paths": ["CHANGELOG.md"], "section": {"headingPath": ["5.13.0"]},
    }));
    assert!(read.contains("is 4 attempts."), "{read}");
    assert!(client.bytes <= 4_000, "{} bytes", client.bytes);
}

#[test]
fn what_mentions_a_term_and_the_best_of_it() {
    let mut files: Vec<(String, String)> = (0..40)
        .map(|number| {
            let text = format!("# Note {number}\n\nNothing but everyday things of day {number}.\n");
            (format!("notes/{number}.md"), text)
        })
        .collect();
    for number in [3, 14, 27] {
        files[number].1.push_str("\nA tokenizer was mentioned.\n");
    }
    files.push((
        "guide/tokens.md".to_owned(),
        "# Tokens\n\nWhat is counted.\n\n## Tokenizer\n\n\
         The tokenizer divides text into pieces. A tokenizer has a table.\n\n## Cost\n\nLittle.\n"
            .to_owned(),
    ));
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (&**path, &**text))
        .collect();
    let directory = tree(&files);
    let mut client = counted(&directory);
    let found = client.explore(json!({"query": "tokenizer", "limits": {"maxItemChars": 60}}));
    for path in [
        "guide/tokens.md",
        "notes/3.md",
        "notes/14.md",
        "notes/27.md",
    ] {
        assert!(found.contains(path), "{path}: {found}");
    }
    let first = found.lines().find(|line| line.starts_with("## ")).unwrap();
    assert!(first.starts_with("## guide/tokens.md:5"), "{first}");
    let read = client.explore(json!({
        "paths": ["guide/tokens.md"], "section": {"headingPath": ["Tokenizer"]},
    }));
    assert!(read.contains("A tokenizer has a table."), "{read}");
    assert!(client.bytes <= 2_000, "{} bytes", client.bytes);
}

#[test]
fn the_tools_on_offer_are_few_and_small() {
    let directory = tree(&[("a.md", "text")]);
    let names = |more: &[&str]| -> Vec<String> {
        let listed = session(&directory, more).request("tools/list", json!({}));
        let tools = listed["result"]["tools"].as_array().unwrap();
        tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        names(&["--tools", "pillars"]),
        ["explore", "understand", "find_files"]
    );
    let documents = names(&["--tools", "documents"]);
    assert!(documents.contains(&"search_documents".to_owned()));
    assert!(!documents.contains(&"explore".to_owned()));
    assert_eq!(names(&["--tools", "all"]).len(), documents.len() + 3);
    assert_eq!(
        names(&["--tools", "explore,get-config"]),
        ["explore", "get_config"]
    );

    let mut by_default = {
        let root = format!("docs={}", directory.path().display());
        let mut command = crate::program::docent();
        command.args(["mcp", "--root", &root]);
        Session::spawn(command)
    };
    by_default.initialize(VERSION);
    let listed = by_default.request("tools/list", json!({}));
    let tools = &listed["result"]["tools"];
    assert_eq!(tools.as_array().unwrap().len(), 3);
    let bytes = tools.to_string().len();
    assert!(bytes <= TOOL_BYTES, "{bytes} bytes");
}

#[test]
fn a_cut_answer_names_its_next_call() {
    let files: Vec<(String, String)> = (0..5)
        .map(|number| {
            (
                format!("{number}.md"),
                format!("# N{number}\n\nword {}\n", "text ".repeat(50)),
            )
        })
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (&**path, &**text))
        .collect();
    let directory = tree(&files);
    let mut session = session(&directory, &[]);
    let mut arguments = json!({"query": "word", "limits": {"maxResults": 2, "maxChars": 2000}});
    let mut seen = Vec::new();
    for _ in 0..3 {
        let text = session.text("explore", arguments.clone());
        let paths = text.lines().filter_map(|line| line.strip_prefix("## "));
        seen.extend(paths.map(|path| path.split(':').next().unwrap().to_owned()));
        let last = text.lines().last().unwrap();
        match last.strip_prefix("Next: explore ") {
            Some(next) => arguments = serde_json::from_str(next).unwrap(),
            None => assert_eq!(last, "```"),
        }
    }
    assert_eq!(seen, ["0.md", "1.md", "2.md", "3.md", "4.md"]);
}

#[test]
fn secrets_need_the_persons_consent() {
    let directory = tree(&[("notes/.env", "TOKEN=canary\n"), ("notes/a.md", "text\n")]);
    let call = json!({"paths": [".env"], "view": "full", "allowSensitive": true});
    for (sensitive, opens) in [(false, false), (true, true)] {
        let config = directory.path().join("docent.toml");
        let text =
            format!("[[roots]]\nname = \"notes\"\npath = \"notes\"\nsensitive = {sensitive}\n");
        std::fs::write(&config, text).unwrap();
        let arguments = ["--config", config.to_str().unwrap()];
        let mut session = Session::initialized(VERSION, &arguments);
        let result = session.call("explore", call.clone());
        assert_eq!(result["isError"], !opens, "{result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(text.contains("canary"), opens, "{text}");
        assert_eq!(
            text.contains("Not opened: .env [sensitive]"),
            !opens,
            "{text}"
        );
        let found = session.text(
            "explore",
            json!({"query": "canary", "allowSensitive": true}),
        );
        assert!(!found.contains("TOKEN"), "{found}");
    }
}

#[test]
fn from_the_command_line() {
    let directory = tree(&[
        (
            "docs/guide.md",
            "# Guide\n\nIntro.\n\n## Setup\n\nInstall it.\n",
        ),
        ("docs/other.md", "Nothing.\n"),
    ]);
    let (code, output, errors) = ran(directory.path(), &["explore", "-q", "install", "docs"]);
    assert_eq!((code, errors.as_str()), (0, ""));
    assert_eq!(
        output,
        "## docs/guide.md:5-7 Guide\n```\n5\t## Setup\n\n7\tInstall it.\n```\n"
    );
    let (code, output, _) = ran(
        directory.path(),
        &["explore", "docs/guide.md", "-s", "Setup"],
    );
    assert!(code == 0 && output.contains("Install it."), "{output}");
    let (code, output, _) = ran(directory.path(), &["explore", "docs"]);
    assert!(
        code == 0 && output.contains("guide.md (39 bytes)"),
        "{output}"
    );
    let (code, _, _) = ran(directory.path(), &["explore", "-q", "xyzzyqqq", "docs"]);
    assert_eq!(code, 1);
    let (code, _, errors) = ran(
        directory.path(),
        &["explore", "docs/guide.md", "-s", "Nowhere"],
    );
    assert_eq!(code, 2, "{errors}");
    let one = [
        "explore",
        "-n",
        "1",
        "-c",
        "20",
        "docs/guide.md",
        "docs/other.md",
    ];
    let (code, output, _) = ran(directory.path(), &one);
    assert!(
        code == 0 && output.contains("\nThere is more: --all shows it.\n"),
        "{output}"
    );
    let (code, output, _) = ran(directory.path(), &[&one[..], &["--all"]].concat());
    assert!(
        code == 0 && output.contains("Intro.") && output.ends_with("Nothing.\n```\n"),
        "{output}"
    );
    assert!(!output.contains("--all"), "{output}");
    let (code, output, _) = ran(
        directory.path(),
        &["explore", "--json", "--full", "docs/other.md"],
    );
    let answer: Value = serde_json::from_str(&output).unwrap();
    assert_eq!(
        (code, &answer["data"]["docs"][0]["content"]),
        (0, &json!("Nothing.\n"))
    );
}

#[test]
fn the_command_line_takes_parts_of_files() {
    let directory = tree(&[
        (
            "docs/guide.md",
            "# Guide\n\nIntro.\n\n## Setup\n\nInstall it.\n\n## Use\n\nRun it.\n",
        ),
        ("docs/odd.md", "The whole.\n"),
        ("docs/odd.md#Setup", "Called so.\n"),
        (
            "src/app.py",
            "class Flask:\n    def run(self):\n        return 1\n\n    def stop(self): ...\n",
        ),
    ]);
    for (part, has, has_not) in [
        ("docs/guide.md:5-7", "Install it.", "Run it."),
        ("docs/guide.md#setup", "Install it.", "Intro."),
        ("docs/guide.md#Guide > Setup", "Install it.", "Run it."),
        ("src/app.py#Flask.run", "return 1", "stop"),
        ("docs/guide.md#", "L5 Setup", "Not opened"),
        ("docs/odd.md:1", "The whole.", "Called so."),
        // A file with this literal name takes precedence over a part.
        ("docs/odd.md#Setup", "Called so.", "The whole."),
    ] {
        let (code, output, errors) = ran(directory.path(), &["explore", part]);
        assert_eq!((code, errors.as_str()), (0, ""), "{part}");
        assert!(
            output.contains(has) && !output.contains(has_not),
            "{part}: {output}"
        );
    }
    let query = |part: &str| ran(directory.path(), &["query", "install run", part]);
    let (code, output, _) = query("docs/guide.md#setup");
    assert_eq!(code, 0);
    assert!(
        output.starts_with("docs/guide.md:5  Guide > Setup\n"),
        "{output}"
    );
    assert!(!output.contains("Run it."), "{output}");
    let (code, _, errors) = query("docs/guide.md#nowhere");
    assert!(code == 2 && errors.contains("guide.md#nowhere"), "{errors}");
    let (code, _, errors) = query("docs/gone.md#setup");
    assert_eq!(code, 2);
    assert!(
        errors.contains("`docs/gone.md#setup` cannot be searched"),
        "{errors}"
    );
    // Two parts in one call: the missing one is reported beside the other.
    let two = ["explore", "docs/guide.md:5-7", "docs/guide.md#nowhere"];
    let (code, _, errors) = ran(directory.path(), &two);
    assert!(code == 2 && errors.contains("guide.md#nowhere"), "{errors}");
    // Other commands accept files and directories only.
    let (code, _, errors) = ran(directory.path(), &["search", "it", "docs/guide.md:5"]);
    assert!(
        code == 2 && errors.contains("cannot be searched"),
        "{errors}"
    );
}

#[test]
fn words_of_the_command_line_are_looked_for() {
    let directory = tree(&[("docs/guide.md", "# Guide\n\nInstall it twice.\n")]);
    let (_, by_option, _) = ran(
        directory.path(),
        &["explore", "-q", "install twice", "docs"],
    );
    let (code, by_words, _) = ran(directory.path(), &["explore", "install", "twice", "docs"]);
    assert_eq!((code, &by_words), (0, &by_option));
    let (code, _, errors) = ran(directory.path(), &["explore", "install"]);
    assert!(
        code == 2 && errors.contains("`docent explore WORDS .`"),
        "{errors}"
    );
}
