//! Definitions by their names.

use docent_code::{Symbol, SymbolKind};
use unicode_normalization::UnicodeNormalization as _;

use crate::part::nearest::nearest;
use docent_document::headings::heading::one_line;
use docent_text::fold::fold;

/// All definitions of a file, in the order of the text, each behind what it stands in.
#[derive(Debug, Default)]
pub struct Definitions<'a> {
    all: Vec<Definition<'a>>,
}

/// A definition.
#[derive(Clone, Copy, Debug)]
pub struct Definition<'a> {
    /// What is known of it.
    pub symbol: &'a Symbol,
    /// Which of them it stands in.
    parent: Option<usize>,
    index: usize,
}

/// Whether upper and lower case are the same.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NameCase {
    Kept,
    Ignored,
}

/// How a definition is called by an address, best first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fit {
    /// By all names that lead to it.
    Whole,
    /// By the last of them.
    End,
    /// By some of them, its own the last.
    Below,
    /// By the beginning of its first line: of a block of text that is the name.
    LineStart,
    /// By words of that line.
    LineWords,
}

/// A name in the form in which names are compared.
struct PlainName {
    full: String,
    /// Without type arguments.
    bare: String,
}

impl<'a> Definitions<'a> {
    /// Returns the definitions among `symbols` and in them.
    pub fn of(symbols: &'a [Symbol]) -> Self {
        let mut all = Self::default();
        all.add(symbols, None);
        all
    }

    fn add(&mut self, symbols: &'a [Symbol], parent: Option<usize>) {
        for symbol in symbols {
            let index = self.all.len();
            self.all.push(Definition {
                symbol,
                parent,
                index,
            });
            self.add(&symbol.children, Some(index));
        }
    }

    /// Returns the definitions that `address` means: none where there is none, several where it
    /// does not say which. It is a name (`run`), names from the outside to the inside, of which
    /// some may be left out (`Flask.run`, `Flask::run`, `Flask/run`, `Flask > run`), or how a
    /// definition is declared (`impl Display for Flask`, `def run`).
    ///
    /// A type is meant before its implementations, and what holds another of its name before that.
    pub fn find(&self, address: &str) -> Vec<Definition<'a>> {
        for case in [NameCase::Kept, NameCase::Ignored] {
            let declared = self.declared(address, case);
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
                let found = self.called(&names, wanted, is_implementation);
                if !found.is_empty() {
                    return self.outermost(found);
                }
            }
        }
        Vec::new()
    }

    /// Returns the definitions that are called so, only implementations where these are meant.
    fn called(
        &self,
        names: &[PlainName],
        wanted: &str,
        is_implementation: bool,
    ) -> Vec<Definition<'a>> {
        let fits = [
            Fit::Whole,
            Fit::End,
            Fit::Below,
            Fit::LineStart,
            Fit::LineWords,
        ];
        let found = fits.into_iter().map(|fit| {
            let is_it = |definition: &&Definition<'_>| {
                let is_kind = definition.symbol.kind == SymbolKind::Impl;
                (is_kind || !is_implementation) && self.fits(names, definition, wanted, fit)
            };
            self.all.iter().filter(is_it).copied().collect::<Vec<_>>()
        });
        let mut found = found.filter(|found| !found.is_empty());
        found.next().unwrap_or_default()
    }

    /// Returns the names that lead to a definition, the outermost first.
    pub fn names(&self, definition: Definition<'a>) -> Vec<String> {
        let outwards = self.outwards(definition);
        let mut names: Vec<String> = outwards.map(|one| one.symbol.name.clone()).collect();
        names.reverse();
        names
    }

    /// Returns true if definitions, in the order of the text, are forms of one: they have one name,
    /// stand in the same definition, and no other one of it stands between them. So are the overloads
    /// of a function, the getter and setter of a property, and a function for each platform.
    pub fn are_variants(&self, found: &[Definition<'a>]) -> bool {
        let (Some(first), Some(last)) = (found.first(), found.last()) else {
            return false;
        };
        let mut among = self.all[first.index..=last.index]
            .iter()
            .filter(|one| one.parent == first.parent);
        among.all(|one| one.symbol.name == first.symbol.name)
            && found.iter().all(|one| one.parent == first.parent)
    }

    /// Returns what tells a definition from others of its name.
    pub fn description(&self, definition: Definition<'a>) -> String {
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

    /// Returns the names that are nearest to one that is not there, those of the definitions round
    /// them before them.
    pub fn nearest(&self, address: &str, most: usize) -> impl Iterator<Item = String> {
        let wanted = plain(address, NameCase::Ignored);
        let last = wanted.rsplit('.').next().unwrap_or_default();
        let names = self.all.iter();
        let names = names.map(|definition| plain(&definition.symbol.name, NameCase::Ignored));
        let nearest = nearest(last, names, most).into_iter();
        nearest.map(|index| self.names(self.all[index]).join("."))
    }

    /// Returns a definition and what it stands in, outwards.
    fn outwards(&self, definition: Definition<'a>) -> impl Iterator<Item = Definition<'a>> {
        std::iter::successors(Some(definition), |inner| {
            inner.parent.and_then(|index| self.all.get(index).copied())
        })
    }

    /// Returns the definitions that are declared by these words, or whose declaration holds them.
    fn declared(&self, address: &str, case: NameCase) -> Vec<Definition<'a>> {
        let words: Vec<&str> = address.split_whitespace().collect();
        if words.len() < 2 {
            return Vec::new();
        }
        let wanted = cased(&words.join(" "), case);
        let holds = |is_all: bool| -> Vec<Definition<'a>> {
            let is_it = |definition: &&Definition<'_>| {
                let signature = cased(&definition.symbol.signature, case);
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
        definition: &Definition<'a>,
        wanted: &str,
        fit: Fit,
    ) -> bool {
        let is_block = definition.symbol.kind == SymbolKind::Block;
        let line = || &names[definition.index].full;
        match fit {
            Fit::LineStart => {
                let rest = line().strip_prefix(wanted);
                return is_block && rest.is_some_and(|rest| !rest.starts_with(is_of_name));
            }
            Fit::LineWords => return is_block && has_words(line(), wanted),
            Fit::Whole | Fit::End | Fit::Below => {}
        }
        // From the definition's own name outwards.
        let mut rest = wanted;
        let mut outwards = self.outwards(*definition);
        while let Some(one) = outwards.next() {
            let name = &names[one.index];
            if name.is(rest) {
                return fit != Fit::Whole || outwards.next().is_none();
            }
            // `Parser::next` is a name as well.
            if fit != Fit::Whole && name.ends_with(rest) {
                return true;
            }
            match name.before_in(rest) {
                Some(before) => rest = before,
                None if fit == Fit::Below && one.index != definition.index => {}
                None => return false,
            }
        }
        false
    }

    /// Leaves out implementations where there is another definition, and what stands in one that is
    /// left: a constructor in a class of its name.
    fn outermost(&self, mut found: Vec<Definition<'a>>) -> Vec<Definition<'a>> {
        let is_type = |definition: &Definition<'_>| definition.symbol.kind != SymbolKind::Impl;
        if found.iter().any(is_type) {
            found.retain(is_type);
        }
        let mut outer: Option<Definition<'a>> = None;
        // In the order of the text: what stands in another one comes behind it.
        found.retain(|definition| {
            let is_inside = outer.is_some_and(|outer| self.is_inside(*definition, outer.index));
            if !is_inside {
                outer = Some(*definition);
            }
            !is_inside
        });
        found
    }

    fn is_inside(&self, definition: Definition<'a>, outer: usize) -> bool {
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
            // `operator<` is no type with arguments.
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

    /// Whether it is qualified and ends with these names.
    fn ends_with(&self, names: &str) -> bool {
        let before = |name: &str| name.strip_suffix(names).is_some_and(|it| it.ends_with('.'));
        self.forms().any(before)
    }

    /// Returns the names before this one, with which `names` ends; none where it does not.
    fn before_in<'n>(&self, names: &'n str) -> Option<&'n str> {
        let mut forms = self.forms().filter(|name| !name.is_empty());
        forms.find_map(|name| names.strip_suffix(name)?.strip_suffix('.'))
    }
}

/// Returns the forms in which an address may hold a name: as it is, without what it is called with
/// (`run(self)`), without type arguments, and without the words before it (`impl Flask`).
fn forms(address: &str) -> impl Iterator<Item = &str> {
    let without = |sign| address.find(sign).map(|at| address[..at].trim_end());
    let bare = without('(').or_else(|| without('<')).unwrap_or(address);
    let own = |text: &str| text.rfind(char::is_whitespace).map(|at| at + 1);
    let last = own(bare.trim_end()).map(|at| bare[at..].trim_start());
    // `A > b` is no word before a name.
    let last = last.filter(|_| !address.contains(" > "));
    let all = [Some(address), without('('), without('<'), last];
    all.into_iter().flatten().filter(|form| !form.is_empty())
}

/// Returns a name in the form in which names are compared: whatever divides it is a `.`.
fn plain(name: &str, case: NameCase) -> String {
    let name = name.trim().replace(" > ", ".").replace("::", ".");
    cased(&name.replace(['/', '#', '\\'], "."), case)
}

fn cased(text: &str, case: NameCase) -> String {
    match case {
        NameCase::Kept if text.is_ascii() => text.to_owned(),
        NameCase::Kept => text.nfc().collect(),
        NameCase::Ignored => text.nfc().map(fold).collect(),
    }
}

/// Whether `words` stand in a text, not within other words.
fn has_words(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| {
        !text[..at].ends_with(is_of_name) && !text[at + words.len()..].starts_with(is_of_name)
    })
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
