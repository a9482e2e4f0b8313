//! Tests of manifests.

use docent_graph::imports::is_manifest;

#[test]
fn names_of_manifests() {
    for (path, expected) in [
        ("Cargo.toml", true),
        ("a/tsconfig.build.json", true),
        ("jsconfig.json", true),
        ("go.work", true),
        ("a/pnpm-workspace.yaml", true),
        ("setup.cfg", true),
        ("setup.py", false),
        ("package-lock.json", false),
        ("tsconfig", false),
    ] {
        assert_eq!(is_manifest(path), expected, "{path}");
    }
}
