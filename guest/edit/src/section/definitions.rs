//! Definitions (of links, footnotes, substitutions, attributes) that stand in a section and are used
//! elsewhere: they are the document's, and stay when the section is replaced or goes.

use std::ops::Range;

use docent_document::definitions::{Definition, definitions, may_hold_definitions, used_outside};

use crate::endings::unify;
use crate::original::Original;
use crate::plan::Warning;

/// The definitions that stay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Their labels, in the order in which they stand.
    labels: Vec<String>,
    /// They themselves, in lines that end in LF but for the last one.
    text: String,
}

impl Kept {
    /// Returns the definitions in `range` that are used outside it, or by the `content` that takes
    /// its place and does not define them itself.
    pub fn new(original: &Original<'_>, range: &Range<usize>, content: &str) -> Self {
        let text = original.text();
        if !may_hold_definitions(original.name, &text[range.clone()]) {
            return Self::default();
        }
        let all = definitions(original.name, text);
        // The content as it would read with all of them behind it.
        let stands = |one: &&Definition| range.start <= one.span.start && one.span.end <= range.end;
        let behind: Vec<&str> = all
            .iter()
            .filter(stands)
            .map(|one| &text[one.span.clone()])
            .collect();
        let read = definitions(
            original.name,
            &format!("{content}\n\n{}", behind.join("\n\n")),
        );
        let of_content = |label: &str| {
            let same = |one: &&Definition| one.label.to_lowercase() == label.to_lowercase();
            read.iter().find(same)
        };
        let is_defined =
            |label: &str| of_content(label).is_some_and(|one| one.span.start < content.len());
        let is_used = |label: &str| {
            of_content(label)
                .is_some_and(|one| one.uses.first().is_some_and(|at| *at < content.len()))
        };
        let outside = used_outside(&all, range);
        let mut kept = Self::default();
        let mut last: Option<usize> = None;
        for (index, one) in all.iter().enumerate().filter(|(_, one)| stands(one)) {
            let is_wanted = outside.binary_search(&index).is_ok() || is_used(&one.label);
            if !is_wanted || is_defined(&one.label) {
                continue;
            }
            // Neighbours stay as they stand to each other; how one is read may depend on that.
            let between = last.map(|end| &text[end..one.span.start]);
            let gap = match between.filter(|between| between.trim().is_empty()) {
                _ if last.is_none() => String::new(),
                Some(between) if between.contains(['\n', '\r']) => unify(between),
                _ => "\n\n".to_owned(),
            };
            let own = text[one.span.clone()].trim_end();
            kept.text.push_str(&gap);
            kept.text.push_str(&unify(own));
            kept.labels.push(one.label.clone());
            last = Some(one.span.start + own.len());
        }
        kept
    }

    /// Whether none stays.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Returns `content` with the definitions below it.
    pub fn below(&self, content: &str) -> String {
        match (content.is_empty(), self.is_empty()) {
            (_, true) => content.to_owned(),
            (true, false) => self.text.clone(),
            (false, false) => format!("{content}\n\n{}", self.text),
        }
    }

    /// Returns what is told of them.
    pub fn warning(&self) -> Option<Warning> {
        (!self.is_empty()).then(|| Warning::DefinitionsStay(self.labels.clone()))
    }
}
