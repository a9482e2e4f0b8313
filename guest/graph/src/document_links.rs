//! The link-related facts about a document, read from its text once. They are all that is kept of
//! it: links are resolved from these facts alone, the names of the tree, and the facts of other
//! documents.

use docent_document::format::Format;
use docent_document::front_matter;

use crate::anchors::Anchors;
use crate::link::{Link, in_order};
use crate::{adoc, markdown, rst};

/// The links, anchors and labels of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentLinks {
    /// Links, in the order of the text.
    pub links: Vec<Link>,
    /// Anchors that links to the document may use.
    pub anchors: Anchors,
    /// Labels that it defines, in the form used by [`crate::names::Names`].
    pub labels: Vec<String>,
}

/// Reads the links, anchors and labels of a document called `name`, or returns `None` if its format
/// has none. The text of a binary document is the Markdown that was made of it.
pub fn document_links(name: &str, text: &str) -> Option<DocumentLinks> {
    let format = Format::from_name(name)?;
    let is_markdown = format.is_markdown();
    let (found, anchors, labels) = match format {
        Format::Markdown | Format::Mdx | Format::Converted => {
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
        _ => return None,
    };
    let is_page = is_markdown && front_matter::length(text) > 0;
    let mut facts = DocumentLinks {
        links: in_order(text, found, is_page),
        anchors,
        labels,
    };
    facts.links.shrink_to_fit();
    Some(facts)
}

impl DocumentLinks {
    /// Returns the approximate memory use in bytes.
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
    use crate::read::links;

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
            let facts = document_links(name, text).unwrap();
            let format = Format::from_name(name).unwrap();
            assert_eq!(facts.links, links(text, format), "{name}");
            assert_eq!(facts.anchors, Anchors::from_text(name, text), "{name}");
            assert!(facts.anchors.accepts("a"), "{name}");
            assert_eq!(facts.labels, labels, "{name}");
            assert!(facts.bytes() > size_of::<DocumentLinks>(), "{name}");
        }
        let links = document_links("a.docx", "# A\n\n[x](b.md#c)\n").unwrap();
        assert_eq!(links.links[0].target, "b.md#c");
        assert!(links.anchors.accepts("a"));
        assert_eq!(document_links("a.txt", "[x](b.md)"), None);
    }
}
