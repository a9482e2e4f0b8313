//! Tests that the component's own host and a stock host report the same times.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use docent_host::component::wasm;
use docent_tests::guest::{call, docent, limits};
use serde_json::{Value, json};
use wasmtime::component::{Component, Linker, ResourceTable, Val};
use wasmtime::{Engine, Store};
use wasmtime_wasi::filesystem::FsPerms;
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

use docent_conformance::reference::milliseconds;

/// Access time of the file, long before its creation.
const READ: Duration = Duration::from_millis(1_000_000_000_123);

/// Change time of the file, even longer before.
const CHANGED: Duration = Duration::from_millis(900_000_000_456);

/// Creates a file whose times all differ in milliseconds, including its status change.
fn file(directory: &Path) -> fs::Metadata {
    let path = directory.join("note.md");
    fs::write(&path, "text").unwrap();
    let times = fs::FileTimes::new()
        .set_accessed(UNIX_EPOCH + READ)
        .set_modified(UNIX_EPOCH + CHANGED);
    let born = since_1970(fs::metadata(&path).unwrap().created().unwrap());
    loop {
        // Each of these calls sets the status change to the present.
        fs::File::open(&path).unwrap().set_times(times).unwrap();
        let metadata = fs::metadata(&path).unwrap();
        let changed = metadata.ctime() * 1000 + metadata.ctime_nsec() / 1_000_000;
        if changed > born {
            return metadata;
        }
    }
}

fn since_1970(time: SystemTime) -> i64 {
    i64::try_from(time.duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

/// Returns the expected time for each value of `time-field`.
fn times(metadata: &fs::Metadata) -> [(&'static str, i64); 3] {
    [
        ("modified", i64::try_from(CHANGED.as_millis()).unwrap()),
        // The time of creation, not of the status change.
        ("created", since_1970(metadata.created().unwrap())),
        ("accessed", i64::try_from(READ.as_millis()).unwrap()),
    ]
}

#[test]
fn created_is_the_time_of_birth() {
    let directory = tempfile::tempdir().unwrap();
    let times = times(&file(directory.path()));
    let mut session = docent(directory.path(), limits());
    for (field, expected) in times {
        let found = call(&mut session, "find-files", json!({ "timeField": field })).unwrap();
        let time = found["matches"][0]["time"].as_str().unwrap();
        assert_eq!(milliseconds(time), expected, "{field}");
    }
}

/// A host with wasmtime's stock WASI, without any code of docent's.
struct Stock {
    wasi: WasiCtx,
    table: ResourceTable,
}

impl WasiView for Stock {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.wasi,
            table: &mut self.table,
        }
    }
}

/// Returns the first match's time, or the reason why there is none.
fn stock(directory: &Path, field: &str) -> Value {
    let engine = Engine::default();
    let component = Component::new(&engine, wasm()).unwrap();
    let mut linker = Linker::<Stock>::new(&engine);
    wasmtime_wasi::p2::add_to_linker_sync(&mut linker).unwrap();
    let mut wasi = WasiCtx::builder();
    wasi.preopened_dir(directory, "/docs", FsPerms::ReadOnly)
        .unwrap();
    let state = Stock {
        wasi: wasi.build(),
        table: ResourceTable::new(),
    };
    let mut store = Store::new(&engine, state);
    let instance = linker.instantiate(&mut store, &component).unwrap();
    let function = instance.get_func(&mut store, "find-files").unwrap();
    let fields = component_fields(field);
    let mut results = [Val::Bool(false)];
    function
        .call(
            &mut store,
            &[Val::Option(Some(Box::new(Val::Record(fields))))],
            &mut results,
        )
        .unwrap();
    let [Val::Result(Ok(Some(answer)))] = results else {
        panic!("{results:?}");
    };
    let text = format!("{answer:?}");
    let time = text
        .split_once("(\"time\", String(\"")
        .map(|(_, rest)| rest);
    json!(
        time.and_then(|rest| rest.split_once('"'))
            .map(|(time, _)| time)
    )
}

fn component_fields(field: &str) -> Vec<(String, Val)> {
    let names = [
        "root",
        "path",
        "from",
        "to",
        "time-field",
        "sort",
        "recursive",
        "max-depth",
        "glob",
        "include-files",
        "include-directories",
        "include-hidden",
        "include-ignored",
        "limit",
        "cursor",
        "timeout-ms",
        "max-files-scanned",
        "max-directories-scanned",
    ];
    names
        .map(|name| {
            let value = (name == "time-field").then(|| Box::new(Val::Enum(field.to_owned())));
            (name.to_owned(), Val::Option(value))
        })
        .into()
}

#[test]
fn a_stock_host_tells_the_same() {
    let directory = tempfile::tempdir().unwrap();
    for (field, expected) in times(&file(directory.path())) {
        let time = stock(directory.path(), field);
        assert_eq!(milliseconds(time.as_str().unwrap()), expected, "{field}");
    }
}
