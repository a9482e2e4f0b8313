//! Headings of LaTeX.

use memchr::{memchr2, memmem};

use crate::headings::heading::{Heading, one_line, with_headings};
use crate::headings::tex_title::{find_closing_brace, find_closing_bracket, plain_title};
use crate::limits::SECTIONS;

/// Commands with a title and their ranks, the outermost first. `addchap` and its like are those of
/// KOMA-Script for headings without a number.
const COMMANDS: [(&str, u8); 11] = [
    ("part", 0),
    ("addpart", 0),
    ("chapter", 1),
    ("addchap", 1),
    ("section", 2),
    ("addsec", 2),
    ("subsection", 3),
    ("subsubsection", 4),
    ("frametitle", 5),
    ("paragraph", 5),
    ("subparagraph", 6),
];

/// Environments whose text is not LaTeX, or is a comment.
const LITERAL: [&str; 12] = [
    "verbatim",
    "verbatim*",
    "Verbatim",
    "Verbatim*",
    "BVerbatim",
    "LVerbatim",
    "lstlisting",
    "minted",
    "comment",
    "filecontents",
    "filecontents*",
    "alltt",
];

/// Returns the headings of a LaTeX text: `\part`, `\chapter` and `\section` to `\subparagraph`,
/// with or without `*`, outside comments and literal text. The outermost command of the text that
/// is a part, a chapter or a section has level 1.
///
/// ```text
/// \section[Short]{Set \emph{up} \label{sec:setup}}
/// ```
pub fn tex_headings(text: &str) -> Vec<Heading> {
    let text = with_headings(text);
    let mut reader = TexReader::new(text);
    let mut found = Vec::new();
    while let Some(command) = reader.next_command() {
        if let Some(rank) = rank(command)
            && let Some((title, span)) = reader.title()
        {
            let title = plain_title(title);
            if !title.trim().is_empty() {
                found.push((rank, title, span));
            }
        }
        if found.len() == SECTIONS {
            break;
        }
    }
    let top = found.iter().map(|(rank, ..)| *rank).min();
    let top = top.unwrap_or_default().min(2);
    let headings = found.into_iter().map(|(rank, title, span)| {
        // The last two ranks below a part share level 6.
        Heading::new((rank - top + 1).min(6), title.trim(), span)
    });
    headings.collect()
}

/// Returns the `\title` of a LaTeX text.
pub fn tex_title(text: &str) -> Option<String> {
    let mut reader = TexReader::new(with_headings(text));
    reader.is_preamble = true;
    while let Some(command) = reader.next_command() {
        if command == "title"
            && let Some((title, _)) = reader.title()
        {
            let title = one_line(&plain_title(title));
            return (!title.is_empty()).then_some(title);
        }
    }
    None
}

fn rank(command: &str) -> Option<u8> {
    let (_, rank) = COMMANDS.iter().find(|(name, _)| *name == command)?;
    Some(*rank)
}

/// A reader of the commands of a LaTeX text.
struct TexReader<'t> {
    text: &'t str,
    at: usize,
    /// Start of the last command.
    start: usize,
    /// True if the commands before `\begin{document}` are read as well.
    is_preamble: bool,
    /// Environments whose end was searched for in vain, by their index.
    endless: [bool; LITERAL.len()],
}

impl<'t> TexReader<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            start: 0,
            is_preamble: false,
            endless: [false; LITERAL.len()],
        }
    }

    /// Returns the name of the next command outside comments and literal text.
    fn next_command(&mut self) -> Option<&'t str> {
        let bytes = self.text.as_bytes();
        if self.at == 0 && !self.is_preamble {
            // Macros of the preamble may contain `\section{#1}`. A file that is included in
            // another one has no preamble.
            self.at = memmem::find(bytes, b"\n\\begin{document}").map_or(0, |at| at + 1);
        }
        loop {
            self.at += memchr2(b'\\', b'%', bytes.get(self.at..)?)?;
            if bytes[self.at] == b'%' {
                self.at = line_end(bytes, self.at);
                continue;
            }
            self.start = self.at;
            let name = &self.text[self.at + 1..];
            let length = name.bytes().take_while(u8::is_ascii_alphabetic).count();
            let name = &name[..length];
            // The sign after the backslash is skipped with it: `\%` begins no comment.
            self.at = self.start + 1 + length.max(1);
            match name {
                "" => {}
                "verb" | "lstinline" => self.skip_literal(),
                "iffalse" => {
                    let end = memmem::find(bytes.get(self.at..)?, b"\\fi");
                    self.at += end.unwrap_or(0);
                }
                "end" if bytes[self.at..].starts_with(b"{document}") => return None,
                "begin" => self.skip_environment(),
                "newcommand" | "renewcommand" | "providecommand" | "def" => self.skip_definition(),
                name => return Some(name),
            }
        }
    }

    /// Skips `\verb|text|`, whose delimiter may be any character, on one line.
    fn skip_literal(&mut self) {
        let bytes = self.text.as_bytes();
        if bytes.get(self.at) == Some(&b'*') {
            self.at += 1;
        }
        let end = line_end(bytes, self.at);
        if let Some((sign, rest)) = bytes[self.at..end].split_first()
            && sign.is_ascii_punctuation()
        {
            let close = if *sign == b'{' { b'}' } else { *sign };
            let length = memchr::memchr(close, rest).map_or(0, |length| length + 2);
            self.at += length;
        }
    }

    /// Skips the environment that begins here if its text is literal.
    fn skip_environment(&mut self) {
        let rest = &self.text[self.at..];
        let Some(name) = rest.strip_prefix('{').and_then(|rest| {
            let end = rest.bytes().take(32).position(|byte| byte == b'}')?;
            rest.get(..end)
        }) else {
            return;
        };
        let index = LITERAL.iter().position(|literal| *literal == name);
        let Some(index) = index.filter(|index| !self.endless[*index]) else {
            return;
        };
        let end = format!("\\end{{{name}}}");
        match memmem::find(rest.as_bytes(), end.as_bytes()) {
            Some(length) => self.at += length + end.len(),
            // No later environment of this name has an end either.
            None => self.endless[index] = true,
        }
    }

    /// Skips the name of the command that is defined: `\newcommand{\section}` is no heading.
    fn skip_definition(&mut self) {
        let rest = self.text[self.at..].trim_start_matches(['*', '{', ' ']);
        if let Some(name) = rest.strip_prefix('\\') {
            let length = name.bytes().take_while(u8::is_ascii_alphabetic).count();
            self.at = self.text.len() - name.len() + length;
        }
    }

    /// Returns the title of the heading command that was read, and the span of its lines.
    fn title(&mut self) -> Option<(&'t str, std::ops::Range<usize>)> {
        let rest = self.text[self.at..].trim_start_matches('*');
        let rest = skip_blanks(rest);
        let rest = match rest.strip_prefix('[') {
            Some(short) => skip_blanks(&short[find_closing_bracket(short)?..][1..]),
            None => rest,
        };
        // Slides: `\frametitle<2>{…}`.
        let rest = match rest.strip_prefix('<') {
            Some(slides) => {
                let mut head = slides.as_bytes().iter().take(32);
                &slides[head.position(|byte| *byte == b'>')? + 1..]
            }
            None => rest,
        };
        let inside = rest.strip_prefix('{')?;
        let title = &inside[..find_closing_brace(inside)?];
        if holds_parameter(title) {
            return None;
        }
        let end = self.text.len() - inside.len() + title.len() + 1;
        self.at = end;
        let bytes = self.text.as_bytes();
        let start = self.text[..self.start]
            .rfind(['\n', '\r'])
            .map_or(0, |at| at + 1);
        Some((title, start..line_end(bytes, end)))
    }
}

/// Returns true if a title is that of a macro, `\section{#1}`.
fn holds_parameter(title: &str) -> bool {
    let bytes = title.as_bytes();
    memchr::memchr_iter(b'#', bytes).any(|at| {
        let is_escaped = at > 0 && bytes[at - 1] == b'\\';
        !is_escaped && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
    })
}

/// Returns the position after the end of the line at `at`.
fn line_end(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    match memchr2(b'\n', b'\r', rest) {
        Some(end) if rest[end] == b'\r' && rest.get(end + 1) == Some(&b'\n') => at + end + 2,
        Some(end) => at + end + 1,
        None => bytes.len(),
    }
}

/// Skips blanks, one line end and comments.
fn skip_blanks(text: &str) -> &str {
    let mut rest = text.trim_start_matches([' ', '\t']);
    if rest.starts_with('%') {
        rest = &rest[line_end(rest.as_bytes(), 0)..];
    } else {
        let after = rest.strip_prefix('\r').unwrap_or(rest);
        rest = after.strip_prefix('\n').unwrap_or(after);
    }
    rest.trim_start_matches([' ', '\t'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headings::heading::levels_and_texts;

    fn all(text: &str) -> Vec<(u8, String)> {
        levels_and_texts(tex_headings(text))
    }

    fn expected<const N: usize>(all: [(u8, &str); N]) -> Vec<(u8, String)> {
        all.map(|(level, title)| (level, title.to_owned())).to_vec()
    }

    #[test]
    fn titles() {
        for (source, title) in [
            ("\\section{개요}", "개요"),
            ("\\section*{Set \\emph{up}}", "Set up"),
            ("\\section[Short {]}]{Long}", "Long"),
            ("\\section\n  [Short]%\n  {Two\n  lines}", "Two lines"),
            ("  \\section {x}", "x"),
            ("text \\section{x}", "x"),
            ("\\section{a \\{b\\} \\& 50\\% {\\bf c}}", "a {b} & 50% c"),
            ("\\section{A % } comment\nB}", "A B"),
        ] {
            let [(_, found)] = &all(source)[..] else {
                panic!("{source}: {:?}", all(source));
            };
            assert_eq!(found, title, "{source}");
        }
        for source in [
            "\\sections{x}",
            "\\titleformat{\\section}{x}",
            "% \\section{x}",
            "\\\\section{x}",
            "\\section{open",
            "\\section{two\n\nparagraphs}",
            "\\newcommand{\\mine}[1]{\\section{#1}}",
            "\\renewcommand\\section{x}",
            "\\verb|\\section{x}|",
            "\\section{}",
            "section{x}",
        ] {
            assert!(all(source).is_empty(), "{source} {:?}", all(source));
        }
    }

    #[test]
    fn levels_by_the_outermost_command() {
        let below = "\\section{S}\n\\subsection{T}\n\\subsubsection{U}\n\\paragraph{V} x\n\\subparagraph{W} y\n";
        assert_eq!(
            all(below),
            expected([(1, "S"), (2, "T"), (3, "U"), (4, "V"), (5, "W")])
        );
        let book = format!("\\part{{P}}\n\\chapter{{C}}\n{below}");
        let deep = [
            (1, "P"),
            (2, "C"),
            (3, "S"),
            (4, "T"),
            (5, "U"),
            (6, "V"),
            (6, "W"),
        ];
        assert_eq!(all(&book), expected(deep));
        assert_eq!(all("\\subsection{T}\n"), expected([(2, "T")]));
    }

    #[test]
    fn not_within_literal_text() {
        let text = "\\section{no}\n\\title{책 \\LaTeX}\n\\begin{document}\n\\begin{verbatim}\n\\section{no}\n\\end{verbatim}\n\\section{A}\n\\begin{lstlisting}[language=TeX]\n\\section{no}\n\\end{lstlisting}\n\\iffalse\n\\section{no}\n\\fi\n50\\% \\section{B}\n\\begin{comment}\n\\section{C}\n\\end{document}\n\\section{no}\n";
        assert_eq!(all(text), expected([(1, "A"), (1, "B"), (1, "C")]));
        assert_eq!(tex_title(text).as_deref(), Some("책 LaTeX"));
        assert_eq!(tex_title("\\maketitle"), None);
    }

    #[test]
    fn spans_are_whole_lines() {
        let text = "x\r\n\\section{A\r\n b}\\label{c}\r\ny\r\n";
        let spans: Vec<&str> = tex_headings(text)
            .into_iter()
            .map(|heading| &text[heading.span])
            .collect();
        assert_eq!(spans, ["\\section{A\r\n b}\\label{c}\r\n"]);
    }
}
