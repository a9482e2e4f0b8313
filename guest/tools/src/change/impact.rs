//! Impact of a change on links, as reported in answers.

use std::collections::{BTreeMap, BTreeSet};

use docent_api::writing::{ChangeImpact, CodeImpact, LinkPlace, RewrittenLink};
use docent_corpus::corpus::Corpus;
use docent_document::sections::slug;
use docent_graph::anchors::Anchors;
use docent_graph::link::{Link, LinkKind};
use docent_graph::read::links;
use docent_graph::resolve::{LinkTarget, Resolution, resolve};
use docent_graph::rewrite::{Moves, Rewrites};
use docent_text::saturating::saturating_u32;
use docent_text::sort::sort_by;
use docent_tree::disk::Disk;
use docent_tree::path::RelPath;

use crate::change::directories::Moving;
use crate::change::planned::Planned;
use crate::change::summary::ImpactCounts;
use crate::change::summary::count_phrase;
use crate::limits::{LINK_TARGETS_READ, LINKS_SHOWN};
use crate::writing::link_index::{LinkIndex, LinkingDocument, limit_links, link_text, markup};

/// Impact of a change on links, as far as it is known.
pub struct LinkImpact {
    /// Files and directories that move.
    pub moves: Moves,
    /// Warnings about links that are not followed.
    pub warnings: Vec<String>,
    /// All files and directories that move, including those whose links are not updated.
    files: BTreeMap<String, String>,
    /// The directories that move, by their old and new paths.
    directories: Vec<(String, String)>,
    /// Impact on code and plain text.
    code: Option<CodeImpact>,
    /// Files that are deleted.
    removed: BTreeSet<String>,
    gone: BTreeMap<String, BTreeSet<String>>,
    incoming: Vec<LinkPlace>,
    outgoing: Vec<LinkPlace>,
    broken: Vec<LinkPlace>,
    mended: Vec<LinkPlace>,
    /// Number of links of moved files that were broken before and still are.
    was_broken: usize,
    /// Number of documents searched for links.
    documents: u32,
    rewritten: Vec<RewrittenLink>,
    /// Links of any document that were broken before.
    led_nowhere: Vec<(String, Link, String)>,
    /// Links that keep their destination and so may break, by document and start offset.
    left: BTreeMap<(String, usize), (Link, String)>,
    /// Old destinations of links, by the path, line and destination that they have now.
    were: BTreeMap<(String, u32, String), String>,
}

impl LinkImpact {
    /// Returns the impact of these moves, `files` by their old paths, with the directories that are
    /// `moving`, of the files that are `removed`, and of the sections that are `gone` by the paths
    /// of their documents.
    pub fn new(
        moves: Moves,
        (files, moving): (BTreeMap<String, String>, &[Moving]),
        removed: BTreeSet<String>,
        gone: BTreeMap<String, BTreeSet<String>>,
    ) -> Self {
        let directory = |one: &Moving| (one.from.clone(), one.to.clone());
        Self {
            moves,
            warnings: Vec::new(),
            directories: moving.iter().map(directory).collect(),
            files,
            code: None,
            removed,
            gone,
            incoming: Vec::new(),
            outgoing: Vec::new(),
            broken: Vec::new(),
            mended: Vec::new(),
            was_broken: 0,
            documents: 0,
            rewritten: Vec::new(),
            led_nowhere: Vec::new(),
            left: BTreeMap::new(),
            were: BTreeMap::new(),
        }
    }

    /// Returns true if no file moves and no section is removed.
    pub fn moves_nothing(&self) -> bool {
        self.files.is_empty() && self.gone.is_empty()
    }

    /// Records the links to files and sections that are moved or removed.
    pub fn note_documents(&mut self, link_index: &LinkIndex) {
        self.documents = link_index.documents;
        for LinkingDocument { path, links } in &link_index.linking {
            for (link, text) in links {
                let lead = resolve(link, path, self.moves.before());
                self.note_meaning(path, link, text, &lead);
                self.note_unfollowed(path, link, text, &lead);
                if link.kind != LinkKind::Use && lead.is_broken(None) {
                    self.led_nowhere
                        .push((path.clone(), link.clone(), text.clone()));
                }
                // A reference such as `[text][label]` takes its destination from the definition
                // `[label]: a.md`, and a use of a label has no path of its own to change. The
                // definition is a link as well and is reported, once, however many references
                // use it.
                if link.kind == LinkKind::Use || !self.is_concerned(&lead) {
                    continue;
                }
                // A link from one file of a moved directory to another file of it is not
                // incoming: both ends move, and the relative path between them stays as it is.
                let is_from_elsewhere = lead.place().is_some_and(|place| {
                    place.path != *path && !self.moves_as_one(path, &place.path)
                });
                if is_from_elsewhere {
                    self.incoming.push(place(path, link, text.clone()));
                }
                let key = (path.clone(), link.span.start);
                self.left.insert(key, (link.clone(), text.clone()));
            }
        }
    }

    /// Records a wikilink that resolves to another file afterwards although it is not rewritten: it
    /// was ambiguous or broken.
    fn note_meaning(&mut self, path: &str, link: &Link, text: &str, before: &Resolution) {
        let was = match before {
            Resolution::Ambiguous(_) => "one of several files",
            Resolution::Missing(_) => "no file",
            _ => return,
        };
        let from = self.moves.new_path(path).into_owned();
        if let Resolution::Found(after) = resolve(link, &from, self.moves.after())
            && link.kind.is_wiki()
        {
            self.warnings.push(format!(
                "the link `{text}` at line {} of `{path}` meant {was}, and would then mean `{}`",
                link.line, after.path
            ));
        }
    }

    /// Records references to a file that is moved or deleted if they are left unchanged: references
    /// that only a program can resolve, and a pattern that does not match the same files
    /// afterwards.
    fn note_unfollowed(&mut self, path: &str, link: &Link, text: &str, before: &Resolution) {
        let place = format!("`{text}` at line {} of `{path}`", link.line);
        match before {
            Resolution::Unknown if link.kind.form().is_some() => self.warnings.push(format!(
                "{place} is left as it is: only its program can resolve it"
            )),
            Resolution::All(files) => {
                let from = self.moves.new_path(path);
                let after = match resolve(link, &from, self.moves.after()) {
                    Resolution::All(after) => after,
                    _ => Vec::new(),
                };
                let moved = files.iter().map(|file| self.moves.new_path(file));
                let lost = moved
                    .filter(|file| !after.iter().any(|own| *own == **file))
                    .count();
                if lost > 0 {
                    let files = count_phrase(lost, "file", "files");
                    self.warnings.push(format!(
                        "the pattern {place} is left as it is, and matches {files} fewer of those \
                         that it matched"
                    ));
                }
            }
            _ => {}
        }
    }

    /// Records a link that is ambiguous afterwards.
    fn note_several(&mut self, path: &str, link: &Link, text: &str, paths: &[String]) {
        self.warnings.push(format!(
            "the link `{text}` at line {} of `{path}` then means any of `{}`",
            link.line,
            paths.join("`, `")
        ));
    }

    /// Records the impact on code and plain text.
    pub fn note_code(&mut self, code: crate::change::code::CodeImpact) {
        self.code = code.into_answer(self.moves.before());
    }

    /// Takes out the impact on code and plain text.
    pub fn take_code(&mut self) -> Option<CodeImpact> {
        self.code.take()
    }

    /// Returns true if two paths, both old or both new, are in one directory that moves.
    fn moves_as_one(&self, one: &str, other: &str) -> bool {
        let is_in = |path: &str, directory: &str| {
            let rest = path.strip_prefix(directory);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let both = |directory: &str| is_in(one, directory) && is_in(other, directory);
        let mut directories = self.directories.iter();
        directories.any(|(before, after)| both(before) || both(after))
    }

    fn is_concerned(&self, lead: &Resolution) -> bool {
        let Resolution::Found(place) = lead else {
            return false;
        };
        self.files.contains_key(&place.path)
            || self.removed.contains(&place.path)
            || self.is_gone(place)
    }

    /// Returns true if a place is a section that is removed or renamed.
    fn is_gone(&self, place: &LinkTarget) -> bool {
        let (Some(ids), Some(fragment)) = (self.gone.get(&place.path), &place.fragment) else {
            return false;
        };
        // A wikilink names a heading by its text, `[[guide#Install the tool]]`, or a path of
        // headings, `[[guide#Setup#Install the tool]]`. Other links name the id
        // `install-the-tool`. The removed ids are those of headings, so the last heading of a
        // wikilink is converted to its id as well.
        let heading = fragment.rsplit('#').next().unwrap_or(fragment);
        ids.contains(fragment) || ids.contains(&slug(heading.trim()))
    }

    /// Records the rewritten links of a document; `links` are all of its links.
    pub fn note_rewrites(&mut self, path: &str, text: &str, links: &[Link], rewrites: &Rewrites) {
        for rewrite in &rewrites.all {
            let Some(link) = links.get(rewrite.link) else {
                continue;
            };
            // The keys are the line and the destination as they are written now, because the
            // new text is parsed again later and its links have other offsets. `note_broken`
            // finds with them what the link meant before, and does not take a rewritten link
            // for a new one.
            self.left.remove(&(path.to_owned(), link.span.start));
            self.were.insert(
                (path.to_owned(), link.line, rewrite.destination.clone()),
                link.target.clone(),
            );
            self.rewritten.push(RewrittenLink {
                path: path.to_owned(),
                line: link.line,
                old: text
                    .get(rewrite.range.clone())
                    .unwrap_or_default()
                    .to_owned(),
                new: rewrite.destination.clone(),
            });
        }
        self.note_stuck(path, text, links, &rewrites.stuck);
    }

    /// Records the links of a document that cannot be rewritten.
    pub fn note_stuck(&mut self, path: &str, text: &str, links: &[Link], stuck: &[usize]) {
        for link in stuck.iter().filter_map(|index| links.get(*index)) {
            self.warnings.push(format!(
                "the link `{}` at line {} of `{path}` cannot be rewritten",
                link_text(text, link),
                link.line
            ));
        }
    }

    /// Records the links that are broken afterwards and were not before.
    pub fn note_broken<D: Disk>(
        &mut self,
        corpus: &mut Corpus<D>,
        root: usize,
        planned: &[Planned],
    ) {
        let mut places = Places::new(planned);
        let mut places_before = Places::before(planned);
        let mut own = BTreeSet::new();
        for one in planned {
            let path = one.existing.path.to_string();
            if self.removed.contains(&path) {
                own.insert(path);
                continue;
            }
            let Some(format) = markup(&one.existing.name) else {
                continue;
            };
            let (Some(before), Some(after)) = (one.text_before(), one.text_after()) else {
                continue;
            };
            let to = one.to().map_or(path.clone(), ToString::to_string);
            let links_before = links(&before, format);
            let nowhere =
                self.leading_nowhere(corpus, root, &path, &links_before, &mut places_before);
            let texts: Vec<String> = nowhere
                .iter()
                .map(|link| link_text(&before, link))
                .collect();
            let before = self.leads_before(&path, &links_before);
            let (mut leading, mut standing) = (Vec::new(), BTreeSet::new());
            for link in links(&after, format) {
                let lead = resolve(&link, &to, self.moves.after());
                let is_outgoing = is_elsewhere(&lead, &to)
                    && lead
                        .place()
                        .is_some_and(|place| !self.moves_as_one(&to, &place.path));
                if self.files.contains_key(&path) && is_outgoing {
                    self.outgoing
                        .push(place(&path, &link, link_text(&after, &link)));
                }
                let target = self.target_before(&path, &after, &link);
                let was = before.get(target);
                if !nowhere.is_empty() {
                    standing.insert(target.to_owned());
                    if !places.is_broken(corpus, root, &lead) {
                        leading.push(target.to_owned());
                    }
                }
                // A change is answerable only for links that resolved before it. A document
                // with ten broken links and an edited typo must not be answered with ten
                // warnings: callers would learn to ignore the list, including the one link that
                // their edit really broke. `nowhere` has the links of the old text that were
                // broken; they are compared by their old destination.
                let was_broken = nowhere.iter().any(|link| link.target == target);
                if link.kind == LinkKind::Use || was_broken || !self.may_break(was, &lead) {
                    continue;
                }
                if let Resolution::Ambiguous(paths) = &lead {
                    self.note_several(&path, &link, &link_text(&after, &link), paths);
                } else if was.is_some_and(|was| is_lost(was, &lead))
                    || places.is_broken(corpus, root, &lead)
                {
                    self.broken
                        .push(place(&path, &link, link_text(&after, &link)));
                }
            }
            let is_new = |target: &&String| !before.contains_key(*target);
            let mut new = leading.iter().filter(is_new).count();
            let known = self.mended.len();
            let led_nowhere = nowhere.len();
            for (link, text) in nowhere.iter().zip(texts) {
                // A broken link counts as fixed in two cases. Its destination is still in the
                // text and resolves now, for example because the missing file is created by the
                // same call. Or its destination is gone from the text, and a new destination
                // that resolves is there: the edit replaced `old.md` by `new.md`. Each new
                // destination explains one link only, so `new` is counted down; a link that was
                // just deleted is not fixed.
                let leads = leading.contains(&link.target);
                if !leads && (new == 0 || standing.contains(&link.target)) {
                    continue;
                }
                new -= usize::from(!leads);
                self.mended.push(place(&path, link, text));
            }
            if self.files.contains_key(&path) {
                self.was_broken += led_nowhere - (self.mended.len() - known);
            }
            own.insert(path);
        }
        for (path, link, text) in std::mem::take(&mut self.led_nowhere) {
            let to = self.moves.new_path(&path).into_owned();
            let lead = resolve(&link, &to, self.moves.after());
            if !own.contains(&path) && !places.is_broken(corpus, root, &lead) {
                self.mended.push(place(&path, &link, text));
            }
        }
        for ((path, _), (link, text)) in std::mem::take(&mut self.left) {
            let was = resolve(&link, &path, self.moves.before());
            if own.contains(&path) || places_before.is_broken(corpus, root, &was) {
                continue;
            }
            let lead = resolve(&link, &path, self.moves.after());
            if let Resolution::Ambiguous(paths) = &lead {
                self.note_several(&path, &link, &text, paths);
            } else if places.is_broken(corpus, root, &lead) {
                self.broken.push(place(&path, &link, text));
            }
        }
    }

    /// Returns the links of a document that were broken before, the first for each destination.
    fn leading_nowhere<'l, D: Disk>(
        &self,
        corpus: &mut Corpus<D>,
        root: usize,
        path: &str,
        links: &'l [Link],
        places: &mut Places<'_>,
    ) -> Vec<&'l Link> {
        let mut nowhere: Vec<&Link> = Vec::new();
        for link in links.iter().filter(|link| link.kind != LinkKind::Use) {
            let is_known = nowhere.iter().any(|other| other.target == link.target);
            if !is_known
                && places.is_broken(corpus, root, &resolve(link, path, self.moves.before()))
            {
                nowhere.push(link);
            }
        }
        nowhere
    }

    /// Returns the old target of each destination of a text.
    fn leads_before(&self, path: &str, links: &[Link]) -> BTreeMap<String, Resolution> {
        let leads = |link: &Link| resolve(link, path, self.moves.before());
        links
            .iter()
            .map(|link| (link.target.clone(), leads(link)))
            .collect()
    }

    /// Returns the destination of a link before it was rewritten.
    fn target_before<'l>(&'l self, path: &str, after: &str, link: &'l Link) -> &'l str {
        let written = link.destination.clone().and_then(|range| after.get(range));
        let key = |written: &str| (path.to_owned(), link.line, written.to_owned());
        let were = written.and_then(|written| self.were.get(&key(written)));
        were.map_or(&link.target, String::as_str)
    }

    /// Returns true if a link may have been broken by this change: a new one, or one whose target
    /// was moved or removed. Links that were broken before do not count.
    fn may_break(&self, before: Option<&Resolution>, after: &Resolution) -> bool {
        match before {
            None => true,
            Some(before @ Resolution::Found(place)) => {
                is_lost(before, after) || self.is_gone(place)
            }
            Some(_) => false,
        }
    }

    /// Returns the number of files that move, excluding the directories they leave.
    fn files_moving(&self) -> usize {
        let paths = self.files.keys();
        paths
            .filter(|path| self.moves.before().has_file(path))
            .count()
    }

    /// Returns it in the form of an answer, or `None` if no link is affected.
    pub fn into_answer(mut self) -> Option<ChangeImpact> {
        let by_place = |a: &LinkPlace, b: &LinkPlace| (&a.path, a.line).cmp(&(&b.path, b.line));
        for list in [
            &mut self.incoming,
            &mut self.outgoing,
            &mut self.broken,
            &mut self.mended,
        ] {
            sort_by(list, by_place);
        }
        sort_by(&mut self.rewritten, |a, b| {
            (&a.path, a.line).cmp(&(&b.path, b.line))
        });
        let lists = [&self.incoming, &self.outgoing, &self.broken, &self.mended];
        let is_empty = lists.iter().all(|list| list.is_empty()) && self.rewritten.is_empty();
        let told = ImpactCounts {
            moves: self.files_moving(),
            goes: self.removed.len(),
            sections: self.gone.values().map(BTreeSet::len).sum(),
            incoming: &self.incoming,
            outgoing: self.outgoing.len(),
            rewritten: self.rewritten.len(),
            broken: self.broken.len(),
            mended: self.mended.len(),
            was_broken: self.was_broken,
            documents: self.documents,
        };
        if is_empty && !told.is_of_files() {
            return None;
        }
        let summary = told.summary();
        let more_rewritten = saturating_u32(self.rewritten.len().saturating_sub(LINKS_SHOWN));
        self.rewritten.truncate(LINKS_SHOWN);
        Some(ChangeImpact {
            summary,
            incoming: limit_links(self.incoming),
            outgoing: limit_links(self.outgoing),
            broken: limit_links(self.broken),
            mended: limit_links(self.mended),
            was_broken: saturating_u32(self.was_broken),
            rewritten: self.rewritten,
            more_rewritten,
        })
    }
}

fn place(path: &str, link: &Link, text: String) -> LinkPlace {
    LinkPlace {
        path: path.to_owned(),
        line: link.line,
        text,
    }
}

fn is_elsewhere(lead: &Resolution, own: &str) -> bool {
    matches!(lead, Resolution::Found(place) if place.path != own)
}

/// Returns true if a link resolved to a file and is now broken or ambiguous.
fn is_lost(before: &Resolution, after: &Resolution) -> bool {
    matches!(before, Resolution::Found(_)) && !matches!(after, Resolution::Found(_))
}

/// Anchors of documents, all as they were before or all as they are afterwards, by the paths of
/// that time. Each is loaded once.
struct Places<'p> {
    planned: BTreeMap<String, &'p Planned>,
    /// True if they are from before the change.
    are_before: bool,
    known: BTreeMap<String, Option<Anchors>>,
    read: usize,
}

impl<'p> Places<'p> {
    fn new(planned: &'p [Planned]) -> Self {
        let named = |one: &'p Planned| Some((one.path_after()?.to_string(), one));
        Self {
            planned: planned.iter().filter_map(named).collect(),
            are_before: false,
            known: BTreeMap::new(),
            read: 0,
        }
    }

    /// Returns the anchors of documents before the change.
    fn before(planned: &'p [Planned]) -> Self {
        let named = |one: &'p Planned| (one.existing.path.to_string(), one);
        Self {
            planned: planned.iter().map(named).collect(),
            are_before: true,
            known: BTreeMap::new(),
            read: 0,
        }
    }

    fn is_broken<D: Disk>(
        &mut self,
        corpus: &mut Corpus<D>,
        root: usize,
        lead: &Resolution,
    ) -> bool {
        let Resolution::Found(place) = lead else {
            return lead.is_broken(None);
        };
        if place.fragment.is_none() {
            return false;
        }
        if !self.known.contains_key(&place.path) {
            let anchors = self.anchors(corpus, root, &place.path);
            self.known.insert(place.path.clone(), anchors);
        }
        lead.is_broken(self.known.get(&place.path).and_then(Option::as_ref))
    }

    /// Returns the anchors of a document, or `None` if none are known.
    fn anchors<D: Disk>(
        &mut self,
        corpus: &mut Corpus<D>,
        root: usize,
        path: &str,
    ) -> Option<Anchors> {
        markup(path.rsplit('/').next()?)?;
        if let Some(one) = self.planned.get(path) {
            let text = match self.are_before {
                true => one.text_before()?,
                false => one.text_after()?,
            };
            return Some(Anchors::from_text(&one.existing.name, &text));
        }
        self.read += 1;
        // Anchors are known for the documents of the call. Others have to be opened and parsed,
        // only to check that `other.md#section` exists. Beyond this limit nothing is known of a
        // document, and a link to it counts as intact: this report must not make an edit slow.
        if self.read > LINK_TARGETS_READ {
            return None;
        }
        let opened = corpus.open(root, &RelPath::parse(path).ok()?).ok()?;
        let decoded = opened.decode(&mut corpus.store).ok()?;
        Some(Anchors::from_text(&opened.name, &decoded.text))
    }
}
