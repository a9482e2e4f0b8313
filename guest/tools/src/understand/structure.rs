//! Structure of a subject: sections of a document, definitions of code, directories.

use std::collections::BTreeMap;

use docent_api::pillars::LineRange;
use docent_api::understanding::{FileCounts, KnownBy, StructureEntry, StructureKind};
use docent_code::{Language, Outline, Source, Symbol, outline};
use docent_document::headings::heading::one_line;
use docent_document::sections::sections;
use docent_document::toc;
use docent_text::sort::sort_by;
use docent_text::time_budget::TimeBudget;

use crate::understand::definitions::{Definition, bare};
use crate::understand::pages::PageEntry;
use crate::understand::request::is_at_or_below;
use crate::understand::tree::{SourceKind, Tree, TreeFile, is_project_file};

/// Entry points of programs and libraries, in lower case, without extension.
const FIRST_FILES: [&str; 7] = ["main", "lib", "index", "__main__", "__init__", "mod", "app"];

/// Suitability of a file to describe its directory, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum DescriptionRank {
    Readme,
    Manifest,
    FirstFile,
}

/// Returns the suitability of a file of this name and kind to describe its directory, or `None` if
/// it is not suitable.
fn rank(name: &str, kind: SourceKind) -> Option<DescriptionRank> {
    let stem = name.split('.').next().unwrap_or_default();
    if stem.eq_ignore_ascii_case("readme") && kind != SourceKind::Code {
        return Some(DescriptionRank::Readme);
    }
    if is_project_file(name) {
        return Some(DescriptionRank::Manifest);
    }
    let is_first = || FIRST_FILES.iter().any(|one| stem.eq_ignore_ascii_case(one));
    (kind != SourceKind::Other && is_first()).then_some(DescriptionRank::FirstFile)
}

/// Description of a directory.
struct DirectorySummary<'t> {
    /// Number of directories above it, below the subject.
    level: u32,
    path: &'t str,
    files: FileCounts,
    /// The file that describes it best.
    described_by: Option<(DescriptionRank, &'t TreeFile)>,
}

/// The directories found so far.
#[derive(Default)]
struct DirectoryIndex<'t> {
    all: Vec<DirectorySummary<'t>>,
    /// Their indices.
    indices: BTreeMap<(u32, &'t str), usize>,
    /// For each level, the directory that was looked up last. Files come in the order of their
    /// paths, so that the next one is mostly in the same.
    recent: Vec<Option<usize>>,
}

impl<'t> DirectoryIndex<'t> {
    /// Returns the directory at a path, which is added if it is new.
    fn get_or_insert(&mut self, level: u32, path: &'t str) -> &mut DirectorySummary<'t> {
        let number = level as usize;
        if self.recent.len() <= number {
            self.recent.resize(number + 1, None);
        }
        let recent = self.recent[number].filter(|index| self.all[*index].path == path);
        let index = recent.unwrap_or_else(|| {
            *self.indices.entry((level, path)).or_insert_with(|| {
                self.all.push(DirectorySummary {
                    level,
                    path,
                    files: NO_FILES,
                    described_by: None,
                });
                self.all.len() - 1
            })
        });
        self.recent[number] = Some(index);
        &mut self.all[index]
    }
}

/// Returns the directories below `above` with their counts and descriptions, down to `depth`
/// levels, and the entry points: the upper levels first, each in the order of the paths.
pub fn directories(tree: &Tree, above: &[String], depth: u32) -> Vec<StructureEntry> {
    let mut places = DirectoryIndex::default();
    let mut files = Vec::new();
    for file in &tree.files {
        let Some(top) = above.iter().find(|top| is_at_or_below(&file.path, top)) else {
            continue;
        };
        if *top == file.path {
            files.push((
                (0, 1, file.path.as_str()),
                file_entry(file, StructureKind::File, 0),
            ));
            continue;
        }
        let start = if top.is_empty() { 0 } else { top.len() + 1 };
        // Paths are short: byte by byte they are read faster than by a search for each slash.
        let bytes = file.path.bytes().enumerate().skip(start);
        let ends = bytes.filter_map(|(at, byte)| (byte == b'/').then_some(at));
        let own = (!top.is_empty()).then_some(top.len());
        let mut level = u32::from(own.is_none());
        let directory = file.path.bytes().rposition(|byte| byte == b'/');
        let name = &file.path[directory.map_or(0, |slash| slash + 1)..];
        let rank = rank(name, file.kind);
        for end in own.into_iter().chain(ends) {
            if level <= depth {
                let place = places.get_or_insert(level, &file.path[..end]);
                count(&mut place.files, file.kind);
                if let (Some(rank), true) = (rank, directory == Some(end)) {
                    let is_better = place.described_by.is_none_or(|(known, _)| rank < known);
                    if is_better && says_something(file) {
                        place.described_by = Some((rank, file));
                    }
                }
            }
            level += 1;
        }
        // Only at the top are the readme and the manifest entries of their own. Below, they
        // describe their directory in its entry, where they are its `described_by`. The entry point
        // of a program, such as `src/main.rs`, is an entry at every level shown.
        let is_program = rank == Some(DescriptionRank::FirstFile) && file.kind == SourceKind::Code;
        let is_first = is_program && level <= depth + 1;
        if rank.is_some() && level <= 1 || is_first {
            let entry = file_entry(file, StructureKind::EntryPoint, level.saturating_sub(1));
            files.push(((level.saturating_sub(1), 1, file.path.as_str()), entry));
        }
    }
    let directories = places.all.into_iter().map(|place| {
        let entry = StructureEntry {
            kind: StructureKind::Directory,
            path: place.path.to_owned(),
            depth: place.level,
            text: place.described_by.map_or_else(String::new, |(_, file)| {
                let name = file.path.rsplit('/').next().unwrap_or_default();
                format!("{name}: {}", about(file))
            }),
            name: None,
            lines: None,
            tokens: None,
            files: Some(place.files),
            known_by: KnownBy::Parsed,
        };
        ((place.level, 0, place.path), entry)
    });
    let mut entries: Vec<_> = directories.chain(files).collect();
    sort_by(&mut entries, |a, b| a.0.cmp(&b.0));
    entries.into_iter().map(|(_, entry)| entry).collect()
}

fn about(file: &TreeFile) -> &str {
    file.facts.as_ref().map_or("", |facts| &facts.about)
}

fn says_something(file: &TreeFile) -> bool {
    !about(file).is_empty()
}

fn file_entry(file: &TreeFile, kind: StructureKind, depth: u32) -> StructureEntry {
    StructureEntry {
        kind,
        path: file.path.clone(),
        depth,
        text: about(file).to_owned(),
        name: None,
        lines: None,
        tokens: None,
        files: None,
        known_by: KnownBy::Parsed,
    }
}

const NO_FILES: FileCounts = FileCounts {
    docs: 0,
    code: 0,
    other: 0,
};

fn count(counts: &mut FileCounts, kind: SourceKind) {
    match kind {
        SourceKind::Document => counts.docs += 1,
        SourceKind::Code => counts.code += 1,
        SourceKind::Other => counts.other += 1,
    }
}

/// Returns the sections or definitions of a file down to `depth` levels, in the order of its text.
pub fn outline_text(
    path: &str,
    text: &str,
    depth: u32,
    time_budget: &mut TimeBudget<'_>,
) -> Vec<StructureEntry> {
    let name = path.rsplit('/').next().unwrap_or(path);
    match (SourceKind::from_name(name), Language::from_path(name)) {
        (SourceKind::Document, _) => document(path, name, text, depth, time_budget),
        (_, Some(language)) => {
            let outline = outline(language, text);
            let mut entries = Vec::new();
            symbols(path, &outline, &outline.symbols, "", 0, depth, &mut entries);
            entries
        }
        _ => Vec::new(),
    }
}

fn document(
    path: &str,
    name: &str,
    text: &str,
    depth: u32,
    time_budget: &mut TimeBudget<'_>,
) -> Vec<StructureEntry> {
    let sections = sections(name, text);
    let entries = toc::entries_within(text, &sections, time_budget);
    let all: Vec<_> = entries.into_iter().flatten().collect();
    let top = all.iter().map(|entry| entry.level).min().unwrap_or(1);
    let ends = all.iter().enumerate().map(|(index, entry)| {
        let mut behind = all[index + 1..].iter();
        let next = behind.find(|next| next.level <= entry.level);
        next.map(|next| next.line - 1)
    });
    let last = docent_text::saturating::saturating_u32(text.lines().count());
    let ends: Vec<u32> = ends.map(|end| end.unwrap_or(last)).collect();
    let with_ends = all.into_iter().zip(ends);
    with_ends
        .map(|(entry, end)| StructureEntry {
            kind: StructureKind::Section,
            path: path.to_owned(),
            depth: u32::from(entry.level - top),
            text: one_line(&entry.text),
            name: Some(entry.anchor),
            lines: Some(LineRange {
                first: entry.line,
                last: end.max(entry.line),
            }),
            tokens: Some(entry.tokens),
            files: None,
            known_by: KnownBy::Parsed,
        })
        // The title encloses all sections, so its level does not count.
        .filter(|entry| entry.depth <= depth)
        .collect()
}

fn symbols(
    path: &str,
    outline: &Outline,
    all: &[Symbol],
    above: &str,
    level: u32,
    depth: u32,
    entries: &mut Vec<StructureEntry>,
) {
    if level >= depth {
        return;
    }
    for symbol in all {
        let name = match above {
            "" => bare(&symbol.name),
            above => format!("{above}.{}", bare(&symbol.name)),
        };
        entries.push(symbol_entry(path, outline.source, symbol, &name, level));
        symbols(
            path,
            outline,
            &symbol.children,
            &name,
            level + 1,
            depth,
            entries,
        );
    }
}

/// Returns a definition as an entry.
pub fn symbol_entry(
    path: &str,
    source: Source,
    symbol: &Symbol,
    name: &str,
    depth: u32,
) -> StructureEntry {
    StructureEntry {
        kind: StructureKind::Symbol,
        path: path.to_owned(),
        depth,
        text: symbol.signature.clone(),
        name: Some(name.to_owned()),
        lines: Some(LineRange {
            first: symbol.lines.first,
            last: symbol.lines.last,
        }),
        tokens: None,
        files: None,
        known_by: evidence(source),
    }
}

/// Returns a definition of a file, and its nested definitions down to `depth` levels.
pub fn outline_definition(
    path: &str,
    text: &str,
    definition: &Definition,
    depth: u32,
) -> Vec<PageEntry> {
    let Some(language) = Language::from_path(path) else {
        return Vec::new();
    };
    let outline = outline(language, text);
    let mut all = Vec::new();
    symbols(path, &outline, &outline.symbols, "", 0, u32::MAX, &mut all);
    let start = |entry: &StructureEntry| entry.lines.map_or(0, |lines| lines.first);
    let is_it = |entry: &&StructureEntry| {
        entry.name.as_deref() == Some(&definition.name) && definition.firsts.contains(&start(entry))
    };
    let mut found = Vec::new();
    for (index, entry) in all.iter().enumerate().filter(|(_, entry)| is_it(entry)) {
        let inner = all[index + 1..].iter();
        let inner = inner.take_while(|inner| inner.depth > entry.depth);
        let near = inner.filter(|inner| inner.depth <= entry.depth + depth);
        found.extend([entry].into_iter().chain(near).cloned());
    }
    found.into_iter().map(PageEntry::Structure).collect()
}

/// Keeps only the section of this id, and those below it.
pub fn keep_section(entries: &mut Vec<StructureEntry>, id: &str) {
    let Some(start) = entries
        .iter()
        .position(|entry| entry.name.as_deref() == Some(id))
    else {
        return;
    };
    entries.drain(..start);
    let top = entries.first().map_or(0, |entry| entry.depth);
    let below = entries.iter().skip(1).take_while(|entry| entry.depth > top);
    let count = below.count();
    entries.truncate(1 + count);
}

/// Returns the evidence that an outline from this source provides.
pub fn evidence(source: Source) -> KnownBy {
    match source {
        Source::Parsed => KnownBy::Parsed,
        Source::Heuristic | Source::Text => KnownBy::Heuristic,
    }
}
