//! Detection of files of code that define the name of a query.

use crate::part::lines::lines_between;
use docent_code::{Language, Symbol, SymbolKind, outline};
use docent_text::fold::fold;
use docent_text::lines::with_ends;
use docent_text::matching::finder::{Case, Finder};
use docent_text::words::identifier;

/// A name that a query consists of or asks about, with the names of its enclosing items, if any.
pub struct DefinedName<'q> {
    /// The unqualified name: `next` of `Parser::next`.
    last: &'q str,
    /// Names of the enclosing items, outermost first.
    outer: Vec<&'q str>,
    /// True if the query cannot be anything but a name.
    is_identifier: bool,
    exact: Finder,
    any_case: Finder,
}

impl<'q> DefinedName<'q> {
    /// Returns the name that a query consists of or asks about, or `None` if there is no such name.
    pub fn from_query(query: &'q str) -> Option<Self> {
        let named = identifier::find(query);
        let name = named.or_else(|| identifier::name(query))?;
        let mut outer: Vec<&str> = identifier::names(name).collect();
        let last = outer.pop()?;
        Some(Self {
            last,
            outer,
            is_identifier: named.is_some(),
            exact: Finder::new(last, Case::Sensitive),
            any_case: Finder::new(last, Case::Ignored),
        })
    }

    /// Returns true if a name is this one, as written or in another case. A plain word, such as
    /// `flask`, does not match a type `Flask`; `parseconfig` matches `parseConfig`.
    fn is(&self, name: &str, case: Case) -> bool {
        match case {
            Case::Sensitive => name == self.last,
            Case::Ignored => {
                let folded = |name: &'_ str| name.chars().map(fold).collect::<String>();
                (self.is_identifier || identifier::parse_lone(name).is_some())
                    && folded(name) == folded(self.last)
            }
        }
    }

    /// Returns true if `text` may define it: a line declares something of this name, judged by its
    /// words and punctuation. Of a hundred files that use a name this leaves few to outline.
    pub fn may_be_defined_in(&self, text: &str, case: Case) -> bool {
        let finder = match case {
            Case::Sensitive => &self.exact,
            Case::Ignored => &self.any_case,
        };
        with_ends(text).any(|line| {
            let mut hits = finder.hits(line);
            hits.any(|hit| {
                self.is(&line[hit.clone()], case)
                    && is_declaration(&line[..hit.start], &line[hit.end..])
            })
        })
    }

    /// Returns true if `text` defines it.
    pub fn is_defined_in(&self, language: Language, text: &str, case: Case) -> bool {
        let is_definition =
            |symbol: &Symbol| self.is_of(symbol, case) && !is_prototype(language, text, symbol);
        let outline = outline(language, text);
        self.find(&outline.symbols, &is_definition, &mut Vec::new())
    }

    /// Returns true if a definition has this name, regardless of the enclosing definitions.
    pub fn is_of(&self, symbol: &Symbol, case: Case) -> bool {
        self.is(last_part(&symbol.name), case)
    }

    /// Returns true if a definition has this name, as written or in another case.
    pub fn is_it(&self, symbol: &Symbol) -> bool {
        self.is_of(symbol, Case::Sensitive) || self.is_of(symbol, Case::Ignored)
    }

    fn find<'s>(
        &self,
        symbols: &'s [Symbol],
        is_definition: &impl Fn(&Symbol) -> bool,
        chain: &mut Vec<&'s str>,
    ) -> bool {
        symbols.iter().any(|symbol| {
            let outer: Vec<&str> = symbol.name.split(['.', ':', '#']).collect();
            let names = chain.iter().copied().chain(outer.iter().copied());
            let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
            let is_it = is_definition(symbol) && self.outer_are_among(&names[..names.len() - 1]);
            let length = chain.len();
            chain.extend(outer);
            let is_inside = is_it || self.find(&symbol.children, is_definition, chain);
            chain.truncate(length);
            is_inside
        })
    }

    /// Returns true if `names` contains the enclosing names in order; the query may omit some of
    /// them.
    fn outer_are_among(&self, names: &[&str]) -> bool {
        let mut names = names.iter();
        self.outer
            .iter()
            .all(|outer| names.any(|name| plain(name) == *outer))
    }
}

/// Returns true if a function is only declared: `int main(void);`. Its body is elsewhere.
pub fn is_prototype(language: Language, text: &str, symbol: &Symbol) -> bool {
    let is_function = matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method);
    if !is_function || !matches!(language, Language::C | Language::Cpp) {
        return false;
    }
    let own = lines_between(text, symbol.lines.first, symbol.lines.last);
    own.trim_end().ends_with(';') && !own.contains('{')
}

/// Returns a type's name without its parameters: `Cache` of `Cache<K, V>`.
fn plain(name: &str) -> &str {
    name.split(['<', '[', ' ']).next().unwrap_or(name)
}

fn last_part(name: &str) -> &str {
    plain(name.rsplit(['.', ':', '#']).next().unwrap_or(name))
}

/// Returns true if the text before and after a name on its line declares it: a keyword (`fn name`),
/// a receiver (`func (c *T) name`), a type (`static int name(`), or nothing (`name = 1`,
/// `name(a) {`).
fn is_declaration(before: &str, behind: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    if before.ends_with(is_part) || behind.starts_with(is_part) {
        return false;
    }
    let before = before.trim();
    let behind = behind.trim_start();
    let words = before.split(|c: char| !(is_part(c) || c == '#' || c == '!'));
    let word = words.clone().next_back().unwrap_or_default();
    // `fun String.name()`, `def self.name`.
    let is_extension = before.ends_with('.') && !before.contains(['(', '=']);
    let declares = |word: &str| matches!(word, "fun" | "func" | "def" | "function");
    if is_extension && words.clone().any(declares) {
        return true;
    }
    if KEYWORDS.contains(&word) || before.starts_with("func (") && before.ends_with(')') {
        return true;
    }
    let is_type = |c: char| is_part(c) || c.is_whitespace() || "*&<>:,[]~?@#$-".contains(c);
    let is_plain = before.chars().all(is_type);
    let is_statement = words.clone().any(|word| STATEMENTS.contains(&word));
    let is_followed =
        behind.is_empty() || behind.starts_with(['(', '=', '{', ':', '<', ';', ',', '[']);
    is_plain && !is_statement && is_followed && !before.ends_with(['.', ':', '-', '>', ','])
}

/// Keywords that declare the name after them, in the languages that can be outlined.
const KEYWORDS: [&str; 30] = [
    "fn",
    "def",
    "class",
    "struct",
    "enum",
    "trait",
    "type",
    "interface",
    "const",
    "static",
    "let",
    "var",
    "val",
    "function",
    "func",
    "fun",
    "module",
    "mod",
    "namespace",
    "union",
    "record",
    "object",
    "protocol",
    "extension",
    "#define",
    "define",
    "macro_rules!",
    "actor",
    "typealias",
    "delegate",
];

/// Words before a name that show a use and not a declaration.
const STATEMENTS: [&str; 19] = [
    "return", "else", "new", "throw", "await", "case", "goto", "delete", "in", "of", "and", "or",
    "not", "if", "while", "import", "use", "from", "yield",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_declare() {
        for (line, expected) in [
            ("fn harbour() {", true),
            ("pub(crate) const fn harbour<T>(", true),
            ("func (c *Context) harbour() {", true),
            ("static int *harbour(client *c) {", true),
            ("  harbour(a, b) {", true),
            ("harbour = 1", true),
            ("fun String.harbour(): Int", true),
            ("  def self.harbour", true),
            ("#define harbour 1", true),
            ("    return harbour(1);", false),
            ("x.harbour(1);", false),
            ("a = harbour(1)", false),
            ("if (harbour(1)) {", false),
            ("fn harbour_two() {", false),
            ("use a::harbour;", false),
        ] {
            let name = DefinedName::from_query("harbour");
            let found = name.is_some_and(|name| name.may_be_defined_in(line, Case::Sensitive));
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn a_prototype_is_no_definition() {
        let is_defined = |text| {
            DefinedName::from_query("run")
                .is_some_and(|name| name.is_defined_in(Language::C, text, Case::Sensitive))
        };
        assert!(is_defined(
            "/* Runs. */\nint run(void) {\n    return 1;\n}\n"
        ));
        assert!(!is_defined("/* Runs. */\nint run(void);\n"));
    }

    #[test]
    fn names_in_another_case() {
        let text =
            "def parseConfig():\n    pass\n\nclass Flask:\n    def runAll(self):\n        pass\n";
        for (query, expected) in [
            ("parseconfig", true),
            ("ParseConfig", true),
            ("Flask.runall", true),
            ("flask", false),
            ("flask.run_all", false),
        ] {
            let name = DefinedName::from_query(query);
            let found = name.is_some_and(|name| {
                assert!(!name.is_defined_in(Language::Python, text, Case::Sensitive));
                let may_be = name.may_be_defined_in(text, Case::Ignored);
                may_be && name.is_defined_in(Language::Python, text, Case::Ignored)
            });
            assert_eq!(found, expected, "{query}");
        }
    }

    #[test]
    fn names_with_those_round_them() {
        let text = "class Flask:\n    def run(self):\n        pass\n\ndef other():\n    run()\n";
        for (query, expected) in [
            ("run", true),
            ("Flask.run", true),
            ("Flask::run()", true),
            ("Django.run", false),
            ("Flask", true),
            ("missing", false),
            ("two words", false),
        ] {
            let name = DefinedName::from_query(query);
            let is_defined =
                |name: DefinedName<'_>| name.is_defined_in(Language::Python, text, Case::Sensitive);
            assert_eq!(name.is_some_and(is_defined), expected, "{query}");
        }
    }
}
