//! Tests with a canary in every kind of sensitive file, which must never appear in an answer.

use docent_host::grant::{Grants, Right, RootSpec};
use docent_tests::guest::call;
use docent_tests::says::{code, everything};
use docent_tree::sensitive::is_sensitive_directory;
use serde_json::json;

use super::tree::{CANARY, Tree};

/// Files that are sensitive by their names alone.
const FILES: [&str; 44] = [
    ".env",
    ".env.local",
    ".env.production",
    ".env.md",
    ".ENV",
    ".Env.Local",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "ID_RSA",
    "id_rsa.",
    "id_rsa ",
    "id_rsa . .",
    "ｉｄ_ｒｓａ",
    "id_r\u{17f}a",
    "known_hosts",
    "Known_Hosts",
    "authorized_keys",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    "credentials",
    "CREDENTIALS",
    "main.tfstate",
    ".tfstate",
    "server.pem",
    "server.PEM",
    "server.pem.",
    "server.pem ",
    "server.ｐｅｍ",
    "store.p12",
    "store.pfx",
    "private.key",
    "private.\u{212a}ey",
    "notes.md.key",
    "vault.kdbx",
    "store.jks",
    "store.keystore",
    "putty.ppk",
    "folder/deep/private.key",
    "folder/.env",
    "folder/credentials",
];

/// Directories whose files are all sensitive.
const DIRECTORIES: [&str; 9] = [
    ".ssh",
    ".gnupg",
    ".aws",
    ".kube",
    ".docker",
    ".SSH",
    ".aws.",
    ".ｓｓｈ",
    "folder/.ssh",
];

#[test]
fn no_canary_sings() {
    let mut tree = Tree::new();
    tree.innocent("folder/page.md");
    // Similar names that are not sensitive.
    tree.innocent("environment.md");
    tree.innocent("credentials.md");
    tree.innocent("id_rsa.md");
    tree.innocent("ssh/config.txt");
    let inside: Vec<String> = DIRECTORIES
        .iter()
        .flat_map(|name| [format!("{name}/notes.md"), format!("{name}/config")])
        .collect();
    let mut secrets: Vec<&str> = FILES.to_vec();
    secrets.extend(inside.iter().map(String::as_str));
    for path in &secrets {
        tree.secret(path);
    }
    // Hidden by the leading dot alone: readable by name, and not found otherwise.
    tree.secret(".hidden.md");
    tree.secret(".hidden/notes.md");
    tree.secret(".git/config.md");

    let mut session = tree.docent();
    tree.assert_only_innocent_found(&mut session);
    let mut paths = secrets.clone();
    paths.extend(DIRECTORIES);
    paths.extend([".git", ".git/config.md"]);
    paths.extend([
        "",
        "folder",
        "folder/../.env",
        "./.env",
        "/.env",
        "folder\\.env",
        "x/../id_rsa",
    ]);
    let hidden = [
        ".env",
        "id_dsa",
        "id_ecdsa",
        "id_ed25519",
        "known_hosts",
        "authorized_keys",
        "netrc",
        "npmrc",
        "pypirc",
        "git-credentials",
        "tfstate",
        ".pem",
        ".p12",
        ".pfx",
        ".key",
        ".kdbx",
        ".jks",
        ".keystore",
        ".ppk",
        ".ssh",
        ".gnupg",
        ".aws",
        ".kube",
        ".docker",
    ];
    tree.assert_nothing_leaks(&mut session, &paths, &hidden);
}

#[test]
fn the_answer_about_a_secret_does_not_depend_on_its_being_there() {
    let tree = Tree::new();
    let mut session = tree.docent();
    let ask = |session: &mut docent_host::Session, path: &str| {
        [
            "read-document",
            "search-documents",
            "list-documents",
            "list-full-tree",
        ]
        .map(|function| {
            let mut arguments = json!({ "path": path });
            if function == "search-documents" {
                arguments["query"] = "harbour".into();
            }
            let result = call(session, function, arguments);
            assert!(!everything(&result).contains(CANARY), "{function} {path}");
            assert!(result.is_err(), "{function} {path}");
            (code(&result), everything(&result))
        })
    };
    let paths = FILES.iter().map(|path| (*path).to_owned());
    let paths = paths.chain(DIRECTORIES.iter().map(|name| format!("{name}/notes.md")));
    for path in paths {
        let absent = ask(&mut session, &path);
        tree.secret(&path);
        let present = ask(&mut session, &path);
        assert_eq!(absent, present, "{path}");
    }
}

#[test]
fn nothing_counts_a_secret() {
    let tree = Tree::new();
    let mut session = tree.docent();
    let count = |session: &mut docent_host::Session| {
        let extensions = json!(["md", "pem", "key", "tfstate"]);
        let arguments = json!({ "query": "harbour", "extensions": extensions });
        let mut answer = call(session, "search-documents", arguments).unwrap();
        answer["stats"]["elapsedMs"].take();
        answer
    };
    let before = count(&mut session);
    for path in FILES {
        tree.secret(path);
    }
    assert_eq!(before, count(&mut session));
}

/// The host refuses to grant the directories that the component would skip.
#[test]
fn a_root_is_sensitive_where_a_directory_in_it_would_be() {
    let temporary = tempfile::tempdir().unwrap();
    let harmless = ["ssh", ".sshx", ".config", ".git", ".env", "credentials"];
    let names = DIRECTORIES.into_iter().filter(|name| !name.contains('/'));
    for name in names.chain([".kube "]).chain(harmless) {
        let path = temporary.path().join(name).join("within");
        std::fs::create_dir_all(&path).unwrap();
        let spec = RootSpec {
            name: None,
            path,
            right: Right::ReadOnly,
            sensitive: false,
        };
        let refused = Grants::resolve_ambient(&[spec], None).is_err();
        assert_eq!(refused, is_sensitive_directory(name), "{name}");
    }
}
