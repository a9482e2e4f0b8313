//! How wasmtime is set up. The build compiles the component with the same settings, for an image
//! made with others is refused.

use wasmtime::Config;

/// The deepest that a guest's own stack may grow, in bytes. Nested Markdown is parsed without
/// recursion; what needs more than this has run away.
const GUEST_STACK: usize = 1024 * 1024;

/// The stack on which an instance runs, in bytes: the guest's and what host calls need on top.
const FIBER_STACK: usize = GUEST_STACK + 1024 * 1024;

/// Address space that one memory reserves, in bytes. Reserved address space costs no memory and
/// saves the bounds checks.
const RESERVATION: u64 = 4 << 30;

/// Returns the settings that an image and the program that loads it share.
#[must_use]
pub fn shared() -> Config {
    let mut config = Config::new();
    config
        .epoch_interruption(true)
        .concurrency_support(false)
        .max_wasm_stack(GUEST_STACK)
        .async_stack_size(FIBER_STACK)
        .memory_reservation(RESERVATION)
        .memory_init_cow(true)
        // Nothing tells where in the component a trap was: a third of a megabyte less to load.
        .generate_address_map(false)
        .wasm_backtrace_max_frames(None);
    config
}
