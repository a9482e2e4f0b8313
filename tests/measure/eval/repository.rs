//! The code of a repository, its definitions, and the lines that call them.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use crate::answer::{Lines, Paths};
use crate::extent;
use crate::language::{Language, is_identifier, is_of_name};
use crate::words;

/// Minimum bytes of a name for a query.
const NAME_BYTES: usize = 4;

/// Folders and files beside the main code of a repository.
const ASIDE: [&str; 11] = [
    "tests", "spec", "specs", "examples", "example", "samples", "deps", "vendor", "testing",
    "utils", "test",
];

/// The files of a folder.
pub struct Repository {
    /// Paths of all files.
    pub paths: Paths,
    /// Source files.
    pub files: BTreeMap<String, File>,
    /// Definitions that are unique in the repository and whose names are not ordinary words, in an
    /// order that does not depend on their content.
    pub definitions: Vec<Definition>,
}

/// A file of code.
pub struct File {
    pub language: Language,
    pub text: String,
}

/// A definition of a function, type or constant.
#[derive(Debug)]
pub struct Definition {
    pub path: String,
    pub name: String,
    /// Line of the name.
    pub line: usize,
    /// Lines from its comment to its last line.
    pub lines: Lines,
    pub is_function: bool,
    /// First sentence of its comment.
    pub comment: String,
}

/// A line with a call.
#[derive(Debug)]
pub struct Call<'a> {
    pub path: &'a str,
    pub line: usize,
    pub text: &'a str,
}

impl Repository {
    /// Reads a folder, without hidden entries and files other than text.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(root: &Path) -> io::Result<Self> {
        let mut paths = Paths::new();
        walk(root, "", &mut paths)?;
        let mut files = BTreeMap::new();
        for path in &paths {
            if let Some(language) = Language::from_name(path)
                && let Ok(text) = fs::read_to_string(root.join(path))
            {
                files.insert(path.clone(), File { language, text });
            }
        }
        let definitions = definitions(&files);
        Ok(Self {
            paths,
            files,
            definitions,
        })
    }

    /// Returns the lines of a definition, starting with the line of its name.
    pub fn body(&self, definition: &Definition) -> impl Iterator<Item = &str> {
        let text = self
            .files
            .get(&definition.path)
            .map_or("", |file| &file.text);
        let count = definition.lines.last + 1 - definition.line;
        text.split('\n').skip(definition.line - 1).take(count)
    }

    /// Returns the lines that call a function: those with its name before a parenthesis, without
    /// comments, definitions and prototypes.
    pub fn calls(&self, function: &Definition) -> Vec<Call<'_>> {
        let name = function.name.as_str();
        let mut calls = Vec::new();
        for (path, file) in &self.files {
            for (line, text) in (1..).zip(file.text.split('\n')) {
                let is_comment = || {
                    let marks = ["//", "*", "/*", "#"];
                    marks.iter().any(|mark| text.trim().starts_with(mark))
                };
                let is_prototype =
                    || file.language == Language::C && !text.starts_with(char::is_whitespace);
                let is_defined = || file.language.defined(text).is_some_and(|d| d.name == name);
                if calls_by_name(text, name) && !is_comment() && !is_prototype() && !is_defined() {
                    calls.push(Call { path, line, text });
                }
            }
        }
        calls
    }
}

/// Collects the paths of all files below a folder, except hidden ones.
///
/// # Errors
/// If a folder cannot be listed.
pub fn walk(root: &Path, folder: &str, paths: &mut Paths) -> io::Result<()> {
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if folder.is_empty() {
            name.clone()
        } else {
            format!("{folder}/{name}")
        };
        if name.starts_with('.') {
            continue;
        }
        if entry.file_type()?.is_dir() {
            walk(root, &path, paths)?;
        } else {
            paths.insert(path);
        }
    }
    Ok(())
}

fn definitions(files: &BTreeMap<String, File>) -> Vec<Definition> {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    let mut definitions = Vec::new();
    for (path, file) in files {
        let lines: Vec<&str> = file.text.split('\n').collect();
        for (at, line) in lines.iter().enumerate() {
            let Some(defined) = file.language.defined(line) else {
                continue;
            };
            let is_function = defined.is_function;
            if file.language == Language::C && is_function && !extent::has_body(&lines, at) {
                continue;
            }
            *counts.entry(defined.name).or_default() += 1;
            let is_asked = defined.name.len() >= NAME_BYTES && is_identifier(defined.name);
            if is_asked && !is_aside(path) {
                let found = definition(path, file.language, &lines, at, defined.name);
                definitions.extend(found.map(|found| Definition {
                    is_function,
                    ..found
                }));
            }
        }
    }
    definitions.retain(|definition| counts.get(definition.name.as_str()) == Some(&1));
    definitions.sort_by_key(|definition| {
        (
            hash(&format!("{}:{}", definition.path, definition.name)),
            definition.path.clone(),
        )
    });
    definitions
}

fn definition(
    path: &str,
    language: Language,
    lines: &[&str],
    at: usize,
    name: &str,
) -> Option<Definition> {
    let is_python = language == Language::Python;
    if is_python && extent::is_local(lines, at) {
        return None;
    }
    let end = extent::end(lines, at, language)?;
    let (first, above) = extent::beginning(lines, at, language);
    let comment = if is_python {
        extent::docstring(lines, at, end)
    } else {
        above
    };
    Some(Definition {
        path: path.to_owned(),
        name: name.to_owned(),
        line: at + 1,
        lines: Lines {
            first: first + 1,
            last: end + 1,
        },
        is_function: true,
        comment: words::sentence(&comment),
    })
}

/// Returns true if a file is a test, an example or third-party code.
fn is_aside(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    path.split(|c: char| !c.is_ascii_lowercase())
        .any(|word| ASIDE.contains(&word) || word.ends_with("test"))
}

/// Returns true if a name precedes a parenthesis, as a whole word.
fn calls_by_name(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        !text[..at].ends_with(is_of_name) && text[at + name.len()..].trim_start().starts_with('(')
    })
}

/// Returns a platform-independent hash: FNV-1a.
pub fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "/* Says what the caller wants. */
int saySomething(int what) {
    return what;
}
int saySomething2(int what);
int other(void) {
    // saySomething(1)
    return saySomething (1) + unsaySomething(2);
}
";

    fn files() -> BTreeMap<String, File> {
        let file = |text: &str| File {
            language: Language::C,
            text: text.to_owned(),
        };
        [
            ("src/say.c".to_owned(), file(CODE)),
            ("tests/say.c".to_owned(), file("int testIt(void) {\n}\n")),
        ]
        .into()
    }

    #[test]
    fn what_is_defined_once_is_asked_about() {
        let definitions = definitions(&files());
        let [definition] = definitions.as_slice() else {
            panic!("{definitions:?}");
        };
        assert_eq!(
            (definition.name.as_str(), definition.line),
            ("saySomething", 2)
        );
        assert_eq!(definition.lines, Lines { first: 1, last: 4 });
        assert_eq!(definition.comment, "Says what the caller wants");
    }

    #[test]
    fn a_line_calls_that_has_the_name_before_a_parenthesis() {
        let files = files();
        let repository = Repository {
            paths: files.keys().cloned().collect(),
            definitions: definitions(&files),
            files,
        };
        let definition = &repository.definitions[0];
        let calls = repository.calls(definition);
        let lines: Vec<usize> = calls.iter().map(|call| call.line).collect();
        assert_eq!(lines, [8]);
        assert_eq!(repository.body(definition).count(), 3);
    }

    #[test]
    fn the_order_is_the_same_everywhere() {
        assert_eq!(hash(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash("a"), 0xaf63_dc4c_8601_ec8c);
    }
}
