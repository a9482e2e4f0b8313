//! Anchors: the targets of fragments in a document.

use std::collections::BTreeSet;

use docent_document::sections::slug;

/// The anchors of one document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Anchors {
    /// Ids, sorted and unique.
    ids: Vec<Box<str>>,
    /// Slugs of headings other than their ids, and names of blocks with their `^`, as used by
    /// wikilinks and some sites. Sorted.
    named: Vec<Box<str>>,
    /// True if all anchors are known, false if the document may generate others.
    is_complete: bool,
}

impl Anchors {
    /// Creates anchors from ids, and from other names that wikilinks use. `is_complete` is true if
    /// the document has no others.
    pub(crate) fn new(ids: Vec<String>, named: Vec<String>, is_complete: bool) -> Self {
        let sorted = |names: Vec<String>| {
            let mut names: Vec<Box<str>> = names.into_iter().map(String::into_boxed_str).collect();
            names.sort_unstable();
            names.dedup();
            names.shrink_to_fit();
            names
        };
        Self {
            ids: sorted(ids),
            named: sorted(named),
            is_complete,
        }
    }

    /// Returns true if a link with this fragment resolves, as far as that is known.
    pub fn accepts(&self, fragment: &str) -> bool {
        // If the document includes other texts or uses components, any fragment may exist. It is
        // then accepted: readers act on a link that is reported as broken, and nobody would
        // check whether the fragment is generated.
        let is_unknown = !self.is_complete || is_everywhere(fragment);
        let has = |id: &str| self.ids.binary_search_by(|own| (**own).cmp(id)).is_ok();
        is_unknown || has(fragment) || has(&fragment.to_lowercase())
    }

    /// Returns true if a link with this fragment resolves on a site of Python-Markdown, which
    /// merges adjacent `-`.
    pub fn accepts_on_page(&self, fragment: &str) -> bool {
        let place = self.named.binary_search_by(|own| (**own).cmp(fragment));
        self.accepts(fragment) || place.is_ok()
    }

    /// Returns true if a wikilink to a heading or a block resolves.
    pub fn accepts_named(&self, name: &str) -> bool {
        let last = last_heading(name);
        let key = if last.starts_with('^') {
            last.to_lowercase()
        } else {
            slug(last)
        };
        let is_named = self.named.binary_search_by(|own| (**own).cmp(&key)).is_ok();
        // The name in `[[a#…]]` has an empty slug, which cannot be compared.
        is_named || key.is_empty() || self.accepts(&key) || self.accepts(last)
    }

    /// Returns the anchors that `after` lacks: ids, slugs of headings and names of blocks.
    pub fn missing_from(&self, after: &Self) -> BTreeSet<String> {
        let all = |anchors: &Self| -> BTreeSet<String> {
            let all = anchors.ids.iter().chain(&anchors.named);
            all.map(ToString::to_string).collect()
        };
        let after = all(after);
        all(self)
            .into_iter()
            .filter(|id| !after.contains(id))
            .collect()
    }

    /// Returns the ids, sorted.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.ids.iter().map(|id| &**id)
    }

    /// Returns true if all anchors are known.
    pub(crate) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Returns the approximate memory use in bytes, without the struct itself.
    pub fn bytes(&self) -> usize {
        let all = self.ids.iter().chain(&self.named);
        all.map(|id| id.len() + size_of::<Box<str>>()).sum()
    }
}

/// Returns true if a fragment resolves in any document.
fn is_everywhere(fragment: &str) -> bool {
    // No document defines these fragments: browsers scroll to the top for `#` and `#top` and
    // search for the text of `#:~:text=…`, and viewers of code such as GitHub's scroll to line
    // 10 for `#L10`.
    let lines = fragment.strip_prefix('L').unwrap_or_default();
    fragment.is_empty()
        || fragment == "top"
        || fragment.starts_with(":~:")
        || lines.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns the last heading of a wikilink: `Setup` in `a#Guide#Setup`.
pub(crate) fn last_heading(fragment: &str) -> &str {
    fragment.rsplit('#').next().unwrap_or(fragment).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, text: &str, there: &[&str], missing: &[&str]) {
        let anchors = Anchors::from_text(name, text);
        for fragment in there {
            assert!(anchors.accepts(fragment), "{fragment} in {:?}", anchors.ids);
        }
        for fragment in missing {
            assert!(
                !anchors.accepts(fragment),
                "{fragment} in {:?}",
                anchors.ids
            );
        }
    }

    #[test]
    fn places_of_markdown() {
        check(
            "a.md",
            "# Set up\n\n## 사용법 {#usage}\n\n## Set up\n\n> ### Quoted\n\n\
             <a name=\"old\"></a> <p id='p'>\n\n`<a name=\"no\">`\n\n\
             <h2 align=center>In <b>HTML</b></h2>\n\n<h3 id=own>Title</h3>\n\n\
             ## Two { #two .wide }\n\n[x](y){: #inline } text[^1]\n\n[^1]: note\n\n``` { .sh #example }\n{#no}\n```\n",
            &[
                "set-up",
                "set-up-1",
                "Set-Up",
                "usage",
                "old",
                "p",
                "top",
                "quoted",
                "in-html",
                "own",
                "inline",
                "example",
                "fn:1",
                "L12",
                ":~:text=x",
            ],
            &[
                "setup",
                "set-up-2",
                "no",
                "사용법",
                "^block",
                "Set up",
                "title",
            ],
        );
    }

    #[test]
    fn what_is_taken_into_code_has_no_headings() {
        for (text, is_known) in [
            ("```rust\n{{#rustdoc_include ../a.rs:here}}\n```\n", true),
            ("```\n{{#include ../out.txt}}\n```\n", true),
            ("```jinja\n{% for a in all %}\n```\n", true),
            ("```\n{{#include ../b.md}}\n```\n", false),
            ("{{#include ../a.rs}}\n", false),
            ("```{include} b.md\n```\n", false),
        ] {
            let text = format!("# One\n\n{text}\n## Two\n");
            check("a.md", &text, &["one", "two"], &[]);
            let is_missing = !Anchors::from_text("a.md", &text).accepts("three");
            assert_eq!(is_missing, is_known, "{text}");
        }
    }

    #[test]
    fn what_wikilinks_name() {
        let text = "# Set up!\n\n## 사용법 {#usage}\n\ntext ^one-1\n\n- a\n\n^two\n\n```\nno ^three\n```\n";
        let anchors = Anchors::from_text("a.md", text);
        for name in [
            "Set up",
            "set up!",
            "x#Set up!",
            "사용법",
            "usage",
            "^one-1",
            "^Two",
            "…",
        ] {
            assert!(anchors.accepts_named(name), "{name} in {:?}", anchors.named);
        }
        for name in ["Set", "^three", "^one", "no ^three"] {
            assert!(
                !anchors.accepts_named(name),
                "{name} in {:?}",
                anchors.named
            );
        }
    }

    #[test]
    fn places_of_restructured_text() {
        check(
            "a.rst",
            "=====\nTitle\n=====\n\n.. _Old Name:\n\n2. Set-up (now)\n---------------\n\n\
             An _`inline target` here.\n\n.. figure:: x.png\n   :name: shown\n",
            &[
                "title",
                "old-name",
                "set-up-now",
                "inline-target",
                "shown",
                "id2",
            ],
            &["set-up", "old_name", "anything", "id3"],
        );
        check("a.rst", ".. py:function:: f\n", &["f", "anything"], &[]);
        check("a.rst", ".. include:: b.rst\n", &["anything"], &[]);
    }

    #[test]
    fn places_of_asciidoc() {
        check(
            "a.adoc",
            "= Doc\n\n== Set-up. Now!\n\n== Set-up. Now!\n\n[[old,Old]]\n== Two\n\n[#own.wide]\n\
             == Three\n\n[id=\"long\"]\nx [[here]]y anchor:mac[] \n",
            &[
                "_set_up_now",
                "_set_up_now_2",
                "set-up-now",
                "old",
                "_two",
                "own",
                "long",
                "here",
                "mac",
                "Set-up. Now!",
            ],
            &["_set_up", "_four", "own.wide"],
        );
        check(
            "a.adoc",
            ":idprefix:\n:idseparator: -\n\n== A b\n",
            &["a-b"],
            &["c"],
        );
        check("a.adoc", "include::b.adoc[]\n", &["anything"], &[]);
    }
}
