//! Reads `wit/`, the single source of truth, and derives the tool table from it; and, for tests,
//! that of another component.
//!
//! Conventions in documentation:
//!
//! - Functions: a list item that starts with an argument's name in backticks documents that
//!   argument. The last line is `Effect:` and one of `read-only`, `additive`, `destructive`,
//!   followed by `, pillar` for one of the few tools that are offered by default.
//! - Fields: the first paragraph is shown to callers, and further ones are for readers of the
//!   contract. A sentence ``Default: `VALUE`.`` states the default.
//! - Error codes: it starts with the code's number in backticks, if the code has one.

use std::error::Error;
use std::path::Path;

use serde_json::{Map, Value, json};
use wit_parser::{Docs, Function, Resolve, TypeDefKind, WorldId, WorldItem};

use crate::schema::{Schemas, snake_case, unwrap_lines};
use docent_spelling::camel_case;

/// The name of the parameter whose fields become arguments of their own.
const OPTIONS: &str = "options";

/// The parsed WIT package.
pub struct Contract {
    resolve: Resolve,
    world: WorldId,
}

/// The effect of a tool on files, as its documentation promises.
#[derive(Clone, Copy)]
enum Effect {
    ReadOnly,
    Additive,
    Destructive,
}

impl Contract {
    /// Reads the package in `directory`; `world` is the world that the component implements.
    ///
    /// # Errors
    /// The error of the WIT parser.
    pub fn read(directory: &Path, world: &str) -> Result<Self, Box<dyn Error>> {
        let mut resolve = Resolve::default();
        let (package, _) = resolve.push_dir(directory)?;
        let world = resolve.select_world(&[package], Some(world))?;
        Ok(Self { resolve, world })
    }

    /// Returns the exported functions in the order in which they are written.
    fn functions(&self) -> impl Iterator<Item = &Function> {
        self.resolve.worlds[self.world]
            .exports
            .values()
            .filter_map(|item| match item {
                WorldItem::Function(function) => Some(function),
                _ => None,
            })
    }

    /// Returns each exported function's name and documentation.
    pub fn function_docs(&self) -> impl Iterator<Item = (&str, &Docs)> {
        self.functions()
            .map(|function| (function.name.as_str(), &function.docs))
    }

    /// Returns the tool table: `package`, `tools` and `errorCodes`.
    ///
    /// # Errors
    /// If a function breaks a convention of this module, or has a type that cannot be expressed as
    /// a JSON schema.
    pub fn tool_table(&self) -> Result<Value, Box<dyn Error>> {
        let package = self.resolve.worlds[self.world]
            .package
            .ok_or("the world has a package")?;
        let tools = self
            .functions()
            .map(|f| self.tool(f))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(json!({
            "package": self.resolve.packages[package].name.to_string(),
            "tools": tools,
            "errorCodes": self.error_codes()?,
        }))
    }

    fn tool(&self, function: &Function) -> Result<Value, Box<dyn Error>> {
        let name = &function.name;
        let docs = function.docs.contents.as_deref().unwrap_or_default();
        let parsed = FunctionDocs::parse(docs).map_err(|error| format!("`{name}`: {error}"))?;
        let schemas = Schemas::new(&self.resolve, self.functions().map(|f| f.name.as_str()));

        let mut properties = Map::new();
        let (mut required, mut paths) = (Vec::new(), Vec::new());
        for parameter in &function.params {
            // The fields of `options` become arguments of their own, each with the description
            // of its field. The documentation of the function describes them as well, for hosts
            // that show nothing else.
            if parameter.name == OPTIONS {
                for field in schemas.option_fields(&parameter.ty)? {
                    let key = camel_case(&field.name);
                    paths.extend(schemas.paths(&key, &field.ty));
                    properties.insert(key, schemas.field(field)?);
                }
                continue;
            }
            let text = parsed
                .argument(&parameter.name)
                .ok_or_else(|| format!("`{name}` does not document `{}`", parameter.name))?;
            let key = camel_case(&parameter.name);
            paths.extend(schemas.paths(&key, &parameter.ty));
            properties.insert(key.clone(), schemas.with_description(&parameter.ty, text)?);
            required.push(key);
        }
        let answer = function
            .result
            .as_ref()
            .ok_or_else(|| format!("`{name}` returns nothing"))?;
        let (read_only, destructive) = match parsed.effect {
            Effect::ReadOnly => (true, false),
            Effect::Additive => (false, false),
            Effect::Destructive => (false, true),
        };
        Ok(json!({
            "name": snake_case(name),
            "function": name,
            "title": title(name),
            "description": schemas.names_in_prose(&parsed.prose),
            "readOnly": read_only,
            "destructive": destructive,
            // A read-only tool is always idempotent. For others the contract does not say, and
            // a wrong `true` would let a client repeat a write.
            "idempotent": read_only,
            "pillar": parsed.is_pillar,
            "pathArguments": paths,
            "inputSchema": {
                "type": "object",
                "properties": properties,
                "required": required,
                "additionalProperties": false,
            },
            "outputSchema": schemas.success(answer)?,
        }))
    }

    /// Returns the number of each error code that has one.
    fn error_codes(&self) -> Result<Map<String, Value>, Box<dyn Error>> {
        let (_, codes) = self
            .resolve
            .types
            .iter()
            .find(|(_, ty)| ty.name.as_deref() == Some("error-code"))
            .ok_or("there is no `error-code`")?;
        let TypeDefKind::Enum(codes) = &codes.kind else {
            return Err("`error-code` is not an enum".into());
        };
        let mut numbers = Map::new();
        for case in &codes.cases {
            let docs = case.docs.contents.as_deref().unwrap_or_default();
            if let Some((number, _)) = docs.strip_prefix('`').and_then(|rest| rest.split_once('`'))
            {
                numbers.insert(case.name.clone(), number.into());
            }
        }
        Ok(numbers)
    }
}

/// The parsed documentation of a function.
struct FunctionDocs {
    prose: String,
    arguments: Vec<(String, String)>,
    effect: Effect,
    is_pillar: bool,
}

impl FunctionDocs {
    fn parse(docs: &str) -> Result<Self, Box<dyn Error>> {
        let mut prose = Vec::new();
        let mut arguments: Vec<(String, String)> = Vec::new();
        let mut effect = None;
        let mut is_pillar = false;
        for paragraph in docs.split("\n\n") {
            if let Some(word) = paragraph.trim().strip_prefix("Effect:") {
                let word = word.trim();
                is_pillar = word.ends_with(", pillar");
                effect = Some(match word.trim_end_matches(", pillar") {
                    "read-only" => Effect::ReadOnly,
                    "additive" => Effect::Additive,
                    "destructive" => Effect::Destructive,
                    other => return Err(format!("unknown effect `{other}`").into()),
                });
            } else if paragraph.starts_with("- `") {
                for item in paragraph.split("\n- ") {
                    let item = item.trim_start_matches("- ").trim_start_matches('`');
                    let (name, text) = item
                        .split_once("`:")
                        .ok_or("a list item documents no argument")?;
                    arguments.push((name.to_owned(), unwrap_lines(text)));
                }
            } else {
                prose.push(unwrap_lines(paragraph));
            }
        }
        Ok(Self {
            prose: prose.join("\n\n"),
            arguments,
            effect: effect.ok_or("the last line of its documentation is not an `Effect:`")?,
            is_pillar,
        })
    }

    fn argument(&self, name: &str) -> Option<&str> {
        self.arguments
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, text)| text.as_str())
    }
}

/// Converts a name to a title: `Search documents` for `search-documents`.
fn title(name: &str) -> String {
    let words = name.replace('-', " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
