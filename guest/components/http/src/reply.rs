//! Incoming requests and their answers.

use serde_json::Value;

/// The head of a request.
#[derive(Debug, Default)]
pub struct RequestHead {
    /// Method in capitals, such as `POST`.
    pub method: String,
    /// Path with its query.
    pub target: String,
    /// Headers; each name is in lower case.
    pub headers: Vec<(String, String)>,
}

impl RequestHead {
    /// Returns the path without the query.
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// Returns the first value of the header `name`, which is in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut named = self.headers.iter().filter(|(own, _)| own == name);
        named.next().map(|(_, value)| value.trim())
    }

    /// Returns all values of the header `name`, which is in lower case.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let named = self.headers.iter().filter(move |(own, _)| own == name);
        named.map(|(_, value)| value.trim())
    }
}

/// An HTTP answer.
#[derive(Debug, PartialEq, Eq)]
pub struct Reply {
    /// HTTP status code.
    pub status: u16,
    /// Content type of the body; none if there is no body.
    pub content_type: Option<&'static str>,
    /// Additional header with its value.
    pub header: Option<(&'static str, &'static str)>,
    /// Content of the body.
    pub body: Vec<u8>,
}

impl Reply {
    /// Returns an answer in plain text.
    pub fn text(status: u16, text: &str) -> Self {
        Self {
            status,
            content_type: Some("text/plain; charset=utf-8"),
            header: None,
            body: format!("{text}\n").into_bytes(),
        }
    }

    /// Returns an answer as JSON.
    pub fn json(status: u16, value: &Value) -> Self {
        Self {
            status,
            content_type: Some("application/json"),
            header: None,
            body: value.to_string().into_bytes(),
        }
    }

    /// Returns the answer to a message that has no response.
    pub fn accept() -> Self {
        Self {
            status: 202,
            content_type: None,
            header: None,
            body: Vec::new(),
        }
    }

    /// Returns the answer with a header.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: &'static str) -> Self {
        self.header = Some((name, value));
        self
    }
}
