//! `docent setup` in a home directory of its own, with configuration files as clients write them.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::program::{docent, tree};
use crate::terminal::{Screen, typed_on_terminal};

/// Clients: the name, the configuration file below the home directory, and its content.
const CLIENTS: [(&str, &str, &str); 7] = [
    (
        "claude-code",
        ".claude.json",
        include_str!("../client-config/claude-code.json"),
    ),
    (
        "claude-desktop",
        ".config/Claude/claude_desktop_config.json",
        include_str!("../client-config/claude-desktop.json"),
    ),
    (
        "codex",
        ".codex/config.toml",
        include_str!("../client-config/codex.toml"),
    ),
    (
        "vs-code",
        ".config/Code/User/mcp.json",
        include_str!("../client-config/vs-code.json"),
    ),
    (
        "cursor",
        ".cursor/mcp.json",
        include_str!("../client-config/cursor.json"),
    ),
    (
        "zed",
        ".config/zed/settings.json",
        include_str!("../client-config/zed.json"),
    ),
    (
        "gemini-cli",
        ".gemini/settings.json",
        include_str!("../client-config/gemini-cli.json"),
    ),
];

/// A program with the commands of Wassette that stores its state in files.
const WASSETTE: &str = include_str!("../client-config/wassette");

const BROKEN_JSON: &str = include_str!("../client-config/broken.json");
const BROKEN_TOML: &str = include_str!("../client-config/broken.toml");
const FOREIGN_JSON: &str = include_str!("../client-config/foreign.json");
const FOREIGN_TOML: &str = include_str!("../client-config/foreign.toml");
const OLDER_DOCENT: &str = include_str!("../client-config/older-docent.json");

/// The lines that report a server which has answered.
const ANSWER: &str = "with 3 tools; called find_files:\n  # Files, by time modified\n  - ";

/// A home directory with documents in `notes`.
struct Home {
    directory: TempDir,
}

impl Home {
    fn new(files: &[(&str, &str)]) -> Self {
        let directory = tree(files);
        fs::create_dir(directory.path().join("notes")).unwrap();
        fs::write(directory.path().join("notes/plan.md"), "# Plan\n").unwrap();
        Self { directory }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.directory.path().join(path)
    }

    fn notes(&self) -> String {
        self.path("notes").display().to_string()
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    /// Returns the names in a directory below it, sorted.
    fn names(&self, path: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(path)).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }

    /// Runs `docent setup`. Returns its exit code and what it wrote to stdout and stderr.
    fn setup(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = docent()
            .env("HOME", self.directory.path())
            .env("PATH", self.path("bin"))
            .current_dir(self.directory.path())
            .arg("setup")
            .args(arguments)
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (
            output.status.code().unwrap(),
            text(output.stdout),
            text(output.stderr),
        )
    }
}

#[test]
fn every_installed_client_is_set_up_and_answers() {
    let files = CLIENTS.map(|(_, path, text)| (path, text));
    let home = Home::new(&files);
    let root = format!("n={}", home.notes());
    let (code, output, errors) = home.setup(&["--yes", "--root", &root]);
    assert_eq!((code, errors.as_str()), (0, ""), "{output}");
    assert_eq!(output.matches(ANSWER).count(), CLIENTS.len(), "{output}");
    assert_eq!(
        output.matches(": plan.md (7 B)").count(),
        CLIENTS.len(),
        "{output}"
    );
    let first: Vec<_> = CLIENTS.iter().map(|(_, path, _)| home.read(path)).collect();
    for ((name, _, old), new) in CLIENTS.iter().zip(&first) {
        assert!(
            new.contains(&root) && new.contains("docent"),
            "{name}: {new}"
        );
        // Everything that was there remains, in the same order; only a comma may be added.
        let (old, new) = (old.replace(',', ""), new.replace(',', ""));
        let mut rest = new.as_str();
        for line in old.lines().filter(|_| *name != "cursor") {
            let at = rest.find(line);
            let at = at.unwrap_or_else(|| panic!("{name}: {line}\n{new}"));
            rest = &rest[at + line.len()..];
        }
    }
    for (name, path, old) in CLIENTS {
        assert_eq!(home.read(&format!("{path}.before-docent")), old, "{name}");
    }

    // The second run has nothing left to do.
    let (code, output, _) = home.setup(&["--yes", "--root", &root]);
    assert_eq!(code, 0, "{output}");
    let unchanged = output
        .matches("nothing to change: docent is set up")
        .count();
    assert_eq!(unchanged, CLIENTS.len(), "{output}");
    assert_eq!(output.matches(ANSWER).count(), CLIENTS.len(), "{output}");
    for ((_, path, _), new) in CLIENTS.iter().zip(&first) {
        assert_eq!(home.read(path), *new);
        assert!(!home.path(&format!("{path}.before-docent.2")).exists());
    }

    // Without docent, the files are as before, byte by byte.
    let (code, output, _) = home.setup(&["--remove", "--yes"]);
    assert_eq!(code, 0, "{output}");
    for (name, path, old) in CLIENTS {
        assert_eq!(home.read(path), old, "{name}");
    }
    let (_, output, _) = home.setup(&["--remove", "--yes"]);
    let absent = output
        .matches("nothing to change: docent is not in it")
        .count();
    assert_eq!(absent, CLIENTS.len(), "{output}");
}

#[test]
fn a_client_without_a_file_gets_one() {
    for (name, path, _) in CLIENTS {
        let home = Home::new(&[]);
        let root = format!("{}:rw", home.notes());
        let (code, output, errors) = home.setup(&["--yes", "--client", name, "--root", "notes:rw"]);
        assert_eq!((code, errors.as_str()), (0, ""), "{output}");
        assert!(
            output.contains("started docent") && output.contains("with 6 tools"),
            "{output}"
        );
        let text = home.read(path);
        assert!(text.contains(&root), "{text}");
        let (code, _, _) = home.setup(&["--yes", "--client", name, "--remove"]);
        assert_eq!(code, 0);
        let left = home.read(path);
        assert_eq!(
            left.trim(),
            if name == "codex" { "" } else { "{}" },
            "{name}"
        );
    }
}

#[test]
fn a_broken_file_is_left_and_the_others_go_on() {
    let home = Home::new(&[
        (".cursor/mcp.json", BROKEN_JSON),
        (".codex/config.toml", BROKEN_TOML),
        (".gemini/settings.json", "{}\n"),
    ]);
    let (code, output, _) = home.setup(&["--yes", "--root", "notes"]);
    assert_eq!(code, 1, "{output}");
    let cursor = home.path(".cursor/mcp.json").display().to_string();
    let expected = format!(
        "Cursor: {cursor}\nproblem: line 5: `\"`; expected `,` or `}}`; the file is left as it is\n"
    );
    assert!(output.contains(&expected), "{output}");
    let codex = home.path(".codex/config.toml").display().to_string();
    assert!(
        output.contains(&format!("Codex: {codex}\nproblem: line 4: ")),
        "{output}"
    );
    assert_eq!(output.matches(ANSWER).count(), 1, "{output}");
    assert_eq!(home.read(".cursor/mcp.json"), BROKEN_JSON);
    assert_eq!(home.read(".codex/config.toml"), BROKEN_TOML);
    assert_eq!(home.names(".cursor"), ["mcp.json"]);
    assert_eq!(home.names(".codex"), ["config.toml"]);
}

#[test]
fn an_entry_of_somebody_else_is_shown_before_it_goes() {
    let home = Home::new(&[
        (".cursor/mcp.json", FOREIGN_JSON),
        (".codex/config.toml", FOREIGN_TOML),
    ]);
    let (code, output, _) = home.setup(&["--print", "--root", "notes"]);
    assert_eq!(code, 0, "{output}");
    assert_eq!(
        output
            .matches("its entry `docent` was not written by docent")
            .count(),
        2,
        "{output}"
    );
    assert!(!output.contains("0a1b2c"), "{output}");
    assert!(output.contains("\"MUSEUM_TOKEN\": \"…\""), "{output}");
    assert!(
        output.contains("museum-docent") && output.contains("museum.example"),
        "{output}"
    );
    assert_eq!(home.read(".cursor/mcp.json"), FOREIGN_JSON);
    assert_eq!(home.read(".codex/config.toml"), FOREIGN_TOML);
    let (code, output, _) = home.setup(&["--yes", "--root", "notes"]);
    assert_eq!(code, 0, "{output}");
    let cursor = home.read(".cursor/mcp.json");
    assert!(
        !cursor.contains("MMCA") && cursor.contains("db-server"),
        "{cursor}"
    );
    let codex = home.read(".codex/config.toml");
    assert!(
        !codex.contains("museum") && codex.contains("notifications"),
        "{codex}"
    );
    assert_eq!(home.read(".cursor/mcp.json.before-docent"), FOREIGN_JSON);
}

#[test]
fn an_older_entry_keeps_its_other_settings() {
    let home = Home::new(&[]);
    let old = OLDER_DOCENT.replace("NOTES", &home.notes());
    fs::create_dir(home.path(".cursor")).unwrap();
    fs::write(home.path(".cursor/mcp.json"), &old).unwrap();
    // Its roots are kept if none are given.
    let (code, output, _) = home.setup(&["--yes"]);
    assert_eq!(code, 0, "{output}");
    let new = home.read(".cursor/mcp.json");
    assert!(!new.contains("/opt/docent-0.0.9"), "{new}");
    for kept in [
        "\"--tools\", \"all\"",
        "NO_COLOR",
        "disabled",
        &home.notes(),
    ] {
        assert!(new.contains(kept), "{new}");
    }
    fs::create_dir(home.path("wiki")).unwrap();
    let (code, output, _) = home.setup(&["--yes", "--root", "wiki"]);
    assert_eq!(code, 0, "{output}");
    let new = home.read(".cursor/mcp.json");
    assert!(
        new.contains("/wiki") && !new.contains(&home.notes()),
        "{new}"
    );
}

#[test]
fn a_server_that_does_not_work_is_told() {
    let home = Home::new(&[]);
    let old = OLDER_DOCENT.replace("NOTES", &home.notes());
    let old = old.replace("\"all\"", "\"no_such_tool\"");
    fs::create_dir(home.path(".cursor")).unwrap();
    fs::write(home.path(".cursor/mcp.json"), &old).unwrap();
    let (code, output, _) = home.setup(&["--yes"]);
    assert_eq!(code, 1, "{output}");
    let problem = "problem: the server does not work: it ended; it says: docent: ";
    assert!(
        output.contains(problem) && output.contains("no_such_tool"),
        "{output}"
    );
}

#[test]
fn nothing_is_changed_without_consent() {
    let home = Home::new(&[(".cursor/mcp.json", "{}\n")]);
    let (code, output, errors) = home.setup(&["--root", "notes"]);
    assert_eq!((code, output.as_str()), (2, ""));
    assert!(
        errors.contains("--yes") && errors.contains("--print"),
        "{errors}"
    );
    let (code, _, errors) = home.setup(&["--yes"]);
    assert_eq!(code, 2);
    assert!(
        errors.contains("no directory is named that Cursor may read"),
        "{errors}"
    );
    let (code, _, errors) = home.setup(&["--yes", "--root", "missing"]);
    assert_eq!(code, 2);
    assert!(errors.contains("missing"), "{errors}");
    let (code, output, _) = home.setup(&["--print", "--root", "notes"]);
    assert_eq!(code, 0);
    let path = home.path(".cursor/mcp.json").display().to_string();
    let head = format!("Cursor: {path}\n--- {path}\n+++ {path}\n@@ -1,1 +1,8 @@\n-{{}}\n+{{\n");
    assert!(output.starts_with(&head), "{output}");
    assert!(
        output.ends_with("\nNothing is written with `--print`.\n"),
        "{output}"
    );
    assert_eq!(home.read(".cursor/mcp.json"), "{}\n");
    assert_eq!(home.names(".cursor"), ["mcp.json"]);
}

#[test]
fn a_client_is_found_by_its_program() {
    use std::os::unix::fs::PermissionsExt as _;

    let home = Home::new(&[("bin/codex", ""), ("bin/gemini", "")]);
    let (code, _, errors) = home.setup(&["--yes", "--root", "notes"]);
    assert_eq!(code, 2);
    assert!(errors.contains("no known client is installed"), "{errors}");
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(home.path("bin/codex"), executable).unwrap();
    let (code, output, _) = home.setup(&["--yes", "--root", "notes"]);
    assert_eq!(code, 0, "{output}");
    assert!(home.path(".codex/config.toml").exists());
    assert!(!home.path(".gemini").exists());
}

#[test]
fn a_program_on_path_is_named_by_its_place_there() {
    let home = Home::new(&[]);
    fs::create_dir(home.path("bin")).unwrap();
    let link = home.path("bin/docent");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_docent"), &link).unwrap();
    let (code, output, _) = home.setup(&["--yes", "--client", "cursor", "--root", "notes"]);
    assert_eq!(code, 0, "{output}");
    let entry = home.read(".cursor/mcp.json");
    assert!(
        entry.contains(&format!("\"command\": \"{}\"", link.display())),
        "{entry}"
    );
}

#[test]
fn a_linked_configuration_is_followed() {
    let home = Home::new(&[("dotfiles/codex.toml", "model = \"m\"\n")]);
    fs::create_dir(home.path(".codex")).unwrap();
    let link = home.path(".codex/config.toml");
    std::os::unix::fs::symlink("../dotfiles/codex.toml", &link).unwrap();
    let (code, output, _) = home.setup(&["--yes", "--root", "notes"]);
    assert_eq!(code, 0, "{output}");
    assert_eq!(
        fs::read_link(&link).unwrap(),
        Path::new("../dotfiles/codex.toml")
    );
    assert!(
        home.read("dotfiles/codex.toml")
            .contains("[mcp_servers.docent]")
    );
    assert_eq!(
        home.names("dotfiles"),
        ["codex.toml", "codex.toml.before-docent"]
    );
}

#[test]
fn a_person_is_asked() {
    let home = Home::new(&[
        (".codex/config.toml", "model = \"m\"\n"),
        (".cursor/mcp.json", "{}\n"),
    ]);
    let variables = [
        ("HOME", home.directory.path().to_str().unwrap()),
        ("NO_COLOR", "1"),
    ];
    // A missing directory, an existing one for writing; then consent for one client only.
    let typed = "missing\nnotes\ny\n\ny\n\n";
    let screen = Screen {
        columns: 200,
        rows: 50,
    };
    let setup =
        |typed| typed_on_terminal(home.directory.path(), screen, &variables, &["setup"], typed);
    let (code, text) = setup(typed);
    assert_eq!(code, 0, "{text}");
    for part in [
        "Clients to set up: Codex, Cursor\n",
        "Directory: ",
        "May agents write in it? [y/N] ",
        "Write this? [y/N] ",
        "written; the old file is ",
        "started docent",
        "left as it was",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let codex = home.read(".codex/config.toml");
    assert!(codex.contains(&format!("{}:rw", home.notes())), "{codex}");
    assert_eq!(home.read(".cursor/mcp.json"), "{}\n");
    // The directories of the entry are offered the next time.
    let (code, text) = setup("\nyes\n");
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("Keep these directories? [Y/n] "), "{text}");
    assert!(home.read(".cursor/mcp.json").contains("notes:rw"));
    // The end of the input means no.
    let (_, text) = setup("n\n\u{4}");
    assert!(text.contains("there is nothing to set up"), "{text}");
}

#[test]
fn wassette_is_set_up_by_its_own_commands() {
    use std::os::unix::fs::PermissionsExt as _;

    let program = WASSETTE.replace("DOCENT", env!("CARGO_BIN_EXE_docent"));
    let home = Home::new(&[("bin/wassette", &program)]);
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(home.path("bin/wassette"), executable).unwrap();
    fs::create_dir(home.path("wassette")).unwrap();
    let (code, output, _) = home.setup(&["--print", "--root", "notes"]);
    assert_eq!(code, 0, "{output}");
    let grant = format!("+component docent\n+storage fs://{} read\n", home.notes());
    assert!(output.contains(&grant), "{output}");
    assert!(!home.path("wassette/component").exists());

    let (code, output, _) = home.setup(&["--yes", "--root", "notes"]);
    assert_eq!(code, 0, "{output}");
    assert!(output.contains("called get_config:\n"), "{output}");
    assert!(
        fs::read(home.path("wassette/component"))
            .unwrap()
            .starts_with(b"\0asm")
    );
    let (code, output, _) = home.setup(&["--yes"]);
    assert_eq!(code, 0, "{output}");
    assert!(
        output.contains("nothing to change: docent is set up"),
        "{output}"
    );

    let (code, output, _) = home.setup(&["--yes", "--root", "notes:rw"]);
    assert_eq!(code, 0, "{output}");
    let changed = format!(
        "-storage fs://{0} read\n+storage fs://{0} read,write\n",
        home.notes()
    );
    assert!(output.contains(&changed), "{output}");
    let (code, output, _) = home.setup(&["--yes", "--remove"]);
    assert_eq!(
        (code, output.contains("\nremoved\n")),
        (0, true),
        "{output}"
    );
    assert!(!home.path("wassette/component").exists());
}
