//! Classes of the lines that contain the name of a definition, and the context by which they are
//! told apart.

use std::collections::{BTreeMap, BTreeSet};

use docent_api::understanding::UseClass;
use docent_code::imports::ImportedName;
use docent_code::uses::{Qualifier, TypeDeclaration, Uses, uses};
use docent_code::{Language, SymbolKind};
use docent_corpus::summary::{CodeSummary, Content, FileSummary, SymbolSummary};

use crate::lexical::mentions::{named_lines, numbered_lines};
use crate::limits::{STATEMENT_LINES, USE_STEPS};
use crate::paths::test_files::is_test;
use crate::understand::definitions::{Definition, bare, each_symbol};
use crate::understand::edges::{Edge, Edges};
use crate::understand::tree::Tree;

/// Context of a definition: the files from which it is visible, and its names there.
pub struct Around<'t> {
    tree: &'t Tree,
    edges: &'t Edges,
    definition: &'t Definition,
    name: &'t str,
    owner: Option<&'t str>,
    /// Files that import it, directly or not, or see it without an import.
    near: BTreeSet<usize>,
    /// Files of the same Rust crate, which may name it by its path.
    of_crate: BTreeSet<usize>,
    /// Possible names of the definition's file as a module.
    modules: BTreeSet<String>,
}

impl<'t> Around<'t> {
    /// Returns the context of a definition.
    pub fn new(tree: &'t Tree, edges: &'t Edges, definition: &'t Definition) -> Self {
        let path = tree.files[definition.file].path.as_str();
        let mut starts = vec![definition.file];
        starts.extend(headers(tree, edges, definition));
        let mut near: BTreeSet<usize> = edges
            .graph
            .find_reaching(&starts, USE_STEPS)
            .into_iter()
            .map(|reached| reached.reference.from)
            .chain(starts)
            .collect();
        near.extend(same_package(tree, definition.file));
        let (directory, file) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = file.split('.').next().unwrap_or(file);
        let of_directory = directory.rsplit('/').next().unwrap_or_default();
        let above = definition.name.rsplit('.').skip(1);
        let modules = [stem, of_directory].into_iter().chain(above);
        Self {
            tree,
            edges,
            definition,
            name: definition.own_name(),
            owner: definition.owner(),
            near,
            of_crate: crate_files(tree, path),
            modules: modules
                .filter(|it| !it.is_empty())
                .map(str::to_owned)
                .collect(),
        }
    }

    /// Returns the class of each line of code that contains the name, except comments, strings and
    /// the lines on which the definition itself begins.
    pub fn classes(
        &self,
        file: usize,
        facts: &FileSummary,
        text: &str,
    ) -> BTreeMap<u32, Option<UseClass>> {
        let Content::Code(code) = &facts.content else {
            return BTreeMap::new();
        };
        let found = uses(code.language, text, self.name, self.owner);
        let mut on_line: BTreeMap<u32, usize> = BTreeMap::new();
        for one in &found.uses {
            *on_line.entry(one.line).or_default() += 1;
        }
        let lines: Vec<&str> = numbered_lines(text).map(|(_, line)| line).collect();
        let in_file = InFile {
            around: self,
            file,
            code,
            has_other: self.is_other(file) || self.imports_other(file, code.language, &lines),
            lines,
            aliases: self.aliases(file, text),
            defined: defining_lines(facts, &found, self.name, |full| {
                self.definition.is(file, full)
            }),
            found: &found,
        };
        let mut classes: BTreeMap<u32, Option<UseClass>> = BTreeMap::new();
        for one in &found.uses {
            let is_use = in_file.is_use(one.line, &one.qualifier);
            let number = on_line[&one.line];
            let class = match in_file.defined.get(&one.line) {
                // The only occurrence on the line is the name in the definition itself.
                Some(true) if number == 1 => None,
                Some(false) if number == 1 => Some(UseClass::MayBe),
                _ if is_use => Some(in_file.class(one.line)),
                _ => Some(UseClass::MayBe),
            };
            let own = classes.entry(one.line).or_insert(class);
            if own.is_none() || *own == Some(UseClass::MayBe) {
                *own = class.or(*own);
            }
        }
        classes
    }

    /// Returns true if the root of the Rust crate contains or imports the definition, so that
    /// `crate::name` means it.
    fn is_passed_to_root(&self) -> bool {
        self.near.intersection(&self.of_crate).any(|file| {
            let path = self.tree.files[*file].path.as_str();
            let name = path.rsplit('/').next().unwrap_or(path);
            matches!(name, "lib.rs" | "main.rs") && !self.is_other(*file)
        })
    }

    /// Returns true if a file other than that of the definition defines another item of that name.
    fn is_other(&self, file: usize) -> bool {
        let facts = self.tree.files[file].facts.as_deref();
        let Some(Content::Code(code)) = facts.map(|facts| &facts.content) else {
            return false;
        };
        file != self.definition.file
            && code.symbols.iter().any(|symbol| {
                let is_own = !matches!(
                    symbol.kind,
                    SymbolKind::Method
                        | SymbolKind::Field
                        | SymbolKind::Impl
                        | SymbolKind::Block
                        | SymbolKind::Module
                );
                is_own && own_name(symbol) == self.name
            })
    }

    /// Returns true if all imports of a file that name it on their lines resolve to other items of
    /// that name, in the languages that import definitions one by one.
    fn imports_other(&self, file: usize, language: Language, lines: &[&str]) -> bool {
        let names_each = matches!(
            language,
            Language::Rust
                | Language::Python
                | Language::JavaScript
                | Language::TypeScript
                | Language::Java
                | Language::Kotlin
        );
        if !names_each || file == self.definition.file {
            return false;
        }
        let all = &self.edges.all;
        let start = all.partition_point(|edge| edge.from < file);
        let own = all[start..].iter().take_while(|edge| edge.from == file);
        let mut named = own.filter(|edge| {
            let line = lines.get((edge.line as usize).wrapping_sub(1));
            line.is_some_and(|line| !named_lines(line, self.name).is_empty())
        });
        let leads_to_other = |edge: &Edge| {
            let files = edge.end.files();
            !files.is_empty() && files.iter().all(|to| self.is_other(*to))
        };
        named.next().is_some_and(leads_to_other) && named.all(leads_to_other)
    }

    /// Returns the lines by which a file imports that of the definition.
    fn aliases(&self, file: usize, text: &str) -> String {
        let references = self.edges.graph.to(self.definition.file).iter();
        let own = references.filter(|reference| reference.from == file);
        let lines: BTreeSet<u32> = own
            .map(|reference| self.edges.all[reference.edge].line)
            .collect();
        let lines = numbered_lines(text).filter(|(number, _)| lines.contains(number));
        lines.map(|(_, line)| line).collect::<Vec<_>>().join("\n")
    }
}

/// A file of code that contains the name.
struct InFile<'a> {
    around: &'a Around<'a>,
    file: usize,
    code: &'a CodeSummary,
    lines: Vec<&'a str>,
    /// The lines by which it imports the file of the definition.
    aliases: String,
    /// Lines that define an item of that name, with true for the definition itself.
    defined: BTreeMap<u32, bool>,
    found: &'a Uses,
    /// True if the file defines or imports another item of that name, which shadows the requested
    /// one.
    has_other: bool,
}

impl InFile<'_> {
    /// Returns true if the name at a line, with its qualifier, surely means the definition.
    fn is_use(&self, line: u32, qualifier: &Qualifier) -> bool {
        let around = self.around;
        let is_near = around.near.contains(&self.file);
        let is_rust = self.code.language == Language::Rust;
        if around.owner.is_some() {
            return is_near && self.is_of_owner(line, qualifier);
        }
        match qualifier {
            Qualifier::None => is_near && !self.has_other && !self.names_module(line),
            Qualifier::Name(name) => {
                let is_type = is_type(around.definition.kind);
                let is_path = around.modules.contains(name);
                let is_alias = !named_lines(&self.aliases, name).is_empty();
                let is_in_crate = is_rust && around.of_crate.contains(&self.file);
                (is_near && (is_type || is_path || is_alias))
                    || is_in_crate && (is_path || name == "crate" && around.is_passed_to_root())
            }
            // `super::name` in Rust; in other languages it is the member of an object.
            Qualifier::Own => is_rust && (is_near || around.of_crate.contains(&self.file)),
            Qualifier::Owner | Qualifier::Expression => false,
        }
    }

    /// Returns true if a line of Python contains the name as the module from which it imports, and
    /// not as an imported name.
    fn names_module(&self, line: u32) -> bool {
        let text = self.line(line);
        let imported = match text.strip_prefix("from ") {
            Some(rest) => rest.split_once(" import ").map(|(_, imported)| imported),
            None => text.starts_with("import ").then_some(""),
        };
        self.code.language == Language::Python
            && imported.is_some_and(|imported| named_lines(imported, self.around.name).is_empty())
    }

    /// Returns true if the member at a line belongs to the owner.
    fn is_of_owner(&self, line: u32, qualifier: &Qualifier) -> bool {
        match qualifier {
            Qualifier::Owner => true,
            Qualifier::Own => self.is_within_owner(line),
            Qualifier::None => {
                let is_implied = matches!(
                    self.code.language,
                    Language::Java
                        | Language::Kotlin
                        | Language::CSharp
                        | Language::Swift
                        | Language::Cpp
                        | Language::Ruby
                        | Language::Other
                );
                is_implied && self.is_within_owner(line)
            }
            Qualifier::Name(name) => {
                let declared = self
                    .found
                    .declarations
                    .get(name)
                    .map_or(&[][..], Vec::as_slice);
                self.holds_owner(line, declared)
            }
            Qualifier::Expression => false,
        }
    }

    /// Returns true if a variable has the type of the owner at a line: by its last declaration
    /// before the line in the enclosing function, else by all of its declarations in the file.
    fn holds_owner(&self, line: u32, declared: &[TypeDeclaration]) -> bool {
        let scope = self.innermost(line);
        let in_scope = declared.iter().rfind(|one| {
            scope.is_some_and(|(first, last)| (first..=last).contains(&one.line))
                && one.line <= line
        });
        match in_scope {
            Some(last) => last.is_owner,
            None => !declared.is_empty() && declared.iter().all(|one| one.is_owner),
        }
    }

    /// Returns the lines of the innermost function or method that encloses a line.
    fn innermost(&self, line: u32) -> Option<(u32, u32)> {
        let symbols =
            self.code.symbols.iter().filter(|symbol| {
                (symbol.first..=symbol.last).contains(&line) && !is_type(symbol.kind)
            });
        let symbols = symbols.filter(|symbol| symbol.kind != SymbolKind::Module);
        symbols
            .map(|symbol| (symbol.first, symbol.last))
            .min_by_key(|(first, last)| last - first)
    }

    /// Returns true if a line is in the owner, or in a type that extends the owner according to the
    /// line of its name.
    fn is_within_owner(&self, line: u32) -> bool {
        let Some(owner) = self.around.owner else {
            return false;
        };
        self.code.symbols.iter().any(|symbol| {
            let is_around = (symbol.first..=symbol.last).contains(&line) && is_type(symbol.kind)
                || symbol.kind == SymbolKind::Method
                    && (symbol.first..=symbol.last).contains(&line)
                    && above(symbol) == Some(owner.to_owned());
            is_around && (own_name(symbol) == owner || self.builds_on_owner(symbol))
        })
    }

    fn builds_on_owner(&self, symbol: &SymbolSummary) -> bool {
        let name = own_name(symbol);
        // A method may be outside of its type: `func (s *Owner) name` in Go.
        if above(symbol).as_deref() == self.around.owner {
            return true;
        }
        let mut lines = self.found.owner_lines.range(symbol.first..=symbol.last);
        lines.any(|number| !named_lines(self.line(*number), &name).is_empty())
    }

    /// Returns a line of the text, 1-based.
    fn line(&self, number: u32) -> &str {
        let index = (number as usize).saturating_sub(1);
        self.lines.get(index).copied().unwrap_or_default()
    }

    /// Returns the class of a use at a line.
    fn class(&self, line: u32) -> UseClass {
        let path = &self.around.tree.files[self.file].path;
        if self.is_re_export(path, line) {
            return UseClass::ReExport;
        }
        let in_tests = self.code.symbols.iter().any(|symbol| {
            symbol.kind == SymbolKind::Module
                && matches!(&*symbol.name, "tests" | "test")
                && (symbol.first..=symbol.last).contains(&line)
        });
        if in_tests || is_test(path) {
            UseClass::Test
        } else {
            UseClass::Code
        }
    }

    /// Returns true if a line belongs to a statement by which a file re-exports an import.
    fn is_re_export(&self, path: &str, line: u32) -> bool {
        // The name may be on a later line of its statement, such as `Name,` in a `pub use` of
        // several lines. The search goes back to the line on which the statement begins; it
        // ends at the latest on a line that ends another statement. An import of one line is
        // such a line too, also where no semicolon follows it: `export * from './a'` or, in an
        // `__init__.py`, `from .a import b` does not contain the call in the next line.
        let above = (1..=line).rev().take(STATEMENT_LINES).enumerate();
        let mut texts = above.map(|(back, number)| (back > 0, self.line(number)));
        let begins = texts.find_map(|(is_above, text)| {
            let is_head = HEADS.iter().any(|head| text.starts_with(head));
            let is_end = is_above && (ends_statement(text) || is_head && !is_open(text));
            (is_head || is_end).then_some((!is_end).then_some(text))
        });
        let Some(Some(head)) = begins else {
            return false;
        };
        match self.code.language {
            Language::Rust => is_public_use(head),
            Language::JavaScript | Language::TypeScript | Language::Other => {
                head.starts_with("export {")
                    || head.starts_with("export *")
                    || head.starts_with("export type {")
            }
            Language::Python => {
                path.ends_with("__init__.py")
                    && (head.starts_with("from ") || head.starts_with("import "))
            }
            _ => false,
        }
    }
}

/// Returns true if a Rust statement is an import with a visibility, such as `pub(crate) use`.
fn is_public_use(head: &str) -> bool {
    let Some(rest) = head.strip_prefix("pub") else {
        return false;
    };
    let item = match rest.strip_prefix('(') {
        Some(visibility) => visibility.split_once(')').map_or("", |(_, item)| item),
        None => rest,
    };
    item.starts_with(" use ")
}

/// Returns true if a statement ends on this line, or a list of names that began above it.
fn ends_statement(line: &str) -> bool {
    line.ends_with([';', '}']) || line.starts_with([')', '}'])
}

/// Returns true if a statement continues after this line.
fn is_open(line: &str) -> bool {
    line.trim_end().ends_with(['{', '(', ',', '\\'])
}

/// Prefixes of statements that import, and of those that define.
const HEADS: [&str; 11] = [
    "pub use ", "pub(", "use ", "export ", "import ", "from ", "fn ", "pub fn ", "def ", "class ",
    "const ",
];

/// Returns true if it is a type.
pub fn is_type(kind: SymbolKind) -> bool {
    matches!(
        kind,
        SymbolKind::Class
            | SymbolKind::Struct
            | SymbolKind::Enum
            | SymbolKind::Union
            | SymbolKind::Trait
            | SymbolKind::Interface
            | SymbolKind::Type
            | SymbolKind::Impl
            | SymbolKind::Object
    )
}

fn own_name(symbol: &SymbolSummary) -> String {
    let bare = bare(&symbol.name);
    bare.rsplit('.').next().unwrap_or(&bare).to_owned()
}

/// Returns the type that precedes the name of a definition as its qualifier.
fn above(symbol: &SymbolSummary) -> Option<String> {
    bare(&symbol.name).rsplit('.').nth(1).map(str::to_owned)
}

/// Returns the lines that define an item of that name, with true for the definition itself.
fn defining_lines(
    facts: &FileSummary,
    found: &Uses,
    name: &str,
    is_it: impl Fn(&str) -> bool,
) -> BTreeMap<u32, bool> {
    let mut defined = BTreeMap::new();
    let lines: BTreeSet<u32> = found.uses.iter().map(|one| one.line).collect();
    each_symbol(Some(facts), |full, symbol| {
        if own_name(symbol) == name
            && !matches!(symbol.kind, SymbolKind::Impl | SymbolKind::Block)
            // The range of a symbol begins with its comments and decorators. The name is
            // defined on the first line of the range on which code has it, since `found`
            // contains neither comments nor strings.
            && let Some(line) = lines.range(symbol.first..=symbol.last).next()
        {
            let is_own = defined.entry(*line).or_insert(false);
            *is_own |= is_it(full);
        }
    });
    defined
}

/// Returns the headers through which a definition of C or C++ is visible to other files: those that
/// its file includes and that contain its name.
fn headers(tree: &Tree, edges: &Edges, definition: &Definition) -> Vec<usize> {
    let path = &tree.files[definition.file].path;
    if !matches!(Language::from_path(path), Some(Language::C | Language::Cpp)) {
        return Vec::new();
    }
    let name = definition.own_name();
    let included = edges.all.iter().filter(|edge| edge.from == definition.file);
    let files = included.flat_map(|edge| edge.end.files().iter().copied());
    let holds = |file: &usize| {
        let facts = tree.files[*file].facts.as_ref();
        facts.is_some_and(|facts| facts.may_hold(name))
    };
    files.filter(holds).collect()
}

/// Returns the files that see the definitions of a file without an import.
fn same_package(tree: &Tree, file: usize) -> Vec<usize> {
    let path = tree.files[file].path.as_str();
    let Some(language) = Language::from_path(path) else {
        return Vec::new();
    };
    let directory = |path: &str| {
        path.rsplit_once('/')
            .map_or("", |(above, _)| above)
            .to_owned()
    };
    let extension = |path: &str| path.rsplit('.').next().unwrap_or_default().to_owned();
    let package = package_of(tree, file);
    let is_beside = |other: usize, one: &str| match language {
        Language::Java | Language::Kotlin => match &package {
            Some(package) => package_of(tree, other).as_ref() == Some(package),
            None => directory(one) == directory(path),
        },
        Language::Go => directory(one) == directory(path),
        // Their imports are not resolved: the definition may be visible from every file.
        Language::CSharp | Language::Swift | Language::Ruby | Language::Php => true,
        Language::Other => extension(one) == extension(path),
        Language::Rust
        | Language::Python
        | Language::JavaScript
        | Language::TypeScript
        | Language::C
        | Language::Cpp
        | Language::Shell => false,
    };
    let is_same_language = |one: &str| match (language, Language::from_path(one)) {
        (Language::Java | Language::Kotlin, Some(Language::Java | Language::Kotlin)) => true,
        (own, other) => other == Some(own),
    };
    let files = tree.files.iter().enumerate();
    files
        .filter(|(other, one)| is_same_language(&one.path) && is_beside(*other, &one.path))
        .map(|(other, _)| other)
        .collect()
}

fn package_of(tree: &Tree, file: usize) -> Option<String> {
    let Content::Code(code) = &tree.files[file].facts.as_ref()?.content else {
        return None;
    };
    code.imports.iter().find_map(|import| match &import.target {
        ImportedName::JvmPackage(name) => Some(name.clone()),
        _ => None,
    })
}

/// Returns the Rust files below the nearest directory above `path` that has a manifest.
fn crate_files(tree: &Tree, path: &str) -> BTreeSet<usize> {
    if Language::from_path(path) != Some(Language::Rust) {
        return BTreeSet::new();
    }
    let root = crate_root(tree, path);
    let files = tree.files.iter().enumerate();
    // A crate may contain others, with manifests of their own.
    let own = files.filter(|(_, one)| {
        one.path.starts_with(root)
            && one.path.ends_with(".rs")
            && crate_root(tree, &one.path) == root
    });
    own.map(|(file, _)| file).collect()
}

/// Returns the directory of the nearest `Cargo.toml` above a path, with its trailing slash, or that
/// of the tree if there is none.
fn crate_root<'p>(tree: &Tree, path: &'p str) -> &'p str {
    let mut above = path;
    while let Some(slash) = above.rfind('/') {
        if tree
            .index(&format!("{}/Cargo.toml", &above[..slash]))
            .is_some()
        {
            return &path[..=slash];
        }
        above = &above[..slash];
    }
    ""
}
