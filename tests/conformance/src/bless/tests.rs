use serde_json::json;

use super::*;
use crate::case::case_files;

/// Two cases, formatted as in the files.
const FILE: &str = r#"[
  {
    "name": "one",
    "tree": [{"path": "a.md", "text": "w, \"[{\\"}],
    "calls": [
      {"tool": "search-documents", "args": {"query": "w"}, "part": {"totalMatches": 4}},
      {
        "tool": "search-documents",
        "args": {"query": "w"},
        "answer": {
          "score": "*",
          "results": [{"path": "/a.md", "matchCount": 2}, {"path": "/b.md", "matchCount": 1}],
          "truncated": false
        }
      }
    ]
  },
  {
    "name": "two",
    "calls": [{"tool": "read-document", "args": {"path": ".."}}]
  }
]
"#;

/// Returns the outcomes that FILE's first case expects.
fn as_expected() -> Vec<Outcome> {
    let results = json!([{"path": "/a.md", "matchCount": 2}, {"path": "/b.md", "matchCount": 1}]);
    vec![
        Ok(json!({"totalMatches": 4, "truncated": true})),
        Ok(json!({"score": 7, "results": results, "truncated": false})),
    ]
}

/// Returns FILE after its first case was blessed with these outcomes.
fn after(outcomes: Vec<Outcome>) -> String {
    rewritten(FILE, 0, &outcomes)
}

#[test]
fn what_holds_keeps_every_byte() {
    assert_eq!(after(as_expected()), FILE);
    for file in case_files() {
        let text = fs::read_to_string(&file.path).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        let mut edits = Vec::new();
        let rewriter = Rewriter {
            text: &text,
            style: Style::detect(&text),
        };
        rewriter.collect(&Node::parse(&text), &value, &value, &mut edits);
        assert!(edits.is_empty(), "{}: {edits:?}", file.name);
    }
}

#[test]
fn one_value_changes_one_line() {
    let mut outcomes = as_expected();
    outcomes[1].as_mut().unwrap()["truncated"] = json!(true);
    let expected = FILE.replace(r#""truncated": false"#, r#""truncated": true"#);
    assert_eq!(after(outcomes), expected);
}

#[test]
fn wildcards_stay() {
    let mut outcomes = as_expected();
    outcomes[1].as_mut().unwrap()["score"] = json!({"other": 8});
    outcomes[1].as_mut().unwrap()["results"][1]["matchCount"] = json!(3);
    let expected = FILE.replace(r#""matchCount": 1}]"#, r#""matchCount": 3}]"#);
    assert_eq!(after(outcomes), expected);
}

#[test]
fn only_named_members_of_a_part_are_written() {
    let mut outcomes = as_expected();
    outcomes[0].as_mut().unwrap()["totalMatches"] = json!(5);
    assert_eq!(after(outcomes), FILE.replace("\": 4}", "\": 5}"));
}

#[test]
fn an_answer_that_became_an_error_changes_its_kind() {
    let mut outcomes = as_expected();
    outcomes[0] = Err(json!({"code": "invalid-query", "message": "m", "hint": "h"}));
    let expected = FILE.replace(
        r#"{"tool": "search-documents", "args": {"query": "w"}, "part": {"totalMatches": 4}}"#,
        r#"{
        "tool": "search-documents",
        "args": {"query": "w"},
        "error": {"code": "invalid-query", "message": "m", "hint": "h"}
      }"#,
    );
    assert_eq!(after(outcomes), expected);
}

#[test]
fn what_is_new_and_what_is_gone() {
    let mut outcomes = as_expected();
    let answer = outcomes[1].as_mut().unwrap().as_object_mut().unwrap();
    answer.remove("truncated");
    answer.insert("next".to_owned(), json!([]));
    let results = answer["results"].as_array_mut().unwrap();
    results.push(json!({"path": "/c.md", "matchCount": 1}));
    let expected = FILE.replace(
        r#"          "results": [{"path": "/a.md", "matchCount": 2}, {"path": "/b.md", "matchCount": 1}],
          "truncated": false
"#,
        r#"          "results": [
            {"path": "/a.md", "matchCount": 2},
            {"path": "/b.md", "matchCount": 1},
            {"path": "/c.md", "matchCount": 1}
          ],
          "next": []
"#,
    );
    assert_eq!(after(outcomes), expected);
}

#[test]
fn a_call_without_expectation_gets_one() {
    let refusal = Err(json!({"code": "invalid-path"}));
    let expected = FILE.replace(
        r#"{"path": ".."}}"#,
        r#"{"path": ".."}, "error": {"code": "invalid-path"}}"#,
    );
    let blessed = rewritten(FILE, 1, &[refusal]);
    // It still fits into the line, to the character.
    assert_eq!(blessed, expected);
}

#[test]
fn every_value_is_where_the_parser_finds_it() {
    fn assert_found(text: &str, node: &Node, value: &Value) {
        let found: Value = serde_json::from_str(&text[node.range.clone()]).unwrap();
        assert_eq!(&found, value);
        let values: Vec<&Value> = match value {
            Value::Array(items) => items.iter().collect(),
            Value::Object(fields) => fields.values().collect(),
            _ => Vec::new(),
        };
        let (Shape::Array(nodes) | Shape::Object(nodes)) = &node.shape else {
            return assert!(values.is_empty(), "{found}");
        };
        assert_eq!(nodes.len(), values.len());
        for (node, value) in nodes.iter().zip(values) {
            assert_found(text, node, value);
        }
    }
    for file in case_files() {
        let text = fs::read_to_string(file.path).unwrap();
        let value = serde_json::from_str(&text).unwrap();
        assert_found(&text, &Node::parse(&text), &value);
    }
}
