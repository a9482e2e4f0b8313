//! TOML: a reader that knows which bytes every key comes from, and the edits of one entry.

mod edit;
mod read;
#[cfg(test)]
mod tests;

pub use edit::TomlConfig;
