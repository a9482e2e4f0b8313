//! Where a link leads, by the names of its tree.

use std::iter::once_with;

use crate::anchors::Anchors;
use crate::destination::{Destination, is_external, join, percent_decoded};
use crate::link::{Link, LinkKind};
use crate::names::{Names, composed, stem};
use crate::rst::id_of;
use crate::sites::Site;

/// Where a link leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lead {
    /// To a file or directory that is there.
    There(Place),
    /// To one that is not there.
    Missing(Place),
    /// To one of several files, of which none is chosen.
    Several(Vec<String>),
    /// To each of these files: a pattern matches them.
    Each(Vec<String>),
    /// To another site, or a program.
    External,
    /// Out of the root.
    Outside,
    /// To what is not known here: a template, a name of another project, a page that no file is
    /// called like, or what is hidden.
    Unknown,
}

/// A place in a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The path, relative to the root.
    pub path: String,
    /// The place in it, decoded; none for all of it.
    pub fragment: Option<String>,
    /// What the fragment is.
    pub by: By,
}

/// What a fragment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// An id.
    Id,
    /// An id on a site whose pages Python-Markdown makes.
    PageId,
    /// Headings or a block, as wikilinks name them.
    Name,
}

/// Extensions that a link to a document may leave out, in the order in which they are tried.
const LEFT_OUT: [&str; 5] = ["md", "mdx", "markdown", "rst", "adoc"];

/// Names of documents that stand for the directory that they lie in, without extension.
const INDEXES: [&str; 5] = ["index", "_index", README[0], README[1], README[2]];

/// Those of them that every place which shows repositories takes for the page of a directory.
const README: [&str; 3] = ["README", "readme", "Readme"];

/// Labels that Sphinx gives to pages that it makes itself.
const MADE_LABELS: [&str; 4] = ["genindex", "modindex", "py-modindex", "search"];

/// Returns where a link of the document `from` leads.
pub fn lead(link: &Link, from: &str, names: &Names) -> Lead {
    match lead_of(&link.target, link.kind, from, names) {
        Lead::Missing(_) if link.is_of_page && is_of_unknown_site(link, from, names) => {
            Lead::Unknown
        }
        lead => lead,
    }
}

/// Returns where a link of this kind and destination leads.
pub(crate) fn lead_of(target: &str, kind: LinkKind, from: &str, names: &Names) -> Lead {
    match kind {
        LinkKind::Auto => return Lead::External,
        LinkKind::Label => return of_label(target, from, names),
        LinkKind::Path => return resolve_path(target, from, names),
        LinkKind::Any => return resolve_any(target, from, names),
        LinkKind::Glob => return resolve_glob(target, from, names),
        LinkKind::Book | LinkKind::Snippet | LinkKind::Liquid | LinkKind::Shortcode => {
            return resolve_template(target, kind, from, names);
        }
        _ if target.starts_with("project:") && site_of_sphinx(from, names).is_some() => {
            let target = &target["project:".len()..];
            return lead_of(target, kind, from, names);
        }
        // `module:page.adoc` is of another component, `partial$a.adoc` where Antora looks for it.
        LinkKind::Cross if target.contains(':') && !target.contains("://") => return Lead::Unknown,
        kind if !kind.is_wiki() && is_external(target) => return Lead::External,
        _ => {}
    }
    let parts = Destination::of(target, kind.is_url());
    let decoded = |text: &str| match kind.is_url() {
        // Only now: an escaped `#`, `?` or `:` is part of the name.
        true => percent_decoded(text),
        false => text.trim().to_owned(),
    };
    let fragment = parts.fragment.map(decoded).filter(|text| !text.is_empty());
    let path = decoded(parts.path);
    let site = names.site(from);
    let by = match site {
        _ if kind.is_wiki() => By::Name,
        Some(site) if site.is_python() => By::PageId,
        _ => By::Id,
    };
    let place = |path: String| Place {
        path,
        fragment: fragment.clone(),
        by,
    };
    if path.is_empty() {
        // A part of other pages has their places as well.
        let is_elsewhere = fragment.is_some() && site.is_some() && is_part(from);
        if kind.is_url()
            && let Some(label) = fragment.as_deref()
            && let Some(lead) = resolve_own_label(label, from, names)
        {
            return lead;
        }
        return match is_elsewhere {
            true => Lead::Unknown,
            false => Lead::There(place(from.to_owned())),
        };
    }
    if kind.is_wiki() && !path.starts_with("./") && !path.starts_with("../") {
        return match names.called(&path)[..] {
            // To most programs that make sites this is a text.
            [] if site.is_some() => Lead::Unknown,
            [] => Lead::Missing(place(path)),
            [one] => Lead::There(place(one.to_owned())),
            ref several => Lead::Several(several.iter().map(ToString::to_string).collect()),
        };
    }
    let written: &str = &path;
    // A page is looked for beside the page first, a file beside the file.
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
        // The sections of a directory are those of the page that is shown of it.
        Some(path) if fragment.is_some() && !names.has_file(&path) => {
            let page = README
                .iter()
                .find_map(|name| document(&below(&path, name), names));
            Lead::There(place(page.unwrap_or(path)))
        }
        Some(path) => Lead::There(place(path)),
        None if is_unknown(&path, kind, site) => Lead::Unknown,
        // To MyST what names no file may name a label.
        None if is_label(&path, kind, from, names) => of_label(&path, from, names),
        None => match paths(from, &path, None).next() {
            Some(meant) => Lead::Missing(place(meant)),
            None => Lead::Outside,
        },
    }
}

/// Returns the paths that `path` may mean in the document `from`, the likeliest first.
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

/// Returns the paths that a URL without a `/` before it means by where browsers find the page of the
/// document `from`.
fn beside(from: &str, path: &str, kind: LinkKind, site: Option<&Site>) -> Vec<String> {
    let is_beside = kind.is_url() && !path.starts_with('/') && !path.starts_with("@site/");
    let site = site.filter(|site| is_beside && (site.is_pretty() || site.has_made_files()));
    site.map_or(Vec::new(), |site| site.paths_beside(from, path))
}

/// Whether a URL may be that of a page: it names no file.
pub(crate) fn is_route(path: &str, kind: LinkKind) -> bool {
    let name = path
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default();
    let is_file = name.rsplit_once('.').is_some_and(|(stem, extension)| {
        // `v1.2` is no file, and a page may be called `a.html`.
        !stem.is_empty()
            && !extension.is_empty()
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && !extension.bytes().all(|byte| byte.is_ascii_digit())
            && !["html", "htm", "php"].contains(&extension)
    });
    let is_page = !is_file || path.ends_with('/');
    is_page && kind.is_url() && kind != LinkKind::Image && kind != LinkKind::HtmlSource
}

/// Whether only the program that makes a site may know where this destination of Markdown leads,
/// should there be nothing of that path.
pub fn may_be_made(destination: &str) -> bool {
    let path = Destination::of(destination, true).path;
    is_route(path, LinkKind::Inline) || path.starts_with(['/', '~', '@'])
}

/// Whether the link of a page, which no settings say anything of, may lead to what a site has.
fn is_of_unknown_site(link: &Link, from: &str, names: &Names) -> bool {
    let path = Destination::of(&link.target, true).path;
    let may_be_made = is_route(path, link.kind) || path.starts_with(['/', '~', '@']);
    link.kind.is_url() && may_be_made && names.site(from).is_none()
}

/// Returns the path of what is there for a link to `path`.
fn there(path: String, kind: LinkKind, site: Option<&Site>, names: &Names) -> Option<String> {
    let path = names.as_listed(path);
    // `:doc:` never names the extension, though a directory may be called so.
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
        // The page that is made of a document.
        let page = path.strip_suffix(".html").filter(|_| site.is_some())?;
        let directory = page
            .strip_suffix("index")
            .map(|above| above.trim_end_matches('/'));
        document(page, names).or_else(|| index(directory?, names))
    })
}

/// Returns the document of this path without its extension.
fn document(path: &str, names: &Names) -> Option<String> {
    let with = |extension: &&str| names.as_listed(format!("{path}.{extension}"));
    let mut tried = LEFT_OUT.iter().map(with);
    tried.find(|path| names.has_file(path))
}

/// Returns the document that stands for a directory.
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

/// Whether a path that leads nowhere may be one that a program makes, or that is only not shown.
fn is_unknown(path: &str, kind: LinkKind, site: Option<&Site>) -> bool {
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

/// Returns where a path leads that is a link where a file of all of its name is there.
fn resolve_path(target: &str, from: &str, names: &Names) -> Lead {
    let written = target.split('#').next().unwrap_or(target);
    let is_named = |path: &str| last_name(path) == last_name(written);
    match lead_of(target, LinkKind::File, from, names) {
        Lead::There(place) if names.has_file(&place.path) && is_named(&place.path) => {
            Lead::There(place)
        }
        _ => Lead::Unknown,
    }
}

fn of_label(target: &str, from: &str, names: &Names) -> Lead {
    let Some(labels) = names.labels() else {
        return Lead::Unknown;
    };
    let place = |path: &str| Place {
        path: path.to_owned(),
        fragment: Some(id_of(target)),
        by: By::Id,
    };
    match labels.of(target)[..] {
        [one] => Lead::There(place(one)),
        // `python:glossary` is of another project.
        [] if target.contains(':') || MADE_LABELS.contains(&target) => Lead::Unknown,
        [] if names.site(from).is_some_and(Site::has_others) => Lead::Unknown,
        [] => Lead::Missing(place(from)),
        ref several => Lead::Several(several.iter().map(ToString::to_string).collect()),
    }
}

fn site_of_sphinx<'n>(from: &str, names: &'n Names) -> Option<&'n Site> {
    names.site(from).filter(|site| site.is_of_sphinx())
}

/// Whether the URL of a page of Sphinx is the name of a label that is known.
fn is_label(path: &str, kind: LinkKind, from: &str, names: &Names) -> bool {
    let labels = names.labels().filter(|_| kind == LinkKind::Inline);
    labels.is_some_and(|labels| !labels.of(path).is_empty())
        && site_of_sphinx(from, names).is_some()
}

/// Returns where `#label` leads on a page of Sphinx that has no such label itself; none where no
/// other document has it.
fn resolve_own_label(label: &str, from: &str, names: &Names) -> Option<Lead> {
    site_of_sphinx(from, names)?;
    let found = names.labels()?.of(label);
    let is_elsewhere = !found.is_empty() && !found.contains(&from);
    is_elsewhere.then(|| of_label(label, from, names))
}

/// Returns where `:any:` leads: to a document, else to a label; objects of code are not known here.
fn resolve_any(target: &str, from: &str, names: &Names) -> Lead {
    let document = lead_of(target, LinkKind::Document, from, names);
    let leads = [document, of_label(target, from, names)];
    let mut known = leads
        .into_iter()
        .filter(|lead| matches!(lead, Lead::There(_) | Lead::Several(_)));
    known.next().unwrap_or(Lead::Unknown)
}

/// Returns the documents that a pattern matches as Sphinx has it, its own left out.
fn resolve_glob(target: &str, from: &str, names: &Names) -> Lead {
    let on_site = || site_of_sphinx(from, names)?.path(target.strip_prefix('/')?);
    let Some(pattern) = on_site().or_else(|| join(from, target)) else {
        return Lead::Outside;
    };
    let paths = names.documents_like(&pattern);
    let others = paths.into_iter().filter(|path| path != from);
    let paths: Vec<String> = others.collect();
    match paths.is_empty() {
        true => Lead::Missing(Place {
            path: pattern,
            fragment: None,
            by: By::Id,
        }),
        false => Lead::Each(paths),
    }
}

/// Returns where a file lies that a program takes in, or links to, by a rule of its own: one that is
/// there is certain, and one that is not is so only in a book.
fn resolve_template(target: &str, kind: LinkKind, from: &str, names: &Names) -> Lead {
    let site = names.site(from);
    let lead = match kind {
        // From where the settings lie, unless they say otherwise.
        LinkKind::Snippet => {
            let path = site
                .filter(|site| site.is_python())
                .and_then(|site| site.path(target));
            let place = |path| Place {
                path: names.as_listed(path),
                fragment: None,
                by: By::Id,
            };
            path.map_or(Lead::Unknown, |path| Lead::There(place(path)))
        }
        LinkKind::Shortcode => lead_of(target, LinkKind::Document, from, names),
        _ => lead_of(target, LinkKind::Included, from, names),
    };
    let is_of_book = site.is_some_and(|site| site.is_book() && site.holds(from));
    let is_named = |path: &str| kind == LinkKind::Shortcode || last_name(path) == last_name(target);
    match lead {
        Lead::There(ref place) if names.has_file(&place.path) && is_named(&place.path) => lead,
        Lead::Missing(_) if kind == LinkKind::Book && is_of_book => lead,
        _ => Lead::Unknown,
    }
}

fn last_name(path: &str) -> String {
    composed(path.rsplit('/').next().unwrap_or(path)).into_owned()
}

/// Returns the path that a link of the document `from` names, as it is written, whatever is there;
/// none for a wikilink by name, and for what leads out of the tree.
pub(crate) fn written_path(link: &Link, from: &str) -> Option<String> {
    let kind = match link.kind {
        LinkKind::Path | LinkKind::Book | LinkKind::Liquid => LinkKind::File,
        LinkKind::Any | LinkKind::Shortcode => LinkKind::Document,
        kind => kind,
    };
    match lead_of(&link.target, kind, from, &Names::default()) {
        Lead::Missing(place) | Lead::There(place) => Some(place.path),
        Lead::Several(_) | Lead::Each(_) | Lead::External | Lead::Outside | Lead::Unknown => None,
    }
}

/// Whether a document is no page of its site but a part of some, by a name that begins with `_`.
fn is_part(path: &str) -> bool {
    let mut names = path.split('/');
    names.any(|name| name.starts_with('_') && !name.starts_with("_index."))
}

/// Whether a document stands for the directory that it lies in, where a site says so.
pub(crate) fn is_index(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    stem(name).is_some_and(|name| INDEXES.contains(&name))
}

impl Lead {
    /// Returns the place that it leads to, whether that is there or not.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Self::There(place) | Self::Missing(place) => Some(place),
            Self::Several(_) | Self::Each(_) | Self::External | Self::Outside | Self::Unknown => {
                None
            }
        }
    }

    /// Whether it leads nowhere: to no file, or to no place of one that has the places `anchors`.
    pub fn is_broken(&self, anchors: Option<&Anchors>) -> bool {
        match (self, anchors) {
            (Self::Missing(_), _) => true,
            (Self::There(place), Some(anchors)) => !place.is_in(anchors),
            _ => false,
        }
    }
}

impl Place {
    /// Whether a document with the places `anchors` has it.
    pub fn is_in(&self, anchors: &Anchors) -> bool {
        match (&self.fragment, self.by) {
            (None, _) => true,
            (Some(fragment), By::Id) => anchors.has(fragment),
            (Some(fragment), By::PageId) => anchors.has_on_page(fragment),
            (Some(fragment), By::Name) => anchors.has_named(fragment),
        }
    }
}
