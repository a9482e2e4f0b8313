//! The extent of a definition, derived from the indentation of its lines, and its comment.

use crate::language::Language;

/// Maximum lines of the head of a definition.
const HEAD_LINES: usize = 12;

/// Maximum lines before the body of a C function.
const PARAMETER_LINES: usize = 8;

/// Returns the index of the last line of the definition in line `at`; none if the indentation does
/// not show it.
pub fn end(lines: &[&str], at: usize, language: Language) -> Option<usize> {
    let depth = indent(lines[at]);
    if language == Language::Python {
        return Some(end_of_block(lines, at, depth));
    }
    let mut open = 0;
    for (index, line) in lines.iter().enumerate().skip(at).take(HEAD_LINES) {
        let braces = count(line, "{") - count(line, "}");
        let brackets = count(line, "([") - count(line, ")]");
        if line.contains('{') {
            if braces != 0 {
                return closing(lines, index, depth);
            }
            if open + brackets <= 0 {
                return (index == at).then_some(index);
            }
        }
        open += brackets;
        if open <= 0 && language != Language::C {
            // A definition without a body ends with its line, unless the next line continues it.
            let next = lines.get(index + 1).map_or("", |next| next.trim());
            let ends_open = ["=", "=>", ",", ":", "|", "&", "."];
            let continues = ends_open.iter().any(|sign| line.trim_end().ends_with(sign))
                || ["|", "&", ":", ".", "?", "{", "=", "where"]
                    .iter()
                    .any(|sign| next.starts_with(sign));
            return (index == at && !continues).then_some(index);
        }
    }
    None
}

fn count(line: &str, signs: &str) -> i32 {
    line.chars().filter(|c| signs.contains(*c)).map(|_| 1).sum()
}

pub fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn end_of_block(lines: &[&str], at: usize, depth: usize) -> usize {
    let mut end = at;
    for (index, line) in lines.iter().enumerate().skip(at + 1) {
        if line.trim().is_empty() {
            continue;
        }
        let is_head = indent(line) == depth && line.trim_start().starts_with(')');
        if indent(line) <= depth && !is_head {
            break;
        }
        end = index;
    }
    end
}

/// Returns the line that closes the block with the indentation `depth`.
fn closing(lines: &[&str], at: usize, depth: usize) -> Option<usize> {
    for (index, line) in lines.iter().enumerate().skip(at + 1) {
        // Preprocessor lines may have any indentation.
        if !line.trim().is_empty() && indent(line) < depth && !line.starts_with('#') {
            return None;
        }
        let closes = indent(line) == depth && line.trim_start().starts_with('}');
        if closes && !line.trim_end().ends_with('{') {
            return Some(index);
        }
    }
    None
}

/// Returns true if the C function that begins in line `at` has a body.
pub fn has_body(lines: &[&str], at: usize) -> bool {
    lines[at..]
        .iter()
        .take(PARAMETER_LINES)
        .find(|line| line.contains(['{', ';']))
        .is_some_and(|line| line.contains('{'))
}

/// Returns true if the Python definition in line `at` is local to a function.
pub fn is_local(lines: &[&str], at: usize) -> bool {
    let depth = indent(lines[at]);
    let outer = lines[..at].iter().rev().find(|line| {
        let is_code = !line.trim().is_empty() && !line.trim_start().starts_with([')', '#']);
        is_code && indent(line) < depth
    });
    outer.is_some_and(|line| !line.trim_start().starts_with("class "))
}

/// Returns the index of the first line of the definition in line `at`, including comments and
/// annotations above it, and the text of its comment.
pub fn beginning(lines: &[&str], at: usize, language: Language) -> (usize, Vec<String>) {
    let mut first = at;
    let mut text: Vec<String> = Vec::new();
    while let Some(above) = first.checked_sub(1) {
        let line = lines[above].trim();
        let is_aside = match language {
            Language::C => false,
            Language::Python => line.starts_with(['@', '#']),
            _ => line.starts_with('@'),
        };
        if line.ends_with("*/") {
            let start = lines[..first]
                .iter()
                .rposition(|line| line.trim().starts_with("/*"));
            first = start.unwrap_or(0);
            let block = lines[first..=above].iter().map(|line| without_marks(line));
            text.splice(0..0, block);
            break;
        } else if line.starts_with("//") {
            text.insert(0, line.trim_start_matches('/').trim().to_owned());
        } else if !is_aside {
            break;
        }
        first = above;
    }
    (first, text)
}

fn without_marks(line: &str) -> String {
    let line = line.trim();
    let line = line
        .strip_prefix("/**")
        .or(line.strip_prefix("/*"))
        .unwrap_or(line);
    let line = line.strip_suffix("*/").unwrap_or(line);
    line.trim().trim_start_matches('*').trim().to_owned()
}

/// Returns the docstring of the Python definition in the lines from `at` to `end`.
pub fn docstring(lines: &[&str], at: usize, end: usize) -> Vec<String> {
    let head = (at..end.min(at + HEAD_LINES)).find(|index| lines[*index].trim_end().ends_with(':'));
    let Some(first) = head.map(|head| lines[head + 1].trim()) else {
        return Vec::new();
    };
    let quotes = ["\"\"\"", "r\"\"\"", "'''"];
    let Some(begun) = quotes.iter().find_map(|quote| first.strip_prefix(quote)) else {
        return Vec::new();
    };
    let behind = lines[head.unwrap_or(at) + 2..=end]
        .iter()
        .map(|line| line.trim());
    let mut text = Vec::new();
    for line in [begun].into_iter().chain(behind) {
        let ends = line.find("\"\"\"").or(line.find("'''"));
        text.push(line[..ends.unwrap_or(line.len())].to_owned());
        if ends.is_some() {
            break;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end_of(text: &str, at: usize, language: Language) -> Option<usize> {
        end(&text.lines().collect::<Vec<_>>(), at, language)
    }

    #[test]
    fn a_block_ends_where_its_indentation_does() {
        let text =
            "class A:\n    def f(\n        self,\n    ) -> int:\n\n        return 1\n\nx = 1\n";
        assert_eq!(end_of(text, 0, Language::Python), Some(5));
        assert_eq!(end_of(text, 1, Language::Python), Some(5));
    }

    #[test]
    fn a_body_ends_with_the_brace_below_its_beginning() {
        let text = "int f(int a,\n      int b)\n{\n  if (a) {\n#endif\n  }\n}\nint g;\n";
        assert_eq!(end_of(text, 0, Language::C), Some(6));
        assert_eq!(end_of("type A struct{}\n", 0, Language::Go), Some(0));
        assert_eq!(
            end_of("type F func(c int) bool\n\nvar x\n", 0, Language::Go),
            Some(0)
        );
        assert_eq!(
            end_of("export type A =\n  | B\n", 0, Language::TypeScript),
            None
        );
        assert_eq!(end_of("type A = B\n  | C\n", 0, Language::TypeScript), None);
        let generic = "function f<T extends {}>(\n  a: T,\n): T {\n  return a\n}\n";
        assert_eq!(end_of(generic, 0, Language::TypeScript), Some(4));
    }

    #[test]
    fn comments_and_annotations_belong_to_what_is_below() {
        let lines = ["x", "/**", " * Says it.", " */", "@Test", "fun say() {"];
        let (first, text) = beginning(&lines, 5, Language::Kotlin);
        assert_eq!((first, text.join("|")), (1, "|Says it.|".to_owned()));
        let lines = ["// Says", "// it.", "func Say() {"];
        let (first, text) = beginning(&lines, 2, Language::Go);
        assert_eq!((first, text.join("|")), (0, "Says|it.".to_owned()));
    }

    #[test]
    fn a_docstring_is_the_comment_of_python() {
        let lines = [
            "def f(",
            "    a,",
            "):",
            "    \"\"\"Says it.",
            "",
            "    More.\"\"\"",
            "    x",
        ];
        assert_eq!(docstring(&lines, 0, 6), ["Says it.", "", "More."]);
        assert_eq!(
            docstring(&["def f():", "    \"\"\"One.\"\"\""], 0, 1),
            ["One."]
        );
        assert!(docstring(&["def f():", "    x"], 0, 1).is_empty());
    }

    #[test]
    fn a_function_in_a_function_is_local() {
        let lines = [
            "class A:",
            "    def f(self):",
            "        def g():",
            "            pass",
        ];
        assert!(!is_local(&lines, 0));
        assert!(!is_local(&lines, 1));
        assert!(is_local(&lines, 2));
    }
}
