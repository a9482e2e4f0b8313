//! Evaluation of the default answer of `explore` for code: it should show the definition that is
//! searched for by name or by its comment, and the lines that call it.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde_json::json;

use crate::answer::{Item, items, named, plain, share_shown, shown, shows_line};
use crate::ask::Open;
use crate::metrics::{SHOWN, median};
use crate::repository::{Definition, Repository};
use crate::table::{Row, Table};
use crate::words;

/// The numbers of definitions searched for by name, by their comments, and for their callers.
const NAMES: usize = 60;
const COMMENTS: usize = 100;
const CALLED: usize = 50;

/// Minimum words of a query made from a comment.
const WORDS: usize = 4;

/// Number of lines that call a function, for a query about its callers.
const CALLS: std::ops::RangeInclusive<usize> = 2..=20;

/// Bytes of an answer within which a commented definition, and its body, have to appear.
const WITHIN: usize = 2000;
const BODY_WITHIN: usize = 4000;

/// The tables of all repositories.
pub struct Tables {
    pub names: Table,
    pub comments: Table,
    pub calls: Table,
}

impl Default for Tables {
    fn default() -> Self {
        Self {
            names: Table::new("Definitions by name"),
            comments: Table::new("Definitions by what their comments say"),
            calls: Table::new("Who calls"),
        }
    }
}

impl Tables {
    /// Measures a repository, and adds its rows.
    ///
    /// # Errors
    /// If its folder cannot be read.
    pub fn add(&mut self, name: &str, root: &Path, open: Open<'_>) -> io::Result<()> {
        let repository = Repository::read(root)?;
        let mut ask = open(root);
        let mut explore = |query: &str| ask(&json!({ "query": query }));
        self.names.add(by_name(name, &repository, &mut explore));
        self.comments
            .add(by_comment(name, &repository, &mut explore));
        self.calls.add(callers(name, &repository, &mut explore));
        Ok(())
    }
}

fn by_name(name: &str, repository: &Repository, explore: &mut dyn FnMut(&str) -> String) -> Row {
    let asked = &repository.definitions[..repository.definitions.len().min(NAMES)];
    let (mut of_file, mut of_lines, mut whole) = (0_u32, 0_u32, 0_u32);
    let (mut before, mut sizes) = (Vec::new(), Vec::new());
    for definition in asked {
        let answer = explore(&definition.name);
        let items = items(&answer, &repository.paths);
        let first = items
            .iter()
            .find(|item| repository.files.contains_key(item.path));
        let first = first.filter(|item| item.path == definition.path);
        of_file += u32::from(first.is_some());
        of_lines += u32::from(first.is_some_and(|item| is_about(item, definition)));
        let body = repository.body(definition);
        whole += u32::from(share_shown(&items, &definition.path, body, BODY_WITHIN) >= SHOWN);
        let of_it = items.iter().find(|item| item.path == definition.path);
        before.push(of_it.map_or(answer.len(), |item| item.start));
        sizes.push(answer.len());
    }
    Row::new(name)
        .whole("definitions", asked.len())
        .share("file first", of_file.into(), asked.len())
        .share("definition first", of_lines.into(), asked.len())
        .share("body@4000", whole.into(), asked.len())
        .whole("bytes before", median(&mut before))
        .whole("bytes", median(&mut sizes))
}

/// Returns true if an item is about the lines of a definition, which may begin with its comment or
/// with the definition itself; a difference of one line at its end is ignored.
fn is_about(item: &Item<'_>, definition: &Definition) -> bool {
    item.lines().is_some_and(|lines| {
        (definition.lines.first.saturating_sub(1)..=definition.line).contains(&lines.first)
            && lines.last.abs_diff(definition.lines.last) <= 1
    })
}

fn by_comment(name: &str, repository: &Repository, explore: &mut dyn FnMut(&str) -> String) -> Row {
    let asked = questions(repository);
    let (mut of_file, mut of_it, mut whole) = (0_u32, 0_u32, 0_u32);
    let mut sizes = Vec::new();
    for (definition, question) in &asked {
        let answer = explore(question);
        let items = items(&answer, &repository.paths);
        let path = definition.path.as_str();
        of_file += u32::from(named(&items, path).is_some_and(|(end, _)| end <= WITHIN));
        let head = plain(repository.body(definition).next().unwrap_or_default());
        let head = head.trim_end_matches([' ', '{', ':', ';', ',', '(']);
        of_it += u32::from(shown(&items, path, WITHIN).contains(head));
        let body = repository.body(definition);
        whole += u32::from(share_shown(&items, path, body, WITHIN) >= SHOWN);
        sizes.push(answer.len());
    }
    Row::new(name)
        .whole("definitions", asked.len())
        .share("file@2000", of_file.into(), asked.len())
        .share("shown@2000", of_it.into(), asked.len())
        .share("body@2000", whole.into(), asked.len())
        .whole("bytes", median(&mut sizes))
}

/// Returns definitions, each with a query made from its comment that fits no other definition.
fn questions(repository: &Repository) -> Vec<(&Definition, String)> {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    let mut questions = Vec::new();
    for definition in &repository.definitions {
        let words = words::question(&definition.comment, &definition.name);
        if words.len() >= WORDS {
            let question = words.join(" ");
            *counts.entry(question.clone()).or_default() += 1;
            questions.push((definition, question));
        }
    }
    questions.retain(|(_, question)| counts.get(question) == Some(&1));
    questions.truncate(COMMENTS);
    questions
}

fn callers(name: &str, repository: &Repository, explore: &mut dyn FnMut(&str) -> String) -> Row {
    let functions = repository.definitions.iter().filter(|d| d.is_function);
    let asked = functions.map(|function| (function, repository.calls(function)));
    let asked = asked.filter(|(_, calls)| CALLS.contains(&calls.len()));
    let (mut count, mut lines, mut recall, mut whole) = (0, 0, 0.0, 0_u32);
    let (mut sizes, mut of_grep) = (Vec::new(), Vec::new());
    for (function, calls) in asked.take(CALLED) {
        let answer = explore(&format!("who calls {}", function.name));
        let items = items(&answer, &repository.paths);
        let shown = calls
            .iter()
            .filter(|call| shows_line(&items, call.path, call.line, call.text))
            .count();
        count += 1;
        lines += calls.len();
        recall += shown as f64 / calls.len() as f64;
        whole += u32::from(shown == calls.len());
        sizes.push(answer.len());
        let grep = calls
            .iter()
            .map(|call| format!("{}:{}:{}\n", call.path, call.line, call.text).len());
        of_grep.push(grep.sum());
    }
    Row::new(name)
        .whole("functions", count)
        .whole("calls", lines)
        .share("recall", recall, count)
        .share("all", whole.into(), count)
        .whole("bytes", median(&mut sizes))
        .whole("bytes of grep", median(&mut of_grep))
}
