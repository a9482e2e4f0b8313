//! Transitive callers in a deep answer, compared with calls that are followed one by one, in
//! functions that call each other at random, across files, in cycles, and from outside any
//! function.

use std::collections::{BTreeMap, BTreeSet};

use docent_api::understanding::{Aspect, UnderstandDepth, UnderstandOptions, UseClass};
use docent_tools::{Docent, NO_UNDERSTAND_OPTIONS, ToolSettings};
use docent_tree::memory::MemoryDisk;
use proptest::prelude::*;
use proptest::sample::select;

use super::check;

/// Functions, each in the file of its place, modulo the files.
const NAMES: [&str; 8] = [
    "spin", "turn_on", "halt", "gearUp", "brake", "steer", "honk", "idle_on",
];

/// Modules that contain the functions.
const MODULES: [&str; 3] = ["alpha", "beta", "gamma"];

/// A module that nothing imports, with functions of the same names.
const STRANGER: &str = "zeta";

/// Steps of a deep request.
const STEPS: u32 = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Python,
    Rust,
    TypeScript,
}

impl Kind {
    fn path(self, module: &str) -> String {
        match self {
            Self::Python => format!("{module}.py"),
            Self::Rust => format!("src/{module}.rs"),
            Self::TypeScript => format!("{module}.ts"),
        }
    }

    fn import(self, module: &str, name: &str) -> String {
        match self {
            Self::Python => format!("from {module} import {name}"),
            Self::Rust => format!("use crate::{module}::{name};"),
            Self::TypeScript => format!("import {{ {name} }} from \"./{module}\";"),
        }
    }

    fn head(self, name: &str) -> String {
        match self {
            Self::Python => format!("def {name}():"),
            Self::Rust => format!("pub fn {name}() {{"),
            Self::TypeScript => format!("export function {name}() {{"),
        }
    }

    /// Returns a call, a comment or a text with the name, in a function.
    fn inner(self, name: &str, form: u8) -> String {
        let end = if self == Self::Python { "" } else { ";" };
        let remark = if self == Self::Python { "#" } else { "//" };
        match form {
            0 => format!("    {remark} {name} is not called here"),
            1 => format!("    log(\"{name}\"){end}"),
            2 => format!("    log({name}()){end}"),
            _ => format!("    {name}(){end}"),
        }
    }

    fn end(self) -> Option<&'static str> {
        (self != Self::Python).then_some("}")
    }

    fn manifests(self) -> Vec<(&'static str, &'static str)> {
        match self {
            Self::Python => Vec::new(),
            Self::Rust => vec![
                ("Cargo.toml", "[package]\nname = \"p\"\n"),
                (
                    "src/lib.rs",
                    "mod alpha;\nmod beta;\nmod gamma;\nmod zeta;\n",
                ),
            ],
            Self::TypeScript => vec![("package.json", "{\"name\": \"p\"}\n")],
        }
    }
}

/// A line that uses a function.
#[derive(Clone, Debug)]
struct Call {
    path: String,
    line: u32,
    callee: usize,
    /// The enclosing function, or `None` outside of all.
    within: Option<usize>,
}

/// Functions with their calls.
#[derive(Debug)]
struct Program {
    kind: Kind,
    files: BTreeMap<String, String>,
    calls: Vec<Call>,
}

fn module(function: usize) -> usize {
    function % MODULES.len()
}

/// Returns a program in which each function contains lines that name others, each by its number and
/// form, and modules call the functions of `outside`.
fn written(kind: Kind, bodies: &[Vec<(usize, u8)>], outside: &[usize], strange: usize) -> Program {
    let mut program = Program {
        kind,
        files: BTreeMap::new(),
        calls: Vec::new(),
    };
    for (number, name) in MODULES.iter().enumerate() {
        let path = kind.path(name);
        let own: Vec<usize> = (0..NAMES.len())
            .filter(|it| module(*it) == number)
            .collect();
        let mut lines: Vec<String> = Vec::new();
        let mut calls: Vec<(usize, usize, Option<usize>)> = Vec::new();
        let bodies_of = own.iter().flat_map(|it| &bodies[*it]).map(|(it, _)| *it);
        let at_top = outside.iter().copied().filter(|_| kind != Kind::Rust);
        let named: BTreeSet<usize> = bodies_of.chain(at_top.clone()).collect();
        for callee in named.into_iter().filter(|it| module(*it) != number) {
            lines.push(kind.import(MODULES[module(callee)], NAMES[callee]));
            calls.push((lines.len(), callee, None));
        }
        for function in own {
            lines.push(String::new());
            lines.push(kind.head(NAMES[function]));
            for (callee, form) in &bodies[function] {
                lines.push(kind.inner(NAMES[*callee], *form));
                if *form > 1 {
                    calls.push((lines.len(), *callee, Some(function)));
                }
            }
            lines.push(kind.inner("log", 2));
            lines.extend(kind.end().map(str::to_owned));
        }
        for callee in at_top {
            lines.push(kind.inner(NAMES[callee], 3).trim().to_owned());
            calls.push((lines.len(), callee, None));
        }
        program.files.insert(path.clone(), lines.join("\n") + "\n");
        program
            .calls
            .extend(calls.into_iter().map(|(line, callee, within)| Call {
                path: path.clone(),
                line: u32::try_from(line).unwrap(),
                callee,
                within,
            }));
    }
    // Its own definitions and calls refer to none of them.
    let mut lines = vec![kind.head(NAMES[strange])];
    lines.push(kind.inner(NAMES[strange], 3));
    lines.extend(kind.end().map(str::to_owned));
    program
        .files
        .insert(kind.path(STRANGER), lines.join("\n") + "\n");
    program
}

fn program() -> impl Strategy<Value = Program> {
    let kind = select(&[Kind::Python, Kind::Rust, Kind::TypeScript][..]);
    let line = (0..NAMES.len(), 0..6u8);
    let bodies = prop::collection::vec(prop::collection::vec(line, 0..3), NAMES.len());
    let outside = prop::collection::vec(0..NAMES.len(), 0..2);
    (kind, bodies, outside, 0..NAMES.len())
        .prop_map(|(kind, bodies, outside, strange)| written(kind, &bodies, &outside, strange))
}

/// A use of a function: its path, line and number of steps, and the function.
type Told = (String, u32, u32, String);

impl Program {
    /// Returns the uses of a function and of its callers, with the number of steps between.
    fn followed(&self, target: usize) -> BTreeSet<Told> {
        let mut found = BTreeSet::new();
        let mut known = BTreeSet::from([target]);
        let mut level = known.clone();
        for distance in 1..=STEPS {
            let mut next = BTreeSet::new();
            for call in self.calls.iter().filter(|it| level.contains(&it.callee)) {
                let home = self.kind.path(MODULES[module(call.callee)]);
                let to = format!("{home}#{}", NAMES[call.callee]);
                found.insert((call.path.clone(), call.line, distance, to));
                next.extend(call.within.filter(|it| known.insert(*it)));
            }
            level = next;
        }
        found
    }

    fn docent(&self) -> Docent<MemoryDisk> {
        let disk = MemoryDisk::with_roots(&["code"]);
        for (path, text) in self.kind.manifests() {
            disk.write("code", path, text.as_bytes());
        }
        for (path, text) in &self.files {
            disk.write("code", path, text.as_bytes());
        }
        Docent::new(disk, ToolSettings::default())
    }
}

#[test]
fn callers_of_callers_are_those_that_calls_lead_to() {
    check(200, program(), |program| {
        let mut docent = program.docent();
        for (target, name) in NAMES.iter().enumerate() {
            let options = UnderstandOptions {
                symbol: Some((*name).to_owned()),
                paths: Some(vec![program.kind.path(MODULES[module(target)])]),
                aspects: Some(vec![Aspect::Impact]),
                depth: Some(UnderstandDepth::Deep),
                ..NO_UNDERSTAND_OPTIONS
            };
            let mut told = Vec::new();
            let mut cursor = None;
            loop {
                let options = UnderstandOptions {
                    cursor,
                    ..options.clone()
                };
                let answer = docent.understand(Some(options)).unwrap();
                told.extend(answer.impact);
                cursor = answer.next_cursor;
                if cursor.is_none() {
                    break;
                }
            }
            let steps: Vec<u32> = told.iter().map(|one| one.distance).collect();
            prop_assert!(steps.is_sorted(), "{:?}", steps);
            let uses: Vec<Told> = told
                .into_iter()
                .filter(|one| matches!(one.class, Some(UseClass::Code)))
                .map(|one| (one.path, one.line, one.distance, one.to.unwrap_or_default()))
                .collect();
            let number = uses.len();
            let uses: BTreeSet<Told> = uses.into_iter().collect();
            prop_assert_eq!(uses.len(), number);
            prop_assert_eq!(uses, program.followed(target), "{} {:?}", name, program);
        }
        Ok(())
    });
}
