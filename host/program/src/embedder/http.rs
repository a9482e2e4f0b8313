//! A minimal client of HTTP/1.1 for embedders: one request and its response on a connection of its
//! own, without redirects or proxies.

use std::io::{self, Read, Write};
use std::time::Instant;

use super::EmbedderAddress;
use super::connection::{self, ConnectionError};

/// Maximum bytes of a response: some thousand vectors in JSON.
const ANSWER_BYTES: usize = 64 << 20;

/// Maximum bytes of a response's head.
const HEAD_BYTES: usize = 64 << 10;

/// Bytes of one read.
const READ_BYTES: usize = 64 << 10;

/// A request.
pub struct HttpRequest<'a> {
    /// Address of the endpoint.
    pub address: &'a EmbedderAddress,
    /// API key.
    pub key: Option<&'a str>,
    /// Body, in JSON.
    pub body: &'a [u8],
}

/// A reason for a missing response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestError {
    /// The host refuses connections or cannot be reached.
    Unreachable,
    /// The TLS peer could not be verified: the reason.
    Untrusted(String),
    /// The connection was closed before the end of the response.
    Closed,
    /// The deadline has passed.
    TooSlow,
    /// The response is malformed, or too long.
    Malformed,
}

/// The head of a response.
struct ResponseHead {
    status: u16,
    /// Length of the body in bytes; none if it ends with the connection.
    length: Option<usize>,
    is_chunked: bool,
}

impl HttpRequest<'_> {
    /// Sends the request and returns the status and the body of the response.
    ///
    /// # Errors
    /// Returns [`RequestError`] if there is no complete response until `end`.
    pub fn send(&self, end: Instant) -> Result<(u16, Vec<u8>), RequestError> {
        let mut stream = connection::open(self.address, end)?;
        let authorization = self.key.map_or(String::new(), |key| {
            format!("Authorization: Bearer {key}\r\n")
        });
        let head = format!(
            "POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json\r\n{authorization}Content-Length: {}\r\n\
             Connection: close\r\n\r\n",
            self.address.target(),
            self.address.authority(),
            self.body.len(),
        );
        let question = [head.as_bytes(), self.body].concat();
        // A server that refuses a request may respond before it has read everything, and close
        // the connection. Writing then fails although there is a response, so it is read before
        // the error is believed.
        match stream.write_all(&question).and_then(|()| stream.flush()) {
            Ok(()) => {}
            Err(error) => match failure(&error) {
                RequestError::Closed => {}
                other => return Err(other),
            },
        }
        read_answer(&mut stream)
    }
}

impl From<ConnectionError> for RequestError {
    fn from(error: ConnectionError) -> Self {
        match error {
            ConnectionError::Unreachable => Self::Unreachable,
            ConnectionError::TooSlow => Self::TooSlow,
            ConnectionError::Untrusted(why) => Self::Untrusted(why),
        }
    }
}

/// Converts an error of the connection.
fn failure(error: &io::Error) -> RequestError {
    if connection::is_timeout(error) {
        RequestError::TooSlow
    } else if let Some(why) = connection::distrust(error) {
        RequestError::Untrusted(why)
    } else {
        RequestError::Closed
    }
}

/// Reads the next bytes. Returns false at the end.
fn read_some(stream: &mut impl Read, bytes: &mut Vec<u8>) -> Result<bool, RequestError> {
    let mut buffer = [0; READ_BYTES];
    loop {
        match stream.read(&mut buffer) {
            Ok(read) => {
                bytes.extend_from_slice(&buffer[..read]);
                return Ok(read > 0);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(failure(&error)),
        }
    }
}

fn read_answer(stream: &mut impl Read) -> Result<(u16, Vec<u8>), RequestError> {
    let mut bytes = Vec::new();
    let body_start = loop {
        let searched = bytes.len().saturating_sub(3);
        if !read_some(stream, &mut bytes)? {
            return Err(RequestError::Closed);
        }
        if let Some(at) = bytes[searched..]
            .windows(4)
            .position(|four| four == b"\r\n\r\n")
        {
            break searched + at + 4;
        }
        if bytes.len() > HEAD_BYTES {
            return Err(RequestError::Malformed);
        }
    };
    let head = ResponseHead::parse(&bytes[..body_start]).ok_or(RequestError::Malformed)?;
    let mut body = bytes.split_off(body_start);
    if head.length.is_some_and(|length| length > ANSWER_BYTES) {
        return Err(RequestError::Malformed);
    }
    loop {
        if head.is_chunked {
            if let Some(whole) = decode_chunks(&body)? {
                return Ok((head.status, whole));
            }
        } else if let Some(length) = head.length
            && body.len() >= length
        {
            body.truncate(length);
            return Ok((head.status, body));
        }
        if body.len() > ANSWER_BYTES {
            return Err(RequestError::Malformed);
        }
        if !read_some(stream, &mut body)? {
            let is_whole = !head.is_chunked && head.length.is_none();
            return if is_whole {
                Ok((head.status, body))
            } else {
                Err(RequestError::Closed)
            };
        }
    }
}

impl ResponseHead {
    fn parse(head: &[u8]) -> Option<Self> {
        let head = std::str::from_utf8(head).ok()?;
        let mut lines = head.split("\r\n");
        let mut status = lines.next()?.split(' ');
        if !status.next()?.starts_with("HTTP/1.") {
            return None;
        }
        let status = status.next()?.parse().ok()?;
        let (mut length, mut is_chunked) = (None, false);
        for line in lines.filter(|line| !line.is_empty()) {
            let (name, value) = line.split_once(':')?;
            if name.eq_ignore_ascii_case("content-length") {
                length = Some(value.trim().parse().ok()?);
            } else if name.eq_ignore_ascii_case("transfer-encoding") {
                is_chunked = value.trim().eq_ignore_ascii_case("chunked");
                // Other encodings, such as `gzip, chunked`, are not understood. None was
                // offered, so a server that uses one does not follow the protocol.
                if !is_chunked {
                    return None;
                }
            }
        }
        Some(Self {
            status,
            length,
            is_chunked,
        })
    }
}

/// Decodes a chunked body; none if chunks are missing.
fn decode_chunks(mut rest: &[u8]) -> Result<Option<Vec<u8>>, RequestError> {
    // The body ends with an empty chunk. Until its bytes arrive, decoding would be in vain, and
    // repeating it after each read would be quadratic. A chunk may contain the same bytes by
    // chance; decoding then finds that more is missing.
    if !rest.ends_with(b"\r\n\r\n") && !rest.ends_with(b"0\r\n") {
        return Ok(None);
    }
    let mut body = Vec::new();
    loop {
        let Some(line) = rest.windows(2).position(|two| two == b"\r\n") else {
            return Ok(None);
        };
        let size = std::str::from_utf8(&rest[..line]).ok();
        let size = size.and_then(|size| {
            let size = size.split(';').next()?.trim();
            usize::from_str_radix(size, 16).ok()
        });
        let size = size.ok_or(RequestError::Malformed)?;
        rest = &rest[line + 2..];
        if size == 0 {
            return Ok(Some(body));
        }
        let Some(chunk) = rest.get(..size) else {
            return Ok(None);
        };
        body.extend_from_slice(chunk);
        let Some(behind) = rest.get(size..size + 2) else {
            return Ok(None);
        };
        if behind != b"\r\n" {
            return Err(RequestError::Malformed);
        }
        rest = &rest[size + 2..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_put_together() {
        let whole = b"4\r\nabcd\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n";
        assert_eq!(decode_chunks(whole), Ok(Some(b"abcd0123456789".to_vec())));
        for end in 0..whole.len() - 2 {
            assert_eq!(decode_chunks(&whole[..end]), Ok(None), "{end}");
        }
        for malformed in [
            &b"x\r\nabcd\r\n0\r\n\r\n"[..],
            b"-4\r\nabcd\r\n0\r\n\r\n",
            b"2\r\nabcd\r\n0\r\n\r\n",
        ] {
            assert_eq!(decode_chunks(malformed), Err(RequestError::Malformed));
        }
        let huge = b"ffffffffffffffff\r\nabcd\r\n0\r\n\r\n";
        assert_eq!(decode_chunks(huge), Ok(None));
    }

    #[test]
    fn heads() {
        let of = |head: &str| {
            let head = ResponseHead::parse(head.as_bytes())?;
            Some((head.status, head.length, head.is_chunked))
        };
        assert_eq!(of("HTTP/1.1 200 OK\r\n\r\n"), Some((200, None, false)));
        let with = "HTTP/1.0 404 Not Found\r\nX: y\r\ncontent-length: 5\r\n\r\n";
        assert_eq!(of(with), Some((404, Some(5), false)));
        let chunked = "HTTP/1.1 200\r\nTransfer-Encoding: Chunked\r\n\r\n";
        assert_eq!(of(chunked), Some((200, None, true)));
        for none in [
            "HTTP/2 200\r\n\r\n",
            "HTTP/1.1 abc\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
            "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
            "<html>\r\n\r\n",
        ] {
            assert_eq!(of(none), None, "{none}");
        }
    }
}
