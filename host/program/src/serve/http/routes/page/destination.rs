//! Allowed destinations of links in documents.

/// The destination of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageDestination {
    /// External address, safe in `href`.
    Elsewhere(String),
    /// Path, resolved by the page against that of the document, or a `#part` of it.
    Here(String),
    /// No destination: the link is not followed.
    Nowhere,
}

/// Schemes that neither run code nor read data of this machine.
const SCHEMES: [&str; 3] = ["http", "https", "mailto"];

impl PageDestination {
    /// Resolves `url` as a browser would; [`Self::Nowhere`] if it is not harmless.
    pub fn from_url(url: &str) -> Self {
        // Browsers drop tabs and line breaks anywhere in a URL, and other control characters at
        // its ends (WHATWG URL). They read `java\tscript:alert(1)` as a script, where a check
        // of the unchanged text would find the harmless path `java\tscript:…` or an unknown
        // scheme.
        let url: String = url.chars().filter(|c| !c.is_control()).collect();
        let url = url.trim();
        let before_colon = url
            .split_once(':')
            .map(|(scheme, _)| scheme)
            .filter(|scheme| !scheme.contains(['/', '?', '#']));
        match before_colon {
            Some(scheme) if SCHEMES.iter().any(|it| it.eq_ignore_ascii_case(scheme)) => {
                Self::Elsewhere(url.to_owned())
            }
            Some(_) => Self::Nowhere,
            // Browsers read `\` as `/`, and two slashes start a host name: `//evil.example/a`
            // and `/\evil.example/a` lead to another server, although they look like paths.
            None if url.is_empty() || starts_a_host(url) => Self::Nowhere,
            None => Self::Here(url.to_owned()),
        }
    }
}

fn starts_a_host(url: &str) -> bool {
    let mut letters = url.chars();
    let slash = |c: Option<char>| matches!(c, Some('/' | '\\'));
    slash(letters.next()) && slash(letters.next())
}

/// Returns the host of an external address, or the recipient of a `mailto:` address.
pub fn host(url: &str) -> &str {
    let rest = url.split_once(':').map_or(url, |(_, rest)| rest);
    let rest = rest.trim_start_matches(['/', '\\']);
    let authority = rest.split(['/', '\\', '?', '#']).next().unwrap_or(rest);
    if url.len() > 7 && url[..7].eq_ignore_ascii_case("mailto:") {
        return authority;
    }
    // The part before `@` is a user name and is often chosen to resemble another host:
    // `https://bank.example@evil.example/` leads to `evil.example`.
    authority.rsplit('@').next().unwrap_or(authority)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_runs_nothing_leads_elsewhere() {
        for url in [
            "http://a.example/x",
            "https://a.example",
            "HTTPS://a.example",
            "mailto:a@b.example",
        ] {
            assert_eq!(
                PageDestination::from_url(url),
                PageDestination::Elsewhere(url.to_owned())
            );
        }
        for url in [
            "javascript:alert(1)",
            "JavaScript:alert(1)",
            "\tjavascript:alert(1)",
            "java\tscript:alert(1)",
            "java\nscript:alert(1)",
            "\u{1}javascript:alert(1)",
            " javascript:alert(1)",
            "\u{a0}javascript:alert(1)",
            "data:text/html,<script>alert(1)</script>",
            "vbscript:x",
            "file:///etc/passwd",
            "blob:x",
            "view-source:x",
            "//evil.example/x",
            "/\\evil.example/x",
            "\\\\evil.example",
            "/\t/evil.example",
            "x:y",
            "",
            " ",
        ] {
            assert_eq!(
                PageDestination::from_url(url),
                PageDestination::Nowhere,
                "{url:?}"
            );
        }
    }

    #[test]
    fn paths_lead_to_documents_here() {
        for url in [
            "a.md",
            "../b/c.md#d",
            "/guide/a.md",
            "#part",
            "a?b:c",
            "a/b:c",
            "javascript%3Aalert(1)",
        ] {
            assert_eq!(
                PageDestination::from_url(url),
                PageDestination::Here(url.to_owned())
            );
        }
    }

    #[test]
    fn the_host_is_the_one_that_is_asked() {
        assert_eq!(host("https://bank.example@evil.example/x"), "evil.example");
        assert_eq!(host("https:\\\\evil.example\\x"), "evil.example");
        assert_eq!(host("http://a.example:80?x"), "a.example:80");
        assert_eq!(host("mailto:a@b.example?subject=x"), "a@b.example");
    }
}
