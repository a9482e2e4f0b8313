//! What keeps links leading where they lead when files move and sections get other ids.
//!
//! A link is resolved before and after, by the names of the tree then; only where that differs from
//! what the move itself says is its destination written anew, and then as much like it was as can
//! be.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use docent_document::format::Format;
use docent_document::sections::{Section, sections, slug};

use crate::anchors::last_heading;
use crate::destination::{Destination, percent_encoded};
use crate::lead::{By, Lead, Place, lead, lead_of};
use crate::link::{Link, LinkKind};
use crate::names::Names;
use crate::style::{Written, must_be_coded, read};
use crate::{adoc, rst};

/// Files that move, and sections that are renamed.
#[derive(Debug)]
pub struct Moves {
    before: Names,
    after: Names,
    files: BTreeMap<String, String>,
    directories: BTreeMap<String, String>,
    sections: BTreeMap<String, Renamed>,
}

/// Sections of one document that are renamed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Renamed {
    /// By their ids before, those whose ids become others.
    by_id: BTreeMap<String, NewSection>,
    /// By the slugs of their headings before, those whose headings become others.
    by_heading: BTreeMap<String, NewSection>,
}

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
    /// In the order of their places in the text, none of which overlap.
    pub all: Vec<Rewrite>,
    /// The indexes of the links that would have to change and cannot be written anew.
    pub stuck: Vec<usize>,
}

impl Renamed {
    /// Returns which sections have other names, where those of one document `before` and `after`
    /// are the same but for their names; none where they are not.
    pub fn of(name: &str, before: &str, after: &str) -> Option<Self> {
        let (old, new) = (sections(name, before), sections(name, after));
        if old.len() != new.len() {
            return None;
        }
        let mut renamed = Self::default();
        let pairs = old.into_iter().zip(new).filter(|(old, _)| old.level > 0);
        for (old, Section { id, heading, .. }) in pairs {
            let new = NewSection { id, heading };
            if old.heading != new.heading {
                let slug = slug(&old.heading);
                renamed
                    .by_heading
                    .entry(slug)
                    .or_insert_with(|| new.clone());
            }
            if old.id != new.id {
                renamed.by_id.insert(old.id, new);
            }
        }
        let names_of = match Format::from_name(name) {
            Some(Format::Rst) => rst::names_of_sections,
            Some(Format::Adoc) => adoc::names_of_sections,
            _ => return Some(renamed),
        };
        let pairs = names_of(before).into_iter().zip(names_of(after));
        let pairs = pairs.filter(|(old, new)| old.id != new.id);
        let by_id = pairs.map(|(old, new)| (old.id, new));
        renamed.by_id.extend(by_id);
        Some(renamed)
    }

    /// Whether no section is renamed.
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty() && self.by_heading.is_empty()
    }

    /// Returns the ids before of the sections whose ids become others.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.by_id.keys().map(String::as_str)
    }
}

impl Rewrites {
    /// Puts them in the order of their places: a destination stands behind the text of its link,
    /// which may hold links itself. Of two that overlap the first is made, and the other is stuck.
    fn put_in_order(&mut self) {
        self.all
            .sort_by_key(|rewrite| (rewrite.range.start, rewrite.range.end, rewrite.link));
        let mut end = 0;
        let stuck = &mut self.stuck;
        self.all.retain(|rewrite| {
            let is_apart = rewrite.range.start >= end;
            if is_apart {
                end = rewrite.range.end;
            } else {
                stuck.push(rewrite.link);
            }
            is_apart
        });
        stuck.sort_unstable();
    }

    /// Keeps those by which the text has the links that it had, with their new destinations: what
    /// is written somewhere may mean something else together with what stands round it.
    fn keep_what_is_read(&mut self, text: &str, links: &[Link], format: Format) {
        let defines = links.iter().any(|link| link.kind == LinkKind::Definition);
        let is_told = |rewrite: &Rewrite| {
            // A wikilink by the name of a definition is a use of it.
            let may_be_use = defines && links[rewrite.link].kind.is_wiki();
            format.is_markdown() && is_plain(&rewrite.destination) && !may_be_use
        };
        if self.all.iter().all(is_told) || self.is_read(text, links, format) {
            return;
        }
        let (plain, others) = std::mem::take(&mut self.all).into_iter().partition(is_told);
        self.all = plain;
        let mut dropped: Vec<Rewrite> = others;
        if !self.is_read(text, links, format) {
            dropped.append(&mut self.all);
        }
        self.stuck
            .extend(dropped.iter().map(|rewrite| rewrite.link));
        self.stuck.sort_unstable();
    }

    /// Whether the new text has the same links, those that are written anew with their new
    /// destinations.
    fn is_read(&self, text: &str, links: &[Link], format: Format) -> bool {
        let new = applied(text, &self.all);
        let after = crate::link::links(&new, format);
        let mut expected: Vec<Option<&str>> = vec![None; links.len()];
        for rewrite in &self.all {
            expected[rewrite.link] = Some(&rewrite.destination);
        }
        let is_same = |((before, after), expected): ((&Link, &Link), &Option<&str>)| {
            let destination = after.destination.clone().and_then(|range| new.get(range));
            let leads = match expected {
                Some(expected) => destination == Some(*expected),
                // The use of a reference has the destination of its definition.
                None => before.target == after.target || before.kind == LinkKind::Use,
            };
            before.kind == after.kind && leads
        };
        let mut pairs = links.iter().zip(&after).zip(&expected);
        links.len() == after.len() && pairs.all(is_same)
    }
}

/// Whether a destination holds no sign that means anything to Markdown beside what it was.
fn is_plain(destination: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || " -_./#%~+,@".contains(c);
    destination.chars().all(is_plain)
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
            directories: BTreeMap::new(),
            sections,
        }
    }

    /// Adds directories that links follow, by their paths before: all that lies in one moves with
    /// it, so that also what is not there moves.
    #[must_use]
    pub fn with_directories(mut self, directories: BTreeMap<String, String>) -> Self {
        self.directories = directories;
        self
    }

    /// Returns the names before.
    pub fn before(&self) -> &Names {
        &self.before
    }

    /// Returns the names afterwards.
    pub fn after(&self) -> &Names {
        &self.after
    }

    /// Returns the path of a file or directory afterwards.
    pub fn moved<'p>(&'p self, path: &'p str) -> Cow<'p, str> {
        if let Some(to) = self.files.get(path) {
            return Cow::Borrowed(to);
        }
        if self.directories.is_empty() {
            return Cow::Borrowed(path);
        }
        let ends = path.match_indices('/').map(|(end, _)| end);
        let mut above = ends.rev().map(|end| path.split_at(end));
        let whole = self.directories.get(path).map(|to| (to, ""));
        let moved = whole
            .or_else(|| above.find_map(|(above, rest)| Some((self.directories.get(above)?, rest))));
        moved.map_or(Cow::Borrowed(path), |(to, rest)| {
            Cow::Owned(format!("{to}{rest}"))
        })
    }

    /// Returns what of the links of the document that was at `from`, with this text, has to change.
    pub fn rewrites(&self, text: &str, links: &[Link], from: &str) -> Rewrites {
        let format = Format::from_name(from).unwrap_or(Format::Plain);
        let mut rewrites = Rewrites::default();
        for (index, link) in links.iter().enumerate() {
            let Some(change) = self.change(link, from) else {
                continue;
            };
            match &link.destination {
                Some(range) => match self.destination(text, format, link, range, &change) {
                    Some(destination) => rewrites.all.push(Rewrite {
                        link: index,
                        range: range.clone(),
                        destination,
                    }),
                    None => rewrites.stuck.push(index),
                },
                // The definition of a reference is written anew.
                None if link.kind == LinkKind::Use => {}
                None => rewrites.stuck.push(index),
            }
        }
        rewrites.put_in_order();
        rewrites.keep_what_is_read(text, links, format);
        rewrites
    }

    /// Returns what of a link of the document that was at `from` has to become another one; none
    /// where nothing has to.
    fn change(&self, link: &Link, from: &str) -> Option<Change> {
        // A label goes where its document goes.
        if link.kind == LinkKind::Label {
            return None;
        }
        let before = lead(link, from, &self.before);
        let place = before.place()?;
        let is_missing = matches!(before, Lead::Missing(_));
        let from_after = self.moved(from);
        let to = match is_missing && from_after == from {
            true => Cow::Borrowed(place.path.as_str()),
            false => self.moved(&place.path),
        };
        let after = lead(link, &from_after, &self.after);
        // A file that links do not follow is not there any more, by whatever path.
        let is_left = !is_missing && to == place.path && !self.after.has(&to);
        // A wikilink names what it means wherever it stands: one that leads nowhere has no path.
        let has_no_path = is_left || is_missing && link.kind.is_wiki();
        let stays = has_no_path || after.place().is_some_and(|after| after.path == to);
        let fragment = self.fragment(link, place);
        (!stays || fragment.is_some()).then(|| Change {
            from: from.to_owned(),
            from_after: from_after.into_owned(),
            old: place.path.clone(),
            to: (!stays).then(|| to.into_owned()),
            fragment,
        })
    }

    /// Returns the destination that stands at `range` as it has to be; none where it cannot be
    /// written anew.
    fn destination(
        &self,
        text: &str,
        format: Format,
        link: &Link,
        range: &Range<usize>,
        change: &Change,
    ) -> Option<String> {
        let raw = &text[range.clone()];
        // `<<id>>` has no `#`.
        if link.kind == LinkKind::Cross && link.target.strip_prefix('#') == Some(raw) {
            return change.fragment.clone();
        }
        let parts = Destination::of(raw, link.kind.is_url());
        // An entity may hold a `#`.
        let path = Destination::of(&link.target, link.kind.is_url()).path;
        if read(format, link.kind, parts.path) != path {
            return None;
        }
        let mut destination = match &change.to {
            None => parts.path.to_owned(),
            Some(to) => {
                let written = Written {
                    format,
                    kind: link.kind,
                    raw: parts.path,
                    is_angled: text[..range.start].ends_with('<') && !link.kind.is_html(),
                    names: &self.after,
                };
                let leads = |way: &String| {
                    let target = read(format, link.kind, way);
                    let lead = lead_of(&target, link.kind, &change.from_after, &self.after);
                    lead.place().is_some_and(|place| place.path == *to)
                };
                let ways = written.ways(&change.from, &change.from_after, &change.old, to);
                ways.into_iter().find(leads)?
            }
        };
        destination.push_str(parts.query);
        if let Some(fragment) = change.fragment.as_deref().or(parts.fragment) {
            destination.push('#');
            destination.push_str(fragment);
        }
        Some(destination)
    }

    /// Returns the fragment of a link whose section is renamed, as it is written.
    fn fragment(&self, link: &Link, place: &Place) -> Option<String> {
        let renamed = self.sections.get(&place.path)?;
        let fragment = place.fragment.as_deref()?;
        if place.by == By::Name {
            let last = last_heading(fragment);
            let slug = slug(last);
            let new = renamed.by_heading.get(&slug);
            let heading = &new.or_else(|| renamed.by_id.get(&slug))?.heading;
            let before = &fragment[..fragment.len() - last.len()];
            let is_plain = !heading.is_empty() && !heading.contains(['|', '#', '^', '[', ']']);
            return is_plain.then(|| format!("{before}{heading}"));
        }
        let by_id = &renamed.by_id;
        let new = by_id
            .get(fragment)
            .or_else(|| by_id.get(&fragment.to_lowercase()))?;
        if !link.kind.is_url() {
            return Some(new.id.clone());
        }
        let is_coded = link.target.rsplit('#').next()?.contains('%');
        Some(percent_encoded(&new.id, |c| {
            is_coded && !c.is_ascii() || must_be_coded(c)
        }))
    }
}

/// What of a link has to become another one.
struct Change {
    from: String,
    from_after: String,
    /// What it led to, by its path before.
    old: String,
    /// The same afterwards, where the path has to be written anew.
    to: Option<String>,
    /// The fragment, where another one has to be written.
    fragment: Option<String>,
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
