//! Expressions that define symbols: named functions, old-style modules, and test blocks.

use oxc_ast::ast::{
    Argument, ArrowFunctionBody, AssignmentExpression, CallExpression, Expression,
    ObjectExpression, ObjectPropertyKind, Statement,
};
use oxc_span::GetSpan;

use super::{DeclarationSite, EcmascriptReader, bytes, without_values};
use crate::limits::NESTED_SYMBOLS;
use crate::position::ByteOffset;
use crate::symbol::{Symbol, SymbolKind};

impl EcmascriptReader<'_> {
    /// Returns the symbol of a named expression, if it is a function, a class or an object with
    /// functions.
    pub(super) fn definition(
        &mut self,
        name: &str,
        expression: &Expression<'_>,
        site: &DeclarationSite,
    ) -> Option<Symbol> {
        // Without the annotations of TypeScript: `as const`, `satisfies X`.
        match expression.get_inner_expression() {
            Expression::FunctionExpression(function) => {
                let body = function.body.as_ref().map(|body| body.span.start);
                Some(self.leaf(SymbolKind::Function, name, body, site))
            }
            Expression::ArrowFunctionExpression(arrow) => {
                let body = arrow.body.span().start;
                let mut symbol = self.leaf(SymbolKind::Function, name, Some(body), site);
                // A single blank before the arrow.
                if let Some(head) = symbol.signature.strip_suffix("=>") {
                    symbol.signature = format!("{} =>", head.trim_end());
                }
                Some(symbol)
            }
            Expression::ClassExpression(class) => Some(self.class(class, name, site)),
            Expression::ObjectExpression(object) if site.depth < NESTED_SYMBOLS => {
                self.object(name, object, site)
            }
            // `memo(function X() {})`, `debounce(() => {}, 10)`: the first argument determines the
            // kind.
            Expression::CallExpression(call) if call.arguments.len() <= 2 => {
                let first = call.arguments.first()?.as_expression()?;
                let is_definition = matches!(
                    first,
                    Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_)
                );
                if is_definition {
                    self.definition(name, first, site)
                } else {
                    None
                }
            }
            _ => None,
        }
    }

    /// Returns the symbol of an object with its functions, or `None` if it has none and is data.
    fn object(
        &mut self,
        name: &str,
        object: &ObjectExpression<'_>,
        site: &DeclarationSite,
    ) -> Option<Symbol> {
        let mut children = Vec::new();
        for property in &object.properties {
            let ObjectPropertyKind::ObjectProperty(property) = property else {
                continue;
            };
            let member_site = DeclarationSite::for_member(bytes(property.span), site.depth + 1);
            let key = self.key(&property.key);
            let child = self.definition(&key, &property.value, &member_site);
            children.extend(child.map(as_method));
        }
        if children.is_empty() {
            return None;
        }
        let head_end = object.span.start.into();
        Some(self.symbol(SymbolKind::Object, name, head_end, site, children))
    }

    /// Reads the definitions of an expression statement: `a.b = function () {}`, the body of an
    /// immediately invoked function, and test blocks.
    pub(super) fn expression(
        &mut self,
        expression: &Expression<'_>,
        site: &DeclarationSite,
        symbols: &mut Vec<Symbol>,
    ) {
        match expression.without_parentheses() {
            Expression::AssignmentExpression(assignment) => {
                symbols.extend(self.assignment(assignment, &site.clone().with_export()));
            }
            // `!function () {}();`
            Expression::UnaryExpression(unary) => {
                self.expression(&unary.argument, site, symbols);
            }
            Expression::CallExpression(call) => match required_module(expression) {
                Some(module) => self.import(site, module),
                None => self.call(call, site, symbols),
            },
            _ => {}
        }
    }

    /// Reads `a.b = function () {}` or `module.exports = a`; `a = b = function () {}` is a single
    /// definition.
    fn assignment(
        &mut self,
        assignment: &AssignmentExpression<'_>,
        site: &DeclarationSite,
    ) -> Option<Symbol> {
        let name = self.code.slice(bytes(assignment.left.span()));
        let (mut left, mut right) = (assignment.left.span(), &assignment.right);
        while let Expression::AssignmentExpression(inner) = right {
            (left, right) = (inner.left.span(), &inner.right);
        }
        if required_module(right).is_some() {
            return None;
        }
        if let Some(symbol) = self.definition(name, right, site) {
            let is_method = name.contains(".prototype.");
            return Some(if is_method { as_method(symbol) } else { symbol });
        }
        // Other values are assigned to items defined elsewhere.
        if name != "module.exports" {
            return None;
        }
        let head_end = self.code.end_with_value(left.end.into(), site.span.end);
        Some(self.symbol(SymbolKind::Constant, name, head_end, site, Vec::new()))
    }

    /// Reads the definitions in a call, by its callee and its function arguments.
    fn call(
        &mut self,
        call: &CallExpression<'_>,
        site: &DeclarationSite,
        symbols: &mut Vec<Symbol>,
    ) {
        // `(function () { ... })();`
        if let Some(body) = body_of(call.callee.without_parentheses()) {
            symbols.extend(self.statements(body, site.depth + 1));
            return;
        }
        let last = call.arguments.last().and_then(Argument::as_expression);
        let Some(body) = last.and_then(body_of) else {
            return;
        };
        match call.arguments.first() {
            // `describe('a', () => { ... });`
            Some(Argument::StringLiteral(title)) if call.arguments.len() > 1 => {
                let callee = self.code.slice(bytes(call.callee.span()));
                let name = format!("{callee}({:?})", title.value.as_str());
                let children = self.statements(body, site.depth + 1);
                let children = without_values(children).collect();
                let head_end = ByteOffset::from(title.span.end);
                let mut symbol = self.symbol(SymbolKind::Block, &name, head_end, site, children);
                // The head ends after the title.
                symbol.signature.push(')');
                symbols.push(symbol);
            }
            // An old-style module: `define(['a'], function (a) { ... });`.
            _ if site.depth == 0 => symbols.extend(self.statements(body, site.depth + 1)),
            _ => {}
        }
    }
}

/// Turns a function into a method; other symbols are unchanged.
fn as_method(mut symbol: Symbol) -> Symbol {
    if symbol.kind == SymbolKind::Function {
        symbol.kind = SymbolKind::Method;
    }
    symbol
}

/// Returns the statements of a function.
fn body_of<'a, 'b>(expression: &'b Expression<'a>) -> Option<&'b [Statement<'a>]> {
    match expression {
        Expression::FunctionExpression(function) => function
            .body
            .as_ref()
            .map(|body| body.statements.as_slice()),
        Expression::ArrowFunctionExpression(arrow) => match &arrow.body {
            ArrowFunctionBody::FunctionBody(body) => Some(&body.statements),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the module imported by `require('x')`, also in `require('x').y` and `require('x')(z)`.
pub(super) fn required_module<'b>(expression: &'b Expression<'_>) -> Option<&'b str> {
    let mut expression = expression.without_parentheses();
    loop {
        match expression {
            Expression::StaticMemberExpression(member) => expression = &member.object,
            Expression::CallExpression(call) => {
                let Expression::Identifier(callee) = &call.callee else {
                    expression = &call.callee;
                    continue;
                };
                return match (callee.name.as_str(), call.arguments.first()) {
                    ("require", Some(Argument::StringLiteral(module))) => {
                        Some(module.value.as_str())
                    }
                    _ => None,
                };
            }
            _ => return None,
        }
    }
}
