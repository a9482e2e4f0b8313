//! JSON schemas of WIT types.

use std::collections::BTreeSet;
use std::error::Error;

use serde_json::{Map, Value, json};
use wit_parser::{Field, Resolve, Type, TypeDef, TypeDefKind};

use docent_spelling::camel_case;

/// The WIT type of paths to files and directories.
const PATH: &str = "path";

/// Converts a name to snake_case: `search_documents` for `search-documents`.
pub fn snake_case(name: &str) -> String {
    name.replace('-', "_")
}

/// Joins the lines of a paragraph.
pub fn unwrap_lines(paragraph: &str) -> String {
    paragraph.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A deriver of schemas from the types of one package.
pub struct Schemas<'a> {
    resolve: &'a Resolve,
    functions: BTreeSet<&'a str>,
    fields: BTreeSet<&'a str>,
}

impl<'a> Schemas<'a> {
    /// Returns the deriver for the package in `resolve`, whose world exports `functions`.
    pub fn new(resolve: &'a Resolve, functions: impl Iterator<Item = &'a str>) -> Self {
        let fields = resolve
            .types
            .iter()
            .filter_map(|(_, ty)| match &ty.kind {
                TypeDefKind::Record(record) => Some(record.fields.iter()),
                _ => None,
            })
            .flatten()
            .map(|field| field.name.as_str())
            .collect();
        Self {
            resolve,
            functions: functions.collect(),
            fields,
        }
    }

    /// Returns the fields of an `option<RECORD>`.
    pub fn option_fields(&self, ty: &Type) -> Result<&'a [Field], Box<dyn Error>> {
        let inner = self.optional(ty).ok_or("`options` must be an option")?;
        match self.definition(inner).map(|definition| &definition.kind) {
            Some(TypeDefKind::Record(record)) => Ok(&record.fields),
            _ => Err("`options` must be an option of a record".into()),
        }
    }

    /// Returns the schema of a field, with its description and default.
    pub fn field(&self, field: &Field) -> Result<Value, Box<dyn Error>> {
        let docs = field.docs.contents.as_deref().unwrap_or_default();
        // Only the first paragraph is shown to callers, who pay for each word in every session.
        // Further ones explain the field to readers of the contract.
        let docs = unwrap_lines(docs.split("\n\n").next().unwrap_or_default());
        let ty = self.optional(&field.ty).unwrap_or(&field.ty);
        let (default, rest) = without_default(&docs);
        // The default is taken out of the description, since the schema has a key for it:
        // models read both and pay for both.
        let mut schema = self.with_description(ty, &rest)?;
        if let Some((least, most)) = documented_range(&rest)
            && matches!(schema["type"].as_str(), Some("integer" | "number"))
        {
            schema["minimum"] = least.into();
            schema["maximum"] = most.into();
        }
        if let Some(default) = default {
            let is_text = schema["type"] == "string";
            schema["default"] = if is_text {
                default.into()
            } else {
                serde_json::from_str(default)?
            };
        }
        Ok(schema)
    }

    /// Returns the schema of `ty` with `docs` as its description.
    pub fn with_description(&self, ty: &Type, docs: &str) -> Result<Value, Box<dyn Error>> {
        let mut schema = self.schema(ty)?;
        schema["description"] = self.names_in_prose(docs).into();
        Ok(schema)
    }

    /// Returns the locations of paths in an argument `name` of type `ty`: `path`, `paths[]`,
    /// `edits[].path`.
    pub fn paths(&self, name: &str, ty: &Type) -> Vec<String> {
        let Some(definition) = self.definition(ty) else {
            return Vec::new();
        };
        match &definition.kind {
            TypeDefKind::Type(Type::String) if definition.name.as_deref() == Some(PATH) => {
                vec![name.to_owned()]
            }
            TypeDefKind::Option(inner) => self.paths(name, inner),
            TypeDefKind::List(item) => self.paths(&format!("{name}[]"), item),
            TypeDefKind::Record(record) => {
                let fields = record.fields.iter();
                let within = |field: &Field| format!("{name}.{}", camel_case(&field.name));
                fields
                    .flat_map(|field| self.paths(&within(field), &field.ty))
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the schema of the `ok` type of a `result`.
    pub fn success(&self, ty: &Type) -> Result<Value, Box<dyn Error>> {
        match self.definition(ty).map(|definition| &definition.kind) {
            Some(TypeDefKind::Result(result)) => match &result.ok {
                Some(ok) => self.schema(ok),
                None => Ok(json!({ "type": "object" })),
            },
            _ => Err("a tool returns a `result`".into()),
        }
    }

    /// Converts names in backticks to the form that JSON callers use.
    pub fn names_in_prose(&self, prose: &str) -> String {
        let mut quoted = false;
        let parts = prose.split('`').map(|part| {
            // Splitting at backticks makes every second part the inside of a pair. Names
            // outside of backticks are ordinary words, such as "path" or "limit", and stay as
            // they are.
            let name = if !quoted {
                part.to_owned()
            } else if self.functions.contains(part) {
                snake_case(part)
            } else if self.fields.contains(part) {
                camel_case(part)
            } else {
                part.to_owned()
            };
            quoted = !quoted;
            name
        });
        parts.collect::<Vec<_>>().join("`")
    }

    fn schema(&self, ty: &Type) -> Result<Value, Box<dyn Error>> {
        let Type::Id(_) = ty else {
            return match ty {
                Type::Bool => Ok(json!({ "type": "boolean" })),
                Type::U8 | Type::U16 | Type::U32 | Type::U64 => {
                    Ok(json!({ "type": "integer", "minimum": 0 }))
                }
                Type::S8 | Type::S16 | Type::S32 | Type::S64 => Ok(json!({ "type": "integer" })),
                Type::F32 | Type::F64 => Ok(json!({ "type": "number" })),
                Type::String | Type::Char => Ok(json!({ "type": "string" })),
                other => Err(format!("no JSON schema for {other:?}").into()),
            };
        };
        let definition = self.definition(ty).ok_or("a named type is defined")?;
        match &definition.kind {
            TypeDefKind::Type(inner) => self.schema(inner),
            TypeDefKind::List(item) => Ok(json!({ "type": "array", "items": self.schema(item)? })),
            // Absent members are omitted in JSON, so the schema of an option is that of its
            // content: callers never see `null`.
            TypeDefKind::Option(inner) => self.schema(inner),
            TypeDefKind::Enum(cases) => {
                let names: Vec<_> = cases.cases.iter().map(|case| case.name.as_str()).collect();
                Ok(json!({ "type": "string", "enum": names }))
            }
            TypeDefKind::Record(record) => {
                let mut properties = Map::new();
                let mut required = Vec::new();
                for field in &record.fields {
                    properties.insert(camel_case(&field.name), self.field(field)?);
                    if self.optional(&field.ty).is_none() {
                        required.push(camel_case(&field.name));
                    }
                }
                let mut schema = json!({ "type": "object", "properties": properties });
                if !required.is_empty() {
                    schema["required"] = required.into();
                }
                Ok(schema)
            }
            other => Err(format!("no JSON schema for {other:?}").into()),
        }
    }

    /// Returns the type inside an option.
    fn optional(&self, ty: &'a Type) -> Option<&'a Type> {
        match &self.definition(ty)?.kind {
            TypeDefKind::Option(inner) => Some(inner),
            _ => None,
        }
    }

    /// Returns the definition of a named type, following `use`d names.
    fn definition(&self, ty: &Type) -> Option<&'a TypeDef> {
        let Type::Id(mut id) = *ty else { return None };
        while let TypeDefKind::Type(Type::Id(inner)) = self.resolve.types[id].kind {
            id = inner;
        }
        Some(&self.resolve.types[id])
    }
}

/// Returns the range of a number that its documentation states, such as `1 to 1000`: the types of
/// the contract have no ranges.
fn documented_range(docs: &str) -> Option<(u64, u64)> {
    let words: Vec<&str> = docs.split_whitespace().collect();
    words.windows(3).find_map(|words| match words {
        [least, "to", most] => {
            let most = most.trim_end_matches(['.', ',', ';', ':']);
            Some((least.parse().ok()?, most.parse().ok()?))
        }
        _ => None,
    })
}

/// Returns the value of a sentence ``Default: `VALUE`.``, and the documentation without it.
fn without_default(docs: &str) -> (Option<&str>, String) {
    let parts = docs.split_once("Default: `").and_then(|(before, rest)| {
        let (value, behind) = rest.split_once("`.")?;
        Some((value, before, behind))
    });
    match parts {
        Some((value, before, behind)) => (Some(value), unwrap_lines(&format!("{before}{behind}"))),
        None => (None, docs.to_owned()),
    }
}
