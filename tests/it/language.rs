//! Tests that the sources use the conventions of the field. Remaining exceptions are counted for
//! each crate, and the counts may only decrease.

use std::collections::BTreeMap;
use std::fs;

use super::forgotten::{files, workspace};

/// The words with which a doc comment must not begin: it begins with the noun of its item, or the
/// verb of its function.
const QUESTIONS: [&str; 6] = ["What", "Whether", "How", "Who", "Where", "Which"];

/// Maximum columns of a comment line, as many as rustfmt allows for code.
const COLUMNS: usize = 100;

/// The maxima of each crate: doc comments that begin with one of [`QUESTIONS`], functions called
/// `of` or `of_…`, and comment lines beyond [`COLUMNS`]. A crate without a row has none. A change
/// that lowers a count lowers it here.
const MOST: [(&str, Counts); 1] = [
    // Texts of the tests below.
    ("tests", Counts::new(0, 3, 0)),
];

/// The counts of exceptions in some sources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    /// Number of doc comments that begin with one of [`QUESTIONS`].
    questions: usize,
    /// Number of functions called `of` or `of_…`.
    of: usize,
    /// Number of comment lines beyond [`COLUMNS`].
    long: usize,
}

impl Counts {
    const fn new(questions: usize, of: usize, long: usize) -> Self {
        Self {
            questions,
            of,
            long,
        }
    }

    fn add(&mut self, text: &str) {
        let mut is_inside = false;
        for line in text.lines() {
            let code = line.trim_start();
            let doc = code.strip_prefix("///").or(code.strip_prefix("//!"));
            if let Some(doc) = doc
                && !is_inside
            {
                let mut words = doc.split(|c: char| !c.is_alphabetic());
                let first = words.find(|word| !word.is_empty());
                self.questions += usize::from(first.is_some_and(|word| QUESTIONS.contains(&word)));
            }
            is_inside = doc.is_some();
            if code.starts_with("//") {
                self.long += usize::from(line.chars().count() > COLUMNS);
            } else {
                self.of += usize::from(is_function_of(code));
            }
        }
    }

    /// Returns true if no count exceeds that in `most`.
    fn is_within(self, most: Self) -> bool {
        self.questions <= most.questions && self.of <= most.of && self.long <= most.long
    }
}

/// Returns true if a line of code declares a function called `of` or `of_…`.
fn is_function_of(code: &str) -> bool {
    code.split_once("fn of").is_some_and(|(before, after)| {
        (before.is_empty() || before.ends_with(' ')) && after.starts_with(['(', '<', '_'])
    })
}

/// Returns the directory of the crate to which a file of the workspace belongs; all tests count as
/// one crate.
fn crate_of(path: &str) -> Option<String> {
    let mut names = path.split('/');
    let top = names.next()?;
    match top {
        "guest" | "host" => Some(format!("{top}/{}", names.next()?)),
        _ => Some(top.to_owned()),
    }
}

#[test]
fn no_crate_takes_up_a_habit_again() {
    let workspace = workspace();
    let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
    for file in files() {
        // Files in `cases` are texts of tests.
        let is_case = file
            .parent()
            .is_some_and(|parent| parent.ends_with("cases"));
        if is_case || file.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let relative = file.strip_prefix(&workspace).unwrap();
        let path = relative.to_string_lossy().replace('\\', "/");
        let text = fs::read_to_string(&file).unwrap();
        if let Some(name) = crate_of(&path) {
            counts.entry(name).or_default().add(&text);
        }
    }
    let allowed: BTreeMap<&str, Counts> = MOST.into_iter().collect();
    let worse: Vec<String> = counts
        .iter()
        .filter_map(|(name, counts)| {
            let most = allowed.get(&**name).copied().unwrap_or_default();
            let is_worse = !counts.is_within(most);
            is_worse.then(|| format!("{name}: {counts:?}; expected at most {most:?}"))
        })
        .collect();
    assert!(
        worse.is_empty(),
        "doc comments begin with the noun or verb of their item, constructors are called `new` or \
         `from_…`, and comments end at column {COLUMNS}: {worse:#?}"
    );
    let gone: Vec<&&str> = allowed
        .keys()
        .filter(|name| !workspace.join(name).is_dir())
        .collect();
    assert!(gone.is_empty(), "these crates are gone: {gone:?}");
}

/// Returns the directory of the crate to which a source file belongs; none for a test.
fn crate_with_sources(path: &str) -> Option<&str> {
    let (name, file) = path.split_once("/src/")?;
    let is_test = file.ends_with("tests.rs") || file.contains("tests/");
    let is_production = name.starts_with("guest/") || name.starts_with("host/");
    (is_production && !is_test).then_some(name)
}

/// Returns the name of the type or trait that a line of code declares, if it declares one.
fn declared_type(code: &str) -> Option<&str> {
    let mut words = code.split_whitespace();
    let mut word = words.next()?;
    if word == "pub" || word.starts_with("pub(") {
        word = words.next()?;
    }
    if !["struct", "enum", "trait", "union"].contains(&word) {
        return None;
    }
    let end = |c: char| !c.is_alphanumeric() && c != '_';
    words.next()?.split(end).next()
}

#[test]
fn a_type_has_a_name_of_its_own_in_its_crate() {
    let workspace = workspace();
    let mut declared: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for file in files() {
        if file.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let relative = file.strip_prefix(&workspace).unwrap();
        let path = relative.to_string_lossy().replace('\\', "/");
        let Some(name) = crate_with_sources(&path) else {
            continue;
        };
        let text = fs::read_to_string(&file).unwrap();
        let production = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        for name_of_type in production.lines().filter_map(declared_type) {
            let key = (name.to_owned(), name_of_type.to_owned());
            let paths = declared.entry(key).or_default();
            if !paths.contains(&path) {
                paths.push(path.clone());
            }
        }
    }
    assert!(declared.len() > 1000, "{} types", declared.len());
    declared.retain(|_, paths| paths.len() > 1);
    assert!(
        declared.is_empty(),
        "two types of a crate have one name: {declared:#?}"
    );
}

#[test]
fn types_are_found_where_they_are_declared() {
    for (code, expected) in [
        ("struct Entry {", Some("Entry")),
        ("    pub(crate) enum Kind<'a> {", Some("Kind")),
        ("pub trait Disk: Sized {", Some("Disk")),
        ("pub struct Key([u8; 16]);", Some("Key")),
        ("// struct Entry", None),
        ("let structure = 1;", None),
        ("pub fn enum_name() {", None),
    ] {
        assert_eq!(declared_type(code), expected, "{code}");
    }
    let crates = [
        (
            "guest/components/docent/src/lib.rs",
            Some("guest/components/docent"),
        ),
        ("host/library/src/guard/mod.rs", Some("host/library")),
        ("host/library/src/guard/tests/renames.rs", None),
        ("guest/edit/tests/it/main.rs", None),
        ("tests/it/language.rs", None),
    ];
    for (path, expected) in crates {
        assert_eq!(crate_with_sources(path), expected, "{path}");
    }
}

#[test]
fn habits_are_counted() {
    let count = |text: &str| {
        let mut counts = Counts::default();
        counts.add(text);
        counts
    };
    let long = "x".repeat(COLUMNS);
    for (text, expected) in [
        ("/// What a file holds.", Counts::new(1, 0, 0)),
        ("    //! Whether it is.", Counts::new(1, 0, 0)),
        ("/// The file.\n/// Which is it?", Counts::new(0, 0, 0)),
        ("// What follows.", Counts::new(0, 0, 0)),
        ("/// Whatever it is.", Counts::new(0, 0, 0)),
        ("    pub fn of(text: &str) {", Counts::new(0, 1, 0)),
        ("const fn of_name<T>() {", Counts::new(0, 1, 0)),
        ("fn of<'a>(text: &'a str) {", Counts::new(0, 1, 0)),
        ("fn offset() {", Counts::new(0, 0, 0)),
        ("// fn of(text)", Counts::new(0, 0, 0)),
        (&*format!("// {long}"), Counts::new(0, 0, 1)),
        (&*format!("let a = \"{long}\";"), Counts::new(0, 0, 0)),
        (&*"// 가".repeat(COLUMNS / 4), Counts::new(0, 0, 0)),
    ] {
        assert_eq!(count(text), expected, "{text}");
    }
}
