//! Function names in C and related languages, which precede the brackets of the parameters.

use crate::language::Language;
use crate::lexer::token::TokenKind;
use crate::limits::{OPERATOR_SIGNS, QUALIFIER_TOKENS};
use crate::position::{TokenIndex, token_indices};
use crate::scan::braces::dialect::is_c_or_cpp;
use crate::scan::braces::extent::DeclarationExtent;
use crate::scan::braces::modifiers::is_attribute_word;
use crate::scan::braces::reader::BraceReader;

/// A declaration by type and name, up to its parameters or its value.
#[derive(Debug)]
pub(super) struct Declarator {
    /// Last word, which is the name if there are no parameters.
    pub(super) last_word: Option<TokenIndex>,
    /// Number of words outside of brackets: types, the name, and macros.
    pub(super) word_count: usize,
    /// Opening bracket of the parameters; `None` for a field.
    pub(super) parameters: Option<TokenIndex>,
}

/// The name before parameters.
#[derive(Debug)]
pub(super) enum FunctionName {
    /// `A::f(int a)`, including its qualifiers.
    Plain(String),
    /// `(*f)(int a)`: a function pointer.
    Pointer(String),
}

impl BraceReader<'_> {
    /// Reads types and name from `first` on, before `stop`. Returns `None` for an expression.
    ///
    /// The order of the tests matters: brackets come first, because their content is skipped and
    /// never examined; commas and colons come after words, because one without a word before it
    /// ends nothing.
    pub(super) fn declarator(
        &self,
        first: TokenIndex,
        stop: TokenIndex,
        extent: &DeclarationExtent,
    ) -> Option<Declarator> {
        let code = self.code;
        let mut declarator = Declarator {
            last_word: None,
            word_count: 0,
            parameters: None,
        };
        let mut here = first;
        while here < stop {
            if code.is(here, b'(') {
                if self.opens_parameters(first, here) {
                    declarator.parameters = Some(here);
                    break;
                }
            } else if code.is(here, b'{') || (extent.body.is_none() && code.is(here, b';')) {
                break;
            } else if self.opens_type_arguments(first, here) {
                here = self.skip_angles(here, stop);
                continue;
            } else if code.is_name(here) && !self.is_in_square_brackets(here) {
                declarator.word_count += 1;
                declarator.last_word = Some(here);
            } else if self.ends_declarator(here)
                && (code.is(here, b':') || declarator.last_word.is_some())
            {
                break;
            } else if self.is_expression_sign(first, here) {
                return None;
            }
            here = code.after(here);
        }
        Some(declarator)
    }

    /// Returns true if a round bracket opens parameters: not those of an attribute,
    /// `__attribute__((a)) int f()`, nor those of a macro, nor the name of an operator,
    /// `operator()(int a)`.
    fn opens_parameters(&self, first: TokenIndex, open: TokenIndex) -> bool {
        let word = self.code.previous_word(open);
        let is_operator_name = word == "operator";
        !is_operator_name
            && (!is_attribute_word(word) || open == first)
            && !self.is_macro_before_type(first, open)
    }

    /// Returns true if brackets belong to a macro before a declaration, which begins with the type
    /// or the name after them: `DEPRECATED(1.2, g(a)) int f(int a)`. After parameters there may be
    /// a macro as well, but neither type nor name: `int F(int a) const override;`.
    fn is_macro_before_type(&self, first: TokenIndex, open: TokenIndex) -> bool {
        let code = self.code;
        let word = code.previous_word(open);
        let is_macro = open > first && word.len() > 1 && !word.contains(char::is_lowercase);
        let after = code.after(open);
        if !is_c_or_cpp(code.language) || !is_macro || !code.is_name(after) {
            return false;
        }
        let next = after + 1;
        let is_qualified = code.is(next, b':') && code.is(next + 1, b':');
        let is_type = is_qualified
            || code.is_name(next) && !is_after_parameters(code.word(next))
            || b"*&<".iter().any(|sign| code.is(next, *sign));
        // A macro before a constructor, `DEPRECATED(1.2) A(int a);`. Two words in upper case,
        // `DEPRECATED(1.2) F(a);`, are more likely two macros.
        let is_constructor = code.is(next, b'(') && code.word(after).contains(char::is_lowercase);
        !is_after_parameters(code.word(after)) && (is_type || is_constructor)
            || code.word(after) == "const" && is_type
    }

    /// Returns true if a sign opens type arguments, `List<A> a`, and is not `operator<`.
    fn opens_type_arguments(&self, first: TokenIndex, here: TokenIndex) -> bool {
        let code = self.code;
        code.is(here, b'<')
            && here > first
            && code.is_name(here - 1)
            && code.word(here - 1) != "operator"
    }

    /// Returns true for `[attribute]`, whose bracket has no partner and was not skipped.
    fn is_in_square_brackets(&self, here: TokenIndex) -> bool {
        self.code.previous_is(here, b'[')
    }

    /// Returns true if the token ends the first of several declarators, `int a, b;`, or begins the
    /// member initializers: `A() : a(1)`.
    fn ends_declarator(&self, here: TokenIndex) -> bool {
        self.code.is(here, b',') || self.code.is_single_colon(here)
    }

    /// Returns true if a sign occurs in expressions only: `a.b();`, `a + b;`.
    fn is_expression_sign(&self, first: TokenIndex, here: TokenIndex) -> bool {
        let code = self.code;
        code.kind(here) == Some(TokenKind::Punct)
            && matches!(code.sign(here), b'.' | b'+' | b'/')
            && !self.is_type_qualifier_dot(here)
            && !self.is_in_operator(first, here)
    }

    /// Returns true if a dot is part of a type: `java.util.List a`, `Args... args`.
    fn is_type_qualifier_dot(&self, here: TokenIndex) -> bool {
        let code = self.code;
        let is_qualified = matches!(code.language, Language::Java | Language::CSharp);
        code.is(here, b'.')
            && (is_qualified || code.is(here + 1, b'.') || code.previous_is(here, b'.'))
    }

    /// Returns true if a token is part of an operator's name: `operator+=(A b)`.
    fn is_in_operator(&self, first: TokenIndex, here: TokenIndex) -> bool {
        self.operator_before(first, here).is_some()
    }

    /// Returns the word `operator` shortly before `here`.
    fn operator_before(&self, first: TokenIndex, here: TokenIndex) -> Option<TokenIndex> {
        let nearby = first.max(here.saturating_sub(OPERATOR_SIGNS as u32));
        token_indices(nearby..here).find(|token| self.code.word(*token) == "operator")
    }

    /// Returns the name of the function whose parameters open at `open`, or `None` if there is no
    /// name: `a[0](b);`.
    pub(super) fn function_name_before(
        &self,
        first: TokenIndex,
        open: TokenIndex,
        last_word: Option<TokenIndex>,
    ) -> Option<FunctionName> {
        let code = self.code;
        if code.is(open + 1, b'*') {
            let mut inside = token_indices(open + 1..code.after(open));
            let name = inside.find(|token| code.is_name(*token))?;
            return Some(FunctionName::Pointer(code.word(name).to_owned()));
        }
        // `f<int>(a)`: the list is not part of the name.
        let generic =
            last_word.filter(|name| code.previous_is(open, b'>') && code.word(*name) != "operator");
        let after_name = generic.map_or(open, |name| name + 1);
        let follows_name = open.previous().is_none_or(|before| code.is_name(before));
        if generic.is_none() && !follows_name && !self.is_in_operator(first, open) {
            return None;
        }
        let name = self.qualified_name(first, after_name);
        (!name.is_empty()).then_some(FunctionName::Plain(name))
    }

    /// Returns the name that ends before `after`, with its qualifiers: `A<B>::~A`.
    fn qualified_name(&self, first: TokenIndex, after: TokenIndex) -> String {
        let code = self.code;
        if let Some(operator) = self.operator_before(first, after) {
            return self.operator_name(first, operator, after);
        }
        let last = after.saturating_sub(1);
        let mut start = last.max(first);
        // Backwards, one qualifier per iteration.
        loop {
            // `~A`
            if start > first && code.is(start - 1, b'~') {
                start = start - 1;
            }
            if start < first + 2 || !code.is(start - 1, b':') || !code.is(start - 2, b':') {
                break;
            }
            let qualifier = self.qualifier_before(first, start - 2);
            if !code.is_name(qualifier) {
                break;
            }
            start = qualifier;
        }
        let name = code.slice(code.start(start)..code.end(last.max(start)));
        // `A :: f` is `A::f`.
        name.split_whitespace().collect()
    }

    /// Returns the name before `::`, skipping its angle brackets: `A` of `A<B>::f`. The result is
    /// not a name if there is none nearby.
    fn qualifier_before(&self, first: TokenIndex, colons: TokenIndex) -> TokenIndex {
        let code = self.code;
        let mut here = colons;
        let mut angles = 0i32;
        for _ in 0..QUALIFIER_TOKENS {
            if here <= first {
                break;
            }
            here = here - 1;
            angles += i32::from(code.is(here, b'>')) - i32::from(code.is(here, b'<'));
            if angles == 0 && code.is_name(here) {
                break;
            }
        }
        here
    }

    /// Returns the name of an operator with its qualifiers: `A::operator ==`.
    fn operator_name(&self, first: TokenIndex, operator: TokenIndex, after: TokenIndex) -> String {
        let code = self.code;
        let mut start = operator;
        // A name and two colons per step.
        while start > first + 1 && code.is(start - 1, b':') && start.index() >= 3 {
            start = start.saturating_sub(3).max(first);
        }
        let qualifier = code.slice(code.start(start)..code.start(operator));
        let name = code.slice(code.start(operator)..code.start(after));
        format!("{qualifier}{}", name.trim())
    }

    /// Returns true if a word before the name is a return type.
    pub(super) fn has_return_type(&self, first: TokenIndex, open: TokenIndex) -> bool {
        let code = self.code;
        token_indices(first..open.saturating_sub(1)).any(|token| {
            code.is_name(token) && !matches!(code.word(token), "extern" | "static" | "inline")
        })
    }
}

/// Returns true if a word is a specifier after the parameters.
fn is_after_parameters(word: &str) -> bool {
    matches!(
        word,
        "const" | "volatile" | "noexcept" | "override" | "final" | "throw" | "requires" | "try"
    )
}
