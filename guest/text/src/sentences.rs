//! Sentence segmentation of paragraphs. Spans are known before sentences are cut: signs within
//! code, the text of a link, quotes or brackets do not end a sentence outside. In `Run (e.g. twice)
//! it. Then stop.` the first sentence ends after `it.`.

use std::ops::Range;

use crate::limits::QUOTED_BYTES;

/// A span of a paragraph in which punctuation is quoted and does not end a sentence outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Byte range in the paragraph.
    pub range: Range<usize>,
    /// Kind of the span.
    pub kind: SpanKind,
}

/// The kind of a [`Span`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanKind {
    /// Code: nothing in it ends a sentence.
    Code,
    /// Quoted words: a full stop at the end may end the sentence, as in `he said "no."`.
    Words,
    /// Words in brackets, which may be a sentence of their own.
    Aside,
}

/// Brackets and quotes whose opening and closing signs differ.
const PAIRS: [(char, char, SpanKind); 13] = [
    ('(', ')', SpanKind::Aside),
    ('[', ']', SpanKind::Aside),
    ('{', '}', SpanKind::Aside),
    ('（', '）', SpanKind::Aside),
    ('【', '】', SpanKind::Aside),
    ('“', '”', SpanKind::Words),
    ('„', '“', SpanKind::Words),
    ('«', '»', SpanKind::Words),
    ('「', '」', SpanKind::Words),
    ('『', '』', SpanKind::Words),
    ('《', '》', SpanKind::Words),
    ('〈', '〉', SpanKind::Words),
    ('‘', '’', SpanKind::Words),
];

/// Abbreviations with a full stop that are followed by other words.
const LEADING: [&str; 36] = [
    "e.g", "eg", "i.e", "ie", "cf", "vs", "dr", "mr", "mrs", "ms", "prof", "st", "no", "nos",
    "fig", "figs", "eq", "eqs", "sec", "ch", "chap", "vol", "pp", "ed", "eds", "approx", "ca",
    "resp", "incl", "esp", "viz", "z.b", "d.h", "bzw", "p.ej", "ver",
];

/// Abbreviations with a full stop that may end a sentence.
const TRAILING: [&str; 10] = [
    "etc", "al", "inc", "ltd", "corp", "co", "jr", "sr", "usw", "dept",
];

/// Signs that end a sentence regardless of the next character.
const WIDE_STOPS: [char; 6] = ['。', '｡', '！', '？', '．', '︒'];

/// Splits a paragraph on one line into sentences, in order, without the blanks between them.
/// `spans` are those of the markup, in order and disjoint; quotes, brackets and code in backticks
/// are found in addition.
#[must_use]
pub fn sentences<'t>(text: &'t str, spans: &[Span]) -> Vec<&'t str> {
    let spans = all_spans(text, spans);
    let mut found = Vec::new();
    let mut start = 0;
    while let Some(end) = end_from(text, start, &spans) {
        found.push(text[start..end].trim());
        start = end;
    }
    found.push(text[start..].trim());
    found.retain(|sentence| !sentence.is_empty());
    found
}

/// Returns the end of the first sentence with at least `least` bytes, in a text on one line, or
/// `None` if it does not end before the text.
#[must_use]
pub fn first_sentence_end(text: &str, least: usize) -> Option<usize> {
    let spans = all_spans(text, &[]);
    let mut start = 0;
    loop {
        start = end_from(text, start, &spans)?;
        if start >= least {
            return Some(start);
        }
    }
}

/// Returns the end of the sentence that begins at `start`, or `None` if the text ends first.
fn end_from(text: &str, start: usize, spans: &[Span]) -> Option<usize> {
    let mut next_span = spans.partition_point(|span| span.range.end <= start);
    let mut chars = text[start..].char_indices().peekable();
    while let Some((offset, c)) = chars.next() {
        let at = start + offset;
        if let Some(span) = spans.get(next_span).filter(|span| span.range.start <= at) {
            let end = span.range.end;
            next_span += 1;
            while chars.next_if(|(offset, _)| start + offset < end).is_some() {}
            if ends_sentence(text, start, span) {
                return Some(end);
            }
            continue;
        }
        if WIDE_STOPS.contains(&c) {
            let end = skip_closers(text, at + c.len_utf8());
            return Some(end);
        }
        if !is_stop(c) {
            continue;
        }
        // A run of signs is one sentence end, such as `?!` or `...`. Cut at each sign, the second
        // would be a sentence of its own.
        let mut end = at + c.len_utf8();
        while let Some((_, sign)) = chars.next_if(|(_, c)| is_stop(*c)) {
            end += sign.len_utf8();
        }
        let behind = skip_closers(text, end);
        let next = text.len() - text[behind..].trim_start().len();
        let begins_code = spans
            .get(next_span)
            .is_some_and(|span| span.kind == SpanKind::Code && span.range.start == next);
        let stop = SentenceEnd {
            start: at - start,
            end: end - start,
            resume: behind - start,
        };
        if is_end(&text[start..], &stop, begins_code) {
            return Some(behind);
        }
    }
    None
}

fn is_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…')
}

/// Returns the position after the quotes, brackets and marks that close at `at`.
fn skip_closers(text: &str, at: usize) -> usize {
    let is_closer = |c: char| {
        matches!(
            c,
            ')' | ']' | '"' | '\'' | '”' | '’' | '»' | '」' | '』' | '*' | '_'
        )
    };
    text.len() - text[at..].trim_start_matches(is_closer).len()
}

/// The signs at the possible end of a sentence, as byte offsets.
struct SentenceEnd {
    start: usize,
    end: usize,
    /// Start of the text after the signs and closing quotes and brackets.
    resume: usize,
}

/// Returns true if `stop` ends the first sentence of the text, which continues with code or not.
fn is_end(text: &str, stop: &SentenceEnd, begins_code: bool) -> bool {
    let after = &text[stop.resume..];
    let rest = after.trim_start();
    if rest.is_empty() {
        return true;
    }
    // A sign without a blank after it is part of a word, as in `3.5`, `a.md`, `v1.2` or `?.`.
    if rest.len() == after.len() {
        return false;
    }
    let next = first_letter(rest);
    // A sentence does not begin with a lower-case letter: in `Yahoo! is` and `.NET. it` the sign
    // belongs to a name. Only code may begin one in any case, such as the name of a function.
    if next.is_some_and(char::is_lowercase) && !begins_code {
        return false;
    }
    let before = &text[..stop.start];
    let signs = &text[stop.start..stop.end];
    let is_apart = before.is_empty() || before.ends_with(char::is_whitespace);
    // A sign between blanks is quoted, as in `the ? operator` or `. is the directory`. Only French
    // puts a blank before `!` and `?`, so that these end a sentence if a capital follows.
    if is_apart && !(signs.contains(['!', '?']) && next.is_some_and(char::is_uppercase)) {
        return false;
    }
    signs.len() > 1 || !signs.starts_with('.') || !is_abbreviated(before, next)
}

/// Returns the first letter or digit of a text after its leading signs.
fn first_letter(text: &str) -> Option<char> {
    text.chars().find(|c| c.is_alphanumeric() || *c == '`')
}

/// Returns true if the full stop after `before` belongs to its last word; `next` is the character
/// that follows.
fn is_abbreviated(before: &str, next: Option<char>) -> bool {
    let mut words = before.rsplit(char::is_whitespace);
    let word = words.next().unwrap_or_default();
    let word = word.trim_start_matches(|c: char| !c.is_alphanumeric());
    let starts_upper = next.is_some_and(char::is_uppercase);
    if word.bytes().all(|byte| byte.is_ascii_digit()) && !word.is_empty() {
        // A full stop after digits belongs to a date, as in `2024. 1. 5. 발표`, or to the number of a
        // list item, as in `1. First`. It ends a sentence such as `There were 3. Then` only.
        let is_date = words.next().is_some_and(|word| {
            word.strip_suffix('.')
                .is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
        });
        let is_number = before.trim_start().len() == word.len();
        return is_date || is_number || next.is_some_and(char::is_numeric);
    }
    // A single capital is an initial, as in `J. Smith`. The exception is `I`, which ends a sentence
    // like any word: `So did I. Then` has two.
    let mut letters = word.chars();
    if let (Some(letter), None) = (letters.next(), letters.next()) {
        return letter.is_uppercase() && letter.is_ascii() && letter != 'I' && starts_upper;
    }
    if word.len() > 8 {
        return false;
    }
    let lower = word.to_lowercase();
    if lower == "no" || lower == "st" {
        // `No. 5` contains an abbreviation, and `He said no.` ends with a word.
        return word.starts_with(char::is_uppercase) && (lower == "st" || !starts_upper);
    }
    LEADING.contains(&lower.as_str()) || (TRAILING.contains(&lower.as_str()) && !starts_upper)
}

/// Returns true if a span ends the sentence that begins at `start`: by the full stop of a
/// quotation, or as a parenthesis that is a sentence of its own.
fn ends_sentence(text: &str, start: usize, span: &Span) -> bool {
    if span.kind == SpanKind::Code {
        return false;
    }
    let inside = text[span.range.clone()].trim_end_matches(|c: char| {
        !is_stop(c) && !c.is_alphanumeric() && !WIDE_STOPS.contains(&c)
    });
    let after = &text[span.range.end..];
    let rest = after.trim_start();
    let next = first_letter(rest);
    let is_apart = rest.is_empty() || rest.len() < after.len();
    let is_own = text[start..span.range.start].trim().is_empty();
    if inside.ends_with(WIDE_STOPS) {
        return is_own && span.kind == SpanKind::Aside;
    }
    let continues = next.is_some_and(char::is_lowercase);
    match span.kind {
        SpanKind::Aside => is_own && is_apart && !continues && inside.ends_with(is_stop),
        _ => {
            let is_named = inside
                .trim_start_matches(|c: char| !c.is_alphanumeric())
                .len()
                <= 1;
            let begins = next.is_some_and(char::is_uppercase) || rest.is_empty();
            inside.ends_with('.') && !is_named && is_apart && begins
        }
    }
}

/// Returns the given spans together with quotes, brackets and code in backticks, in order and
/// disjoint.
fn all_spans(text: &str, given: &[Span]) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let mut open: Vec<(usize, char, SpanKind)> = Vec::new();
    let mut given = given.iter().peekable();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if let Some(span) = given.next_if(|span| span.range.start <= at) {
            if span.range.end > at {
                spans.push(span.clone());
                at = span.range.end;
            }
            continue;
        }
        if c == '`' {
            let run = text[at..].len() - text[at..].trim_start_matches('`').len();
            let marks = &text[at..at + run];
            let window = window(text, at + run, given.peek());
            let end = window.find(marks).map(|end| at + run + end + run);
            match end {
                Some(end) => {
                    spans.push(Span {
                        range: at..end,
                        kind: SpanKind::Code,
                    });
                    at = end;
                }
                None => at += run,
            }
            continue;
        }
        let behind = at + c.len_utf8();
        while open
            .first()
            .is_some_and(|(start, ..)| at - start > QUOTED_BYTES)
        {
            open.remove(0);
        }
        if let Some(place) = open.iter().rposition(|(_, close, _)| *close == c)
            && (c != '"' || !text[behind..].starts_with(char::is_alphanumeric))
            && (c != '’' || !text[behind..].starts_with(char::is_alphanumeric))
        {
            let (start, _, kind) = open[place];
            open.truncate(place);
            // Spans within the new one are part of it, and are removed: the list is disjoint, and a
            // sentence end within the inner quotation does not end the outer text either.
            while spans.last().is_some_and(|span| span.range.start >= start) {
                spans.pop();
            }
            spans.push(Span {
                range: start..behind,
                kind,
            });
        } else if c == '"' {
            let before = text[..at].chars().next_back();
            if before.is_none_or(|c| {
                c.is_whitespace()
                    || matches!(c, '(' | '[' | '{' | '=' | ':' | '-' | '—' | '*' | '_')
            }) {
                open.push((at, '"', SpanKind::Words));
            }
        } else if let Some((_, close, kind)) = PAIRS.iter().find(|(first, ..)| *first == c) {
            open.push((at, *close, *kind));
        }
        at = behind;
    }
    spans
}

/// Returns the text in which a span opened at `at` must close: at most [`QUOTED_BYTES`], and not
/// beyond the next given span.
fn window<'t>(text: &'t str, at: usize, next: Option<&&Span>) -> &'t str {
    let end = next.map_or(text.len(), |span| span.range.start.max(at));
    let end = end.min(at.saturating_add(QUOTED_BYTES));
    &text[at..text.floor_char_boundary(end)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_outside_of_spans() {
        for (text, expected) in [
            (
                "One is here. Two is! Three?",
                &["One is here.", "Two is!", "Three?"][..],
            ),
            (
                "The `?` and `a. B` are code. So is ``x ! Y``. End.",
                &["The `?` and `a. B` are code.", "So is ``x ! Y``.", "End."],
            ),
            (
                "The ? operator and the ! macro. Next.",
                &["The ? operator and the ! macro.", "Next."],
            ),
            (
                "He asked \"Why? When?\" and left. Then \"no.\" Yes.",
                &["He asked \"Why? When?\" and left.", "Then \"no.\"", "Yes."],
            ),
            (
                "Yahoo! is here. See “Stop! Now!” Later.",
                &["Yahoo! is here.", "See “Stop! Now!” Later."],
            ),
            (
                "It works (see A. B. C!) today. (More there.) End.",
                &["It works (see A. B. C!) today.", "(More there.)", "End."],
            ),
            (
                "Uses v1.2. Reads a.md, e.g. This. See Fig. 3 and No. 5. Mr. Kim vs. J. Smith et al. came.",
                &[
                    "Uses v1.2.",
                    "Reads a.md, e.g. This.",
                    "See Fig. 3 and No. 5.",
                    "Mr. Kim vs. J. Smith et al. came.",
                ],
            ),
            (
                "Tea, etc. Then more. He said no. We left.",
                &["Tea, etc.", "Then more.", "He said no.", "We left."],
            ),
            (
                "Since 3.5 in 2024. 1. 5. 발표했다. 2판은 2025. 2. 1. 나왔다.",
                &[
                    "Since 3.5 in 2024. 1. 5. 발표했다.",
                    "2판은 2025. 2. 1. 나왔다.",
                ],
            ),
            (
                "1. First one. 2. Second one.",
                &["1. First one.", "2. Second one."],
            ),
            (
                "설정을 바꾼다. 끝난다! 왜요? 네.",
                &["설정을 바꾼다.", "끝난다!", "왜요?", "네."],
            ),
            (
                "그는 \"왜요? 안 돼요!\" 하고 물었다. 끝.",
                &["그는 \"왜요? 안 돼요!\" 하고 물었다.", "끝."],
            ),
            (
                "これは本。「はい。いいえ！」と言う？終わり",
                &["これは本。", "「はい。いいえ！」と言う？", "終わり"],
            ),
            (
                "Wait... then go... Now stop?! Yes.",
                &["Wait... then go...", "Now stop?!", "Yes."],
            ),
            ("Where is it ? There.", &["Where is it ?", "There."]),
            ("", &[]),
            (
                "An open ( and a \" sign. Next.",
                &["An open ( and a \" sign.", "Next."],
            ),
        ] {
            assert_eq!(sentences(text, &[]), expected, "{text}");
        }
    }

    #[test]
    fn spans_of_the_markup_are_kept_whole() {
        let text = "See Who? What! for more. And x? y. End";
        let span = |part: &str, kind| {
            let start = text.find(part).unwrap_or_default();
            Span {
                range: start..start + part.len(),
                kind,
            }
        };
        let spans = [
            span("Who? What!", SpanKind::Words),
            span("x? y. E", SpanKind::Code),
        ];
        assert_eq!(
            sentences(text, &spans),
            ["See Who? What! for more.", "And x? y. End"]
        );
    }

    #[test]
    fn a_sentence_begins_with_code() {
        let text = "Of \"Really? Now!\" and v2.1, e.g. Here. c. D ends! 끝낸다.";
        let start = text.find("c. D").unwrap_or_default();
        let spans = [Span {
            range: start..start + 4,
            kind: SpanKind::Code,
        }];
        let expected = [
            "Of \"Really? Now!\" and v2.1, e.g. Here.",
            "c. D ends!",
            "끝낸다.",
        ];
        assert_eq!(sentences(text, &spans), expected);
    }

    #[test]
    fn the_first_sentence_has_some_length() {
        assert_eq!(first_sentence_end("Note. It works. More.", 8), Some(15));
        assert_eq!(first_sentence_end("Reads e.g. files", 3), None);
    }

    #[test]
    fn signs_without_an_end_cost_a_window_each() {
        for sign in ["(", "\"x ", "`", "“", "``` ", "a. ", "(`\"“ "] {
            let text = sign.repeat(20_000);
            let found = sentences(&text, &[]);
            let whole: usize = found.iter().map(|sentence| sentence.len()).sum();
            assert!(whole <= text.len());
        }
    }
}
