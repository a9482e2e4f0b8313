//! Addresses of sections: by id, by heading, or by a path of headings.

use crate::headings::anchor::{explicit_id, slug};
use crate::headings::heading::{one_line, parse_headings};
use crate::metadata::fold_text;
use crate::section::Section;

/// Separators between the headings of a path, as answers show it and as people write it.
const SEPARATORS: [&str; 3] = [" > ", ">", "/"];

/// Returns the indices of the sections that `address` matches, in order: empty if there is no such
/// section, several if the address is ambiguous.
///
/// An address is an id (`setup`, `#setup`), a heading (`Setup`, `## Setup`), or a path of headings
/// from the outermost to the section's own, some of which may be omitted: `Guide > Setup`,
/// `Guide/Setup`. Of a heading with a colon, the part before it suffices: `Slide 3` for
/// `Slide 3: Plan`.
pub fn find(sections: &[Section], address: &str) -> Vec<usize> {
    let plain = address.trim().trim_start_matches('#').trim();
    let written = explicit_id(plain);
    let by_id = |id: &str| {
        let is_it = |section: &Section| section.level > 0 && section.id == id;
        sections.iter().position(is_it)
    };
    // The id is tried first, because it is unique: `a-1` is the second heading `a`, even if another
    // heading reads `a-1`. An answer that shows an id would otherwise lead to a different section.
    let id = by_id(plain).or_else(|| by_id(written.as_ref()?.id));
    if let Some(index) = id {
        return vec![index];
    }
    let found = with_path(sections, &[HeadingName::new(plain)], Fit::Below);
    if !found.is_empty() {
        return found;
    }
    for separator in SEPARATORS {
        let names: Vec<HeadingName> = plain
            .split(separator)
            .filter(|name| !name.trim().is_empty())
            .map(HeadingName::new)
            .collect();
        if names.len() < 2 {
            continue;
        }
        // A full path takes precedence over the end of another path, and that over a path with
        // omitted headings. `Guide > Setup` would otherwise be ambiguous beside `Old > Guide >
        // Setup`, although it names one of the two exactly.
        for fit in [Fit::Whole, Fit::End, Fit::Below] {
            let found = with_path(sections, &names, fit);
            if !found.is_empty() {
                return found;
            }
        }
    }
    Vec::new()
}

/// Position of the given headings in the path of a section.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fit {
    /// The whole path.
    Whole,
    /// The end of the path.
    End,
    /// The last one ends the path, and the others occur before it, in order.
    Below,
}

/// Strictness of the comparison of headings.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Likeness {
    /// Equal except for case and normal form.
    Text,
    /// Equal except for case, normal form and punctuation.
    Slug,
    /// Equal to the heading, or to its beginning up to a colon or a remark in parentheses. The
    /// titles of slides change more often than their numbers.
    Label,
}

/// A heading of an address.
struct HeadingName {
    /// The heading as written, and as plain text in case it contains Markdown, folded.
    texts: [String; 2],
    slug: String,
}

impl HeadingName {
    fn new(text: &str) -> Self {
        let text = text.trim().trim_start_matches('#').trim();
        let as_heading = parse_headings(&format!("# {text}"));
        let parsed = as_heading.into_iter().next();
        let parsed = parsed.map_or_else(|| text.to_owned(), |heading| heading.text);
        Self {
            texts: [fold_text(&one_line(text)), fold_text(&parsed)],
            slug: slug(&parsed),
        }
    }

    fn is(&self, heading: &str, likeness: Likeness) -> bool {
        match likeness {
            Likeness::Text => self.texts.contains(&fold_text(heading)),
            Likeness::Slug => !self.slug.is_empty() && slug(heading) == self.slug,
            Likeness::Label => {
                let heading = fold_text(heading);
                let mut rests = self
                    .texts
                    .iter()
                    .filter(|text| !text.is_empty())
                    .filter_map(|text| heading.strip_prefix(text.as_str()));
                rests.any(|rest| rest.is_empty() || rest.starts_with(':') || rest.starts_with(" ("))
            }
        }
    }
}

/// Returns the sections whose paths match these headings: those that match by text if there are
/// any, else those that match by slug, else those that match by label. `C++` and `C#` have the same
/// slug, so that the slug decides only if the text of no heading is equal.
fn with_path(sections: &[Section], names: &[HeadingName], fit: Fit) -> Vec<usize> {
    let mut found = Vec::new();
    for likeness in [Likeness::Text, Likeness::Slug, Likeness::Label] {
        let fitting = sections.iter().enumerate();
        let fitting = fitting.filter(|(_, section)| fits(&section.path, names, fit, likeness));
        found.extend(fitting.map(|(index, _)| index));
        if !found.is_empty() {
            break;
        }
    }
    found
}

fn fits(path: &[String], names: &[HeadingName], fit: Fit, likeness: Likeness) -> bool {
    // The headings are compared from the section's own outwards: the last name must be that of the
    // section, while names before it may be omitted.
    let mut path = path.iter().rev();
    let mut names = names.iter().rev();
    let Some((own, wanted)) = path.next().zip(names.next()) else {
        return false;
    };
    if !wanted.is(own, likeness) {
        return false;
    }
    let is_rest = names.all(|name| match fit {
        Fit::Below => path.any(|heading| name.is(heading, likeness)),
        Fit::Whole | Fit::End => path
            .next()
            .is_some_and(|heading| name.is(heading, likeness)),
    });
    is_rest && (fit != Fit::Whole || path.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sections::sections;

    #[test]
    fn sections_by_the_part_of_their_heading_before_a_colon() {
        let text = "## Slide 1: Plan\n## Slide 10: Costs\n### Notes\n## Slide 2 (hidden)\n## Slide 3: a\n## Slide 3: b\n## Plan\n## Plan: old\n";
        let all = sections("x.md", text);
        for (address, expected) in [
            ("Slide 1", &["slide-1-plan"][..]),
            ("slide 10", &["slide-10-costs"]),
            ("Slide 10 > Notes", &["notes"]),
            ("Slide 2", &["slide-2-hidden"]),
            ("Slide 3", &["slide-3-a", "slide-3-b"]),
            ("Plan", &["plan"]),
            ("Slide", &[]),
            ("Slide 1:", &[]),
        ] {
            let found = find(&all, address);
            let ids: Vec<&str> = found.iter().map(|&index| all[index].id.as_str()).collect();
            assert_eq!(ids, expected, "{address}");
        }
    }

    #[test]
    fn sections_by_what_is_known_of_them() {
        let text = "intro\n# Guide\n## Setup\n### *Linux* & co\n## A/B\n# Other\n## Setup\n## 사용법 {/*usage*/}\n## C\n## C++\n# Setup/Old\n## B > C\n";
        let all = sections("x.md", text);
        for (address, expected) in [
            ("setup", &["setup"][..]),
            ("#setup-1", &["setup-1"]),
            ("Setup", &["setup", "setup-1"]),
            ("## Setup", &["setup", "setup-1"]),
            ("Guide > Setup", &["setup"]),
            ("other/setup", &["setup-1"]),
            ("Other>Setup", &["setup-1"]),
            ("Guide > *Linux* & co", &["linux--co"]),
            ("### Linux & co", &["linux--co"]),
            ("linux-co", &[]),
            ("A/B", &["ab"]),
            ("Guide > A/B", &["ab"]),
            ("usage", &["usage"]),
            ("#usage", &["usage"]),
            ("사용법", &["usage"]),
            ("## 사용법 {/*usage*/}", &["usage"]),
            ("Other > 사용법", &["usage"]),
            ("C++", &["c-1"]),
            ("c", &["c"]),
            ("B > C", &["b--c"]),
            ("Setup/Old", &["setupold"]),
            ("Guide > Nowhere", &[]),
            ("", &[]),
            ("#", &[]),
            (" > ", &[]),
        ] {
            let found = find(&all, address);
            let ids: Vec<&str> = found.iter().map(|&index| all[index].id.as_str()).collect();
            assert_eq!(ids, expected, "{address}");
        }
    }
}
