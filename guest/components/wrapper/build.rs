//! Generates from `wit/` the bindings that import the component's exports, and a function that
//! calls any of them with JSON: `bindings.rs` and `calls.rs` in `OUT_DIR`.

#![expect(
    clippy::disallowed_methods,
    reason = "a build script reads and writes files itself"
)]

use std::env;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::mem;
use std::path::PathBuf;

use docent_build_support::{guest, script};
use docent_spelling::camel_case;
use wit_bindgen_core::wit_parser::{
    Function, Resolve, Type, TypeDefKind, WorldId, WorldItem, WorldKey,
};
use wit_bindgen_core::{Files, WorldGenerator as _, dealias};
use wit_bindgen_rust::{Opts, to_rust_ident};

/// The world whose exports are imported here.
const WORLD: &str = "docent";

/// The world's own imports, which this component does not need.
const ITS_OWN: [&str; 2] = ["extract", "embed"];

/// The parameter whose fields callers pass as top-level arguments.
const OPTIONS: &str = "options";

fn main() -> Result<(), Box<dyn Error>> {
    let workspace = script::workspace(3)?;
    guest::watch(&workspace, &["wit"]);
    // Nothing is called natively, and generating the bindings takes longer than the rest of the
    // build.
    if env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family != "wasm") {
        return Ok(());
    }
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(workspace.join("wit"))?;
    let world = resolve.select_world(&[package], Some(WORLD))?;
    turn_round(&mut resolve, world);
    fs::write(out.join("calls.rs"), calls(&resolve, world)?)?;
    fs::write(out.join("bindings.rs"), bindings(&mut resolve, world)?)?;
    Ok(())
}

/// Turns a world's exports into imports.
fn turn_round(resolve: &mut Resolve, world: WorldId) {
    let exports = mem::take(&mut resolve.worlds[world].exports);
    let interfaces = &resolve.interfaces;
    let is_shared = |key: &WorldKey| match key {
        WorldKey::Interface(id) => {
            let name = interfaces[*id].name.as_deref();
            name.is_none_or(|name| !ITS_OWN.contains(&name))
        }
        WorldKey::Name(_) => true,
    };
    let imports = &mut resolve.worlds[world].imports;
    imports.retain(|key, _| is_shared(key));
    imports.extend(exports);
}

fn bindings(resolve: &mut Resolve, world: WorldId) -> Result<String, Box<dyn Error>> {
    let mut attributes = Vec::new();
    let package = resolve.worlds[world].package.ok_or("no package")?;
    let package = &resolve.packages[package].name;
    for (key, _) in &resolve.worlds[world].imports {
        let WorldKey::Interface(id) = key else {
            continue;
        };
        let interface = &resolve.interfaces[*id];
        let name = interface.name.as_deref().ok_or("a nameless interface")?;
        for (ty, id) in &interface.types {
            // JSON has the names of the contract in camelCase, and enumerations in kebab-case.
            let style = match resolve.types[*id].kind {
                TypeDefKind::Record(_) => "camelCase",
                TypeDefKind::Enum(_) => "kebab-case",
                _ => continue,
            };
            let version = package.version.as_ref().ok_or("no version")?;
            let (namespace, package) = (&package.namespace, &package.name);
            attributes.push((
                format!("{namespace}:{package}/{name}@{version}/{ty}"),
                format!("#[serde(rename_all = \"{style}\")]"),
            ));
        }
    }
    let options = Opts {
        additional_derive_attributes: vec![
            "serde::Serialize".to_owned(),
            "serde::Deserialize".to_owned(),
        ],
        additional_type_attributes: attributes,
        generate_unused_types: true,
        ..Opts::default()
    };
    let mut files = Files::default();
    options.build().generate(resolve, world, &mut files)?;
    let file = files.iter().find(|(name, _)| name.ends_with(".rs"));
    let (_, text) = file.ok_or("no bindings were generated")?;
    Ok(String::from_utf8(text.to_vec())?)
}

/// Returns a function that calls any import by its name.
fn calls(resolve: &Resolve, world: WorldId) -> Result<String, Box<dyn Error>> {
    let mut text = String::from(
        "fn call(function: &str, mut arguments: Map<String, Value>) -> Result<Value, WrapperRefusal> {\n\
         match function {\n",
    );
    for item in resolve.worlds[world].imports.values() {
        if let WorldItem::Function(function) = item {
            arm(&mut text, resolve, function)?;
        }
    }
    text.push_str(
        "_ => Err(WrapperRefusal::internal(format!(\"there is no function `{function}`\"))),\n}\n}\n",
    );
    Ok(text)
}

fn arm(text: &mut String, resolve: &Resolve, function: &Function) -> Result<(), Box<dyn Error>> {
    let mut given = Vec::new();
    writeln!(text, "{:?} => {{", function.name)?;
    // The parameters are taken in the order of the contract. Callers pass the fields of
    // `options` beside the other arguments, so the options come last and take what is left; a
    // required argument that is taken later would be refused as an unknown option.
    for parameter in &function.params {
        let name = to_rust_ident(&parameter.name);
        let kind = match parameter.ty {
            Type::Id(id) => Some(&resolve.types[dealias(resolve, id)].kind),
            _ => None,
        };
        let key = camel_case(&parameter.name);
        let (annotation, taken, passed) = match (parameter.ty, kind) {
            (_, Some(TypeDefKind::Option(_))) if parameter.name == OPTIONS => (
                ": Option<_>",
                "rest(mem::take(&mut arguments))?".to_owned(),
                format!("{name}.as_ref()"),
            ),
            // This includes named string types, such as that of a path.
            (Type::String, _) | (_, Some(TypeDefKind::Type(Type::String))) => {
                (": String", argument_expression(&key), format!("&{name}"))
            }
            (_, Some(TypeDefKind::List(_))) => {
                (": Vec<_>", argument_expression(&key), format!("&{name}"))
            }
            (_, Some(TypeDefKind::Enum(_))) => ("", argument_expression(&key), name.clone()),
            _ => {
                let function = &function.name;
                return Err(format!("`{function}` has a parameter of a type unknown here").into());
            }
        };
        writeln!(text, "let {name}{annotation} = {taken};")?;
        given.push(passed);
    }
    let called = to_rust_ident(&function.name);
    writeln!(text, "outcome(bindings::{called}({}))", given.join(", "))?;
    writeln!(text, "}}")?;
    Ok(())
}

fn argument_expression(key: &str) -> String {
    format!("take(&mut arguments, {key:?})?")
}
