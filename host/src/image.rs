//! The component as the build compiled it, and how it is loaded.
//!
//! On Linux on x86-64 it runs where it lies in the program: nothing is copied, and only what is
//! used is ever read. Elsewhere wasmtime copies it.

use std::sync::OnceLock;

use wasmtime::component::Component;
use wasmtime::{Config, Engine, Result};

use crate::tuning;

/// Returns the component, which is loaded once for the whole program.
///
/// # Errors
/// What is wrong when the image does not fit this machine.
pub(crate) fn component() -> std::result::Result<Component, String> {
    static COMPONENT: OnceLock<std::result::Result<Component, String>> = OnceLock::new();
    COMPONENT
        .get_or_init(|| system::load(tuning::shared()).map_err(|error| format!("{error:#}")))
        .clone()
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod system {
    use std::ptr::NonNull;
    use std::sync::Arc;

    use rustix::mm::{MprotectFlags, mprotect};
    use wasmtime::CustomCodeMemory;

    use super::{Component, Config, Engine, Result};

    const PAGE: usize = 4096;

    /// Begins at a page, as code has to that is run where it lies.
    #[repr(C, align(4096))]
    struct Paged<T: ?Sized>(T);

    static IMAGE: &Paged<[u8]> = &Paged(*include_bytes!(concat!(env!("OUT_DIR"), "/docent.cwasm")));

    /// Makes code executable, which is read-only already, and leaves it so.
    struct InPlace;

    impl CustomCodeMemory for InPlace {
        fn required_alignment(&self) -> usize {
            PAGE
        }

        fn publish_executable(&self, code: *const u8, length: usize) -> Result<()> {
            let flags = MprotectFlags::READ | MprotectFlags::EXEC;
            // SAFETY: wasmtime names whole pages of an image, which nothing writes to.
            #[expect(unsafe_code, reason = "the image is made executable")]
            unsafe { mprotect(code.cast_mut().cast(), length, flags) }?;
            Ok(())
        }

        fn unpublish_executable(&self, _code: *const u8, _length: usize) -> Result<()> {
            Ok(())
        }
    }

    pub(super) fn load(mut config: Config) -> Result<Component> {
        config.with_custom_code_memory(Some(Arc::new(InPlace)));
        let engine = Engine::new(&config)?;
        // SAFETY: the image is this program's own, made by its build from the component with the
        // same version of wasmtime, which checks version and settings; it is never written to.
        #[expect(unsafe_code, reason = "the one ahead-of-time load")]
        unsafe {
            Component::deserialize_raw(&engine, NonNull::from(&IMAGE.0))
        }
    }
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
mod system {
    use super::{Component, Config, Engine, Result};

    pub(super) fn load(config: Config) -> Result<Component> {
        let image = include_bytes!(concat!(env!("OUT_DIR"), "/docent.cwasm"));
        let engine = Engine::new(&config)?;
        // SAFETY: the image is this program's own, made by its build from the component with the
        // same version of wasmtime, which checks version and settings.
        #[expect(unsafe_code, reason = "the one ahead-of-time load")]
        unsafe {
            Component::deserialize(&engine, image)
        }
    }
}
