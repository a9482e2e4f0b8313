//! Moves in a real tree, in memory: after any move each link must lead to the same target.

use std::collections::BTreeMap;

use docent_graph::resolve::{Resolution, resolve};
use docent_graph::rewrite::{Moves, apply_rewrites};

use crate::tree::{Graph, Texts};

/// The results of some moves.
#[derive(Default)]
pub struct Outcome {
    /// Number of moves.
    pub moves: usize,
    /// Number of moved files.
    pub files: usize,
    /// Number of rewritten destinations.
    pub rewritten: usize,
    /// Number of links that had to change and could not be rewritten.
    pub stuck: usize,
    /// Links with another target than before.
    pub lost: Vec<String>,
}

/// Moves each directory with files, and every `step`-th document, each in turn into a new
/// directory.
pub fn all(texts: &Texts, step: usize) -> Outcome {
    let before = Graph::new(texts);
    let mut outcome = Outcome::default();
    let mut directories: Vec<&str> = texts
        .keys()
        .filter_map(|path| path.rsplit_once('/'))
        .map(|(directory, _)| directory)
        .collect();
    directories.dedup();
    directories.sort_unstable();
    directories.dedup();
    let step_of_directories = (directories.len() / 40).max(1);
    for directory in directories.into_iter().step_by(step_of_directories) {
        let name = directory.rsplit('/').next().unwrap_or(directory);
        one(
            &before,
            texts,
            (directory, &format!("moved to/{name}")),
            &mut outcome,
        );
    }
    for path in before.facts.keys().step_by(step) {
        let name = path.rsplit('/').next().unwrap_or(path);
        one(
            &before,
            texts,
            (path, &format!("moved to/new {name}")),
            &mut outcome,
        );
    }
    outcome
}

fn one(before: &Graph, texts: &Texts, (old, new): (&str, &str), outcome: &mut Outcome) {
    let mut files = BTreeMap::new();
    for path in texts.keys() {
        let rest = path.strip_prefix(old);
        if let Some(rest) = rest.filter(|rest| rest.is_empty() || rest.starts_with('/')) {
            files.insert(path.clone(), format!("{new}{rest}"));
        }
    }
    outcome.moves += 1;
    outcome.files += files.len();
    let is_directory = !texts.contains_key(old);
    let after = before.names.after(&files);
    let mut moves = Moves::new(before.names.clone(), after, files.clone(), BTreeMap::new());
    if is_directory {
        moves = moves.with_directories(BTreeMap::from([(old.to_owned(), new.to_owned())]));
    }
    let mut moved = Texts::new();
    let mut stuck = BTreeMap::new();
    for (path, text) in texts {
        let to = moves.new_path(path).into_owned();
        let (Some(facts), Some(text)) = (before.facts.get(path), text) else {
            moved.insert(to, text.clone());
            continue;
        };
        let rewrites = moves.rewrites(text, &facts.links, path);
        outcome.rewritten += rewrites.all.len();
        outcome.stuck += rewrites.stuck.len();
        moved.insert(to, Some(apply_rewrites(text, &rewrites.all)));
        stuck.insert(path.as_str(), rewrites.stuck);
    }
    let after = Graph::new(&moved);
    for (path, facts) in &before.facts {
        let to = moves.new_path(path);
        let now = &after.facts[&*to];
        let same = facts.links.len() == now.links.len();
        if !same {
            outcome.lost.push(format!("{old}: {path} has other links"));
            continue;
        }
        for (index, (link, new)) in facts.links.iter().zip(&now.links).enumerate() {
            let (was, is) = (
                resolve(link, path, &before.names),
                resolve(new, &to, &after.names),
            );
            let is_lost = match &was {
                Resolution::Found(place) => {
                    let target = moves.new_path(&place.path);
                    let is_whole = before.why(&was).is_some() || after.why(&is).is_none();
                    is.place().is_none_or(|place| place.path != target) || !is_whole
                }
                // A link that was broken may resolve by the new names.
                _ => false,
            };
            if is_lost && !stuck[path.as_str()].contains(&index) {
                let target = &link.target;
                outcome.lost.push(format!(
                    "{old}: {path}:{}: {target} => {}",
                    link.line, new.target
                ));
            }
        }
    }
}
