//! Tests of `understand` in the component, over trees that are built to mislead it or to flood its
//! answers.

use std::fs;
use std::path::Path;

use docent_host::Session;
use docent_host::render::Renderer;
use docent_host::tools::table;
use docent_tests::guest::{arguments, call, docent, limits};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Maximum bytes of an answer beside its content: titles, counts, the next call.
const FRAME: usize = 4_000;

/// A heading that a file name with a line break would inject into an answer.
const PLANTED: &str = "# Planted";

fn tree(files: impl IntoIterator<Item = (String, String)>) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    directory
}

fn session(directory: &Path) -> Session {
    docent(directory, limits())
}

/// Calls `understand`, and returns the answer and its Markdown.
fn ask(session: &mut Session, request: &Value) -> (Value, String) {
    let tool = table().find("understand").unwrap();
    let answer = call(session, &tool.function, request.clone()).unwrap();
    let request = arguments(request.clone());
    let markdown = Renderer::new().answer(tool.names(), &request, &answer);
    (answer, markdown)
}

#[test]
fn names_and_titles_stay_in_their_lines() {
    let names = [
        format!("a\n{PLANTED}.md"),
        format!("a\r{PLANTED}.md"),
        format!("a\u{2028}{PLANTED}.md"),
        "a|b`c`.md".to_owned(),
        "[a](b).md".to_owned(),
        "<b>&amp;.md".to_owned(),
        "a%20b#c?d.md".to_owned(),
        "\u{1112}\u{1161}\u{11AB}.md".to_owned(),
        "\u{D55C}.md".to_owned(),
        "a\"b'.md".to_owned(),
    ];
    let coded = |name: &str| -> String { name.bytes().map(|b| format!("%{b:02X}")).collect() };
    let links: String = names
        .iter()
        .map(|name| format!("[x](d/{})\n", coded(name)))
        .collect();
    let files = names.iter().map(|name| {
        (
            format!("d/{name}"),
            "# A &#10;# Planted\n\n[up](../z.md)\n".to_owned(),
        )
    });
    let directory = tree(files.chain([("z.md".to_owned(), links)]));
    let mut session = session(directory.path());
    let all = json!([
        "structure",
        "dependencies",
        "impact",
        "hot-spots",
        "summary"
    ]);
    for paths in [json!(["z.md"]), json!(["d"])] {
        let request = json!({ "paths": paths, "aspects": all, "limits": { "maxChars": 50_000 } });
        let (answer, markdown) = ask(&mut session, &request);
        let planted = markdown.lines().find(|line| line.starts_with(PLANTED));
        assert!(planted.is_none(), "{markdown}");
        let mut found: Vec<&str> = ["dependencies", "impact"]
            .iter()
            .flat_map(|aspect| answer[aspect].as_array().unwrap())
            .filter(|one| one["path"] == "z.md")
            .map(|one| {
                assert_eq!(one["end"], "there", "{one}");
                one["to"].as_str().unwrap()
            })
            .collect();
        found.sort_unstable();
        let mut expected: Vec<String> = names.iter().map(|name| format!("d/{name}")).collect();
        expected.sort_unstable();
        assert_eq!(found, expected);
    }
}

#[test]
fn a_bomb_of_links_fits_into_its_room() {
    let links = "[a](b.md) [[b]] [c](c.md#d)\n".repeat(40_000);
    let many = (0..3_000).map(|number| (format!("d{number}/note.md"), "[[note]]\n".to_owned()));
    let one = [
        ("a.md".to_owned(), links),
        ("b.md".to_owned(), String::new()),
    ];
    let directory = tree(many.chain(one));
    let mut session = session(directory.path());
    for request in [
        json!({}),
        json!({ "paths": ["a.md"], "depth": "deep" }),
        json!({ "paths": ["b.md"], "limits": { "maxChars": 500 } }),
    ] {
        let room = request["limits"]["maxChars"].as_u64().unwrap_or(8_000);
        let (answer, markdown) = ask(&mut session, &request);
        assert_eq!(answer["stats"]["files"], 3_002);
        // The punctuation between the texts of an entry counts with each text.
        let most = 2 * usize::try_from(room).unwrap() + FRAME;
        assert!(
            markdown.len() <= most,
            "{}: {markdown:.2000}",
            markdown.len()
        );
        assert_eq!(answer["degraded"], true);
    }
}

#[test]
fn what_leads_in_circles_ends() {
    let next = |number: usize| (number + 1) % 200;
    let files = (0..200).flat_map(|number| {
        [
            (
                format!("x{number}.adoc"),
                format!("include::x{}.adoc[]\n<<x{number}.adoc#a>>\n", next(number)),
            ),
            (
                format!("m{number}.py"),
                format!("import m{}\nimport m{number}\n", next(number)),
            ),
            (
                format!("p{number}/index.ts"),
                format!(
                    "export * from '../p{}';\nexport * from '.';\n",
                    next(number)
                ),
            ),
        ]
    });
    let directory = tree(files);
    let mut session = session(directory.path());
    for path in ["x7.adoc", "m7.py", "p7/index.ts"] {
        let request = json!({
            "paths": [path], "depth": "deep", "aspects": ["dependencies", "impact"],
        });
        let (answer, _) = ask(&mut session, &request);
        for one in answer["impact"].as_array().unwrap() {
            assert!(one["distance"].as_u64().unwrap() <= 5, "{one}");
            let from = directory.path().join(one["path"].as_str().unwrap());
            let to = one["to"].as_str().unwrap().split('#').next().unwrap();
            assert!(
                from.is_file() && directory.path().join(to).is_file(),
                "{one}"
            );
        }
        assert_eq!(
            answer["impact"].as_array().unwrap().len(),
            5,
            "{path}: {answer}"
        );
    }
}
