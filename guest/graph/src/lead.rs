//! Where a link leads, by the names of its tree.

use crate::anchors::Anchors;
use crate::destination::{Destination, is_external, join, percent_decoded};
use crate::link::{Link, LinkKind};
use crate::names::Names;

/// Where a link leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lead {
    /// To a file or directory that is there.
    There(Place),
    /// To one that is not there.
    Missing(Place),
    /// To one of several files, of which none is chosen.
    Several(Vec<String>),
    /// To another site, or a program.
    External,
    /// Out of the root.
    Outside,
}

/// A place in a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The path, relative to the root.
    pub path: String,
    /// The place in it, decoded; none for all of it.
    pub fragment: Option<String>,
}

/// Extensions that a link to a document may leave out, in the order in which they are tried.
const LEFT_OUT: [&str; 5] = ["md", "mdx", "markdown", "rst", "adoc"];

/// Returns where a link of the document `from` leads.
pub fn lead(link: &Link, from: &str, names: &Names) -> Lead {
    lead_of(&link.target, link.kind, from, names)
}

/// Returns where a link of this kind and destination leads.
pub(crate) fn lead_of(target: &str, kind: LinkKind, from: &str, names: &Names) -> Lead {
    if !kind.is_wiki() && is_external(target) || kind == LinkKind::Auto {
        return Lead::External;
    }
    let parts = Destination::of(target, kind.is_url());
    let decoded = |text: &str| match kind.is_url() {
        // Only now: an escaped `#`, `?` or `:` is part of the name.
        true => percent_decoded(text),
        false => text.trim().to_owned(),
    };
    let fragment = parts.fragment.map(decoded).filter(|text| !text.is_empty());
    let path = decoded(parts.path);
    if path.is_empty() {
        let path = from.to_owned();
        return Lead::There(Place { path, fragment });
    }
    if kind.is_wiki() && !path.starts_with("./") && !path.starts_with("../") {
        return match names.called(&path)[..] {
            [] => Lead::Missing(Place { path, fragment }),
            [one] => Lead::There(Place {
                path: one.to_owned(),
                fragment,
            }),
            ref several => Lead::Several(several.iter().map(ToString::to_string).collect()),
        };
    }
    let Some(path) = join(from, &path) else {
        return Lead::Outside;
    };
    // `:doc:` never names the extension, though a directory may be called so.
    let exact = match kind {
        LinkKind::Document => names.has_file(&path),
        _ => names.has(&path),
    };
    let found = if exact {
        Some(path.clone())
    } else {
        let mut tried = LEFT_OUT
            .iter()
            .map(|extension| format!("{path}.{extension}"));
        tried.find(|path| names.has_file(path))
    };
    match found {
        Some(path) => Lead::There(Place { path, fragment }),
        None => Lead::Missing(Place { path, fragment }),
    }
}

/// Returns the path that a link of the document `from` names, as it is written, whatever is there;
/// none for a wikilink by name, and for what leads out of the tree.
pub(crate) fn written_path(link: &Link, from: &str) -> Option<String> {
    match lead_of(&link.target, link.kind, from, &Names::default()) {
        Lead::Missing(place) | Lead::There(place) => Some(place.path),
        Lead::Several(_) | Lead::External | Lead::Outside => None,
    }
}

impl Lead {
    /// Returns the place that it leads to, whether that is there or not.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Self::There(place) | Self::Missing(place) => Some(place),
            Self::Several(_) | Self::External | Self::Outside => None,
        }
    }

    /// Whether it leads nowhere: to no file, or to no place of one that has the places `anchors`.
    pub fn is_broken(&self, anchors: Option<&Anchors>) -> bool {
        match (self, anchors) {
            (Self::Missing(_), _) => true,
            (Self::There(place), Some(anchors)) => {
                let has = |fragment: &String| anchors.has(fragment);
                !place.fragment.as_ref().is_none_or(has)
            }
            _ => false,
        }
    }
}
