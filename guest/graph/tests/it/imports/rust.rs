//! Tests of Rust imports.

use super::check;

const PACKAGE: &str = "[package]\nname = \"a-b\"\nedition = \"2024\"\n";

#[test]
fn modules_of_rust() {
    check(
        &[
            ("Cargo.toml", PACKAGE),
            (
                "src/lib.rs",
                "mod one;\nmod two;\nmod gone;\nmod three { mod inner; }\n",
            ),
            (
                "src/one.rs",
                "mod deep;\n#[path = \"odd.rs\"]\nmod placed;\n",
            ),
            ("src/one/deep.rs", ""),
            ("src/odd.rs", "mod beside;\n"),
            ("src/beside.rs", ""),
            (
                "src/two/mod.rs",
                "mod deep;\n#[cfg_attr(unix, path = \"u.rs\")]\nmod os;\n",
            ),
            ("src/two/deep.rs", ""),
            ("src/two/u.rs", ""),
            ("src/two/os.rs", ""),
            ("src/three/inner.rs", "include!(\"../../data.in\");\n"),
            ("data.in", ""),
            ("tests/t.rs", "mod common;\n"),
            ("tests/common/mod.rs", ""),
        ],
        &[
            "src/lib.rs:1 src/one.rs",
            "src/lib.rs:2 src/two/mod.rs",
            "src/lib.rs:3 missing",
            "src/lib.rs:4 src/three/inner.rs",
            "src/one.rs:1 src/one/deep.rs",
            "src/one.rs:3 src/odd.rs",
            "src/odd.rs:1 src/beside.rs",
            "src/two/mod.rs:1 src/two/deep.rs",
            "src/two/mod.rs:3 src/two/os.rs src/two/u.rs",
            "src/three/inner.rs:1 data.in",
            "tests/t.rs:1 tests/common/mod.rs",
        ],
    );
}

#[test]
fn uses_of_rust() {
    check(
        &[
            ("Cargo.toml", PACKAGE),
            (
                "src/lib.rs",
                "pub mod a;\nmod b { pub mod c; use super::a::X; }\npub use a::Y;\n",
            ),
            (
                "src/a.rs",
                "use crate::b::c::Z;\nuse super::b::c;\nuse self::local;\nuse crate::W;\nuse std::fs;\n",
            ),
            (
                "src/b/c.rs",
                "use super::super::a;\nmod tests { use super::*; use super::super::d; }\n",
            ),
            (
                "src/main.rs",
                "mod m;\nuse a_b::a::X;\nuse crate::m::N;\nuse rand::Rng;\n",
            ),
            ("src/m.rs", "use crate::O;\n"),
        ],
        &[
            "src/lib.rs:1 src/a.rs",
            "src/lib.rs:2 src/b/c.rs",
            "src/lib.rs:2 src/a.rs",
            "src/lib.rs:3 src/a.rs",
            "src/a.rs:1 src/b/c.rs",
            "src/a.rs:2 src/b/c.rs",
            "src/a.rs:3 ",
            "src/a.rs:4 src/lib.rs",
            "src/a.rs:5 external",
            "src/b/c.rs:1 src/a.rs",
            "src/b/c.rs:2 ",
            "src/b/c.rs:2 src/lib.rs",
            "src/main.rs:1 src/m.rs",
            "src/main.rs:2 src/a.rs",
            "src/main.rs:3 src/m.rs",
            "src/main.rs:4 external",
            "src/m.rs:1 src/main.rs",
        ],
    );
}

#[test]
fn members_of_a_workspace_of_rust() {
    check(
        &[
            (
                "Cargo.toml",
                "[workspace]\nmembers = [\"*\"]\n[workspace.dependencies]\none-two = { path = \"one\" }\n\
                 [patch.crates-io]\npatched = { path = \"patched\" }\n",
            ),
            (
                "one/Cargo.toml",
                "[package]\nname = \"one-two\"\nedition = \"2021\"\n",
            ),
            ("one/src/lib.rs", "pub mod x;\n"),
            ("one/src/x.rs", ""),
            (
                "three/Cargo.toml",
                "[package]\nname = \"three\"\nedition.workspace = true\n[lib]\nname = \"drei\"\npath = \"l.rs\"\n\
                 [dependencies]\none-two.workspace = true\npatched = \"1\"\n\
                 [target.'cfg(unix)'.dev-dependencies]\nzwei = { package = \"one-two\", path = \"../one\" }\n",
            ),
            (
                "three/l.rs",
                "use one_two::x::A;\nuse zwei::x;\nuse patched::B;\nuse four::C;\nuse ::one_two;\n",
            ),
            ("three/build.rs", "use crate::x;\n"),
            ("three/examples/e.rs", "use drei::D;\nuse three::E;\n"),
            ("patched/Cargo.toml", "[package]\nname = \"patched\"\n"),
            ("patched/src/lib.rs", "mod p;\nuse p::Q;\n"),
            ("patched/src/p.rs", "use p::R;\nuse core::S;\n"),
            ("four/Cargo.toml", "[package]\nname = \"four\"\n"),
            ("four/src/lib.rs", ""),
        ],
        &[
            "one/src/lib.rs:1 one/src/x.rs",
            "three/l.rs:1 one/src/x.rs",
            "three/l.rs:2 one/src/x.rs",
            "three/l.rs:3 patched/src/lib.rs",
            "three/l.rs:4 external",
            "three/l.rs:5 one/src/lib.rs",
            "three/build.rs:1 ",
            "three/examples/e.rs:1 three/l.rs",
            "three/examples/e.rs:2 external",
            "patched/src/lib.rs:1 patched/src/p.rs",
            "patched/src/lib.rs:2 patched/src/p.rs",
            "patched/src/p.rs:1 ",
            "patched/src/p.rs:2 external",
        ],
    );
}

#[test]
fn rust_that_no_crate_declares() {
    check(
        &[
            ("Cargo.toml", PACKAGE),
            ("src/lib.rs", "mod a;\n"),
            ("src/a.rs", ""),
            ("src/left_out.rs", "use crate::a::B;\nuse super::C;\n"),
            ("script.rs", "mod helper;\n"),
            ("helper.rs", "use crate::D;\n"),
        ],
        &[
            "src/lib.rs:1 src/a.rs",
            "src/left_out.rs:1~ src/a.rs",
            "src/left_out.rs:2~ src/lib.rs",
            "script.rs:1 helper.rs",
            "helper.rs:1 script.rs",
        ],
    );
}
