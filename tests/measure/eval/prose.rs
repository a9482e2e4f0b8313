//! The sections of a document and the sentences of its text, parsed independently of docent.

/// A heading and the lines below it, up to the next one.
#[derive(Debug, PartialEq)]
pub struct Section<'t> {
    /// Heading without markup; empty before the first one.
    pub heading: String,
    /// Lines of the section's own text.
    pub lines: Vec<&'t str>,
}

/// A sentence and its section.
#[derive(Debug, PartialEq)]
pub struct Sentence {
    /// Index of its section.
    pub section: usize,
    pub text: String,
}

/// The characters that underline headings of reStructuredText.
const UNDERLINES: &str = "=-~^\"'`#*+.:_";

/// Returns the sections of a document, by the heading syntax of its format.
pub fn sections<'t>(path: &str, text: &'t str) -> Vec<Section<'t>> {
    let lines: Vec<&str> = text.lines().collect();
    let body = front_matter(&lines);
    let mut sections = vec![Section {
        heading: String::new(),
        lines: Vec::new(),
    }];
    let mut fence: Option<&str> = None;
    let mut at = body;
    while let Some(line) = lines.get(at) {
        let trimmed = line.trim_start();
        let sign = ["```", "~~~"]
            .into_iter()
            .find(|sign| trimmed.starts_with(sign));
        match (fence, sign) {
            (None, Some(sign)) => fence = Some(sign),
            (Some(open), Some(sign)) if open == sign => fence = None,
            _ => {}
        }
        let found = if fence.is_some() {
            None
        } else if path.ends_with(".rst") {
            underlined(line, lines.get(at + 1)).map(|heading| (heading, 2))
        } else {
            marked(line).map(|heading| (heading, 1))
        };
        match (found, sections.last_mut()) {
            (Some((heading, taken)), _) => {
                sections.push(Section {
                    heading: plain(heading),
                    lines: Vec::new(),
                });
                at += taken;
            }
            (None, Some(section)) => {
                section.lines.push(line);
                at += 1;
            }
            (None, None) => at += 1,
        }
    }
    sections
}

/// Returns the number of lines of the front matter.
fn front_matter(lines: &[&str]) -> usize {
    if lines.first() != Some(&"---") {
        return 0;
    }
    let end = lines.iter().skip(1).position(|line| *line == "---");
    end.map_or(0, |end| end + 2)
}

fn marked(line: &str) -> Option<&str> {
    let heading = line.trim_start_matches(['#', '=']);
    let level = line.len() - heading.len();
    ((1..=6).contains(&level) && heading.starts_with(' ')).then(|| heading.trim())
}

fn underlined<'t>(line: &'t str, next: Option<&&str>) -> Option<&'t str> {
    let next = next?.trim_end();
    let sign = next
        .chars()
        .next()
        .filter(|sign| UNDERLINES.contains(*sign))?;
    let is_rule = next.chars().all(|c| c == sign) && next.len() >= 3;
    let is_text = line.chars().any(char::is_alphanumeric) && !line.starts_with([' ', '.']);
    (is_rule && is_text && next.chars().count() >= line.trim_end().chars().count())
        .then(|| line.trim())
}

/// Returns a heading without markup and without a trailing id.
fn plain(heading: &str) -> String {
    let heading = heading.split(['{', '<']).next().unwrap_or(heading);
    // A link is replaced with its text.
    let mut out = String::new();
    let mut rest = heading.trim().trim_end_matches('#');
    while let Some((before, behind)) = rest.split_once("](") {
        out.push_str(before);
        rest = behind.split_once(')').map_or("", |(_, behind)| behind);
    }
    out.push_str(rest);
    out.retain(|c| !matches!(c, '`' | '*' | '[' | ']'));
    out.trim().to_owned()
}

/// Returns the sentences in the paragraphs of some sections, without code, tables and addresses.
pub fn sentences(sections: &[Section<'_>]) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    for (index, section) in sections.iter().enumerate() {
        let mut is_code = false;
        let mut paragraph = String::new();
        for line in section.lines.iter().copied().chain([""]) {
            let trimmed = line.trim();
            if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
                is_code = !is_code;
                continue;
            }
            let is_text = !is_code
                && !line.starts_with("    ")
                && !trimmed.starts_with(['|', '<', '.', ':', '+', '{'])
                && !trimmed.contains("://");
            if is_text && !trimmed.is_empty() {
                paragraph.push_str(trimmed);
                paragraph.push(' ');
                continue;
            }
            let mut end = 0;
            for (gap, _) in paragraph.match_indices(' ') {
                let text = &paragraph[end..gap];
                if text.ends_with(['.', '?', '!', ':']) || gap + 1 == paragraph.len() {
                    sentences.push(Sentence {
                        section: index,
                        text: text.to_owned(),
                    });
                    end = gap + 1;
                }
            }
            paragraph.clear();
        }
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKDOWN: &str = "---\ntitle: T\n---\nBefore it.\n\n## The `port` [is](a.md) open {#x}\n\nOne sentence. Another\none!\n\n```sh\n# no heading\n```\n\n| a | b |\n";

    #[test]
    fn sections_begin_at_headings_outside_code() {
        let found = sections("a.md", MARKDOWN);
        let headings: Vec<&str> = found.iter().map(|one| one.heading.as_str()).collect();
        assert_eq!(headings, ["", "The port is open"]);
        assert!(found[1].lines.contains(&"# no heading"));
        let found = sections(
            "a.rst",
            "Title\n=====\n\ntext\n\n``x`` of it\n-----------\n\nmore\n",
        );
        let headings: Vec<&str> = found.iter().map(|one| one.heading.as_str()).collect();
        assert_eq!(headings, ["", "Title", "x of it"]);
    }

    #[test]
    fn sentences_are_those_of_paragraphs() {
        let found = sentences(&sections("a.md", MARKDOWN));
        let texts: Vec<&str> = found.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(texts, ["Before it.", "One sentence.", "Another one!"]);
        assert_eq!(found[2].section, 1);
    }
}
