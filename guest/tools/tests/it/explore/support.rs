//! Requests in short, and the tree that most tests ask.

use docent_api::pillars::{
    ExploreAnswer, ExploreCursor, ExploreItem, ExploreLimits, ExploreOptions, SectionChoice,
};
use docent_api::types::ErrorCode;
pub use docent_tools::NO_EXPLORE_OPTIONS as NONE;
use docent_tools::{Docent, ToolSettings};
use docent_tree::memory::MemoryDisk;

pub const LIMITS: ExploreLimits = ExploreLimits {
    max_results: None,
    max_chars: None,
    max_item_chars: None,
    max_bytes: None,
    max_files: None,
    timeout_ms: None,
};

pub fn query(text: &str) -> ExploreOptions {
    ExploreOptions {
        query: Some(text.to_owned()),
        ..NONE
    }
}

pub fn paths(all: &[&str]) -> ExploreOptions {
    ExploreOptions {
        paths: Some(all.iter().map(|&path| path.to_owned()).collect()),
        ..NONE
    }
}

pub fn section(headings: &[&str]) -> SectionChoice {
    SectionChoice {
        section_id: None,
        heading_path: Some(headings.iter().map(|&heading| heading.to_owned()).collect()),
        include_subsections: None,
    }
}

pub fn docent(disk: &MemoryDisk) -> Docent<MemoryDisk> {
    Docent::new(disk.clone(), ToolSettings::default())
}

pub fn ask(disk: &MemoryDisk, options: ExploreOptions) -> ExploreAnswer {
    match docent(disk).explore(Some(options)) {
        Ok(answer) => answer,
        Err(error) => panic!("{error:?}"),
    }
}

pub fn refused(disk: &MemoryDisk, options: ExploreOptions) -> ErrorCode {
    match docent(disk).explore(Some(options)) {
        Ok(answer) => panic!("{answer:?}"),
        Err(error) => error.code,
    }
}

pub fn text(item: &ExploreItem) -> &str {
    let text = item.preview.as_deref().or(item.content.as_deref());
    text.unwrap_or_default()
}

pub fn files(items: &[ExploreItem]) -> Vec<&str> {
    items.iter().map(|item| item.file_path.as_str()).collect()
}

/// Returns the files that come with their texts, and those with the same text.
pub fn shown(items: &[ExploreItem]) -> Vec<String> {
    let shown = items.iter().filter(|item| !item.only_named);
    let paths = shown.flat_map(|item| [std::slice::from_ref(&item.file_path), &item.also_in]);
    paths.flatten().cloned().collect()
}

/// Returns all files that an answer names, each once, in order of their paths.
pub fn named(items: &[ExploreItem]) -> Vec<String> {
    let paths = items
        .iter()
        .flat_map(|item| [std::slice::from_ref(&item.file_path), &item.also_in]);
    sorted(paths.flatten().cloned().collect())
}

/// Returns paths in order, each once.
pub fn sorted(mut paths: Vec<String>) -> Vec<String> {
    paths.sort();
    paths.dedup();
    paths
}

pub fn pack(answer: &ExploreAnswer) -> String {
    match &answer.pack {
        Some(pack) => pack.pack_id.clone(),
        None => panic!("a pack"),
    }
}

pub const GUIDE: &str = "# Guide\n\nIntro of the guide.\n\n## Cache\n\nThe cache keeps texts.\n\n### Size\n\nIts size is 64 MB by default.\n\n## Network\n\nNo cache here.\n";

pub fn tree() -> MemoryDisk {
    let disk = MemoryDisk::with_files(&[
        ("guide.md", GUIDE),
        ("notes/today.md", "Bought a cache box.\n"),
        ("notes/other.md", "Nothing of interest.\n"),
        (
            "src/cache.rs",
            "//! The cache.\n\n/// Keeps texts.\npub struct Cache {\n    size: usize,\n}\n\nimpl Cache {\n    /// Returns the default size.\n    pub fn default_size() -> usize {\n        64 << 20\n    }\n}\n",
        ),
        (".env", "TOKEN=canary-env\n"),
        ("keys/server.pem", "canary-pem\n"),
        ("app.log", "cache miss\n"),
    ]);
    disk.write("docs", "image.png", b"\x89PNG\0\x01\x02canary");
    disk
}

pub fn by_items(answer: &ExploreAnswer) -> Option<ExploreCursor> {
    let items = answer.next.items_cursor.clone()?;
    Some(ExploreCursor {
        items: Some(items),
        content: None,
    })
}

pub fn by_content(answer: &ExploreAnswer) -> Option<ExploreCursor> {
    let content = answer.next.content_cursor.clone()?;
    Some(ExploreCursor {
        items: None,
        content: Some(content),
    })
}
