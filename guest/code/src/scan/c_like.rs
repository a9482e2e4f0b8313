//! What a statement declares where functions and fields need no keyword.

use super::braces::{Braces, Extent, Lead, Scope};
use super::dialect::{Role, is_attribute_word};
use crate::code::Definition;
use crate::language::Language;
use crate::lexer::Kind;
use crate::{Symbol, SymbolKind};

impl Braces<'_> {
    /// Reads a struct, union, enum or class of C or C++; none where its name is but used.
    pub(super) fn c_type(
        &mut self,
        role: Role,
        at: usize,
        lead: &Lead,
        end: usize,
        scope: &Scope,
        symbols: &mut Vec<Symbol>,
    ) -> Option<usize> {
        let code = self.code;
        let Role::Type(kind) = role else { return None };
        let mut here = lead.at + 1;
        let mut name = None;
        while here < end && !code.is(here, b'{') {
            if code.is(here, b';') {
                // Declared here, defined elsewhere.
                return (here <= lead.at + 2).then_some(here + 1);
            }
            if code.is(here, b'=') || code.is(here, b'*') || code.is(here, b'&') {
                return None;
            }
            if code.is(here, b'(') {
                if !is_attribute_word(code.word(here - 1))
                    && !code
                        .word(here - 1)
                        .chars()
                        .all(|letter| letter.is_uppercase() || letter == '_')
                {
                    return None;
                }
            } else if code.is(here, b'<') {
                here = self.behind_angles(here, end);
                continue;
            } else if code.is(here, b':') && !code.is(here + 1, b':') && !code.is(here - 1, b':') {
                // What it is derived from; its name is known.
                while here < end && !code.is(here, b'{') && !code.is(here, b';') {
                    here = code.next(here);
                }
                continue;
            } else if code.is_name(here) && !matches!(code.word(here), "final" | "class" | "struct")
            {
                name = Some(here);
            }
            here = code.next(here);
        }
        if !code.is(here, b'{') {
            return None;
        }
        let extent = self.extent(here, end);
        let body = extent.body.clone().unwrap_or(here..here);
        let text = name.map_or("", |name| code.word(name));
        let children = self.body(kind, text, body, scope, false);
        // What is declared with it stands between its body and the semicolon.
        let behind = self.extent(extent.next.max(here + 1), end);
        let (next, stop) = if code.is(behind.next.max(1) - 1, b';') && extent.next < end {
            (behind.next, behind.end)
        } else {
            (extent.next, extent.end)
        };
        let declared = (extent.next..next.min(end)).find(|at| code.is_name(*at));
        let name = name.or(declared).map_or("", |name| code.word(name));
        let name = if name.is_empty() {
            code.word(lead.at)
        } else {
            name
        };
        symbols.push(code.symbol(Definition {
            kind,
            name: name.to_owned(),
            head: code.start(lead.head)..code.start(here),
            span: code.start(at)..stop,
            is_private: lead.is_private,
            children,
        }));
        Some(next)
    }

    pub(super) fn typedef(
        &mut self,
        at: usize,
        lead: &Lead,
        end: usize,
        scope: &Scope,
        symbols: &mut Vec<Symbol>,
    ) -> usize {
        let code = self.code;
        let mut here = lead.at + 1;
        let mut body = None;
        let mut name = None;
        while here < end && !code.is(here, b';') {
            if code.is(here, b'{') {
                body = Some(here);
            } else if code.is(here, b'(') && code.is(here + 1, b'*') {
                name = (here + 1..code.next(here)).find(|at| code.is_name(*at));
                while here < end && !code.is(here, b';') {
                    here = code.next(here);
                }
                break;
            } else if code.is_name(here) && !is_attribute_word(code.word(here)) {
                name = Some(here);
            }
            here = code.next(here);
        }
        let kind = match code.word(lead.at + 1) {
            "struct" if body.is_some() => SymbolKind::Struct,
            "union" if body.is_some() => SymbolKind::Union,
            "enum" if body.is_some() => SymbolKind::Enum,
            _ => SymbolKind::Type,
        };
        let name = name.map_or("", |name| code.word(name)).to_owned();
        let children = body.map_or_else(Vec::new, |open| {
            let close = code.next(open) - 1;
            self.body(kind, &name, open + 1..close.max(open + 1), scope, false)
        });
        let stop = code.start(here).min(code.end(end.saturating_sub(1)));
        let mut symbol = code.symbol(Definition {
            kind,
            head: code.start(lead.head)..body.map_or(stop, |open| code.start(open)),
            name,
            span: code.start(at)..stop.max(code.start(at)),
            is_private: lead.is_private,
            children,
        });
        if body.is_some() {
            symbol.signature = format!("{} {}", symbol.signature, symbol.name);
        }
        symbols.push(symbol);
        here + 1
    }

    /// Reads a function, field or property without a keyword.
    pub(super) fn member(
        &mut self,
        at: usize,
        lead: &Lead,
        end: usize,
        scope: &mut Scope,
        symbols: &mut Vec<Symbol>,
    ) -> usize {
        let code = self.code;
        let language = code.language;
        let is_cpp = language == Language::Cpp;
        if matches!(language, Language::C | Language::Cpp)
            && lead.at < end
            && code.is(lead.at, b'{')
            && lead.at > lead.head
        {
            // `extern "C" {`
            let next = code.next(lead.at);
            let within = self.statements(lead.at + 1..(next - 1).max(lead.at + 1), scope);
            symbols.extend(within);
            return next;
        }
        let is_lone_macro = is_cpp
            && lead.head == lead.at
            && code
                .tokens
                .get(lead.at + 1)
                .is_some_and(|token| token.first)
            && !code.word(lead.at).contains(char::is_lowercase);
        if is_lone_macro {
            return lead.at + 1;
        }
        let extent = self.extent(lead.at, end);
        let stop = extent.sign.unwrap_or(extent.next).min(end);
        let mut group = None;
        let mut last_name = None;
        let mut words = 0;
        let mut here = lead.at;
        while here < stop {
            let token = code.tokens[here];
            if code.is(here, b'(') {
                if code.is_name(here - 1) && code.word(here - 1) == "operator" {
                    here = code.next(here);
                    continue;
                }
                if !is_attribute_word(code.word(here - 1)) || here == lead.at {
                    group = Some(here);
                    break;
                }
            } else if code.is(here, b'{') || (extent.body.is_none() && code.is(here, b';')) {
                break;
            } else if code.is(here, b'<')
                && here > lead.at
                && code.is_name(here - 1)
                && code.word(here - 1) != "operator"
            {
                here = self.behind_angles(here, stop);
                continue;
            } else if token.kind == Kind::Word && !code.is(here.max(1) - 1, b'[') {
                words += 1;
                last_name = Some(here);
            } else if self.ends_declarator(here) && (code.is(here, b':') || last_name.is_some()) {
                break;
            } else if token.kind == Kind::Punct
                && matches!(token.byte, b'.' | b'+' | b'/')
                && !self.is_qualified_type(here)
                && !self.is_operator(lead.at, here)
            {
                return extent.next;
            }
            here = code.next(here);
        }
        let Some(group) = group else {
            return self.field(at, lead, last_name, words, &extent, scope, symbols);
        };
        // A macro on a line of its own, such as `Q_OBJECT(x)`, stands before another declaration.
        let behind = code.next(group);
        let is_macro = words == 1
            && behind < stop
            && code.tokens[behind].first
            && code.is_name(behind)
            && matches!(language, Language::C | Language::Cpp)
            && lead.head == lead.at;
        if is_macro {
            return behind;
        }
        let is_generic = group > 0
            && code.is(group - 1, b'>')
            && last_name.is_some_and(|name| code.word(name) != "operator");
        let is_pointer = code.is(group + 1, b'*')
            || !is_generic
                && (group > 0 && !code.is_name(group - 1) && !self.is_operator(lead.at, group));
        let name = if is_pointer && code.is(group + 1, b'*') {
            (group + 1..behind)
                .find(|at| code.is_name(*at))
                .map(|at| code.word(at).to_owned())
        } else if is_pointer {
            None
        } else {
            let behind_name = last_name
                .filter(|_| is_generic)
                .map_or(group, |name| name + 1);
            Some(self.qualified_name(lead.at, behind_name))
        };
        let Some(name) = name.filter(|name| !name.is_empty()) else {
            return extent.next;
        };
        let simple = name
            .rsplit("::")
            .next()
            .unwrap_or(&name)
            .trim_start_matches('~');
        let is_owner = scope
            .owner
            .as_ref()
            .is_some_and(|(_, owner)| owner == simple)
            || matches!(name.as_str(), "constructor")
            || name.rsplit("::").nth(1) == Some(simple);
        let has_type = words > 1 || group > lead.at + 1 || is_owner;
        let has_body = extent.body.is_some() || extent.sign.is_some();
        let in_interface = scope.is_type();
        if !(has_body || has_type)
            || (extent.sign.is_some() && is_pointer) && !scope.is_type() && words == 0
        {
            return extent.next;
        }
        if !has_body
            && !in_interface
            && words < 2
            && !is_owner
            && !self.has_return_type(lead, group)
        {
            return extent.next;
        }
        let kind = if is_pointer {
            if scope.is_type() {
                SymbolKind::Field
            } else {
                SymbolKind::Variable
            }
        } else if is_owner {
            SymbolKind::Constructor
        } else if scope.is_type() || name.contains("::") {
            SymbolKind::Method
        } else {
            SymbolKind::Function
        };
        let head_end = if is_cpp {
            self.before_initialisers(behind, &extent)
        } else {
            extent.head_end
        };
        symbols.push(code.symbol(Definition {
            kind,
            name,
            head: code.start(lead.head)..head_end,
            span: code.start(at)..extent.end,
            is_private: lead.is_private,
            children: Vec::new(),
        }));
        extent.next
    }

    /// Whether the token is a comma, or a colon that is half of no `::`.
    fn ends_declarator(&self, at: usize) -> bool {
        let code = self.code;
        let is_double = code.is(at + 1, b':') || code.is(at.max(1) - 1, b':');
        code.is(at, b',') || (code.is(at, b':') && !is_double)
    }

    fn has_return_type(&self, lead: &Lead, group: usize) -> bool {
        (lead.head..group.saturating_sub(1)).any(|at| {
            self.code.is_name(at) && !matches!(self.code.word(at), "extern" | "static" | "inline")
        })
    }

    /// The members that a constructor sets are of its body.
    fn before_initialisers(&self, behind: usize, extent: &Extent) -> usize {
        let code = self.code;
        (behind..extent.next)
            .take_while(|at| code.start(*at) < extent.head_end)
            .find(|at| code.is(*at, b':') && !code.is(at + 1, b':') && !code.is(at - 1, b':'))
            .map_or(extent.head_end, |at| code.start(at))
    }

    fn is_qualified_type(&self, at: usize) -> bool {
        self.code.is(at, b'.') && matches!(self.code.language, Language::Java | Language::CSharp)
            || self.code.is(at, b'.') && self.code.is(at + 1, b'.')
            || self.code.is(at, b'.') && self.code.is(at - 1, b'.')
    }

    fn is_operator(&self, from: usize, at: usize) -> bool {
        (from.max(at.saturating_sub(4))..at).any(|at| self.code.word(at) == "operator")
    }

    /// Returns the name before the brackets at `group`, with what qualifies it.
    fn qualified_name(&self, from: usize, group: usize) -> String {
        let code = self.code;
        let nearby = from.max(group.saturating_sub(4));
        if let Some(at) = (nearby..group).find(|at| code.word(*at) == "operator") {
            let text = &code.text[code.start(at)..code.start(group)];
            let mut first = at;
            while first > from + 1 && code.is(first - 1, b':') && first >= 3 {
                first = first.saturating_sub(3).max(from);
            }
            return format!(
                "{}{}",
                &code.text[code.start(first)..code.start(at)],
                text.trim()
            );
        }
        let mut first = group.saturating_sub(1).max(from);
        loop {
            let mut before = first;
            if before > from && code.is(before - 1, b'~') {
                before -= 1;
                first = before;
            }
            if before < from + 2 || !code.is(before - 1, b':') || !code.is(before - 2, b':') {
                break;
            }
            before -= 2;
            let mut angles = 0i32;
            for _ in 0..64 {
                if before <= from {
                    break;
                }
                before -= 1;
                angles += i32::from(code.is(before, b'>')) - i32::from(code.is(before, b'<'));
                if angles == 0 && code.is_name(before) {
                    break;
                }
            }
            if !code.is_name(before) {
                break;
            }
            first = before;
        }
        let text = &code.text[code.start(first)..code.end(group.saturating_sub(1).max(first))];
        text.split_whitespace().collect()
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "what `member` has found out is handed on"
    )]
    fn field(
        &mut self,
        at: usize,
        lead: &Lead,
        name: Option<usize>,
        words: usize,
        extent: &Extent,
        scope: &Scope,
        symbols: &mut Vec<Symbol>,
    ) -> usize {
        let code = self.code;
        let language = code.language;
        let Some(name) = name else { return extent.next };
        // The constructor of a record may do without the parameters, which are known.
        let is_compact = language == Language::Java
            && words == 1
            && extent.body.is_some()
            && scope.owner.as_ref().is_some_and(|(kind, owner)| {
                *kind == SymbolKind::Struct && owner == code.word(name)
            });
        if is_compact {
            symbols.push(code.symbol(Definition {
                kind: SymbolKind::Constructor,
                name: code.word(name).to_owned(),
                head: code.start(lead.head)..extent.head_end,
                span: code.start(at)..extent.end,
                is_private: lead.is_private,
                children: Vec::new(),
            }));
            return extent.next;
        }
        let is_property =
            language == Language::CSharp && (extent.body.is_some() || code.word(name) == "this");
        let mut next = extent.next;
        let mut end = extent.end;
        if extent.body.is_some() && !is_property {
            if language != Language::Cpp || words < 2 {
                return next;
            }
            // `int x{1};`
            if code.is(next, b';') {
                next += 1;
            }
        }
        if is_property && code.is(next, b'=') {
            let rest = self.extent(next, code.tokens.len());
            (next, end) = (rest.next, rest.end);
        }
        let is_script = matches!(language, Language::JavaScript | Language::TypeScript);
        if words < 2 && !is_script && lead.at == lead.head {
            return next;
        }
        let is_static = (lead.head..lead.at).any(|at| code.word(at) == "static");
        let kind = if lead.is_constant && (is_static || language != Language::Java) {
            SymbolKind::Constant
        } else if scope.is_type() {
            SymbolKind::Field
        } else {
            SymbolKind::Variable
        };
        let head_end = extent.sign.map_or(extent.head_end, |sign| {
            if kind == SymbolKind::Constant {
                code.end_with_value(code.start(sign), end)
            } else {
                code.start(sign)
            }
        });
        symbols.push(code.symbol(Definition {
            kind,
            name: code.word(name).to_owned(),
            head: code.start(lead.head)..head_end,
            span: code.start(at)..end,
            is_private: lead.is_private,
            children: Vec::new(),
        }));
        next
    }
}
