//! Definitions of reStructuredText, recognized line by line: targets with a destination, footnotes,
//! citations and substitutions. Anonymous targets (`__ url`) are matched by order alone, and are
//! not included.
//!
//! ```text
//! See docent_, [1]_ and |logo|.
//!
//! .. _docent: https://example.org .. [1] A footnote. .. |logo| image:: logo.png ```

use std::collections::HashMap;
use std::ops::Range;

use docent_text::lines::{with_ends, without_end};

use super::definition::{Definition, key};
use crate::headings::rst_adoc::{CODE_DIRECTIVES, GRAMMAR_DIRECTIVE};

/// A reader of a reStructuredText document.
struct RstDefinitions<'t> {
    text: &'t str,
    definitions: Vec<Definition>,
    /// Index of the definition of each normalized label.
    by_key: HashMap<String, usize>,
    /// Used labels with their positions.
    uses: Vec<(String, usize)>,
    /// Auto-numbered footnotes are matched by order: the second use of `[#]_` refers to the second
    /// definition `[#]`. The counters are the numbers of definitions and of uses so far, first for
    /// `#` and then for `*`. Named ones such as `[#note]_` are matched by name.
    numbered: [(usize, usize); 2],
    /// Index of the definition that continues in deeper indented lines.
    open: Option<usize>,
    /// Indentation above which lines are code or a comment. In such lines `.. _a: b` is an example
    /// and defines nothing. The block ends at the first line that is not indented more, which is
    /// read as text again.
    code: Option<usize>,
    /// The current paragraph; a reference may continue on the next line.
    paragraph: Option<Range<usize>>,
}

/// Returns the definitions of a reStructuredText document, in order.
pub(super) fn definitions(text: &str) -> Vec<Definition> {
    if !text.contains(".. ") {
        return Vec::new();
    }
    let mut reader = RstDefinitions {
        text,
        definitions: Vec::new(),
        by_key: HashMap::new(),
        uses: Vec::new(),
        numbered: [(0, 0); 2],
        open: None,
        code: None,
        paragraph: None,
    };
    let mut start = 0;
    for line in with_ends(text) {
        reader.line(start, without_end(line).trim_end());
        start += line.len();
    }
    reader.end_paragraph();
    for (label, at) in reader.uses {
        if let Some(index) = reader.by_key.get(&label) {
            reader.definitions[*index].uses.push(at);
        }
    }
    for definition in &mut reader.definitions {
        definition.uses.sort_unstable();
    }
    reader.definitions
}

impl RstDefinitions<'_> {
    /// Reads a line that begins at `start`.
    fn line(&mut self, start: usize, plain: &str) {
        let inner = plain.trim_start();
        let indent = plain.len() - inner.len();
        let at = start + indent;
        if inner.is_empty() {
            self.end_paragraph();
            return;
        }
        match self.open {
            Some(index) if indent > 0 => self.definitions[index].span.end = start + plain.len(),
            _ => self.open = None,
        }
        if self.code.is_some_and(|outer| indent > outer) {
            return;
        }
        self.code = None;
        if let Some(marked) = inner.strip_prefix(".. ") {
            self.end_paragraph();
            let lead = inner.len() - marked.trim_start().len();
            self.explicit(at..start + plain.len(), indent, lead);
            return;
        }
        let begun = self.paragraph.take().map_or(at, |lines| lines.start);
        self.paragraph = Some(begun..start + plain.len());
        if inner.ends_with("::") {
            self.end_paragraph();
            self.code = Some(indent);
        }
    }

    /// Reads a line of explicit markup whose text begins after `lead` bytes.
    fn explicit(&mut self, line: Range<usize>, indent: usize, lead: usize) {
        let text = self.text;
        let from = line.start + lead;
        let marked = &text[from..line.end];
        let (label, after) = if let Some(target) = marked.strip_prefix('_') {
            match target_name(target) {
                // A target without a destination (`.. _name:`) names its own position and moves
                // with it. It defines nothing for other places: deleting it with its section only
                // removes the place that it names.
                Some((name, destination)) if !destination.is_empty() => (
                    Some(format!("{name}_")),
                    from + marked.len() - destination.len(),
                ),
                _ => return,
            }
        } else if let Some((name, after)) = split_enclosed(marked, '[', ']') {
            (
                Some(format!("[{name}]_")),
                from + marked.len() - after.len(),
            )
        } else if let Some((name, after)) = split_enclosed(marked, '|', '|') {
            (Some(format!("|{name}|")), from + marked.len() - after.len())
        } else {
            (None, from)
        };
        if let Some(label) = label.filter(|_| indent == 0) {
            let key = self.definition_key(&label);
            // The first definition of a label counts, and later ones are ignored. A label then has
            // one definition, and its uses can be assigned to that without regard to their order.
            if !self.by_key.contains_key(&key) {
                self.by_key.insert(key, self.definitions.len());
                self.open = Some(self.definitions.len());
                self.definitions.push(Definition::new(label, line.clone()));
            }
        }
        let directive = text[after..line.end].trim_start().split_once("::");
        match directive {
            Some((name, _)) if CODE_DIRECTIVES.contains(&name) || name == GRAMMAR_DIRECTIVE => {
                self.code = Some(indent)
            }
            Some((_, argument)) => self.paragraph = Some(line.end - argument.len()..line.end),
            None if marked.starts_with(['_', '[', '|']) => self.paragraph = Some(after..line.end),
            // Explicit markup that is neither a target, a footnote, a substitution nor a directive
            // is a comment. Its indented lines are skipped like code: nothing in them is a
            // reference.
            None => self.code = Some(indent),
        }
    }

    /// Returns the normalized label that uses share with the definition.
    fn definition_key(&mut self, label: &str) -> String {
        match parse_number(label) {
            Some(sign) => {
                self.numbered[sign].0 += 1;
                format!("{label}{}", self.numbered[sign].0)
            }
            None => key_of(label),
        }
    }

    fn add_use(&mut self, label: &str, at: usize) {
        let key = match parse_number(label) {
            Some(sign) => {
                self.numbered[sign].1 += 1;
                format!("{label}{}", self.numbered[sign].1)
            }
            None => key_of(label),
        };
        self.uses.push((key, at));
    }

    /// Adds the references in the lines of a paragraph.
    fn end_paragraph(&mut self) {
        let Some(lines) = self.paragraph.take() else {
            return;
        };
        let (start, inside) = (lines.start, &self.text[lines]);
        let mut from = 0;
        while let Some(length) = inside[from..].find(['`', '|', '[', '_', '\\']) {
            let at = from + length;
            let rest = &inside[at..];
            from = at + 1;
            if let Some(escaped) = rest.strip_prefix('\\') {
                from += escaped.chars().next().map_or(0, char::len_utf8);
            } else if let Some(code) = rest.strip_prefix("``") {
                // A literal that is not closed is text, and its content is searched for references
                // as well.
                from = code.find("``").map_or(at + 2, |end| at + 2 + end + 2);
            } else if rest.starts_with('`') {
                if let Some((phrase, after)) = split_enclosed(rest, '`', '`') {
                    from = at + rest.len() - after.len();
                    if after.starts_with('_') {
                        // A reference may name a target in its text: `` `text <name_>`_ `` refers
                        // to `name`. Without the inner underscore, as in `` `text <url>`_ ``, it
                        // defines a target itself.
                        let named = phrase
                            .strip_suffix('>')
                            .and_then(|one| one.rsplit_once('<'));
                        let named = named.and_then(|(_, name)| name.strip_suffix('_'));
                        self.add_use(&format!("{}_", named.unwrap_or(phrase)), start + at);
                    }
                }
            } else if rest.starts_with('|') {
                if let Some((name, after)) = split_enclosed(rest, '|', '|') {
                    from = at + rest.len() - after.len();
                    self.add_use(&format!("|{name}|"), start + at);
                    if after.starts_with('_') {
                        self.add_use(&format!("{name}_"), start + at);
                    }
                }
            } else if rest.starts_with('[') {
                if let Some((name, after)) = split_enclosed(rest, '[', ']')
                    && after.starts_with('_')
                {
                    from = at + rest.len() - after.len();
                    self.add_use(&format!("[{name}]_"), start + at);
                }
            } else if is_word_end(&rest[1..]) {
                let is_part = |c: char| c.is_alphanumeric() || "-_.:+".contains(c);
                let name = inside[..at].trim_end_matches(is_part).len();
                if name < at {
                    self.add_use(&inside[name..=at], start + name);
                }
            }
        }
    }
}

/// Splits the text after `.. _` into the name of a target and its destination.
fn target_name(target: &str) -> Option<(&str, &str)> {
    let (name, after) = match split_enclosed(target, '`', '`') {
        Some((name, after)) => (name, after.strip_prefix(':')?),
        None => match target.split_once(": ") {
            Some(both) => both,
            None => (target.strip_suffix(':')?, ""),
        },
    };
    (name != "_").then(|| (name, after.trim_start()))
}

/// Returns the text between two signs at the start of `text`, trimmed, and the rest after it.
fn split_enclosed(text: &str, open: char, close: char) -> Option<(&str, &str)> {
    let (inside, after) = text.strip_prefix(open)?.split_once(close)?;
    (!inside.is_empty() && inside.trim() == inside).then_some((inside, after))
}

/// Returns the index of the numbering of an auto-numbered footnote.
fn parse_number(label: &str) -> Option<usize> {
    ["[#]_", "[*]_"].iter().position(|own| *own == label)
}

fn key_of(label: &str) -> String {
    key(&label.replace('\\', ""))
}

/// Returns true if the text after a reference ends it.
fn is_word_end(after: &str) -> bool {
    let next = after.chars().next();
    next.is_none_or(|c| !c.is_alphanumeric() && c != '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns label, text and number of uses of each definition.
    fn summarize(text: &str) -> Vec<(String, &str, usize)> {
        let summarize = |one: Definition| (one.label, &text[one.span], one.uses.len());
        definitions(text).into_iter().map(summarize).collect()
    }

    fn one<'t>(label: &str, text: &'t str, uses: usize) -> (String, &'t str, usize) {
        (label.to_owned(), text, uses)
    }

    #[test]
    fn targets_footnotes_and_substitutions() {
        let text = "\
See python_, snake_case_, `the docs`_, `here <The  Docs_>`_, [1]_, [CIT2002]_ and |logo| of |logo|_.

.. _Python: https://python.org
.. _snake_case: snake.html
.. _the docs:
   https://docs.org
.. _the docs: docs.html
.. _`a: b`: c.html
.. [1] A note,
   of two lines, see [CIT2002]_.

   And two paragraphs.
.. [CIT2002] Somebody.
.. |logo| image:: logo.png
   :alt: python_
.. _logo: https://logo.org
.. _place:

Text.
";
        assert_eq!(
            summarize(text),
            [
                one("Python_", ".. _Python: https://python.org", 2),
                one("snake_case_", ".. _snake_case: snake.html", 1),
                one("the docs_", ".. _the docs: docs.html", 2),
                one("a: b_", ".. _`a: b`: c.html", 0),
                one(
                    "[1]_",
                    ".. [1] A note,\n   of two lines, see [CIT2002]_.\n\n   And two paragraphs.",
                    1
                ),
                one("[CIT2002]_", ".. [CIT2002] Somebody.", 2),
                one("|logo|", ".. |logo| image:: logo.png\n   :alt: python_", 2),
                one("logo_", ".. _logo: https://logo.org", 1),
            ]
        );
    }

    #[test]
    fn footnotes_without_a_name_go_by_their_order() {
        let text = "a [#]_ b [*]_ c [#]_\n\n.. [#] one\n.. [#] two\n.. [*] star\n.. [#] three\n";
        let uses: Vec<usize> = summarize(text).into_iter().map(|one| one.2).collect();
        assert_eq!(uses, [1, 1, 1, 0]);
    }

    #[test]
    fn code_and_remarks_hold_none() {
        let text = "\
Write::

   .. _a: b
   a_ and |a|

``a_`` a\\_ snake_case_name a__ __init__

.. code:: rst

   `a`_

.. A remark about a_
   of two lines: a_

.. _a: target
";
        assert_eq!(summarize(text), [one("a_", ".. _a: target", 0)]);
    }
}
