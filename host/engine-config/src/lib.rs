//! The settings of wasmtime. The build compiles the component with the same settings, because an
//! image compiled with others is refused.

use wasmtime::Config;

/// Maximum size of a guest's own stack, in bytes. Nested Markdown is parsed without recursion; a
/// guest that needs more has run away.
const GUEST_STACK: usize = 1024 * 1024;

/// Size of the stack on which an instance runs, in bytes: the guest's, and what host calls need in
/// addition.
const FIBER_STACK: usize = GUEST_STACK + 1024 * 1024;

/// Address space reserved for one memory, in bytes. Reserved address space costs no memory and
/// saves bounds checks.
const RESERVATION: u64 = 4 << 30;

/// Returns the settings that an image and the program that loads it must share; both know if they
/// are for Windows.
#[must_use]
pub fn shared_config(is_windows: bool) -> Config {
    let mut config = Config::new();
    config
        .epoch_interruption(true)
        .concurrency_support(false)
        .max_wasm_stack(GUEST_STACK)
        .async_stack_size(FIBER_STACK)
        .memory_reservation(RESERVATION)
        .memory_init_cow(true)
        // Each of these tables takes a third of a megabyte to load. Without an address map, the
        // location of a trap in the guest is unknown, which no message shows anyway. Tables for
        // unwinders other than wasmtime's are required by Windows alone.
        .generate_address_map(false)
        .native_unwind_info(is_windows)
        .wasm_backtrace_max_frames(None);
    config
}
