//! Languages in which braces contain bodies: a text as statements, and their declarations.
//!
//! A statement is read in four steps. `prefix` skips attributes and modifiers; `keywords`
//! determines the declaration by the word after them; `extent` finds its end; and a function for
//! its kind extracts name and signature and reads the statements of its body. A statement without a
//! declaration is skipped up to its semicolon, its body or the end of its line. Bracketed tokens
//! are skipped in one step, so that time is linear in the text.

mod c_members;
mod c_names;
mod c_types;
mod declarations;
mod declarators;
mod dialect;
mod extent;
mod fields;
mod imports;
mod keywords;
mod macros;
mod modifiers;
mod names;
mod old_style;
mod prefix;
mod preprocessor;
mod reader;
mod variants;

use std::ops::Range;

use crate::code::{Code, Definition};
use crate::declarations::Declarations;
use crate::language::Language;
use crate::lexer::token::TokenKind;
use crate::limits::{NESTED_SYMBOLS, SYMBOLS};
use crate::position::{ByteOffset, TokenIndex};
use crate::scan::braces::reader::{BraceReader, Owner, StatementScope};
use crate::symbol::{Symbol, SymbolKind};
use dialect::{ends_with_line, is_c_like, is_ecmascript};
use keywords::Role;
use prefix::Statement;

pub(super) fn scan(code: &Code<'_>) -> Declarations {
    let mut reader = BraceReader {
        code,
        declarations: Declarations::default(),
        symbol_count: 0,
    };
    let mut scope = StatementScope {
        owner: None,
        is_private: false,
        depth: 0,
    };
    let all = TokenIndex::FIRST..code.end_token();
    reader.declarations.symbols = reader.statements(all, &mut scope);
    reader.declarations
}

impl BraceReader<'_> {
    fn statements(&mut self, block: Range<TokenIndex>, scope: &mut StatementScope) -> Vec<Symbol> {
        let mut symbols = Vec::new();
        let mut here = block.start;
        while here < block.end && self.symbol_count < SYMBOLS {
            let before = symbols.len();
            let next = self.statement(here, block.end, scope, &mut symbols);
            self.symbol_count += symbols.len() - before;
            // Ensures progress for any input.
            here = next.max(here + 1);
        }
        symbols
    }

    /// Reads the statement that begins at `first`, adds its declarations, and returns the token
    /// after it.
    fn statement(
        &mut self,
        first: TokenIndex,
        block_end: TokenIndex,
        scope: &mut StatementScope,
        symbols: &mut Vec<Symbol>,
    ) -> TokenIndex {
        let code = self.code;
        if code.kind(first) == Some(TokenKind::Directive) {
            self.directive(first, symbols);
            return first + 1;
        }
        if !self.can_begin_statement(first) {
            return match code.kind(first) {
                Some(TokenKind::Open) => code.after(first),
                _ => first + 1,
            };
        }
        if self.is_cpp_label(first) {
            match code.word(first) {
                "public" | "signals" => scope.is_private = false,
                "private" | "protected" => scope.is_private = true,
                _ => {}
            }
            return first + 2;
        }
        let statement = self.statement_at(first, block_end, scope);
        let keyword = statement.after_modifiers;
        // Modifiers or attributes without a declaration.
        if keyword >= block_end {
            return block_end;
        }
        match self.role_at(keyword) {
            Some(Role::Control) => self.control(&statement, scope, symbols),
            Some(Role::Import) => self.import(&statement, scope),
            Some(role) => self
                .declaration(role, &statement, scope, symbols)
                .unwrap_or_else(|| self.member(&statement, scope, symbols)),
            None => self.without_keyword(&statement, scope, symbols),
        }
    }

    fn can_begin_statement(&self, first: TokenIndex) -> bool {
        let code = self.code;
        match code.kind(first) {
            Some(TokenKind::Word) => true,
            // An attribute, a directive of Swift, a destructor, an embedded pointer of Go.
            Some(TokenKind::Punct) => {
                matches!(code.sign(first), b'@' | b'#' | b'~' | b'*')
                    || code.language == Language::Java && code.is(first, b'<')
            }
            // `[Serializable]`
            Some(TokenKind::Open) => code.is(first, b'[') && !self.is_global_attribute(first),
            _ => false,
        }
    }

    /// Returns true for `[assembly: CLSCompliant(true)]`, which does not belong to the next
    /// declaration.
    fn is_global_attribute(&self, open: TokenIndex) -> bool {
        let code = self.code;
        matches!(code.word(open + 1), "assembly" | "module") && code.is(open + 2, b':')
    }

    /// Returns true for `private:`, `public:`, `error:`.
    fn is_cpp_label(&self, first: TokenIndex) -> bool {
        let code = self.code;
        code.language == Language::Cpp && code.is(first + 1, b':') && !code.is(first + 2, b':')
    }

    /// Returns the role of the word at `here`, if it is used as a keyword.
    fn role_at(&self, here: TokenIndex) -> Option<Role> {
        let code = self.code;
        let word = code.word(here);
        // `using X = std::vector<int>;`, not `using namespace std;`.
        let is_alias = code.language == Language::Cpp && word == "using" && code.is(here + 2, b'=');
        let role = if is_alias {
            Some(Role::Alias)
        } else {
            keywords::role(code.language, word)
        };
        role.filter(|role| self.is_keyword(*role, here))
    }

    /// Returns true if the word at `here` is used as a keyword: `type Name`, not `type = 1`.
    fn is_keyword(&self, role: Role, here: TokenIndex) -> bool {
        let code = self.code;
        let next = here + 1;
        match role {
            Role::Control | Role::Import | Role::Constructor | Role::Typedef => true,
            // `func` is reserved in Swift, and an operator may follow it:
            // `func == (a: A, b: A)`.
            Role::Function if code.language == Language::Swift => true,
            Role::Function => !code.is(next, b'.') && !code.is(next, b'='),
            Role::Type(_) | Role::Value(_) | Role::Alias | Role::Namespace | Role::Case => {
                code.is_name(next) || b"({<[!:*".iter().any(|sign| code.is(next, *sign))
            }
        }
    }

    /// Reads a statement without a keyword: a member, if the language has such members.
    fn without_keyword(
        &mut self,
        statement: &Statement,
        scope: &mut StatementScope,
        symbols: &mut Vec<Symbol>,
    ) -> TokenIndex {
        let language = self.code.language;
        match language {
            _ if is_c_like(language) => self.member(statement, scope, symbols),
            _ if !scope.is_type() => self.skip(statement),
            _ if is_ecmascript(language) => self.member(statement, scope, symbols),
            Language::Go => self.go_member(statement, scope, symbols),
            Language::Rust => self.rust_field(statement, symbols),
            Language::Php => self.php_field(statement, symbols),
            _ => self.skip(statement),
        }
    }

    /// Skips a statement without a declaration, to its semicolon, after its braces or to the next
    /// line.
    fn skip(&self, statement: &Statement) -> TokenIndex {
        let code = self.code;
        let mut here = statement.after_modifiers;
        while here < statement.block_end {
            if code.is(here, b';') {
                return here + 1;
            }
            let next = code.after(here);
            if code.is_first_on_line(next) && ends_with_line(code.language) || code.is(here, b'{') {
                return next;
            }
            here = next;
        }
        statement.block_end
    }

    /// Skips a control statement: `if (a) { ... }`.
    fn control(
        &mut self,
        statement: &Statement,
        scope: &mut StatementScope,
        symbols: &mut Vec<Symbol>,
    ) -> TokenIndex {
        let code = self.code;
        let keyword = statement.after_modifiers;
        let mut here = keyword;
        while here < statement.block_end && !code.is(here, b';') {
            let is_new_line = here > keyword && code.is_first_on_line(here);
            if is_new_line && ends_with_line(code.language) && !code.is(here, b'{') {
                return here;
            }
            // `if (...):` and `else:`, whose statements are not in braces.
            let is_colon = code.language == Language::Php && code.is(here, b':');
            if is_colon && (here == keyword + 1 || here == code.after(keyword + 1)) {
                return here + 1;
            }
            if code.is(here, b'{') {
                if code.language == Language::Php {
                    self.php_block(here, scope, symbols);
                }
                return code.after(here);
            }
            here = code.after(here);
        }
        here + 1
    }

    /// Adds the functions of a block, which PHP often defines in conditions: `if
    /// (!function_exists('f')) { function f() {} }`.
    fn php_block(
        &mut self,
        open: TokenIndex,
        scope: &mut StatementScope,
        symbols: &mut Vec<Symbol>,
    ) {
        let body = self.inside(open);
        if scope.depth >= NESTED_SYMBOLS || scope.is_type() {
            return;
        }
        // Conditions count as levels of types, because each is a call of this function.
        scope.depth += 1;
        let within = self.statements(body, scope);
        scope.depth -= 1;
        symbols.extend(
            within.into_iter().filter(|symbol| {
                !matches!(symbol.kind, SymbolKind::Constant | SymbolKind::Variable)
            }),
        );
    }

    /// Returns the tokens between an opening bracket and its partner, or none if it has no partner.
    fn inside(&self, open: TokenIndex) -> Range<TokenIndex> {
        let first = open + 1;
        first..(self.code.after(open) - 1).max(first)
    }

    /// Reads the members of a type, or the content of a namespace.
    fn body(
        &mut self,
        kind: SymbolKind,
        name: &str,
        body: Range<TokenIndex>,
        scope: &StatementScope,
    ) -> Vec<Symbol> {
        if scope.depth >= NESTED_SYMBOLS {
            return Vec::new();
        }
        let is_namespace = kind == SymbolKind::Module;
        let mut inner = StatementScope {
            owner: (!is_namespace).then(|| Owner {
                kind,
                name: name.to_owned(),
            }),
            is_private: self.members_are_private(kind),
            depth: scope.depth + 1,
        };
        let mut start = body.start;
        let mut symbols = Vec::new();
        if kind == SymbolKind::Enum {
            start = self.enum_variants(body.clone(), &mut symbols);
        }
        symbols.extend(self.statements(start..body.end, &mut inner));
        symbols
    }

    /// Returns true if members of a type or namespace are private by default.
    fn members_are_private(&self, kind: SymbolKind) -> bool {
        match self.code.language {
            // In C++ the default visibility is the only difference between a struct and a class.
            Language::Cpp => kind == SymbolKind::Class,
            Language::CSharp => !matches!(
                kind,
                SymbolKind::Module | SymbolKind::Interface | SymbolKind::Enum
            ),
            _ => false,
        }
    }

    /// Returns the symbol of a declaration that ends at `end`, with a signature up to `head_end`.
    fn define(
        &self,
        statement: &Statement,
        kind: SymbolKind,
        name: String,
        head_end: ByteOffset,
        end: ByteOffset,
        children: Vec<Symbol>,
    ) -> Symbol {
        let code = self.code;
        code.symbol(Definition {
            kind,
            name,
            head: code.start(statement.after_attributes)..head_end,
            span: code.start(statement.first)..end,
            is_private: statement.is_private,
            children,
        })
    }
}
