//! What docent knows about documents: request → validate → plan → walk → match → rank → page →
//! respond. No I/O of its own: files come through [`disk`].
//!
//! A [`Docent`] answers calls, one method a tool, in the types of the contract. What it remembers
//! between calls makes them faster, never different.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod limits;
mod refusal;

pub mod disk;
#[cfg(any(test, feature = "memory"))]
pub mod memory;
mod settings;

mod blocks;
mod cursor;
mod digest;
mod extensions;
mod path;

mod door;
mod held;
mod ignore_rules;
mod listing;
mod locate;
mod memos;
mod pattern;
mod sensitive;
mod skips;
mod store;
mod walk;

mod decode;
pub mod foreign;
mod front_matter;
mod headings;
mod lines;
mod markup;
mod outline;
mod sections;
mod toc;

mod anchor;
mod excerpt;
#[doc(hidden)]
pub mod finder;
mod fold;
mod query;
mod time;
mod token_counter;
mod tokens;
#[doc(hidden)]
pub mod vocabulary;

mod criteria;
mod dates;
mod inline_tags;
mod metadata;
mod toml;
mod yaml;

mod bm25;
mod density;
mod identifier;
mod korean;
mod parts;
mod passages;
mod select;
mod statistics;
mod stem;
mod summary;
mod tally;
mod terms;

mod explore;
mod find;

mod tools;
#[doc(hidden)]
pub use tokens::estimate as estimate_tokens;
pub use tools::NO_EXPLORE_OPTIONS;

#[cfg(test)]
#[path = "../tests/registry/mod.rs"]
mod registry;

pub use settings::Settings;

use disk::Disk;
use explore::known::KnownPacks;
use find::known::KnownNames;
use ignore_rules::Rules;
use limits::CACHE_NAMES_SHARE;
use store::Store;

/// Answers every tool's calls about the directories of one disk.
#[derive(Debug)]
pub struct Docent<D> {
    disk: D,
    settings: Settings,
    exclude: Rules,
    store: Store,
    names: KnownNames,
    packs: KnownPacks,
}

impl<D: Disk> Docent<D> {
    /// Returns a docent for the directories that `disk` grants.
    pub fn new(disk: D, settings: Settings) -> Self {
        let exclude = Rules::parse(settings.exclude.iter().map(String::as_str));
        let store = Store::new(settings.cache_bytes).with_readers(disk.extractor());
        let names = KnownNames::new(settings.cache_bytes / CACHE_NAMES_SHARE);
        Self {
            disk,
            settings,
            exclude,
            store,
            names,
            packs: KnownPacks::default(),
        }
    }

    /// Returns the disk.
    pub fn disk(&self) -> &D {
        &self.disk
    }
}
