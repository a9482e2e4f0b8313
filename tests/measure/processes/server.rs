//! `docent mcp`, measured from a client's side.

use std::error::Error;
use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::process;

/// A running server.
pub struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// Time from its start to the answer to `initialize`.
    pub ready: Duration,
}

impl Server {
    /// Starts a server on `root` and waits for it to answer `initialize`.
    ///
    /// # Errors
    /// If it does not answer.
    pub fn start(docent: &Path, root: &Path, more: &[OsString]) -> Result<Self, Box<dyn Error>> {
        Self::launch(Command::new(docent), root, more)
    }

    /// Starts a server with `command`, which runs the arguments that are added to it: `docent`
    /// itself, or a program that counts what `docent` does.
    ///
    /// # Errors
    /// If it does not answer `initialize`.
    pub fn launch(
        command: Command,
        root: &Path,
        more: &[OsString],
    ) -> Result<Self, Box<dyn Error>> {
        let mut granted = OsString::from("docs=");
        granted.push(root);
        Self::granted(command, &granted, more)
    }

    /// Starts a server that may write to `root` and keeps its undo history in `state`.
    ///
    /// # Errors
    /// If it does not answer `initialize`.
    pub fn start_writing(docent: &Path, root: &Path, state: &Path) -> Result<Self, Box<dyn Error>> {
        let mut granted = OsString::from("docs=");
        granted.push(root);
        granted.push(":rw");
        let state = ["--state".into(), state.as_os_str().to_owned()];
        Self::granted(Command::new(docent), &granted, &state)
    }

    fn granted(
        mut command: Command,
        granted: &OsString,
        more: &[OsString],
    ) -> Result<Self, Box<dyn Error>> {
        let started = Instant::now();
        let mut child = command
            .arg("mcp")
            .arg("--root")
            .arg(granted)
            .args(["--tools", "all"])
            .args(more)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().ok_or("no output")?);
        let mut server = Self {
            child,
            input,
            output,
            ready: Duration::ZERO,
        };
        let answer = server.request(
            "initialize",
            &json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": { "name": "bench", "version": "1" },
            }),
        )?;
        server.ready = started.elapsed();
        if answer["result"]["protocolVersion"].is_null() {
            return Err(format!("`initialize` was answered with {answer}").into());
        }
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(server)
    }

    /// Calls `search_documents` through all its pages.
    ///
    /// # Errors
    /// If it fails.
    pub fn search(&mut self, word: &str) -> Result<(), Box<dyn Error>> {
        let mut arguments = json!({ "query": word });
        loop {
            let call = json!({ "name": "search_documents", "arguments": arguments });
            let answer = self.request("tools/call", &call)?;
            let result = &answer["result"];
            if result["isError"] != false {
                return Err(format!("the search was answered with {answer}").into());
            }
            match result["structuredContent"]["nextCursor"].as_str() {
                Some(next) => arguments["cursor"] = next.into(),
                None => return Ok(()),
            }
        }
    }

    /// Calls `change` with edits, and returns true if they were made.
    ///
    /// # Errors
    /// If there is no answer.
    pub fn change(&mut self, edits: &Value, dry_run: bool) -> Result<bool, Box<dyn Error>> {
        self.is_done("change", &json!({ "edits": edits, "dryRun": dry_run }))
    }

    /// Calls a tool, and returns true if it succeeded.
    ///
    /// # Errors
    /// If there is no answer.
    pub fn is_done(&mut self, tool: &str, arguments: &Value) -> Result<bool, Box<dyn Error>> {
        let call = json!({ "name": tool, "arguments": arguments });
        let answer = self.request("tools/call", &call)?;
        match answer["result"]["isError"].as_bool() {
            Some(is_error) => Ok(!is_error),
            None => Err(format!("`{tool}` was answered with {answer}").into()),
        }
    }

    /// Calls a tool, and returns the result of the protocol.
    ///
    /// # Errors
    /// If the tool does not succeed.
    pub fn ask(&mut self, tool: &str, arguments: &Value) -> Result<Value, Box<dyn Error>> {
        let call = json!({ "name": tool, "arguments": arguments });
        let mut answer = self.request("tools/call", &call)?;
        if answer["result"]["isError"] != false {
            return Err(format!("`{tool}` was answered with {answer}").into());
        }
        Ok(answer["result"].take())
    }

    /// Returns the CPU time used so far.
    ///
    /// # Errors
    /// If `/proc` does not report it.
    pub fn cpu(&self) -> Result<Duration, Box<dyn Error>> {
        process::cpu_of(self.child.id())
    }

    /// Returns the peak resident memory so far, in bytes.
    ///
    /// # Errors
    /// If `/proc` does not report it.
    pub fn peak(&self) -> Result<u64, Box<dyn Error>> {
        process::peak_of(self.child.id())
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<Value, Box<dyn Error>> {
        self.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }))?;
        let mut line = String::new();
        loop {
            line.clear();
            if self.output.read_line(&mut line)? == 0 {
                return Err("the server ended".into());
            }
            let message: Value = serde_json::from_str(&line)?;
            if message["id"] == 1 {
                return Ok(message);
            }
        }
    }

    fn send(&mut self, message: &Value) -> Result<(), Box<dyn Error>> {
        let input = self.input.as_mut().ok_or("no input")?;
        writeln!(input, "{message}")?;
        Ok(input.flush()?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.input.take());
        // It exits by itself when its input ends.
        let _ = self.child.wait();
    }
}
