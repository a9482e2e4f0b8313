//! Tests with several instances of one host over a writable root: they write one after another, and
//! an instance that starts does not mistake a running write for an interrupted one.

use std::fs;
use std::thread;

use docent_host::{CallControl, CallError, Limits, Pool, Session, Settings};
use docent_tests::guest::{arguments, call, limits};
use serde_json::{Value, json};

use super::files::{Files, Keeping};

/// Both ways in which instances exclude each other.
const KEEPINGS: [Keeping; 2] = [Keeping::State, Keeping::Nothing];

fn session(files: &Files, keeping: Keeping) -> Session {
    Session::load(files.granted(keeping), Settings::default(), limits()).unwrap()
}

/// Maximum rounds until two instances meet once: on a fast disk a write is short.
const ROUNDS: usize = 50;

#[test]
fn an_instance_that_starts_leaves_a_write_alone() {
    for keeping in KEEPINGS {
        let files = Files::holding("0\n");
        let mut writer = session(&files, keeping);
        let reader = writer.twin().unwrap();
        let met = (1..ROUNDS).any(|round| {
            let mut started = 0;
            let (old, new) = ((round - 1).to_string(), round.to_string());
            let written = thread::scope(|scope| {
                let writing =
                    scope.spawn(|| call(&mut writer, "change", Files::change(&old, &new)));
                while !writing.is_finished() {
                    // Polled without a pause: on a fast disk this state is brief.
                    if !files.is_prepared() {
                        continue;
                    }
                    let mut starting = reader.twin().unwrap();
                    // It waits for the write, which may have finished by then.
                    call(&mut starting, "list-documents", json!({})).unwrap();
                    started += 1;
                }
                writing.join().unwrap()
            });
            assert_eq!(written.unwrap()["applied"], true, "{keeping:?}");
            assert_eq!(files.content(), format!("{new}\n"));
            started > 0
        });
        assert!(met, "{keeping:?}: they did not meet");
    }
}

#[test]
fn writes_of_several_instances_build_on_each_other() {
    const WRITERS: usize = 3;
    const LINES: usize = 8;
    for keeping in KEEPINGS {
        let files = Files::holding("old\n");
        fs::write(files.root.join("list.md"), "").unwrap();
        let session = session(&files, keeping);
        thread::scope(|scope| {
            for writer in 0..WRITERS {
                let mut session = session.twin().unwrap();
                scope.spawn(move || {
                    for line in 0..LINES {
                        let line = format!("{writer} {line}\n");
                        let edit = json!({ "path": "list.md", "insert": line, "at": "end" });
                        let change = json!({ "edits": [edit], "dryRun": false });
                        call(&mut session, "change", change).unwrap();
                    }
                });
            }
        });
        let list = fs::read_to_string(files.root.join("list.md")).unwrap();
        let mut lines: Vec<&str> = list.lines().collect();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines.len(), WRITERS * LINES, "{keeping:?}: {list}");
    }
}

/// A pool, called from any thread.
struct Calls(Pool);

impl Calls {
    fn call(
        &self,
        function: &str,
        object: Value,
        control: CallControl,
    ) -> Result<Value, CallError> {
        let executor = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        executor.block_on(self.0.call(function, arguments(object), control))
    }

    fn list(&self) -> Value {
        let listed = self.call("list-documents", json!({}), CallControl::default());
        listed.unwrap()
    }
}

#[test]
fn a_write_that_is_cut_off_is_finished_before_the_next_read() {
    for keeping in KEEPINGS {
        let files = Files::holding("0\n");
        let limits = Limits {
            threads: 2,
            ..limits()
        };
        let pool = Pool::load(files.granted(keeping), Settings::default(), limits);
        let calls = Calls(pool.unwrap());
        let mut met = false;
        for _ in 0..ROUNDS {
            let old = files.content();
            let new = format!("{}\n", old.trim().parse::<usize>().unwrap() + 1);
            let (first, second) = (Files::change(&old, &new), Files::change(&new, &old));
            thread::scope(|scope| {
                let writing = scope.spawn(|| calls.call("change", first, CallControl::default()));
                files.wait_for_a_write(|| writing.is_finished());
                // A second instance is created meanwhile, and stays.
                calls.list();
                assert_eq!(writing.join().unwrap().unwrap()["applied"], true);
            });
            let control = CallControl::default();
            thread::scope(|scope| {
                let writing = scope.spawn(|| calls.call("change", second, control.clone()));
                files.wait_for_a_write(|| writing.is_finished());
                control.cancel.cancel();
            });
            files.wait_for_writers(keeping);
            met |= files.is_prepared();
            calls.list();
            let content = files.content();
            assert!([old, new].contains(&content), "{keeping:?}: {content}");
            if met {
                break;
            }
        }
        assert!(met, "{keeping:?}: no write was cut off");
    }
}
