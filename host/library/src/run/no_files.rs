//! WASI's functions for files, for guests that have none: readers and encoders.

use wasmtime::component::types::ComponentItem;
use wasmtime::component::{Component, Linker, Resource, ResourceType};

/// A descriptor of a file or directory, of which there is none.
enum NoDescriptor {}

/// Links the functions of `wasi:filesystem` that a guest without files imports, as they are where
/// nothing is granted. Rust's standard library imports them whether they are called or not.
///
/// There are no preopened directories, and so no descriptor with which any other function could be
/// called: its type has no value.
pub(crate) fn add_to_linker<S: 'static>(
    linker: &mut Linker<S>,
    guest: &Component,
) -> wasmtime::Result<()> {
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
                // Of the type that `get-directories` lists above, or the guest would not link.
                ("descriptor" | "directory-entry-stream", ComponentItem::Resource(_)) => {
                    instance.resource(name, ResourceType::host::<NoDescriptor>(), |_, _| Ok(()))?
                }
                // By name alone: what they take does not matter, for none can be called.
                (_, ComponentItem::ComponentFunc(_)) => instance.func_new(name, |_, _, _, _| {
                    Err(wasmtime::format_err!("no file can be open"))
                })?,
                _ => {}
            }
        }
    }
    Ok(())
}
