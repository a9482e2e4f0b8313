//! Tests of the resolution of imports: one tree per case, with every edge between its files.

mod ecmascript;
mod laws;
mod manifests;
mod others;
mod python;
mod rust;

use docent_code::imports::{ImportPath, imports};
use docent_code::{Language, Source};
use docent_graph::imports::{ImportTarget, Resolver, is_manifest};
use docent_graph::names::Names;

/// Returns a line for each import: the file, the line and the target, with `~` if it is only
/// likely.
fn edges(files: &[(&str, &str)]) -> Vec<String> {
    let mut names = Names::default();
    for (path, _) in files {
        names.insert(path);
    }
    let manifests = files.iter().copied().filter(|(path, _)| is_manifest(path));
    let facts: Vec<(&str, Vec<ImportPath>)> = files
        .iter()
        .filter_map(|(path, text)| Some((*path, imports(Language::from_path(path)?, text))))
        .collect();
    let by_path = facts
        .iter()
        .map(|(path, imports)| (*path, imports.as_slice()));
    let resolver = Resolver::new(&names, manifests, by_path);
    let mut edges = Vec::new();
    for (path, imports) in &facts {
        for import in imports {
            let resolved = resolver.resolve(path, import);
            let to = match resolved.imported {
                ImportTarget::Files(files) => files.join(" "),
                ImportTarget::External => "external".to_owned(),
                ImportTarget::Missing => "missing".to_owned(),
                ImportTarget::Several(files) => format!("one of {}", files.join(" ")),
            };
            let sign = if resolved.known_by == Source::Parsed {
                ""
            } else {
                "~"
            };
            edges.push(format!("{path}:{}{sign} {to}", import.line));
        }
    }
    edges
}

#[track_caller]
fn check(files: &[(&str, &str)], expected: &[&str]) {
    let expected: Vec<String> = expected.iter().map(ToString::to_string).collect();
    let found = edges(files);
    assert!(
        found == expected,
        "expected {expected:#?}\nfound {found:#?}"
    );
}
