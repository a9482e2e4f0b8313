//! C and C++ macros in the place of declarations, which end without a semicolon.

use crate::language::Language;
use crate::lexer::token::TokenKind;
use crate::position::TokenIndex;
use crate::scan::braces::dialect::is_c_or_cpp;
use crate::scan::braces::modifiers::is_attribute_word;
use crate::scan::braces::prefix::Statement;
use crate::scan::braces::reader::BraceReader;

impl BraceReader<'_> {
    /// Returns true for a macro alone on its line before another declaration: `Q_OBJECT⏎int a;`.
    pub(super) fn is_lone_macro(&self, statement: &Statement) -> bool {
        let code = self.code;
        let first = statement.after_modifiers;
        let is_alone = match code.language {
            Language::Cpp => code.is_first_on_line(first + 1),
            // In C a word alone on its line may be the type of the function below,
            // `BOOL⏎f(void)`, so it is a macro only before a preprocessor line. In C++ such a
            // word is a macro, as `Q_OBJECT` is before the first member of a class.
            Language::C => code.kind(first + 1) == Some(TokenKind::Directive),
            _ => false,
        };
        is_alone && statement.is_bare() && !code.word(first).contains(char::is_lowercase)
    }

    /// Returns the token after a macro call on lines of its own: `Q_PROPERTY(int x)⏎int a;`,
    /// `POP()⏎#define A 1`. Returns `None` for a function without a type, `A(int a)⏎: a(a) {`.
    ///
    /// This is tested before the end of the statement is searched for: a text may consist of such
    /// calls, and each search would read all of it.
    pub(super) fn skip_macro_call(&self, statement: &Statement) -> Option<TokenIndex> {
        let code = self.code;
        let name = statement.after_modifiers;
        let open = name + 1;
        let word = code.word(name);
        let may_be_macro = code.is_name(name) && word != "operator" && !is_attribute_word(word);
        if !is_c_or_cpp(code.language)
            || !statement.is_bare()
            || !may_be_macro
            || !code.is(open, b'(')
        {
            return None;
        }
        let after = code.after(open);
        if after >= statement.block_end || !code.is_first_on_line(after) {
            return None;
        }
        let mut next = after;
        while next < statement.block_end && code.kind(next) == Some(TokenKind::Directive) {
            next += 1;
        }
        let continues = code.is_single_colon(next)
            || b"{=;,-(".iter().any(|sign| code.is(next, *sign))
            || self.old_style_body(open, statement.block_end).is_some();
        (next >= statement.block_end || !continues).then_some(after)
    }
}
