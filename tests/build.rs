//! Builds the components that the tests run: the misbehaving ones, an embedder with a small
//! built-in model, and workloads whose instructions are counted. It passes on their paths, and
//! generates the enumerations of the deeds of the misbehaving ones.

use std::env;
use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use docent_build_support::guest::{self, Effort, Priority};
use docent_build_support::script;
use docent_test_deeds::{EncoderDeed, GuestDeed, ReaderDeed};

fn main() -> ExitCode {
    script::exit_code(run())
}

fn run() -> Result<(), Box<dyn Error>> {
    let workspace = script::workspace(1)?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    guest::watch(
        &workspace,
        &[
            "tests/fixtures/deeds",
            "tests/fixtures/encoders",
            "tests/fixtures/guests",
            "tests/fixtures/readers",
            "guest/api",
            "guest/embed",
            "guest/components/packed-embedder",
            "wit",
        ],
    );
    guest::watch(&workspace, &["Cargo.lock", ".cargo/config.toml"]);
    guest::watch(
        &workspace,
        &[
            "tests/build.rs",
            "tests/fixtures/texts/src",
            "tests/fixtures/work",
        ],
    );
    // The counted instructions are the guest's own.
    guest::watch_packages(&workspace)?;
    let deeds = [
        enumeration("GuestDeed", GuestDeed::ALL),
        enumeration("ReaderDeed", ReaderDeed::ALL),
        enumeration("EncoderDeed", EncoderDeed::ALL),
    ];
    std::fs::write(out.join("deeds.rs"), deeds.concat())?;
    let effort = Effort::detect(&out);
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

/// Returns the code of an enumeration of deeds. It is generated into the tests rather than imported
/// from the crate of the deeds, because the compiler only reports variants that are never
/// constructed for a type that is private to the crate.
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
