//! An embedder on loopback, which answers correctly or misbehaves.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// The behaviour of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    Answers,
    /// Answers in chunks, without a length.
    AnswersInChunks,
    /// Answers requests with one text; refuses others.
    AnswersOne,
    /// Describes the model, and then stays silent.
    SaysNothing,
    Dribbles,
    OtherLength,
    OneTooFew,
    NotANumber,
    Huge,
    Endless,
    NotJson,
    Base64,
    TooMany,
    ClosesEarly,
    ClosesAtOnce,
    Redirects(u16),
}

/// An endpoint, with the requests that it received.
pub struct Server {
    pub port: u16,
    heads: Arc<Mutex<Vec<String>>>,
    texts: Arc<Mutex<Vec<String>>>,
}

/// Returns the address of an endpoint that does not exist.
pub fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}/v1#fake", listener.local_addr().unwrap())
}

impl Server {
    pub fn start(deed: Deed) -> Self {
        Self::start_with(deed, |_| ())
    }

    /// Starts an endpoint that calls `before` with the texts of each request.
    pub fn start_with(deed: Deed, before: impl Fn(&[String]) + Send + Sync + 'static) -> Self {
        let before = Arc::new(before);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Self {
            port: listener.local_addr().unwrap().port(),
            heads: Arc::default(),
            texts: Arc::default(),
        };
        let (heads, texts) = (Arc::clone(&server.heads), Arc::clone(&server.texts));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let (heads, texts) = (Arc::clone(&heads), Arc::clone(&texts));
                let before = Arc::clone(&before);
                thread::spawn(move || {
                    let Some((head, body)) = request(&mut stream) else {
                        return;
                    };
                    heads.lock().unwrap().push(head);
                    let body: Value = serde_json::from_slice(&body).unwrap();
                    assert_eq!(body["encoding_format"], "float");
                    let input = body["input"].as_array().unwrap();
                    let input: Vec<String> = input
                        .iter()
                        .map(|text| text.as_str().unwrap().to_owned())
                        .collect();
                    let is_first = {
                        let mut texts = texts.lock().unwrap();
                        texts.extend(input.iter().cloned());
                        texts.len() == input.len()
                    };
                    // The first answer describes the model; otherwise no further request would
                    // come.
                    let deed = if is_first { Deed::Answers } else { deed };
                    before(&input);
                    answer(&mut stream, deed, &input);
                });
            }
        });
        server
    }

    /// Returns the heads of the received requests.
    pub fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }

    pub fn flag(&self) -> String {
        format!("http://127.0.0.1:{}/v1#fake", self.port)
    }

    pub fn texts(&self) -> Vec<String> {
        self.texts.lock().unwrap().clone()
    }
}

fn request(stream: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let read = stream.read(&mut buffer).ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("Content-Length: "))?;
        let length: usize = length.parse().ok()?;
        if body.len() >= length {
            return Some((head.to_owned(), body.as_bytes().to_vec()));
        }
    }
}

/// Returns a vector by the words of a text, with `automobile` equal to `car`.
fn vector(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0; 32];
    let words = text.split(|c: char| !c.is_alphanumeric());
    for word in words.filter(|word| !word.is_empty()) {
        let word = word.to_lowercase();
        let word = if word == "automobile" { "car" } else { &word };
        let hash = word.bytes().fold(7usize, |hash, byte| {
            hash.wrapping_mul(31).wrapping_add(usize::from(byte))
        });
        vector[hash % 32] += 1.0;
    }
    vector[0] += 0.01;
    vector
}

fn answer(stream: &mut TcpStream, deed: Deed, input: &[String]) {
    let embedded = |vector: fn(&str) -> Value, texts: &[String]| {
        let data: Vec<Value> = texts
            .iter()
            .enumerate()
            .map(|(index, text)| json!({"index": index, "embedding": vector(text)}))
            .collect();
        json!({"object": "list", "data": data, "model": "fake"}).to_string()
    };
    let good = || embedded(|text| json!(vector(text)), input);
    let mut send = |status: &str, body: &str| {
        let length = body.len();
        let head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n");
        let _ = stream.write_all((head + body).as_bytes());
    };
    match deed {
        Deed::Answers => send("200 OK", &good()),
        Deed::AnswersInChunks => {
            let body = good();
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            for chunk in body.as_bytes().chunks(100) {
                let _ = stream.write_all(format!("{:x}\r\n", chunk.len()).as_bytes());
                let _ = stream.write_all(chunk);
                let _ = stream.write_all(b"\r\n");
            }
            let _ = stream.write_all(b"0\r\n\r\n");
        }
        Deed::AnswersOne if input.len() > 1 => send("400 Bad Request", "too long"),
        Deed::AnswersOne => send("200 OK", &good()),
        // Until the client gives up.
        Deed::SaysNothing => {
            let _ = stream.read(&mut [0]);
        }
        Deed::Dribbles => {
            while stream.write_all(b"H").is_ok() {
                thread::sleep(Duration::from_millis(100));
            }
        }
        Deed::OtherLength => send("200 OK", &embedded(|_| json!([1.0, 2.0]), input)),
        Deed::OneTooFew => send("200 OK", &embedded(|text| json!(vector(text)), &input[1..])),
        Deed::NotANumber => send("200 OK", &good().replace("0.0", "NaN")),
        Deed::Huge => send("200 OK", &good().replace("0.0", "1e300")),
        Deed::Endless => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
            while stream.write_all(&[b'['; 65_536]).is_ok() {}
        }
        Deed::NotJson => send("200 OK", "<html>Welcome</html>"),
        Deed::Base64 => send("200 OK", &embedded(|_| json!("AACAPwAAAAA="), input)),
        Deed::TooMany => send("429 Too Many Requests", "{\"error\":\"slow down\"}"),
        Deed::ClosesEarly => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n{\"data");
        }
        Deed::ClosesAtOnce => {}
        Deed::Redirects(port) => {
            let location = format!("http://127.0.0.1:{port}/v1/embeddings");
            let _ = stream.write_all(
                format!("HTTP/1.1 307 Moved\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n")
                    .as_bytes(),
            );
        }
    }
}
