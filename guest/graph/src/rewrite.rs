//! What keeps links leading where they lead when files move and sections get other ids.
//!
//! A link is resolved before and after, by the names of the tree then; only where that differs from
//! what the move itself says is its destination written anew, and then as much like it was as can
//! be.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use docent_document::sections::{Section, slug};

use crate::anchors::last_heading;
use crate::destination::{Destination, join, percent_decoded, percent_encoded, relative};
use crate::lead::{Lead, Place, lead, lead_of};
use crate::link::{Link, LinkKind};
use crate::markdown::unescaped;
use crate::names::{Names, stem};

/// Files that move, and sections that are renamed.
#[derive(Debug)]
pub struct Moves {
    before: Names,
    after: Names,
    files: BTreeMap<String, String>,
    sections: BTreeMap<String, Renamed>,
}

/// Sections of one document that are renamed, by their ids before.
pub type Renamed = BTreeMap<String, NewSection>;

/// A section by its new name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSection {
    /// Its id.
    pub id: String,
    /// Its heading.
    pub heading: String,
}

/// A destination that is written anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrite {
    /// The link's index among those of its document.
    pub link: usize,
    /// Where the destination stands.
    pub range: Range<usize>,
    /// What takes its place.
    pub destination: String,
}

/// The links of a document after a move, as far as they have to change.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Rewrites {
    /// In the order of the text.
    pub all: Vec<Rewrite>,
    /// The indexes of the links that would have to change and cannot be written anew.
    pub stuck: Vec<usize>,
}

/// Returns which sections have other ids, where those of one document `before` and `after` are the
/// same but for their names; none where they are not.
pub fn renamed(before: &[Section], after: &[Section]) -> Option<Renamed> {
    if before.len() != after.len() {
        return None;
    }
    let pairs = before.iter().zip(after);
    let has_other_id = pairs.filter(|(old, new)| old.level > 0 && old.id != new.id);
    let pair = |(old, new): (&Section, &Section)| {
        let new = NewSection {
            id: new.id.clone(),
            heading: new.heading.clone(),
        };
        (old.id.clone(), new)
    };
    Some(has_other_id.map(pair).collect())
}

impl Moves {
    /// Returns what moves in a tree of these names before and after: the `files` that links follow,
    /// and the sections of documents, both by their paths before. Links to any other file stay.
    pub fn new(
        before: Names,
        after: Names,
        files: BTreeMap<String, String>,
        sections: BTreeMap<String, Renamed>,
    ) -> Self {
        Self {
            before,
            after,
            files,
            sections,
        }
    }

    /// Returns the names before.
    pub fn before(&self) -> &Names {
        &self.before
    }

    /// Returns the names afterwards.
    pub fn after(&self) -> &Names {
        &self.after
    }

    /// Returns the path of a file afterwards.
    pub fn moved<'p>(&'p self, path: &'p str) -> &'p str {
        self.files.get(path).map_or(path, String::as_str)
    }

    /// Returns what of the links of the document that was at `from`, with this text, has to change.
    pub fn rewrites(&self, text: &str, links: &[Link], from: &str) -> Rewrites {
        let mut rewrites = Rewrites::default();
        for (index, link) in links.iter().enumerate() {
            let Some(range) = &link.destination else {
                continue;
            };
            match self.rewritten(text, link, range, from) {
                Outcome::Stays => {}
                Outcome::Becomes(destination) => rewrites.all.push(Rewrite {
                    link: index,
                    range: range.clone(),
                    destination,
                }),
                Outcome::Stuck => rewrites.stuck.push(index),
            }
        }
        rewrites
    }

    fn rewritten(&self, text: &str, link: &Link, range: &Range<usize>, from: &str) -> Outcome {
        // A label goes where its document goes.
        if link.kind == LinkKind::Label {
            return Outcome::Stays;
        }
        let before = lead(link, from, &self.before);
        let Some(place) = before.place() else {
            return Outcome::Stays;
        };
        let to = self.moved(&place.path);
        let from_after = self.moved(from);
        let after = lead(link, from_after, &self.after);
        let is_missing = matches!(before, Lead::Missing(_));
        // A file that links do not follow is not there any more, by whatever path.
        let is_left = !is_missing && to == place.path && !self.after.has(to);
        // A wikilink names what it means wherever it stands: one that leads nowhere has no path.
        let has_no_path = is_left || is_missing && link.kind.is_wiki();
        let stays = has_no_path || after.place().is_some_and(|after| after.path == to);
        let fragment = self.fragment(link, place);
        if stays && fragment.is_none() {
            return Outcome::Stays;
        }
        let raw = &text[range.clone()];
        let parts = Destination::of(raw, link.kind.is_url());
        // An entity may hold a `#`.
        if read(link.kind, parts.path) != Destination::of(&link.target, link.kind.is_url()).path {
            return Outcome::Stuck;
        }
        let path = if stays {
            Some(parts.path.to_owned())
        } else {
            let is_angled = text[..range.start].ends_with('<') && !link.kind.is_html();
            let written = Written {
                kind: link.kind,
                raw: parts.path,
                is_angled,
            };
            let ways = written.ways(from, from_after, &place.path, to);
            let leads = |way: &String| {
                let target = read(link.kind, way);
                let lead = lead_of(&target, link.kind, from_after, &self.after);
                lead.place().is_some_and(|place| place.path == to)
            };
            ways.into_iter().find(leads)
        };
        let Some(mut destination) = path else {
            return Outcome::Stuck;
        };
        destination.push_str(parts.query);
        if let Some(fragment) = fragment.as_deref().or(parts.fragment) {
            destination.push('#');
            destination.push_str(fragment);
        }
        Outcome::Becomes(destination)
    }

    /// Returns the fragment of a link whose section is renamed, as it is written.
    fn fragment(&self, link: &Link, place: &Place) -> Option<String> {
        let renamed = self.sections.get(&place.path)?;
        let fragment = place.fragment.as_deref()?;
        if link.kind.is_wiki() {
            let last = last_heading(fragment);
            let heading = &renamed.get(&slug(last))?.heading;
            let before = &fragment[..fragment.len() - last.len()];
            let is_plain = !heading.is_empty() && !heading.contains(['|', '#', '^', '[', ']']);
            return is_plain.then(|| format!("{before}{heading}"));
        }
        // In other markup the ids of sections are made otherwise.
        if !link.kind.is_url() {
            return None;
        }
        let new = renamed
            .get(fragment)
            .or_else(|| renamed.get(&fragment.to_lowercase()))?;
        let is_coded = link.target.rsplit('#').next()?.contains('%');
        Some(percent_encoded(&new.id, |c| {
            is_coded && !c.is_ascii() || must_be_coded(c)
        }))
    }
}

/// What becomes of a destination.
enum Outcome {
    Stays,
    Becomes(String),
    Stuck,
}

/// The path of a destination, as it is written.
struct Written<'t> {
    kind: LinkKind,
    raw: &'t str,
    is_angled: bool,
}

impl Written<'_> {
    /// Returns how the path `to` could be written in the same style, the nearest first, where it
    /// led from the document `from` to `old`.
    fn ways(&self, from: &str, from_after: &str, old: &str, to: &str) -> Vec<String> {
        let decoded = self.decoded(self.raw);
        if self.kind.is_wiki() && !decoded.starts_with('.') {
            return self.wiki_ways(&decoded, to);
        }
        let lexical = join(from, &decoded);
        let leaves_out = lexical.as_deref().is_some_and(|path| path != old);
        let mut targets = vec![to];
        if leaves_out && let Some(short) = stem(to) {
            targets.insert(0, short);
        }
        let mut ways = Vec::new();
        for target in targets {
            let path = if decoded.starts_with('/') {
                format!("/{target}")
            } else {
                let path = relative(from_after, target);
                let has_scheme = path
                    .split('/')
                    .next()
                    .is_some_and(|name| name.contains(':'));
                let is_dotted = decoded.starts_with("./") && !path.starts_with("../");
                if is_dotted || has_scheme {
                    format!("./{path}")
                } else {
                    path
                }
            };
            let slash = if decoded.ends_with('/') { "/" } else { "" };
            ways.push(self.encoded(&path) + slash);
        }
        ways
    }

    /// Returns how a wikilink could name `to`: by its name, then by its path.
    fn wiki_ways(&self, decoded: &str, to: &str) -> Vec<String> {
        let short = stem(to).unwrap_or(to);
        let has_extension = stem(decoded).is_some() || stem(to).is_none();
        let whole = if has_extension { to } else { short };
        let name = whole.rsplit_once('/').map_or(whole, |(_, name)| name);
        let rooted = format!("/{whole}");
        let mut ways = match (decoded.starts_with('/'), decoded.contains('/')) {
            (true, _) => vec![rooted],
            (_, true) => vec![whole.to_owned(), rooted],
            _ => vec![name.to_owned(), whole.to_owned(), rooted],
        };
        // Where another file is called so as well, the extension tells them apart.
        let name = to.rsplit_once('/').map_or(to, |(_, name)| name);
        ways.extend([name.to_owned(), format!("/{to}")]);
        let is_plain = |way: &String| !way.contains(['|', '#', '^', '[', ']']);
        ways.into_iter().filter(is_plain).collect()
    }

    /// Returns a path of this style as it is read.
    fn decoded(&self, raw: &str) -> String {
        let plain = read(self.kind, raw);
        match self.kind.is_url() {
            true => percent_decoded(&plain),
            false => plain.trim().to_owned(),
        }
    }

    /// Returns a path as it is written: names that stood there already stay as they are.
    fn encoded(&self, path: &str) -> String {
        if !self.kind.is_url() {
            return path.to_owned();
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

/// Whether a character of a name would mean something else in a destination of Markdown or HTML,
/// wherever it stands.
fn must_be_coded(c: char) -> bool {
    c.is_control() || c.is_whitespace() && c != ' ' || "%#?&\\<>()[]|\"'`*{}".contains(c)
}

/// Returns a destination of this kind as its markup reads it.
fn read(kind: LinkKind, raw: &str) -> String {
    match kind {
        kind if kind.is_html() => raw.replace("&amp;", "&"),
        kind if kind.is_url() => unescaped(raw).into_owned(),
        _ => raw.trim().to_owned(),
    }
}

/// Returns a text with some destinations written anew.
pub fn applied(text: &str, rewrites: &[Rewrite]) -> String {
    let mut new = String::with_capacity(text.len());
    let mut end = 0;
    for rewrite in rewrites {
        new.push_str(&text[end..rewrite.range.start]);
        new.push_str(&rewrite.destination);
        end = rewrite.range.end;
    }
    new.push_str(&text[end..]);
    new
}

/// Returns the ids that sections had `before` and none has `after`.
pub fn gone(before: &[Section], after: &[Section]) -> BTreeSet<String> {
    let after: BTreeSet<&str> = after.iter().map(|section| section.id.as_str()).collect();
    let headed = before.iter().filter(|section| section.level > 0);
    let ids = headed.map(|section| section.id.as_str());
    ids.filter(|id| !after.contains(id))
        .map(str::to_owned)
        .collect()
}
