//! Tests that an input a few times as large takes at most as many times the instructions, whatever
//! its content. The instructions are counted in the component, so they are the same on every
//! machine, however busy.

use std::fs;

use wasmtime::component::{Component, Linker, ResourceTable};
use wasmtime::{Config, Engine, OptLevel, Store};
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

/// Maximum growth of the instructions in percent of the growth of the input: sorting and a recently
/// grown table exceed 100. Twice the size in quadratic time would be 200.
const GROWTH: u64 = 140;

/// Instructions below which growth is not measured: the cost of a call with any input.
const FLOOR: u64 = 100_000;

/// Maximum instructions of any case.
const MOST: u64 = 200_000_000_000;

/// The component's WASI state: no directories, arguments or environment.
struct State {
    wasi: WasiCtx,
    table: ResourceTable,
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.wasi,
            table: &mut self.table,
        }
    }
}

#[test]
fn work_grows_with_its_input() {
    let mut config = Config::new();
    // Compiling takes longer than the counted work.
    config
        .consume_fuel(true)
        .cranelift_opt_level(OptLevel::None);
    let engine = Engine::new(&config).unwrap();
    let wasm = fs::read(env!("DOCENT_TEST_WORK")).unwrap();
    let component = Component::new(&engine, wasm).unwrap();
    let mut linker = Linker::new(&engine);
    wasmtime_wasi::p2::add_to_linker_sync(&mut linker).unwrap();
    let state = State {
        wasi: WasiCtx::builder().build(),
        table: ResourceTable::new(),
    };
    let mut store = Store::new(&engine, state);
    store.set_fuel(MOST).unwrap();
    let instance = linker.instantiate(&mut store, &component).unwrap();
    let cases = instance
        .get_typed_func::<(), (Vec<(String, u32, u32)>,)>(&mut store, "cases")
        .unwrap();
    let prepare = instance
        .get_typed_func::<(u32, u32), ()>(&mut store, "prepare")
        .unwrap();
    let run = instance
        .get_typed_func::<(), ()>(&mut store, "run")
        .unwrap();
    let (cases,) = cases.call(&mut store, ()).unwrap();
    assert!(!cases.is_empty());
    let mut faults = Vec::new();
    for (index, (name, small, large)) in (0..).zip(cases) {
        let mut count = |size: u32| {
            store.set_fuel(MOST).unwrap();
            prepare
                .call(&mut store, (index, size))
                .unwrap_or_else(|trap| panic!("{name} of {size}: {trap:#}"));
            store.set_fuel(MOST).unwrap();
            run.call(&mut store, ())
                .unwrap_or_else(|trap| panic!("{name} of {size}: {trap:#}"));
            MOST - store.get_fuel().unwrap()
        };
        let (once, more) = (count(small), count(large));
        let most = once * u64::from(large) / u64::from(small) * GROWTH / 100;
        if more > most.max(FLOOR) {
            faults.push(format!("{name}: {once} for {small}, {more} for {large}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
