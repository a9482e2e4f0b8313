//! Attributes and modifiers before a declaration.

use crate::language::Language;
use crate::lexer::directive_word;
use crate::lexer::token::TokenKind;
use crate::position::TokenIndex;
use crate::scan::braces::dialect::{is_c_like, is_ecmascript};
use crate::scan::braces::modifiers::is_modifier;
use crate::scan::braces::reader::{BraceReader, StatementScope};

/// The mutability of a declaration, by its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mutability {
    Constant,
    Variable,
}

/// A statement whose attributes and modifiers have been read.
#[derive(Debug)]
pub(super) struct Statement {
    pub(super) first: TokenIndex,
    /// Start of the signature, after the attributes.
    pub(super) after_attributes: TokenIndex,
    /// Keyword, type or name.
    pub(super) after_modifiers: TokenIndex,
    /// End of the enclosing block, which it cannot exceed.
    pub(super) block_end: TokenIndex,
    pub(super) is_private: bool,
    pub(super) mutability: Mutability,
}

impl Statement {
    /// Returns true if it has no modifiers.
    pub(super) fn is_bare(&self) -> bool {
        self.after_attributes == self.after_modifiers
    }
}

/// A piece before a declaration, with the token after it.
#[derive(Clone, Copy, Debug)]
enum PrefixPiece {
    /// Never part of the signature, and neither are the pieces before it.
    Attribute(TokenIndex),
    /// Part of the signature only after modifiers.
    Annotation(TokenIndex),
    /// Part of the signature.
    Specifier(TokenIndex),
}

impl BraceReader<'_> {
    /// Reads the attributes and modifiers of the statement that begins at `first`.
    pub(super) fn statement_at(
        &self,
        first: TokenIndex,
        block_end: TokenIndex,
        scope: &StatementScope,
    ) -> Statement {
        let mut statement = Statement {
            first,
            after_attributes: first,
            after_modifiers: first,
            block_end,
            is_private: scope.is_private,
            mutability: Mutability::Variable,
        };
        let mut is_open = false;
        while statement.after_modifiers < block_end {
            let here = statement.after_modifiers;
            match self.prefix_piece(here, block_end) {
                Some(PrefixPiece::Attribute(after)) => {
                    statement.after_modifiers = after;
                    statement.after_attributes = after;
                }
                Some(PrefixPiece::Annotation(after)) => {
                    statement.after_modifiers = after;
                    if statement.after_attributes == here {
                        statement.after_attributes = after;
                    }
                }
                Some(PrefixPiece::Specifier(after)) => statement.after_modifiers = after,
                None if self.is_modifier_at(here) => {
                    is_open |= self.modifier(&mut statement, scope);
                }
                // `inline⏎#ifdef A⏎constexpr⏎#endif⏎int f();`
                None if here > first && self.is_condition(here) => {
                    statement.after_modifiers = here + 1;
                    if statement.after_attributes == here {
                        statement.after_attributes = here + 1;
                    }
                }
                None => break,
            }
        }
        // Of several words for visibility, such as `private protected internal`, the most
        // visible one wins, and in these languages a word may also override the default of the
        // scope. In the others members are visible unless `private` says otherwise, whatever
        // comes after it.
        let language = self.code.language;
        if matches!(language, Language::CSharp | Language::Cpp | Language::Rust) && is_open {
            statement.is_private = false;
        }
        statement
    }

    /// Returns true if a preprocessor line is a condition of the following lines.
    fn is_condition(&self, here: TokenIndex) -> bool {
        let code = self.code;
        code.kind(here) == Some(TokenKind::Directive)
            && matches!(
                directive_word(code.word(here)),
                "if" | "ifdef" | "ifndef" | "else" | "elif" | "endif"
            )
    }

    /// Reads an attribute or another language-specific piece before a declaration, if there is one
    /// at `here`. The sign alone comes last, after all that begin with it.
    fn prefix_piece(&self, here: TokenIndex, block_end: TokenIndex) -> Option<PrefixPiece> {
        let code = self.code;
        let language = code.language;
        // `@interface` of Java begins a type.
        if code.is(here, b'@') && code.is_name(here + 1) && code.word(here + 1) != "interface" {
            return Some(PrefixPiece::Annotation(self.skip_annotation(here)));
        }
        if let Some(after) = self.skip_attribute(here) {
            return Some(PrefixPiece::Attribute(after));
        }
        let after = match language {
            Language::Cpp => {
                if let Some(after) = self.skip_macro(here) {
                    return Some(PrefixPiece::Annotation(after));
                }
                self.skip_template(here, block_end)
            }
            Language::Java => self.skip_java_specifier(here, block_end),
            Language::Kotlin => self.skip_kotlin_fun(here),
            Language::Swift => self.skip_swift_class(here),
            _ => None,
        };
        after
            .or_else(|| code.is(here, b'@').then(|| here + 1))
            .map(PrefixPiece::Specifier)
    }

    /// Skips `@a.b(c)`, `@field:Inject`.
    fn skip_annotation(&self, sign: TokenIndex) -> TokenIndex {
        let code = self.code;
        let mut after = sign + 2;
        while (code.is(after, b'.') || code.is(after, b':')) && code.is_name(after + 1) {
            after += 2;
        }
        // In `@a (b)` the brackets are not those of the annotation: they begin a type or a
        // tuple.
        if code.is(after, b'(') && code.touches_next(after - 1) {
            after = code.after(after);
        }
        after
    }

    /// Skips `#[a]`, `#![a]`, `[a]`, `[[a]]`.
    fn skip_attribute(&self, here: TokenIndex) -> Option<TokenIndex> {
        let code = self.code;
        if code.is(here, b'#') && code.is(here + 1, b'[') {
            Some(code.after(here + 1))
        } else if code.is(here, b'#') && code.is(here + 1, b'!') {
            Some(code.after(here + 2))
        } else if code.is(here, b'[') && code.after(here) > here + 1 {
            Some(code.after(here))
        } else {
            None
        }
    }

    /// Skips `template <class T>`, which is shown with its declaration.
    fn skip_template(&self, here: TokenIndex, block_end: TokenIndex) -> Option<TokenIndex> {
        let code = self.code;
        (code.word(here) == "template" && code.is(here + 1, b'<'))
            .then(|| self.skip_angles(here + 1, block_end))
    }

    /// Skips the type parameters of a method, which precede its type: `<T> List<T> of(T t)`, and
    /// the one modifier of three tokens: `non-sealed class A`.
    fn skip_java_specifier(&self, here: TokenIndex, block_end: TokenIndex) -> Option<TokenIndex> {
        let code = self.code;
        if code.is(here, b'<') {
            return Some(self.skip_angles(here, block_end));
        }
        let is_non_sealed =
            code.word(here) == "non" && code.is(here + 1, b'-') && code.word(here + 2) == "sealed";
        is_non_sealed.then(|| here + 3)
    }

    /// Skips the first word of `fun interface A`, an interface instead of a function.
    fn skip_kotlin_fun(&self, here: TokenIndex) -> Option<TokenIndex> {
        let code = self.code;
        let is_interface = code.word(here) == "fun" && code.word(here + 1) == "interface";
        is_interface.then(|| here + 1)
    }

    /// Skips the first word of `class func make()`, `class var shared`, which are members instead
    /// of a type.
    fn skip_swift_class(&self, here: TokenIndex) -> Option<TokenIndex> {
        let code = self.code;
        let is_member =
            code.word(here) == "class" && matches!(code.word(here + 1), "func" | "var" | "let");
        is_member.then(|| here + 1)
    }

    /// Returns true if the word at `here` is used as a modifier, and not as a name: `open: Bool`,
    /// `file = 1`, `static()`.
    fn is_modifier_at(&self, here: TokenIndex) -> bool {
        let code = self.code;
        if !code.is_name(here) || !is_modifier(code.language, code.word(here)) {
            return false;
        }
        let next = here + 1;
        let is_name = code.is(next, b':')
            || code.is(next, b',')
            || code.is(next, b';')
            || code.is(next, b'=')
            || code.is(next, b'.')
            || (code.is(next, b'(') && is_ecmascript(code.language));
        !is_name
    }

    /// Consumes the next modifier. Returns true if it makes the declaration visible.
    fn modifier(&self, statement: &mut Statement, scope: &StatementScope) -> bool {
        let code = self.code;
        let here = statement.after_modifiers;
        let next = here + 1;
        let word = code.word(here);
        match word {
            "private" | "fileprivate" => statement.is_private = true,
            // `static` hides a C function from other files.
            "static" if code.language == Language::C && !scope.is_type() => {
                statement.is_private = true;
            }
            _ => {}
        }
        if matches!(word, "const" | "constexpr" | "final") {
            statement.mutability = Mutability::Constant;
        }
        statement.after_modifiers = next;
        // `private(set)`, `pub(crate)`, `extern "C"`.
        if code.is(next, b'(') && code.touches_next(here) && !is_c_like(code.language) {
            statement.is_private &= code.word(next + 1) != "set";
            statement.after_modifiers = code.after(next);
        } else if code.kind(next) == Some(TokenKind::Text) {
            statement.after_modifiers = next + 1;
        }
        matches!(word, "public" | "protected" | "internal" | "pub" | "export")
    }

    /// Returns the token after a C++ macro that qualifies the type or template following on its
    /// line, `API(1) class W`, or the documented declaration on the next line, `///
    /// doc⏎MY_NONNULL⏎static int f()`.
    fn skip_macro(&self, here: TokenIndex) -> Option<TokenIndex> {
        let code = self.code;
        let word = code.word(here);
        if !code.is_name(here) || word.len() < 2 || word.contains(char::is_lowercase) {
            return None;
        }
        let is_call = code.is(here + 1, b'(');
        let after = if is_call {
            code.after(here + 1)
        } else {
            here + 1
        };
        if !code.is_name(after) {
            return None;
        }
        let is_about_it = if code.is_first_on_line(after) {
            self.is_documented_macro(here, after)
        } else {
            matches!(
                code.word(after),
                "template" | "class" | "struct" | "union" | "enum"
            )
        };
        is_about_it.then_some(after)
    }

    /// Returns true if a macro is alone on its line between a comment and the documented
    /// declaration. Without a comment it is as likely a statement of its own: `Q_OBJECT`.
    fn is_documented_macro(&self, name: TokenIndex, after: TokenIndex) -> bool {
        let code = self.code;
        let start = code.start(name);
        // `NAME⏎label:` is not a declaration.
        let is_label = code.is(after + 1, b':') && !code.is(after + 2, b':');
        code.is_first_on_line(name)
            && code.line(name) + 1 == code.line(after)
            && !is_label
            && code.doc_before(start).0 < start
    }

    /// Returns the token after the angle brackets that open at `open`.
    pub(super) fn skip_angles(&self, open: TokenIndex, block_end: TokenIndex) -> TokenIndex {
        let mut depth = 0usize;
        let mut here = open;
        while here < block_end {
            if self.code.is(here, b'<') {
                depth += 1;
            } else if self.code.is(here, b'>') && !self.code.previous_is(here, b'-') {
                depth -= 1;
                if depth == 0 {
                    return here + 1;
                }
            } else if self.code.is(here, b';')
                || self.code.is(here, b'{')
                || self.code.kind(here) == Some(TokenKind::Close)
            {
                // In `a < b;` the sign compares, so a statement or a block ends the search. The
                // search is also short then: in a text of comparisons each of them would
                // otherwise be searched to the end.
                break;
            }
            here = self.code.after(here);
        }
        here.max(open + 1)
    }
}
