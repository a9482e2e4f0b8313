//! The program under test, and a minimal JSON-RPC client for it.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// Maximum time for an answer before a test fails: far more than any needs.
const PATIENCE: Duration = Duration::from_secs(300);

/// Returns the program with an environment without docent's configuration.
pub fn docent() -> Command {
    unconfigured(env!("CARGO_BIN_EXE_docent"))
}

/// Returns a shell with the same environment, which finds the program as `docent`.
#[cfg(unix)]
pub fn shell() -> Command {
    let program = Path::new(env!("CARGO_BIN_EXE_docent"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let directories = std::iter::once(program.parent().unwrap().to_owned());
    let directories = directories.chain(std::env::split_paths(&path));
    let mut command = unconfigured("sh");
    command.env("PATH", std::env::join_paths(directories).unwrap());
    command
}

fn unconfigured(program: &str) -> Command {
    let mut command = Command::new(program);
    command.env_clear().stdin(Stdio::null());
    for name in ["PATH", "LLVM_PROFILE_FILE", "SystemRoot", "TEMP", "TMP"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command
}

/// Runs the program in `directory`.
pub fn run(directory: &Path, arguments: &[&str]) -> Output {
    docent()
        .current_dir(directory)
        .args(arguments)
        .output()
        .unwrap()
}

/// Runs the program and returns its exit code, stdout and stderr.
pub fn ran(directory: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = run(directory, arguments);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// Waits until a condition on the running program is true. A test that would hang fails after a
/// number of checks that take a minute at least.
#[track_caller]
pub fn wait_until(is_so: impl Fn() -> bool) {
    for _ in 0..6_000 {
        if is_so() {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("it has not come to be so");
}

/// Creates a directory with these files.
pub fn tree(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    directory
}

/// A session over stdin and stdout.
pub struct Session {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Value>,
    next_id: u64,
}

impl Session {
    /// Starts `docent mcp` with these arguments, and with all tools unless they select some.
    pub fn start(arguments: &[&str]) -> Self {
        let mut command = docent();
        command.arg("mcp").args(arguments);
        if !arguments.contains(&"--tools") {
            command.args(["--tools", "all"]);
        }
        Self::spawn(command)
    }

    /// Starts this command.
    pub fn spawn(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (line, lines) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            for text in output.lines() {
                // Any other text on stdout breaks every client, so it ends the session here.
                let Ok(message) = serde_json::from_str(&text.unwrap()) else {
                    return;
                };
                if line.send(message).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        Self {
            child,
            input,
            lines,
            next_id: 1,
        }
    }

    /// Starts and performs the handshake of `version`.
    pub fn initialized(version: &str, arguments: &[&str]) -> Self {
        let mut session = Self::start(arguments);
        let answer = session.initialize(version);
        assert_eq!(answer["result"]["protocolVersion"], version, "{answer}");
        session
    }

    /// Performs the handshake and returns the answer to `initialize`.
    pub fn initialize(&mut self, version: &str) -> Value {
        let answer = self.request(
            "initialize",
            json!({
                "protocolVersion": version,
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            }),
        );
        self.notify("notifications/initialized", json!({}));
        answer
    }

    /// Writes one line.
    pub fn write(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_bytes()).unwrap();
        input.write_all(b"\n").unwrap();
        input.flush().unwrap();
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.write(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }

    /// Sends a request without waiting and returns its id.
    pub fn send(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.write(
            &json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string(),
        );
        id
    }

    /// Sends a request and returns the whole answer.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        let answer = self.message();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Returns the next message of any kind.
    pub fn message(&mut self) -> Value {
        self.message_within(PATIENCE).expect("no message came")
    }

    /// Returns the next message if one arrives in time.
    pub fn message_within(&mut self, time: Duration) -> Option<Value> {
        match self.lines.recv_timeout(time) {
            Ok(message) => Some(message),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => panic!("the output ended: {}", self.errors()),
        }
    }

    /// Calls a tool and returns its result.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert!(answer["result"].is_object(), "{answer}");
        answer["result"].clone()
    }

    /// Calls a tool and returns the text of its answer.
    pub fn text(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Calls a tool that must refuse and returns its message.
    pub fn refusal(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Closes the input and returns the exit status of the program, and its remaining messages.
    pub fn close(mut self) -> (ExitStatus, Vec<Value>) {
        drop(self.input.take());
        let rest = self.lines.iter().collect();
        let status = self.child.wait().unwrap();
        (status, rest)
    }

    /// Closes the input, waits for the program to exit and returns its stderr.
    pub fn close_for_errors(mut self) -> String {
        drop(self.input.take());
        let mut errors = String::new();
        let mut stderr = self.child.stderr.take().unwrap();
        stderr.read_to_string(&mut errors).unwrap();
        errors
    }

    /// Ends the program and returns its stderr.
    fn errors(&mut self) -> String {
        drop(self.input.take());
        let mut errors = String::new();
        let _ = self.child.kill();
        if let Some(mut stderr) = self.child.stderr.take() {
            let _ = stderr.read_to_string(&mut errors);
        }
        errors
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
