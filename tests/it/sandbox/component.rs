//! Tests of the published component: its imports from a host, and its name and documentation.

use docent_host::component;
use wasmparser::{ComponentName, KnownCustom, Parser, Payload};
use wit_component::DecodedWasm;
use wit_parser::WorldItem;

/// The newest WASI version that an import may name: one that hosts in use provide.
const NEWEST_WASI: (u32, u32, u32) = (0, 2, 6);

/// Returns the interfaces that the component imports, except those with its own types.
fn imports() -> Vec<&'static str> {
    component::interface()
        .imports
        .iter()
        .map(String::as_str)
        .filter(|name| !name.starts_with("docent:docent/"))
        .collect()
}

#[test]
fn the_imports_are_the_committed_list() {
    let committed: Vec<&str> = include_str!("../../../wit/imports.txt").lines().collect();
    assert_eq!(
        committed,
        imports(),
        "`wit/imports.txt` names what the component may import"
    );
}

#[test]
fn every_import_is_wasi_that_hosts_offer() {
    for name in imports() {
        let (interface, version) = name.split_once('@').unwrap();
        let parts: Vec<u32> = version
            .split('.')
            .map(|part| part.parse().unwrap())
            .collect();
        assert!((parts[0], parts[1], parts[2]) <= NEWEST_WASI, "{name}");
        let package = interface.split('/').next().unwrap();
        let allowed = ["wasi:cli", "wasi:clocks", "wasi:filesystem", "wasi:io"];
        // The seed of hash maps; a host may return the same number each time.
        let is_seed = interface == "wasi:random/insecure-seed";
        assert!(allowed.contains(&package) || is_seed, "{name}");
    }
}

#[test]
fn its_own_interfaces_hold_types_alone() {
    let DecodedWasm::Component(resolve, world) = wit_component::decode(component::wasm()).unwrap()
    else {
        panic!("it is no component");
    };
    for item in resolve.worlds[world].imports.values() {
        let WorldItem::Interface { id, .. } = item else {
            continue;
        };
        let interface = &resolve.interfaces[*id];
        let package = &resolve.packages[interface.package.unwrap()].name;
        if package.namespace == "docent" {
            assert!(interface.functions.is_empty(), "{:?}", interface.name);
        }
    }
}

#[test]
fn its_documentation_and_name_can_be_read_back() {
    let wasm = component::wasm();
    let DecodedWasm::Component(resolve, world) = wit_component::decode(wasm).unwrap() else {
        panic!("it is no component");
    };
    let world = &resolve.worlds[world];
    let mut tools = Vec::new();
    for item in world.exports.values() {
        let WorldItem::Function(function) = item else {
            panic!("an export is no bare function: {item:?}");
        };
        let docs = function.docs.contents.as_deref().unwrap_or_default();
        assert!(
            docs.len() > 80,
            "`{}` is documented as {docs:?}",
            function.name
        );
        tools.push(function.name.clone());
    }
    let table: Vec<&str> = docent_host::tools::table()
        .tools
        .iter()
        .map(|tool| tool.function.as_str())
        .collect();
    assert_eq!(tools, table);
    assert_eq!(name(wasm).as_deref(), Some("docent"));
}

/// Returns the component's own name, as inspection tools show it.
fn name(wasm: &[u8]) -> Option<String> {
    let mut depth = 0;
    for payload in Parser::new(0).parse_all(wasm) {
        match payload.unwrap() {
            Payload::ComponentSection { .. } | Payload::ModuleSection { .. } => depth += 1,
            Payload::End(_) if depth > 0 => depth -= 1,
            Payload::CustomSection(section) if depth == 0 => {
                let KnownCustom::ComponentName(names) = section.as_known() else {
                    continue;
                };
                for name in names {
                    if let ComponentName::Component { name, .. } = name.unwrap() {
                        return Some(name.to_owned());
                    }
                }
            }
            _ => {}
        }
    }
    None
}
