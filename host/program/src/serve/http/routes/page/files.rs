//! The static files of the page. They are compiled into the program unchanged: there is no build
//! step, and no external resource.

use std::sync::LazyLock;

use http::header::{CACHE_CONTROL, ETAG, HeaderName, HeaderValue, IF_NONE_MATCH};
use http::request::Parts;
use http::{Method, StatusCode};
use sha2::{Digest as _, Sha256};

use super::calls;
use crate::serve::http::reply::{self, Reply};

/// Content security policy of the page: no external script, style or address, no form submission,
/// no framing; and only `dom.js` may convert text to HTML.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
     img-src 'self' data:; font-src 'self'; form-action 'self'; base-uri 'none'; \
     frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types docent-html",
);

/// Other headers that isolate the page from other sites, and hide addresses of documents from other
/// servers.
const GUARDS: [(&str, &str); 4] = [
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    (
        "permissions-policy",
        "camera=(), geolocation=(), microphone=(), clipboard-write=(self)",
    ),
];

/// A file of the page.
struct PageFile {
    name: &'static str,
    content: &'static [u8],
}

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        [$(PageFile { name: $name, content: include_bytes!(concat!("assets/", $name)) }),*]
    };
}

const FILES: &[PageFile] = &files![
    "about.js",
    "agent.js",
    "api.js",
    "app.css",
    "box.js",
    "calls.js",
    "changes.js",
    "directory.js",
    "document.css",
    "document.js",
    "dom.js",
    "en.js",
    "find.js",
    "form.js",
    "hits.js",
    "i18n.js",
    "icon.svg",
    "index.html",
    "keys.js",
    "ko.js",
    "log.js",
    "main.js",
    "query.js",
    "router.js",
    "search.js",
    "start.js",
    "states.js",
    "theme.js",
    "tool.js",
    "tree.js",
    "views.css",
    "visible.js",
];

/// File that serves every view.
const PAGE: &str = "index.html";

/// Hash of all files, by which a browser validates its copies: the files only work together.
static VERSION: LazyLock<HeaderValue> = LazyLock::new(|| {
    let mut hash = Sha256::new();
    for file in FILES {
        hash.update(file.content);
    }
    let digits: String = hash.finalize()[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    HeaderValue::from_str(&format!("\"{digits}\""))
        .unwrap_or(HeaderValue::from_static("\"docent\""))
});

impl PageFile {
    fn find(path: &str) -> Option<&'static Self> {
        let name = match path.strip_prefix("/assets/") {
            Some(name) => Some(name).filter(|name| *name != PAGE)?,
            None if is_view(path) => PAGE,
            None => return None,
        };
        FILES.iter().find(|file| file.name == name)
    }

    fn kind(&self) -> &'static str {
        match self.name.rsplit_once('.').map(|(_, end)| end) {
            Some("html") => "text/html; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("js") => "text/javascript; charset=utf-8",
            Some("svg") => "image/svg+xml",
            _ => "application/octet-stream",
        }
    }
}

/// Returns true for the path of a view. No other path serves the page: a client that found a page
/// at `/.well-known/…` would take it for a login.
fn is_view(path: &str) -> bool {
    match path {
        "/" | "/calls" | "/log" | "/about" => true,
        _ => {
            // The path may lead to a root, a directory or a document, or to nothing. The page
            // finds out with its token; this reply is the same for all, so it reveals no names.
            let read = path.strip_prefix("/read/");
            let call = path.strip_prefix("/calls/").and_then(calls::id);
            read.is_some_and(|path| !path.is_empty() && !path.starts_with('/')) || call.is_some()
        }
    }
}

/// Returns the file at the path of a request, if there is one.
pub fn file(parts: &Parts) -> Option<Reply> {
    let file = PageFile::find(parts.uri.path())?;
    if parts.method != Method::GET && parts.method != Method::HEAD {
        return Some(reply::not_allowed("GET, HEAD"));
    }
    let is_known = parts
        .headers
        .get_all(IF_NONE_MATCH)
        .iter()
        .filter_map(|tags| tags.to_str().ok())
        .flat_map(|tags| tags.split(','))
        .any(|tag| VERSION.as_bytes() == tag.trim().trim_start_matches("W/").as_bytes());
    let mut reply = if is_known {
        reply::bytes(StatusCode::NOT_MODIFIED, file.kind(), "")
    } else {
        reply::bytes(StatusCode::OK, file.kind(), file.content)
    };
    let headers = reply.headers_mut();
    headers.insert(ETAG, VERSION.clone());
    // The browser keeps its copies, but asks before each use whether they are current. The
    // files only work together: a script of the new version with a style sheet or a dictionary
    // of the old one would break the page after an update.
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(http::header::CONTENT_SECURITY_POLICY, POLICY);
    for (name, value) in GUARDS {
        headers.insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    Some(reply)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use http::Request;

    use super::*;

    fn get(path: &str, tag: Option<&str>) -> Option<Reply> {
        let mut request = Request::get(path);
        if let Some(tag) = tag {
            request = request.header(IF_NONE_MATCH, tag);
        }
        file(&request.body(()).unwrap().into_parts().0)
    }

    #[test]
    fn every_file_is_served_and_none_names_another_site() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/serve/http/routes/page/assets");
        let mut there: Vec<String> = std::fs::read_dir(here)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        there.sort();
        let served: Vec<&str> = FILES.iter().map(|file| file.name).collect();
        assert_eq!(there, served);
        for file in FILES {
            let text = std::str::from_utf8(file.content).unwrap();
            let addresses = text.matches("://").count();
            // The namespace of SVG is an address that is never fetched.
            let known = text.matches("http://www.w3.org/2000/svg").count();
            assert_eq!(addresses, known, "{}", file.name);
            assert!(text.lines().count() <= 500, "{}", file.name);
        }
    }

    #[test]
    fn only_views_have_the_page() {
        for path in [
            "/",
            "/calls",
            "/calls/7",
            "/log",
            "/about",
            "/read/a/b.md",
            "/read/a/b/c%20d.md",
            "/read/a",
            "/read/a/",
            "/read/a/b/",
        ] {
            let reply = get(path, None).unwrap();
            assert_eq!(reply.status(), StatusCode::OK, "{path}");
            assert_eq!(reply.headers()["content-security-policy"], POLICY);
        }
        for path in [
            "/index.html",
            "/assets/index.html",
            "/assets/",
            "/assets/../main.js",
            "/read",
            "/read/",
            "/read//b",
            "/reads/a",
            "/calls/",
            "/calls/x",
            "/changes",
            "/favicon.ico",
            "/.well-known/oauth-protected-resource",
            "/.well-known/oauth-authorization-server",
        ] {
            assert!(get(path, None).is_none(), "{path}");
        }
    }

    #[test]
    fn what_a_browser_has_is_not_sent_again() {
        let first = get("/assets/main.js", None).unwrap();
        let tag = first.headers()[ETAG].to_str().unwrap().to_owned();
        for tags in [tag.clone(), format!("\"other\", W/{tag}")] {
            let again = get("/assets/app.css", Some(&tags)).unwrap();
            assert_eq!(again.status(), StatusCode::NOT_MODIFIED, "{tags}");
        }
        let other = get("/assets/app.css", Some("\"other\"")).unwrap();
        assert_eq!(other.status(), StatusCode::OK);
    }
}
