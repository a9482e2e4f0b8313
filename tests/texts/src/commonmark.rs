//! The examples of the CommonMark specification.

/// The specification; `commonmark/README.md` names its author and licence.
const SPECIFICATION: &str = include_str!("../commonmark/spec.txt");

/// The fence at the beginning and the end of an example, at the start of a line.
const FENCE: &str = "````````````````````````````````";

/// An example of the specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// Markdown of the example.
    pub markdown: String,
    /// Expected HTML.
    pub html: String,
}

/// Returns all examples, in order.
///
/// # Panics
/// If the specification is not in the expected format.
#[must_use]
pub fn examples() -> Vec<Example> {
    let begin = format!("\n{FENCE} example\n");
    let end = format!("\n{FENCE}\n");
    let examples = SPECIFICATION.split(&begin).skip(1).map(|rest| {
        // Either side of an example can be empty, so that a fence or a dot follows immediately.
        let rest = format!("\n{rest}");
        let (example, _) = rest.split_once(&end).expect("an example ends");
        let (markdown, html) = format!("{example}\n")
            .split_once("\n.\n")
            .map(|(markdown, html)| (format!("{markdown}\n"), html.to_owned()))
            .expect("Markdown and HTML are divided by a dot");
        Example {
            markdown: text(&markdown[1..]),
            html: text(&html),
        }
    });
    examples.collect()
}

/// Returns a text of the specification with its original tabs, which it shows as arrows.
fn text(shown: &str) -> String {
    shown.replace('→', "\t")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_them_whole() {
        let all = examples();
        assert_eq!(all.len(), 652);
        let first = Example {
            markdown: "\tfoo\tbaz\t\tbim\n".to_owned(),
            html: "<pre><code>foo\tbaz\t\tbim\n</code></pre>\n".to_owned(),
        };
        assert_eq!(all[0], first);
        let empty = all.iter().filter(|example| example.html.is_empty()).count();
        assert!(empty > 0, "definitions alone mean no HTML");
        assert!(all.iter().all(|example| example.markdown.ends_with('\n')));
        let last = Example {
            markdown: "Multiple     spaces\n".to_owned(),
            html: "<p>Multiple     spaces</p>\n".to_owned(),
        };
        assert_eq!(all[651], last);
    }
}
