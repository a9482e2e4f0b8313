//! Uses of an identifier in code, each with its receiver: none, a name, or an expression. Words of
//! comments and strings are not uses.

use std::collections::{BTreeMap, BTreeSet};

use crate::code::Code;
use crate::language::Language;
use crate::limits::{DECLARED_TYPE_TOKENS, HINT_TOKENS};
use crate::position::{TokenIndex, token_indices};

/// The receiver before an identifier, separated by a sign such as `.` or `::`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Qualifier {
    /// No receiver.
    None,
    /// The enclosing object or type: `self`, `this`, `Self`, `cls`, `super`.
    Own,
    /// A name, the last one of a path: `fetcher` in `self.fetcher.fetch`.
    Name(String),
    /// A value that is evidently of the owner: `Fetcher(url).fetch`, `Fetcher::new().fetch`.
    Owner,
    /// Any other expression.
    Expression,
}

/// A use of an identifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// Line, 1-based.
    pub line: u32,
    /// Receiver before it.
    pub qualifier: Qualifier,
}

/// A line that declares the type of a name, explicitly or by an assigned value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeDeclaration {
    /// Line, 1-based.
    pub line: u32,
    /// True if the type is the owner.
    pub is_owner: bool,
}

/// The uses of an identifier in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// Uses in the order of the text.
    pub uses: Vec<Use>,
    /// Declarations of the names used as receivers, in the order of the text.
    pub declarations: BTreeMap<String, Vec<TypeDeclaration>>,
    /// Lines in which the owner is named.
    pub owner_lines: BTreeSet<u32>,
}

/// Words for the enclosing object or type.
const OWN: [&str; 9] = [
    "self", "this", "Self", "cls", "super", "base", "$this", "static", "parent",
];

/// Words that precede a name and are not its type.
const NO_TYPES: [&str; 44] = [
    "return",
    "new",
    "in",
    "of",
    "else",
    "await",
    "throw",
    "case",
    "let",
    "var",
    "const",
    "mut",
    "val",
    "def",
    "fn",
    "fun",
    "func",
    "function",
    "public",
    "private",
    "protected",
    "static",
    "final",
    "async",
    "yield",
    "not",
    "and",
    "or",
    "if",
    "elif",
    "while",
    "until",
    "unless",
    "when",
    "is",
    "delete",
    "typeof",
    "instanceof",
    "import",
    "from",
    "use",
    "export",
    "ref",
    "defer",
];

/// Returns the uses of the identifier `name` in `text`; `owner` is the type of which it is a method
/// or field, if any.
#[must_use]
pub fn uses(language: Language, text: &str, name: &str, owner: Option<&str>) -> Uses {
    // A text that does not contain the name need not be lexed.
    if !text.contains(name) {
        return Uses::default();
    }
    let code = Code::new(language, text);
    let owner = owner.unwrap_or_default();
    let mut found = Uses::default();
    for token in names(&code) {
        let word = code.word(token);
        if word == name {
            let qualifier = qualifier(&code, token, owner);
            if let Qualifier::Name(name) = &qualifier {
                found.declarations.entry(name.clone()).or_default();
            }
            found.uses.push(Use {
                line: code.line(token),
                qualifier,
            });
        }
        if word == owner {
            found.owner_lines.insert(code.line(token));
        }
    }
    // Declarations are collected in a second pass, because a receiver may be declared before its
    // first use: `let a = Owner::new();` comes before `a.name()`. Only then is it known which
    // names are receivers, and a text without any needs no second pass.
    if owner.is_empty() || found.declarations.is_empty() {
        return found;
    }
    for token in names(&code) {
        if let Some(declarations) = found.declarations.get_mut(code.word(token))
            && let Some(is_owner) = declares(&code, token, owner)
        {
            declarations.push(TypeDeclaration {
                line: code.line(token),
                is_owner,
            });
        }
    }
    found
}

fn names<'c>(code: &'c Code<'_>) -> impl Iterator<Item = TokenIndex> + 'c {
    token_indices(TokenIndex::FIRST..code.end_token()).filter(|token| code.is_name(*token))
}

/// Returns the token before the access sign that precedes `token`, or `None` if there is no such
/// sign.
fn before_access(code: &Code<'_>, token: TokenIndex) -> Option<TokenIndex> {
    let sign = token.previous()?;
    let before = match code.sign(sign) {
        // The dots of `0..name` and `...name` are not access signs.
        b'.' if !code.previous_is(sign, b'.') => sign.previous()?,
        b':' if code.previous_is(sign, b':') => sign.previous()?.previous()?,
        b'>' if code.previous_is(sign, b'-') => sign.previous()?.previous()?,
        _ => return None,
    };
    let mut before = before;
    // `a?.b`, `a!.b`, `a()?.b`.
    while code.is(before, b'?') || code.is(before, b'!') {
        before = before.previous()?;
    }
    Some(before)
}

fn qualifier(code: &Code<'_>, token: TokenIndex, owner: &str) -> Qualifier {
    let Some(before) = before_access(code, token) else {
        return Qualifier::None;
    };
    if code.is_name(before) {
        return match code.word(before) {
            word if OWN.contains(&word) => Qualifier::Own,
            word if word == owner => Qualifier::Owner,
            word => Qualifier::Name(word.to_owned()),
        };
    }
    if !owner.is_empty() && is_made_of(code, before, owner) {
        return Qualifier::Owner;
    }
    Qualifier::Expression
}

/// Returns true if the expression that ends with the bracket `close` is a call of the owner, or
/// contains only one.
fn is_made_of(code: &Code<'_>, close: TokenIndex, owner: &str) -> bool {
    // Calls are followed backwards from the receiver: `Owner::new().with(a).name`. The number of
    // steps is limited, since each use in a chain of a thousand calls would otherwise walk all
    // the calls before it.
    let mut close = close;
    for _ in 0..HINT_TOKENS {
        let open = code.opening_bracket(close);
        let Some(open) = open.filter(|_| code.is(close, b')')) else {
            return false;
        };
        let Some(callee) = open.previous().filter(|callee| code.is_name(*callee)) else {
            // `(new Owner()).name`
            let inner = token_indices(open..close).take(DECLARED_TYPE_TOKENS as usize);
            return inner.into_iter().any(|token| code.word(token) == owner);
        };
        // `Owner(…)`, `Owner::new(…)`, `pkg.Owner.create(…)`.
        let mut name = callee;
        for _ in 0..HINT_TOKENS {
            if code.word(name) == owner {
                return true;
            }
            match before_access(code, name) {
                Some(before) if code.is_name(before) => name = before,
                // `Owner::new().with(a).name`
                Some(before) if code.is(before, b')') => {
                    close = before;
                    break;
                }
                _ => return false,
            }
        }
    }
    false
}

/// Returns true if the name at `token` is declared there with the owner as its type, false if it
/// is declared with another type, or `None` if it is not declared there.
fn declares(code: &Code<'_>, token: TokenIndex, owner: &str) -> Option<bool> {
    // `a.name = …` assigns a field of another object, `self.name` of this one.
    if let Some(before) = before_access(code, token)
        && !OWN.contains(&code.word(before))
    {
        return None;
    }
    let next = token + 1;
    // `name: Owner`, `name?: Owner`.
    let colon = if code.is(next, b'?') { next + 1 } else { next };
    // A colon that ends its line begins a block.
    let is_typed = code.is_single_colon(colon) && code.continues_line(colon + 1);
    if is_typed && !code.is(colon + 1, b'=') {
        return Some(has_owner(code, colon + 1, owner));
    }
    // `name = Owner(…)`, `name := &Owner{…}`.
    let equals = if code.is(next, b':') { next + 1 } else { next };
    let is_assigned =
        code.is(equals, b'=') && !code.is(equals + 1, b'=') && !code.is(equals + 1, b'>');
    if is_assigned && has_owner(code, equals + 1, owner) {
        return Some(true);
    }
    // In `Owner name = make();` the type says what the value does not, so a value that does not
    // name the owner is not the answer yet: the type before the name decides. Without a type the
    // assignment declares a name of another type.
    declares_before(code, token, owner).or(is_assigned.then_some(false))
}

/// Returns true if the type before the name at `token`, or in Go after it, is the owner, or `None`
/// if there is no type.
fn declares_before(code: &Code<'_>, token: TokenIndex, owner: &str) -> Option<bool> {
    let before = token.previous()?;
    let next = token + 1;
    if code.language == Language::Python && code.word(before) == "as" {
        let start = before.saturating_sub(HINT_TOKENS);
        let named = token_indices(start..before).any(|token| code.word(token) == owner);
        return Some(named);
    }
    if code.language == Language::Go {
        let typed = if code.is(next, b'*') { next + 1 } else { next };
        if code.is_name(typed) && code.continues_line(typed) {
            return Some(has_owner(code, typed, owner));
        }
    }
    // `Owner name`, `Owner<T> name`, `Owner *name`.
    let mut typed = before;
    for _ in 0..HINT_TOKENS {
        match code.sign(typed) {
            b'*' | b'&' | b'?' => typed = typed.previous()?,
            b']' => typed = code.opening_bracket(typed)?.previous()?,
            b'>' => {
                let open = token_indices(typed.saturating_sub(DECLARED_TYPE_TOKENS)..typed)
                    .rev()
                    .find(|token| code.is(*token, b'<'))?;
                typed = open.previous()?;
            }
            _ => break,
        }
    }
    let is_type = code.is_name(typed)
        && code.continues_line(token)
        && !NO_TYPES.contains(&code.word(typed))
        && !matches!(
            code.language,
            Language::Python | Language::Ruby | Language::Shell
        );
    is_type.then(|| code.word(typed) == owner)
}

/// Returns true if the type or value that begins at `start` names the owner, or a call of its
/// constructor.
fn has_owner(code: &Code<'_>, start: TokenIndex, owner: &str) -> bool {
    let end = start + DECLARED_TYPE_TOKENS;
    for token in token_indices(start..end) {
        // A value ends with its line, unless the next line begins with a dot:
        // `Owner::builder()⏎.build()`. Without a semicolon, as in Python, the owner on the next
        // line would otherwise count for the name above it.
        let ends = code.kind(token).is_none()
            || code.is(token, b';')
            || code.is(token, b',')
            || code.is(token, b'}')
            || (token != start && code.is_first_on_line(token) && !code.is(token, b'.'));
        if ends {
            return false;
        }
        let word = code.word(token);
        // `NewOwner()` of Go; `make_owner` is not recognized.
        if word == owner || word.strip_prefix("New") == Some(owner) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Formats each use as its line, with `+` if its receiver is known to be the owner.
    fn format_uses(language: Language, text: &str) -> Vec<String> {
        let found = uses(language, text, "load", Some("Store"));
        let shown = found.uses.iter().map(|one| {
            let what = match &one.qualifier {
                Qualifier::None => "bare".to_owned(),
                Qualifier::Own => "own".to_owned(),
                Qualifier::Owner => "owner".to_owned(),
                Qualifier::Expression => "some".to_owned(),
                Qualifier::Name(name) => {
                    let all = &found.declarations[name];
                    let signs = all.iter().map(|it| if it.is_owner { '+' } else { '-' });
                    format!("{name}{}", signs.collect::<String>())
                }
            };
            format!("{} {what}", one.line)
        });
        shown.collect()
    }

    #[test]
    fn receivers_before_a_name() {
        for (language, text, expected) in [
            (
                Language::Python,
                "s = Store(1)\ns.load()\nm = Mock()\nm.load()\nself.load()\nload()\nStore().load()\n\
                 def f(t: Store, u: Other):\n    t.load(u.load)\nmake().load()\n\
                 with Store() as w:\n    w.load()\nself.x = Store()\nself.x.load()\n# s.load()\n",
                &[
                    "2 s+", "4 m-", "5 own", "6 bare", "7 owner", "9 t+", "9 u-", "10 some",
                    "12 w+", "14 x+",
                ][..],
            ),
            (
                Language::Rust,
                "let s = Store::new(a);\ns.load()?;\nStore::load(&s);\nfn f(t: &Arc<Store>, o: &Other) {\n\
                 t.load(); o.load(); Store::new().with(1)?.load(); 0..load }\nimpl A { fn b(&self) { self.load() } }\n",
                &[
                    "2 s+", "3 owner", "5 t+", "5 o-", "5 owner", "5 bare", "6 own",
                ],
            ),
            (
                Language::Java,
                "Store s = make();\ns.load();\nList<Store> all;\nOther o = x;\no.load();\nnew Store().load();\n\
                 this.load();\nreturn s.load();\n",
                &["2 s+", "5 o-", "6 owner", "7 own", "8 s+"],
            ),
            (
                Language::Go,
                "func (s *Store) x() { s.load() }\nm := NewStore()\nm.load()\nt := &Other{}\nt.load()\n",
                &["1 s+", "3 m+", "5 t-"],
            ),
            (
                Language::TypeScript,
                "const s: Store = x;\ns?.load();\nlet m = { load: 1 };\nfunction f(a?: Store) { a!.load() }\n",
                &["2 s+", "3 bare", "4 a+"],
            ),
        ] {
            assert_eq!(format_uses(language, text), expected, "{text}");
        }
    }

    #[test]
    fn comments_and_strings_use_nothing() {
        let text = "// run\nfn run() {\n    let s = \"run\";\n    run(); run();\n}\n/* run */\n";
        let lines = |name| -> Vec<u32> {
            let found = uses(Language::Rust, text, name, None);
            found.uses.iter().map(|one| one.line).collect()
        };
        assert_eq!(lines("run"), [2, 4, 4]);
        assert_eq!(lines("ru"), [0; 0]);
    }
}
