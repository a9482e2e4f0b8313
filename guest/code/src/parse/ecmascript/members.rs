//! Classes and interfaces with their members.

use oxc_ast::ast::{
    Class, ClassElement, Decorator, Expression, MethodDefinition, MethodDefinitionKind,
    PropertyDefinition, PropertyKey, TSAccessibility, TSInterfaceDeclaration, TSSignature,
};
use oxc_span::GetSpan;

use super::{DeclarationSite, EcmascriptReader, bytes};
use crate::code::Definition;
use crate::position::{ByteOffset, ByteRange};
use crate::symbol::{Symbol, SymbolKind};

/// The parts of a class member.
struct Member<'a> {
    kind: SymbolKind,
    decorators: &'a [Decorator<'a>],
    key: &'a PropertyKey<'a>,
    accessibility: Option<TSAccessibility>,
    /// Start of its body or its value.
    head_end: ByteOffset,
}

impl EcmascriptReader<'_> {
    pub(super) fn key(&self, key: &PropertyKey<'_>) -> String {
        self.code
            .slice(bytes(key.span()))
            .trim_matches(['"', '\''])
            .to_owned()
    }

    pub(super) fn class(
        &mut self,
        class: &Class<'_>,
        name: &str,
        site: &DeclarationSite,
    ) -> Symbol {
        let own_name = class.id.as_ref().map_or(name, |id| id.name.as_str());
        let name = if name.is_empty() || name == "default" {
            own_name
        } else {
            name
        };
        // In `@a export class B {}` the decorators precede the statement, and in
        // `export @a class B {}` they are within it. The symbol begins with whichever comes
        // first, and its signature after the last decorator.
        let decorators = class.decorators.iter();
        let decorators = decorators.map(|decorator| bytes(decorator.span));
        let first = decorators.clone().map(|span| span.start).min();
        let start = first.unwrap_or(site.span.start).min(site.span.start);
        let decorators_end = decorators.map(|span| span.end).max();
        let head = decorators_end.map_or(site.span.start, |end| end.max(site.span.start));
        let elements = class.body.body.iter();
        let children = elements
            .filter_map(|element| self.element(element, site.depth + 1))
            .collect();
        self.code.symbol(Definition {
            kind: SymbolKind::Class,
            name: name.to_owned(),
            head: head..ByteOffset::from(class.body.span.start).max(head),
            span: start..site.span.end,
            is_private: self.is_private(name, site),
            children,
        })
    }

    fn element(&self, element: &ClassElement<'_>, depth: usize) -> Option<Symbol> {
        let span = bytes(element.span());
        let member = match element {
            ClassElement::MethodDefinition(method) => method_member(method, &span),
            ClassElement::PropertyDefinition(property) => property_member(property),
            ClassElement::AccessorProperty(property) => Member {
                kind: SymbolKind::Field,
                decorators: &property.decorators,
                key: &property.key,
                accessibility: property.accessibility,
                head_end: span.end,
            },
            // A static block and an index signature have no name.
            ClassElement::StaticBlock(_) | ClassElement::TSIndexSignature(_) => return None,
        };
        let decorators = member.decorators.iter();
        let decorators_end = decorators.map(|decorator| decorator.span.end).max();
        let start = decorators_end.map_or(span.start, ByteOffset::from);
        let name = self.key(member.key);
        let site = DeclarationSite::for_member(span.clone(), depth);
        Some(self.code.symbol(Definition {
            kind: member.kind,
            is_private: member.accessibility == Some(TSAccessibility::Private)
                || self.is_private(&name, &site),
            name,
            head: start..member.head_end.max(start),
            span,
            children: Vec::new(),
        }))
    }

    pub(super) fn interface(
        &self,
        interface: &TSInterfaceDeclaration<'_>,
        site: &DeclarationSite,
    ) -> Symbol {
        let members = interface.body.body.iter().filter_map(|member| {
            let (kind, name) = match member {
                TSSignature::TSPropertySignature(property) => {
                    (SymbolKind::Field, self.key(&property.key))
                }
                TSSignature::TSMethodSignature(method) => {
                    (SymbolKind::Method, self.key(&method.key))
                }
                TSSignature::TSConstructSignatureDeclaration(_) => {
                    (SymbolKind::Constructor, "new".to_owned())
                }
                TSSignature::TSCallSignatureDeclaration(_) => (SymbolKind::Method, "()".to_owned()),
                TSSignature::TSIndexSignature(_) => return None,
            };
            let member_site = DeclarationSite::for_member(bytes(member.span()), site.depth + 1);
            Some(self.leaf(kind, &name, None, &member_site))
        });
        let members = members.collect();
        let head_end = interface.body.span.start.into();
        self.symbol(
            SymbolKind::Interface,
            &interface.id.name,
            head_end,
            site,
            members,
        )
    }
}

/// Returns the parts of `constructor(a) { ... }`, `get b() { ... }` or `abstract c(): d;`.
fn method_member<'a>(method: &'a MethodDefinition<'a>, span: &ByteRange) -> Member<'a> {
    let body = method.value.body.as_ref();
    Member {
        kind: match method.kind {
            MethodDefinitionKind::Constructor => SymbolKind::Constructor,
            _ => SymbolKind::Method,
        },
        decorators: &method.decorators,
        key: &method.key,
        accessibility: method.accessibility,
        head_end: body.map_or(span.end, |body| body.span.start.into()),
    }
}

/// Returns the parts of `a: b = 1`, or `a = () => { ... }`, which is a method by its value.
fn property_member<'a>(property: &'a PropertyDefinition<'a>) -> Member<'a> {
    let annotation = property.type_annotation.as_ref();
    let type_end = annotation.map(|annotation| annotation.span.end);
    let type_end = type_end.unwrap_or(property.key.span().end);
    let (kind, head_end) = match &property.value {
        Some(Expression::ArrowFunctionExpression(arrow)) => {
            (SymbolKind::Method, arrow.body.span().start)
        }
        Some(Expression::FunctionExpression(function)) => {
            let body = function.body.as_ref();
            (
                SymbolKind::Method,
                body.map_or(type_end, |body| body.span.start),
            )
        }
        _ => (SymbolKind::Field, type_end),
    };
    Member {
        kind,
        decorators: &property.decorators,
        key: &property.key,
        accessibility: property.accessibility,
        head_end: head_end.into(),
    }
}
