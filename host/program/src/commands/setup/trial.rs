//! A trial of a server, started and called as a client does it.

use std::fmt::{self, Display};
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use docent_client_config::{ClientEnvironment, HostPlatform, Launch};
use serde_json::{Value, json};

/// Timeout of one answer: clients wait as long before they give up on a server.
const PATIENCE: Duration = Duration::from_secs(60);

/// Time to exit, once the input is closed.
const FAREWELL: Duration = Duration::from_secs(5);

/// Protocol revision of the clients.
const PROTOCOL: &str = "2025-06-18";

/// Maximum lines on stdout and stderr that are awaited at the end of the server.
const LAST_LINES: usize = 100;

/// Maximum lines of an answer that are shown.
const SHOWN_LINES: usize = 6;

/// Environment variables that clients pass to a server; the official libraries pass no others. Some
/// clients pass all, so a server that works with these works in each.
const UNIX_VARIABLES: [&str; 6] = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];

/// Environment variables that clients pass to a server on Windows.
const WINDOWS_VARIABLES: [&str; 11] = [
    "APPDATA",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATH",
    "PROCESSOR_ARCHITECTURE",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "USERNAME",
    "USERPROFILE",
];

/// The result of a trial. Displayed for a person.
#[derive(Debug, PartialEq, Eq)]
pub struct TrialReport {
    server: String,
    tools: usize,
    /// Name of the called tool, and its answer; none if no harmless tool is offered.
    call: Option<(String, String)>,
}

impl Display for TrialReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "started {} with {} tools", self.server, self.tools)?;
        let Some((tool, answer)) = &self.call else {
            return Ok(());
        };
        write!(f, "; called {tool}:")?;
        let lines: Vec<_> = answer.lines().filter(|line| !line.is_empty()).collect();
        for line in lines.iter().take(SHOWN_LINES) {
            write!(f, "\n  {line}")?;
        }
        match lines.len().checked_sub(SHOWN_LINES + 1) {
            Some(more) => write!(f, "\n  … {} more lines", more + 1),
            None => Ok(()),
        }
    }
}

/// Starts a server with the environment that a client gives it, calls a tool and ends it.
///
/// # Errors
/// Returns the fault, with the server's output on stderr.
pub fn call_ambient(
    launch: &Launch,
    environment: &ClientEnvironment<'_>,
) -> Result<TrialReport, String> {
    let mut server = TrialServer::start_ambient(launch, environment)?;
    let report = server.report();
    let said = server.end();
    report.map_err(|problem| match said.trim() {
        "" => problem,
        said => format!("{problem}; it says: {said}"),
    })
}

/// A running server.
struct TrialServer {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    errors: Receiver<String>,
    requests: u64,
}

impl TrialServer {
    fn start_ambient(launch: &Launch, environment: &ClientEnvironment<'_>) -> Result<Self, String> {
        let names: &[&str] = match environment.platform {
            HostPlatform::Windows => &WINDOWS_VARIABLES,
            HostPlatform::Linux | HostPlatform::MacOs => &UNIX_VARIABLES,
        };
        let variables = names.iter();
        let variables = variables.filter_map(|name| Some((name, (environment.variable)(name)?)));
        let mut command = Command::new(&launch.command);
        command
            .args(&launch.args)
            .env_clear()
            .envs(variables)
            .envs(&launch.env)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(home) = environment.home() {
            command.current_dir(home);
        }
        let started = command.spawn();
        let mut child = started.map_err(|error| format!("`{}`: {error}", launch.command))?;
        let lines = child.stdout.take().map(read_lines);
        let errors = child.stderr.take().map(read_lines);
        let (Some(lines), Some(errors)) = (lines, errors) else {
            return Err("its output cannot be read".to_owned());
        };
        Ok(Self {
            input: child.stdin.take(),
            child,
            lines,
            errors,
            requests: 0,
        })
    }

    fn report(&mut self) -> Result<TrialReport, String> {
        let client = json!({"name": "docent-setup", "version": env!("CARGO_PKG_VERSION")});
        let greeting = self.request(
            "initialize",
            &json!({"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client}),
        )?;
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        let listed = self.request("tools/list", &json!({}))?;
        let tools = listed["tools"].as_array().map_or(&[][..], Vec::as_slice);
        let call = match harmless_call(tools) {
            None => None,
            Some((tool, arguments)) => {
                let call = json!({"name": tool, "arguments": arguments});
                let answer = self.request("tools/call", &call)?;
                let text = answer["content"][0]["text"].as_str().unwrap_or_default();
                if answer["isError"] == true {
                    return Err(format!("{tool} answered {text}"));
                }
                Some((tool.to_owned(), text.to_owned()))
            }
        };
        let word = |key: &str| {
            greeting["serverInfo"][key]
                .as_str()
                .unwrap_or("?")
                .to_owned()
        };
        Ok(TrialReport {
            server: format!("{} {}", word("name"), word("version")),
            tools: tools.len(),
            call,
        })
    }

    fn send(&mut self, message: &Value) -> Result<(), String> {
        let Some(input) = &mut self.input else {
            return Err("its input is closed".to_owned());
        };
        let line = format!("{message}\n");
        let sent = input
            .write_all(line.as_bytes())
            .and_then(|()| input.flush());
        sent.map_err(|_| "it ended".to_owned())
    }

    /// Sends a request and returns the result of its response.
    fn request(&mut self, method: &str, params: &Value) -> Result<Value, String> {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        loop {
            let line = self
                .lines
                .recv_timeout(PATIENCE)
                .map_err(|error| match error {
                    RecvTimeoutError::Timeout => {
                        format!("no answer to `{method}` within {} s", PATIENCE.as_secs())
                    }
                    RecvTimeoutError::Disconnected => "it ended".to_owned(),
                })?;
            let message: Value = serde_json::from_str(&line)
                .map_err(|_| format!("a line that is not JSON in answer to `{method}`"))?;
            if message["id"] != id {
                continue;
            }
            return match message.get("result") {
                Some(result) => Ok(result.clone()),
                None => Err(format!("`{method}` answered {}", message["error"])),
            };
        }
    }

    /// Closes the input, ends the server, and returns its output on stderr.
    fn end(mut self) -> String {
        drop(self.input.take());
        // The server is expected to exit at the end of its input. Its output is read until the
        // channel ends or is silent for a while: a child process of the server may keep the
        // pipe open after the server has exited.
        let mut rest = (0..LAST_LINES).map(|_| self.lines.recv_timeout(FAREWELL));
        while rest.next().is_some_and(|line| line.is_ok()) {}
        let _ = self.child.kill();
        let _ = self.child.wait();
        let mut said = String::new();
        for _ in 0..LAST_LINES {
            match self.errors.recv_timeout(FAREWELL) {
                Ok(line) => said.extend([line.as_str(), "\n"]),
                Err(_) => break,
            }
        }
        said
    }
}

/// Reads lines on a thread of their own.
fn read_lines(output: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            // The output is read to its end even if nobody receives it: a full pipe would block
            // the server in a write.
            let _ = sender.send(line);
        }
    });
    lines
}

/// Returns a read-only call of an offered tool; none if no such tool is offered.
fn harmless_call(tools: &[Value]) -> Option<(&'static str, Value)> {
    let calls = [
        ("find_files", json!({"limit": 1})),
        ("get_config", json!({})),
        ("list_documents", json!({})),
        ("list_full_tree", json!({})),
        // Hosts of components list functions by their names in the contract, with hyphens.
        ("get-config", json!({})),
    ];
    let is_offered = |name: &str| tools.iter().any(|tool| tool["name"] == name);
    calls.into_iter().find(|(name, _)| is_offered(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_answer_is_cut() {
        let report = |answer: &str| TrialReport {
            server: "docent 1".to_owned(),
            tools: 3,
            call: Some(("find_files".to_owned(), answer.to_owned())),
        };
        assert_eq!(
            report("# Files\n\n- a\n").to_string(),
            "started docent 1 with 3 tools; called find_files:\n  # Files\n  - a"
        );
        let long = report(&"line\n".repeat(9)).to_string();
        assert!(long.ends_with("\n  … 3 more lines"), "{long}");
        assert_eq!(long.lines().count(), 8);
    }

    #[test]
    fn a_tool_is_called_that_is_offered() {
        let offered = |names: &[&str]| {
            let tools: Vec<_> = names.iter().map(|name| json!({"name": name})).collect();
            harmless_call(&tools).map(|(name, _)| name)
        };
        assert_eq!(offered(&["explore", "find_files"]), Some("find_files"));
        assert_eq!(
            offered(&["get_config", "read_document"]),
            Some("get_config")
        );
        assert_eq!(offered(&["change"]), None);
    }
}
