//! Where a link of a document may lead.

/// What becomes of the destination of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// An address elsewhere, as it may stand in `href`.
    Elsewhere(String),
    /// A path, resolved by the page against the document's own, or a `#part` of it.
    Here(String),
    /// Nothing that may be followed.
    Nowhere,
}

/// The schemes that run nothing and read nothing of this machine.
const SCHEMES: [&str; 3] = ["http", "https", "mailto"];

impl Destination {
    /// Returns what a browser would make of `url`, if that is harmless.
    pub fn of(url: &str) -> Self {
        // Browsers drop tabs and line breaks wherever they stand, and other controls at the ends:
        // `java\tscript:` is a scheme to them.
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
            // To a browser `\` is `/`, and two of them begin the name of a host.
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

/// Returns the host of an address elsewhere, and the receiver of a letter.
pub fn host(url: &str) -> &str {
    let rest = url.split_once(':').map_or(url, |(_, rest)| rest);
    let rest = rest.trim_start_matches(['/', '\\']);
    let authority = rest.split(['/', '\\', '?', '#']).next().unwrap_or(rest);
    if url.len() > 7 && url[..7].eq_ignore_ascii_case("mailto:") {
        return authority;
    }
    // What stands before `@` is a name for that host, and often chosen to look like another one.
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
            assert_eq!(Destination::of(url), Destination::Elsewhere(url.to_owned()));
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
            assert_eq!(Destination::of(url), Destination::Nowhere, "{url:?}");
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
            assert_eq!(Destination::of(url), Destination::Here(url.to_owned()));
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
