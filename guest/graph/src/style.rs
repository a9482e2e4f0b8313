//! How a path is written in a link, and how another one is in the same style.

use std::borrow::Cow;
use std::collections::BTreeMap;

use docent_document::format::Format;

use crate::destination::{join, percent_decoded, percent_encoded, relative};
use crate::lead::{is_index, is_route};
use crate::link::LinkKind;
use crate::markdown::unescaped;
use crate::names::{Names, composed, stem};
use crate::rst;

/// The path of a destination, as it is written.
pub(crate) struct Written<'t> {
    pub format: Format,
    pub kind: LinkKind,
    pub raw: &'t str,
    /// Whether it stands between `<` and `>`.
    pub is_angled: bool,
    /// The names of the tree in which it is to be written anew.
    pub names: &'t Names,
}

/// How the end of a path names a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// By all of its name.
    Whole,
    /// Without the extension.
    Short,
    /// As the page that is made of it.
    Page,
    /// By the directory that it stands for.
    Directory,
}

/// What a path begins with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    /// The directory of its document.
    Here,
    /// The root.
    Root,
    /// `/`, for a folder of the site.
    Site,
    /// `@site/`.
    AtSite,
}

impl End {
    /// Returns how `decoded` names the file at `old`.
    fn of(decoded: &str, old: &str) -> Self {
        // A link may be in another normal form than the name that it leads to.
        let last = composed(last_name(decoded.trim_end_matches('/')));
        let own = composed(last_name(old));
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

    /// Returns what stands at the end of a path that names the file at `path` so.
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

impl Written<'_> {
    /// Returns how the path `to` could be written in the same style, the nearest first, where it
    /// led from the document `from` to `old`.
    pub fn ways(&self, from: &str, from_after: &str, old: &str, to: &str) -> Vec<String> {
        let decoded = self.decoded(self.raw);
        if self.kind.is_wiki() && !decoded.starts_with('.') {
            return self.wiki_ways(&decoded, to);
        }
        let end = End::of(&decoded, old);
        let start = self.start(&decoded, from, old, end);
        let mut ways = Vec::new();
        let slash = if decoded.ends_with('/') { "/" } else { "" };
        let is_file = self.names.has_file(to);
        for end in [end, End::Whole] {
            let Some(target) = end.path(to) else { continue };
            let slash = match is_file && end == End::Whole {
                true => "",
                false => slash,
            };
            let paths = self.started(&decoded, start, from_after, &target);
            ways.extend(paths.iter().map(|path| self.encoded(path) + slash));
        }
        ways.retain(|way| self.can_hold(way));
        ways
    }

    /// Whether a path can stand in a link of this kind as it is.
    fn can_hold(&self, path: &str) -> bool {
        match self.kind {
            kind if kind.is_url() => true,
            // A backtick would begin code, a bracket HTML, and a quote end a property.
            kind if kind.is_wiki() => {
                !path.contains(['|', '#', '^', '[', ']', '`', '\\', '"', '<', '>', '{', '}'])
            }
            // In YAML, TOML, JavaScript and shortcodes alike.
            LinkKind::Path => path.chars().all(is_of_path),
            // A colon begins a part, and a blank ends a path.
            LinkKind::Book | LinkKind::Snippet => path.chars().all(|c| c != ':' && is_of_path(c)),
            // Blanks end a target.
            LinkKind::File if self.format == Format::Adoc && path.contains(' ') => false,
            _ => !path.contains(['[', ']', '<', '>', '`', ',', '#', '{', '}', '\n']),
        }
    }

    /// Returns what the path begins with.
    fn start(&self, decoded: &str, from: &str, old: &str, end: End) -> Start {
        if decoded.starts_with("@site/") {
            return Start::AtSite;
        }
        if !decoded.starts_with('/') {
            return Start::Here;
        }
        let of_root = join(from, decoded);
        if end.path(old).as_deref() == of_root.as_deref() {
            Start::Root
        } else {
            Start::Site
        }
    }

    /// Returns the paths to `target` that begin so, the nearest first.
    fn started(&self, decoded: &str, start: Start, from: &str, target: &str) -> Vec<String> {
        let site = self.names.site(from);
        let on_site = site.into_iter().flat_map(|site| site.names_of(target));
        let on_site = on_site.map(|path| format!("/{path}"));
        let of_root = [format!("/{target}")];
        match start {
            Start::Root => of_root.into_iter().chain(on_site).collect(),
            Start::Site => on_site.chain(of_root).collect(),
            Start::AtSite => {
                let below = site.and_then(|site| site.name_below(target));
                let at_site = below.map(|path| format!("@site/{path}"));
                let here = self.here(decoded, from, target);
                at_site.into_iter().chain([here]).collect()
            }
            Start::Here => {
                let is_page = is_route(decoded, self.kind);
                let site = site.filter(|site| is_page && site.is_pretty());
                let page = site.and_then(|site| site.pages_of(from).next());
                // By where browsers find both.
                let ways = site.into_iter().zip(page).flat_map(|(site, page)| {
                    let targets = site.names_of(target);
                    targets.map(move |target| self.here(decoded, &page, &target))
                });
                ways.chain([self.here(decoded, from, target)]).collect()
            }
        }
    }

    /// Returns the path from the document `from` to `target`, with a `./` before it where one was.
    fn here(&self, decoded: &str, from: &str, target: &str) -> String {
        let path = relative(from, target);
        let path = path.trim_end_matches('/');
        let first = path.split('/').next().unwrap_or_default();
        // To a module `a` is a package, and `./a` a file.
        let had_dots =
            decoded.starts_with("./") || self.kind == LinkKind::Path && decoded.starts_with("../");
        let is_dotted = had_dots && first != "..";
        match path {
            "" => ".".to_owned(),
            path if is_dotted || first.contains(':') => format!("./{path}"),
            path => path.to_owned(),
        }
    }

    /// Returns how a wikilink could name `to`: by its name, then by its path.
    fn wiki_ways(&self, decoded: &str, to: &str) -> Vec<String> {
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
        // Where another file is called so as well, the extension tells them apart.
        ways.extend([last_name(to).to_owned(), format!("/{to}")]);
        ways.retain(|way| self.can_hold(way));
        ways
    }

    /// Returns a path of this style as it is read.
    fn decoded(&self, raw: &str) -> String {
        let plain = read(self.format, self.kind, raw);
        match self.kind.is_url() {
            true => percent_decoded(&plain),
            false => plain.trim().to_owned(),
        }
    }

    /// Returns a path as it is written: names that stood there already stay as they are.
    fn encoded(&self, path: &str) -> String {
        if !self.kind.is_url() {
            return match self.format {
                Format::Rst => rst::escaped(self.kind, path),
                _ => path.to_owned(),
            };
        }
        let known: BTreeMap<String, &str> = self
            .raw
            .split('/')
            .map(|name| (self.decoded(name), name))
            .collect();
        let has_codes = known
            .iter()
            .any(|(plain, raw)| raw.contains('%') && !plain.is_ascii());
        let is_coded = |c: char| match c {
            ' ' => !self.is_angled,
            c => has_codes && !c.is_ascii() || must_be_coded(c),
        };
        let names = path.split('/').map(|name| match known.get(name) {
            Some(raw) => Cow::Borrowed(*raw),
            None => Cow::Owned(percent_encoded(name, is_coded)),
        });
        names.collect::<Vec<_>>().join("/")
    }
}

/// Whether a character of a path needs no quotes, escapes or care wherever a path stands as it is.
pub(crate) fn is_of_path(c: char) -> bool {
    c.is_alphanumeric() || "-_./~+()".contains(c)
}

fn last_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Whether a character of a name would mean something else in a destination of Markdown or HTML,
/// wherever it stands.
pub(crate) fn must_be_coded(c: char) -> bool {
    c.is_control() || c.is_whitespace() && c != ' ' || "%#?&\\<>()[]|\"'`*{}".contains(c)
}

/// Returns a destination of this kind as its markup reads it.
pub(crate) fn read(format: Format, kind: LinkKind, raw: &str) -> String {
    match kind {
        kind if format == Format::Rst => rst::unescaped(kind, raw),
        kind if kind.is_html() => raw.replace("&amp;", "&"),
        kind if kind.is_url() => unescaped(raw).into_owned(),
        _ => raw.trim().to_owned(),
    }
}
