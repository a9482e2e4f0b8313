//! What a line stands in.

use crate::Symbol;

/// Says of line after line, downwards, which symbols hold it.
///
/// Of each level what ends before the last line is passed for good, so that all lines of a text
/// cost as much as its symbols and lines are many, where a search for each would cost their
/// product.
#[derive(Clone, Debug)]
pub struct Enclosing<'a> {
    /// From the outermost level on, the symbols that do not end before the line that was asked for
    /// last. Each level but the first stands in the first symbol of the one before.
    levels: Vec<&'a [Symbol]>,
}

impl<'a> Enclosing<'a> {
    pub(crate) fn new(symbols: &'a [Symbol]) -> Self {
        Self {
            levels: vec![symbols],
        }
    }

    /// Returns the symbols whose lines hold the 1-based `line`, which is not above the one before,
    /// from the outermost to the innermost; of two on one line the first.
    pub fn at(&mut self, line: u32) -> Vec<&'a Symbol> {
        let mut path = Vec::new();
        while let Some(level) = self.levels.get_mut(path.len()) {
            let all: &'a [Symbol] = level;
            let passed = all.iter().take_while(|symbol| symbol.lines.last < line);
            let passed = passed.count();
            let left = &all[passed..];
            *level = left;
            if passed > 0 {
                self.levels.truncate(path.len() + 1);
            }
            let first = left.first();
            let Some(symbol) = first.filter(|symbol| symbol.lines.contains(line)) else {
                break;
            };
            path.push(symbol);
            if self.levels.len() == path.len() {
                self.levels.push(&symbol.children);
            }
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use crate::{Language, Outline, Symbol, outline};

    /// Looks through all symbols of each level, as the definition says.
    fn searched(outline: &Outline, line: u32) -> Vec<&Symbol> {
        let mut path = Vec::new();
        let mut level = &outline.symbols;
        while let Some(symbol) = level.iter().find(|symbol| symbol.lines.contains(line)) {
            path.push(symbol);
            level = &symbol.children;
        }
        path
    }

    #[test]
    fn line_after_line_is_as_each_line_alone() {
        let text = "class A {\n  int a; int b;\n  void c() {\n  } void d() {\n  }\n}\n\
                    class B { void e() { } } class C {\n  int f;\n}\nint g;\n";
        let outline = outline(Language::Java, text);
        let mut by_lines = outline.by_lines();
        for line in 0..=outline.line_count + 1 {
            let expected = searched(&outline, line);
            assert_eq!(by_lines.at(line), expected, "{line}");
            assert_eq!(outline.enclosing(line), expected, "{line}");
        }
    }
}
