//! What is shown of code.

use docent_api::pillars::{Degradation, ExploreLimits, ExploreOptions, ItemKind};
use docent_tree::memory::MemoryDisk;

use super::support::*;

#[test]
fn the_time_ends_the_look_for_definitions() {
    let functions = |count: usize| -> String {
        (0..count)
            .map(|number| format!("def lantern_{number}():\n    pass\n\n"))
            .collect()
    };
    let disk = MemoryDisk::with_files(&[("a.py", &functions(40_000))]);
    let options = ExploreOptions {
        limits: Some(ExploreLimits {
            timeout_ms: Some(1_000),
            ..LIMITS
        }),
        ..query("lantern")
    };
    // In time it is the definition of the first hit.
    let found = ask(&disk, options.clone());
    assert_eq!(found.data.code[0].kind, ItemKind::Symbol);
    assert!(!found.reasons.contains(&Degradation::Timeout));
    let mut now = 0;
    disk.set_clock(move || {
        now += 200;
        now
    });
    let found = ask(&disk, options);
    assert!(found.reasons.contains(&Degradation::Timeout));
    let item = &found.data.code[0];
    assert_eq!(item.kind, ItemKind::FilePreview);
    assert!(text(item).starts_with("1: def lantern_0():\n4: def lantern_1():\n"));
}
