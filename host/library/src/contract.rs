//! The component's contract as Rust types, generated from `wit/`.
#![expect(missing_docs, reason = "generated; the documentation stands in wit/")]

wasmtime::component::bindgen!({
    path: "../../wit",
    world: "docent",
    // Readers are async, and a call whose time runs out while they read ends with a trap.
    imports: { default: async | trappable },
    exports: { default: async },
});
