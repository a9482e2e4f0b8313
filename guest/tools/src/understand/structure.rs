//! What something consists of: sections of a document, definitions of code, directories.

use std::collections::BTreeMap;

use docent_api::pillars::LineRange;
use docent_api::understanding::{FileCounts, KnownBy, StructureEntry, StructureKind};
use docent_code::{Language, Outline, Source, Symbol, outline};
use docent_document::headings::heading::one_line;
use docent_document::sections::sections;
use docent_document::toc;
use docent_text::patience::Pace;

use crate::understand::definitions::Definition;
use crate::understand::pages::Entry;
use crate::understand::request::is_at_or_below;
use crate::understand::tree::{FileKind, Tree, TreeFile};

/// Names of files to begin with, in lower case, without extension where one follows in the second
/// list.
const MANIFESTS: [&str; 17] = [
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

/// Names without extension of the first files of documents, programs and libraries.
const FIRST_FILES: [&str; 8] = [
    "readme", "main", "lib", "index", "__main__", "__init__", "mod", "app",
];

/// Whether a file of this name is one to begin with.
pub fn is_entry_point(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let stem = name.split('.').next().unwrap_or_default();
    MANIFESTS.contains(&name.as_str())
        || FIRST_FILES.contains(&stem)
            && matches!(FileKind::of(&name), FileKind::Document | FileKind::Code)
        || name == "readme"
}

/// Returns the directories below `above` with what they hold, down to `depth` levels, and the files
/// to begin with in them: the upper levels first, each by the paths.
pub fn directories(tree: &Tree, above: &[String], depth: u32) -> Vec<StructureEntry> {
    let mut all: BTreeMap<(u32, &str), FileCounts> = BTreeMap::new();
    let mut first: BTreeMap<(u32, &str), &TreeFile> = BTreeMap::new();
    for file in &tree.files {
        let Some(top) = above.iter().find(|top| is_at_or_below(&file.path, top)) else {
            continue;
        };
        let start = if top.is_empty() { 0 } else { top.len() + 1 };
        let below = file.path.get(start..).unwrap_or_default();
        let mut level = 0;
        for (at, _) in below.match_indices('/') {
            level += 1;
            if level <= depth {
                let counts = all.entry((level, &file.path[..start + at]));
                count(counts.or_insert(NO_FILES), file.kind);
            }
        }
        if !top.is_empty() {
            count(all.entry((0, top)).or_insert(NO_FILES), file.kind);
        }
        if level <= depth && (is_entry_point(&file.path) || *top == file.path) {
            first.insert((level, &file.path), file);
        }
    }
    let directories = all.into_iter().map(|((level, path), files)| {
        let entry = StructureEntry {
            kind: StructureKind::Directory,
            path: path.to_owned(),
            depth: level,
            text: String::new(),
            name: None,
            lines: None,
            tokens: None,
            files: Some(files),
            known_by: KnownBy::Parsed,
        };
        // Files to begin with stand before the directories beside them.
        ((level, 1, path.to_owned()), entry)
    });
    let files = first.into_iter().map(|((level, path), file)| {
        let about = file.facts.as_ref().map(|facts| facts.about.to_string());
        let entry = StructureEntry {
            kind: match is_entry_point(path) {
                true => StructureKind::EntryPoint,
                false => StructureKind::File,
            },
            path: path.to_owned(),
            depth: level,
            text: about.unwrap_or_default(),
            name: None,
            lines: None,
            tokens: None,
            files: None,
            known_by: KnownBy::Parsed,
        };
        ((level, 0, path.to_owned()), entry)
    });
    let mut entries: Vec<_> = directories.chain(files).collect();
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    entries.into_iter().map(|(_, entry)| entry).collect()
}

const NO_FILES: FileCounts = FileCounts {
    docs: 0,
    code: 0,
    other: 0,
};

fn count(counts: &mut FileCounts, kind: FileKind) {
    match kind {
        FileKind::Document => counts.docs += 1,
        FileKind::Code => counts.code += 1,
        FileKind::Other => counts.other += 1,
    }
}

/// Returns the sections or definitions of a file down to `depth` levels, in the order of its text.
pub fn of_text(path: &str, text: &str, depth: u32, pace: &mut Pace<'_>) -> Vec<StructureEntry> {
    let name = path.rsplit('/').next().unwrap_or(path);
    match (FileKind::of(name), Language::of_path(name)) {
        (FileKind::Document, _) => document(path, name, text, depth, pace),
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
    pace: &mut Pace<'_>,
) -> Vec<StructureEntry> {
    let sections = sections(name, text);
    let entries = toc::entries_within(text, &sections, pace);
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
        // The title stands above all, and is no level of its own.
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
            "" => symbol.name.clone(),
            above => format!("{above}.{}", symbol.name),
        };
        entries.push(symbol_entry(path, outline.source, symbol, &name, level));
        symbols(path, outline, &symbol.children, &name, level + 1, depth, entries);
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
        known_by: known_by(source),
    }
}

/// Returns a definition of a file, and what stands in it down to `depth` levels.
pub fn of_definition(
    path: &str,
    text: &str,
    definition: &Definition,
    depth: u32,
) -> Vec<Entry> {
    let Some(language) = Language::of_path(path) else {
        return Vec::new();
    };
    let outline = outline(language, text);
    let mut all = Vec::new();
    symbols(path, &outline, &outline.symbols, "", 0, u32::MAX, &mut all);
    let start = |entry: &StructureEntry| entry.lines.map_or(0, |lines| lines.first);
    let is_it = |entry: &&StructureEntry| {
        let name = entry.name.as_ref().map(|name| name.replace("::", "."));
        name.as_deref() == Some(&definition.name) && definition.firsts.contains(&start(entry))
    };
    let mut found = Vec::new();
    for (index, entry) in all.iter().enumerate().filter(|(_, entry)| is_it(entry)) {
        let inner = all[index + 1..].iter();
        let inner = inner.take_while(|inner| inner.depth > entry.depth);
        let near = inner.filter(|inner| inner.depth <= entry.depth + depth);
        found.extend([entry].into_iter().chain(near).cloned());
    }
    found.into_iter().map(Entry::Structure).collect()
}

/// Leaves only the section of this id, and those below it.
pub fn keep_section(entries: &mut Vec<StructureEntry>, id: &str) {
    let Some(start) = entries.iter().position(|entry| entry.name.as_deref() == Some(id)) else {
        return;
    };
    entries.drain(..start);
    let top = entries.first().map_or(0, |entry| entry.depth);
    let below = entries.iter().skip(1).take_while(|entry| entry.depth > top);
    let count = below.count();
    entries.truncate(1 + count);
}

/// Returns how what an outline says is known.
pub fn known_by(source: Source) -> KnownBy {
    match source {
        Source::Parsed => KnownBy::Parsed,
        Source::Heuristic | Source::Text => KnownBy::Heuristic,
    }
}
