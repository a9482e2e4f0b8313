//! The compiled components, and the code that loads them.
//!
//! On Linux on x86-64 their code runs in place, from the program's own image: nothing is copied,
//! and only used pages are ever read. On other systems wasmtime copies them.

use std::sync::OnceLock;

use wasmtime::component::Component;
use wasmtime::{Config, Engine, Result};

use crate::run::load_error::LoadError;

/// A component that is loaded once for the whole program, or the error of loading it.
type Image = std::result::Result<Component, LoadError>;

/// Returns the main component, which is loaded once for the whole program.
///
/// # Errors
/// If the image does not fit this machine.
pub(crate) fn component() -> Image {
    main().clone()
}

/// Returns the reader component for guests of `engine`. For guests of the main component it is
/// loaded once for the whole program.
///
/// # Errors
/// If the image does not fit this machine.
pub(crate) fn extractor(engine: &Engine) -> Image {
    static READERS: OnceLock<Image> = OnceLock::new();
    match main() {
        // Only the engine of the main image has the code memory that runs code in place. An
        // engine of a component that was compiled here has wasmtime's own, and gets a copy.
        Ok(main) if Engine::same(main.engine(), engine) => READERS
            .get_or_init(|| Ok(system::extractor(engine)?))
            .clone(),
        _ => Ok(system::copied_extractor(engine)?),
    }
}

/// Returns the encoder component, which is loaded once for the whole program, for the engine of the
/// main component.
///
/// # Errors
/// If the image does not fit this machine.
#[cfg(feature = "encoder")]
pub(crate) fn encoder() -> Image {
    static ENCODER: OnceLock<Image> = OnceLock::new();
    let load = || Ok(system::encoder(component()?.engine())?);
    ENCODER.get_or_init(load).clone()
}

fn main() -> &'static Image {
    static MAIN: OnceLock<Image> = OnceLock::new();
    MAIN.get_or_init(|| {
        Ok(system::component(docent_engine_config::shared_config(
            cfg!(windows),
        ))?)
    })
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod system {
    use std::ptr::NonNull;
    use std::sync::Arc;

    use rustix::mm::{MprotectFlags, mprotect};
    use wasmtime::CustomCodeMemory;

    use super::{Component, Config, Engine, Result};

    // Page size of x86-64; this code is not compiled for other processors, which have several
    // sizes.
    const PAGE: usize = 4096;

    /// A value aligned to a page, as code that runs in place must be.
    #[repr(C, align(4096))]
    struct Paged<T: ?Sized>(T);

    static MAIN: &Paged<[u8]> = &Paged(*include_bytes!(concat!(env!("OUT_DIR"), "/docent.cwasm")));

    static READERS: &Paged<[u8]> =
        &Paged(*include_bytes!(concat!(env!("OUT_DIR"), "/extract.cwasm")));

    /// A code memory that makes read-only code executable in place, and leaves it so.
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
            // The image is loaded once for the whole program and never unloaded.
            Ok(())
        }
    }

    pub(super) fn component(mut config: Config) -> Result<Component> {
        config.with_custom_code_memory(Some(Arc::new(InPlace)));
        in_place(&Engine::new(&config)?, MAIN)
    }

    /// Loads the readers in place, for the engine of the main component.
    pub(super) fn extractor(engine: &Engine) -> Result<Component> {
        in_place(engine, READERS)
    }

    #[cfg(feature = "encoder")]
    static ENCODER: &Paged<[u8]> =
        &Paged(*include_bytes!(concat!(env!("OUT_DIR"), "/embed.cwasm")));

    /// Loads the encoder in place, for the engine of the main component.
    #[cfg(feature = "encoder")]
    pub(super) fn encoder(engine: &Engine) -> Result<Component> {
        in_place(engine, ENCODER)
    }

    fn in_place(engine: &Engine, image: &'static Paged<[u8]>) -> Result<Component> {
        // SAFETY: the image is this program's own, made by its build from the component with the
        // same version of wasmtime, which checks version and settings; it is never written to.
        #[expect(unsafe_code, reason = "the one ahead-of-time load")]
        unsafe {
            Component::deserialize_raw(engine, NonNull::from(&image.0))
        }
    }

    /// Loads a copy of the readers, for an engine that does not run images in place.
    pub(super) fn copied_extractor(engine: &Engine) -> Result<Component> {
        // SAFETY: the image is this program's own, made by its build from the component with
        // the same version of wasmtime, which checks version and settings.
        #[expect(unsafe_code, reason = "the one ahead-of-time load, for another engine")]
        unsafe {
            Component::deserialize(engine, &READERS.0)
        }
    }
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
mod system {
    use super::{Component, Config, Engine, Result};

    pub(super) fn component(config: Config) -> Result<Component> {
        let image = include_bytes!(concat!(env!("OUT_DIR"), "/docent.cwasm"));
        copy_image(&Engine::new(&config)?, image)
    }

    pub(super) fn extractor(engine: &Engine) -> Result<Component> {
        let image = include_bytes!(concat!(env!("OUT_DIR"), "/extract.cwasm"));
        copy_image(engine, image)
    }

    pub(super) fn copied_extractor(engine: &Engine) -> Result<Component> {
        extractor(engine)
    }

    #[cfg(feature = "encoder")]
    pub(super) fn encoder(engine: &Engine) -> Result<Component> {
        copy_image(
            engine,
            include_bytes!(concat!(env!("OUT_DIR"), "/embed.cwasm")),
        )
    }

    fn copy_image(engine: &Engine, image: &[u8]) -> Result<Component> {
        // SAFETY: the image is this program's own, made by its build from the component with the
        // same version of wasmtime, which checks version and settings.
        #[expect(unsafe_code, reason = "the one ahead-of-time load")]
        unsafe {
            Component::deserialize(engine, image)
        }
    }
}
