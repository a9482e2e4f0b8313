//! The component's contract as Rust types, generated from `wit/`.
#![expect(missing_docs, reason = "generated; the documentation stands in wit/")]

wasmtime::component::bindgen!({
    path: "../../wit",
    world: "docent",
    // The imported functions may trap: a call whose time runs out while it waits for a reader
    // ends with a trap and not with an error that the guest could handle.
    imports: { default: async | trappable },
    exports: { default: async },
});
