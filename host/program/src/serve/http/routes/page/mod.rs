//! The page for people: its static files, and the API that they call.
//!
//! The files contain no private data, so they are served to every request that passes the gate; a
//! browser could not send a token with the request for them. The replies of `/api` require the
//! right to use the page, and the rights to call tools, as for any client.
//!
//! * `files`: the files as they are in `assets`, with their policy.
//! * `answer`: a call, in both forms.
//! * `document`: whole lines, or pieces of one that is too long, with `render` (Markdown as HTML:
//!   every element and attribute is written there, with a limit for each) and `destination`
//!   (allowed targets of links).
//! * `calls`: the recent calls, in memory; `log`: the access log, with its seal; `export`: the log
//!   as a file.
//! * `response`: replies in the format of the page.
//!
//! `assets` has no framework and no build (`docs/decisions/page.md`). `main.js` shows the view of
//! an address (`router.js`), a view is a class in a file, and `box.js` is the search box. `api.js`
//! alone speaks to the server. `dom.js` alone makes HTML of text, for the output of `render`, and
//! everything shown passes `visible.js`, which escapes the same characters as `visible` does on the
//! terminal. The words of the page are in `en.js` and `ko.js`. `tests/outside/page` opens every
//! view in Chromium.

mod about;
mod answer;
mod calls;
mod destination;
mod document;
mod export;
mod files;
mod log;
mod render;
mod response;

use http::{Method, StatusCode};

pub use files::file;

use self::response::refusal;
use crate::serve::http::reply::{self, Reply};
use crate::serve::http::routes::request::AuthenticatedRequest;
use crate::tokens::Extra;

/// A request of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// A call of a tool.
    Call,
    /// A document, for people.
    Render,
    /// Recent calls.
    Calls,
    /// One recent call.
    OneCall(u64),
    /// The access log.
    Log,
    /// Information on the server.
    About,
}

impl Api {
    /// Parses a path.
    pub fn from_path(path: &str) -> Option<Self> {
        Some(match path.strip_prefix("/api/")? {
            "call" => Self::Call,
            "render" => Self::Render,
            "calls" => Self::Calls,
            "log" => Self::Log,
            "about" => Self::About,
            other => Self::OneCall(calls::id(other.strip_prefix("calls/")?)?),
        })
    }
}

/// Replies to a request of the page.
pub async fn answer(asked: AuthenticatedRequest<'_>, what: Api) -> Reply {
    if !asked.principal.has(Extra::Page) {
        let problem = "this token may not use the page";
        let hint = "The operator creates one with this right: `docent token new NAME --right \
                    page`.";
        return refusal(StatusCode::FORBIDDEN, "no-right", problem, hint);
    }
    let (method, methods) = match what {
        Api::Call | Api::Render => (Method::POST, "POST"),
        Api::Calls | Api::OneCall(_) | Api::Log | Api::About => (Method::GET, "GET"),
    };
    if asked.parts.method != method {
        return reply::not_allowed(methods);
    }
    match what {
        Api::Call => answer::call(asked).await,
        Api::Render => document::render(asked).await,
        Api::Calls => calls::list(&asked).await,
        Api::OneCall(id) => calls::one(&asked, id).await,
        Api::Log => log::list(&asked).await,
        Api::About => about::answer(&asked).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_named_is_there() {
        assert_eq!(Api::from_path("/api/call"), Some(Api::Call));
        assert_eq!(Api::from_path("/api/calls"), Some(Api::Calls));
        assert_eq!(Api::from_path("/api/calls/12"), Some(Api::OneCall(12)));
        for path in [
            "/api",
            "/api/",
            "/api/x",
            "/api/calls/",
            "/api/calls/x",
            "/api/calls/1/2",
            "/api/calls/+1",
            "/apix/call",
            "/api/calls/99999999999999999999",
        ] {
            assert_eq!(Api::from_path(path), None, "{path}");
        }
    }
}
