//! Tests of what hosts show a model that turn every function of a world into a tool.
#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::path::Path;

use docent_tool_catalog::{camel_case, table};
use serde_json::{Map, Value, json};
use wit_parser::{Function, Resolve, Type, TypeDefKind, WorldItem};

/// Maximum bytes of the tools as JSON.
const TOOLS_BYTES: usize = 12 * 1024;

/// The functions of a world of `wit/`.
struct World {
    resolve: Resolve,
    functions: Vec<Function>,
}

impl World {
    fn read(name: &str) -> Self {
        let wit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../wit");
        let mut resolve = Resolve::default();
        let (package, _) = resolve.push_dir(wit).unwrap();
        let world = resolve.select_world(&[package], Some(name)).unwrap();
        let exports = resolve.worlds[world].exports.values();
        let functions = exports.map(|item| match item {
            WorldItem::Function(function) => function.clone(),
            other => panic!("no bare function: {other:?}"),
        });
        let functions = functions.collect();
        Self { resolve, functions }
    }

    /// Returns the tools as Wassette makes them of functions, by `type_to_json_schema` of its
    /// component2json, with the documentation as descriptions.
    fn tools(&self) -> Vec<Value> {
        let tool = |function: &Function| {
            let given = function.params.iter();
            let given = given.map(|parameter| (parameter.name.as_str(), parameter.ty));
            let mut tool = json!({
                "name": function.name,
                "description": function.docs.contents,
                "inputSchema": self.object(given),
            });
            if let Some(result) = function.result {
                tool["outputSchema"] = self.schema(result);
            }
            tool
        };
        self.functions.iter().map(tool).collect()
    }

    fn schema(&self, ty: Type) -> Value {
        let id = match ty {
            Type::Bool => return json!({"type": "boolean"}),
            Type::String => return json!({"type": "string"}),
            Type::Id(id) => id,
            number => {
                assert!(!matches!(number, Type::Char | Type::ErrorContext));
                return json!({"type": "number"});
            }
        };
        let present = |ty: Option<Type>| ty.map_or(json!({"type": "null"}), |ty| self.schema(ty));
        match &self.resolve.types[id].kind {
            TypeDefKind::Type(ty) => self.schema(*ty),
            TypeDefKind::List(ty) => json!({"type": "array", "items": self.schema(*ty)}),
            TypeDefKind::Option(ty) => json!({"anyOf": [{"type": "null"}, self.schema(*ty)]}),
            TypeDefKind::Enum(choices) => {
                let names: Vec<&str> = choices.cases.iter().map(|case| &*case.name).collect();
                json!({"type": "string", "enum": names})
            }
            TypeDefKind::Record(record) => {
                let fields = record.fields.iter();
                self.object(fields.map(|field| (field.name.as_str(), field.ty)))
            }
            TypeDefKind::Variant(variant) => {
                let cases = variant.cases.iter().map(|case| {
                    let mut shape = json!({"tag": {"const": case.name}});
                    let mut required = vec!["tag"];
                    if let Some(ty) = case.ty {
                        shape["val"] = self.schema(ty);
                        required.push("val");
                    }
                    json!({"type": "object", "properties": shape, "required": required})
                });
                json!({"oneOf": cases.collect::<Vec<_>>()})
            }
            TypeDefKind::Result(result) => json!({"oneOf": [
                {"type": "object", "properties": {"ok": present(result.ok)}, "required": ["ok"]},
                {"type": "object", "properties": {"err": present(result.err)}, "required": ["err"]},
            ]}),
            other => panic!("no schema for {other:?}"),
        }
    }

    /// Returns the schema of an object whose members are all required, as those hosts have it.
    fn object<'a>(&self, members: impl Iterator<Item = (&'a str, Type)>) -> Value {
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for (name, ty) in members {
            properties.insert(name.to_owned(), self.schema(ty));
            required.push(name);
        }
        json!({"type": "object", "properties": properties, "required": required})
    }
}

#[test]
fn the_tools_are_few_bytes() {
    let bytes = |world: &str| Value::from(World::read(world).tools()).to_string().len();
    let (all, pillars) = (bytes("docent"), bytes("agent"));
    assert!(
        pillars <= TOOLS_BYTES,
        "{pillars} bytes, and docent.wasm {all}; expected at most {TOOLS_BYTES}"
    );
}

#[test]
fn a_schema_demands_every_argument() {
    let tools = World::read("agent").tools();
    let tool = |name: &str| tools.iter().find(|tool| tool["name"] == name).unwrap();
    let text = json!({"anyOf": [{"type": "null"}, {"type": "string"}]});
    let answer = json!({"oneOf": [
        {"type": "object", "properties": {"ok": {"type": "string"}}, "required": ["ok"]},
        {"type": "object", "properties": {"err": {"type": "string"}}, "required": ["err"]},
    ]});
    let manage = tool("manage");
    assert_eq!(
        manage["inputSchema"],
        json!({"type": "object", "required": ["command", "more"], "properties": {
            "command": {"type": "string", "enum": ["status", "history", "undo", "redo", "test"]},
            "more": text,
        }})
    );
    assert_eq!(manage["outputSchema"], answer);
    let edit = &tool("change")["inputSchema"]["properties"]["edits"]["items"];
    assert_eq!(
        edit["required"],
        json!(["path", "old-text", "new-text", "more"])
    );
}

#[test]
fn the_documentation_names_every_argument() {
    let World { functions, .. } = World::read("agent");
    let tools = || table().tools.iter().filter(|tool| tool.pillar);
    let pillars: Vec<&str> = tools().map(|tool| tool.function.as_str()).collect();
    let names: Vec<&str> = functions.iter().map(|function| &*function.name).collect();
    assert_eq!(names, pillars);
    for (function, tool) in functions.iter().zip(tools()) {
        let docs = function.docs.contents.as_deref().unwrap();
        let quoted = docs.split('`').skip(1).step_by(2);
        let told: BTreeSet<String> = quoted
            .flat_map(|text| text.split(|c: char| !c.is_alphanumeric() && c != '-'))
            .map(camel_case)
            .collect();
        let mut names = Vec::new();
        names_in(&Value::Object(tool.input_schema.clone()), &mut names);
        let parameters = function.params.iter();
        names.extend(parameters.map(|parameter| camel_case(&parameter.name)));
        names.retain(|name| !told.contains(name));
        assert!(names.is_empty(), "`{}` leaves out {names:?}", tool.name);
    }
}

/// Adds the names of all members in a schema, but for cursors, which come with the line that names
/// the next call, and for lists of names and values, which may be objects.
fn names_in(schema: &Value, names: &mut Vec<String>) {
    if let Some(members) = schema["properties"].as_object()
        && !members.contains_key("value")
    {
        for (name, schema) in members.iter().filter(|(name, _)| *name != "cursor") {
            names.push(name.clone());
            names_in(schema, names);
        }
    }
    if schema["items"].is_object() {
        names_in(&schema["items"], names);
    }
}
