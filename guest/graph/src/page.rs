//! Links of pages in HTML.

use docent_document::format::Format;

use crate::anchors::Anchors;
use crate::document_links::DocumentLinks;
use crate::html::{Attribute, attributes};
use crate::limits::DESTINATION_BYTES;
use crate::link::{Found, LinkKind, in_order};

/// Extensions of pages, in lower case.
const EXTENSIONS: [&str; 3] = ["html", "htm", "xhtml"];

/// Returns true if a file of this name is a page in HTML.
pub fn is_page(name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    let is_known = |extension: &str| {
        let mut known = EXTENSIONS.iter();
        known.any(|one| extension.eq_ignore_ascii_case(one))
    };
    Format::from_name(name).is_none() && extension.is_some_and(is_known)
}

/// Reads the links of a page. Any fragment of a link to it is accepted: scripts add elements.
pub fn page_links(text: &str) -> DocumentLinks {
    let mut found = Vec::new();
    attributes(text, |attribute| found.extend(link(text, &attribute)));
    let mut links = in_order(text, found, false);
    links.shrink_to_fit();
    DocumentLinks {
        links,
        anchors: Anchors::new(Vec::new(), Vec::new(), false),
        labels: Vec::new(),
    }
}

/// Returns the link of an attribute. Many pages are templates whose addresses a program completes,
/// and others are served from another directory, so it counts only where such a file exists.
fn link(text: &str, attribute: &Attribute<'_>) -> Option<Found> {
    let is_address = ["href", "src"]
        .iter()
        .any(|name| attribute.name.eq_ignore_ascii_case(name));
    // The base of all addresses is none itself.
    if !is_address || attribute.tag.eq_ignore_ascii_case("base") {
        return None;
    }
    let value = &text[attribute.value.clone()];
    let path = value.split(['#', '?']).next().unwrap_or_default();
    let range = attribute.value.start..attribute.value.start + path.len();
    if path.trim().is_empty() || range.len() > DESTINATION_BYTES {
        return None;
    }
    let found = Found::new(text, LinkKind::Path, range.clone(), range)?;
    Some(Found {
        target: found.target.trim().replace("&amp;", "&"),
        ..found
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_pages() {
        for (name, expected) in [
            ("a.html", true),
            ("가.HTM", true),
            ("a.xhtml", true),
            ("html", false),
            ("a.html.md", false),
            ("a.htmlx", false),
        ] {
            assert_eq!(is_page(name), expected, "{name}");
        }
    }

    #[test]
    fn addresses_of_a_page() {
        let page = "<base href=x/>\n<link rel=s href=\"a.css?v=1\">\n<p id=p><A HREF='b&amp;c.md#d'>\n\
                    <img src=\" 가.png \"><a href=\"#e\"></a><a href=\"\"></a><a name=f href=g>\n\
                    <!-- <a href=no> --><script>\"<a href=no>\"</script>";
        let links = page_links(page);
        let found: Vec<(u32, &str)> = links
            .links
            .iter()
            .map(|link| (link.line, link.target.as_str()))
            .collect();
        assert_eq!(
            found,
            [(2, "a.css"), (3, "b&c.md"), (4, "가.png"), (4, "g")]
        );
        assert!(links.anchors.accepts("any"));
        assert!(links.links.iter().all(|link| link.kind == LinkKind::Path));
    }
}
