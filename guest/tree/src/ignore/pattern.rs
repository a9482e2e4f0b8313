//! Gitignore patterns: parsed from one line, and matched against paths. The format is that of the
//! manual page `gitignore(5)`, section "Pattern format"; tests compare the matcher with the crate
//! `ignore`.

/// A pattern of an ignore file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IgnorePattern {
    /// True if it re-includes entries that earlier patterns ignored.
    pub negated: bool,
    only_directories: bool,
    /// True if it is anchored to the directory of its ignore file.
    anchored: bool,
    segments: Vec<PatternSegment>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PatternSegment {
    /// `**`: any number of segments.
    Any,
    /// Text without special characters.
    Literal(String),
    Glob(Vec<PatternToken>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PatternToken {
    Char(char),
    One,
    Star,
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

impl IgnorePattern {
    /// Parses the pattern of a line. Returns `None` for a comment, a blank line, and a pattern that
    /// can match nothing.
    pub fn parse(line: &str) -> Option<Self> {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if line.starts_with('#') {
            return None;
        }
        // The signs are removed in git's order: in `!/a/` the `!` negates, the final `/` means
        // directories only, and the first `/` anchors. Trailing spaces come first, because a `/`
        // before them is still the last character of the pattern.
        let mut line = without_trailing_spaces(line);
        let negated = line.strip_prefix('!').inspect(|rest| line = rest).is_some();
        let only_directories = line.strip_suffix('/').inspect(|rest| line = rest).is_some();
        let mut anchored = line.strip_prefix('/').inspect(|rest| line = rest).is_some();
        if line.is_empty() {
            return None;
        }
        let parts: Vec<&str> = split_segments(line);
        // A `/` in the middle anchors a pattern: `a/b` means the same as `/a/b` and does not match
        // `c/a/b`. Only a single name matches at any depth.
        anchored |= parts.len() > 1;
        let mut segments = Vec::with_capacity(parts.len());
        for part in parts {
            let segment = if part == "**" {
                PatternSegment::Any
            } else {
                parse_segment(part)?
            };
            // `a/**/**/b` means the same as `a/**/b`. With one `**` in place of several, only one
            // position must be tried again after a mismatch.
            if segment != PatternSegment::Any || segments.last() != Some(&PatternSegment::Any) {
                segments.push(segment);
            }
        }
        Some(Self {
            negated,
            only_directories,
            anchored,
            segments,
        })
    }

    /// Returns its size in bytes.
    pub fn bytes(&self) -> usize {
        let segments = self.segments.iter().map(PatternSegment::bytes);
        size_of::<Self>() + segments.sum::<usize>()
    }

    /// Returns true if it matches the entry at `path`, which is relative to the directory of its
    /// ignore file.
    pub fn matches(&self, path: &str, is_directory: bool) -> bool {
        if self.only_directories && !is_directory {
            return false;
        }
        // Most patterns are a single name, such as `target` or `*.log`, which matches at any depth.
        // Only the last name of the path is compared: a directory above it was tested on its own
        // when the walk reached it.
        if !self.anchored {
            let name = path.rsplit('/').next().unwrap_or(path);
            return self
                .segments
                .first()
                .is_some_and(|segment| segment.matches(name));
        }
        self.matches_segments(path)
    }

    /// Matches segment by segment. After a mismatch only the last `**` is extended by one segment,
    /// so the time is at most the product of the lengths.
    fn matches_segments(&self, path: &str) -> bool {
        let names: Vec<&str> = path.split('/').collect();
        let (mut at, mut name) = (0, 0);
        let mut retry: Option<(usize, usize)> = None;
        loop {
            match self.segments.get(at) {
                // A `**` at the end matches all that is inside of a directory, at any depth, but
                // not the directory itself: `a/**` matches `a/b` and not `a`, so that a later
                // `!a/b` can still include a file of it.
                Some(PatternSegment::Any) if at + 1 == self.segments.len() => {
                    return name < names.len();
                }
                Some(PatternSegment::Any) => {
                    at += 1;
                    retry = Some((at, name));
                    continue;
                }
                Some(segment) if names.get(name).is_some_and(|n| segment.matches(n)) => {
                    at += 1;
                    name += 1;
                    continue;
                }
                None if name == names.len() => return true,
                _ => {}
            }
            // Only the last `**` is tried again. An earlier one could match more segments, but then
            // the last one would match fewer of the same, so that no further path is found. Trying
            // all of them would take time that grows exponentially with their number.
            match retry {
                Some((after, from)) if from < names.len() => {
                    (at, name) = (after, from + 1);
                    retry = Some((after, from + 1));
                }
                _ => return false,
            }
        }
    }
}

impl PatternSegment {
    fn bytes(&self) -> usize {
        let inside = match self {
            Self::Any => 0,
            Self::Literal(text) => text.len(),
            Self::Glob(tokens) => tokens.len() * size_of::<PatternToken>(),
        };
        size_of::<Self>() + inside
    }

    fn matches(&self, name: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Literal(text) => text == name,
            Self::Glob(tokens) => matches_tokens(tokens, name),
        }
    }
}

/// Matches like [`IgnorePattern::matches_segments`], with characters for segments and `*` for `**`.
fn matches_tokens(tokens: &[PatternToken], name: &str) -> bool {
    let (mut at, mut rest) = (0, name.chars());
    let mut retry: Option<(usize, std::str::Chars<'_>)> = None;
    loop {
        let mut ahead = rest.clone();
        match (tokens.get(at), ahead.next()) {
            (Some(PatternToken::Star), _) => {
                at += 1;
                retry = Some((at, rest.clone()));
                continue;
            }
            (Some(token), Some(c)) if token.matches(c) => {
                at += 1;
                rest = ahead;
                continue;
            }
            (None, None) => return true,
            _ => {}
        }
        // Only the last `*` is extended, by one character, as above. With each `*` tried again, as
        // in `*a*a*a*a*a*a*a*b` on a long row of `a`, the time would grow exponentially with their
        // number.
        let Some((after, from)) = &mut retry else {
            return false;
        };
        if from.next().is_none() {
            return false;
        }
        (at, rest) = (*after, from.clone());
    }
}

impl PatternToken {
    fn matches(&self, c: char) -> bool {
        match self {
            Self::Char(own) => *own == c,
            Self::One | Self::Star => true,
            Self::Class { negated, ranges } => {
                ranges
                    .iter()
                    .any(|&(first, last)| (first..=last).contains(&c))
                    != *negated
            }
        }
    }
}

/// Strips trailing spaces, unless the last is escaped.
fn without_trailing_spaces(line: &str) -> &str {
    let trimmed = line.trim_end_matches(' ');
    let escapes = trimmed
        .bytes()
        .rev()
        .take_while(|&byte| byte == b'\\')
        .count();
    if escapes % 2 == 1 && trimmed.len() < line.len() {
        &line[..=trimmed.len()]
    } else {
        trimmed
    }
}

/// Splits at `/`, and omits empty parts. Neither a class nor an escape can contain a `/`, since
/// none matches a separator of a path.
fn split_segments(line: &str) -> Vec<&str> {
    line.split('/').filter(|part| !part.is_empty()).collect()
}

fn parse_segment(text: &str) -> Option<PatternSegment> {
    // Most segments contain no special character, such as `node_modules`.
    if !text.contains(['*', '?', '[', '\\']) {
        return Some(PatternSegment::Literal(text.to_owned()));
    }
    let mut tokens = Vec::new();
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        tokens.push(match c {
            // Within a segment, `**` means the same as `*`: `a**b` matches what `a*b` matches.
            '*' if tokens.last() == Some(&PatternToken::Star) => continue,
            '*' => PatternToken::Star,
            '?' => PatternToken::One,
            '\\' => PatternToken::Char(characters.next()?),
            '[' => parse_class(&mut characters)?,
            c => PatternToken::Char(c),
        });
    }
    Some(PatternSegment::Glob(tokens))
}

/// Parses a class after its `[`; returns `None` if there is no `]`.
fn parse_class(characters: &mut std::str::Chars<'_>) -> Option<PatternToken> {
    let mut ranges: Vec<(char, char)> = Vec::new();
    let mut negated = false;
    if characters.as_str().starts_with(['!', '^']) {
        negated = true;
        characters.next();
    }
    let mut is_first = true;
    loop {
        let mut c = characters.next()?;
        // A bracket that comes first does not close the class: `[]]` contains a bracket, and `[!]]`
        // all characters but a bracket, as in POSIX.
        if c == ']' && !is_first {
            return Some(PatternToken::Class { negated, ranges });
        }
        is_first = false;
        if c == '\\' {
            c = characters.next()?;
        }
        // A `-` is a range only between two members: `[a-c]` contains all letters from `a` to `c`,
        // and `[a-]` contains `a` and `-`. `[a-` has no end and is not a class at all.
        let mut ahead = characters.clone();
        let last = match (ahead.next(), ahead.next()) {
            (Some('-'), Some(']')) | (None, _) => c,
            (Some('-'), Some(mut last)) => {
                if last == '\\' {
                    last = ahead.next()?;
                }
                *characters = ahead;
                last
            }
            _ => c,
        };
        ranges.push((c, last));
    }
}

#[cfg(test)]
mod tests {
    use ignore::gitignore::GitignoreBuilder;
    use proptest::prelude::*;

    use super::*;

    fn matches(pattern: &str, path: &str, is_directory: bool) -> bool {
        IgnorePattern::parse(pattern).is_some_and(|p| !p.negated && p.matches(path, is_directory))
    }

    macro_rules! patterns {
        ($($name:ident: $pattern:expr => [$($yes:expr),*] not [$($no:expr),*];)*) => {$(
            #[test]
            fn $name() {
                for path in [$($yes),*] as [&str; _] {
                    assert!(matches($pattern, path.trim_end_matches('/'), path.ends_with('/')), "{path}");
                }
                for path in [$($no),*] as [&str; _] {
                    assert!(!matches($pattern, path.trim_end_matches('/'), path.ends_with('/')), "{path}");
                }
            }
        )*};
    }

    patterns! {
        name_anywhere: "x.md" => ["x.md", "a/x.md", "a/b/x.md/"] not ["xx.md", "x.md/y"];
        star: "*.log" => ["a.log", "d/a.log", ".log"] not ["a.logs"];
        anchored: "/a.md" => ["a.md"] not ["b/a.md"];
        anchored_by_middle_slash: "a/b" => ["a/b", "a/b/"] not ["c/a/b"];
        directories_only: "target/" => ["target/", "a/target/"] not ["target"];
        leading_double_star: "**/x" => ["x", "a/x", "a/b/x"] not ["xx"];
        trailing_double_star: "a/**" => ["a/x", "a/b/c"] not ["a", "b/a/x"];
        middle_double_star: "a/**/b" => ["a/b", "a/x/b", "a/x/y/b"] not ["ab", "a/bb"];
        star_stops_at_slash: "a/*/c" => ["a/b/c"] not ["a/c", "a/b/b/c"];
        question_mark: "a?c" => ["abc", "a한c"] not ["ac", "abbc"];
        class: "[a-c]x" => ["ax", "cx"] not ["dx", "-x"];
        negated_class: "[!a]x" => ["bx"] not ["ax"];
        class_with_bracket: "[]]x" => ["]x"] not ["x"];
        escaped: "\\#x" => ["#x"] not ["\\#x"];
        escaped_star: "a\\*" => ["a*"] not ["ab"];
        escaped_space: "a\\ " => ["a "] not ["a"];
        trailing_space: "a  " => ["a"] not ["a "];
        comment: "#x" => [] not ["#x"];
        many_stars: "*a*a*a*a*a*a*a*b" => ["aaaaaaab"] not ["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"];
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]

        #[test]
        fn agrees_with_the_ignore_crate(
            pattern in "!?/?(\\*\\*/)?[ab*?]{1,3}(/[ab*]{1,3}|/\\*\\*)?(/[ab?]{1,2})?/?",
            path in "[ab]{1,3}(/[ab]{1,3}){0,3}",
            is_directory: bool,
        ) {
            prop_assume!(!pattern.contains("***"));
            let mut builder = GitignoreBuilder::new("");
            prop_assume!(builder.add_line(None, &pattern).is_ok());
            let Ok(reference) = builder.build() else { return Ok(()) };
            let expected = !reference.matched(&path, is_directory).is_none();
            let own = IgnorePattern::parse(&pattern).is_some_and(|p| p.matches(&path, is_directory));
            prop_assert_eq!(own, expected, "{} on {}", pattern, path);
        }
    }
}
