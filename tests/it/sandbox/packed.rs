//! Tests of the component for other hosts with a built-in model: its imports, and that its semantic
//! order equals that of the same model in a directory.

use std::fs;
use std::path::Path;
use std::time::Duration;

use docent_host::component;
use docent_host::embedder::{Embedder as _, Role as HostRole};
use docent_host::encoder::{Encoder, EncoderSettings};
use docent_host::grant::Right;
use docent_host::{Session, Settings};
use docent_tests::guest::{call, docent, grant, limits};
use serde_json::{Value, json};
use wasmtime::component::{Component, Linker, ResourceTable};
use wasmtime::{Engine, Store};
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};
use wit_component::DecodedWasm;
use wit_parser::{Resolve, WorldId, WorldItem, WorldKey};

/// The bindings generated from `wit/`.
mod bindings {
    wasmtime::component::bindgen!({
        path: "../wit",
        world: "embedder",
    });
}

use bindings::Embedder;
use bindings::exports::docent::docent::embed::{Bounds, Role, Text};

const PATIENCE: Duration = Duration::from_secs(300);

/// Default settings of the built-in model.
const MAX_BYTES: u32 = 2000;
const PASSAGES: u32 = 25;

/// Returns the embedder with the small built-in model.
fn embedder() -> Vec<u8> {
    fs::read(env!("DOCENT_TEST_PACKED")).unwrap()
}

/// Returns the component with that embedder, composed by the code of `wac plug`.
fn composed() -> Vec<u8> {
    docent_compose::plug(&component::open(), &[("docent:embedder", &embedder())]).unwrap()
}

fn decoded(wasm: &[u8]) -> (Resolve, WorldId) {
    match wit_component::decode(wasm).unwrap() {
        DecodedWasm::Component(resolve, world) => (resolve, world),
        DecodedWasm::WitPackage(..) => panic!("it is no component"),
    }
}

/// Returns the interfaces that a component imports and that have functions, sorted.
fn imports(wasm: &[u8]) -> Vec<String> {
    let (resolve, world) = decoded(wasm);
    let called = |(key, item): (&WorldKey, &WorldItem)| match item {
        WorldItem::Interface { id, .. } => {
            let is_called = !resolve.interfaces[*id].functions.is_empty();
            is_called.then(|| resolve.name_world_key(key))
        }
        WorldItem::Function(_) => Some(resolve.name_world_key(key)),
        WorldItem::Type { .. } => None,
    };
    let imports = &resolve.worlds[world].imports;
    let mut names: Vec<String> = imports.iter().filter_map(called).collect();
    names.sort();
    names
}

/// Returns the functions that a component exports, each with its documentation.
fn documented(wasm: &[u8]) -> Vec<(String, String)> {
    let (resolve, world) = decoded(wasm);
    let exports = resolve.worlds[world].exports.values();
    let function = |item: &WorldItem| match item {
        WorldItem::Function(function) => {
            let docs = function.docs.contents.clone();
            (function.name.clone(), docs.unwrap_or_default())
        }
        other => panic!("an export is no bare function: {other:?}"),
    };
    exports.map(function).collect()
}

#[test]
fn it_asks_hosts_for_no_more_than_the_published_one() {
    let published = imports(component::wasm());
    let mut open = published.clone();
    open.push("docent:docent/embed@0.1.0".to_owned());
    open.sort();
    assert_eq!(imports(&component::open()), open);
    assert_eq!(imports(&composed()), published);
    // The embedder, which is pure arithmetic, adds no imports.
    let own = imports(&embedder());
    assert!(own.iter().all(|name| published.contains(name)), "{own:?}");
    assert!(!own.iter().any(|name| name.contains("clock")), "{own:?}");
}

#[test]
fn what_hosts_read_of_its_functions_is_the_same() {
    let published = documented(component::wasm());
    assert!(published.iter().all(|(_, docs)| docs.len() > 80));
    assert_eq!(documented(&component::open()), published);
    assert_eq!(documented(&composed()), published);
}

/// Writes documents with words of the small model's vocabulary.
fn write_documents(directory: &Path) {
    for (name, text) in [
        ("pets.md", "# Pets\n\nThe cat sat on a mat.\n"),
        ("walks.md", "# Walks\n\nA dog can run and walk.\n"),
        ("other.md", "# Other\n\nThe cat and a dog.\n"),
    ] {
        fs::write(directory.join(name), text).unwrap();
    }
}

#[test]
fn it_goes_by_meaning_where_the_published_one_goes_by_words() {
    let directory = tempfile::tempdir().unwrap();
    write_documents(directory.path());
    let mut published = docent(directory.path(), limits());
    let grants = grant(directory.path(), Right::ReadOnly);
    let mut packed = Session::compile(&composed(), grants, Settings::default(), limits()).unwrap();
    let ask = |session: &mut Session, mode: &str| -> Value {
        let arguments = json!({"query": "the cat", "mode": mode});
        call(session, "smart-search", arguments).unwrap_or_else(|error| json!(error.to_string()))
    };
    for mode in ["auto", "semantic"] {
        let answer = ask(&mut packed, mode);
        assert_eq!(answer["mode"], "semantic", "{answer}");
        assert_eq!(answer["modelInfo"], "tiny", "{answer}");
        let documents = answer["documents"].as_array().unwrap();
        assert_eq!(documents.len(), 2, "{answer}");
        // Repeating the query gives the same answer, without a cache.
        assert_eq!(ask(&mut packed, mode), answer);
    }
    assert_eq!(ask(&mut published, "auto")["mode"], "keyword");
    let refused = ask(&mut published, "semantic").to_string();
    assert!(refused.contains("no embedder is configured"), "{refused}");
    let keyword = ask(&mut packed, "keyword");
    assert_eq!(keyword["mode"], "keyword");
    assert_eq!(
        keyword.to_string(),
        ask(&mut published, "keyword").to_string()
    );
    let config = call(&mut packed, "get-config", json!({})).unwrap();
    assert_eq!(config["embedder"], "tiny", "{config}");
}

/// The state of an embedder's store: WASI without any resources.
struct Nothing {
    wasi: WasiCtx,
    table: ResourceTable,
}

impl WasiView for Nothing {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.wasi,
            table: &mut self.table,
        }
    }
}

/// Creates an instance of the embedder in stock wasmtime.
fn instance() -> (Store<Nothing>, Embedder) {
    let engine = Engine::default();
    let component = Component::new(&engine, embedder()).unwrap();
    let mut linker = Linker::new(&engine);
    wasmtime_wasi::p2::add_to_linker_sync(&mut linker).unwrap();
    let nothing = Nothing {
        wasi: WasiCtx::builder().build(),
        table: ResourceTable::new(),
    };
    let mut store = Store::new(&engine, nothing);
    let embedder = Embedder::instantiate(&mut store, &component, &linker).unwrap();
    (store, embedder)
}

const NOW: Bounds = Bounds {
    milliseconds: 1000,
    moment: None,
};

fn text(content: &str) -> Text {
    Text {
        content: content.to_owned(),
        place: "docs\na.md\n0".to_owned(),
    }
}

#[test]
fn its_vectors_are_those_of_the_same_model_in_a_directory() {
    let settings = EncoderSettings {
        name: "tiny".to_owned(),
        pooling: None,
        query_prefix: String::new(),
        passage_prefix: String::new(),
        max_bytes: MAX_BYTES,
        passages: PASSAGES,
        weight: 1.0,
    };
    let model = Path::new(env!("DOCENT_TEST_MODEL"));
    let encoder = Encoder::open_ambient(model, settings, |error| panic!("{error}")).unwrap();
    let expected = encoder.model(PATIENCE).unwrap();
    let (mut store, embedder) = instance();
    let embed = embedder.docent_docent_embed();
    let own = embed.call_describe(&mut store, 0).unwrap().unwrap();
    assert_eq!(own.name, expected.name);
    assert_eq!(own.fingerprint, expected.fingerprint);
    assert_eq!(own.dimensions, expected.dimensions);
    assert_eq!(
        (own.max_bytes, own.passages, own.weight),
        (MAX_BYTES, PASSAGES, 1.0)
    );

    let contents = ["the cat sat", "", "A dog can run and walk.", "국어"];
    let texts = contents.map(text);
    for (role, host_role) in [
        (Role::Query, HostRole::Query),
        (Role::Passage, HostRole::Passage),
    ] {
        let expected = encoder.embed(host_role, &contents, PATIENCE).unwrap();
        let expected = expected.into_iter().flat_map(Option::unwrap);
        let vectors = embed.call_embed(&mut store, role, &texts, NOW);
        let vectors = vectors.unwrap().unwrap();
        let numbers: Vec<f32> = vectors.iter().map(|&number| number.into()).collect();
        assert_eq!(numbers, expected.collect::<Vec<f32>>());
        assert!(numbers.iter().any(|&number| number != 0.0));
    }
}

#[test]
fn it_keeps_within_its_bounds_and_remembers_nothing() {
    let (mut store, embedder) = instance();
    let embed = embedder.docent_docent_embed();
    let mut vectors = |contents: &[&str], bounds: Bounds| {
        let texts: Vec<Text> = contents.iter().map(|content| text(content)).collect();
        let vectors = embed.call_embed(&mut store, Role::Passage, &texts, bounds);
        vectors.unwrap().unwrap()
    };
    let cat = vectors(&["the cat"], NOW);
    let known = Bounds {
        milliseconds: 0,
        moment: None,
    };
    let past = Bounds {
        moment: Some(1),
        ..NOW
    };
    for bounds in [known, past] {
        assert_eq!(vectors(&["the cat"], bounds), vec![0; cat.len()]);
    }
    assert!(vectors(&[], NOW).is_empty());
    // The text is read up to the stated limit, or less if a character would be cut.
    let long = format!("{}the cat", " ".repeat(MAX_BYTES as usize - 7));
    assert_eq!(vectors(&[&long], NOW), cat);
    assert_eq!(vectors(&[&format!("{long} sat on a mat")], NOW), cat);
    let cut = format!("{}the cat국", " ".repeat(MAX_BYTES as usize - 8));
    assert_eq!(vectors(&[&cut], NOW), cat);
    let huge = "국".repeat(1 << 20);
    assert_eq!(vectors(&[&huge, "the cat"], NOW)[cat.len()..], cat);
    let near = embed.call_nearest(&mut store, &cat, "", 9, None).unwrap();
    assert!(near.places.is_empty());
    assert_eq!(near.moment, 0);
}
