//! A server under test, and a client that sends the bytes of a test.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::program::docent;

/// Maximum time for an answer before a test fails.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// `Accept` header of an MCP client.
pub const ACCEPT: (&str, &str) = ("Accept", "application/json, text/event-stream");

/// A server under test.
pub struct Server {
    child: Child,
    /// Address on which it listens.
    pub address: SocketAddr,
    errors: Arc<Mutex<Vec<String>>>,
}

/// An HTTP response.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// Headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Answer {
    /// Returns a header, or an empty text.
    pub fn header(&self, name: &str) -> &str {
        let mut named = self.headers.iter().filter(|(known, _)| known == name);
        named.next().map_or("", |(_, value)| value)
    }

    /// Returns the body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{self:?}"))
    }

    /// Reads a connection until its end; none if it contains no bytes.
    pub fn read(stream: &mut TcpStream) -> Option<Self> {
        let mut bytes = Vec::new();
        // A reset is treated as the end.
        let _ = stream.read_to_end(&mut bytes);
        let head_end = bytes.windows(4).position(|it| it == b"\r\n\r\n")?;
        let head = String::from_utf8_lossy(&bytes[..head_end]).into_owned();
        let mut lines = head.lines();
        let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
        let headers: Vec<_> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect();
        let mut answer = Self {
            status,
            headers,
            body: String::new(),
        };
        let body = &bytes[head_end + 4..];
        let body = if answer.header("transfer-encoding") == "chunked" {
            unchunked(body)
        } else {
            body.to_vec()
        };
        answer.body = String::from_utf8_lossy(&body).into_owned();
        Some(answer)
    }
}

fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = body.windows(2).position(|it| it == b"\r\n") {
        let length = std::str::from_utf8(&body[..end]).unwrap();
        let length = usize::from_str_radix(length, 16).unwrap();
        let rest = &body[end + 2..];
        if length == 0 || rest.len() < length + 2 {
            break;
        }
        whole.extend_from_slice(&rest[..length]);
        body = &rest[length + 2..];
    }
    whole
}

impl Server {
    /// Starts `docent serve` on a free port.
    pub fn start(arguments: &[&str]) -> Self {
        let mut command = docent();
        command
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(arguments);
        // The environment names no directory for a log.
        if !arguments.contains(&"--log") {
            command.arg("--no-log");
        }
        Self::spawn(command)
    }

    /// Starts a command that serves over HTTP.
    pub fn spawn(mut command: Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let errors = Arc::<Mutex<Vec<String>>>::default();
        let address = loop {
            let line = lines.next().expect("it ended before it served").unwrap();
            if let Some(address) = line.strip_prefix("docent: serving at http://") {
                break address.parse().unwrap();
            }
            errors.lock().unwrap().push(line);
        };
        thread::spawn({
            let errors = Arc::clone(&errors);
            move || {
                for line in lines.map_while(Result::ok) {
                    errors.lock().unwrap().push(line);
                }
            }
        });
        Self {
            child,
            address,
            errors,
        }
    }

    /// Starts a server that grants `directory` as the root `docs`.
    pub fn for_directory(directory: &Path, arguments: &[&str]) -> Self {
        let root = format!("docs={}", directory.display());
        Self::start(&[&["--root", &root], arguments].concat())
    }

    /// Returns its stderr so far.
    pub fn errors(&self) -> Vec<String> {
        self.errors.lock().unwrap().clone()
    }

    /// Waits until `times` lines on its stderr contain `part`.
    #[track_caller]
    pub fn wait_for(&self, part: &str, times: usize) -> Vec<String> {
        let start = Instant::now();
        loop {
            let mut found = self.errors();
            found.retain(|line| line.contains(part));
            if found.len() >= times {
                return found;
            }
            assert!(start.elapsed() < PATIENCE, "{part}: {:?}", self.errors());
            thread::yield_now();
        }
    }

    /// Returns the host for requests.
    pub fn host(&self) -> String {
        self.address.to_string()
    }

    /// Returns a new connection.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends these bytes and returns the response; none if the connection is closed instead.
    pub fn raw(&self, bytes: &[u8]) -> Option<Answer> {
        let mut stream = self.connect();
        // The connection may be closed before the end of the write.
        let _ = stream.write_all(bytes);
        Answer::read(&mut stream)
    }

    /// Sends a request and returns the connection for its response.
    pub fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&str>,
    ) -> TcpStream {
        let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        let has = |name: &str| headers.iter().any(|(it, _)| it.eq_ignore_ascii_case(name));
        if !has("host") {
            text.push_str(&format!("Host: {}\r\n", self.host()));
        }
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if let Some(body) = body {
            if !has("content-type") {
                text.push_str("Content-Type: application/json\r\n");
            }
            text.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        text.push_str("\r\n");
        text.push_str(body.unwrap_or_default());
        let mut stream = self.connect();
        stream.write_all(text.as_bytes()).unwrap();
        stream
    }

    /// Sends a request without a body and returns the response.
    #[track_caller]
    pub fn get(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        Answer::read(&mut self.send("GET", path, headers, None)).unwrap()
    }

    /// Sends a request with a body and returns the response.
    #[track_caller]
    pub fn post(&self, path: &str, headers: &[(&str, &str)], body: &Value) -> Answer {
        let headers = [&[ACCEPT], headers].concat();
        Answer::read(&mut self.send("POST", path, &headers, Some(&body.to_string()))).unwrap()
    }

    /// Calls a tool over MCP and returns the result.
    #[track_caller]
    pub fn call(
        &self,
        path: &str,
        headers: &[(&str, &str)],
        tool: &str,
        arguments: Value,
    ) -> Value {
        let answer = self.post(path, headers, &call(1, tool, arguments));
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()["result"].clone()
    }

    /// Waits until a call runs.
    #[track_caller]
    pub fn wait_for_call(&self) {
        let start = Instant::now();
        while !self
            .get("/metrics", &[])
            .body
            .contains("\ndocent_calls_running 1\n")
        {
            assert!(start.elapsed() < PATIENCE, "no call runs");
        }
    }

    /// Returns the id of the process.
    #[cfg(unix)]
    pub fn pid(&self) -> rustix::process::Pid {
        rustix::process::Pid::from_child(&self.child)
    }

    /// Sends SIGTERM to the process, as a service manager does.
    #[cfg(unix)]
    pub fn terminate(&self) {
        rustix::process::kill_process(self.pid(), rustix::process::Signal::TERM).unwrap();
    }

    /// Waits until the process has ended.
    pub fn ended(&mut self) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(start.elapsed() < PATIENCE, "it does not end");
            thread::yield_now();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the request that calls a tool.
pub fn call(id: u64, tool: &str, arguments: Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}
