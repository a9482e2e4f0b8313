//! Builds the components that the tests run: those that misbehave, an embedder with a small model
//! inside, and work whose instructions are counted; says where they lie, and lists what the first
//! can be told to do.

use std::env;
use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use docent_build::guest::{self, Effort, Priority};
use docent_build::script;
use docent_test_deeds::{EncoderDeed, GuestDeed, ReaderDeed};

fn main() -> ExitCode {
    script::ended(run())
}

fn run() -> Result<(), Box<dyn Error>> {
    let workspace = script::workspace(1)?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    guest::watch(
        &workspace,
        &[
            "tests/deeds",
            "tests/encoders",
            "tests/guests",
            "tests/readers",
            "guest/api",
            "guest/embed",
            "guest/packed-embedder-component",
            "wit",
        ],
    );
    guest::watch(&workspace, &["Cargo.lock", ".cargo/config.toml"]);
    guest::watch(
        &workspace,
        &["tests/build.rs", "tests/texts/src", "tests/work"],
    );
    // What is counted is the guest's own work.
    guest::watch_packages(&workspace)?;
    let deeds = [
        enumeration("GuestDeed", GuestDeed::ALL),
        enumeration("ReaderDeed", ReaderDeed::ALL),
        enumeration("EncoderDeed", EncoderDeed::ALL),
    ];
    std::fs::write(out.join("deeds.rs"), deeds.concat())?;
    let effort = Effort::of(&out);
    let build = |package| guest::build(&workspace, &out, package, effort, Priority::Speed);
    let readers = build("docent-test-readers")?;
    println!("cargo:rustc-env=DOCENT_TEST_READERS={}", readers.display());
    let encoder = build("docent-test-encoders")?;
    println!("cargo:rustc-env=DOCENT_TEST_ENCODER={}", encoder.display());
    let work = build("docent-test-work")?;
    println!("cargo:rustc-env=DOCENT_TEST_WORK={}", work.display());
    let component = build("docent-test-guests")?;
    println!("cargo:rustc-env=DOCENT_TEST_GUEST={}", component.display());
    let model = workspace.join("guest/embed/tests/tiny");
    let packed = guest::build_with(
        &workspace,
        &out,
        "docent-packed-embedder-component",
        effort,
        Priority::Speed,
        &[("DOCENT_MODEL_DIR", model.as_os_str())],
    )?;
    println!("cargo:rustc-env=DOCENT_TEST_PACKED={}", packed.display());
    println!("cargo:rustc-env=DOCENT_TEST_MODEL={}", model.display());
    Ok(())
}

/// Returns the code of an enumeration of deeds. It is written into the tests rather than taken from
/// the crate of the deeds because the compiler looks for variants that are never constructed only
/// where a type is private to what it compiles.
fn enumeration(name: &str, deeds: &[(&str, &str)]) -> String {
    let (mut variants, mut words) = (String::new(), String::new());
    for (variant, word) in deeds {
        let _ = write!(variants, "{variant}, ");
        let _ = write!(words, "Self::{variant} => {word:?}, ");
    }
    format!(
        "/// A deed.\n#[derive(Clone, Copy, Debug, PartialEq, Eq)]\npub enum {name} {{ {variants} }}\n\
         impl {name} {{ /// Returns the word for it.\n\
         pub fn word(self) -> &'static str {{ match self {{ {words} }} }} }}\n"
    )
}
