//! Ahead-of-time compilation of the component.

use wasmtime::{Config, Engine, Result};

/// Returns `component` compiled for `target`. The image can only be loaded by the same wasmtime
/// with the same settings.
///
/// # Errors
/// If wasmtime does not know the target or the component is not valid.
pub fn compile(component: &[u8], target: &str) -> Result<Vec<u8>> {
    Engine::new(&settings(target)?)?.precompile_component(component)
}

fn settings(target: &str) -> Result<Config> {
    let mut config = docent_engine_config::shared_config(target.contains("windows"));
    config.target(target)?;
    if target.starts_with("x86_64") {
        // The image is compiled for x86-64-v2, which every processor since 2009 has: the
        // 128-bit instructions of wasm map to one instruction each. The target by itself means
        // the baseline, which has only SSE2.
        for flag in [
            "has_sse3",
            "has_ssse3",
            "has_sse41",
            "has_sse42",
            "has_popcnt",
        ] {
            // SAFETY: the image names these flags, and wasmtime refuses to load it on a machine
            // that lacks one of them.
            #[expect(unsafe_code, reason = "the only way to name a processor feature")]
            unsafe {
                config.cranelift_flag_enable(flag);
            }
        }
    }
    Ok(config)
}
