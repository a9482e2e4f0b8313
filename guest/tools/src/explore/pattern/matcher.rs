//! The matcher: the lines of a text that a regular expression matches.
//!
//! If every match contains a literal, that is searched for, and each line that contains it is
//! matched alone. Any other expression is searched for in many lines at once, and each line in
//! which a match begins is then matched alone: the end of a line is not part of it, and a match
//! that needs one does not count. No line is missed: a line that matches alone also matches within
//! the text, and the leftmost of all matches is found first.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use docent_api::types::Error;
use docent_text::bytes::{all, skip_passing};
use docent_text::time_budget::TimeBudget;
use docent_tree::error::invalid;
use regex::{Regex, RegexBuilder};
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};

use super::limits::{CHARS, CHUNK_BYTES, DFA_BYTES, NFA_BYTES};
use super::literal::RequiredLiteral;

/// A compiled regular expression for the search of many texts.
pub struct Matcher {
    regex: Regex,
    /// Literal that every match contains.
    literal: Option<RequiredLiteral>,
    /// True if a match may span lines.
    is_multiline: bool,
}

/// Options for the interpretation of a pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Syntax {
    /// It is plain text.
    pub literal: bool,
    /// Case is ignored; `None` to decide by the pattern.
    pub ignore_case: Option<bool>,
    /// Matches may span lines.
    pub multiline: bool,
}

/// A line with a match in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchedLine {
    /// Byte range of the line in the text, without its end.
    pub line: Range<usize>,
    /// The first match in it, as far as it is within this line.
    pub hit: Range<usize>,
}

impl Matcher {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// `invalid-request` if it is not a regular expression, is empty, or is too large.
    pub fn new(pattern: &str, syntax: Syntax) -> Result<Self, Error> {
        let length = pattern.chars().count();
        if !(1..=CHARS).contains(&length) {
            return Err(invalid(
                format!("`pattern` has {length} characters; expected 1 to {CHARS}"),
                "Give the part that is rarest, or several calls.",
            ));
        }
        // Texts are composed (NFC) before they are searched, so the pattern is too: typed on
        // macOS, `é` may be two code points, and as a pattern would never match the one of a
        // composed text.
        let composed: String = pattern.nfc().collect();
        let ignores_case = syntax
            .ignore_case
            .unwrap_or_else(|| !has_capital(&composed, syntax.literal));
        let source = if syntax.literal {
            regex::escape(&composed)
        } else {
            composed
        };
        // Both limits bound the memory of one pattern. `\p{L}{500}` compiles to megabytes of
        // states, and a lazy automaton can grow during the search; the instance that runs it
        // has its texts in the same memory. A pattern that is too large is refused when it is
        // compiled.
        let regex = RegexBuilder::new(&source)
            .case_insensitive(ignores_case)
            .multi_line(true)
            .crlf(true)
            .size_limit(NFA_BYTES)
            .dfa_size_limit(DFA_BYTES)
            .build()
            .map_err(|error| refusal(&error))?;
        Ok(Self {
            regex,
            literal: RequiredLiteral::extract(&source, ignores_case),
            is_multiline: syntax.multiline,
        })
    }

    /// Returns true if a text, which is ASCII, certainly contains no match. Cheaper than decoding
    /// it first.
    pub fn is_absent_from_ascii(&self, text: &[u8]) -> bool {
        let literal = self.literal.as_ref();
        literal.is_some_and(|literal| literal.find(text, 0).is_none())
    }

    /// Returns true if a match may span lines.
    pub fn is_multiline(&self) -> bool {
        self.is_multiline
    }

    /// Calls `take` for each matching line of a text, in order, until it breaks; returns `None` if
    /// the time ran out before the end.
    pub fn lines(
        &self,
        text: &str,
        time_budget: &mut TimeBudget<'_>,
        mut take: impl FnMut(MatchedLine) -> ControlFlow<()>,
    ) -> Option<()> {
        if self.is_multiline {
            return self.lines_of_spans(text, time_budget, take);
        }
        let literal = self.literal.as_ref();
        let literal = literal.filter(|literal| !literal.may_be_folded_in(text));
        let mut from = 0;
        while from < text.len() {
            let end = chunk_end(text, from);
            let ended = match literal {
                Some(literal) => self.lines_with(literal, text, from..end, &mut take),
                None => self.lines_between(text, from..end, &mut take),
            };
            if ended.is_break() {
                return Some(());
            }
            if time_budget.is_over_after(end - from) {
                return None;
            }
            from = end;
        }
        Some(())
    }

    fn lines_between(
        &self,
        text: &str,
        chunk: Range<usize>,
        take: &mut impl FnMut(MatchedLine) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let part = &text[chunk.clone()];
        let mut at = 0;
        while at < part.len() {
            let Some(found) = self.regex.find_at(part, at) else {
                break;
            };
            // After the last line end no line follows, though `find_at` reports an empty match
            // there, as for `^`, `$` or `x*`. It would be a line that no editor shows.
            if found.start() == part.len() && part.ends_with(['\n', '\r']) {
                break;
            }
            let line = line_round(part, found.start());
            let hit = if found.end() <= line.end {
                Some(found.range())
            } else {
                // A match may begin in this line and end in a later one, as `a\s+b` does. The
                // line then counts only if it matches without its end and what follows. The
                // whole-text search has found the leftmost match; the line alone may contain a
                // shorter one.
                let alone = self.regex.find(&part[line.clone()]);
                alone.map(|hit| line.start + hit.start()..line.start + hit.end())
            };
            if let Some(hit) = hit {
                let base = chunk.start;
                take(MatchedLine {
                    line: base + line.start..base + line.end,
                    hit: base + hit.start..base + hit.end,
                })?;
            }
            at = behind_end(part, line.end);
        }
        ControlFlow::Continue(())
    }

    /// Does the same for a pattern whose matches all contain a literal: each line that contains it
    /// is matched alone.
    fn lines_with(
        &self,
        literal: &RequiredLiteral,
        text: &str,
        chunk: Range<usize>,
        take: &mut impl FnMut(MatchedLine) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let base = chunk.start;
        let part = &text[chunk];
        let mut at = 0;
        while let Some(place) = literal.find(part.as_bytes(), at) {
            let line = line_round(part, place.start);
            let hit = if literal.is_whole {
                Some(place)
            } else {
                let alone = self.regex.find(&part[line.clone()]);
                alone.map(|hit| line.start + hit.start()..line.start + hit.end())
            };
            if let Some(hit) = hit {
                take(MatchedLine {
                    line: base + line.start..base + line.end,
                    hit: base + hit.start..base + hit.end,
                })?;
            }
            at = behind_end(part, line.end);
        }
        ControlFlow::Continue(())
    }

    /// Does the same if a match may span lines: each line that it touches matches.
    fn lines_of_spans(
        &self,
        text: &str,
        time_budget: &mut TimeBudget<'_>,
        mut take: impl FnMut(MatchedLine) -> ControlFlow<()>,
    ) -> Option<()> {
        let mut at = 0;
        // Lines that begin before this offset were taken. Two matches may share a line, the
        // second beginning where the first ends; the line is reported once.
        let mut behind = 0;
        while at <= text.len() {
            let Some(found) = self.regex.find_at(text, at) else {
                break;
            };
            if time_budget.is_over_after(found.end() - at) {
                return None;
            }
            let mut start = found.start();
            loop {
                let line = line_round(text, start);
                let next = behind_end(text, line.end);
                let is_line = line.start < text.len() || text.is_empty();
                if is_line && line.start >= behind {
                    let hit = found.start().clamp(line.start, line.end);
                    let hit = hit..found.end().clamp(hit, line.end);
                    behind = next.max(line.start + 1);
                    if take(MatchedLine { line, hit }).is_break() {
                        return Some(());
                    }
                }
                if next >= found.end() || next <= start {
                    break;
                }
                start = next;
            }
            // After an empty match the search advances by a whole character. Continuing at the
            // same offset would find the same match forever, and one byte further may be inside
            // a character, where the regex may not start.
            let step = text[found.end()..].chars().next().map_or(1, char::len_utf8);
            at = found.end() + if found.is_empty() { step } else { 0 };
        }
        Some(())
    }

    /// Calls `take` for the value of each match in a text: its first group, or the whole match if
    /// it has no groups; returns `None` if the time ran out before the end.
    pub fn values<'t>(
        &self,
        text: &'t str,
        time_budget: &mut TimeBudget<'_>,
        mut take: impl FnMut(&'t str),
    ) -> Option<()> {
        if self.is_multiline {
            self.values_in(text, |value| take(&text[value]));
            return (!time_budget.is_over_after(text.len())).then_some(());
        }
        let mut lines = Vec::new();
        self.lines(text, time_budget, |found| {
            lines.push(found.line);
            ControlFlow::Continue(())
        })?;
        for line in lines {
            let line = &text[line];
            self.values_in(line, |value| take(&line[value]));
        }
        Some(())
    }

    /// Returns the values of each of these lines of a text, clipped to the line; `None` if the time
    /// was over before the end.
    pub fn values_of_lines<'t>(
        &self,
        text: &'t str,
        lines: &[MatchedLine],
        time_budget: &mut TimeBudget<'_>,
    ) -> Option<Vec<Vec<&'t str>>> {
        if !self.is_multiline {
            let values_of = |matched: &MatchedLine| {
                let line = &text[matched.line.clone()];
                let mut values = Vec::new();
                self.values_in(line, |value| values.push(&line[value]));
                values
            };
            return Some(lines.iter().map(values_of).collect());
        }
        let mut values = Vec::new();
        self.values_in(text, |value| values.push(value));
        if time_budget.is_over_after(text.len()) {
            return None;
        }
        let values_of = |matched: &MatchedLine| {
            let line = &matched.line;
            let first = values.partition_point(|value| value.end <= line.start);
            let within = values[first..]
                .iter()
                .take_while(|value| value.start < line.end);
            let parts = within.map(|value| value.start.max(line.start)..value.end.min(line.end));
            parts.map(|part| &text[part]).collect()
        };
        Some(lines.iter().map(values_of).collect())
    }

    fn values_in(&self, text: &str, mut take: impl FnMut(Range<usize>)) {
        if self.regex.captures_len() == 1 {
            for found in self.regex.find_iter(text) {
                if !found.is_empty() {
                    take(found.range());
                }
            }
            return;
        }
        for captures in self.regex.captures_iter(text) {
            let group = captures.get(1).or_else(|| captures.get(0));
            if let Some(group) = group.filter(|group| !group.is_empty()) {
                take(group.range());
            }
        }
    }
}

/// Returns a text in the normal form of patterns, with the same lines.
pub fn compose(text: &str) -> Cow<'_, str> {
    // Most documents have no byte 0xE2, and so need one pass instead of two. The bytes before the
    // first have no symbol that is replaced, nor the beginning of one.
    let bytes = skip_passing(text.as_bytes(), |byte| {
        never_composes(byte) & (byte != 0xE2)
    });
    let is_composed = (all(bytes, never_composes) && !has_replaced_symbol(bytes))
        || is_nfc_quick(text.chars()) == IsNormalized::Yes;
    if is_composed {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.nfc().collect())
    }
}

/// Returns false for the first bytes of characters that may combine with the previous one, or
/// change when composed: all except those of Latin and Korean letters, punctuation and Chinese.
fn never_composes(byte: u8) -> bool {
    // One expression without branches or a table, so that the compiler vectorizes the loop over
    // all bytes. In UTF-8, bytes below 0xCC are ASCII, continuation bytes and first bytes of
    // Latin letters; 0xE2 begins punctuation, 0xE4 to 0xED Chinese and Korean. Any other byte,
    // such as 0xCC of the combining accents, sends the text to the exact check.
    (byte < 0xCC) | (byte == 0xE2) | (byte.wrapping_sub(0xE4) <= 0xED - 0xE4)
}

/// Returns true if the text contains one of the symbols that composing replaces although their
/// first byte is that of punctuation: U+2000 and U+2001, the signs of ohm, kelvin and angstrom,
/// U+2329, U+232A and U+2ADC.
fn has_replaced_symbol(bytes: &[u8]) -> bool {
    // A keyboard types `Å` as U+00C5, and some documents have U+212B, which looks the same. Taken
    // for composed, such a text would not match, and the answer would say that nothing does.
    memchr::memchr_iter(0xE2, bytes).any(|start| {
        matches!(
            bytes.get(start + 1..start + 3),
            Some(
                [0x80, 0x80 | 0x81]
                    | [0x84, 0xA6 | 0xAA | 0xAB]
                    | [0x8C, 0xA9 | 0xAA]
                    | [0xAB, 0x9C]
            )
        )
    })
}

/// Returns true if a pattern contains a literal capital letter: `\W` does not.
fn has_capital(pattern: &str, is_literal: bool) -> bool {
    if is_literal {
        return pattern.chars().any(char::is_uppercase);
    }
    let mut rest = pattern.chars().peekable();
    while let Some(char) = rest.next() {
        if char != '\\' {
            if char.is_uppercase() {
                return true;
            }
            continue;
        }
        // A class may have a name, as in `\p{Lu}` or `\x{4F}`. Its capitals are syntax and not
        // text: without skipping them, `\p{Greek}` would be searched for with regard to case.
        if matches!(rest.next(), Some('p' | 'P' | 'x' | 'u' | 'U')) && rest.peek() == Some(&'{') {
            for char in rest.by_ref() {
                if char == '}' {
                    break;
                }
            }
        }
    }
    false
}

/// Returns the line that contains the byte at `at`, without its end.
fn line_round(text: &str, at: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    // Both bytes of a CRLF are one line end. A match of `\n` begins between them; its line is
    // the one before both, not an empty line between them.
    let is_split = at > 0 && bytes[at - 1] == b'\r' && bytes.get(at) == Some(&b'\n');
    let at = if is_split { at - 1 } else { at };
    let start = memchr::memrchr2(b'\n', b'\r', &bytes[..at]).map_or(0, |end| end + 1);
    let end = memchr::memchr2(b'\n', b'\r', &bytes[at..]).map_or(bytes.len(), |end| at + end);
    start..end
}

/// Returns the start of the line after the one that ends at `end`.
fn behind_end(text: &str, end: usize) -> usize {
    match text.as_bytes().get(end..) {
        Some([b'\r', b'\n', ..]) => end + 2,
        Some([_, ..]) => end + 1,
        Some([]) | None => end,
    }
}

/// Returns the end of a chunk of a text that is searched at once; it is the end of a line.
fn chunk_end(text: &str, from: usize) -> usize {
    let least = from + CHUNK_BYTES;
    if least >= text.len() {
        return text.len();
    }
    memchr::memchr(b'\n', &text.as_bytes()[least..]).map_or(text.len(), |end| least + end + 1)
}

fn refusal(error: &regex::Error) -> Error {
    match error {
        regex::Error::CompiledTooBig(_) => invalid(
            "`pattern` becomes too large; expected a smaller one",
            "Lower its repetitions, or split it.",
        ),
        error => {
            // The last line of the message is the error, the lines before it draw its position.
            let told = error.to_string();
            let why = told.lines().last().unwrap_or_default();
            let why = why.strip_prefix("error: ").unwrap_or(why);
            invalid(
                format!("`pattern` cannot be read: {why}; expected a regular expression"),
                "Set literal to true to look for it as plain text, or put `\\` before \
                 signs such as `(`, `[` and `*`.",
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn find_matches<'t>(pattern: &str, syntax: Syntax, text: &'t str) -> Vec<&'t str> {
        let matcher = Matcher::new(pattern, syntax).unwrap();
        let mut lines = Vec::new();
        let ended = matcher.lines(text, &mut TimeBudget::unlimited(), |found| {
            assert!(found.line.start <= found.hit.start && found.hit.end <= found.line.end);
            lines.push(&text[found.line]);
            ControlFlow::Continue(())
        });
        assert_eq!(ended, Some(()));
        lines
    }

    fn matching<'t>(pattern: &str, text: &'t str) -> Vec<&'t str> {
        find_matches(pattern, Syntax::default(), text)
    }

    #[test]
    fn lines_that_match() {
        let text = "one\r\ntwo words\r\n\r\nthree";
        assert_eq!(matching("o", text), ["one", "two words"]);
        assert_eq!(matching("e$", text), ["one", "three"]);
        assert_eq!(matching("^t", text), ["two words", "three"]);
        assert_eq!(matching("^$", text), [""]);
        assert_eq!(matching(r"\s", text), ["two words"]);
        assert_eq!(matching("[^x]+", text), ["one", "two words", "three"]);
    }

    #[test]
    fn case_goes_by_capitals() {
        let text = "Error\nerror\nERROR";
        assert_eq!(matching("error", text).len(), 3);
        assert_eq!(matching("Error", text), ["Error"]);
        assert_eq!(matching(r"\w+rror\W*", text).len(), 3);
        assert_eq!(matching(r"\p{Hangul}|rror", text).len(), 3);
        let exact = Syntax {
            ignore_case: Some(false),
            ..Syntax::default()
        };
        assert_eq!(find_matches("error", exact, text), ["error"]);
    }

    #[test]
    fn literal_text_has_no_signs() {
        let literal = Syntax {
            literal: true,
            ..Syntax::default()
        };
        assert_eq!(find_matches("a.b(", literal, "a.b(c)\naxb(c)"), ["a.b(c)"]);
    }

    #[test]
    fn matches_over_lines() {
        let multiline = Syntax {
            multiline: true,
            ..Syntax::default()
        };
        let text = "fn a(\n  b\n) {\nfn c() {\n";
        assert_eq!(
            find_matches(r"\([^)]+\)", multiline, text),
            ["fn a(", "  b", ") {"]
        );
        assert_eq!(matching(r"\([^)]+\)", text), [""; 0]);
        assert_eq!(find_matches("x*", multiline, "a\nb").len(), 2);
    }

    #[test]
    fn values_are_those_of_the_first_group() {
        let values = |pattern: &str, text: &'static str| {
            let matcher = Matcher::new(pattern, Syntax::default()).unwrap();
            let mut values = Vec::new();
            let ended = matcher.values(text, &mut TimeBudget::unlimited(), |value| {
                values.push(value)
            });
            assert_eq!(ended, Some(()));
            values
        };
        assert_eq!(
            values(r"id=(\d+)", "id=1 id=22\nid=x id=3"),
            ["1", "22", "3"]
        );
        assert_eq!(values(r"\d+", "1 22\n3"), ["1", "22", "3"]);
    }

    #[test]
    fn every_character_is_composed() {
        for char in '\0'..=char::MAX {
            let text = format!("x{char}");
            let expected: String = text.nfc().collect();
            assert_eq!(compose(&text), expected, "{char:?}");
        }
    }

    #[test]
    fn symbols_are_composed_wherever_they_begin() {
        for char in '\u{2000}'..='\u{2FFF}' {
            // Around the end of a chunk of bytes that are tested together.
            for before in 125..=128 {
                let text = format!("{}{char}x", "x".repeat(before));
                let expected: String = text.nfc().collect();
                assert_eq!(compose(&text), expected, "{char:?} after {before} bytes");
            }
        }
    }

    #[test]
    fn forms_of_a_letter_are_one() {
        let decomposed = "cafe\u{301}\n\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF}";
        let text = compose(decomposed);
        assert_eq!(matching("café", &text).len(), 1);
        assert_eq!(matching("cafe\u{301}", &text).len(), 1);
        assert_eq!(matching("한글", &text).len(), 1);
        assert!(matches!(compose("한글 café — 漢字"), Cow::Borrowed(_)));
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        let error = Matcher::new("a(b", Syntax::default()).err().unwrap();
        assert!(
            error.message.contains("unclosed group"),
            "{}",
            error.message
        );
        let large = Matcher::new(r"(\w{100}){100}", Syntax::default());
        assert!(large.err().unwrap().message.contains("too large"));
        assert!(Matcher::new(&"a".repeat(1001), Syntax::default()).is_err());
        assert!(Matcher::new("", Syntax::default()).is_err());
    }

    /// Patterns that may match the empty string, several lines, or only at a boundary.
    fn patterns() -> impl Strategy<Value = String> {
        let atom = prop::sample::select(vec![
            "a", "b", " ", ".", "^", "$", r"\s", r"\b", "[^a]", "(?:a|b )", r"\n", r"\S",
        ]);
        let repeated = (atom, prop::sample::select(vec!["", "*", "+", "?"]));
        let parts = prop::collection::vec(repeated, 1..4);
        parts.prop_map(|parts| {
            parts
                .iter()
                .map(|(atom, times)| format!("{atom}{times}"))
                .collect()
        })
    }

    fn alone<'t>(matcher: &Matcher, text: &'t str) -> Vec<&'t str> {
        docent_text::lines::with_ends(text)
            .map(|line| line.trim_end_matches(['\n', '\r']))
            .filter(|line| matcher.regex.is_match(line))
            .collect()
    }

    proptest! {
        #[test]
        fn the_lines_are_those_that_match_alone(
            pattern in patterns(),
            text in "([ab ]{0,4}(\n|\r\n|\r)?){0,6}",
        ) {
            let Ok(matcher) = Matcher::new(&pattern, Syntax::default()) else {
                return Ok(());
            };
            prop_assert_eq!(matching(&pattern, &text), alone(&matcher, &text));
        }

        #[test]
        fn lines_with_a_literal_are_those_that_match_alone(
            before in prop::sample::select(vec!["", r"\w*", "^", r"\b", "(?:x|y )?", r"\s"]),
            literal in prop::sample::select(vec!["mask", "abcd", "(x y)", "ssss"]),
            after in prop::sample::select(vec!["", "+", "$", r"\b", r"\n", "[^s]", "(?-i)k"]),
            text in "((mas[kK\u{212A}\u{17F}]|ABCD|abcd|x y| |s|x|가){0,4}(\n|\r|\r\n)?){0,6}",
            ignore_case: bool,
        ) {
            let syntax = Syntax { ignore_case: Some(ignore_case), ..Syntax::default() };
            let matcher = Matcher::new(&format!("{before}{literal}{after}"), syntax).unwrap();
            prop_assert!(matcher.literal.is_some());
            let found = find_matches(&format!("{before}{literal}{after}"), syntax, &text);
            prop_assert_eq!(found, alone(&matcher, &text));
            if text.is_ascii() && matcher.is_absent_from_ascii(text.as_bytes()) {
                prop_assert!(!matcher.regex.is_match(&text));
            }
        }
    }
}
