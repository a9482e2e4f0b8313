//! What a guest may import, interface by interface, files excepted: those of the main component
//! are the guard's, and the readers have none.

use wasmtime::StoreContextMut;
use wasmtime::component::{HasData, Linker, ResourceTable};
use wasmtime_wasi::WasiView;
use wasmtime_wasi::cli::{WasiCli, WasiCliView as _};
use wasmtime_wasi::clocks::{WasiClocks, WasiClocksView as _};
use wasmtime_wasi::p2::bindings::{cli, clocks};
use wasmtime_wasi_io::bindings::wasi::io;

/// What a guest's hash maps are seeded with. Constant, so that the same call takes the same course
/// in every run; keys chosen to collide cost at most the call's own time limit.
const HASH_SEED: (u64, u64) = (0x646f_6365_6e74_2d31, 0x646f_6365_6e74_2d32);

/// Links what every guest may import. There is no network, no process, no random source and no
/// terminal among it.
pub(crate) fn add_to_linker<S: WasiView + 'static>(linker: &mut Linker<S>) -> wasmtime::Result<()> {
    io::error::add_to_linker::<S, Table>(linker, table)?;
    io::poll::add_to_linker::<S, Table>(linker, table)?;
    io::streams::add_to_linker::<S, Table>(linker, table)?;
    clocks::wall_clock::add_to_linker::<S, WasiClocks>(linker, S::clocks)?;
    clocks::monotonic_clock::add_to_linker::<S, WasiClocks>(linker, S::clocks)?;
    cli::environment::add_to_linker::<S, WasiCli>(linker, S::cli)?;
    cli::exit::add_to_linker::<S, WasiCli>(linker, S::cli)?;
    cli::stdin::add_to_linker::<S, WasiCli>(linker, S::cli)?;
    cli::stdout::add_to_linker::<S, WasiCli>(linker, S::cli)?;
    cli::stderr::add_to_linker::<S, WasiCli>(linker, S::cli)?;
    // Rust's standard library asks whether its streams are terminals; it is told that none is.
    cli::terminal_input::add_to_linker::<S, WasiCli>(linker, S::cli)?;
    cli::terminal_output::add_to_linker::<S, WasiCli>(linker, S::cli)?;
    cli::terminal_stdin::add_to_linker::<S, WasiCli>(linker, S::cli)?;
    cli::terminal_stdout::add_to_linker::<S, WasiCli>(linker, S::cli)?;
    cli::terminal_stderr::add_to_linker::<S, WasiCli>(linker, S::cli)?;
    // Libraries in the guest use hash maps, which ask for a seed.
    linker
        .instance("wasi:random/insecure-seed@0.2.6")?
        .func_wrap("insecure-seed", |_: StoreContextMut<'_, S>, (): ()| {
            Ok((HASH_SEED,))
        })
}

/// Names the table of open resources to the linker.
struct Table;

impl HasData for Table {
    type Data<'a> = &'a mut ResourceTable;
}

fn table<S: WasiView>(state: &mut S) -> &mut ResourceTable {
    state.ctx().table
}
