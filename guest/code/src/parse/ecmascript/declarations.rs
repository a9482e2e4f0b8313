//! Declaration statements.

use oxc_ast::ast::{
    Declaration, TSEnumDeclaration, TSExternalModuleDeclaration, TSImportEqualsDeclaration,
    TSNamespaceDeclaration, TSNamespaceDeclarationBody, VariableDeclaration,
    VariableDeclarationKind, VariableDeclarator,
};
use oxc_span::GetSpan;

use super::expressions::required_module;
use super::{DeclarationSite, EcmascriptReader, bytes};
use crate::position::ByteOffset;
use crate::symbol::{Symbol, SymbolKind};

impl EcmascriptReader<'_> {
    pub(super) fn declaration(
        &mut self,
        declaration: &Declaration<'_>,
        site: &DeclarationSite,
        symbols: &mut Vec<Symbol>,
    ) {
        let symbol = match declaration {
            Declaration::FunctionDeclaration(function) => {
                let name = function.id.as_ref().map_or("", |id| id.name.as_str());
                let body = function.body.as_ref().map(|body| body.span.start);
                self.leaf(SymbolKind::Function, name, body, site)
            }
            Declaration::ClassDeclaration(class) => self.class(class, "", site),
            Declaration::VariableDeclaration(variables) => {
                return self.variables(variables, site, symbols);
            }
            Declaration::TSTypeAliasDeclaration(alias) => {
                self.leaf(SymbolKind::Type, &alias.id.name, None, site)
            }
            Declaration::TSInterfaceDeclaration(interface) => self.interface(interface, site),
            Declaration::TSEnumDeclaration(enumeration) => self.enumeration(enumeration, site),
            Declaration::TSExternalModuleDeclaration(module) => self.external_module(module, site),
            Declaration::TSNamespaceDeclaration(namespace) => self.namespace(namespace, site),
            Declaration::TSGlobalDeclaration(global) => {
                let children = self.statements(&global.body.body, site.depth + 1);
                let head_end = global.body.span.start.into();
                self.symbol(SymbolKind::Module, "global", head_end, site, children)
            }
            Declaration::TSImportEqualsDeclaration(import) => {
                return self.import_equals(import, site);
            }
        };
        symbols.push(symbol);
    }

    fn enumeration(&self, enumeration: &TSEnumDeclaration<'_>, site: &DeclarationSite) -> Symbol {
        let members = enumeration.body.members.iter().map(|member| {
            let name = bytes(member.id.span());
            let end = self.code.end_with_value(name.end, member.span.end.into());
            let name = self.code.slice(name).trim_matches(['"', '\'']);
            let member_site = DeclarationSite::for_member(bytes(member.span), site.depth + 1);
            self.symbol(SymbolKind::Variant, name, end, &member_site, Vec::new())
        });
        let members = members.collect();
        let head_end = enumeration.body.span.start.into();
        let name = &enumeration.id.name;
        self.symbol(SymbolKind::Enum, name, head_end, site, members)
    }

    /// Reads `declare module 'a' { ... }`.
    fn external_module(
        &mut self,
        module: &TSExternalModuleDeclaration<'_>,
        site: &DeclarationSite,
    ) -> Symbol {
        let body = module.body.as_ref();
        let children =
            body.map_or_else(Vec::new, |body| self.statements(&body.body, site.depth + 1));
        let head_end = body.map_or(site.span.end, |body| body.span.start.into());
        let name = module.id.value.as_str();
        self.symbol(SymbolKind::Module, name, head_end, site, children)
    }

    /// Reads `namespace A.B { ... }`, which is two nested namespaces in the tree.
    fn namespace(
        &mut self,
        namespace: &TSNamespaceDeclaration<'_>,
        site: &DeclarationSite,
    ) -> Symbol {
        let mut name = namespace.id.name.to_string();
        let mut body = &namespace.body;
        let block = loop {
            match body {
                TSNamespaceDeclarationBody::TSModuleBlock(block) => break block,
                TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => {
                    name.push('.');
                    name.push_str(&inner.id.name);
                    body = &inner.body;
                }
            }
        };
        let children = self.statements(&block.body, site.depth + 1);
        let head_end = block.span.start.into();
        self.symbol(SymbolKind::Module, &name, head_end, site, children)
    }

    /// Reads `import a = require('b');` or `import a = b.c;`.
    fn import_equals(&mut self, import: &TSImportEqualsDeclaration<'_>, site: &DeclarationSite) {
        let reference = self.code.slice(bytes(import.module_reference.span()));
        let module = reference
            .trim_start_matches("require(")
            .trim_end_matches(')')
            .trim_matches(['"', '\'']);
        self.import(site, module);
    }

    /// Reads `const a = 1, b = 2;`, where each has the keyword in its signature.
    fn variables(
        &mut self,
        variables: &VariableDeclaration<'_>,
        site: &DeclarationSite,
        symbols: &mut Vec<Symbol>,
    ) {
        let Some(first) = variables.declarations.first() else {
            return;
        };
        let is_single = variables.declarations.len() == 1;
        let first = ByteOffset::from(first.span.start);
        let keyword = self.code.signature(site.span.start..first);
        for declarator in &variables.declarations {
            let mut span = bytes(declarator.span);
            let is_first = span.start == first;
            // The first begins with the keyword, and a single one ends with its semicolon.
            if is_first {
                span.start = site.span.start;
            }
            if is_single {
                span.end = site.span.end;
            }
            let own_site = DeclarationSite {
                span,
                ..site.clone()
            };
            let symbol = self.variable(declarator, variables.kind, &own_site);
            symbols.extend(symbol.map(|mut symbol| {
                if !is_first {
                    symbol.signature = format!("{keyword} {}", symbol.signature);
                }
                symbol
            }));
        }
    }

    /// Returns the symbol of one variable, of a kind by its value, or `None` for an import.
    fn variable(
        &mut self,
        declarator: &VariableDeclarator<'_>,
        kind: VariableDeclarationKind,
        site: &DeclarationSite,
    ) -> Option<Symbol> {
        let pattern = bytes(declarator.id.span());
        let pattern_end = pattern.end;
        let name = self.code.slice(pattern);
        // A value says more than the keyword: `const f = () => {}` is a function.
        if let Some(value) = &declarator.init {
            if let Some(module) = required_module(value) {
                self.import(site, module);
                return None;
            }
            let symbol = self.definition(name, value, site);
            if symbol.is_some() {
                return symbol;
            }
        }
        let kind = match kind {
            VariableDeclarationKind::Const => SymbolKind::Constant,
            _ => SymbolKind::Variable,
        };
        let annotation = declarator.type_annotation.as_ref();
        let type_end = annotation.map_or(pattern_end, |annotation| annotation.span.end.into());
        let head_end = self.code.end_with_value(type_end, site.span.end);
        Some(self.symbol(kind, name, head_end, site, Vec::new()))
    }
}
