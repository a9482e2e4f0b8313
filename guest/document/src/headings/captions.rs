//! Headings of captions, in WebVTT and SubRip: a heading for every five minutes of a long video.
//!
//! Neither format has headings of its own, and a video of two hours has some 1 500 cues. Times
//! that are multiples of five minutes are addresses that remain when cues are added or merged.

use crate::headings::heading::{Heading, one_line, with_headings};
use crate::limits::SECTIONS;
use docent_text::lines::{with_ends, without_end};

/// Seconds of a section: some 100 cues, or a page of text.
const SECTION_SECONDS: u32 = 5 * 60;

/// Returns a heading such as `00:05:00` for every five minutes in which a cue begins, from the
/// identifier of the first such cue to the end of its line of times. A text of less than ten
/// minutes has none.
pub fn caption_headings(text: &str) -> Vec<Heading> {
    let text = with_headings(text);
    let mut headings = Vec::new();
    let mut section = None;
    let mut start = 0;
    // The start of the line before, if that may be the identifier of a cue.
    let mut identifier = None;
    let mut is_after_blank = true;
    for line in with_ends(text) {
        let plain = without_end(line);
        let end = start + line.len();
        if let Some(seconds) = cue_start(plain) {
            let own = seconds / SECTION_SECONDS;
            // Cues of several speakers need not be in order, but sections are.
            if section.is_none_or(|section| own > section) {
                section = Some(own);
                let begin = identifier.unwrap_or(start);
                headings.push(Heading::new(1, &clock(own * SECTION_SECONDS), begin..end));
            }
        }
        identifier = (is_after_blank && !plain.trim().is_empty()).then_some(start);
        is_after_blank = plain.trim().is_empty();
        start = end;
    }
    if section.is_none_or(|section| section < 2) {
        headings.clear();
    }
    headings.truncate(SECTIONS);
    headings
}

/// Returns the title after the signature of a WebVTT file: `WEBVTT - Title`.
pub fn caption_title(text: &str) -> Option<String> {
    let first = with_ends(text).next()?.trim_end();
    let title = first.strip_prefix("WEBVTT")?.strip_prefix([' ', '\t'])?;
    let title = one_line(title.trim_start_matches([' ', '\t', '-']));
    (!title.is_empty()).then_some(title)
}

/// Returns the seconds at which a cue begins, by its line of times:
/// `00:01:02.500 --> 00:01:04.000`, in SubRip with a comma, in WebVTT also without hours.
fn cue_start(line: &str) -> Option<u32> {
    let (from, to) = line.split_once("-->")?;
    seconds(to.split_whitespace().next()?)?;
    seconds(from.trim())
}

/// Parses a time.
fn seconds(time: &str) -> Option<u32> {
    let (time, fraction) = time.split_once(['.', ',']).unwrap_or((time, "0"));
    let is_number = |text: &str| {
        (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let parts: Vec<&str> = time.split(':').take(4).collect();
    if !(2..=3).contains(&parts.len()) || !is_number(fraction) {
        return None;
    }
    parts.iter().try_fold(0u32, |sum, part| {
        let number = part.parse::<u32>().ok().filter(|_| is_number(part))?;
        sum.checked_mul(60)?.checked_add(number)
    })
}

fn clock(seconds: u32) -> String {
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    format!("{hours:02}:{minutes:02}:{:02}", seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_of_five_minutes() {
        let text = "WEBVTT - 회의\n\n1\n00:01.000 --> 00:02.000\n안녕\n\n06:00.000 --> 06:01.000 align:start\nb\n\nNOTE x\n\nend\n01:10:00.000 --> 01:10:02.000\nc\n";
        let found: Vec<(String, &str)> = caption_headings(text)
            .into_iter()
            .map(|heading| (heading.text, &text[heading.span]))
            .collect();
        let expected = [
            ("00:00:00", "1\n00:01.000 --> 00:02.000\n"),
            ("00:05:00", "06:00.000 --> 06:01.000 align:start\n"),
            ("01:10:00", "end\n01:10:00.000 --> 01:10:02.000\n"),
        ];
        assert_eq!(found, expected.map(|(t, l)| (t.to_owned(), l)));
        assert_eq!(caption_title(text).as_deref(), Some("회의"));
        assert_eq!(caption_title("WEBVTT\n"), None);
    }

    #[test]
    fn short_and_other_texts_have_none() {
        for text in [
            "1\r\n00:09:59,900 --> 00:10:00,100\r\na\r\n",
            "a --> b\n",
            "10:00 --> \n",
            "99999:00:00 --> 1:00\n",
            "",
        ] {
            assert!(caption_headings(text).is_empty(), "{text}");
        }
        let long = "1\r\n00:10:00,000 --> 00:10:01,000\r\na\r\n";
        assert_eq!(caption_headings(long)[0].text, "00:10:00");
        assert_eq!(caption_headings(long)[0].span.start, 0);
    }
}
