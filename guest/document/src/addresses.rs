//! Which sections a text means: by their id, by their heading, or by the headings that lead there.

use crate::headings::anchor::{slug, written_id};
use crate::headings::heading::{one_line, parse_headings};
use crate::metadata::folded;
use crate::sections::Section;

/// What stands between the headings of a path, as answers show it and as people write it.
const SEPARATORS: [&str; 3] = [" > ", ">", "/"];

/// Returns the indices of the sections that `address` means, in order: none where there is no such
/// section, several where it does not say which.
///
/// It is an id (`setup`, `#setup`), a heading (`Setup`, `## Setup`), or headings from the outermost
/// to its own, of which some may be left out: `Guide > Setup`, `Guide/Setup`.
pub fn find(sections: &[Section], address: &str) -> Vec<usize> {
    let plain = address.trim().trim_start_matches('#').trim();
    let written = written_id(plain);
    let by_id = |id: &str| {
        let is_it = |section: &Section| section.level > 0 && section.id == id;
        sections.iter().position(is_it)
    };
    // The id first, which is unique: `a-1` is the second `a`, though a heading may read `a-1`.
    let id = by_id(plain).or_else(|| by_id(written.as_ref()?.id));
    if let Some(index) = id {
        return vec![index];
    }
    let found = with_path(sections, &[Name::new(plain)], Fit::Below);
    if !found.is_empty() {
        return found;
    }
    for separator in SEPARATORS {
        let names: Vec<Name> = plain
            .split(separator)
            .filter(|name| !name.trim().is_empty())
            .map(Name::new)
            .collect();
        if names.len() < 2 {
            continue;
        }
        // The whole path is one section's before it is the end of another's.
        for fit in [Fit::Whole, Fit::End, Fit::Below] {
            let found = with_path(sections, &names, fit);
            if !found.is_empty() {
                return found;
            }
        }
    }
    Vec::new()
}

/// How the headings that are named stand in a section's path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fit {
    /// They are all of it.
    Whole,
    /// It ends with them.
    End,
    /// It ends with the last of them, and holds the others before that, in order.
    Below,
}

/// How strictly a heading is compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Likeness {
    /// But for case and normal form.
    Text,
    /// But for punctuation as well.
    Slug,
}

/// A heading as it is asked for.
struct Name {
    /// As it is given, and as plain text should it hold marks, folded.
    texts: [String; 2],
    slug: String,
}

impl Name {
    fn new(text: &str) -> Self {
        let text = text.trim().trim_start_matches('#').trim();
        let as_heading = parse_headings(&format!("# {text}"));
        let parsed = as_heading.into_iter().next();
        let parsed = parsed.map_or_else(|| text.to_owned(), |heading| heading.text);
        Self {
            texts: [folded(&one_line(text)), folded(&parsed)],
            slug: slug(&parsed),
        }
    }

    fn is(&self, heading: &str, likeness: Likeness) -> bool {
        match likeness {
            Likeness::Text => self.texts.contains(&folded(heading)),
            Likeness::Slug => !self.slug.is_empty() && slug(heading) == self.slug,
        }
    }
}

/// Returns the sections whose paths hold these headings so: those that do letter by letter, else
/// those that do but for punctuation.
fn with_path(sections: &[Section], names: &[Name], fit: Fit) -> Vec<usize> {
    let mut found = Vec::new();
    for likeness in [Likeness::Text, Likeness::Slug] {
        let fitting = sections.iter().enumerate();
        let fitting = fitting.filter(|(_, section)| fits(&section.path, names, fit, likeness));
        found.extend(fitting.map(|(index, _)| index));
        if !found.is_empty() {
            break;
        }
    }
    found
}

fn fits(path: &[String], names: &[Name], fit: Fit, likeness: Likeness) -> bool {
    // From the section's own heading outwards.
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
