//! Links affected by moved files and by renamed or removed sections.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use docent_api::types::{Error, ErrorCode};
use docent_corpus::corpus::Corpus;
use docent_graph::anchors::Anchors;
use docent_graph::destination::is_external;
use docent_graph::link::Link;
use docent_graph::prose;
use docent_graph::read::links;
use docent_graph::rewrite::{Moves, RenamedSections};
use docent_graph::targets::Targets;
use docent_transaction::limits::{FILES, TRANSACTION_BYTES};
use docent_tree::disk::WriteDisk;
use docent_tree::error::refuse;
use docent_tree::path::RelPath;

use crate::change::code::CodeImpact;
use crate::change::directories::Moving;
use crate::change::impact::LinkImpact;
use crate::change::planned::{FileOutcome, LinkPolicy, Planned};
use crate::change::request::{ImpactReport, Options};
use crate::writing::file::Existing;
use crate::writing::link_index::{
    LinkIndex, LinkingDocument, NoListener, index_links, markup, visit_hidden,
};
use crate::writing::root::WritableRoot;

/// Warning if the caller does not ask for the impact.
const NOT_LOOKED: &str = "imports and uses of this code were not searched: `impact` is false";

/// Effects of a call's edits on links.
#[derive(Default)]
struct LinkEffects {
    /// Files that move, by their old paths.
    files: BTreeMap<String, String>,
    /// Those of them whose links are updated.
    followed: BTreeMap<String, String>,
    /// Directories that move and whose links are updated, by their old paths.
    directories: BTreeMap<String, String>,
    /// Renamed sections whose links are updated, by the paths of their documents.
    renamed: BTreeMap<String, RenamedSections>,
    /// Ids that are removed or renamed, by the paths of their documents.
    gone: BTreeMap<String, BTreeSet<String>>,
    /// Files that are created.
    created: BTreeSet<String>,
    /// Files that go.
    removed: BTreeSet<String>,
    /// True if a text has new links.
    has_new_links: bool,
}

/// A text of a planned file, before and after.
struct Texts<'p> {
    before: Cow<'p, str>,
    after: Cow<'p, str>,
}

/// Adds edits to `planned` that keep links valid, and returns the impact on links.
///
/// # Errors
/// `limit-reached` if too many files would have to change.
pub fn follow<D: WriteDisk>(
    corpus: &mut Corpus<D>,
    root: &WritableRoot<D::Directory>,
    options: &Options,
    planned: &mut Vec<Planned>,
    moving: &[Moving],
) -> Result<Option<LinkImpact>, Error> {
    let mut effects = LinkEffects::from_planned(planned, options.impact_report);
    effects.note_directories(moving);
    let targets = effects.targets(options.impact_report);
    let mut code = CodeImpact::from_planned(planned);
    if options.impact_report != ImpactReport::Include {
        if code.is_of_code()
            && let Some(first) = planned.first_mut()
        {
            first.warnings.push(NOT_LOOKED.to_owned());
        }
        code = CodeImpact::default();
    }
    if targets.is_empty() && !effects.has_new_links && code.is_empty() {
        return Ok(None);
    }
    let indexed = if code.is_empty() {
        index_links(corpus, root.chosen.index, &targets, &mut NoListener)
    } else {
        index_links(corpus, root.chosen.index, &targets, &mut code)
    };
    let link_index = match indexed {
        // Two kinds of calls search the root. A move that updates links depends on the result:
        // without it some links would be left broken, so the error ends the call before
        // anything is written. All others only report the impact. A root that is too large to
        // be searched in time must not prevent a one-line edit, so these continue with a
        // warning.
        Err(error) if effects.followed.is_empty() && effects.renamed.is_empty() => {
            let unknown = format!(
                "the effect on links and code is not known: {}",
                error.message
            );
            if let Some(first) = planned.first_mut() {
                first.warnings.push(unknown);
            }
            return Ok(None);
        }
        indexed => indexed?,
    };
    // The names after the change are derived from the names before it and the plan, since the
    // disk has not changed yet. Every link is then resolved twice, by both sets of names, and
    // is rewritten only if the results differ. Resolving by the disk would show every moved
    // file at its old path only.
    let mut after = link_index.names.after(&effects.files);
    effects.removed.iter().for_each(|path| after.remove(path));
    effects.created.iter().for_each(|path| after.insert(path));
    let moves = Moves::new(
        link_index.names.clone(),
        after,
        effects.followed.clone(),
        effects.renamed.clone(),
    );
    let moves = moves.with_directories(effects.directories);
    let mut impact = LinkImpact::new(
        moves,
        (effects.files, moving),
        effects.removed,
        effects.gone,
    );
    impact.note_documents(&link_index);
    if !code.is_empty() {
        if !visit_hidden(corpus, root.chosen.index, &mut code) {
            let warning = "not all hidden files were searched for old paths";
            impact.warnings.push(warning.to_owned());
        }
        impact.note_code(code);
    }
    // Files of the call come first, with the texts that the call gives them: their links are at
    // new offsets, and an edit may have added or removed some. `others` then opens the
    // remaining documents and skips these, so that no document is planned twice; the
    // transaction refuses a path that is named twice.
    for one in planned.iter_mut() {
        let Some(texts) = texts(one) else { continue };
        let (path, links) = (one.existing.path.to_string(), links_of(one, &texts.after));
        let rewrites = impact.moves.rewrites(&texts.after, &links, &path);
        impact.note_rewrites(&path, &texts.after, &links, &rewrites);
        if let Err(error) = one.rewrite(&rewrites.all) {
            one.warnings.push(rewrite_warning(&path, &error));
        }
    }
    others(corpus, root, link_index, planned, &mut impact)?;
    if options.impact_report == ImpactReport::Include {
        impact.note_broken(corpus, root.chosen.index, planned);
    }
    Ok(Some(impact))
}

/// Adds the documents that are not edited but whose links change.
fn others<D: WriteDisk>(
    corpus: &Corpus<D>,
    root: &WritableRoot<D::Directory>,
    link_index: LinkIndex,
    planned: &mut Vec<Planned>,
    impact: &mut LinkImpact,
) -> Result<(), Error> {
    let own: BTreeSet<String> = planned
        .iter()
        .map(|one| one.existing.path.to_string())
        .collect();
    let mut bytes: usize = planned.iter().map(Planned::bytes).sum();
    if link_index.unread > 0 && !impact.moves_nothing() {
        let count = link_index.unread;
        impact.warnings.push(format!(
            "{count} documents could not be read: links in them stay as they are"
        ));
    }
    for LinkingDocument { path, .. } in link_index.linking {
        if own.contains(&path) {
            continue;
        }
        let added = match rewrite_links(corpus, root, &path, impact) {
            Ok(added) => added,
            Err(error) => {
                impact.warnings.push(rewrite_warning(&path, &error));
                continue;
            }
        };
        let Some(one) = added else { continue };
        bytes += one.bytes();
        if planned.len() >= FILES || bytes > TRANSACTION_BYTES {
            return Err(too_many());
        }
        planned.push(one);
    }
    Ok(())
}

/// Returns a document with rewritten links, or `None` if none has to change.
fn rewrite_links<D: WriteDisk>(
    corpus: &Corpus<D>,
    root: &WritableRoot<D::Directory>,
    path: &str,
    impact: &mut LinkImpact,
) -> Result<Option<Planned>, Error> {
    let existing = Existing::read(corpus, root, &RelPath::parse(path)?)?;
    let mut one = Planned::without_changes(existing);
    let Some(text) = texts(&one).map(|texts| texts.after.into_owned()) else {
        return Ok(None);
    };
    let links = links_of(&one, &text);
    let rewrites = impact.moves.rewrites(&text, &links, path);
    impact.note_stuck(path, &text, &links, &rewrites.stuck);
    if rewrites.all.is_empty() {
        return Ok(None);
    }
    one.rewrite(&rewrites.all)?;
    impact.note_rewrites(path, &text, &links, &rewrites);
    Ok(Some(one))
}

impl LinkEffects {
    fn from_planned(planned: &[Planned], impact_report: ImpactReport) -> Self {
        let mut effects = Self::default();
        for one in planned {
            let path = one.existing.path.to_string();
            match &one.outcome {
                FileOutcome::Kept => {}
                FileOutcome::Created => {
                    effects.created.insert(path);
                }
                FileOutcome::Deleted => {
                    effects.removed.insert(path);
                }
                FileOutcome::Moved(to) => {
                    if one.file_links == LinkPolicy::Follow {
                        effects.followed.insert(path.clone(), to.to_string());
                    }
                    effects.files.insert(path, to.to_string());
                }
            }
            if !one.is_edited() {
                continue;
            }
            let Some(texts) = texts(one) else { continue };
            let Texts { before, after } = &texts;
            if prose::is_all_that_changes(&one.existing.name, before, after) {
                continue;
            }
            effects.note_sections(one, &texts);
            if impact_report == ImpactReport::Include {
                effects.has_new_links |= has_new_links(one, &texts);
            }
        }
        effects
    }

    fn note_sections(&mut self, one: &Planned, texts: &Texts<'_>) {
        let (path, name) = (one.existing.path.as_str(), &one.existing.name);
        let anchors = |text: &str| Anchors::from_text(name, text);
        let mut gone = anchors(&texts.before).missing_from(&anchors(&texts.after));
        if one.section_links == LinkPolicy::Follow
            && let Some(renamed) = RenamedSections::between(name, &texts.before, &texts.after)
            && !renamed.is_empty()
        {
            // The old id may exist again: when `Setup` is renamed to `Usage` while another
            // section is renamed to `Setup`, links to `#setup` still resolve, but to another
            // text. The difference of both sets of ids does not contain `setup`, so renamed ids
            // are added explicitly.
            gone.extend(renamed.ids().map(str::to_owned));
            self.renamed.insert(path.to_owned(), renamed);
        }
        if !gone.is_empty() {
            self.gone.insert(path.to_owned(), gone);
        }
    }

    /// Adds directories that move, which may be targets of links themselves.
    fn note_directories(&mut self, moving: &[Moving]) {
        for Moving {
            from,
            to,
            links,
            emptied,
        } in moving
        {
            if *links == LinkPolicy::Follow {
                self.directories.insert(from.clone(), to.clone());
            }
            for directory in emptied {
                let path = directory.to_string();
                let new = format!("{to}{}", &path[from.len()..]);
                if *links == LinkPolicy::Follow {
                    self.followed.insert(path.clone(), new.clone());
                }
                self.files.insert(path, new);
            }
        }
    }

    /// Returns the files whose incoming links have to be searched for.
    fn targets(&self, impact_report: ImpactReport) -> Targets {
        let mut targets = Targets::default();
        let moving = match impact_report {
            ImpactReport::Include => &self.files,
            ImpactReport::Omit => &self.followed,
        };
        for (old, new) in moving {
            targets.insert(old);
            // The new path is searched for as well. With `[[setup]]` in a document and a move
            // of `old.md` to `b/setup.md`, the wikilink has a second candidate beside
            // `a/setup.md` and becomes ambiguous, although no link contains the old name.
            targets.insert(new);
        }
        self.renamed.keys().for_each(|path| targets.insert(path));
        if impact_report == ImpactReport::Include {
            let gone = self.gone.keys().chain(&self.removed);
            gone.for_each(|path| targets.insert(path));
            // Links to a created file may exist already, broken until now. They are the ones to
            // report as fixed.
            self.created.iter().for_each(|path| targets.insert(path));
        }
        targets
    }
}

/// Returns true if an edited text has new links.
fn has_new_links(one: &Planned, texts: &Texts<'_>) -> bool {
    let mut after = links_of(one, &texts.after);
    after.retain(|link| !is_external(&link.target));
    // Most edits of documents add no links. Then the old text is not parsed for links at all,
    // which would take as long as parsing the new one.
    if after.is_empty() {
        return false;
    }
    let before = links_of(one, &texts.before);
    let known: BTreeSet<&str> = before.iter().map(|link| link.target.as_str()).collect();
    after
        .iter()
        .any(|link| !known.contains(link.target.as_str()))
}

/// Returns the texts of a planned file, or `None` if it is not a document with links.
fn texts(one: &Planned) -> Option<Texts<'_>> {
    markup(&one.existing.name)?;
    Some(Texts {
        before: one.text_before()?,
        after: one.text_after()?,
    })
}

fn links_of(one: &Planned, text: &str) -> Vec<Link> {
    markup(&one.existing.name).map_or(Vec::new(), |format| links(text, format))
}

fn rewrite_warning(path: &str, error: &Error) -> String {
    format!("links in `{path}` stay as they are: {}", error.message)
}

fn too_many() -> Error {
    refuse(
        ErrorCode::LimitReached,
        format!(
            "links would have to change in so many documents that they are more than {FILES} \
             files, or {TRANSACTION_BYTES} bytes, with those of the call"
        ),
        "Nothing was written. Send `updateLinks` false with the move, and fix the links in \
         separate calls.",
    )
}
