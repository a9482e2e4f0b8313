//! A test in a process of its own, where nobody else opens, starts or prints anything.

use std::process::{Command, Output};

/// Set in such a process.
const ALONE: &str = "DOCENT_TEST_IS_ALONE";

/// Runs the test `name`, with all modules that it lies in, once more in a process of its own, which
/// has to succeed, and returns what it printed; none inside that process, where the test does its
/// work.
pub fn output_alone(name: &str) -> Option<Output> {
    if std::env::var_os(ALONE).is_some() {
        return None;
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(ALONE, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    // With a name that no test has, nothing runs and nothing fails.
    assert!(
        output.status.success() && said.contains("test result: ok. 1 passed"),
        "{said}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(output)
}
