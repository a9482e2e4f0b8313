//! What a document says of its own links: all that is kept of it, and read of its text once. Where
//! its links lead is told from this alone, by the names of the tree and what is kept of others.

use docent_document::format::Format;
use docent_document::front_matter;

use crate::anchors::Anchors;
use crate::link::{Link, in_order};
use crate::{adoc, markdown, rst};

/// What a document says of its own links.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkFacts {
    /// Its links, in the order of the text.
    pub links: Vec<Link>,
    /// The places that links to it may lead to.
    pub anchors: Anchors,
    /// The labels that it gives to places of its own, as [`crate::names::Names`] knows them.
    pub labels: Vec<String>,
}

/// Returns what a document of this name and text says; none where its name is not that of a
/// document that is text and may hold links.
pub fn link_facts(name: &str, text: &str) -> Option<LinkFacts> {
    let format = Format::from_name(name)?;
    let is_markdown = format.is_markdown();
    let (found, anchors, labels) = match format {
        Format::Markdown | Format::Mdx => {
            let read = markdown::read(format, text);
            (read.found, read.anchors, read.labels)
        }
        Format::Rst => {
            let read = rst::read(text);
            (read.found, read.anchors, read.labels)
        }
        Format::Adoc => {
            let read = adoc::read(text);
            (read.found, read.anchors, Vec::new())
        }
        Format::Plain | Format::Log | Format::Docx | Format::Xlsx | Format::Pdf => return None,
    };
    let is_page = is_markdown && front_matter::length(text) > 0;
    let mut facts = LinkFacts {
        links: in_order(text, found, is_page),
        anchors,
        labels,
    };
    facts.links.shrink_to_fit();
    Some(facts)
}

impl LinkFacts {
    /// Returns about how many bytes of memory they take.
    pub fn bytes(&self) -> usize {
        let of_links = self.links.iter().map(|link| link.target.capacity());
        let of_labels = self.labels.iter().map(String::capacity);
        size_of::<Self>()
            + self.links.capacity() * size_of::<Link>()
            + of_links.sum::<usize>()
            + self.labels.capacity() * size_of::<String>()
            + of_labels.sum::<usize>()
            + self.anchors.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::links;

    #[test]
    fn facts_are_what_is_read_of_the_text() {
        for (name, text, labels) in [
            ("a.md", "# A\n[x](b.md#c) [[d]]\n", &[][..]),
            (
                "a.rst",
                ".. _Two  words:\n\nA\n==\n\n:doc:`b`\n",
                &["two words"],
            ),
            ("a.adoc", "== A\nxref:b.adoc[]\n", &[]),
        ] {
            let facts = link_facts(name, text).unwrap();
            let format = Format::from_name(name).unwrap();
            assert_eq!(facts.links, links(text, format), "{name}");
            assert_eq!(facts.anchors, Anchors::of(name, text), "{name}");
            assert!(facts.anchors.has("a"), "{name}");
            assert_eq!(facts.labels, labels, "{name}");
            assert!(facts.bytes() > size_of::<LinkFacts>(), "{name}");
        }
        assert_eq!(link_facts("a.txt", "[x](b.md)"), None);
    }
}
