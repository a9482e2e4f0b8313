//! A comparison of the broken links that docent, lychee and rumdl find, line by line.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use docent_graph::link::{Link, LinkKind};
use docent_graph::resolve::Resolution;
use serde_json::Value;

use crate::tree::{Graph, Texts};

/// The location of a broken link: its document, and its line from 1.
type Place = (String, u64);

/// The compared checkers.
const CHECKERS: [&str; 3] = ["docent", "lychee", "rumdl"];

/// Returns the broken links in lychee's JSON output for the tree below `root`, each with its
/// reason.
fn lychee(json: &Value, root: &str) -> BTreeMap<Place, String> {
    let mut found = BTreeMap::new();
    let errors = json["error_map"].as_object().into_iter().flatten();
    for (path, all) in errors {
        let path = path
            .strip_prefix(root)
            .unwrap_or(path)
            .trim_start_matches('/');
        for error in all.as_array().into_iter().flatten() {
            let line = error["span"]["line"].as_u64().unwrap_or_default();
            let said = format!("{} ({})", error["url"], error["status"]["text"]);
            found.insert((path.trim_start_matches("./").to_owned(), line), said);
        }
    }
    found
}

/// Returns the broken links in rumdl's JSON output, each with its reason.
fn rumdl(json: &Value) -> BTreeMap<Place, String> {
    let mut found = BTreeMap::new();
    for error in json.as_array().into_iter().flatten() {
        let path = error["file"].as_str().unwrap_or_default();
        let line = error["line"].as_u64().unwrap_or_default();
        let said = format!("{} ({})", error["message"], error["rule"]);
        found.insert((path.trim_start_matches("./").to_owned(), line), said);
    }
    found
}

/// Returns docent's verdict on the links of a line that it does not consider broken.
fn verdict(graph: &Graph, plain: &Graph, place: &Place) -> &'static str {
    let (path, line) = place;
    let Some(facts) = graph.facts.get(path) else {
        return "no document";
    };
    let mut verdicts = BTreeSet::new();
    for link in facts
        .links
        .iter()
        .filter(|link| u64::from(link.line) == *line)
    {
        let lead = docent_graph::resolve::resolve(link, path, &graph.names);
        let without = docent_graph::resolve::resolve(link, path, &plain.names);
        verdicts.insert(match (&lead, &without) {
            (Resolution::Found(_), Resolution::Missing(_)) => "1 there by the settings of a site",
            (Resolution::Unknown, _) => "2 a page that a program makes",
            (Resolution::Ambiguous(_) | Resolution::All(_), _) => "3 one of several",
            (Resolution::Found(place), _) if !graph.names.has_file(&place.path) => "4 a directory",
            (Resolution::Found(place), _) if place.path == *path && place.fragment.is_none() => {
                "6 itself"
            }
            (Resolution::Found(place), _)
                if place.path.contains('.') && place.fragment.is_some() =>
            {
                "5 there, with its place"
            }
            (Resolution::Found(_), _) => "6 there",
            _ => "8 external",
        });
    }
    verdicts.first().copied().unwrap_or("7 no link")
}

/// Returns the location at which docent reports a broken link that another checker reports at
/// `place`: the definition of its reference, and the line in which it begins.
fn told(graph: &Graph, texts: &Texts, place: Place) -> Place {
    let (path, line) = &place;
    let (Some(facts), Some(Some(text))) = (graph.facts.get(path), texts.get(path)) else {
        return place;
    };
    for link in &facts.links {
        let inside = text.get(link.span.clone()).unwrap_or_default();
        let last = u64::from(link.line) + inside.matches('\n').count() as u64;
        if *line < u64::from(link.line) || *line > last {
            continue;
        }
        let lead = docent_graph::resolve::resolve(link, path, &graph.names);
        if graph.why(&lead).is_none() {
            continue;
        }
        let is_it =
            |other: &&Link| other.kind == LinkKind::Definition && other.target == link.target;
        let definition = facts
            .links
            .iter()
            .find(is_it)
            .filter(|_| link.kind == LinkKind::Use);
        return (path.clone(), u64::from(definition.unwrap_or(link).line));
    }
    place
}

/// Prints the number of lines that each checker finds, and the lines that not all find, by class.
pub fn print(
    (graph, plain, texts): (&Graph, &Graph, &Texts),
    directory: &Path,
    files: [&Path; 2],
    shown: usize,
) {
    let parsed = files.map(|path| {
        let text = fs::read_to_string(path).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or(Value::Null)
    });
    let mut own: BTreeMap<Place, String> = BTreeMap::new();
    for broken in graph.broken() {
        let said = format!(
            "{} ({}, {:?})",
            broken.link.target, broken.why, broken.link.kind
        );
        own.insert((broken.path.to_owned(), u64::from(broken.link.line)), said);
    }
    let by_link = |found: BTreeMap<Place, String>| -> BTreeMap<Place, String> {
        let found = found.into_iter();
        found
            .map(|(place, said)| (told(graph, texts, place), said))
            .collect()
    };
    let all = [
        own,
        by_link(lychee(&parsed[0], &directory.display().to_string())),
        by_link(rumdl(&parsed[1])),
    ];
    let mut classes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let places: BTreeSet<&Place> = all.iter().flat_map(BTreeMap::keys).collect();
    let count = places.len();
    for place in places {
        let by: Vec<&str> = CHECKERS
            .iter()
            .zip(&all)
            .filter(|(_, found)| found.contains_key(place))
            .map(|(name, _)| *name)
            .collect();
        let mut class = by.join(" and ");
        if !by.contains(&"docent") {
            class += &format!(", docent: {}", &verdict(graph, plain, place));
        }
        let said: Vec<&str> = all
            .iter()
            .filter_map(|found| found.get(place))
            .map(|s| &**s)
            .collect();
        let line = format!("{}:{}: {}", place.0, place.1, said.join(" | "));
        classes.entry(class).or_default().push(line);
    }
    let counts: Vec<String> = CHECKERS
        .iter()
        .zip(&all)
        .map(|(name, found)| format!("{name} {}", found.len()))
        .collect();
    println!("{count} lines with a broken link: {}", counts.join(", "));
    for (class, lines) in classes {
        println!("{}: {class}", lines.len());
        for line in lines.iter().take(shown) {
            println!("    {line}");
        }
    }
}
