//! Key points: extractive summaries of a document. The sentences are quoted verbatim, except for
//! line breaks and markup.

use std::collections::BTreeSet;
use std::ops::{Range, RangeInclusive};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use unicode_segmentation::UnicodeSegmentation as _;

use crate::bm25::Bm25Query;
use crate::limits::{KEY_POINT_CHARS, KEY_POINTS};
use crate::statistics::{Statistics, weight};
use docent_document::sections::{Section, with_subsections};
use docent_text::fold::fold;
use docent_text::lines::with_ends;
use docent_text::saturating::saturating_u32;
use docent_text::sentences::{Span, SpanKind, sentences};
use docent_text::sort::{sort_by, sort_by_key};

/// Headings of sections that are a summary already, folded.
const SUMMARIES: [&str; 12] = [
    "summary",
    "abstract",
    "tl;dr",
    "tldr",
    "overview",
    "executive summary",
    "in short",
    "key points",
    "요약",
    "개요",
    "초록",
    "한눈에 보기",
];

/// Words of a key sentence: fewer say nothing alone, more are a list.
const SENTENCE_WORDS: RangeInclusive<usize> = 5..=60;

/// Weight factor of the first sentence of a paragraph, which often states its topic.
const FIRST_SENTENCE_FACTOR: f64 = 1.3;

/// Repetitions of a word at which it has half of its full weight.
const HALF_WEIGHT_REPETITIONS: f64 = 3.0;

/// Frequency, one in so many words of the text, at which a word weighs nothing: a function word
/// such as `the`.
const COMMON_WORD_EVERY: f64 = 50.0;

/// Minimum number of terms by which the weight of a sentence is divided, so that a short one does
/// not win by a single frequent word.
const LEAST_TERMS: u32 = 8;

/// The contents of a document other than its headings.
#[derive(Debug, Default)]
pub struct DocumentContents {
    /// Number of code blocks.
    pub code_blocks: u32,
    /// Number of links, without images.
    pub links: u32,
    /// Destinations of links, as written, in order.
    pub destinations: Vec<String>,
    /// Paragraphs in order.
    paragraphs: Vec<TextUnit>,
}

/// A paragraph or a list item.
#[derive(Debug)]
struct TextUnit {
    /// Start, in bytes of the document.
    start: usize,
    /// Plain text on one line, with single blanks.
    text: String,
    /// Spans of code and of link texts.
    spans: Vec<Span>,
}

impl TextUnit {
    fn new(start: usize) -> Self {
        Self {
            start,
            text: String::new(),
            spans: Vec::new(),
        }
    }

    fn push(&mut self, text: &str) {
        for c in text.chars() {
            if !c.is_whitespace() {
                self.text.push(c);
            } else if !self.text.is_empty() && !self.text.ends_with(' ') {
                self.text.push(' ');
            }
        }
    }

    /// Marks the text from `start` on as a span of this kind.
    fn mark(&mut self, start: usize, kind: SpanKind) {
        let range = start..self.text.len();
        // A link is one span, including spans within its text.
        while self
            .spans
            .last()
            .is_some_and(|span| span.range.start >= start)
        {
            self.spans.pop();
        }
        if !range.is_empty() {
            self.spans.push(Span { range, kind });
        }
    }
}

/// A sentence that may be a key point.
#[derive(Debug)]
struct Sentence {
    text: String,
    place: SentencePlace,
}

/// The position of a sentence in its paragraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SentencePlace {
    First,
    Later,
}

impl DocumentContents {
    /// Reads the contents of a Markdown text, whose body begins at `body`.
    pub fn from_markdown(text: &str, body: usize) -> Self {
        let mut contents = Self::default();
        let mut paragraph: Option<TextUnit> = None;
        // Number of open blocks whose text is not prose: code, headings, tables, and the
        // alternative text of images.
        let mut other = 0usize;
        // Start of the text of the open link in its paragraph.
        let mut link = None;
        let options = Options::ENABLE_TABLES;
        for (event, span) in Parser::new_ext(&text[body..], options).into_offset_iter() {
            match event {
                Event::Start(Tag::CodeBlock(_)) => {
                    contents.code_blocks += 1;
                    other += 1;
                }
                Event::Start(Tag::Heading { .. } | Tag::Table(_) | Tag::Image { .. }) => other += 1,
                Event::End(
                    TagEnd::CodeBlock | TagEnd::Heading(_) | TagEnd::Table | TagEnd::Image,
                ) => other = other.saturating_sub(1),
                Event::Start(Tag::Link { dest_url, .. }) => {
                    contents.links += 1;
                    contents.destinations.push(dest_url.into_string());
                    link = paragraph.as_ref().map(|paragraph| paragraph.text.len());
                }
                Event::End(TagEnd::Link) => {
                    if let (Some(paragraph), Some(start)) = (&mut paragraph, link.take()) {
                        paragraph.mark(start, SpanKind::Words);
                    }
                }
                Event::Start(Tag::Paragraph | Tag::Item) => {
                    // The text of an item is directly in it, or in a paragraph of its own: then
                    // that of the item is empty.
                    contents.paragraphs.extend(paragraph.take());
                    paragraph = Some(TextUnit::new(body + span.start));
                }
                Event::End(TagEnd::Paragraph | TagEnd::Item) => {
                    contents.paragraphs.extend(paragraph.take());
                }
                Event::Text(inside) if other == 0 => {
                    if let Some(paragraph) = &mut paragraph {
                        paragraph.push(&inside);
                    }
                }
                Event::Code(inside) if other == 0 => {
                    if let Some(paragraph) = &mut paragraph {
                        let start = paragraph.text.len();
                        paragraph.push(&inside);
                        paragraph.mark(start, SpanKind::Code);
                    }
                }
                Event::SoftBreak | Event::HardBreak => {
                    if let Some(paragraph) = &mut paragraph {
                        paragraph.push(" ");
                    }
                }
                _ => {}
            }
        }
        contents
    }

    /// Reads the contents of a text in other or no markup, with these sections.
    pub fn from_text(text: &str, sections: &[Section]) -> Self {
        let mut contents = Self::default();
        for section in sections {
            let own = &text[section.span.clone()];
            let body = if section.level == 0 {
                0
            } else {
                text_after_heading(own)
            };
            contents.add_plain(&own[body..], section.span.start + body);
        }
        contents
    }

    /// Adds the paragraphs and list items of a text without markup, which begins at `start`.
    fn add_plain(&mut self, text: &str, mut start: usize) {
        let mut paragraph: Option<TextUnit> = None;
        for line in with_ends(text) {
            let indented = line.trim_start();
            let item = indented
                .strip_prefix("- ")
                .or_else(|| indented.strip_prefix("* "));
            if item.is_some() || indented.is_empty() {
                self.paragraphs.extend(paragraph.take());
            }
            match &mut paragraph {
                Some(paragraph) => paragraph.push(line),
                None if indented.is_empty() => {}
                None => {
                    let own = paragraph.insert(TextUnit::new(start));
                    own.push(item.unwrap_or(line));
                }
            }
            start += line.len();
        }
        self.paragraphs.extend(paragraph);
    }

    /// Returns the key points, in order: those of the document's own summary if it has one, else
    /// the sentences with most of the words frequent in the whole document, preferring the first
    /// ones of their paragraphs.
    pub fn key_points(&self, sections: &[Section], statistics: &Statistics) -> Vec<String> {
        let summary = sections
            .iter()
            .position(|section| is_summary(&section.heading))
            .map(|index| with_subsections(sections, index));
        if let Some(span) = summary {
            // The author has chosen already, so short sentences are accepted.
            let own: Vec<String> = self
                .sentences(Some(&span), is_statement)
                .map(|sentence| sentence.text)
                .take(KEY_POINTS)
                .collect();
            if !own.is_empty() {
                return own;
            }
        }
        let sentences: Vec<Sentence> = self.sentences(None, is_sentence).collect();
        let mut ranked: Vec<(f64, usize)> = sentences
            .iter()
            .enumerate()
            .map(|(index, sentence)| (sentence.weight(statistics), index))
            .collect();
        sort_by(&mut ranked, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        ranked.truncate(KEY_POINTS);
        // Back in the order of the document.
        sort_by_key(&mut ranked, |(_, index)| *index);
        ranked
            .into_iter()
            .map(|(_, index)| sentences[index].text.clone())
            .collect()
    }

    /// Returns the distinct candidate sentences; only those of paragraphs that begin in `span`, if
    /// given.
    fn sentences(
        &self,
        span: Option<&Range<usize>>,
        is_worth: impl Fn(&str) -> bool,
    ) -> impl Iterator<Item = Sentence> {
        let inside = self
            .paragraphs
            .iter()
            .filter(move |paragraph| span.is_none_or(|span| span.contains(&paragraph.start)));
        let mut seen = BTreeSet::new();
        inside.flat_map(move |paragraph| {
            let text = paragraph.text.as_str();
            let sentences: Vec<Sentence> = sentences(text, &paragraph.spans)
                .into_iter()
                .enumerate()
                .map(|(number, sentence)| Sentence {
                    text: without_task_mark(sentence).to_owned(),
                    place: match number {
                        0 => SentencePlace::First,
                        _ => SentencePlace::Later,
                    },
                })
                .filter(|sentence| is_worth(&sentence.text) && seen.insert(sentence.text.clone()))
                .collect();
            sentences
        })
    }
}

/// Returns true if a heading is that of a summary, after any number or sign: `## 1. 요약`.
fn is_summary(heading: &str) -> bool {
    let folded = fold_text(heading);
    let words = folded.trim_start_matches(|c: char| !c.is_alphabetic());
    SUMMARIES.contains(&words)
}

/// Returns the end of the heading of reStructuredText or AsciiDoc at the start of `text`.
fn text_after_heading(text: &str) -> usize {
    let is_rule = |line: &str| {
        let line = line.trim();
        line.len() > 1 && line.bytes().all(|byte| byte.is_ascii_punctuation())
    };
    let mut lines = with_ends(text).peekable();
    let overline = lines.next_if(|line| is_rule(line)).map_or(0, str::len);
    let title = lines.next().map_or(0, str::len);
    let underline = lines.next_if(|line| is_rule(line)).map_or(0, str::len);
    overline + title + underline
}

/// Strips the box of a task list item.
fn without_task_mark(text: &str) -> &str {
    let mut marks = ["[ ] ", "[x] ", "[X] "].into_iter();
    let task = marks.find_map(|mark| text.strip_prefix(mark));
    task.unwrap_or(text)
}

/// Returns true if a text in a summary is a statement.
fn is_statement(text: &str) -> bool {
    let is_short = text.chars().nth(KEY_POINT_CHARS).is_none();
    is_short && text.chars().any(char::is_alphabetic)
}

fn is_sentence(text: &str) -> bool {
    // A text without markup may be one sentence of megabytes, so words are counted only up to
    // the first that is too many.
    let words = text.unicode_words().take(SENTENCE_WORDS.end() + 1).count();
    SENTENCE_WORDS.contains(&words)
        && text.chars().count() <= KEY_POINT_CHARS
        && text.ends_with(['.', '!', '?', '。', '！', '？', ')', '"', '”'])
}

impl Sentence {
    /// Returns the weight of the sentence: the mean weight of its words in the document. A word
    /// that occurs twice has some weight already, and one that occurs everywhere not much more.
    fn weight(&self, statistics: &Statistics) -> f64 {
        let query = Bm25Query::new(&self.text);
        let mut sum = 0.0;
        for term in query.terms() {
            let occurrences = f64::from(statistics.count(term.key)) / f64::from(weight::BODY);
            // One occurrence is in the sentence itself.
            let repetitions = (occurrences - 1.0).max(0.0);
            let share = occurrences / f64::from(statistics.length.max(1));
            let rarity = 1.0 - (share * COMMON_WORD_EVERY).min(1.0);
            sum += repetitions / (repetitions + HALF_WEIGHT_REPETITIONS) * rarity;
        }
        let terms = saturating_u32(query.terms().len()).max(LEAST_TERMS);
        let mean = sum / f64::from(terms);
        match self.place {
            SentencePlace::First => mean * FIRST_SENTENCE_FACTOR,
            SentencePlace::Later => mean,
        }
    }
}

fn fold_text(heading: &str) -> String {
    heading
        .trim()
        .trim_end_matches(':')
        .chars()
        .map(fold)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use docent_document::sections::sections;

    fn key_points(text: &str) -> Vec<String> {
        let sections = sections("x.md", text);
        let contents = DocumentContents::from_markdown(text, 0);
        contents.key_points(&sections, &Statistics::new("x.md", text))
    }

    #[test]
    fn its_own_summary_goes_first() {
        let text = "# Title\n\nThis is some other sentence here.\n\n## Summary\n\nThe *first*\npoint is made here. The second `point` is made there.\n\n## More\n\nNothing of this is ever shown.\n";
        assert_eq!(
            key_points(text),
            [
                "The first point is made here.",
                "The second point is made there."
            ]
        );
    }

    #[test]
    fn sentences_about_what_the_document_is_about() {
        let mut text = String::from("# Cache\n\n");
        for i in 0..30 {
            text.push_str(&format!(
                "Unrelated remark number {i} stands alone here.\n\n"
            ));
        }
        text.push_str("The cache keeps stamps of files and compares the stamps.\n\n");
        text.push_str("```\nThe cache keeps stamps of files in code.\n```\n\n- A cache with stamps is never stale.\n");
        let points = key_points(&text);
        assert_eq!(points.len(), KEY_POINTS);
        assert!(
            points.contains(&"The cache keeps stamps of files and compares the stamps.".to_owned())
        );
        assert!(points.iter().all(|point| !point.contains("in code")));
        let places: Vec<usize> = points.iter().filter_map(|point| text.find(point)).collect();
        assert!(places.len() == points.len() && places.is_sorted());
    }

    #[test]
    fn a_summary_in_few_words() {
        let more = "\n## More\n\nThis is some other sentence here.\n";
        for (summary, expected) in [
            (
                "## TL;DR\n\n- use the server\n- [ ] set the *token*\n- use the server\n",
                &["use the server", "set the token"][..],
            ),
            ("## 1. 요약\n\n짧다. 빠르다.\n", &["짧다.", "빠르다."]),
            ("## 2) Summary:\n\nUse it.\n", &["Use it."]),
            (
                "## Summary\n\n---\n",
                &["This is some other sentence here."],
            ),
        ] {
            assert_eq!(key_points(&format!("# T\n\n{summary}{more}")), expected);
        }
    }

    #[test]
    fn sentences_end_outside_of_code_links_and_quotes() {
        let text = "# T\n\n## Summary\n\nThe `a?` suffix\nand `b! C` name [Why? How!](x.md) it \
                    says. He asked \"Really? Now!\" of v2.1, e.g. Here. `c. D` ends!\n\n\
                    - [ ] 설정은 `값!`이다. 끝낸다.\n";
        assert_eq!(
            key_points(text),
            [
                "The a? suffix and b! C name Why? How! it says.",
                "He asked \"Really? Now!\" of v2.1, e.g. Here.",
                "c. D ends!",
                "설정은 값!이다.",
                "끝낸다."
            ]
        );
        let text = "Summary\n-------\n\nThe ``a? B`` suffix. It ends.\n";
        let sections = sections("x.rst", text);
        let points = DocumentContents::from_text(text, &sections)
            .key_points(&sections, &Statistics::new("x.rst", text));
        assert_eq!(points, ["The ``a? B`` suffix.", "It ends."]);
    }

    #[test]
    fn a_sentence_that_repeats_is_quoted_once() {
        let text = "The cache keeps stamps of files.\n\nThe cache keeps stamps of files.\n";
        assert_eq!(key_points(text), ["The cache keeps stamps of files."]);
    }

    #[test]
    fn headings_of_other_markup_are_no_points() {
        let text =
            "=====\nTitle\n=====\n\nSummary\n-------\n\nUse it.\n\n- now\n- then,\n  later\n";
        let sections = sections("x.rst", text);
        let points = DocumentContents::from_text(text, &sections)
            .key_points(&sections, &Statistics::new("x.rst", text));
        assert_eq!(points, ["Use it.", "now", "then, later"]);
    }

    #[test]
    fn contents_are_counted() {
        let text = "A [link](a.md) and ![image](b.png).\n\n```\n[no](c.md)\n```\n\n    indented\n";
        let contents = DocumentContents::from_markdown(text, 0);
        assert_eq!((contents.code_blocks, contents.links), (2, 1));
        assert_eq!(contents.destinations, ["a.md"]);
    }
}
