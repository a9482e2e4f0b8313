//! What stands before a declaration: attributes and modifiers.

use super::dialect::{is_c_like, is_ecmascript};
use super::modifiers::is_modifier;
use super::{BraceReader, Scope};
use crate::language::Language;
use crate::lexer::{TokenKind, directive_word};
use crate::position::TokenIndex;

/// Whether what is declared keeps its value, by its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mutability {
    Constant,
    Variable,
}

/// A statement, of which what stands before the declaration was read.
#[derive(Debug)]
pub(super) struct Statement {
    pub(super) first: TokenIndex,
    /// Where the signature begins: attributes are no part of it.
    pub(super) behind_attributes: TokenIndex,
    /// The keyword, type or name.
    pub(super) behind_modifiers: TokenIndex,
    /// The end of the block that it stands in, which it cannot pass.
    pub(super) block_end: TokenIndex,
    pub(super) is_private: bool,
    pub(super) mutability: Mutability,
}

impl Statement {
    /// Whether no modifier stands before it.
    pub(super) fn is_bare(&self) -> bool {
        self.behind_attributes == self.behind_modifiers
    }
}

/// A piece before a declaration, with the token behind it.
#[derive(Clone, Copy, Debug)]
enum LeadPiece {
    /// Never part of the signature, nor is what stands before it.
    Attribute(TokenIndex),
    /// Part of the signature behind modifiers only.
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
        scope: &Scope,
    ) -> Statement {
        let mut statement = Statement {
            first,
            behind_attributes: first,
            behind_modifiers: first,
            block_end,
            is_private: scope.is_private,
            mutability: Mutability::Variable,
        };
        let mut is_open = false;
        while statement.behind_modifiers < block_end {
            let here = statement.behind_modifiers;
            match self.lead_piece(here, block_end) {
                Some(LeadPiece::Attribute(behind)) => {
                    statement.behind_modifiers = behind;
                    statement.behind_attributes = behind;
                }
                Some(LeadPiece::Annotation(behind)) => {
                    statement.behind_modifiers = behind;
                    if statement.behind_attributes == here {
                        statement.behind_attributes = behind;
                    }
                }
                Some(LeadPiece::Specifier(behind)) => statement.behind_modifiers = behind,
                None if self.is_modifier_at(here) => {
                    is_open |= self.modifier(&mut statement, scope);
                }
                // `inline⏎#ifdef A⏎constexpr⏎#endif⏎int f();`
                None if here > first && self.is_condition(here) => {
                    statement.behind_modifiers = here + 1;
                    if statement.behind_attributes == here {
                        statement.behind_attributes = here + 1;
                    }
                }
                None => break,
            }
        }
        // `internal protected private`: what opens it wins. Elsewhere members are open anyway.
        let language = self.code.language;
        if matches!(language, Language::CSharp | Language::Cpp | Language::Rust) && is_open {
            statement.is_private = false;
        }
        statement
    }

    /// Whether a line of the preprocessor says under which condition what follows is compiled.
    fn is_condition(&self, here: TokenIndex) -> bool {
        let code = self.code;
        code.kind(here) == Some(TokenKind::Directive)
            && matches!(
                directive_word(code.word(here)),
                "if" | "ifdef" | "ifndef" | "else" | "elif" | "endif"
            )
    }

    /// Reads an attribute or what else of the language's own stands before a declaration, if
    /// there is one at `here`. The sign alone comes last, behind all that begins with it.
    fn lead_piece(&self, here: TokenIndex, block_end: TokenIndex) -> Option<LeadPiece> {
        let code = self.code;
        let language = code.language;
        // `@interface` of Java begins a type.
        if code.is(here, b'@') && code.is_name(here + 1) && code.word(here + 1) != "interface" {
            return Some(LeadPiece::Annotation(self.behind_annotation(here)));
        }
        if let Some(behind) = self.behind_attribute(here) {
            return Some(LeadPiece::Attribute(behind));
        }
        let behind = match language {
            Language::Cpp => {
                if let Some(behind) = self.behind_macro(here) {
                    return Some(LeadPiece::Annotation(behind));
                }
                self.behind_template(here, block_end)
            }
            Language::Java => self.behind_java_specifier(here, block_end),
            Language::Kotlin => self.behind_kotlin_fun(here),
            Language::Swift => self.behind_swift_class(here),
            _ => None,
        };
        behind
            .or_else(|| code.is(here, b'@').then(|| here + 1))
            .map(LeadPiece::Specifier)
    }

    /// `@a.b(c)`, `@field:Inject`.
    fn behind_annotation(&self, sign: TokenIndex) -> TokenIndex {
        let code = self.code;
        let mut behind = sign + 2;
        while (code.is(behind, b'.') || code.is(behind, b':')) && code.is_name(behind + 1) {
            behind += 2;
        }
        // `@a (b)` says nothing with its brackets: they begin a type or a tuple.
        if code.is(behind, b'(') && code.touches_next(behind - 1) {
            behind = code.behind(behind);
        }
        behind
    }

    /// `#[a]`, `#![a]`, `[a]`, `[[a]]`.
    fn behind_attribute(&self, here: TokenIndex) -> Option<TokenIndex> {
        let code = self.code;
        if code.is(here, b'#') && code.is(here + 1, b'[') {
            Some(code.behind(here + 1))
        } else if code.is(here, b'#') && code.is(here + 1, b'!') {
            Some(code.behind(here + 2))
        } else if code.is(here, b'[') && code.behind(here) > here + 1 {
            Some(code.behind(here))
        } else {
            None
        }
    }

    /// `template <class T>`, which is shown with what it is for.
    fn behind_template(&self, here: TokenIndex, block_end: TokenIndex) -> Option<TokenIndex> {
        let code = self.code;
        (code.word(here) == "template" && code.is(here + 1, b'<'))
            .then(|| self.behind_angles(here + 1, block_end))
    }

    /// The type parameters of a method, which stand before its type: `<T> List<T> of(T t)`. And
    /// the one modifier that is three tokens: `non-sealed class A`.
    fn behind_java_specifier(&self, here: TokenIndex, block_end: TokenIndex) -> Option<TokenIndex> {
        let code = self.code;
        if code.is(here, b'<') {
            return Some(self.behind_angles(here, block_end));
        }
        let is_non_sealed =
            code.word(here) == "non" && code.is(here + 1, b'-') && code.word(here + 2) == "sealed";
        is_non_sealed.then(|| here + 3)
    }

    /// `fun interface A`: an interface, and no function.
    fn behind_kotlin_fun(&self, here: TokenIndex) -> Option<TokenIndex> {
        let code = self.code;
        let is_interface = code.word(here) == "fun" && code.word(here + 1) == "interface";
        is_interface.then(|| here + 1)
    }

    /// `class func make()`, `class var shared`: no type, but a member of one.
    fn behind_swift_class(&self, here: TokenIndex) -> Option<TokenIndex> {
        let code = self.code;
        let is_member =
            code.word(here) == "class" && matches!(code.word(here + 1), "func" | "var" | "let");
        is_member.then(|| here + 1)
    }

    /// Whether the word at `here` is used as the modifier that it can be, and is no name:
    /// `open: Bool`, `file = 1`, `static()`.
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

    /// Takes the modifier that is next. Returns whether it opens what is declared to others.
    fn modifier(&self, statement: &mut Statement, scope: &Scope) -> bool {
        let code = self.code;
        let here = statement.behind_modifiers;
        let next = here + 1;
        let word = code.word(here);
        match word {
            "private" | "fileprivate" => statement.is_private = true,
            // `static` hides a function of C from other files.
            "static" if code.language == Language::C && !scope.is_type() => {
                statement.is_private = true;
            }
            _ => {}
        }
        if matches!(word, "const" | "constexpr" | "final") {
            statement.mutability = Mutability::Constant;
        }
        statement.behind_modifiers = next;
        // `private(set)`, `pub(crate)`, `extern "C"`.
        if code.is(next, b'(') && code.touches_next(here) && !is_c_like(code.language) {
            statement.is_private &= code.word(next + 1) != "set";
            statement.behind_modifiers = code.behind(next);
        } else if code.kind(next) == Some(TokenKind::Text) {
            statement.behind_modifiers = next + 1;
        }
        matches!(word, "public" | "protected" | "internal" | "pub" | "export")
    }

    /// Returns what stands behind a macro of C++ that says something about the type or template
    /// which follows on its line, `API(1) class W`, or about what its comment is about and follows
    /// on the next line, `/// doc⏎MY_NONNULL⏎static int f()`.
    fn behind_macro(&self, here: TokenIndex) -> Option<TokenIndex> {
        let code = self.code;
        let word = code.word(here);
        if !code.is_name(here) || word.len() < 2 || word.contains(char::is_lowercase) {
            return None;
        }
        let is_call = code.is(here + 1, b'(');
        let behind = if is_call {
            code.behind(here + 1)
        } else {
            here + 1
        };
        if !code.is_name(behind) {
            return None;
        }
        let is_about_it = if code.is_first_on_line(behind) {
            self.is_documented_macro(here, behind)
        } else {
            matches!(
                code.word(behind),
                "template" | "class" | "struct" | "union" | "enum"
            )
        };
        is_about_it.then_some(behind)
    }

    /// Whether a macro stands alone on its line between a comment and what the comment is about.
    /// Without a comment it is as likely a statement of its own: `Q_OBJECT`.
    fn is_documented_macro(&self, name: TokenIndex, behind: TokenIndex) -> bool {
        let code = self.code;
        let start = code.start(name);
        // `NAME⏎label:` is no declaration.
        let is_label = code.is(behind + 1, b':') && !code.is(behind + 2, b':');
        code.is_first_on_line(name)
            && code.line(name) + 1 == code.line(behind)
            && !is_label
            && code.doc_before(start).0 < start
    }

    /// Returns what stands behind the angle brackets that open at `open`.
    pub(super) fn behind_angles(&self, open: TokenIndex, block_end: TokenIndex) -> TokenIndex {
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
                // `a < b;` compares.
                break;
            }
            here = self.code.behind(here);
        }
        here.max(open + 1)
    }
}
