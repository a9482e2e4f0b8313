//! The arguments of `docent embed`.

use std::path::PathBuf;

use clap::Args;

use super::Roots;

#[derive(Debug, Args)]
#[command(after_help = "\
Example: docent embed --root ~/notes --embedder http://127.0.0.1:11434/v1#bge-m3

Searching by meaning needs none of this: it makes the vectors that it needs and keeps them. With \
all of them it finds what has no word of the question. Stop it at any time: the next run goes on \
where this one stopped. Grant the roots as they are granted when they are searched, by the same \
names. Exit status: 0 when all is embedded, 2 on an error.")]
pub struct Embed {
    /// Files and directories in the granted roots, or directories where none is granted
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub roots: Roots,
}
