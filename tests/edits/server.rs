//! `@modelcontextprotocol/server-filesystem`, over its input and output.

use std::error::Error;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::spoil::Task;
use crate::verdict::Verdict;

/// A running server, with a directory of its own.
pub struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    directory: TempDir,
}

impl Server {
    /// Starts it.
    ///
    /// # Errors
    /// When it does not start.
    pub fn start(program: &Path) -> Result<Self, Box<dyn Error>> {
        let directory = tempfile::tempdir()?;
        let mut child = Command::new(program)
            .arg(directory.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut server = Self {
            input: child.stdin.take().ok_or("no input")?,
            output: BufReader::new(child.stdout.take().ok_or("no output")?),
            child,
            directory,
        };
        let client = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": { "name": "edits", "version": "1" },
        });
        server.request("initialize", &client)?;
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(server)
    }

    /// Returns what it makes of an edit.
    ///
    /// # Errors
    /// When it does not answer.
    pub fn judge(&mut self, task: &Task<'_>) -> Result<Verdict, Box<dyn Error>> {
        let path = self.directory.path().join(task.name);
        fs::write(&path, &task.file)?;
        let message = self.edit(&path, &[(&task.old, &task.new)], false)?;
        let now = fs::read(&path)?;
        Ok(Verdict::of(task, &now, || shown(task, &message)))
    }

    /// Edits a file, and returns what is said of it.
    ///
    /// # Errors
    /// When it does not answer.
    pub fn edit(
        &mut self,
        path: &Path,
        edits: &[(&str, &str)],
        dry_run: bool,
    ) -> Result<String, Box<dyn Error>> {
        let edits: Vec<Value> = edits
            .iter()
            .map(|(old, new)| json!({ "oldText": old, "newText": new }))
            .collect();
        let arguments = json!({ "path": path, "edits": edits, "dryRun": dry_run });
        let answer = self.request(
            "tools/call",
            &json!({ "name": "edit_file", "arguments": arguments }),
        )?;
        let text = answer["result"]["content"][0]["text"].as_str();
        Ok(text.unwrap_or_default().to_owned())
    }

    /// Returns where its files lie.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Returns the CPU time that it has used so far.
    ///
    /// # Errors
    /// When `/proc` does not say.
    pub fn cpu(&self) -> Result<Duration, Box<dyn Error>> {
        let mut nanoseconds = 0;
        for task in fs::read_dir(format!("/proc/{}/task", self.child.id()))? {
            let told = fs::read_to_string(task?.path().join("schedstat"))?;
            let own: u64 = told.split(' ').next().unwrap_or_default().parse()?;
            nanoseconds += own;
        }
        Ok(Duration::from_nanos(nanoseconds))
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
            // What it asks for itself, such as the client's roots, is left without an answer.
            if message["id"] == 1 && message["method"].is_null() {
                return Ok(message);
            }
        }
    }

    fn send(&mut self, message: &Value) -> Result<(), Box<dyn Error>> {
        writeln!(self.input, "{message}")?;
        Ok(self.input.flush()?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Some wait on after the end of their input.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether a message holds a line of the right place that it was not sent.
fn shown(task: &Task<'_>, message: &str) -> Verdict {
    let mut lines = task.file.lines().skip(task.first - 1).take(task.count);
    let is_told = |line: &str| message.contains(line) && !task.old.contains(line);
    if lines.any(|line| !line.trim().is_empty() && is_told(line)) {
        Verdict::First
    } else {
        Verdict::Refused
    }
}
