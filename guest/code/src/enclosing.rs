//! Enclosing symbols of lines.

use crate::symbol::Symbol;

/// A cursor over the symbols that contain a line, for lines in ascending order.
///
/// At each level, symbols that end before the last line are dropped for good, so that all lines of
/// a text cost the number of its symbols plus lines, whereas a search for each line would cost
/// their product.
#[derive(Clone, Debug)]
pub struct Enclosing<'a> {
    /// For each level from the outermost, the symbols that do not end before the last requested
    /// line. Each level but the first consists of children of the first symbol of the one before.
    levels: Vec<&'a [Symbol]>,
}

impl<'a> Enclosing<'a> {
    pub(crate) fn new(symbols: &'a [Symbol]) -> Self {
        Self {
            levels: vec![symbols],
        }
    }

    /// Returns the symbols that contain the 1-based `line`, from the outermost to the innermost,
    /// the first of two on one line. `line` must not decrease between calls.
    pub fn at(&mut self, line: u32) -> Vec<&'a Symbol> {
        let mut path = Vec::new();
        while let Some(level) = self.levels.get_mut(path.len()) {
            let all: &'a [Symbol] = level;
            let passed = all.iter().take_while(|symbol| symbol.lines.last < line);
            let passed = passed.count();
            let left = &all[passed..];
            *level = left;
            // The deeper levels are children of the symbol that was first on this level. If it
            // is passed, they are dropped, and filled again from the next one. Symbols are only
            // ever passed forwards, so that all lines together examine each symbol once.
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

    /// Reference implementation: searches all symbols of each level.
    fn search_all(outline: &Outline, line: u32) -> Vec<&Symbol> {
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
            let expected = search_all(&outline, line);
            assert_eq!(by_lines.at(line), expected, "{line}");
            assert_eq!(outline.find_enclosing(line), expected, "{line}");
        }
    }
}
