//! Tests that a component other than docent's can be served: clients see the tools in its WIT.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A server process, which ends with the test.
struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start(directory: &Path) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_docent-test-named-tools-server"))
            .arg(directory)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let stderr = process.stderr.take().unwrap();
        BufReader::new(stderr).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("docent: serving at http://");
        Self {
            address: address.unwrap_or_else(|| panic!("{line}")).to_owned(),
            process,
        }
    }

    /// Returns the HTTP answer to an MCP message, head and body.
    fn answer(&self, message: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(
            stream,
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-06-18\r\n\
             Connection: close\r\nContent-Length: {}\r\n\r\n{message}",
            self.address,
            message.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn its_tools_are_listed_and_called() {
    let server = Server::start(Path::new(env!("CARGO_MANIFEST_DIR")));
    let listed = server.answer(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    let named = listed.matches(r#""name":"#).count();
    assert_eq!(named, 3, "{listed}");
    assert!(
        listed.contains(r#""name":"test_error_handling""#),
        "{listed}"
    );
    let refused = server.answer(
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"test_error_handling"}}"#,
    );
    assert!(refused.contains(r#""isError":true"#), "{refused}");
    assert!(refused.contains("[always-refused] "), "{refused}");
}
