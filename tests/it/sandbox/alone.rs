//! Tests in a process of their own, in which nothing else opens, starts or prints anything, or in
//! which file systems can be mounted.

use std::process::{Command, Output};

use super::machine::left_out;

/// The environment variable that is set in such a process.
const ALONE: &str = "DOCENT_TEST_IS_ALONE";

/// Runs the test `name`, a full path with its modules, again in a process of its own, which has to
/// succeed, and returns its output. Returns none inside that process, in which the test does its
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
    // With a wrong name no test runs, and nothing fails.
    assert!(
        output.status.success() && said.contains("test result: ok. 1 passed"),
        "{said}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(output)
}

/// The environment variable that is set in a process that may mount.
const MOUNTS: &str = "DOCENT_TEST_MAY_MOUNT";

/// Runs the test `name`, a full path with its modules, again in a process that may mount, which has
/// to succeed. Returns true inside that process, in which the test does its work.
pub fn may_mount_alone(name: &str) -> bool {
    if std::env::var_os(MOUNTS).is_some() {
        return true;
    }
    // In a mount namespace of its own, whose mounts end with the process.
    let as_root = Command::new("unshare").args(["--mount", "true"]).status();
    let as_user = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "true"])
        .status();
    let arguments: &[&str] = match (as_root, as_user) {
        (Ok(status), _) if status.success() => &["--mount"],
        (_, Ok(status)) if status.success() => &["--user", "--map-root-user", "--mount"],
        (Err(error), _) | (_, Err(error)) => {
            left_out("mount points", error);
            return false;
        }
        _ => {
            left_out("mount points", "no mount namespace of its own can be made");
            return false;
        }
    };
    let output = Command::new("unshare")
        .args(arguments)
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(MOUNTS, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let result = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && result.contains("test result: ok. 1 passed"),
        "{result}\n{said}"
    );
    eprint!("{said}");
    false
}
