//! Definitions (of links, footnotes, substitutions, attributes) in a section that are used
//! elsewhere. They belong to the document, and are kept when the section is replaced or deleted.
//!
//! ```text
//! # Guide
//! Read [the plan].
//! # Notes
//! Old text.
//!
//! [the plan]: plan.md
//! ```
//!
//! Definitions are mostly at the end of a document, and so in its last section, whatever that is
//! about. If `Notes` were deleted with them, the link in `Guide` would become plain brackets.

use std::ops::Range;

use docent_document::definitions::{
    Definition, definitions, indices_used_outside, may_hold_definitions,
};

use crate::endings::unify;
use crate::original::Original;
use crate::warning::Warning;

/// The definitions that are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptDefinitions {
    /// Labels, in the order of the text.
    labels: Vec<String>,
    /// Text of the definitions, in lines that end in LF except the last.
    text: String,
}

impl KeptDefinitions {
    /// Collects the definitions in `range` that are used outside it, or by the `content` that
    /// replaces it and does not define them itself. A definition that only the removed text used is
    /// removed with it, and so is one that nothing uses.
    pub fn new(original: &Original<'_>, range: &Range<usize>, content: &str) -> Self {
        let text = original.text();
        if !may_hold_definitions(original.name, &text[range.clone()]) {
            return Self::default();
        }
        let all = definitions(original.name, text);
        // The content as it would be parsed with all definitions of the range after it. A use such
        // as `[y][1]` in the content is only recognised where `[1]` is defined, and a definition in
        // the content takes precedence over one after it.
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
        let outside = indices_used_outside(&all, range);
        let mut kept = Self::default();
        let mut last: Option<usize> = None;
        for (index, one) in all.iter().enumerate().filter(|(_, one)| stands(one)) {
            let is_wanted = outside.binary_search(&index).is_ok() || is_used(&one.label);
            if !is_wanted || is_defined(&one.label) {
                continue;
            }
            // Adjacent definitions keep the text between them, on which their parsing may depend: a
            // blank line and an indentation decide if a line continues the definition before it.
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

    /// Returns true if no definition is kept.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Returns `content` followed by the definitions.
    pub fn below(&self, content: &str) -> String {
        match (content.is_empty(), self.is_empty()) {
            (_, true) => content.to_owned(),
            (true, false) => self.text.clone(),
            (false, false) => format!("{content}\n\n{}", self.text),
        }
    }

    /// Returns a warning that names the definitions, if there are any.
    pub fn warning(&self) -> Option<Warning> {
        (!self.is_empty()).then(|| Warning::DefinitionsStay(self.labels.clone()))
    }
}
