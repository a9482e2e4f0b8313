//! Definitions by their names.

use docent_code::{Symbol, SymbolKind};
use unicode_normalization::UnicodeNormalization as _;

use crate::lexical::similarity::nearest;
use docent_document::headings::heading::one_line;
use docent_text::fold::fold;

/// All definitions of a file, in the order of the text, each after the one that encloses it.
#[derive(Debug, Default)]
pub struct Definitions<'a> {
    all: Vec<PartDefinition<'a>>,
}

/// A definition.
#[derive(Clone, Copy, Debug)]
pub struct PartDefinition<'a> {
    /// The symbol of the outline.
    pub symbol: &'a Symbol,
    /// Index of the enclosing definition.
    parent: Option<usize>,
    index: usize,
}

/// Treatment of upper and lower case.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NameCase {
    Kept,
    Ignored,
}

/// Form in which an address matches a definition, best first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AddressMatch {
    /// By its full qualified name.
    Whole,
    /// By the last components of it.
    End,
    /// By some components of it, the last of which is its own name.
    Below,
    /// By the beginning of its first line, which serves as the name of a block of text.
    LineStart,
    /// By words of that line.
    LineWords,
}

/// A name in the form used for comparison.
struct PlainName {
    full: String,
    /// Without type arguments.
    bare: String,
}

impl<'a> Definitions<'a> {
    /// Returns the definitions among `symbols` and those nested in them.
    pub fn new(symbols: &'a [Symbol]) -> Self {
        let mut all = Self::default();
        all.add(symbols, None);
        all
    }

    fn add(&mut self, symbols: &'a [Symbol], parent: Option<usize>) {
        for symbol in symbols {
            let index = self.all.len();
            self.all.push(PartDefinition {
                symbol,
                parent,
                index,
            });
            self.add(&symbol.children, Some(index));
        }
    }

    /// Returns the definitions that match `address`: none if there are none, several if it is
    /// ambiguous. It is a name (`run`), a qualified name that may omit components (`Flask.run`,
    /// `Flask::run`, `Flask/run`, `Flask > run`), or the declaration of a definition
    /// (`impl Display for Flask`, `def run`).
    ///
    /// A type precedes its implementations, and a definition precedes nested ones with the same
    /// name.
    pub fn find(&self, address: &str) -> Vec<PartDefinition<'a>> {
        for case in [NameCase::Kept, NameCase::Ignored] {
            let declared = self.find_declared(address, case);
            if !declared.is_empty() {
                return self.outermost(declared);
            }
            let names = self.all.iter();
            let names = names.map(|definition| PlainName::new(&definition.symbol.name, case));
            let names: Vec<PlainName> = names.collect();
            for form in forms(address) {
                let is_implementation = form.len() < address.len() && address.starts_with("impl ");
                let wanted = plain(form, case);
                let wanted = wanted.trim_start_matches('.');
                if wanted.is_empty() {
                    continue;
                }
                let found = self.find_named(&names, wanted, is_implementation);
                if !found.is_empty() {
                    return self.outermost(found);
                }
            }
        }
        Vec::new()
    }

    /// Returns the definitions of this name, only implementations if the address asks for one.
    fn find_named(
        &self,
        names: &[PlainName],
        wanted: &str,
        is_implementation: bool,
    ) -> Vec<PartDefinition<'a>> {
        let fits = [
            AddressMatch::Whole,
            AddressMatch::End,
            AddressMatch::Below,
            AddressMatch::LineStart,
            AddressMatch::LineWords,
        ];
        let found = fits.into_iter().map(|fit| {
            let is_it = |definition: &&PartDefinition<'_>| {
                let is_kind = definition.symbol.kind == SymbolKind::Impl;
                (is_kind || !is_implementation) && self.fits(names, definition, wanted, fit)
            };
            self.all.iter().filter(is_it).copied().collect::<Vec<_>>()
        });
        let mut found = found.filter(|found| !found.is_empty());
        found.next().unwrap_or_default()
    }

    /// Returns the qualified name of a definition, the outermost component first.
    pub fn names(&self, definition: PartDefinition<'a>) -> Vec<String> {
        let outwards = self.outwards(definition);
        let mut names: Vec<String> = outwards.map(|one| one.symbol.name.clone()).collect();
        names.reverse();
        names
    }

    /// Returns true if definitions, in the order of the text, are variants of one: they have one
    /// name and the same parent, and no other child of it is between them. Examples are the
    /// overloads of a function, the getter and setter of a property, and a function for each
    /// platform.
    pub fn are_variants(&self, found: &[PartDefinition<'a>]) -> bool {
        let (Some(first), Some(last)) = (found.first(), found.last()) else {
            return false;
        };
        let mut among = self.all[first.index..=last.index]
            .iter()
            .filter(|one| one.parent == first.parent);
        among.all(|one| one.symbol.name == first.symbol.name)
            && found.iter().all(|one| one.parent == first.parent)
    }

    /// Returns a description that distinguishes a definition from others with the same name.
    pub fn description(&self, definition: PartDefinition<'a>) -> String {
        let symbol = definition.symbol;
        if symbol.kind == SymbolKind::Impl {
            return one_line(&symbol.signature);
        }
        format!(
            "{} {}",
            symbol.kind.name(),
            self.names(definition).join(".")
        )
    }

    /// Returns the names most similar to one that does not exist, each qualified by the enclosing
    /// definitions.
    pub fn nearest(&self, address: &str, most: usize) -> impl Iterator<Item = String> {
        let wanted = plain(address, NameCase::Ignored);
        let last = wanted.rsplit('.').next().unwrap_or_default();
        let names = self.all.iter();
        let names = names.map(|definition| plain(&definition.symbol.name, NameCase::Ignored));
        let nearest = nearest(last, names, most).into_iter();
        nearest.map(|index| self.names(self.all[index]).join("."))
    }

    /// Returns a definition and those that enclose it, outwards.
    fn outwards(&self, definition: PartDefinition<'a>) -> impl Iterator<Item = PartDefinition<'a>> {
        std::iter::successors(Some(definition), |inner| {
            inner.parent.and_then(|index| self.all.get(index).copied())
        })
    }

    /// Returns the definitions that are declared by these words, or whose declaration contains
    /// them.
    fn find_declared(&self, address: &str, case: NameCase) -> Vec<PartDefinition<'a>> {
        let words: Vec<&str> = address.split_whitespace().collect();
        if words.len() < 2 {
            return Vec::new();
        }
        let wanted = normalize_case(&words.join(" "), case);
        let holds = |is_all: bool| -> Vec<PartDefinition<'a>> {
            let is_it = |definition: &&PartDefinition<'_>| {
                let signature = normalize_case(&definition.symbol.signature, case);
                signature == wanted || !is_all && has_words(&signature, &wanted)
            };
            self.all.iter().filter(is_it).copied().collect()
        };
        let whole = holds(true);
        if whole.is_empty() {
            holds(false)
        } else {
            whole
        }
    }

    fn fits(
        &self,
        names: &[PlainName],
        definition: &PartDefinition<'a>,
        wanted: &str,
        fit: AddressMatch,
    ) -> bool {
        let is_block = definition.symbol.kind == SymbolKind::Block;
        let line = || &names[definition.index].full;
        match fit {
            AddressMatch::LineStart => {
                let rest = line().strip_prefix(wanted);
                return is_block && rest.is_some_and(|rest| !rest.starts_with(is_of_name));
            }
            AddressMatch::LineWords => return is_block && has_words(line(), wanted),
            AddressMatch::Whole | AddressMatch::End | AddressMatch::Below => {}
        }
        // The address is matched from the definition's own name outwards: of `Flask.run`, `run`
        // first, then `Flask` with the enclosing definition.
        let mut rest = wanted;
        let mut outwards = self.outwards(*definition);
        while let Some(one) = outwards.next() {
            let name = &names[one.index];
            if name.is(rest) {
                return fit != AddressMatch::Whole || outwards.next().is_none();
            }
            // `Parser::next` may also be the name of a single definition, as for a method that
            // is defined outside its class in C++.
            if fit != AddressMatch::Whole && name.ends_with(rest) {
                return true;
            }
            match name.before_in(rest) {
                Some(before) => rest = before,
                None if fit == AddressMatch::Below && one.index != definition.index => {}
                None => return false,
            }
        }
        false
    }

    /// Removes implementations if there is another definition, and definitions nested in a
    /// remaining one, such as a constructor in a class of the same name.
    fn outermost(&self, mut found: Vec<PartDefinition<'a>>) -> Vec<PartDefinition<'a>> {
        let is_type = |definition: &PartDefinition<'_>| definition.symbol.kind != SymbolKind::Impl;
        if found.iter().any(is_type) {
            found.retain(is_type);
        }
        let mut outer: Option<PartDefinition<'a>> = None;
        // In the order of the text, nested definitions come after the enclosing one, so it is
        // enough to remember the last one that was kept.
        found.retain(|definition| {
            let is_inside = outer.is_some_and(|outer| self.is_inside(*definition, outer.index));
            if !is_inside {
                outer = Some(*definition);
            }
            !is_inside
        });
        found
    }

    fn is_inside(&self, definition: PartDefinition<'a>, outer: usize) -> bool {
        let mut parent = definition.parent;
        while let Some(index) = parent.filter(|&index| index > outer) {
            parent = self.all.get(index).and_then(|definition| definition.parent);
        }
        parent == Some(outer)
    }
}

impl PlainName {
    fn new(name: &str, case: NameCase) -> Self {
        let full = plain(name, case);
        let bare = full.split('<').next().unwrap_or_default().trim_end();
        Self {
            // `operator<` ends with `<` and is not a type with arguments.
            bare: if full.ends_with('>') {
                bare.to_owned()
            } else {
                full.clone()
            },
            full,
        }
    }

    fn forms(&self) -> impl Iterator<Item = &str> {
        [self.full.as_str(), self.bare.as_str()].into_iter()
    }

    fn is(&self, wanted: &str) -> bool {
        self.forms().any(|name| name == wanted)
    }

    /// Returns true if it is qualified and ends with these names.
    fn ends_with(&self, names: &str) -> bool {
        let before = |name: &str| name.strip_suffix(names).is_some_and(|it| it.ends_with('.'));
        self.forms().any(before)
    }

    /// Returns the part of `names` before this name at its end, or `None` if it does not end with
    /// it.
    fn before_in<'n>(&self, names: &'n str) -> Option<&'n str> {
        let mut forms = self.forms().filter(|name| !name.is_empty());
        forms.find_map(|name| names.strip_suffix(name)?.strip_suffix('.'))
    }
}

/// Returns the forms of a name in an address: as it is, without call arguments (`run(self)`),
/// without type arguments, and without the words before it (`impl Flask`).
fn forms(address: &str) -> impl Iterator<Item = &str> {
    let without = |sign| address.find(sign).map(|at| address[..at].trim_end());
    let bare = without('(').or_else(|| without('<')).unwrap_or(address);
    let own = |text: &str| text.rfind(char::is_whitespace).map(|at| at + 1);
    let last = own(bare.trim_end()).map(|at| bare[at..].trim_start());
    // In `A > b` the separator is `>`, so `A >` is not a word before a name.
    let last = last.filter(|_| !address.contains(" > "));
    let all = [Some(address), without('('), without('<'), last];
    all.into_iter().flatten().filter(|form| !form.is_empty())
}

/// Returns a name in the form used for comparison: every separator becomes a `.`.
fn plain(name: &str, case: NameCase) -> String {
    let name = name.trim().replace(" > ", ".").replace("::", ".");
    normalize_case(&name.replace(['/', '#', '\\'], "."), case)
}

fn normalize_case(text: &str, case: NameCase) -> String {
    match case {
        NameCase::Kept if text.is_ascii() => text.to_owned(),
        NameCase::Kept => text.nfc().collect(),
        NameCase::Ignored => text.nfc().map(fold).collect(),
    }
}

/// Returns true if `words` occur in a text as whole words.
fn has_words(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| {
        !text[..at].ends_with(is_of_name) && !text[at + words.len()..].starts_with(is_of_name)
    })
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
