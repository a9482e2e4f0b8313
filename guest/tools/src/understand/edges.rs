//! References of each file, resolved by the names and places of the tree.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use docent_api::understanding::{
    KnownBy, Reference as ReferenceAnswer, ReferenceCounts, ReferenceEnd, ReferenceKind,
    UnresolvedForm,
};
use docent_corpus::summary::{CodeSummary, Content, DocumentSummary};
use docent_document::headings::heading::one_line;
use docent_document::sections::slug;
use docent_graph::graph::{Graph, Reference};
use docent_graph::imports::{ImportTarget, ResolvedImport, Resolver, is_manifest};
use docent_graph::link::{Link, LinkKind, Relation};
use docent_graph::resolve::{Resolution, resolve};

use crate::limits::FILES_TOLD_ALONE;
use crate::understand::structure;
use crate::understand::tree::Tree;

/// A reference of one file.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The file that refers.
    pub from: usize,
    /// The line.
    pub line: u32,
    /// The reference as written.
    pub text: String,
    /// Kind of the reference.
    pub kind: ReferenceKind,
    /// Evidence for the reference.
    pub known_by: KnownBy,
    /// Target of the reference.
    pub end: EdgeEnd,
    /// Form in which it is written, if only the program that reads it can resolve it.
    pub form: Option<&'static str>,
}

/// Target of a reference.
#[derive(Clone, Debug)]
pub enum EdgeEnd {
    /// A file, and a section of it if named.
    File([usize; 1], Option<String>),
    /// All files of a package, or those that a pattern matches.
    Package(Vec<usize>),
    /// A directory.
    Directory(String),
    /// Another site or package.
    External,
    /// Nothing: the path, if it is known.
    NoFile(Option<String>),
    /// A section that a file does not have.
    NoSection([usize; 1], String),
    /// To one of these files.
    Several(Vec<String>),
    /// Out of the root.
    Outside,
    /// Unknown: a template, a hidden file, a page that a program generates.
    Unknown,
}

/// All references of a tree.
pub struct Edges {
    /// In the order of files and lines.
    pub all: Vec<Edge>,
    /// The graph of the files and of the references that resolve to one.
    pub graph: Graph,
    /// Computed on first use.
    ranks: OnceCell<Vec<f64>>,
}

impl Edges {
    /// Returns the references of all files of a tree.
    pub fn new(tree: &Tree) -> Self {
        let settings = tree.files.iter().filter_map(|file| {
            let text = file.facts.as_ref()?.settings.as_deref()?;
            is_manifest(&file.path).then_some((file.path.as_str(), text))
        });
        let imported = tree.files.iter().filter_map(|file| {
            let Content::Code(code) = &file.facts.as_ref()?.content else {
                return None;
            };
            Some((file.path.as_str(), &code.imports[..]))
        });
        let resolver = Resolver::new(&tree.index.names, settings, imported);
        let mut all = Vec::new();
        for (from, file) in tree.files.iter().enumerate() {
            let Some(facts) = &file.facts else { continue };
            match &facts.content {
                Content::Document(document) => links(tree, from, document, &mut all),
                Content::Code(code) => imports(tree, from, code, &resolver, &mut all),
                Content::Other => {}
            }
        }
        let references = all.iter().enumerate().flat_map(|(edge, one)| {
            let from = one.from;
            let files = one.end.files().iter();
            files.map(move |&to| Reference { from, to, edge })
        });
        Self {
            graph: Graph::new(tree.files.len(), references),
            all,
            ranks: OnceCell::new(),
        }
    }

    /// Returns the PageRank of each file.
    pub fn ranks(&self) -> &[f64] {
        self.ranks.get_or_init(|| self.graph.page_rank())
    }

    /// Returns the approximate number of bytes of memory they take.
    pub fn bytes(&self) -> usize {
        let texts: usize = self.all.iter().map(Edge::text_bytes).sum();
        texts + self.all.len() * (size_of::<Edge>() + size_of::<Reference>())
    }

    /// Returns the number of references of each kind.
    pub fn counts(&self) -> ReferenceCounts {
        let count = |is: &dyn Fn(&Edge) -> bool| {
            docent_text::saturating::saturating_u32(self.all.iter().filter(|edge| is(edge)).count())
        };
        let mut forms: BTreeMap<&str, u32> = BTreeMap::new();
        for form in self.all.iter().filter_map(|edge| edge.form) {
            *forms.entry(form).or_default() += 1;
        }
        let forms = forms.into_iter().map(|(form, count)| UnresolvedForm {
            form: form.to_owned(),
            count,
        });
        let is_unresolved = |edge: &Edge| {
            !edge.end.is_there() && !edge.is_broken() && !matches!(edge.end, EdgeEnd::External)
        };
        ReferenceCounts {
            resolved: count(&|edge| edge.end.is_there()),
            external: count(&|edge| matches!(edge.end, EdgeEnd::External)),
            broken: count(&Edge::is_broken),
            unresolved: count(&is_unresolved),
            unresolved_forms: forms.collect(),
            parsed: count(&|edge| edge.known_by == KnownBy::Parsed),
            heuristic: count(&|edge| edge.known_by == KnownBy::Heuristic),
        }
    }
}

fn imports(
    tree: &Tree,
    from: usize,
    code: &CodeSummary,
    resolver: &Resolver<'_>,
    all: &mut Vec<Edge>,
) {
    let path = &tree.files[from].path;
    let mut seen = BTreeSet::new();
    for import in &code.imports {
        let ResolvedImport { imported, known_by } = resolver.resolve(path, import);
        let mut push = |end: EdgeEnd| {
            // In `use a::{b, c};` both `b` and `c` may resolve to one file, to which the line
            // refers once.
            let key = (import.line, end.files().to_vec());
            if seen.insert(key) {
                all.push(Edge {
                    from,
                    line: import.line,
                    text: one_line(&import.target.to_string()),
                    kind: ReferenceKind::Import,
                    known_by: structure::evidence(known_by),
                    end,
                    form: None,
                });
            }
        };
        match imported {
            ImportTarget::Files(paths) => {
                let files: Vec<usize> = paths.iter().filter_map(|path| tree.index(path)).collect();
                if files.len() > FILES_TOLD_ALONE {
                    push(EdgeEnd::Package(files));
                } else {
                    files
                        .into_iter()
                        .for_each(|file| push(EdgeEnd::File([file], None)));
                }
            }
            ImportTarget::External => push(EdgeEnd::External),
            ImportTarget::Missing => push(EdgeEnd::NoFile(None)),
            ImportTarget::Several(paths) => push(EdgeEnd::Several(paths)),
        }
    }
}

fn links(tree: &Tree, from: usize, document: &DocumentSummary, all: &mut Vec<Edge>) {
    for link in &document.links.links {
        // `[text][label]` has no target. The definition `[label]: a.md` has it, and is a link
        // of its own: reporting both would count a broken target once for each place that uses
        // the label.
        if link.kind == LinkKind::Use {
            continue;
        }
        let end = end(tree, from, link);
        // The value of a front matter field, for example, is only a link if such a file exists.
        // Otherwise it is ordinary text and not a broken link.
        if link.kind == LinkKind::Path && matches!(end, EdgeEnd::Unknown) {
            continue;
        }
        all.push(Edge {
            from,
            line: link.line,
            text: one_line(&link.target),
            kind: kind(link.kind),
            known_by: KnownBy::Parsed,
            form: link.kind.form().filter(|_| matches!(end, EdgeEnd::Unknown)),
            end,
        });
    }
}

fn kind(kind: LinkKind) -> ReferenceKind {
    match kind.relation() {
        Relation::Embed => ReferenceKind::Embed,
        Relation::Include => ReferenceKind::Include,
        Relation::Link => ReferenceKind::Link,
    }
}

fn end(tree: &Tree, from: usize, link: &Link) -> EdgeEnd {
    let lead = resolve(link, &tree.files[from].path, &tree.index.names);
    match lead {
        Resolution::External => EdgeEnd::External,
        Resolution::OutsideRoot => EdgeEnd::Outside,
        Resolution::Ambiguous(paths) => EdgeEnd::Several(paths),
        Resolution::All(paths) => {
            EdgeEnd::Package(paths.iter().filter_map(|path| tree.index(path)).collect())
        }
        Resolution::Unknown => EdgeEnd::Unknown,
        Resolution::Missing(place) => EdgeEnd::NoFile(Some(place.path)),
        Resolution::Found(place) => {
            let Some(file) = tree.index(&place.path) else {
                return EdgeEnd::Directory(place.path);
            };
            let facts = tree.files[file].facts.as_ref();
            let is_in = match facts.map(|facts| &facts.content) {
                Some(Content::Document(target)) => place.is_in(&target.links.anchors),
                _ => true,
            };
            match place.fragment {
                Some(fragment) if !is_in => EdgeEnd::NoSection([file], fragment),
                fragment => EdgeEnd::File([file], fragment),
            }
        }
    }
}

impl EdgeEnd {
    /// Returns the files to which it resolves, even if the section does not exist.
    pub fn files(&self) -> &[usize] {
        match self {
            Self::File(file, _) | Self::NoSection(file, _) => file,
            Self::Package(files) => files,
            _ => &[],
        }
    }

    /// Returns true if it is a file or directory of the tree.
    pub fn is_there(&self) -> bool {
        matches!(self, Self::File(..) | Self::Package(_) | Self::Directory(_))
    }

    /// Returns true if it is the section of this id.
    pub fn is_section(&self, id: &str) -> bool {
        let Self::File(_, Some(fragment)) = self else {
            return false;
        };
        // The fragment of a wikilink is a path of headings: `[[page#Part#Chapter]]` has the
        // fragment `Part#Chapter` and refers to the last one. Headings are compared in the form
        // of ids.
        let heading = fragment.rsplit('#').next().unwrap_or(fragment);
        fragment == id || fragment.to_lowercase() == id || slug(heading.trim()) == id
    }
}

impl Edge {
    /// Returns the bytes it holds on the heap.
    fn text_bytes(&self) -> usize {
        let end = match &self.end {
            EdgeEnd::File(_, Some(text))
            | EdgeEnd::NoSection(_, text)
            | EdgeEnd::Directory(text) => text.len(),
            EdgeEnd::NoFile(path) => path.as_ref().map_or(0, String::len),
            EdgeEnd::Package(files) => size_of_val(&files[..]),
            EdgeEnd::Several(paths) => paths.iter().map(|it| it.len() + size_of::<String>()).sum(),
            EdgeEnd::File(_, None) | EdgeEnd::External | EdgeEnd::Outside | EdgeEnd::Unknown => 0,
        };
        self.text.len() + end
    }

    /// Returns true if it resolves to nothing. An ambiguous reference is not broken.
    pub fn is_broken(&self) -> bool {
        matches!(self.end, EdgeEnd::NoFile(_) | EdgeEnd::NoSection(..))
    }

    /// Returns true if it is an ambiguous link. The compiler resolves ambiguous imports.
    pub fn is_ambiguous(&self) -> bool {
        matches!(self.end, EdgeEnd::Several(_)) && self.kind != ReferenceKind::Import
    }

    /// Returns the reference in the form of an answer.
    pub fn answer(&self, tree: &Tree, distance: u32) -> ReferenceAnswer {
        // A broken destination may be as long as its document, so it is truncated.
        let at = |file: usize, fragment: &str| {
            format!("{}#{}", tree.files[file].path, one_line(fragment))
        };
        let (end, to, candidates) = match &self.end {
            EdgeEnd::File([file], None) => {
                let path = tree.files[*file].path.clone();
                (ReferenceEnd::There, Some(path), Vec::new())
            }
            EdgeEnd::Package(files) => {
                // Packages of a language are directories.
                let first = files.first().map(|file| tree.files[*file].path.as_str());
                let directory = first.and_then(|path| path.rsplit_once('/'));
                let directory = directory.map_or("./".to_owned(), |(above, _)| format!("{above}/"));
                let to = match self.kind {
                    ReferenceKind::Import => directory,
                    _ => pattern_of(files, tree),
                };
                (ReferenceEnd::There, Some(to), Vec::new())
            }
            EdgeEnd::File([file], Some(fragment)) => {
                (ReferenceEnd::There, Some(at(*file, fragment)), Vec::new())
            }
            EdgeEnd::Directory(path) => (ReferenceEnd::There, Some(format!("{path}/")), Vec::new()),
            EdgeEnd::External => (ReferenceEnd::External, None, Vec::new()),
            EdgeEnd::NoFile(path) => {
                let near = path.as_deref().map(|path| tree.near_files(path));
                let path = path.as_deref().map(one_line);
                (ReferenceEnd::NoFile, path, near.unwrap_or_default())
            }
            EdgeEnd::NoSection([file], fragment) => {
                let near = tree.near_section(*file, fragment);
                let near = near.map(|id| at(*file, &id));
                (
                    ReferenceEnd::NoSection,
                    Some(at(*file, fragment)),
                    near.into_iter().collect(),
                )
            }
            EdgeEnd::Several(paths) => (ReferenceEnd::Several, None, paths.clone()),
            EdgeEnd::Outside => (ReferenceEnd::Outside, None, Vec::new()),
            EdgeEnd::Unknown => (ReferenceEnd::Unknown, None, Vec::new()),
        };
        ReferenceAnswer {
            path: tree.files[self.from].path.clone(),
            line: self.line,
            text: self.text.clone(),
            kind: self.kind,
            known_by: self.known_by,
            end,
            to,
            candidates,
            distance,
            class: None,
        }
    }
}

/// Returns a short description of the files that a pattern matches: the first, and the number of
/// others.
fn pattern_of(files: &[usize], tree: &Tree) -> String {
    let first = files
        .first()
        .map_or("", |file| tree.files[*file].path.as_str());
    match files.len() {
        0 | 1 => first.to_owned(),
        count => format!("{first} and {} more", count - 1),
    }
}
