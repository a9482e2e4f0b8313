//! The files of a root with the facts about each.

use std::rc::Rc;

use docent_api::pillars::Degradation;
use docent_api::types::{Error, SkipReason};
use docent_code::Language;
use docent_corpus::corpus::Corpus;
use docent_corpus::foreign;
use docent_corpus::summary::{Content, FileSummary, has_settings};
use docent_corpus::visit::current_summary;
use docent_corpus::walk::{Walk, WalkOptions, WalkStep};
use docent_document::format::Format;
use docent_graph::names::{Labels, Names};
use docent_graph::page::is_page;
use docent_graph::sites::{Sites, is_settings};
use docent_text::sort::sort_by_key;
use docent_tree::disk::Disk;
use docent_tree::path::RelPath;
use docent_tree::refusal::unavailable;
use docent_tree::skips::Skips;

use crate::lexical::similarity::{dice_similarity, nearest};
use crate::limits::{
    NEAR_FILES_TOLD, NEAR_PATH_ENTRIES, NEAR_SECTIONS, UNDERSTAND_CLOCK_FILES,
    UNDERSTAND_CLOCK_NAMES,
};
use crate::paths::near_paths::{ALIKE, NearPath};
use crate::understand::request::UnderstandRequest;

/// Kind of a file, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// A document.
    Document,
    /// Code.
    Code,
    /// Anything else.
    Other,
}

/// A file of a root.
pub struct TreeFile {
    /// Its path.
    pub path: String,
    /// Kind of the file.
    pub kind: SourceKind,
    /// Facts about the file, or `None` if it was not read.
    pub facts: Option<Rc<FileSummary>>,
}

/// The files of a root as gathered by the walk.
#[derive(Default)]
pub struct Gathered {
    /// In the order of their paths.
    pub files: Vec<TreeFile>,
    /// Number of files read or found in the cache.
    pub read: u32,
    /// Reasons for which some were not read.
    pub reasons: Vec<Degradation>,
    /// Files that could not be read.
    pub skips: Skips,
}

/// The files of a root, and the index that resolves names to them.
pub struct Tree {
    /// In the order of their paths.
    pub files: Vec<TreeFile>,
    /// Number of files read or found in the cache.
    pub read: u32,
    /// True if all files that have to be read were read.
    pub is_complete: bool,
    /// Index of their names.
    pub index: Rc<TreeIndex>,
}

/// Index of the names of a root's files. It is determined by their paths and facts, and by whether
/// all of them were read.
pub struct TreeIndex {
    /// Their paths, to which links resolve.
    pub names: Names,
}

impl SourceKind {
    /// Returns the kind of a file of this name.
    pub fn from_name(name: &str) -> Self {
        Self::new(name, Format::from_name(name))
    }

    fn new(name: &str, format: Option<Format>) -> Self {
        match format {
            Some(_) => Self::Document,
            None if Language::from_path(name).is_some() => Self::Code,
            None => Self::Other,
        }
    }
}

/// The cost of learning the facts about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadCost {
    /// It is text.
    Text,
    /// It has to be converted, which may take seconds.
    Conversion,
}

impl ReadCost {
    /// Returns the cost of a file of this name, kind and format, or `None` if it is not read: only
    /// files are that refer to others or describe themselves.
    fn new(name: &str, kind: SourceKind, format: Option<Format>) -> Option<Self> {
        let is_read = match (kind, format) {
            (_, Some(Format::Converted)) => {
                return is_linking(name).then_some(Self::Conversion);
            }
            (_, Some(format)) => matches!(
                format,
                Format::Markdown | Format::Mdx | Format::Rst | Format::Adoc | Format::Plain
            ),
            (SourceKind::Document | SourceKind::Code, None) => true,
            (SourceKind::Other, None) => {
                has_settings(name) || is_project_file(name) || is_page(name)
            }
        };
        is_read.then_some(Self::Text)
    }
}

impl Gathered {
    /// Gathers the files of a root.
    ///
    /// # Errors
    /// If the root cannot be listed.
    pub fn from_root<D: Disk>(
        corpus: &mut Corpus<D>,
        request: &UnderstandRequest,
    ) -> Result<Self, Error> {
        let top = RelPath::default();
        let start = corpus.directory(request.root.index, &top)?;
        let Corpus {
            disk,
            exclude,
            store,
            ..
        } = corpus;
        let now = disk.monotonic_ms();
        let end_ms = now.saturating_add(request.timeout_ms);
        // Links and imports may refer to files of every kind, so the walk visits all.
        let mut walk = Walk::begin(store, start, WalkOptions::all_files(exclude))
            .map_err(|failure| unavailable(&top, failure))?;
        let mut gathered = Self::default();
        let mut until_look = 0u32;
        let mut is_over = false;
        while let Some(step) = walk.advance() {
            if until_look == 0 {
                is_over |= disk.monotonic_ms() >= end_ms;
                until_look = UNDERSTAND_CLOCK_NAMES;
            }
            until_look -= 1;
            if step == WalkStep::Directory {
                continue;
            }
            // The format is looked up once: this runs for each file of a root in every call.
            let format = Format::from_name(walk.name());
            let kind = SourceKind::new(walk.name(), format);
            // Names are collected even after the deadline and beyond the maximum number of
            // files. A link to `z.md` would otherwise be reported as broken, only because the
            // walk had not come so far.
            let cost = ReadCost::new(walk.name(), kind, format);
            let facts = if cost.is_none() {
                None
            } else if is_over {
                gathered.note(Degradation::Timeout);
                None
            } else if gathered.read as usize >= request.max_files {
                gathered.note(Degradation::MaxFiles);
                None
            } else {
                // One countdown serves both kinds of entries. A file that is read takes much
                // longer than a name that is only collected, so it shortens the countdown by as
                // much as many names: the clock is consulted after `UNDERSTAND_CLOCK_NAMES`
                // names or `UNDERSTAND_CLOCK_FILES` files.
                until_look = match cost {
                    Some(ReadCost::Conversion) => 0,
                    _ => until_look.saturating_sub(UNDERSTAND_CLOCK_NAMES / UNDERSTAND_CLOCK_FILES),
                };
                gathered.read += 1;
                match current_summary(&mut walk) {
                    Ok(facts) => facts,
                    // A binary file with the extension of a text file refers to nothing, so no
                    // facts are missing.
                    Err(SkipReason::Binary) => None,
                    Err(reason) => {
                        walk.skip(reason);
                        gathered.note(Degradation::SkippedUnreadable);
                        None
                    }
                }
            };
            gathered.push(walk.path(), kind, facts);
        }
        gathered.skips = std::mem::take(&mut walk.skips);
        Ok(gathered)
    }

    /// Returns one file alone.
    pub fn from_file(path: &str, facts: FileSummary) -> Self {
        let mut gathered = Self {
            read: 1,
            ..Self::default()
        };
        gathered.push(path, SourceKind::from_name(path), Some(Rc::new(facts)));
        gathered
    }

    fn push(&mut self, path: &str, kind: SourceKind, facts: Option<Rc<FileSummary>>) {
        self.files.push(TreeFile {
            path: path.to_owned(),
            kind,
            facts,
        });
    }

    fn note(&mut self, reason: Degradation) {
        if !self.reasons.contains(&reason) {
            self.reasons.push(reason);
        }
    }

    /// Returns true if all files that have to be read were read.
    pub fn is_complete(&self) -> bool {
        let cuts = [Degradation::Timeout, Degradation::MaxFiles];
        !self.reasons.iter().any(|reason| cuts.contains(reason))
    }
}

impl TreeIndex {
    /// Returns the names of files.
    pub fn new(gathered: &Gathered) -> Self {
        let mut index = Self {
            names: Names::default(),
        };
        for file in &gathered.files {
            index.names.insert(&file.path);
        }
        index.learn_sites_and_labels(gathered);
        index
    }

    /// Returns the approximate number of bytes of memory it takes.
    pub fn bytes(&self) -> usize {
        let (files, bytes) = self.names.files().fold((0, 0), |(files, bytes), path| {
            (files + 1, bytes + path.len())
        });
        // Each path is stored twice as a file and twice by its names in wikilinks, all in trees.
        6 * bytes + 8 * size_of::<String>() * files
    }

    /// Takes from the facts the sites and labels by which links of other files are resolved.
    fn learn_sites_and_labels(&mut self, gathered: &Gathered) {
        let (mut sites, mut labels) = (Sites::default(), Labels::default());
        for file in &gathered.files {
            let Some(facts) = &file.facts else { continue };
            let name = file.path.rsplit('/').next().unwrap_or(&file.path);
            if let Some(settings) = facts.settings.as_ref().filter(|_| is_settings(name)) {
                sites.insert(&file.path, settings);
            }
            if let Content::Document(document) = &facts.content {
                labels.insert(&file.path, &document.links.labels);
            }
        }
        self.names.set_sites(sites);
        // The index of labels is either complete or absent. If `setup.rst` was not read, its
        // label `setup` is unknown, and a reference to it would be reported as broken; without
        // the index it is reported as unresolved.
        if gathered.is_complete() {
            self.names.set_labels(labels);
        }
    }
}

impl Tree {
    /// Returns the files with the names most similar to the last name of `path`, nearest first, as
    /// suggestions for a broken link.
    pub fn near_files(&self, path: &str) -> Vec<String> {
        let wanted = NearPath::new(path);
        let files = self.files.iter().take(NEAR_PATH_ENTRIES);
        let near = files.filter_map(|file| Some((wanted.quick_alike(&file.path)?, &file.path)));
        let mut near: Vec<(usize, &String)> = near.collect();
        sort_by_key(&mut near, |(alike, _)| std::cmp::Reverse(*alike));
        let first = near.into_iter().take(NEAR_FILES_TOLD);
        first.map(|(_, path)| path.clone()).collect()
    }

    /// Returns the anchor of a document most similar to `fragment`, or `None` if none is similar.
    pub fn near_section(&self, file: usize, fragment: &str) -> Option<String> {
        let facts = self.files[file].facts.as_ref()?;
        let Content::Document(document) = &facts.content else {
            return None;
        };
        let ids: Vec<&str> = document.links.anchors.ids().take(NEAR_SECTIONS).collect();
        let best = *nearest(fragment, ids.iter(), 1).first()?;
        (dice_similarity(fragment, ids[best]) >= ALIKE).then(|| ids[best].to_owned())
    }

    /// Returns the tree of files with the index built from them.
    pub fn new(gathered: &mut Gathered, index: Rc<TreeIndex>) -> Self {
        Self {
            is_complete: gathered.is_complete(),
            read: gathered.read,
            files: std::mem::take(&mut gathered.files),
            index,
        }
    }

    /// Returns the index of the file at `path`.
    pub fn index(&self, path: &str) -> Option<usize> {
        self.index.names.number(path)
    }
}

/// Extensions of binary documents that link to other files, in lower case. The other formats are
/// not converted to learn that they link to web pages at most.
const LINKING: [&str; 8] = ["doc", "docm", "docx", "dotm", "dotx", "odt", "ott", "rtf"];

/// Returns true if a file of this name is a binary document that may link to other files.
fn is_linking(name: &str) -> bool {
    foreign::extension(name).is_some_and(|extension| LINKING.contains(&extension))
}

/// Files that configure a project, in lower case.
const PROJECT_FILES: [&str; 17] = [
    "cargo.toml",
    "package.json",
    "pyproject.toml",
    "setup.py",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "cmakelists.txt",
    "makefile",
    "justfile",
    "gemfile",
    "composer.json",
    "package.swift",
    "mkdocs.yml",
    "docusaurus.config.js",
    "docusaurus.config.ts",
];

/// Returns true if a file of this name configures a project.
pub fn is_project_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    PROJECT_FILES
        .iter()
        .any(|one| one.eq_ignore_ascii_case(name))
}
