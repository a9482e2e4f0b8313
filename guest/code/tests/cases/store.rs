//! A store of notes.
#![deny(missing_docs)]

use std::collections::BTreeMap;
use std::{fmt, io::{self, Read}};

/// Notes that a store holds at most. More than this is a database.
pub const NOTES: usize = 10_000;
const BANNER: &str = "a } brace { and a \" quote, too long to be shown in the skeleton";
static COUNT: u32 = 0;

/// A note. It has a text.
#[derive(Clone, Debug)]
pub struct Note<'a, T: Into<String>> {
    /// The text, with `{` in it.
    pub text: &'a str,
    tags: Vec<(T, u8)>,
}

pub struct Marker;
pub(crate) struct Pair(pub u8, u8);

/// What can go wrong.
#[non_exhaustive]
pub enum Fault {
    /// Nothing there.
    Missing { path: String },
    Broken(io::Error),
    Full,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { path } => write!(f, "no {path} {{}}"),
            _ => f.write_str(r#"} " {"#),
        }
    }
}

/// Reads notes.
pub trait Reader<T>: Send
where
    T: Clone,
{
    type Item;
    const SIZE: usize = 4;
    fn read(&mut self, from: &dyn Read) -> Option<Self::Item>;
    /// Skips `count` notes.
    fn skip(&mut self, count: usize) {
        for _ in 0..count {}
    }
}

impl<'a, T> Note<'a, T>
where
    T: Into<String>,
{
    /// Returns a note.
    #[must_use]
    pub fn new(
        text: &'a str, // the text
        tags: Vec<(T, u8)>,
    ) -> Self {
        fn inner() {}
        Self { text, tags }
    }

    async fn 보내기(self) -> Result<(), Fault> {
        let _ = '{';
        Ok(())
    }
}

macro_rules! note {
    ($text:expr) => { Note { text: $text, tags: vec![] } };
}

type Index = BTreeMap<String, usize>;

unsafe extern "C" {
    fn strlen(text: *const u8) -> usize;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn works() {
        note!("x");
    }
}
