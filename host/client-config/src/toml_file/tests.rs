use proptest::prelude::*;

use crate::{ConfigFormat, Launch, ServerEntry};

const CODEX: ConfigFormat = ConfigFormat::toml("mcp_servers");

const ENTRY: &str =
    "[mcp_servers.docent]\ncommand = \"/bin/docent\"\nargs = [\"mcp\", \"--root\", \"/d\"]\n";

fn read_launch(root: &str) -> Launch {
    Launch::new("/bin/docent", &[root.to_owned()])
}

#[track_caller]
fn check_insert_and_remove(text: &str, expected: &str) {
    assert_eq!(CODEX.insert(text, &read_launch("/d")).unwrap(), expected);
    assert_eq!(
        CODEX.find(expected).unwrap(),
        ServerEntry::Docent(read_launch("/d"))
    );
    assert_eq!(CODEX.remove(expected).unwrap(), text);
}

#[test]
fn an_entry_comes_below_everything() {
    check_insert_and_remove("", ENTRY);
    check_insert_and_remove("a = 1\n", &format!("a = 1\n\n{ENTRY}"));
    check_insert_and_remove("a = 1", &format!("a = 1\n\n{}", ENTRY.trim_end()));
    check_insert_and_remove("# end\n\n", &format!("# end\n\n\n{ENTRY}"));
    let windows = format!("a = 1\r\n\r\n{}", ENTRY.replace('\n', "\r\n"));
    check_insert_and_remove("a = 1\r\n", &windows);
    let others = "[mcp_servers.a]\ncommand = \"a\"\n\n[profiles.b]\nc = 1 # one\n";
    check_insert_and_remove(others, &format!("{others}\n{ENTRY}"));
    let dotted = "mcp_servers.a.command = \"a\"\n";
    check_insert_and_remove(dotted, &format!("{dotted}\n{ENTRY}"));
}

#[test]
fn signs_in_paths_are_escaped() {
    let odd = Launch::new(r"C:\docent.exe", &["a\"\u{1}가".to_owned()]);
    let new = CODEX.insert("", &odd).unwrap();
    assert!(new.contains(r#"command = "C:\\docent.exe""#), "{new}");
    assert!(new.contains(r#""a\"\u0001가""#), "{new}");
    assert_eq!(CODEX.find(&new).unwrap(), ServerEntry::Docent(odd));
}

#[test]
fn an_entry_goes_with_its_tables_and_nothing_else() {
    let text = "# Mine\nmodel = \"m\"\n\n[mcp_servers.docent] # docs\n# started so\ncommand = \"docent\"\n\
                args = [\n  \"mcp\", # first\n]\n\n[mcp_servers.docent.env]\nA = \"b\"\n\n# Other\n\
                [mcp_servers.other]\ncommand = \"o\"\n\n[mcp_servers.docent.tools.explore]\nx = 1\n";
    assert_eq!(
        CODEX.remove(text).unwrap(),
        "# Mine\nmodel = \"m\"\n\n# Other\n[mcp_servers.other]\ncommand = \"o\"\n"
    );
}

#[test]
fn a_changed_entry_keeps_its_other_keys() {
    for old in [
        "[mcp_servers.docent]\ncommand = 'docent' # here\nenv = { A = \"b\" }\nargs = [\n  \"mcp\",\n]\n\
         startup_timeout_sec = 20\n",
        "[mcp_servers]\ndocent = { command = 'docent', args = [\"mcp\"], env = { A = \"b\" } }\n",
        "mcp_servers.docent.command = 'docent'\nmcp_servers.docent.args = [\"mcp\"]\n\
         mcp_servers.docent.env.A = \"b\"\n",
        "mcp_servers = { docent = { command = 'docent', args = [\"mcp\"], env.A = \"b\" } }\n",
    ] {
        let ServerEntry::Docent(there) = CODEX.find(old).unwrap() else {
            panic!("not docent's: {old}");
        };
        assert_eq!(there.env.get("A").map(String::as_str), Some("b"), "{old}");
        let wanted = there.with_program_and_roots("/bin/docent", &["/d".to_owned()]);
        let new = CODEX.replace(old, &wanted).unwrap();
        assert_eq!(
            CODEX.find(&new).unwrap(),
            ServerEntry::Docent(wanted.clone()),
            "{new}"
        );
        let expected = old
            .replace("'docent'", "\"/bin/docent\"")
            .replace("[\n  \"mcp\",\n]", "[\"mcp\"]")
            .replace("[\"mcp\"]", "[\"mcp\", \"--root\", \"/d\"]");
        assert_eq!(new, expected);
        assert_eq!(CODEX.replace(&new, &wanted).unwrap(), new);
    }
}

#[test]
fn a_foreign_entry_is_shown_and_replaced() {
    let old = "[mcp_servers.docent]\nurl = \"https://example.org\"\n\n[tools]\nweb = true\n";
    let ServerEntry::Foreign(text) = CODEX.find(old).unwrap() else {
        panic!("not foreign");
    };
    assert_eq!(text, "[mcp_servers.docent]\nurl = \"https://example.org\"");
    let new = CODEX.replace(old, &read_launch("/d")).unwrap();
    assert_eq!(new, format!("\n[tools]\nweb = true\n\n{ENTRY}"));
}

#[track_caller]
fn check_refused(text: &str, expected: &str) {
    let error = CODEX.insert(text, &read_launch("/d")).unwrap_err();
    assert!(error.to_string().starts_with(expected), "{error}");
}

#[test]
fn a_broken_text_is_refused_with_its_line() {
    check_refused("a = 1\n[b\n", "line 2: ");
    check_refused("a = 1\n\nb = \"\n", "line 3: ");
    check_refused("\na = 1\na = 2\n", "line 3: ");
    check_refused(
        "\nmcp_servers = 1\n",
        "line 2: `mcp_servers` is not a table",
    );
    check_refused(
        "[[mcp_servers]]\na = 1\n",
        "line 1: `mcp_servers` is not a table",
    );
    let inline = "a = 1\nmcp_servers = { a = { command = \"a\" } }\n";
    check_refused(inline, "line 2: `mcp_servers` is an inline table");
    let within = "a = 1\nmcp_servers = { docent = { command = \"a\" } }\n";
    let error = CODEX.remove(within).unwrap_err().to_string();
    assert!(
        error.starts_with("line 2: `docent` is in an inline table"),
        "{error}"
    );
}

/// Generates one or more lines of a TOML text that belong together.
fn part() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("# remark = [".to_owned()),
        Just(String::new()),
        Just("\t".to_owned()),
        (0..99_u8).prop_map(|n| format!("key{n} = [\n  1, # one\n  {{ docent = 2 }},\n]")),
        (0..99_u8).prop_map(|n| format!("  text{n} = \"\"\"\n[mcp_servers.docent]\n\"\"\"")),
        (0..99_u8).prop_map(|n| format!("[mcp_servers.other{n}] # [")),
        (0..99_u8).prop_map(|n| format!("[ \"table {n}\" . mcp_servers . docent ]")),
        (0..99_u8).prop_map(|n| format!("[[list]]\nname = 'a{n}'")),
        (0..99_u8).prop_map(|n| format!("dotted{n}.docent.command = \"docent\"")),
    ]
}

proptest! {
    #[test]
    fn removing_gives_back_what_inserting_found(
        parts in prop::collection::vec(part(), 0..12),
        is_windows in any::<bool>(),
        is_ended in any::<bool>(),
    ) {
        let mut text = parts.join("\n");
        if is_ended && !text.is_empty() {
            text.push('\n');
        }
        if is_windows {
            text = text.replace('\n', "\r\n");
        }
        // Some combinations repeat keys or tables.
        prop_assume!(CODEX.find(&text).is_ok());
        let one = CODEX.insert(&text, &read_launch("/one")).unwrap();
        prop_assert_eq!(CODEX.remove(&one).unwrap(), text.clone());
        let two = CODEX.replace(&one, &read_launch("/two")).unwrap();
        prop_assert_eq!(CODEX.find(&two).unwrap(), ServerEntry::Docent(read_launch("/two")));
        prop_assert_eq!(CODEX.remove(&two).unwrap(), text);
    }

    #[test]
    fn any_text_is_read_or_refused(
        parts in prop::collection::vec(part(), 0..6),
        cut in any::<prop::sample::Index>(),
        sign in any::<char>(),
    ) {
        let text = parts.join("\n");
        let at = text.floor_char_boundary(cut.index(text.len() + 1));
        let odd = format!("{}{sign}{}", &text[..at], &text[at..]);
        for text in [&text[..at], &odd] {
            if CODEX.find(text).is_ok() {
                let new = CODEX.insert(text, &read_launch("/d"));
                prop_assert!(new.is_ok() || text.contains("mcp_servers"));
            }
        }
    }
}
