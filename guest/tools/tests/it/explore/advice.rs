//! Advice of answers to a caller: the next call that it names is possible, and helps.

use docent_api::pillars::{
    ExploreAnswer, ExploreLimits, ExploreOptions, ExploreStatus, IncludedKinds, View,
};
use docent_tools::{Docent, ToolSettings};
use docent_tree::memory::MemoryDisk;

use super::support::*;

fn full(path: &str, limits: ExploreLimits) -> ExploreOptions {
    ExploreOptions {
        view: Some(View::Full),
        limits: Some(limits),
        ..paths(&[path])
    }
}

fn advice(answer: &ExploreAnswer) -> &str {
    match answer.blocked.first() {
        Some(blocked) => &blocked.hint,
        None => answer.hint.as_deref().unwrap_or_default(),
    }
}

#[test]
fn a_limit_is_raised_to_what_suffices() {
    let limits = |chars, bytes| ExploreLimits {
        max_chars: chars,
        max_bytes: bytes,
        ..LIMITS
    };
    let answer = ask(&tree(), full("guide.md", limits(Some(100), None)));
    let chars = u32::try_from(GUIDE.chars().count()).unwrap_or_default();
    let raised = format!("Raise limits.maxChars to {chars}, or");
    assert!(advice(&answer).starts_with(&raised), "{answer:?}");
    let answer = ask(&tree(), full("guide.md", limits(Some(chars), None)));
    assert_eq!(answer.data.docs[0].content.as_deref(), Some(GUIDE));
    let answer = ask(&tree(), full("guide.md", limits(None, Some(100))));
    let raised = format!("Raise limits.maxBytes to {}, or", GUIDE.len());
    assert!(advice(&answer).starts_with(&raised), "{answer:?}");
}

#[test]
fn no_limit_is_raised_beyond_the_most() {
    let disk = MemoryDisk::with_files(&[("long.md", &"word ".repeat(60_000))]);
    let answer = ask(&disk, full("long.md", LIMITS));
    assert_eq!(answer.status, ExploreStatus::Blocked);
    let hint = advice(&answer);
    assert!(hint.starts_with("No call returns it whole"), "{hint}");
    assert!(!hint.contains("Raise"), "{hint}");
}

#[test]
fn the_limit_of_previews_is_none_of_whole_files() {
    let limits = ExploreLimits {
        max_item_chars: Some(50),
        ..LIMITS
    };
    let answer = ask(&tree(), full("guide.md", limits));
    assert_eq!(answer.data.docs[0].content.as_deref(), Some(GUIDE));
}

#[test]
fn what_the_person_allows_can_be_asked_for() {
    let settings = ToolSettings {
        sensitive_roots: vec!["docs".to_owned()],
        ..ToolSettings::default()
    };
    let hint = |settings: &ToolSettings, options| {
        let answer = Docent::new(tree(), settings.clone()).explore(Some(options));
        answer.map(|answer| advice(&answer).to_owned())
    };
    let searched = ExploreOptions {
        query: Some("token".to_owned()),
        ..paths(&[".env"])
    };
    for options in [paths(&[".env"]), searched] {
        let allowed = hint(&settings, options.clone()).unwrap_or_default();
        assert!(allowed.contains("allowSensitive"), "{allowed}");
        let withheld = hint(&ToolSettings::default(), options).unwrap_or_default();
        assert!(!withheld.contains("allowSensitive"), "{withheld}");
    }
}

#[test]
fn words_are_to_blame_only_where_files_were_searched() {
    let hint = |options| ask(&tree(), options).hint.unwrap_or_default();
    assert!(hint(query("xyzzyqqq")).starts_with("Nothing holds any of these words"));
    let globs = |options| ExploreOptions {
        allow_globs: Some(true),
        ..options
    };
    let left_out = ExploreOptions {
        include: Some(IncludedKinds {
            docs: Some(false),
            code: Some(true),
            comments: None,
            logs: None,
            data: None,
        }),
        ..full("notes", LIMITS)
    };
    for options in [
        globs(paths(&["**/*.absent"])),
        globs(ExploreOptions {
            query: Some("cache".to_owned()),
            ..paths(&["**/*.absent"])
        }),
        left_out,
    ] {
        let hint = hint(options);
        assert!(hint.starts_with("No files match"), "{hint}");
    }
}
