//! Escaping of document text for Markdown, and formatting of numbers for people.

/// Returns the text as one line: every run of white space and control characters becomes one space,
/// and the ends are trimmed.
pub fn line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if !(c.is_whitespace() || c.is_control()) {
            line.push(c);
        } else if !line.is_empty() && !line.ends_with(' ') {
            line.push(' ');
        }
    }
    line.truncate(line.trim_end().len());
    line
}

/// Returns text on one line, escaped for Markdown: in a list item, text of hyphens alone would
/// become a rule, `- --`.
pub fn in_markdown(text: &str) -> String {
    let line = line(text);
    let is_rule = line.contains('-') && line.chars().all(|c| matches!(c, '-' | ' '));
    if is_rule { format!("\\{line}") } else { line }
}

/// Returns an excerpt in which line breaks and control characters are replaced with spaces.
pub fn quote(excerpt: &str) -> String {
    excerpt
        .chars()
        .map(|c| {
            if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') {
                ' '
            } else {
                c
            }
        })
        .collect()
}

/// Minimum run of backticks for which a fence of tildes is tried: fences count towards the budget
/// of an answer, and the core counts them by the same rule.
const LONG_RUN: usize = 16;

/// Encloses the text in a fence that is longer than any run of its character in the text, so that
/// nothing in the text can close it.
pub fn fence(text: &str) -> String {
    // A fence is closed by a run of its own character that is at least as long (CommonMark,
    // section 4.5). A text of 200 backticks would need a fence of 201 at both ends, which
    // counts towards the budget of the answer, so tildes are used then if they are shorter.
    let (backticks, tildes) = (longest_run(text, '`'), longest_run(text, '~'));
    let fence = if backticks >= LONG_RUN && tildes < backticks {
        "~".repeat(tildes.max(2) + 1)
    } else {
        "`".repeat(backticks.max(2) + 1)
    };
    let end = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!("{fence}\n{text}{end}{fence}")
}

/// Formats a number of bytes in a fitting decimal unit: `512 B`, `12.3 KB`, `1.5 MB`.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KB", "MB", "GB", "TB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut unit = 0;
    let mut divisor = 1000_u64;
    while bytes / divisor >= 1000 && unit + 1 < UNITS.len() {
        unit += 1;
        divisor *= 1000;
    }
    let tenths = bytes / (divisor / 10);
    format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[unit])
}

/// Formats an ISO 8601 time to the minute, without its offset: `2026-05-01 12:30`.
pub(super) fn minute(time: &str) -> String {
    time.get(..16).unwrap_or(time).replace('T', " ")
}

/// Returns the offset of an ISO 8601 time: `UTC`, or `UTC+09:00`.
pub(super) fn offset(time: &str) -> String {
    let of_day = time.rsplit('T').next().unwrap_or_default();
    let sign = of_day.find(['+', '-']);
    format!("UTC{}", sign.map_or("", |sign| &of_day[sign..]))
}

/// Formats a number with its noun: `1 match`, `2 matches`.
pub(super) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

fn longest_run(text: &str, of: char) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == of { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stays_one_line() {
        assert_eq!(line(" a\r\nb\u{2028}# c\u{1b}[0m\td \n"), "a b # c [0m d");
        assert_eq!(line("\n"), "");
        assert_eq!(line("가\u{3000}나"), "가 나");
    }

    #[test]
    fn an_excerpt_keeps_its_spaces_on_one_line() {
        assert_eq!(
            quote("... a  **b**\r\n# c\u{2028}d "),
            "... a  **b**  # c d "
        );
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        assert_eq!(fence("a"), "```\na\n```");
        assert_eq!(fence("a\n"), "```\na\n```");
        assert_eq!(fence(""), "```\n```");
        assert_eq!(fence("````\nx\n````"), "`````\n````\nx\n````\n`````");
        let run = "`".repeat(300);
        assert_eq!(fence(&run), format!("~~~\n{run}\n~~~"));
        let both = format!("~~~~~\n{run}");
        assert_eq!(fence(&both), format!("~~~~~~\n{both}\n~~~~~~"));
        let tildes = format!("{run}\n{}", "~".repeat(400));
        let longer = format!("{run}`");
        assert_eq!(fence(&tildes), format!("{longer}\n{tildes}\n{longer}"));
    }

    #[test]
    fn sizes_and_counts() {
        assert_eq!(size(999), "999 B");
        assert_eq!(size(1000), "1.0 KB");
        assert_eq!(size(12_345), "12.3 KB");
        assert_eq!(size(999_999), "999.9 KB");
        assert_eq!(size(u64::MAX), "18446744.0 TB");
        assert_eq!(count(1, "match", "matches"), "1 match");
        assert_eq!(count(0, "match", "matches"), "0 matches");
        assert_eq!(minute("2026-05-01T12:30:59.123Z"), "2026-05-01 12:30");
        assert_eq!(offset("2026-05-01T12:30:59.123Z"), "UTC");
        assert_eq!(offset("2026-05-01T12:30:59.123-03:30"), "UTC-03:30");
    }
}
