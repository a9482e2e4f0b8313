//! Other programs that edit files, and docent itself, run as MCP servers over standard input and
//! output.

use std::error::Error;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::history::Edit;
use crate::spoil::{Task, Way};
use crate::verdict::Verdict;

/// A program that edits files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// `@modelcontextprotocol/server-filesystem`: replaces a text.
    Filesystem,
    /// `patchloom`: replaces a text.
    Patchloom,
    /// `mcp-text-editor`: replaces lines by their numbers and their hash.
    TextEditor,
    /// docent.
    Docent,
}

/// A running server, with a directory of its own.
pub struct Server {
    /// Program of the server.
    pub program: Program,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    directory: TempDir,
    _state: TempDir,
}

impl Program {
    /// Returns the program with this name on the command line.
    pub fn called(name: &str) -> Option<Self> {
        let all = [
            Self::Filesystem,
            Self::Patchloom,
            Self::TextEditor,
            Self::Docent,
        ];
        all.into_iter().find(|program| program.name() == name)
    }

    /// Returns the name of the program.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Filesystem => "server-filesystem",
            Self::Patchloom => "patchloom",
            Self::TextEditor => "mcp-text-editor",
            Self::Docent => "docent",
        }
    }

    fn command(self, path: &Path, directory: &Path, state: &Path) -> Command {
        let mut command = Command::new(path);
        match self {
            Self::Filesystem => command.arg(directory),
            Self::Patchloom => command.arg("mcp-server"),
            Self::TextEditor => &mut command,
            Self::Docent => {
                let mut root = directory.as_os_str().to_owned();
                root.push(":rw");
                command.args(["mcp", "--root"]).arg(root);
                command.arg("--state").arg(state)
            }
        };
        command.current_dir(directory);
        command
    }
}

impl Server {
    /// Starts a program.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start(program: Program, path: &Path) -> Result<Self, Box<dyn Error>> {
        let (directory, state) = (tempfile::tempdir()?, tempfile::tempdir()?);
        let path: PathBuf = path.canonicalize()?;
        let mut child = program
            .command(&path, directory.path(), state.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut server = Self {
            program,
            input: child.stdin.take().ok_or("no input")?,
            output: BufReader::new(child.stdout.take().ok_or("no output")?),
            child,
            directory,
            _state: state,
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

    /// Returns its result for a spoilt edit; none if it does not support that kind.
    ///
    /// # Errors
    /// If it does not answer.
    pub fn judge(
        &mut self,
        edit: &Edit,
        way: Way,
        task: &Task<'_>,
    ) -> Result<Option<Verdict>, Box<dyn Error>> {
        let path = self.directory.path().join(task.name);
        let message = if self.program == Program::TextEditor {
            // The lines are given by number, so there is no searched text to spoil.
            let (seen, first, old) = match way {
                Way::Not | Way::CarriageReturns | Way::Duplicated => {
                    (&task.file, task.first, &edit.old)
                }
                Way::Stale => (&edit.before, edit.first, &edit.old),
                _ => return Ok(None),
            };
            fs::write(&path, seen)?;
            let lines = (first, first + old.lines().count() - 1);
            let hashes = self.hashes(&path, lines)?;
            fs::write(&path, &task.file)?;
            self.patch(&path, lines, &hashes, &task.new)?
        } else {
            fs::write(&path, &task.file)?;
            self.edit(
                &[path.as_path()],
                (task.old.as_str(), task.new.as_str()),
                false,
            )?
        };
        let now = fs::read(&path)?;
        Ok(Some(Verdict::judge(task, &now, || shown(task, &message))))
    }

    /// Replaces a text in files, in one call if the program supports that, and returns its message.
    ///
    /// # Errors
    /// If it does not answer.
    pub fn edit(
        &mut self,
        paths: &[&Path],
        (old, new): (&str, &str),
        dry_run: bool,
    ) -> Result<String, Box<dyn Error>> {
        if self.program == Program::Docent {
            let edit = |path: &&Path| {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                json!({ "path": name, "oldText": old, "newText": new })
            };
            let edits: Vec<Value> = paths.iter().map(edit).collect();
            return self.call("change", &json!({ "edits": edits, "dryRun": dry_run }));
        }
        let mut said = String::new();
        for path in paths {
            said += &match self.program {
                Program::Patchloom => {
                    let arguments = json!({ "path": path, "old": old, "new": new });
                    self.call("replace_text", &arguments)?
                }
                _ => {
                    let edits = json!([{ "oldText": old, "newText": new }]);
                    let arguments = json!({ "path": path, "edits": edits, "dryRun": dry_run });
                    self.call("edit_file", &arguments)?
                }
            };
        }
        Ok(said)
    }

    /// Returns true if it can preview an edit without making it.
    pub fn has_dry_runs(&self) -> bool {
        self.program != Program::Patchloom
    }

    /// Reads lines with `mcp-text-editor`, and returns its hashes of the file and of the lines.
    fn hashes(
        &mut self,
        path: &Path,
        (first, last): (usize, usize),
    ) -> Result<[Value; 2], Box<dyn Error>> {
        let range = json!({ "start": first, "end": last });
        let files = json!([{ "file_path": path, "ranges": [range] }]);
        let told = self.call("get_text_file_contents", &json!({ "files": files }))?;
        let told: Value = serde_json::from_str(&told)?;
        let file = &told[path.to_string_lossy().as_ref()];
        let range = &file["ranges"][0]["range_hash"];
        Ok([file["file_hash"].clone(), range.clone()])
    }

    /// Replaces lines with `mcp-text-editor`, and returns its message.
    fn patch(
        &mut self,
        path: &Path,
        (first, last): (usize, usize),
        [file, range]: &[Value; 2],
        new: &str,
    ) -> Result<String, Box<dyn Error>> {
        let patch = json!({ "start": first, "end": last, "contents": new, "range_hash": range });
        let arguments = json!({ "file_path": path, "file_hash": file, "patches": [patch] });
        self.call("patch_text_file_contents", &arguments)
    }

    /// Calls a tool, and returns the text of its answer.
    fn call(&mut self, tool: &str, arguments: &Value) -> Result<String, Box<dyn Error>> {
        let call = json!({ "name": tool, "arguments": arguments });
        let answer = self.request("tools/call", &call)?;
        // A call that is invalid is refused with a protocol error.
        let content = answer["result"]["content"].as_array();
        let Some(content) = content else {
            return Ok(answer["error"].to_string());
        };
        let texts = content.iter().filter_map(|part| part["text"].as_str());
        Ok(texts.collect::<Vec<_>>().join("\n"))
    }

    /// Returns the directory of its files.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Returns the CPU time that it has used so far.
    ///
    /// # Errors
    /// If `/proc` does not report it.
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
            // Its own requests, such as for the client's roots, are not answered.
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
        // Some keep running after the end of their input.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the verdict on a refusal, by its message: it shows the right place if it contains a line
/// of it that was not in the sent text.
fn shown(task: &Task<'_>, message: &str) -> Verdict {
    let mut lines = task.file.lines().skip(task.first - 1).take(task.count);
    let is_told = |line: &str| message.contains(line) && !task.old.contains(line);
    if lines.any(|line| !line.trim().is_empty() && is_told(line)) {
        Verdict::First
    } else {
        Verdict::Refused
    }
}
