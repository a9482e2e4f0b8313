//! TOML: a reader that keeps the byte range of each key, and the edits of one entry.

mod edit;
mod read;
#[cfg(test)]
mod tests;

pub use edit::TomlConfig;
