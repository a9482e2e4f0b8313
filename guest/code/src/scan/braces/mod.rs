//! Languages in which braces hold bodies: statements, and where they end.

use std::ops::Range;

use super::Found;
use super::dialect::{self, Role, ends_with_line, is_c_like, is_modifier};
use crate::code::{Code, Definition};
use crate::language::Language;
use crate::lexer::Kind;
use crate::limits::{NESTED_SYMBOLS, SYMBOLS};
use crate::{Symbol, SymbolKind};

/// Where a statement stands.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    /// The type round it, and its name; none at the top and in namespaces.
    pub(super) owner: Option<(SymbolKind, String)>,
    /// Whether members are private unless they say otherwise.
    pub(super) is_private: bool,
    /// Types round it.
    pub(super) depth: usize,
}

impl Scope {
    pub(super) fn is_type(&self) -> bool {
        self.owner.is_some()
    }
}

/// What stands before a declaration.
#[derive(Debug)]
pub(super) struct Lead {
    /// The first token behind attributes.
    pub(super) head: usize,
    /// The first token behind modifiers.
    pub(super) at: usize,
    pub(super) is_private: bool,
    pub(super) is_constant: bool,
}

/// Where a declaration ends.
#[derive(Debug)]
pub(super) struct Extent {
    /// The byte at which body or value begins, or all ends.
    pub(super) head_end: usize,
    /// The tokens of the body.
    pub(super) body: Option<Range<usize>>,
    /// The sign before a value.
    pub(super) sign: Option<usize>,
    /// The byte behind it, and the token that comes next.
    pub(super) end: usize,
    pub(super) next: usize,
}

pub(super) struct Braces<'a> {
    pub(super) code: &'a Code<'a>,
    pub(super) found: Found,
    pub(super) count: usize,
}

pub(super) fn scan(code: &Code<'_>) -> Found {
    let mut braces = Braces {
        code,
        found: Found::default(),
        count: 0,
    };
    let mut scope = Scope {
        owner: None,
        is_private: false,
        depth: 0,
    };
    let all = 0..code.tokens.len();
    braces.found.symbols = braces.statements(all, &mut scope);
    braces.found
}

impl Braces<'_> {
    pub(super) fn statements(&mut self, range: Range<usize>, scope: &mut Scope) -> Vec<Symbol> {
        let mut symbols = Vec::new();
        let mut at = range.start;
        while at < range.end && self.count < SYMBOLS {
            let before = symbols.len();
            let next = self.statement(at, range.end, scope, &mut symbols);
            self.count += symbols.len() - before;
            at = next.max(at + 1);
        }
        symbols
    }

    fn statement(
        &mut self,
        at: usize,
        end: usize,
        scope: &mut Scope,
        symbols: &mut Vec<Symbol>,
    ) -> usize {
        let code = self.code;
        let language = code.language;
        match code.kind(at) {
            Some(Kind::Directive) => {
                self.directive(at, symbols);
                return at + 1;
            }
            Some(Kind::Word) => {}
            Some(Kind::Punct) if matches!(code.tokens[at].byte, b'@' | b'#' | b'~' | b'*') => {}
            Some(Kind::Punct) if language == Language::Java && code.is(at, b'<') => {}
            Some(Kind::Open) if code.is(at, b'[') => {}
            Some(Kind::Open) => return code.next(at),
            _ => return at + 1,
        }
        if language == Language::Cpp && code.is(at + 1, b':') && !code.is(at + 2, b':') {
            match code.word(at) {
                "public" | "signals" => scope.is_private = false,
                "private" | "protected" => scope.is_private = true,
                _ => {}
            }
            return at + 2;
        }
        let lead = self.lead(at, end, scope);
        if lead.at >= end {
            return end;
        }
        let keyword = dialect::role(language, code.word(lead.at));
        let is_alias = language == Language::Cpp
            && code.word(lead.at) == "using"
            && code.is(lead.at + 2, b'=');
        let keyword = if is_alias { Some(Role::Alias) } else { keyword };
        let keyword = keyword.filter(|role| self.is_keyword(*role, lead.at));
        match keyword {
            Some(Role::Control) => self.control(&lead, end, scope, symbols),
            Some(Role::Import) => self.import(&lead, end, scope),
            Some(role) => self
                .declaration(role, at, &lead, end, scope, symbols)
                .unwrap_or_else(|| self.member(at, &lead, end, scope, symbols)),
            None if is_c_like(language) || (scope.is_type() && is_script(language)) => {
                self.member(at, &lead, end, scope, symbols)
            }
            None if language == Language::Go && scope.is_type() => {
                self.go_member(at, end, scope, symbols)
            }
            None if language == Language::Rust && scope.is_type() => {
                self.rust_field(&lead, end, symbols)
            }
            None if language == Language::Php && scope.is_type() => {
                self.php_field(at, &lead, end, symbols)
            }
            None => self.skip(lead.at, end),
        }
    }

    /// Passes what is no declaration, to the next token or behind a group.
    fn skip(&self, at: usize, end: usize) -> usize {
        let mut at = at;
        while at < end {
            if self.code.is(at, b';') {
                return at + 1;
            }
            let next = self.code.next(at);
            let is_new = self.code.tokens.get(next).is_some_and(|token| token.first);
            if is_new && ends_with_line(self.code.language) || self.code.is(at, b'{') {
                return next;
            }
            at = next;
        }
        end
    }

    /// Whether the word at `at` is used as the keyword that it can be.
    fn is_keyword(&self, role: Role, at: usize) -> bool {
        let code = self.code;
        let next = at + 1;
        match role {
            Role::Control | Role::Import | Role::Constructor => true,
            // A reserved word, which the name of an operator may follow.
            Role::Function if code.language == Language::Swift => true,
            Role::Function => !code.is(next, b'.') && !code.is(next, b'='),
            Role::Type(_) | Role::Value(_) | Role::Alias | Role::Namespace | Role::Case => {
                code.is_name(next)
                    || code.is(next, b'(')
                    || code.is(next, b'{')
                    || code.is(next, b'<')
                    || code.is(next, b'[')
                    || code.is(next, b'!')
                    || code.is(next, b':')
                    || code.is(next, b'*')
            }
            Role::Typedef => true,
        }
    }

    /// Reads attributes and modifiers.
    fn lead(&self, at: usize, end: usize, scope: &Scope) -> Lead {
        let code = self.code;
        let language = code.language;
        let mut lead = Lead {
            head: at,
            at,
            is_private: scope.is_private,
            is_constant: false,
        };
        let mut is_open = false;
        loop {
            let here = lead.at;
            if here >= end {
                break;
            }
            if code.is(here, b'@') && code.is_name(here + 1) && code.word(here + 1) != "interface" {
                lead.at = here + 2;
                while (code.is(lead.at, b'.') || code.is(lead.at, b':'))
                    && code.is_name(lead.at + 1)
                {
                    lead.at += 2;
                }
                if code.is(lead.at, b'(') && code.touches(lead.at - 1) {
                    lead.at = code.next(lead.at);
                }
                // Behind modifiers it is shown with them.
                if lead.head == here {
                    lead.head = lead.at;
                }
            } else if code.is(here, b'#') && code.is(here + 1, b'[') {
                lead.at = code.next(here + 1);
                lead.head = lead.at;
            } else if code.is(here, b'#') && code.is(here + 1, b'!') {
                lead.at = code.next(here + 2);
                lead.head = lead.at;
            } else if code.is(here, b'[') && code.next(here) > here + 1 {
                lead.at = code.next(here);
                lead.head = lead.at;
            } else if language == Language::Cpp
                && let Some(behind) = self.behind_macro(here)
            {
                lead.at = behind;
                if lead.head == here {
                    lead.head = behind;
                }
            } else if language == Language::Cpp
                && code.word(here) == "template"
                && code.is(here + 1, b'<')
            {
                lead.at = self.behind_angles(here + 1, end);
            } else if language == Language::Java && code.is(here, b'<') {
                // The type parameters of a method stand before its type.
                lead.at = self.behind_angles(here, end);
            } else if language == Language::Java
                && code.word(here) == "non"
                && code.is(here + 1, b'-')
                && code.word(here + 2) == "sealed"
            {
                lead.at += 3;
            } else if code.is(here, b'@') {
                lead.at += 1;
            } else if code.is_name(here) && is_modifier(language, code.word(here)) {
                let word = code.word(here);
                let next = here + 1;
                let is_name = code.is(next, b':')
                    || code.is(next, b',')
                    || code.is(next, b';')
                    || (code.is(next, b'=') && !code.is(next, b'('))
                    || code.is(next, b'.')
                    || (code.is(next, b'(') && is_script(language));
                if is_name {
                    break;
                }
                match word {
                    "private" | "fileprivate" => lead.is_private = true,
                    "static" if language == Language::C && !scope.is_type() => {
                        lead.is_private = true;
                    }
                    "public" | "protected" | "internal" | "pub" | "export" => is_open = true,
                    _ => {}
                }
                lead.is_constant |= matches!(word, "const" | "constexpr" | "final");
                lead.at += 1;
                // `private(set)`, `pub(crate)`, `extern "C"`.
                if code.is(next, b'(') && code.touches(here) && !is_c_like(language) {
                    lead.is_private &= code.word(next + 1) != "set";
                    lead.at = code.next(next);
                } else if code.kind(next) == Some(Kind::Text) {
                    lead.at += 1;
                }
            } else if language == Language::Swift
                && code.word(here) == "class"
                && matches!(code.word(here + 1), "func" | "var" | "let")
            {
                lead.at += 1;
            } else {
                break;
            }
        }
        if matches!(language, Language::CSharp | Language::Cpp | Language::Rust) && is_open {
            lead.is_private = false;
        }
        lead
    }

    /// Returns the index behind a macro of C++ that says something about the type or template which
    /// follows on its line, or about what its comment is about and follows on the next line.
    fn behind_macro(&self, at: usize) -> Option<usize> {
        let code = self.code;
        let word = code.word(at);
        if !code.is_name(at) || word.len() < 2 || word.contains(char::is_lowercase) {
            return None;
        }
        let is_call = code.is(at + 1, b'(');
        let behind = if is_call { code.next(at + 1) } else { at + 1 };
        if !code.is_name(behind) {
            return None;
        }
        let begins_type = matches!(
            code.word(behind),
            "template" | "class" | "struct" | "union" | "enum"
        );
        let is_documented = || {
            let start = code.start(at);
            let line = code.index.line(code.start(behind));
            code.tokens[at].first
                && code.index.line(start) + 1 == line
                && (!code.is(behind + 1, b':') || code.is(behind + 2, b':'))
                && code.doc_before(start).0 < start
        };
        let is_about_it = if code.tokens[behind].first {
            is_documented()
        } else {
            begins_type
        };
        is_about_it.then_some(behind)
    }

    /// Returns the index behind the angle brackets that open at `at`.
    pub(super) fn behind_angles(&self, at: usize, end: usize) -> usize {
        let mut depth = 0usize;
        let mut here = at;
        while here < end {
            if self.code.is(here, b'<') {
                depth += 1;
            } else if self.code.is(here, b'>') && !self.code.is(here - 1, b'-') {
                depth -= 1;
                if depth == 0 {
                    return here + 1;
                }
            } else if self.code.is(here, b';') || self.code.is(here, b'{') {
                break;
            }
            here = self.code.next(here);
        }
        here.max(at + 1)
    }

    /// Passes a statement that defines nothing. Functions of PHP are often defined in conditions.
    fn control(
        &mut self,
        lead: &Lead,
        end: usize,
        scope: &mut Scope,
        symbols: &mut Vec<Symbol>,
    ) -> usize {
        let code = self.code;
        let mut at = lead.at;
        while at < end && !code.is(at, b';') {
            let is_new = at > lead.at && code.tokens[at].first;
            if is_new && ends_with_line(code.language) && !code.is(at, b'{') {
                return at;
            }
            // `if (...):`, whose statements are not in braces.
            let is_colon = code.language == Language::Php && code.is(at, b':');
            if is_colon && (at == lead.at + 1 || at == code.next(lead.at + 1)) {
                return at + 1;
            }
            let next = code.next(at);
            if code.is(at, b'{') {
                let searched = code.language == Language::Php && scope.depth < NESTED_SYMBOLS;
                if searched && next > at + 1 && !scope.is_type() {
                    scope.depth += 1;
                    let within = self.statements(at + 1..next - 1, scope);
                    scope.depth -= 1;
                    let functions = within.into_iter().filter(|symbol| {
                        !matches!(symbol.kind, SymbolKind::Constant | SymbolKind::Variable)
                    });
                    symbols.extend(functions);
                }
                return next;
            }
            at = next;
        }
        at + 1
    }

    /// Finds the end of the declaration whose keyword or name stands at `at`.
    pub(super) fn extent(&self, at: usize, end: usize) -> Extent {
        let code = self.code;
        let mut sign: Option<usize> = None;
        let mut in_initialisers = false;
        let mut seen_group = false;
        let mut here = at;
        while here < end {
            let token = code.tokens[here];
            let next = code.next(here);
            if code.is(here, b';') || (token.kind == Kind::Close) {
                return self.ended(at, here, sign, here);
            }
            if token.kind == Kind::Directive {
                here = next;
                continue;
            }
            if here > at
                && token.first
                && ends_with_line(code.language)
                && self.is_ended(here)
                && !self.is_primary_constructor(at, here)
            {
                return self.ended(at, here, sign, here - 1);
            }
            if code.is(here, b'{') && sign.is_none() {
                let is_type = code.language == Language::Go
                    && here > at + 1
                    && matches!(code.word(here - 1), "interface" | "struct")
                    && code.word(at) == "func";
                let is_initialiser =
                    in_initialisers && (code.is_name(here - 1) || code.is(here - 1, b'>'));
                if !is_type && !is_initialiser {
                    let body = here + 1..(next - 1).max(here + 1);
                    return Extent {
                        head_end: code.start(here),
                        body: Some(body),
                        sign: None,
                        end: code.end(next - 1),
                        next,
                    };
                }
            }
            in_initialisers |= code.language == Language::Cpp
                && seen_group
                && code.is(here, b':')
                && !code.is(here + 1, b':')
                && !code.is(here - 1, b':');
            seen_group |= code.is(here, b'(');
            if sign.is_none() && self.is_sign(here, at) {
                sign = Some(here);
            }
            here = next;
        }
        self.ended(at, end, sign, end - 1)
    }

    /// Whether the constructor of the class of Kotlin whose keyword stands at `keyword` begins at
    /// `here`, maybe with annotations and modifiers.
    fn is_primary_constructor(&self, keyword: usize, here: usize) -> bool {
        let code = self.code;
        let is_class = code.language == Language::Kotlin && code.word(keyword) == "class";
        let mut at = here;
        // More than a few annotations would be looked at again for each line that they stand on.
        for _ in 0..8 {
            if !is_class || code.word(at) == "constructor" {
                break;
            } else if code.is(at, b'@') || is_modifier(code.language, code.word(at)) {
                at += 1 + usize::from(code.is(at, b'@'));
                if code.is(at, b'(') && code.touches(at - 1) {
                    at = code.next(at);
                }
            } else {
                return false;
            }
        }
        is_class && code.word(at) == "constructor"
    }

    fn ended(&self, at: usize, stop: usize, sign: Option<usize>, last: usize) -> Extent {
        let code = self.code;
        let is_semicolon = code.is(stop, b';');
        let end = code.end(last.max(at));
        let head_end = match sign {
            Some(sign) => code.start(sign),
            None if is_semicolon => code.start(stop),
            None => code.end(stop.saturating_sub(1).max(at)),
        };
        Extent {
            head_end,
            body: None,
            sign,
            end: if is_semicolon {
                end
            } else {
                code.end(stop.saturating_sub(1).max(at))
            },
            next: stop + usize::from(is_semicolon),
        }
    }

    /// Whether `here` is the sign of a value or of a body that is an expression.
    fn is_sign(&self, here: usize, start: usize) -> bool {
        let code = self.code;
        if !code.is(here, b'=') || here == start || self.is_in_operator_name(start, here) {
            return false;
        }
        let before = [
            b'=', b'<', b'>', b'!', b'+', b'-', b'*', b'/', b'|', b'&', b'^', b'%',
        ];
        let touches = |byte: &u8| code.is(here - 1, *byte) && code.touches(here - 1);
        // `Vec<T>=` is a type, `>=` behind a blank is an operator.
        let is_compared = before.iter().any(touches) && !code.is(here - 1, b'>');
        !(is_compared || code.is(here + 1, b'=') && code.touches(here))
    }

    /// Whether a sign is of the name of an operator: `operator>>=`, `func <=`.
    fn is_in_operator_name(&self, start: usize, here: usize) -> bool {
        let code = self.code;
        // No operator has more than four signs.
        let signs = (start..here)
            .rev()
            .take(3)
            .take_while(|at| code.kind(*at) == Some(Kind::Punct))
            .count();
        let word = code.word((here - signs).max(start + 1) - 1);
        word == "operator" || (word == "func" && code.language == Language::Swift)
    }

    /// Whether a new statement begins with the line of the token at `here`.
    fn is_ended(&self, here: usize) -> bool {
        let code = self.code;
        let token = code.tokens[here];
        let last = code.tokens[here - 1];
        let goes_on = match last.kind {
            Kind::Punct => {
                !matches!(last.byte, b'?' | b'!' | b'>' | b';' | b'*')
                    || (last.byte == b'>' && code.is(here - 2, b'-'))
            }
            Kind::Word => matches!(code.word(here - 1), "where" | "by" | "in" | "is" | "as"),
            Kind::Open => true,
            _ => false,
        };
        let continues = match token.kind {
            Kind::Punct => !matches!(token.byte, b'@' | b'#' | b'~' | b'*'),
            Kind::Open => code.is(here, b'{') && code.language != Language::Go,
            Kind::Word => matches!(
                code.word(here),
                "where" | "throws" | "rethrows" | "extends" | "implements" | "else" | "as"
            ),
            Kind::Text => last.kind == Kind::Close,
            _ => false,
        };
        !goes_on && !continues
    }

    /// Returns what is said by a line of the preprocessor.
    fn directive(&mut self, at: usize, symbols: &mut Vec<Symbol>) {
        let code = self.code;
        let span = code.start(at)..code.end(at);
        let line = code.text[span.clone()].trim_start_matches('#').trim_start();
        if let Some(rest) = line.strip_prefix("include").or(line.strip_prefix("import")) {
            let module = rest.trim().trim_matches(['<', '>', '"']);
            let module = module.split(['>', '"']).next().unwrap_or(module);
            self.found.imports.push(code.import(span, module));
            return;
        }
        let Some(rest) = line.strip_prefix("define") else {
            return;
        };
        let rest = rest.trim_start();
        let length = rest.find(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        // A name without a value only guards against a second inclusion.
        let Some(length) = length.filter(|length| *length > 0) else {
            return;
        };
        let is_function = rest[length..].starts_with('(');
        let start = span.end - rest.len();
        // A comment at its end is none of its value.
        let last = code
            .comments
            .partition_point(|comment| comment.start < span.end);
        let comment = last.checked_sub(1).map(|at| &code.comments[at]);
        let trimmed = span.start + code.text[span.clone()].trim_end().len();
        let value_end = comment
            .filter(|comment| comment.start > start && comment.end >= trimmed)
            .map_or(span.end, |comment| comment.start);
        let rest = &code.text[start..value_end];
        let head_end = if is_function {
            rest.find(')').map_or(value_end, |close| start + close + 1)
        } else {
            let value = start + length;
            code.end_with_value(value, value + rest[length..].trim_end().len())
        };
        let is_guard = rest[length..].trim().is_empty();
        if !is_guard {
            symbols.push(code.symbol(Definition {
                kind: SymbolKind::Macro,
                name: rest[..length].to_owned(),
                head: span.start..head_end,
                span,
                is_private: !is_function,
                children: Vec::new(),
            }));
        }
    }

    fn import(&mut self, lead: &Lead, end: usize, scope: &Scope) -> usize {
        let code = self.code;
        let at = lead.at;
        let is_group = code.language == Language::Go && code.is(at + 1, b'(');
        if is_group {
            let close = code.next(at + 1) - 1;
            for here in at + 2..close.min(end) {
                if code.kind(here) == Some(Kind::Text) {
                    let is_alone = code.tokens[here].first;
                    let start = if is_alone { here } else { here - 1 };
                    let module = code.word(here).trim_matches(['"', '`']);
                    let import = code.import(code.start(start)..code.end(here), module);
                    self.found.imports.push(import);
                }
            }
            return close + 1;
        }
        let mut extent = self.extent(at, end);
        if extent.next > at + 1 && extent.body.is_some() && !code.is(extent.next - 1, b';') {
            // `use a\{b, c};`
            let rest = self.extent(extent.next - 1, end);
            extent.next = rest.next;
            extent.end = rest.end;
        }
        let span = code.start(lead.head)..extent.end;
        let text = code.text[span.clone()].trim_end_matches(';').trim();
        let module = match code.language {
            Language::Go | Language::JavaScript | Language::TypeScript | Language::Php => (at
                ..extent.next)
                .rev()
                .find(|here| code.kind(*here) == Some(Kind::Text))
                .map_or_else(|| behind_keyword(text), |here| code.word(here)),
            _ => behind_keyword(text),
        };
        let module = module.trim_matches(['"', '\'', '`', '(', ')', ' ']);
        // In a class of PHP `use` takes over the members of traits.
        if !scope.is_type() {
            self.found.imports.push(code.import(span, module));
        }
        extent.next
    }
}

/// Whether methods are written without a keyword in a class of this language.
fn is_script(language: Language) -> bool {
    matches!(language, Language::JavaScript | Language::TypeScript)
}

fn behind_keyword(text: &str) -> &str {
    text.split_once(char::is_whitespace)
        .map_or(text, |(_, rest)| rest.trim_start_matches("static ").trim())
}
