//! The interfaces that a guest may import, except for files: the guard provides those of the main
//! component, and the readers have none.

use wasmtime::StoreContextMut;
use wasmtime::component::{HasData, Linker, ResourceTable};
use wasmtime_wasi::WasiView;
use wasmtime_wasi::cli::{WasiCli, WasiCliView as _};
use wasmtime_wasi::clocks::{WasiClocks, WasiClocksView as _};
use wasmtime_wasi::p2::bindings::{cli, clocks};
use wasmtime_wasi_io::bindings::wasi::io;

/// Seed of a guest's hash maps. It is constant, so that the same call runs the same way every time;
/// keys chosen to collide cost at most the call's own time limit.
const HASH_SEED: (u64, u64) = (0x646f_6365_6e74_2d31, 0x646f_6365_6e74_2d32);

/// Links the imports of every guest. There is no network, process, random source or terminal among
/// them.
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
    // Rust's standard library imports these to find out whether its streams are terminals. None
    // of them is.
    cli::terminal_input::add_to_linker::<S, WasiCli>(linker, S::cli)?;
    cli::terminal_output::add_to_linker::<S, WasiCli>(linker, S::cli)?;
    cli::terminal_stdin::add_to_linker::<S, WasiCli>(linker, S::cli)?;
    cli::terminal_stdout::add_to_linker::<S, WasiCli>(linker, S::cli)?;
    cli::terminal_stderr::add_to_linker::<S, WasiCli>(linker, S::cli)?;
    // Libraries in the guest use hash maps, which ask for a seed. No other function of
    // `wasi:random` is linked.
    linker
        .instance("wasi:random/insecure-seed@0.2.6")?
        .func_wrap("insecure-seed", |_: StoreContextMut<'_, S>, (): ()| {
            Ok((HASH_SEED,))
        })
}

/// The type by which the linker finds the table of open resources.
struct Table;

impl HasData for Table {
    type Data<'a> = &'a mut ResourceTable;
}

fn table<S: WasiView>(state: &mut S) -> &mut ResourceTable {
    state.ctx().table
}
