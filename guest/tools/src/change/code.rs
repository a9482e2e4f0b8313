//! Impact of a change on code and plain text: importers of a file that is moved or deleted, uses of
//! a definition that is renamed or deleted, and mentions of an old path.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use docent_api::writing::{CodeImpact as CodeImpactAnswer, LinkPlace};
use docent_code::imports::{ImportPath, ImportedName};
use docent_code::uses::uses;
use docent_code::{Language, Symbol, outline};
use docent_corpus::summary::{Content, FileSummary, has_settings};
use docent_corpus::visit::{current_summary, with_current_text};
use docent_corpus::walk::Walk;
use docent_document::headings::heading::one_line;
use docent_graph::imports::{ImportTarget, Resolver, is_manifest};
use docent_graph::names::Names;
use docent_graph::read::links;
use docent_text::sort::sort_by;
use docent_tree::disk::Directory;

use crate::change::planned::{FileOutcome, Planned};
use crate::lexical::mentions::{is_named, named_lines, numbered_lines};
use crate::limits::{GONE_NAMES, SHOWN_LINE_CHARS};
use crate::writing::link_index::{FileListener, limit_links, markup};

/// Effects of a change on code and plain text, and the lines affected.
#[derive(Default)]
pub struct CodeImpact {
    /// Files that are moved or deleted, by their old paths.
    leaving: BTreeSet<String>,
    /// Edited files, by path, with their new texts.
    edited: BTreeMap<String, String>,
    /// Names of definitions that disappear from the file that had them.
    gone: BTreeSet<String>,
    /// The code and manifests of the root.
    facts: Vec<(String, Rc<FileSummary>)>,
    imports: Vec<LinkPlace>,
    uses: Vec<LinkPlace>,
    mentions: Vec<LinkPlace>,
    /// Lines that mention a file by its name only; the file is resolved when all of them are known.
    named: Vec<(LinkPlace, String)>,
    unread: u32,
}

impl CodeImpact {
    /// Returns the effects of the planned files, before any file is searched.
    pub fn from_planned(planned: &[Planned]) -> Self {
        let mut impact = Self::default();
        for one in planned {
            let path = one.existing.path.to_string();
            if matches!(one.outcome, FileOutcome::Moved(_) | FileOutcome::Deleted) {
                impact.leaving.insert(path.clone());
            }
            if !one.is_edited() {
                continue;
            }
            let Some(after) = one.text_after() else {
                continue;
            };
            // An outline is made by a parser, twice for each edited file, so it is skipped
            // where its result is known: an edit that only adds lines cannot remove a
            // definition. A name counts as gone only if no definition of the file has it
            // afterwards; moving `parse` from one class of a file to another removes nothing.
            if let Some(language) = Language::from_path(&path)
                && one.shown.removed_lines > 0
                && let Some(before) = one.text_before()
            {
                let (mut had, mut has) = (BTreeSet::new(), BTreeSet::new());
                names(&outline(language, &before).symbols, &mut had);
                names(&outline(language, &after).symbols, &mut has);
                let gone = had.difference(&has).cloned();
                impact.gone.extend(gone.take(GONE_NAMES));
            }
            impact.edited.insert(path, after.into_owned());
        }
        impact
    }

    /// Returns true if there is nothing to search for.
    pub fn is_empty(&self) -> bool {
        self.leaving.is_empty() && self.gone.is_empty()
    }

    /// Returns true if a file of code or a definition is moved or deleted.
    pub fn is_of_code(&self) -> bool {
        !self.gone.is_empty() || self.leaving.iter().any(|path| is_code(path))
    }

    fn look_at(&mut self, path: &str, text: &str) {
        // The disk still has the text before the change. A call that renames `parse` and edits
        // its two callers would report these callers as broken if their old text were searched.
        // A file that is edited and moved is searched as well, by its new text; a file that is
        // only moved or deleted takes its own mentions with it and is skipped.
        let after = self.edited.get(path).cloned();
        if after.is_none() && self.leaving.contains(path) {
            return;
        }
        let text = after.as_deref().unwrap_or(text);
        if let Some(language) = Language::from_path(path) {
            for name in &self.gone {
                // Classifying the uses of a name parses the text, and a root may have thousands
                // of files and a change up to `GONE_NAMES` names per file. A search for the
                // bytes is cheap and excludes most files, because a use contains the name as a
                // whole word.
                if named_lines(text, name).is_empty() {
                    continue;
                }
                let found = uses(language, text, name, None);
                let lines: BTreeSet<u32> = found.uses.iter().map(|one| one.line).collect();
                let own = numbered_lines(text).filter(|(number, _)| lines.contains(number));
                let places = own.map(|(line, said)| place(path, line, said));
                self.uses.extend(places);
            }
        }
        for leaving in &self.leaving {
            let name = file_name(leaving);
            if !name.contains('.') || !text.contains(name) {
                continue;
            }
            // Links are reported by `impact`, and a move rewrites them, so the same path in a
            // destination must not be reported a second time as plain text. Only destinations
            // are blanked: in `[a.md](docs/a.md)` the label `a.md` stays as it is and is a
            // mention. Both texts have the same lines, so the answer can show the original one.
            let plain = without_destinations(path, text);
            for ((number, line), (_, plain)) in numbered_lines(text).zip(numbered_lines(&plain)) {
                if is_named(plain, leaving, name, false) {
                    self.mentions.push(place(path, number, line));
                } else if is_named(plain, leaving, name, true) {
                    self.named
                        .push((place(path, number, line), leaving.clone()));
                }
            }
        }
    }

    /// Returns it in the form of an answer, resolved by the names of the root, or `None` if nothing
    /// is affected.
    pub fn into_answer(mut self, names: &Names) -> Option<CodeImpactAnswer> {
        self.resolve(names);
        let mut namesakes: BTreeMap<&str, usize> = BTreeMap::new();
        for path in names.files() {
            *namesakes.entry(file_name(path)).or_default() += 1;
        }
        // A line such as `see a.md` names no directory. Such lines count only if no other file
        // of the root is called `a.md`, which is known only when the walk has listed all names:
        // hence the list `named`, resolved here and not line by line.
        for (place, leaving) in std::mem::take(&mut self.named) {
            if namesakes.get(file_name(&leaving)) == Some(&1) {
                self.mentions.push(place);
            }
        }
        let imports: BTreeSet<(String, u32)> = self
            .imports
            .iter()
            .map(|one| (one.path.clone(), one.line))
            .collect();
        self.mentions
            .retain(|one| !imports.contains(&(one.path.clone(), one.line)));
        for list in [&mut self.imports, &mut self.uses, &mut self.mentions] {
            sort_by(list, |a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
            list.dedup_by(|a, b| (&a.path, a.line) == (&b.path, b.line));
        }
        let is_empty = self.imports.is_empty() && self.uses.is_empty() && self.mentions.is_empty();
        (!is_empty).then(|| CodeImpactAnswer {
            imports: limit_links(self.imports),
            uses: limit_links(self.uses),
            mentions: limit_links(self.mentions),
            unread: self.unread,
        })
    }

    /// Finds the imports of files that are moved or deleted, and the relative imports of files that
    /// are moved.
    fn resolve(&mut self, names: &Names) {
        if !self.leaving.iter().any(|path| is_code(path)) {
            return;
        }
        let manifests = self.facts.iter().filter_map(|(path, facts)| {
            let text = facts.settings.as_deref()?;
            is_manifest(path).then_some((path.as_str(), text))
        });
        let imported = self.facts.iter().filter_map(|(path, facts)| {
            let Content::Code(code) = &facts.content else {
                return None;
            };
            Some((path.as_str(), &code.imports[..]))
        });
        let resolver = Resolver::new(names, manifests, imported);
        for (path, facts) in &self.facts {
            let Content::Code(code) = &facts.content else {
                continue;
            };
            let leaves = self.leaving.contains(path);
            for import in &code.imports {
                let files = match resolver.resolve(path, import).imported {
                    ImportTarget::Files(files) | ImportTarget::Several(files) => files,
                    ImportTarget::External | ImportTarget::Missing => continue,
                };
                let to_leaving = files.iter().any(|file| self.leaving.contains(file));
                // Two files that move together may keep their relative position: `./util` in
                // `a/main.ts` still resolves after `a/` moved to `b/`. A file that moves alone
                // loses its relative imports, even though their targets stay. For an import
                // from a file that stays, only a target that moves counts.
                let is_lost = if leaves {
                    is_relative(import) && !files.is_empty() && !to_leaving
                } else {
                    to_leaving
                };
                if is_lost {
                    let said = one_line(&import.target.to_string());
                    self.imports.push(place(path, import.line, &said));
                }
            }
        }
    }
}

impl FileListener for CodeImpact {
    fn file<T: Directory>(&mut self, walk: &mut Walk<'_, T>, text: Option<&str>) {
        let name = walk.name().to_owned();
        if (is_code(&name) || has_settings(&name))
            && self.leaving.iter().any(|path| is_code(path))
            && let Ok(Some(facts)) = current_summary(walk)
        {
            self.facts.push((walk.path().to_owned(), facts));
        }
        let path = walk.path().to_owned();
        match text {
            Some(text) => self.look_at(&path, text),
            // Only code names definitions.
            None if self.leaving.is_empty() && !is_code(&name) => {}
            None => {
                let looked = with_current_text(walk, |text| self.look_at(&path, text));
                let is_text = looked != Err(docent_api::types::SkipReason::Binary);
                self.unread += u32::from(looked.is_err() && is_text);
            }
        }
    }
}

/// Adds the names of definitions, without those of the enclosing ones.
fn names(symbols: &[Symbol], all: &mut BTreeSet<String>) {
    for symbol in symbols {
        let own = symbol.name.rsplit(['.', ':']).next().unwrap_or_default();
        let is_name = own.chars().all(|c| c.is_alphanumeric() || c == '_');
        if is_name && !own.is_empty() {
            all.insert(own.to_owned());
        }
        names(&symbol.children, all);
    }
}

/// Returns the text of a document with its link destinations blanked out: the rest of the links is
/// plain text, which no move rewrites.
fn without_destinations<'t>(path: &str, text: &'t str) -> Cow<'t, str> {
    let Some(format) = markup(file_name(path)) else {
        return text.into();
    };
    let mut plain = text.to_owned();
    for link in links(text, format) {
        // Each character becomes as many spaces as it has bytes, and line breaks stay. The
        // offsets of the links that follow remain valid, and the lines of both texts
        // correspond. If the destination of a link cannot be located, the whole link is blanked
        // out: one mention fewer is better than a link reported twice.
        let span = link.destination.unwrap_or(link.span);
        if let Some(covered) = text.get(span.clone()) {
            let blanks: String = covered
                .chars()
                .flat_map(|c| {
                    let is_end = matches!(c, '\n' | '\r');
                    std::iter::repeat_n(if is_end { c } else { ' ' }, c.len_utf8())
                })
                .collect();
            plain.replace_range(span, &blanks);
        }
    }
    plain.into()
}

fn is_code(path: &str) -> bool {
    Language::from_path(path).is_some()
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns true if an import is relative to its file.
fn is_relative(import: &ImportPath) -> bool {
    match &import.target {
        ImportedName::Specifier(path) | ImportedName::Required(path) => path.starts_with('.'),
        ImportedName::Python { level, .. } => *level > 0,
        ImportedName::RustModule { .. } | ImportedName::File(_) => true,
        ImportedName::RustUse { path, .. } => {
            matches!(path.first().map(String::as_str), Some("self" | "super"))
        }
        ImportedName::Include { is_quoted, .. } => *is_quoted,
        ImportedName::GoPackage(path) => path.starts_with('.'),
        ImportedName::JvmPackage(_) | ImportedName::Jvm { .. } => false,
    }
}

fn place(path: &str, line: u32, said: &str) -> LinkPlace {
    let text = match said.char_indices().nth(SHOWN_LINE_CHARS) {
        Some((end, _)) => format!("{}...", &said[..end]),
        None => said.to_owned(),
    };
    LinkPlace {
        path: path.to_owned(),
        line,
        text,
    }
}
