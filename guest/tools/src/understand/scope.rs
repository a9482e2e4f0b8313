//! Description of a search without results: the kinds of references searched for, and the number of
//! files. An empty answer must not be mistaken for evidence that there are no references.

use docent_api::understanding::Aspect;
use docent_code::Language;
use docent_corpus::foreign;
use docent_corpus::summary::Content;
use docent_document::format::Format;

use crate::understand::edges::Edges;
use crate::understand::impact::count_phrase;
use crate::understand::pages::{Entries, place};
use crate::understand::request::{UnderstandRequest, UnderstandSubject, aspect_name};
use crate::understand::tree::Tree;

/// Returns the reason for which there are no entries, or no references, or `None` if each requested
/// aspect has some.
pub fn nothing(
    request: &UnderstandRequest,
    tree: &Tree,
    edges: &Edges,
    entries: &Entries,
) -> Option<String> {
    let is_empty = |aspect: &Aspect| entries[place(*aspect)].is_empty();
    let is_all_empty = entries.iter().all(Vec::is_empty);
    let asked = |aspect: &Aspect| request.aspects.contains(aspect);
    let references = [Aspect::Dependencies, Aspect::Impact];
    let has_none =
        references.iter().any(asked) && references.iter().filter(|it| asked(it)).all(is_empty);
    if !is_all_empty && !has_none {
        return None;
    }
    if !tree.is_complete {
        let cut = "Not all files could be searched: raise limits, or name a directory.";
        return is_all_empty.then(|| cut.to_owned());
    }
    if tree.read == 0 {
        let none = "None of the files is a readable document or code.";
        return is_all_empty.then(|| none.to_owned());
    }
    if let UnderstandSubject::Symbol { name, .. } = &request.subject {
        return asked(&Aspect::Impact)
            .then(|| format!("No other line of any text file contains the name of `{name}`."));
    }
    let subject = match &request.subject.names()[..] {
        [] => "the root".to_owned(),
        names => format!("`{}`", names.join("`, `")),
    };
    let head = match references.map(|aspect| asked(&aspect)) {
        [true, true] => format!("No reference was found in {subject} or to it."),
        [true, false] => format!("No reference was found in {subject}."),
        [false, true] => format!("No reference to {subject} was found."),
        [false, false] => {
            let wanted = request.aspects.iter().copied().map(aspect_name);
            let wanted: Vec<&str> = wanted.collect();
            format!("There are no {} in {subject}.", wanted.join(", "))
        }
    };
    let mut told = vec![head];
    if has_none {
        told.push(describe_searched(tree));
        told.extend(describe_unread(tree).filter(|_| !asked(&Aspect::Impact)));
        told.extend(describe_unresolved(edges));
    }
    Some(told.join(" "))
}

/// Describes the references searched for, with the number of files of each kind.
fn describe_searched(tree: &Tree) -> String {
    let mut counts = [0usize; 6];
    for file in &tree.files {
        let Some(facts) = &file.facts else { continue };
        let kind = match (&facts.content, Format::from_name(&file.path)) {
            (Content::Document(_), Some(Format::Markdown | Format::Mdx)) => 0,
            (Content::Document(_), Some(Format::Rst)) => 1,
            (Content::Document(_), Some(Format::Adoc)) => 2,
            (Content::Document(_), Some(Format::Converted)) => 3,
            (Content::Document(_), None) => 4,
            (Content::Code(_), _) if Language::from_path(&file.path).is_some() => 5,
            _ => continue,
        };
        counts[kind] += 1;
    }
    let names = [
        ["Markdown file", "Markdown files"],
        ["reStructuredText file", "reStructuredText files"],
        ["AsciiDoc file", "AsciiDoc files"],
        [
            "Word, OpenDocument or RTF file",
            "Word, OpenDocument or RTF files",
        ],
        ["HTML page", "HTML pages"],
    ];
    let documents = names.iter().zip(counts).filter(|(_, count)| *count > 0);
    let documents: Vec<String> = documents
        .map(|([one, several], count)| count_phrase(count, one, several))
        .collect();
    let mut told = Vec::new();
    if !documents.is_empty() {
        told.push(format!(
            "links, images, includes and tables of contents in {}",
            documents.join(", ")
        ));
    }
    if counts[5] > 0 {
        told.push(format!(
            "imports in {}",
            count_phrase(counts[5], "file of code", "files of code")
        ));
    }
    match told.is_empty() {
        true => "No file there has a format with references.".to_owned(),
        false => format!("Looked for: {}.", told.join("; ")),
    }
}

/// Returns a sentence with the number of documents that are not text and were not searched, or
/// `None`.
pub fn describe_unread(tree: &Tree) -> Option<String> {
    let unread = tree.files.iter().filter(|file| file.facts.is_none());
    let count = unread
        .filter(|file| foreign::extension(&file.path).is_some())
        .count();
    (count > 0).then(|| {
        let unread = count_phrase(
            count,
            "document that is not text",
            "documents that are not text",
        );
        format!("Not looked at: {unread}, such as pdf or xlsx.")
    })
}

/// Returns a sentence with the number of references that only their program can resolve.
fn describe_unresolved(edges: &Edges) -> Option<String> {
    let forms = edges.counts().unresolved_forms;
    let told: Vec<String> = forms
        .iter()
        .map(|one| format!("{} of the form `{}`", one.count, one.form))
        .collect();
    let all = told.join(", ");
    (!told.is_empty()).then(|| format!("Not resolved, so may lead there: {all}."))
}
