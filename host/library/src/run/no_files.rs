//! Guests without files: readers and encoders.

use wasmtime::component::types::ComponentItem;
use wasmtime::component::{Component, InstancePre, Linker, Resource, ResourceTable, ResourceType};
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

use crate::clock::Clock;
use crate::run::imports;
use crate::run::instance::{Confined, Confinement};

/// The state of such a guest's store. It has no directory, and no way to add one.
pub(crate) struct NoFiles {
    wasi: WasiCtx,
    table: ResourceTable,
    confinement: Confinement,
}

impl NoFiles {
    /// Returns the state of a guest with a limit of `memory` bytes, whose time is measured by
    /// `clock`.
    pub(crate) fn new(memory: usize, clock: Clock) -> Self {
        let confinement = Confinement::new(memory, clock);
        Self {
            wasi: confinement.wasi(&[]),
            table: Confinement::table(),
            confinement,
        }
    }
}

impl WasiView for NoFiles {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.wasi,
            table: &mut self.table,
        }
    }
}

impl Confined for NoFiles {
    fn confinement(&mut self) -> &mut Confinement {
        &mut self.confinement
    }
}

/// Links the imports of such a guest: none of them gives access to anything.
pub(crate) fn link(guest: &Component) -> wasmtime::Result<InstancePre<NoFiles>> {
    let mut linker = Linker::new(guest.engine());
    imports::add_to_linker(&mut linker)?;
    add_to_linker(&mut linker, guest)?;
    linker.instantiate_pre(guest)
}

/// A descriptor of a file or directory, of which there can be none.
enum NoDescriptor {}

/// Links the functions of `wasi:filesystem` that a guest without files imports, with the behavior
/// for no granted directory. Rust's standard library imports them whether they are called or not.
///
/// There are no preopened directories, and so no descriptor with which any other function could be
/// called: the descriptor's type has no value.
fn add_to_linker(linker: &mut Linker<NoFiles>, guest: &Component) -> wasmtime::Result<()> {
    let engine = linker.engine().clone();
    for (interface, item) in guest.component_type().imports(&engine) {
        let ComponentItem::ComponentInstance(item) = item.ty else {
            continue;
        };
        if !interface.starts_with("wasi:filesystem/") {
            continue;
        }
        let mut instance = linker.instance(interface)?;
        for (name, item) in item.exports(&engine) {
            match (name, item.ty) {
                ("get-directories", _) => instance.func_wrap(name, |_, (): ()| {
                    Ok((Vec::<(Resource<NoDescriptor>, String)>::new(),))
                })?,
                // The resource has the same host type as in `get-directories` above; with
                // another one, linking would fail.
                ("descriptor" | "directory-entry-stream", ComponentItem::Resource(_)) => {
                    instance.resource(name, ResourceType::host::<NoDescriptor>(), |_, _| Ok(()))?
                }
                // Linked by name alone: the parameters do not matter, because the functions
                // cannot be called.
                (_, ComponentItem::ComponentFunc(_)) => instance.func_new(name, |_, _, _, _| {
                    Err(wasmtime::format_err!("no file can be open"))
                })?,
                _ => {}
            }
        }
    }
    Ok(())
}
