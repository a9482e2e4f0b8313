//! Rewriting of links, such that they stay intact when files move and sections get other ids.
//!
//! A link is resolved before and after the move, by the names of the tree at that time. Its
//! destination is rewritten only if the two differ by more than the move itself, and then in the
//! style in which it was written:
//!
//! ```text
//! move guide/setup.md to setup.md
//! in guide/index.md:  [Setup](setup.md#run)    becomes  [Setup](../setup.md#run)
//! in other.md:        [Setup](/guide/setup)    becomes  [Setup](/setup)
//! ```

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use docent_document::format::Format;
use docent_document::sections::{Section, sections, slug};
use docent_text::sort::sort_by_key;

use crate::anchors::last_heading;
use crate::destination::{Destination, percent_encode};
use crate::link::{Link, LinkKind};
use crate::names::Names;
use crate::resolve::{FragmentKind, LinkTarget, Resolution, resolve, resolve_target};
use crate::section_name::NewSection;
use crate::style::{WrittenPath, must_be_coded, read};
use crate::{adoc, rst};

/// The files that move, and the sections that are renamed.
#[derive(Debug)]
pub struct Moves {
    before: Names,
    after: Names,
    files: BTreeMap<String, String>,
    directories: BTreeMap<String, String>,
    sections: BTreeMap<String, RenamedSections>,
}

/// The renamed sections of one document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RenamedSections {
    /// Sections whose ids change, by their old ids.
    by_id: BTreeMap<String, NewSection>,
    /// Sections whose headings change, by the slugs of their old headings.
    by_heading: BTreeMap<String, NewSection>,
}

/// A rewritten destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrite {
    /// Index of the link in its document.
    pub link: usize,
    /// Byte range of the destination.
    pub range: Range<usize>,
    /// New destination.
    pub destination: String,
}

/// The rewrites of a document's links after a move.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Rewrites {
    /// Rewrites, in the order of their positions. They do not overlap.
    pub all: Vec<Rewrite>,
    /// Indexes of the links that would have to change and cannot be rewritten.
    pub stuck: Vec<usize>,
}

impl RenamedSections {
    /// Returns the sections that are renamed between two versions of a document, or `None` if the
    /// versions differ in more than the names of sections.
    pub fn between(name: &str, before: &str, after: &str) -> Option<Self> {
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

    /// Returns true if no section is renamed.
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty() && self.by_heading.is_empty()
    }

    /// Returns the old ids of the sections whose ids change.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.by_id.keys().map(String::as_str)
    }
}

impl Rewrites {
    /// Sorts the rewrites by position. A destination follows the text of its link, which may itself
    /// contain links. Of two that overlap the first is kept, and the other is stuck.
    fn put_in_order(&mut self) {
        sort_by_key(&mut self.all, |rewrite| {
            (rewrite.range.start, rewrite.range.end, rewrite.link)
        });
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

    /// Keeps the rewrites after which the text has the same links with their new destinations,
    /// and reports the others as stuck.
    fn keep_what_is_read(&mut self, text: &str, links: &[Link], format: Format) {
        // A name that is harmless alone may get a meaning from the text around it. If `old.md`
        // moves to ``p/b`c.md``, each of `[[/old]]` and `[[/old|x]]` could be rewritten, but
        // both on one line would make a code span of everything between the backticks, and two
        // links would be lost. So the new text is parsed again, unless every new destination
        // consists of characters without a meaning in Markdown. If the links differ, only the
        // plain destinations are kept, and if they differ even then, none.
        let defines = links.iter().any(|link| link.kind == LinkKind::Definition);
        let is_told = |rewrite: &Rewrite| {
            // `[[b]]` in a text with a definition `[b]: …` is a use of that definition.
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

    /// Returns true if the new text has the same links, the rewritten ones with their new
    /// destinations.
    fn is_read(&self, text: &str, links: &[Link], format: Format) -> bool {
        let new = apply_rewrites(text, &self.all);
        let after = crate::read::links(&new, format);
        let mut expected: Vec<Option<&str>> = vec![None; links.len()];
        for rewrite in &self.all {
            expected[rewrite.link] = Some(&rewrite.destination);
        }
        let is_same = |((before, after), expected): ((&Link, &Link), &Option<&str>)| {
            let destination = after.destination.clone().and_then(|range| new.get(range));
            let leads = match expected {
                Some(expected) => destination == Some(*expected),
                // The target of a use is the destination of its definition, which may be
                // rewritten.
                None => before.target == after.target || before.kind == LinkKind::Use,
            };
            before.kind == after.kind && leads
        };
        let mut pairs = links.iter().zip(&after).zip(&expected);
        links.len() == after.len() && pairs.all(is_same)
    }
}

/// Returns true if a destination contains no character that is special in Markdown.
fn is_plain(destination: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || " -_./#%~+,@".contains(c);
    destination.chars().all(is_plain)
}

impl Moves {
    /// Describes a move in a tree with these names before and after: the `files` that links follow,
    /// and the renamed sections of documents, both by old path. Links to other files do not change.
    pub fn new(
        before: Names,
        after: Names,
        files: BTreeMap<String, String>,
        sections: BTreeMap<String, RenamedSections>,
    ) -> Self {
        Self {
            before,
            after,
            files,
            directories: BTreeMap::new(),
            sections,
        }
    }

    /// Adds directories that links follow, by old path. Everything in such a directory moves with
    /// it, including paths that do not exist.
    #[must_use]
    pub fn with_directories(mut self, directories: BTreeMap<String, String>) -> Self {
        self.directories = directories;
        self
    }

    /// Returns the names before the move.
    pub fn before(&self) -> &Names {
        &self.before
    }

    /// Returns the names after the move.
    pub fn after(&self) -> &Names {
        &self.after
    }

    /// Returns the new path of a file or directory.
    pub fn new_path<'p>(&'p self, path: &'p str) -> Cow<'p, str> {
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

    /// Returns the rewrites for the document that was at `from`, with this text.
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
                // The definition of the reference is rewritten instead.
                None if link.kind == LinkKind::Use => {}
                None => rewrites.stuck.push(index),
            }
        }
        rewrites.put_in_order();
        rewrites.keep_what_is_read(text, links, format);
        rewrites
    }

    /// Returns the necessary change of a link in the document that was at `from`, or `None` if
    /// nothing has to change.
    fn change(&self, link: &Link, from: &str) -> Option<LinkChange> {
        // A label moves with its document.
        if link.kind == LinkKind::Label {
            return None;
        }
        let before = resolve(link, from, &self.before);
        let place = before.place()?;
        let is_missing = matches!(before, Resolution::Missing(_));
        let from_after = self.new_path(from);
        // A broken link is not changed by a move elsewhere: if `old/` becomes `new/`,
        // `[a](old/gone.md)` still names the path that it named. In a document that moves, it is
        // rewritten such that it names the same missing path, or the path in the new directory
        // if its directory moves along.
        let to = match is_missing && from_after == from {
            true => Cow::Borrowed(place.path.as_str()),
            false => self.new_path(&place.path),
        };
        let after = resolve(link, &from_after, &self.after);
        // The target is deleted, or moves without its links. No destination would be right, so
        // the link is left as it is and breaks.
        let is_left = !is_missing && to == place.path && !self.after.has(&to);
        // A broken wikilink names no path, so it means the same from everywhere.
        let has_no_path = is_left || is_missing && link.kind.is_wiki();
        let stays = has_no_path || after.place().is_some_and(|after| after.path == to);
        let fragment = self.fragment(link, place);
        (!stays || fragment.is_some()).then(|| LinkChange {
            from: from.to_owned(),
            from_after: from_after.into_owned(),
            old: place.path.clone(),
            to: (!stays).then(|| to.into_owned()),
            fragment,
        })
    }

    /// Returns the new destination of a link whose destination is at `range`, or `None` if it
    /// cannot be rewritten.
    fn destination(
        &self,
        text: &str,
        format: Format,
        link: &Link,
        range: &Range<usize>,
        change: &LinkChange,
    ) -> Option<String> {
        let raw = &text[range.clone()];
        // The destination of `<<id>>` is the id alone, without a `#`, and is replaced as a
        // whole.
        if link.kind == LinkKind::Cross && link.target.strip_prefix('#') == Some(raw) {
            return change.fragment.clone();
        }
        let parts = Destination::parse(raw, link.kind.is_url());
        // The path must be the same whether the destination is split before or after it is
        // decoded. In `a&#35;b.md` the entity is a `#`: as written, the path ends at `a&`, but
        // Markdown refers to the section `b.md` of `a`. The parts cannot be rewritten one by
        // one, so the link is stuck.
        let path = Destination::parse(&link.target, link.kind.is_url()).path;
        if read(format, link.kind, parts.path) != path {
            return None;
        }
        let mut destination = match &change.to {
            None => parts.path.to_owned(),
            Some(to) => {
                let written = WrittenPath {
                    format,
                    kind: link.kind,
                    raw: parts.path,
                    is_angled: text[..range.start].ends_with('<') && !link.kind.is_html(),
                    names: &self.after,
                };
                // Each candidate is resolved as if it had been read from the document at its new
                // path, by the names after the move. A shorter name may have come to mean
                // another file: `[x](a)` for `a.md` if a file `a` exists there.
                let leads = |way: &String| {
                    let target = read(format, link.kind, way);
                    let resolution =
                        resolve_target(&target, link.kind, &change.from_after, &self.after);
                    resolution.place().is_some_and(|place| place.path == *to)
                };
                let ways = written.candidates(&change.from, &change.from_after, &change.old, to);
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

    /// Returns the new fragment of a link to a renamed section, as it must be written.
    fn fragment(&self, link: &Link, place: &LinkTarget) -> Option<String> {
        let renamed = self.sections.get(&place.path)?;
        let fragment = place.fragment.as_deref()?;
        if place.by == FragmentKind::Name {
            let last = last_heading(fragment);
            let slug = slug(last);
            let new = renamed.by_heading.get(&slug);
            let heading = &new.or_else(|| renamed.by_id.get(&slug))?.heading;
            let before = &fragment[..fragment.len() - last.len()];
            // In a wikilink `#` separates headings, `|` begins the text shown, `^` begins the
            // name of a block and `]]` ends the link, so a heading with one of them cannot be
            // written.
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
        Some(percent_encode(&new.id, |c| {
            is_coded && !c.is_ascii() || must_be_coded(c)
        }))
    }
}

/// The parts of a link that have to change.
struct LinkChange {
    from: String,
    from_after: String,
    /// Old path of the target.
    old: String,
    /// New path of the target, if the path has to be rewritten.
    to: Option<String>,
    /// New fragment, if the fragment has to be rewritten.
    fragment: Option<String>,
}

/// Applies rewrites to a text.
pub fn apply_rewrites(text: &str, rewrites: &[Rewrite]) -> String {
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
