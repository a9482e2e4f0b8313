//! The files of a call: opened, and what the edits make of each.

use std::collections::BTreeMap;

use docent_api::types::{Error, ErrorCode};
use docent_api::writing::{
    AppliedEdit, ChangedFile, Edit, EditMatched, EditedPlace, LineRange, SectionOperation,
};
use docent_corpus::corpus::Corpus;
use docent_corpus::foreign;
use docent_edit::diff::write::{Names, line_counts};
use docent_edit::find_text::Matched;
use docent_edit::plan::{self, Applied, Lines, Plan, Refused, plan};
use docent_edit::source::{Source, Splice};
use docent_graph::rewrite::Rewrite;
use docent_text::content_hash::ContentHash;
use docent_text::saturating::saturating_u32;
use docent_transaction::journal::{Change, Operation};
use docent_tree::disk::WriteDisk;
use docent_tree::error::refuse;
use docent_tree::limits::DOCUMENT_BYTES;
use docent_tree::path::RelPath;

use crate::change::refusals::Refusal;
use crate::change::request::{Deed, Target, Task, as_edit};
use crate::limits::{EDITED_PLACES, OPENED_BYTES};
use crate::writing::file::Existing;
use crate::writing::place::{Place, exists};
use crate::writing::root::WritableRoot;
use crate::writing::shown::{DiffRoom, file, lines, marked};
use crate::writing::survey::markup;

/// A file, and what is to be done to it.
pub struct Opened {
    /// The file.
    pub existing: Existing,
    tasks: Vec<Task>,
}

/// What the tasks of a file want.
struct Wanted<'e> {
    edits: Vec<(usize, plan::Edit<'e>)>,
    to: Option<RelPath>,
    file_links: Links,
    section_links: Links,
    is_with_directory: bool,
    refusals: Vec<Refusal>,
}

/// What edits make of a file.
pub struct Planned {
    /// The file as it is.
    pub existing: Existing,
    /// Its new path.
    pub to: Option<RelPath>,
    content: Option<Vec<u8>>,
    /// The hash of the content afterwards.
    pub new_hash: ContentHash,
    /// What is shown of it.
    pub shown: ChangedFile,
    /// What to know before it is written.
    pub warnings: Vec<String>,
    /// What becomes of links to it, and in it, where it moves.
    pub file_links: Links,
    /// What becomes of links to its sections.
    pub section_links: Links,
}

/// What becomes of links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// They are written anew where they would lead nowhere, or elsewhere.
    Follow,
    /// They stay as they are.
    Stay,
}

/// Opens the files of `tasks`, each once, whatever it is called, in the order in which they are
/// named; and says of which tasks there is none.
pub fn open<D: WriteDisk>(
    corpus: &Corpus<D>,
    root: &WritableRoot<D::Directory>,
    tasks: Vec<Task>,
) -> (Vec<Opened>, Vec<Refusal>) {
    let mut files: Vec<Opened> = Vec::new();
    let mut by_path: BTreeMap<String, Result<usize, Error>> = BTreeMap::new();
    // The same file may be asked for in another normal form.
    let mut by_name: BTreeMap<String, usize> = BTreeMap::new();
    let mut bytes = 0;
    let mut refusals = Vec::new();
    for task in tasks {
        let asked = task.path.as_str().to_owned();
        let found = by_path.entry(asked).or_insert_with(|| {
            let existing = Existing::read(corpus, root, &task.path)?;
            let index = by_name.entry(existing.path.to_string());
            Ok(*index.or_insert({
                bytes += existing.bytes.len();
                if bytes > OPENED_BYTES {
                    return Err(too_much());
                }
                files.push(Opened {
                    existing,
                    tasks: Vec::new(),
                });
                files.len() - 1
            }))
        });
        match found {
            Ok(index) => {
                if let Some(file) = files.get_mut(*index) {
                    file.tasks.push(task);
                }
            }
            Err(error) => {
                let path = task.path.to_string();
                let error = no_file(error.clone());
                refusals.push(Refusal::of_error(task.index, &path, error));
            }
        }
    }
    (files, refusals)
}

impl Opened {
    /// Returns what the edits make of the file, of which `all` are those of the request.
    ///
    /// # Errors
    /// The edits that cannot be made; then none is.
    pub fn plan<D: WriteDisk>(
        self,
        corpus: &Corpus<D>,
        root: &WritableRoot<D::Directory>,
        all: &[Edit],
    ) -> Result<Planned, Vec<Refusal>> {
        let path = self.existing.path.to_string();
        let Wanted {
            edits,
            to,
            file_links,
            section_links,
            is_with_directory,
            mut refusals,
        } = self.wanted(corpus, root, all);
        if edits.is_empty() {
            drop(edits);
            return if refusals.is_empty() {
                let told = !is_with_directory && file_links == Links::Stay;
                Ok(self.moved(to, file_links, told))
            } else {
                Err(refusals)
            };
        }
        let source = match self.existing.text() {
            Ok(source) => source,
            Err(error) => {
                let tasks = self.tasks.iter();
                let refusal = |task: &Task| Refusal::of_error(task.index, &path, error.clone());
                return Err(tasks.map(refusal).collect());
            }
        };
        let plan = match plan(&source, &self.existing.name, &edits) {
            Ok(plan) if refusals.is_empty() => plan,
            Ok(_) => return Err(refusals),
            Err(refused) => {
                let told = |one: &Refused| Refusal::of_edit(&path, one, all);
                refusals.extend(refused.iter().map(told));
                return Err(refusals);
            }
        };
        if plan.bytes.len() > DOCUMENT_BYTES {
            let index = edits.first().map_or(0, |(index, _)| *index);
            return Err(vec![Refusal::of_error(index, &path, too_large(&plan))]);
        }
        let new_hash = if plan.changed {
            ContentHash::of(&plan.bytes)
        } else {
            self.existing.hash
        };
        let shown = shown(&self.existing, &source, (&plan, new_hash), to.as_ref());
        let told = !is_with_directory && file_links == Links::Stay;
        let warnings = warnings(&plan, &shown, told);
        let content = plan.changed.then_some(plan.bytes);
        drop(edits);
        Ok(Planned {
            existing: self.existing,
            to,
            content,
            new_hash,
            shown,
            warnings,
            file_links,
            section_links,
        })
    }

    /// Returns what the tasks want, as the engine takes it.
    fn wanted<'e, D: WriteDisk>(
        &'e self,
        corpus: &Corpus<D>,
        root: &WritableRoot<D::Directory>,
        edits: &'e [Edit],
    ) -> Wanted<'e> {
        let path = self.existing.path.as_str();
        let mut wanted = Wanted {
            edits: Vec::new(),
            to: None,
            file_links: Links::Stay,
            section_links: Links::Stay,
            is_with_directory: false,
            refusals: Vec::new(),
        };
        for Task { index, deed, .. } in &self.tasks {
            let taken = match deed {
                Deed::Move(..) if wanted.to.is_some() => Err(moved_twice()),
                Deed::Move(target) => {
                    let place = self.destination(corpus, root, &target.path);
                    place.map(|place| wanted.note(place, target))
                }
                Deed::Hunks(hunks) => {
                    wanted.edits.push((*index, plan::Edit::Hunks(hunks)));
                    Ok(())
                }
                Deed::Edit(form) => match edits.get(*index) {
                    Some(edit) => {
                        if edit.op == Some(SectionOperation::Rename) {
                            wanted.section_links = Links::Follow;
                        }
                        as_edit(edit, *form).map(|edit| wanted.edits.push((*index, edit)))
                    }
                    None => Ok(()),
                },
            };
            if let Err(error) = taken {
                wanted.refusals.push(Refusal::of_error(*index, path, error));
            }
        }
        wanted
    }

    /// Returns the new path of the file.
    fn destination<D: WriteDisk>(
        &self,
        corpus: &Corpus<D>,
        root: &WritableRoot<D::Directory>,
        target: &RelPath,
    ) -> Result<RelPath, Error> {
        let format = |path: &RelPath| path.segments().next_back().and_then(foreign::format);
        if format(target) != format(&self.existing.path) {
            return Err(refuse(
                ErrorCode::UnsupportedFormat,
                format!("`{target}` is the name of a file of another format; expected the same"),
                "Keep the file name extension: moving converts nothing.",
            ));
        }
        match Place::of(corpus, root.chosen.index, target)? {
            Place::Free(place) => Ok(place),
            Place::Taken(place) => Err(exists(&place, "Give a path where nothing is.")),
        }
    }

    /// Returns the plan of a file that is moved at most, for which it need not be text; with a
    /// warning, where that is `told`, that links stay.
    fn moved(self, to: Option<RelPath>, file_links: Links, told: bool) -> Planned {
        let mut one = Planned::untouched(self.existing);
        // Of many files that move only those with links are looked at again.
        if markup(&one.existing.name).is_none() {
            one.existing.bytes = Vec::new();
        }
        let path = one.existing.path.to_string();
        let hash = Some(one.existing.hash);
        one.shown = file(names(&path, to.as_ref()), (hash, hash), ("", ""));
        if told {
            one.warnings.extend(to.iter().map(|_| links_stay(&path)));
        }
        Planned {
            to,
            file_links,
            ..one
        }
    }
}

impl Wanted<'_> {
    fn note(&mut self, place: RelPath, target: &Target) {
        self.to = Some(place);
        self.file_links = target.links;
        self.is_with_directory = target.is_with_directory;
    }
}

impl Planned {
    /// Returns a file that nothing happens to.
    pub fn untouched(existing: Existing) -> Self {
        let new_hash = existing.hash;
        let hash = Some(new_hash);
        let shown = file(Names::Same(existing.path.as_str()), (hash, hash), ("", ""));
        Self {
            existing,
            to: None,
            content: None,
            new_hash,
            shown,
            warnings: Vec::new(),
            file_links: Links::Stay,
            section_links: Links::Stay,
        }
    }

    /// Whether its content becomes another one.
    pub fn is_edited(&self) -> bool {
        self.content.is_some()
    }

    /// Returns its text as it is; none where it is no text.
    pub fn text_before(&self) -> Option<String> {
        let source = Source::decode(&self.existing.bytes).ok()?;
        Some(source.text().to_owned())
    }

    /// Returns its text as it will be; none where it is no text.
    pub fn text_after(&self) -> Option<String> {
        let bytes = self.content.as_ref().unwrap_or(&self.existing.bytes);
        Some(Source::decode(bytes).ok()?.text().to_owned())
    }

    /// Writes the destinations of links in its text anew.
    ///
    /// # Errors
    /// Why that cannot be; then it stays as it was.
    pub fn rewrite(&mut self, rewrites: &[Rewrite]) -> Result<(), Error> {
        if rewrites.is_empty() {
            return Ok(());
        }
        let old = self.existing.text()?;
        let bytes = self.content.as_ref().unwrap_or(&self.existing.bytes);
        let unfit = || {
            refuse(
                ErrorCode::NotText,
                "their new destinations cannot be written in its encoding",
                "Ask the person to save it as UTF-8.",
            )
        };
        let source = Source::decode(bytes).map_err(|_| unfit())?;
        let mut splices = Vec::with_capacity(rewrites.len());
        for rewrite in rewrites {
            let range = rewrite.range.clone();
            if source.damage_in(range.clone()).is_some() {
                return Err(unfit());
            }
            let fitting = source.fit(&rewrite.destination).map_err(|_| unfit())?;
            splices.push(Splice {
                range,
                text: fitting.into_owned(),
            });
        }
        let content = source.spliced_bytes(&splices);
        let hashes = (self.existing.hash, ContentHash::of(&content));
        let new = Source::decode(&content).map_err(|_| unfit())?;
        let path = self.existing.path.as_str();
        let edits = std::mem::take(&mut self.shown.edits);
        self.shown = ChangedFile {
            edits,
            ..file(
                names(path, self.to.as_ref()),
                (Some(hashes.0), Some(hashes.1)),
                (&marked(&old), &marked(&new)),
            )
        };
        self.content = Some(content);
        self.new_hash = hashes.1;
        Ok(())
    }

    /// Returns how many bytes are to be written.
    pub fn bytes(&self) -> usize {
        self.content.as_ref().map_or(0, Vec::len)
    }

    /// Returns the change of the transaction; none where nothing changes.
    pub fn change(&mut self) -> Option<Change> {
        let (path, expected) = (self.existing.path.clone(), self.existing.hash);
        let operation = match (self.to.clone(), self.content.take()) {
            (None, None) => return None,
            (None, Some(content)) => Operation::Set {
                path,
                expected,
                content,
            },
            (Some(to), content) => Operation::Move {
                path,
                to,
                expected,
                content,
            },
        };
        let lines = lines(&self.shown);
        Some(Change { operation, lines })
    }
}

fn names<'p>(path: &'p str, to: Option<&'p RelPath>) -> Names<'p> {
    to.map_or(Names::Same(path), |to| Names::Moved(path, to.as_str()))
}

fn links_stay(path: &str) -> String {
    format!("links to `{path}` and in it stay as they are")
}

/// A file that is not there is made by no edit.
fn no_file(error: Error) -> Error {
    if error.code != ErrorCode::DocumentNotFound {
        return error;
    }
    Error {
        hint: "Look for its path: hidden and ignored files, links and what lies outside are not \
               there. Edits make no new file: that is written whole."
            .to_owned(),
        ..error
    }
}

fn moved_twice() -> Error {
    refuse(
        ErrorCode::InvalidRequest,
        "another edit of the call moves the file as well; expected one `move`",
        "Send one of them.",
    )
}

fn too_much() -> Error {
    refuse(
        ErrorCode::LimitReached,
        format!("the files of the call have more than {OPENED_BYTES} bytes"),
        "Nothing was written. Make several calls, each with some of the files.",
    )
}

fn too_large(plan: &Plan) -> Error {
    refuse(
        ErrorCode::DocumentTooLarge,
        format!(
            "the file would have {} bytes; expected at most {DOCUMENT_BYTES}",
            plan.bytes.len()
        ),
        "A file of this size could not be read any more.",
    )
}

/// Returns what to know before it is written.
fn warnings(plan: &Plan, shown: &ChangedFile, links_are_left: bool) -> Vec<String> {
    let path = &shown.path;
    let of_plan = plan.warnings.iter();
    let mut warnings: Vec<String> = of_plan
        .map(|warning| format!("`{path}`: {}", warning.message()))
        .collect();
    if links_are_left {
        warnings.extend(shown.moved_to.as_ref().map(|_| links_stay(path)));
    }
    if !shown.changed {
        warnings.push(format!(
            "`{path}` would be as before: the edits change nothing"
        ));
    }
    warnings
}

fn shown(
    existing: &Existing,
    source: &Source<'_>,
    (plan, new_hash): (&Plan, ContentHash),
    to: Option<&RelPath>,
) -> ChangedFile {
    let (added, removed) = line_counts(source.text(), &plan.text);
    let path = existing.path.to_string();
    let (diff, diff_is_cut) = DiffRoom::default().fit(plan.diff(source, names(&path, to)));
    ChangedFile {
        moved_to: to.map(ToString::to_string),
        old_hash: Some(existing.hash.short()),
        new_hash: Some(new_hash.short()),
        changed: plan.changed || to.is_some(),
        applied: false,
        undo_id: None,
        added_lines: saturating_u32(added),
        removed_lines: saturating_u32(removed),
        diff,
        diff_is_cut,
        edits: plan.edits.iter().map(applied).collect(),
        path,
    }
}

fn applied(edit: &Applied) -> AppliedEdit {
    let range = |lines: &Lines| LineRange {
        first: lines.first,
        last: lines.last,
    };
    let place = |(before, after): &(Lines, Lines)| EditedPlace {
        before: range(before),
        after: range(after),
    };
    AppliedEdit {
        index: saturating_u32(edit.index),
        match_: match edit.matched {
            Matched::Exact => EditMatched::Exact,
            Matched::LineEndings => EditMatched::LineEndings,
            Matched::Composed => EditMatched::Composed,
            Matched::Whitespace => EditMatched::Whitespace,
        },
        places: edit.places.iter().take(EDITED_PLACES).map(place).collect(),
        more_places: saturating_u32(edit.places.len().saturating_sub(EDITED_PLACES)),
    }
}
