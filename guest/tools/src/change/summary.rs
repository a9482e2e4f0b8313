//! Summary in sentences of a change's impact on links.

use std::collections::BTreeSet;

use docent_api::writing::LinkPlace;

/// Counts of the summary.
pub struct ImpactCounts<'l> {
    /// Number of files and directories that move.
    pub moves: usize,
    /// Number of files that are deleted.
    pub goes: usize,
    /// Number of sections that are removed or renamed.
    pub sections: usize,
    /// Links from other documents.
    pub incoming: &'l [LinkPlace],
    /// Number of links from moved files to others.
    pub outgoing: usize,
    /// Number of links that are rewritten.
    pub rewritten: usize,
    /// Number of links that resolved before and are broken afterwards.
    pub broken: usize,
    /// Number of links that were broken before and resolve afterwards.
    pub mended: usize,
    /// Number of links of moved files that were broken before and still are.
    pub was_broken: usize,
    /// Number of documents searched for links.
    pub documents: u32,
}

impl ImpactCounts<'_> {
    /// Returns true if a file is moved or deleted.
    pub fn is_of_files(&self) -> bool {
        self.moves + self.goes > 0
    }

    /// Returns the summary in sentences.
    pub fn summary(&self) -> String {
        let mut told = Vec::new();
        told.extend(self.describe_incoming());
        if self.moves > 0 {
            told.push(self.describe_outgoing());
        }
        let is_are = |count: usize| if count == 1 { "is" } else { "are" };
        let links = |count: usize| count_phrase(count, "link", "links");
        if self.rewritten > 0 {
            let are = is_are(self.rewritten);
            told.push(format!("{} {are} rewritten.", links(self.rewritten)));
        }
        match self.broken {
            0 if self.incoming.is_empty() && self.outgoing == 0 => {}
            0 => told.push("No link breaks.".to_owned()),
            1 => told.push("1 link breaks.".to_owned()),
            count => told.push(format!("{count} links break.")),
        }
        if self.mended > 0 {
            let are = is_are(self.mended);
            let links = count_phrase(self.mended, "broken link", "broken links");
            told.push(format!("{links} {are} mended."));
        }
        if self.was_broken > 0 {
            let (links, of) = (links(self.was_broken), self.phrase_moving("in"));
            let (were, stay) = match self.was_broken {
                1 => ("was", "stays"),
                _ => ("were", "stay"),
            };
            told.push(format!("{links} {of} {were} broken before, and {stay} so."));
        }
        if self.documents > 0 {
            let documents = count_phrase(self.documents as usize, "document", "documents");
            told.push(format!("Looked at {documents}."));
        }
        told.join(" ")
    }

    /// Returns the number of links to moved or deleted files as a sentence, or `None` if there are
    /// none.
    fn describe_incoming(&self) -> Option<String> {
        let that = |count: usize, one: &str, many: &str, verbs: [&str; 2]| match count {
            0 => None,
            1 => Some(format!("the {one} that {}", verbs[0])),
            _ => Some(format!("the {count} {many} that {}", verbs[1])),
        };
        let mut subjects = Vec::new();
        subjects.extend(that(self.moves, "file", "files", ["moves", "move"]));
        subjects.extend(that(self.goes, "file", "files", ["goes", "go"]));
        let verbs = ["goes or is renamed", "go or are renamed"];
        subjects.extend(that(self.sections, "place", "places", verbs));
        if subjects.is_empty() {
            return None;
        }
        let subjects = subjects.join(" and ");
        let documents: BTreeSet<&str> = self.incoming.iter().map(|it| it.path.as_str()).collect();
        let documents = count_phrase(documents.len(), "other document", "other documents");
        Some(match self.incoming.len() {
            0 => format!("No link of another document leads to {subjects}."),
            1 => format!("1 link of {documents} leads to {subjects}."),
            count => format!("{count} links of {documents} lead to {subjects}."),
        })
    }

    /// Returns the number of links from moved files to others as a sentence.
    fn describe_outgoing(&self) -> String {
        let it = if self.moves == 1 { "it" } else { "them" };
        match self.outgoing {
            0 => format!("No link leads from {it} to another file."),
            1 => format!("1 link leads from {it} to another file."),
            count => format!("{count} links lead from {it} to other files."),
        }
    }

    fn phrase_moving(&self, word: &str) -> String {
        match self.moves {
            1 => format!("{word} the file that moves"),
            _ => format!("{word} the files that move"),
        }
    }
}

/// Returns a number with the noun it counts.
pub fn count_phrase(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
