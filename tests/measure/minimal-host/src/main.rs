//! Runs a command component with the current directory as its only one: `minimal-host COMPONENT`.

use wasmtime::component::{Component, Linker, ResourceTable};
use wasmtime::{Config, Engine, Result, Store};
use wasmtime_wasi::p2::add_to_linker_async;
use wasmtime_wasi::p2::bindings::Command;
use wasmtime_wasi::{FsPerms, WasiCtx, WasiCtxView, WasiView};

struct State {
    context: WasiCtx,
    table: ResourceTable,
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.context,
            table: &mut self.table,
        }
    }
}

fn main() -> Result<()> {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: minimal-host COMPONENT");
        std::process::exit(2);
    };
    let engine = Engine::new(&Config::new())?;
    let component = Component::from_file(&engine, path)?;
    let mut linker = Linker::new(&engine);
    add_to_linker_async(&mut linker)?;
    let mut context = WasiCtx::builder();
    context.inherit_stdio();
    context.preopened_dir(".", ".", FsPerms::ReadOnly)?;
    let state = State {
        context: context.build(),
        table: ResourceTable::new(),
    };
    let mut store = Store::new(&engine, state);
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let outcome = runtime.block_on(async {
        let command = Command::instantiate_async(&mut store, &component, &linker).await?;
        command.wasi_cli_run().call_run(&mut store).await
    })?;
    std::process::exit(i32::from(outcome.is_err()));
}
