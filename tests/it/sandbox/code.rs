//! Tests with code that is nested too deeply for a parser: it never stops the component.

use docent_tests::guest::call;
use serde_json::json;

use super::tree::Tree;

/// Nested constructs: the extension of the file, the opening and the closing text.
const NESTED: [(&str, &str, &str); 10] = [
    ("rs", "(", ")"),
    ("rs", "{", "}"),
    ("rs", "&", ""),
    ("js", "[", "]"),
    ("ts", "a<", ">"),
    ("tsx", "<a>", "</a>"),
    ("ts", "a?b:", ""),
    ("py", "(", ")"),
    ("py", "not ", ""),
    ("js", "a=>", ""),
];

#[test]
fn nesting_ends_no_call() {
    let tree = Tree::new();
    let mut paths = Vec::new();
    for (number, (extension, opening, closing)) in NESTED.into_iter().enumerate() {
        for depth in [20, 60, 95, 99, 100, 101, 120, 400, 50_000] {
            let value = format!("{}1{}", opening.repeat(depth), closing.repeat(depth));
            let text = match extension {
                "rs" => format!("const A: u8 = {value};\nfn harbour() {{}}\n"),
                "py" => format!("a = {value}\ndef harbour():\n    pass\n"),
                _ => format!("const a = {value};\nfunction harbour() {{}}\n"),
            };
            let path = format!("{number}-{depth}.{extension}");
            std::fs::write(tree.root.join(&path), text).unwrap();
            paths.push(path);
        }
    }
    let mut session = tree.docent();
    for path in &paths {
        let answer = call(&mut session, "explore", json!({"paths": [path]})).unwrap();
        assert_eq!(answer["status"], "ok", "{path}: {answer}");
        assert_eq!(answer["data"]["code"][0]["filePath"], *path);
    }
    let answer = call(&mut session, "explore", json!({"query": "harbour"})).unwrap();
    assert_eq!(answer["status"], "ok");
}
