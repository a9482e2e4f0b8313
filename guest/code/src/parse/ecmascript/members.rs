//! Classes and interfaces with what they hold.

use oxc_ast::ast::{
    Class, ClassElement, Expression, MethodDefinitionKind, PropertyKey, TSAccessibility,
    TSInterfaceDeclaration, TSSignature,
};
use oxc_span::GetSpan;

use super::{Outer, Walk, bytes};
use crate::code::Definition;
use crate::{Symbol, SymbolKind};

impl Walk<'_> {
    pub(super) fn key(&self, key: &PropertyKey<'_>) -> String {
        self.code.text[bytes(key.span())]
            .trim_matches(['"', '\''])
            .to_owned()
    }

    pub(super) fn class(&mut self, class: &Class<'_>, name: &str, outer: &Outer) -> Symbol {
        let own = class.id.as_ref().map_or(name, |id| id.name.as_str());
        let name = if name.is_empty() || name == "default" {
            own
        } else {
            name
        };
        let decorators = class
            .decorators
            .iter()
            .map(|decorator| bytes(decorator.span));
        let decorated = decorators.clone().map(|span| span.end).max();
        let start = decorators
            .map(|span| span.start)
            .min()
            .unwrap_or(outer.span.start);
        let head = match decorated {
            Some(end) if end > outer.span.start => end,
            _ => outer.span.start,
        };
        let span = start.min(outer.span.start)..outer.span.end;
        let members = class
            .body
            .body
            .iter()
            .filter_map(|element| self.element(element, outer.depth + 1));
        let children = members.collect();
        self.code.symbol(Definition {
            kind: SymbolKind::Class,
            name: name.to_owned(),
            head: head..(class.body.span.start as usize).max(head),
            span,
            is_private: self.is_private(name, outer),
            children,
        })
    }

    fn element(&self, element: &ClassElement<'_>, depth: usize) -> Option<Symbol> {
        let span = bytes(element.span());
        let (decorators, key, accessibility) = match element {
            ClassElement::MethodDefinition(method) => (
                &method.decorators,
                self.key(&method.key),
                method.accessibility,
            ),
            ClassElement::PropertyDefinition(property) => (
                &property.decorators,
                self.key(&property.key),
                property.accessibility,
            ),
            ClassElement::AccessorProperty(property) => (
                &property.decorators,
                self.key(&property.key),
                property.accessibility,
            ),
            ClassElement::StaticBlock(_) | ClassElement::TSIndexSignature(_) => return None,
        };
        let decorated = decorators
            .iter()
            .map(|decorator| decorator.span.end as usize)
            .max();
        let (kind, head_end) = match element {
            ClassElement::MethodDefinition(method) => {
                let is_constructor = method.kind == MethodDefinitionKind::Constructor;
                let kind = if is_constructor {
                    SymbolKind::Constructor
                } else {
                    SymbolKind::Method
                };
                let body = method.value.body.as_ref();
                (kind, body.map_or(span.end, |body| body.span.start as usize))
            }
            ClassElement::PropertyDefinition(property) => {
                let typed = property
                    .type_annotation
                    .as_ref()
                    .map(|annotation| annotation.span.end);
                let known = typed.unwrap_or(property.key.span().end) as usize;
                match &property.value {
                    Some(Expression::ArrowFunctionExpression(arrow)) => {
                        (SymbolKind::Method, arrow.body.span().start as usize)
                    }
                    Some(Expression::FunctionExpression(function)) => {
                        let body = function.body.as_ref();
                        (
                            SymbolKind::Method,
                            body.map_or(known, |body| body.span.start as usize),
                        )
                    }
                    _ => (SymbolKind::Field, known),
                }
            }
            _ => (SymbolKind::Field, span.end),
        };
        let start = decorated.unwrap_or(span.start);
        let outer = Outer {
            span: span.clone(),
            is_exported: true,
            depth,
        };
        Some(self.code.symbol(Definition {
            kind,
            is_private: accessibility == Some(TSAccessibility::Private)
                || self.is_private(&key, &outer),
            name: key,
            head: start..head_end.max(start),
            span,
            children: Vec::new(),
        }))
    }

    pub(super) fn interface(
        &self,
        interface: &TSInterfaceDeclaration<'_>,
        outer: &Outer,
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
            let inner = Outer {
                span: bytes(member.span()),
                is_exported: true,
                depth: outer.depth + 1,
            };
            Some(self.simple(kind, &name, None, &inner))
        });
        let members = members.collect();
        let head_end = interface.body.span.start as usize;
        self.make(
            SymbolKind::Interface,
            &interface.id.name,
            head_end,
            outer,
            members,
        )
    }
}
