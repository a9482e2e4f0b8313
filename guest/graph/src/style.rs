//! The style of a path in a link, and writing another path in the same style.

use std::borrow::Cow;
use std::collections::BTreeMap;

use docent_document::format::Format;

use crate::destination::{join, percent_decode, percent_encode, relative};
use crate::document_path::is_index;
use crate::document_path::{compose, stem};
use crate::link::LinkKind;
use crate::markdown::unescape;
use crate::names::Names;
use crate::paths::is_of_path;
use crate::resolve::is_route;
use crate::rst;

/// The path of a destination as written.
pub(crate) struct WrittenPath<'t> {
    pub format: Format,
    pub kind: LinkKind,
    pub raw: &'t str,
    /// True if it is between `<` and `>`.
    pub is_angled: bool,
    /// Names of the tree in which it is rewritten.
    pub names: &'t Names,
}

/// The way in which the end of a path names a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PathEnd {
    /// The full name.
    Whole,
    /// The name without extension.
    Short,
    /// The page made from the file.
    Page,
    /// The directory that the file represents.
    Directory,
}

/// The beginning of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PathStart {
    /// The directory of its document.
    Here,
    /// The root.
    Root,
    /// `/`, for a folder of the site.
    Site,
    /// `@site/`.
    AtSite,
}

impl PathEnd {
    /// Determines how `decoded` names the file at `old`.
    fn detect(decoded: &str, old: &str) -> Self {
        // A link may be in another Unicode normal form than the name of its target. Without
        // `compose` a decomposed `é.md` would seem to be written without its extension and would
        // lose it.
        let last = compose(last_name(decoded.trim_end_matches('/')));
        let own = compose(last_name(old));
        let (last, own) = (last.as_ref(), own.as_ref());
        let short = stem(own);
        let page = last.strip_suffix(".html");
        if last == own {
            Self::Whole
        } else if short == Some(last) {
            Self::Short
        } else if page.is_some() {
            Self::Page
        } else if is_index(old) {
            Self::Directory
        } else {
            Self::Short
        }
    }

    /// Returns the path whose end names the file at `path` in this way.
    fn path(self, path: &str) -> Option<Cow<'_, str>> {
        let short = stem(path);
        match self {
            Self::Whole => Some(Cow::Borrowed(path)),
            Self::Short => short.map(Cow::Borrowed),
            Self::Page => short.map(|short| Cow::Owned(format!("{short}.html"))),
            Self::Directory if is_index(path) => {
                let above = path.rsplit_once('/').map_or("", |(above, _)| above);
                Some(Cow::Borrowed(above))
            }
            Self::Directory => short.map(Cow::Borrowed),
        }
    }
}

impl WrittenPath<'_> {
    /// Returns the candidates for writing the path `to` in the same style, the closest first. The
    /// old path resolved from the document `from` to `old`.
    pub fn candidates(&self, from: &str, from_after: &str, old: &str, to: &str) -> Vec<String> {
        let decoded = self.decode(self.raw);
        if self.kind.is_wiki() && !decoded.starts_with('.') {
            return self.wiki_candidates(&decoded, to);
        }
        let end = PathEnd::detect(&decoded, old);
        let start = self.start(&decoded, from, old, end);
        let mut ways = Vec::new();
        let slash = if decoded.ends_with('/') { "/" } else { "" };
        let is_file = self.names.has_file(to);
        // The style of the old path comes first, then the full name. The short form may not be
        // free: after a move `[x](a)` refers to a file `a` next to `a.md`, so the link is
        // written `[x](a.md)`.
        for end in [end, PathEnd::Whole] {
            let Some(target) = end.path(to) else { continue };
            let slash = match is_file && end == PathEnd::Whole {
                true => "",
                false => slash,
            };
            let paths = self.with_start(&decoded, start, from_after, &target);
            ways.extend(paths.iter().map(|path| self.encode(path) + slash));
        }
        ways.retain(|way| self.can_hold(way));
        ways
    }

    /// Returns true if a link of this kind can contain a path without escaping.
    fn can_hold(&self, path: &str) -> bool {
        match self.kind {
            kind if kind.is_url() => true,
            // A backtick would begin code, a bracket HTML, and a quote would end a property.
            kind if kind.is_wiki() => {
                !path.contains(['|', '#', '^', '[', ']', '`', '\\', '"', '<', '>', '{', '}'])
            }
            // Such a path may be a value in YAML or TOML, a string of JavaScript or the argument
            // of a shortcode. Only characters that need no escape in any of them are accepted.
            LinkKind::Path => path.chars().all(is_of_path),
            // After a colon follows a range of lines or the name of a part, and a blank ends the
            // path.
            LinkKind::Book | LinkKind::Snippet => path.chars().all(|c| c != ':' && is_of_path(c)),
            // A blank ends the target of `link:a.adoc[]`.
            LinkKind::File if self.format == Format::Adoc && path.contains(' ') => false,
            _ => !path.contains(['[', ']', '<', '>', '`', ',', '#', '{', '}', '\n']),
        }
    }

    /// Returns the beginning of the path.
    fn start(&self, decoded: &str, from: &str, old: &str, end: PathEnd) -> PathStart {
        if decoded.starts_with("@site/") {
            return PathStart::AtSite;
        }
        if !decoded.starts_with('/') {
            return PathStart::Here;
        }
        let of_root = join(from, decoded);
        if end.path(old).as_deref() == of_root.as_deref() {
            PathStart::Root
        } else {
            PathStart::Site
        }
    }

    /// Returns the paths to `target` with this beginning, the closest first.
    fn with_start(&self, decoded: &str, start: PathStart, from: &str, target: &str) -> Vec<String> {
        let site = self.names.site(from);
        let on_site = site.into_iter().flat_map(|site| site.names_of(target));
        let on_site = on_site.map(|path| format!("/{path}"));
        let of_root = [format!("/{target}")];
        match start {
            PathStart::Root => of_root.into_iter().chain(on_site).collect(),
            PathStart::Site => on_site.chain(of_root).collect(),
            PathStart::AtSite => {
                let below = site.and_then(|site| site.name_below(target));
                let at_site = below.map(|path| format!("@site/{path}"));
                let here = self.here(decoded, from, target);
                at_site.into_iter().chain([here]).collect()
            }
            PathStart::Here => {
                let is_page = is_route(decoded, self.kind);
                let site = site.filter(|site| is_page && site.is_pretty());
                let page = site.and_then(|site| site.pages_of(from).next());
                // A link from page to page is written by the addresses of both pages on the
                // site.
                let ways = site.into_iter().zip(page).flat_map(|(site, page)| {
                    let targets = site.names_of(target);
                    targets.map(move |target| self.here(decoded, &page, &target))
                });
                ways.chain([self.here(decoded, from, target)]).collect()
            }
        }
    }

    /// Returns the path from the document `from` to `target`, with a leading `./` if there was one.
    fn here(&self, decoded: &str, from: &str, target: &str) -> String {
        let path = relative(from, target);
        let path = path.trim_end_matches('/');
        let first = path.split('/').next().unwrap_or_default();
        // In an import `part.mdx` names a package and `./part.mdx` a file, so a path that began
        // with dots keeps some. A first segment with a colon would be read as a scheme:
        // `./a:b.md`.
        let had_dots =
            decoded.starts_with("./") || self.kind == LinkKind::Path && decoded.starts_with("../");
        let is_dotted = had_dots && first != "..";
        match path {
            "" => ".".to_owned(),
            path if is_dotted || first.contains(':') => format!("./{path}"),
            path => path.to_owned(),
        }
    }

    /// Returns the candidates for a wikilink to `to`: its name, then its path.
    fn wiki_candidates(&self, decoded: &str, to: &str) -> Vec<String> {
        let short = stem(to).unwrap_or(to);
        let has_extension = stem(decoded).is_some() || stem(to).is_none();
        let whole = if has_extension { to } else { short };
        let name = last_name(whole);
        let rooted = format!("/{whole}");
        let mut ways = match (decoded.starts_with('/'), decoded.contains('/')) {
            (true, _) => vec![rooted],
            (_, true) => vec![whole.to_owned(), rooted],
            _ => vec![name.to_owned(), whole.to_owned(), rooted],
        };
        // If another file has the same name, the extension distinguishes them.
        ways.extend([last_name(to).to_owned(), format!("/{to}")]);
        ways.retain(|way| self.can_hold(way));
        ways
    }

    /// Decodes a path of this style.
    fn decode(&self, raw: &str) -> String {
        let plain = read(self.format, self.kind, raw);
        match self.kind.is_url() {
            true => percent_decode(&plain),
            false => plain.trim().to_owned(),
        }
    }

    /// Encodes a path. Names that were there before are kept as they were written.
    fn encode(&self, path: &str) -> String {
        if !self.kind.is_url() {
            return match self.format {
                Format::Rst => rst::escape(self.kind, path),
                _ => path.to_owned(),
            };
        }
        let known: BTreeMap<String, &str> = self
            .raw
            .split('/')
            .map(|name| (self.decode(name), name))
            .collect();
        // New names are percent-encoded in the style of the old ones: beside `%EC%84%A4.md` a
        // new name outside of ASCII is encoded as well, beside `설.md` it is written as it is.
        let has_codes = known
            .iter()
            .any(|(plain, raw)| raw.contains('%') && !plain.is_ascii());
        let is_coded = |c: char| match c {
            ' ' => !self.is_angled,
            c => has_codes && !c.is_ascii() || must_be_coded(c),
        };
        let names = path.split('/').map(|name| match known.get(name) {
            Some(raw) => Cow::Borrowed(*raw),
            None => Cow::Owned(percent_encode(name, is_coded)),
        });
        names.collect::<Vec<_>>().join("/")
    }
}

fn last_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Returns true if a character of a name has another meaning in a Markdown or HTML destination,
/// wherever it is.
pub(crate) fn must_be_coded(c: char) -> bool {
    c.is_control() || c.is_whitespace() && c != ' ' || "%#?&\\<>()[]|\"'`*{}".contains(c)
}

/// Decodes a destination of this kind by the rules of its markup.
pub(crate) fn read(format: Format, kind: LinkKind, raw: &str) -> String {
    match kind {
        kind if format == Format::Rst => rst::unescape(kind, raw),
        kind if kind.is_html() => raw.replace("&amp;", "&"),
        kind if kind.is_url() => unescape(raw).into_owned(),
        _ => raw.trim().to_owned(),
    }
}
