//! Arguments as integrators pass them: as JSON, and without the tool table.

use docent_host::{CallError, Fault};
use docent_tests::guest::{call, docent, limits};
use serde_json::{Value, json};

#[track_caller]
fn is_refused(function: &str, arguments: Value, message: &str) {
    let directory = tempfile::tempdir().unwrap();
    let mut session = docent(directory.path(), limits());
    match call(&mut session, function, arguments) {
        Err(CallError::Fault(Fault::Arguments(said))) => assert_eq!(said, message),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_the_contract_does_not_have_is_refused_at_every_depth() {
    is_refused(
        "explore",
        json!({"query": "harbour", "bogus": 1}),
        "`bogus` is not an argument of this tool",
    );
    is_refused(
        "explore",
        json!({"query": "harbour", "limits": {"maxChar": 5}}),
        "`limits.maxChar` is not an argument of this tool",
    );
    is_refused(
        "explore",
        json!({"query": "harbour", "limits": {"maxChars": "5"}}),
        "`limits.maxChars` is \"5\"; expected a whole number from 0 to 4294967295",
    );
    is_refused(
        "context-search",
        json!({"tags": ["x"], "dateRange": {"from": "2099-01-01"}}),
        "`dateRange.from` is not an argument of this tool",
    );
}
