//! Resolution of links, by the names of the tree.

use std::iter::once_with;

use crate::anchors::Anchors;
use crate::destination::{Destination, is_external, join, percent_decode};
use crate::document_path::{INDEXES, README, compose};
use crate::link::{Link, LinkKind};
use crate::names::Names;
use crate::rst::id_of;
use crate::sites::Site;

/// The resolution of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// A file or directory that exists.
    Found(LinkTarget),
    /// A file or directory that does not exist.
    Missing(LinkTarget),
    /// Ambiguous: one of several files.
    Ambiguous(Vec<String>),
    /// All of these files, which match a pattern.
    All(Vec<String>),
    /// Another site, or a program.
    External,
    /// A path that leaves the root.
    OutsideRoot,
    /// Unknown here: a template, a name of another project, a page without a file of its name, or a
    /// hidden file.
    Unknown,
}

/// A location in a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkTarget {
    /// Path, relative to the root.
    pub path: String,
    /// Fragment, decoded; `None` for the document as a whole.
    pub fragment: Option<String>,
    /// Kind of the fragment.
    pub by: FragmentKind,
}

/// The kind of a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FragmentKind {
    /// An id.
    Id,
    /// An id on a site made by Python-Markdown.
    PageId,
    /// Headings or a block, as in wikilinks.
    Name,
}

/// Extensions that a link to a document may omit, in the order in which they are tried.
const LEFT_OUT: [&str; 5] = ["md", "mdx", "markdown", "rst", "adoc"];

/// Labels that Sphinx gives to generated pages.
const MADE_LABELS: [&str; 4] = ["genindex", "modindex", "py-modindex", "search"];

/// Resolves a link of the document `from`.
pub fn resolve(link: &Link, from: &str, names: &Names) -> Resolution {
    match resolve_target(&link.target, link.kind, from, names) {
        Resolution::Missing(_) if link.is_of_page && is_of_unknown_site(link, from, names) => {
            Resolution::Unknown
        }
        resolution => resolution,
    }
}

/// Resolves a link with this destination and kind.
pub(crate) fn resolve_target(
    target: &str,
    kind: LinkKind,
    from: &str,
    names: &Names,
) -> Resolution {
    match kind {
        LinkKind::Auto => return Resolution::External,
        LinkKind::Label => return resolve_label(target, from, names),
        LinkKind::Path => return resolve_path(target, from, names),
        LinkKind::Any => return resolve_any(target, from, names),
        LinkKind::Glob => return resolve_glob(target, from, names),
        LinkKind::Book | LinkKind::Snippet | LinkKind::Liquid | LinkKind::Shortcode => {
            return resolve_template(target, kind, from, names);
        }
        _ if target.starts_with("project:") && site_of_sphinx(from, names).is_some() => {
            let target = &target["project:".len()..];
            return resolve_target(target, kind, from, names);
        }
        // `module:page.adoc` belongs to another component, and `partial$a.adoc` to a directory that
        // only Antora knows.
        LinkKind::Cross if target.contains(':') && !target.contains("://") => {
            return Resolution::Unknown;
        }
        kind if !kind.is_wiki() && is_external(target) => return Resolution::External,
        _ => {}
    }
    let parts = Destination::parse(target, kind.is_url());
    let decoded = |text: &str| match kind.is_url() {
        // Decoded only after the text is split and its scheme has been examined: `[x](a%23b.md)`
        // refers to the file `a#b.md`. If it were decoded first, the link would seem to refer to
        // a section `b.md` of the file `a`.
        true => percent_decode(text),
        false => text.trim().to_owned(),
    };
    let fragment = parts.fragment.map(decoded).filter(|text| !text.is_empty());
    let path = decoded(parts.path);
    let site = names.site(from);
    let by = match site {
        _ if kind.is_wiki() => FragmentKind::Name,
        Some(site) if site.is_python() => FragmentKind::PageId,
        _ => FragmentKind::Id,
    };
    let place = |path: String| LinkTarget {
        path,
        fragment: fragment.clone(),
        by,
    };
    if path.is_empty() {
        // A partial such as `docs/_part/d.md` is shown as part of other pages, and `#y` in it
        // may be an anchor of any of them.
        let is_elsewhere = fragment.is_some() && site.is_some() && is_part(from);
        if kind.is_url()
            && let Some(label) = fragment.as_deref()
            && let Some(resolution) = resolve_own_label(label, from, names)
        {
            return resolution;
        }
        return match is_elsewhere {
            true => Resolution::Unknown,
            false => Resolution::Found(place(from.to_owned())),
        };
    }
    if kind.is_wiki() && !path.starts_with("./") && !path.starts_with("../") {
        return match names.find_by_name(&path)[..] {
            // To most site generators `[[menus.main]]` is text, so a name that no file has is
            // probably not a link.
            [] if site.is_some() => Resolution::Unknown,
            [] => Resolution::Missing(place(path)),
            [one] => Resolution::Found(place(one.to_owned())),
            ref several => Resolution::Ambiguous(several.iter().map(ToString::to_string).collect()),
        };
    }
    let written: &str = &path;
    // On a site the page of `guide/a.md` often has the address `/guide/a/`. To a browser `../b/`
    // on that page is `/guide/b/`, the page of `guide/b.md`. Generators resolve `../b.md`,
    // however, as a path between files. So addresses of pages come first for a link without an
    // extension, and last for a link that names a file.
    let is_page = is_route(&path, kind);
    let beside_if = |is_now: bool| {
        let site = site.filter(|_| is_now);
        once_with(move || beside(from, written, kind, site)).flatten()
    };
    let all = beside_if(is_page)
        .chain(paths(from, &path, site))
        .chain(beside_if(!is_page));
    let mut found = all.filter_map(|path| there(path, kind, site, names));
    match found.next() {
        // GitHub shows the README of a directory below its list of files, so `[x](guide#setup)`
        // is a section of `guide/README.md`.
        Some(path) if fragment.is_some() && !names.has_file(&path) => {
            let page = README
                .iter()
                .find_map(|name| document(&below(&path, name), names));
            Resolution::Found(place(page.unwrap_or(path)))
        }
        Some(path) => Resolution::Found(place(path)),
        None if is_unknown(&path, kind, site) => Resolution::Unknown,
        // In MyST a destination that names no file may name a label.
        None if is_label(&path, kind, from, names) => resolve_label(&path, from, names),
        None => match paths(from, &path, None).next() {
            Some(meant) => Resolution::Missing(place(meant)),
            None => Resolution::OutsideRoot,
        },
    }
}

/// Returns the paths that `path` may refer to in the document `from`, the likeliest first.
fn paths<'n>(
    from: &'n str,
    path: &'n str,
    site: Option<&'n Site>,
) -> impl Iterator<Item = String> + 'n {
    let of_site = path.strip_prefix("@site/");
    let itself = match (of_site, site) {
        (Some(below), Some(site)) => site.path(below),
        _ => join(from, path),
    };
    let rooted = path.strip_prefix('/').zip(site);
    let on_site = rooted.map(|(path, site)| site.paths(path));
    itself.into_iter().chain(on_site.into_iter().flatten())
}

/// Returns the paths that a relative URL refers to, by the addresses at which browsers find the
/// page of the document `from`.
fn beside(from: &str, path: &str, kind: LinkKind, site: Option<&Site>) -> Vec<String> {
    let is_beside = kind.is_url() && !path.starts_with('/') && !path.starts_with("@site/");
    let site = site.filter(|site| is_beside && (site.is_pretty() || site.has_made_files()));
    site.map_or(Vec::new(), |site| site.paths_beside(from, path))
}

/// Returns true if a URL may be that of a page: it does not name a file.
pub(crate) fn is_route(path: &str, kind: LinkKind) -> bool {
    let name = path
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default();
    let is_file = name.rsplit_once('.').is_some_and(|(stem, extension)| {
        // `v1.2` is not a file name, and a page may be called `a.html`.
        !stem.is_empty()
            && !extension.is_empty()
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && !extension.bytes().all(|byte| byte.is_ascii_digit())
            && !["html", "htm", "php"].contains(&extension)
    });
    let is_page = !is_file || path.ends_with('/');
    is_page && kind.is_url() && kind != LinkKind::Image && kind != LinkKind::HtmlSource
}

/// Returns true if a Markdown destination without an existing path may be known only to the site
/// generator.
pub fn may_be_made(destination: &str) -> bool {
    let path = Destination::parse(destination, true).path;
    is_route(path, LinkKind::Inline) || path.starts_with(['/', '~', '@'])
}

/// Returns true if the link of a page that no settings describe may refer to something the site
/// generates.
fn is_of_unknown_site(link: &Link, from: &str, names: &Names) -> bool {
    let path = Destination::parse(&link.target, true).path;
    let may_be_made = is_route(path, link.kind) || path.starts_with(['/', '~', '@']);
    link.kind.is_url() && may_be_made && names.site(from).is_none()
}

/// Returns the path of the existing file or directory that a link to `path` refers to.
fn there(path: String, kind: LinkKind, site: Option<&Site>, names: &Names) -> Option<String> {
    let path = names.as_listed(path);
    // `:doc:` never includes the extension, even if a directory has the same name.
    let is_exact = match kind {
        LinkKind::Document => names.has_file(&path),
        _ => names.has(&path),
    };
    let site = site.filter(|site| site.holds(&path));
    if is_exact {
        let is_page = site.is_some() && !names.has_file(&path);
        let index = is_page.then(|| index(&path, names)).flatten();
        return Some(index.unwrap_or(path));
    }
    document(&path, names).or_else(|| {
        // `setup.html` is the page made from `setup.md`, and `guide/index.html` that of
        // `guide/README.md`.
        let page = path.strip_suffix(".html").filter(|_| site.is_some())?;
        let directory = page
            .strip_suffix("index")
            .map(|above| above.trim_end_matches('/'));
        document(page, names).or_else(|| index(directory?, names))
    })
}

/// Returns the document with this path without its extension.
fn document(path: &str, names: &Names) -> Option<String> {
    let with = |extension: &&str| names.as_listed(format!("{path}.{extension}"));
    let mut tried = LEFT_OUT.iter().map(with);
    tried.find(|path| names.has_file(path))
}

/// Returns the document that represents a directory.
fn index(directory: &str, names: &Names) -> Option<String> {
    let mut found = INDEXES.iter();
    found.find_map(|name| document(&below(directory, name), names))
}

fn below(directory: &str, name: &str) -> String {
    match directory {
        "" => name.to_owned(),
        above => format!("{above}/{name}"),
    }
}

/// Returns true if a path that does not exist may be generated, or may merely be hidden.
fn is_unknown(path: &str, kind: LinkKind, site: Option<&Site>) -> bool {
    // Three kinds of paths are not reported as missing, because nobody could tell from the files
    // that they are. Hidden files such as `.github/a.md` are not listed, so they are never
    // found. A template such as `{{base}}/a.md` is not the final path. And on a site
    // `/css/site.css` or `~/assets/a.png` may be generated, or come from a theme.
    let mut segments = path.split('/');
    let is_hidden = segments.any(|name| name.starts_with('.') && !matches!(name, "." | ".."));
    let is_template = path.contains('{') && path.contains('}') || path.contains("<%");
    let is_made = kind.is_url() && path.starts_with(['/', '~', '@']);
    let is_of_site = |site: &Site| {
        site.has_modules()
            || is_route(path, kind) && site.has_routes()
            || is_made && site.has_made_files()
    };
    is_hidden || is_template || site.is_some_and(is_of_site)
}

/// Resolves a path that is a link only if a file with exactly this name exists.
fn resolve_path(target: &str, from: &str, names: &Names) -> Resolution {
    let written = target.split('#').next().unwrap_or(target);
    let is_named = |path: &str| last_name(path) == last_name(written);
    match resolve_target(target, LinkKind::File, from, names) {
        Resolution::Found(place) if names.has_file(&place.path) && is_named(&place.path) => {
            Resolution::Found(place)
        }
        _ => Resolution::Unknown,
    }
}

fn resolve_label(target: &str, from: &str, names: &Names) -> Resolution {
    let Some(labels) = names.labels() else {
        return Resolution::Unknown;
    };
    let place = |path: &str| LinkTarget {
        path: path.to_owned(),
        fragment: Some(id_of(target)),
        by: FragmentKind::Id,
    };
    match labels.documents(target)[..] {
        [one] => Resolution::Found(place(one)),
        // `python:glossary` is a label of another project, as configured for intersphinx.
        [] if target.contains(':') || MADE_LABELS.contains(&target) => Resolution::Unknown,
        [] if names.site(from).is_some_and(Site::has_others) => Resolution::Unknown,
        [] => Resolution::Missing(place(from)),
        ref several => Resolution::Ambiguous(several.iter().map(ToString::to_string).collect()),
    }
}

fn site_of_sphinx<'n>(from: &str, names: &'n Names) -> Option<&'n Site> {
    names.site(from).filter(|site| site.is_of_sphinx())
}

/// Returns true if the URL on a page of Sphinx is the name of a known label.
fn is_label(path: &str, kind: LinkKind, from: &str, names: &Names) -> bool {
    let labels = names.labels().filter(|_| kind == LinkKind::Inline);
    labels.is_some_and(|labels| !labels.documents(path).is_empty())
        && site_of_sphinx(from, names).is_some()
}

/// Resolves `#label` on a page of Sphinx without that label, or returns `None` if no other document
/// has it.
fn resolve_own_label(label: &str, from: &str, names: &Names) -> Option<Resolution> {
    site_of_sphinx(from, names)?;
    let found = names.labels()?.documents(label);
    let is_elsewhere = !found.is_empty() && !found.contains(&from);
    is_elsewhere.then(|| resolve_label(label, from, names))
}

/// Resolves `:any:`: to a document, otherwise to a label. Objects of code are not known here.
fn resolve_any(target: &str, from: &str, names: &Names) -> Resolution {
    let document = resolve_target(target, LinkKind::Document, from, names);
    let leads = [document, resolve_label(target, from, names)];
    let mut known = leads
        .into_iter()
        .filter(|resolution| matches!(resolution, Resolution::Found(_) | Resolution::Ambiguous(_)));
    known.next().unwrap_or(Resolution::Unknown)
}

/// Returns the documents that match a pattern by the rules of Sphinx, except the document itself.
fn resolve_glob(target: &str, from: &str, names: &Names) -> Resolution {
    let on_site = || site_of_sphinx(from, names)?.path(target.strip_prefix('/')?);
    let Some(pattern) = on_site().or_else(|| join(from, target)) else {
        return Resolution::OutsideRoot;
    };
    let paths = names.documents_like(&pattern);
    let others = paths.into_iter().filter(|path| path != from);
    let paths: Vec<String> = others.collect();
    match paths.is_empty() {
        true => Resolution::Missing(LinkTarget {
            path: pattern,
            fragment: None,
            by: FragmentKind::Id,
        }),
        false => Resolution::All(paths),
    }
}

/// Resolves a file that a program includes or links to by a rule of its own. One that exists is
/// certain; one that does not is reported as missing only in a book.
fn resolve_template(target: &str, kind: LinkKind, from: &str, names: &Names) -> Resolution {
    let site = names.site(from);
    let resolution = match kind {
        // Snippets are resolved from the directory of the settings, unless a `base_path`, which
        // is not read here, says otherwise. A file that exists there is the target; if there is
        // none, the base path may be another, so the link is unknown instead of missing.
        LinkKind::Snippet => {
            let path = site
                .filter(|site| site.is_python())
                .and_then(|site| site.path(target));
            let place = |path| LinkTarget {
                path: names.as_listed(path),
                fragment: None,
                by: FragmentKind::Id,
            };
            path.map_or(Resolution::Unknown, |path| Resolution::Found(place(path)))
        }
        LinkKind::Shortcode => resolve_target(target, LinkKind::Document, from, names),
        _ => resolve_target(target, LinkKind::Included, from, names),
    };
    let is_of_book = site.is_some_and(|site| site.is_book() && site.holds(from));
    let is_named = |path: &str| kind == LinkKind::Shortcode || last_name(path) == last_name(target);
    match resolution {
        Resolution::Found(ref place) if names.has_file(&place.path) && is_named(&place.path) => {
            resolution
        }
        Resolution::Missing(_) if kind == LinkKind::Book && is_of_book => resolution,
        _ => Resolution::Unknown,
    }
}

fn last_name(path: &str) -> String {
    compose(path.rsplit('/').next().unwrap_or(path)).into_owned()
}

/// Returns the path that a link of the document `from` names as written, whether it exists or not.
/// `None` for a wikilink by name and for a path that leaves the tree.
pub(crate) fn written_path(link: &Link, from: &str) -> Option<String> {
    let kind = match link.kind {
        LinkKind::Path | LinkKind::Book | LinkKind::Liquid => LinkKind::File,
        LinkKind::Any | LinkKind::Shortcode => LinkKind::Document,
        kind => kind,
    };
    // In an empty tree nothing exists, so that no rule about sites, labels or omitted extensions
    // applies, and the path that is reported as missing is the one that was written.
    match resolve_target(&link.target, kind, from, &Names::default()) {
        Resolution::Missing(place) | Resolution::Found(place) => Some(place.path),
        Resolution::Ambiguous(_)
        | Resolution::All(_)
        | Resolution::External
        | Resolution::OutsideRoot
        | Resolution::Unknown => None,
    }
}

/// Returns true if a document is a partial, not a page of its own: a name begins with `_`.
fn is_part(path: &str) -> bool {
    let mut names = path.split('/');
    names.any(|name| name.starts_with('_') && !name.starts_with("_index."))
}

impl Resolution {
    /// Returns the target, whether it exists or not.
    pub fn place(&self) -> Option<&LinkTarget> {
        match self {
            Self::Found(place) | Self::Missing(place) => Some(place),
            Self::Ambiguous(_)
            | Self::All(_)
            | Self::External
            | Self::OutsideRoot
            | Self::Unknown => None,
        }
    }

    /// Returns true if the link is broken: there is no such file, or the file has the anchors
    /// `anchors` and the fragment is not among them.
    pub fn is_broken(&self, anchors: Option<&Anchors>) -> bool {
        match (self, anchors) {
            (Self::Missing(_), _) => true,
            (Self::Found(place), Some(anchors)) => !place.is_in(anchors),
            _ => false,
        }
    }
}

impl LinkTarget {
    /// Returns true if a document with the anchors `anchors` contains this location.
    pub fn is_in(&self, anchors: &Anchors) -> bool {
        match (&self.fragment, self.by) {
            (None, _) => true,
            (Some(fragment), FragmentKind::Id) => anchors.accepts(fragment),
            (Some(fragment), FragmentKind::PageId) => anchors.accepts_on_page(fragment),
            (Some(fragment), FragmentKind::Name) => anchors.accepts_named(fragment),
        }
    }
}
