//! AsciiDoc definitions: attributes, each valid from where it is set until it is set again.
//! Footnotes are not definitions, because they are written where they are used.
//!
//! ```text
//! :version: 1.2
//! Install {version}.
//! :version: 2.0
//! Upgrade to {version}.
//! ```

use std::collections::HashMap;
use std::ops::Range;

use docent_text::lines::{with_ends, without_end};

use super::definition::Definition;

/// Delimiter characters of blocks that are shown verbatim, or not at all: listings `----`, literals
/// `....`, passthroughs `++++` and comments `////`. Neither settings nor references in them count,
/// so that an example of AsciiDoc in AsciiDoc defines nothing.
const VERBATIM: [char; 4] = ['-', '.', '+', '/'];

/// Returns the attributes that an AsciiDoc text sets, in order.
pub(super) fn definitions(text: &str) -> Vec<Definition> {
    let mut definitions: Vec<Definition> = Vec::new();
    // The valid definition of each name so far. In AsciiDoc the position counts: a reference has
    // the value that was set last before it.
    let mut by_name: HashMap<String, usize> = HashMap::new();
    let mut block: Option<&str> = None;
    let mut continues = false;
    let mut start = 0;
    for line in with_ends(text) {
        let at = start;
        start += line.len();
        let plain = without_end(line).trim_end();
        if is_delimiter(plain) {
            match block {
                Some(open) if open == plain => block = None,
                Some(_) => {}
                None => block = Some(plain),
            }
            continue;
        }
        if block.is_some() || plain.starts_with("//") {
            continue;
        }
        let last = definitions.len().checked_sub(1);
        if let Some(last) = last.filter(|_| continues) {
            definitions[last].span.end = at + plain.len();
        } else if let Some(name) = attribute(plain) {
            by_name.insert(name.to_lowercase(), definitions.len());
            let label = format!("{{{name}}}");
            definitions.push(Definition::new(label, at..at + plain.len()));
        }
        // A value continues after a blank and a backslash at the end of its line. The definition
        // then spans all of its lines, which are moved or deleted together.
        continues = plain.ends_with(" \\") && (continues || attribute(plain).is_some());
        for Range { start, end } in references(plain) {
            if let Some(index) = by_name.get(&plain[start + 1..end - 1].to_lowercase()) {
                definitions[*index].uses.push(at + start);
            }
        }
    }
    definitions
}

/// Returns the name of the attribute that a line sets, `:name: value`.
fn attribute(line: &str) -> Option<&str> {
    let (name, after) = line.strip_prefix(':')?.split_once(':')?;
    (is_name(name) && (after.is_empty() || after.starts_with(' '))).then_some(name)
}

/// Returns the attribute references of a line, `{name}`. `\{name}` is escaped and shown as written,
/// and braces around other text are not references.
fn references(line: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    line.match_indices('{').filter_map(|(at, _)| {
        let length = line[at..].find('}')?;
        let is_escaped = line[..at].ends_with('\\');
        (!is_escaped && is_name(&line[at + 1..at + length])).then_some(at..at + length + 1)
    })
}

fn is_name(name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    !name.is_empty() && !name.starts_with('-') && name.chars().all(is_part)
}

fn is_delimiter(line: &str) -> bool {
    line.len() >= 4 && VERBATIM.iter().any(|sign| line.chars().all(|c| c == *sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_count_until_they_are_set_again() {
        let text = "\
:url: https://a.org
:long: one \\
  {url} two
:toc:

See {url}, {long}, {other} and \\{url}.

----
:url: code {url}
----

:url: https://b.org

{URL} {long}
";
        let told: Vec<(String, &str, usize)> = definitions(text)
            .into_iter()
            .map(|one| (one.label, &text[one.span], one.uses.len()))
            .collect();
        let one = |label: &str, text, uses| (label.to_owned(), text, uses);
        assert_eq!(
            told,
            [
                one("{url}", ":url: https://a.org", 2),
                one("{long}", ":long: one \\\n  {url} two", 2),
                one("{toc}", ":toc:", 0),
                one("{url}", ":url: https://b.org", 1),
            ]
        );
    }
}
