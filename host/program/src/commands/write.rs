//! `docent write`: a file as a whole.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::{Map, json};

use crate::app::{App, Last};
use crate::args::Writing;
use crate::terminal::error::CommandError;
use crate::writing::{WriteCall, carry_out};

/// The arguments of `docent write`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example: date | docent write log/today.md --apply

The content comes from stdin unless --content, --from or --template gives it, and is written \
unchanged, in UTF-8. Missing directories are created. A template is a file in `.docent/templates`, \
or `note`, `adr`, `daily` or `readme`; each `{{ name }}` in it needs --set name=TEXT.

Without --apply nothing is written. Exit status: 0 when something changes, 1 when nothing does, 2 \
on an error.")]
pub struct WriteArgs {
    /// File to create
    file: PathBuf,
    /// Its content
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    content: Option<String>,
    /// Its content, from a file
    #[arg(long, value_name = "FILE", conflicts_with = "content")]
    from: Option<PathBuf>,
    /// Its content, from this template
    #[arg(long, value_name = "NAME", conflicts_with_all = ["content", "from"])]
    template: Option<String>,
    /// Value of a variable in the template; repeatable
    #[arg(long, value_name = "NAME=TEXT", requires = "template", value_parser = variable)]
    set: Vec<(String, String)>,
    /// Replace the file if it exists
    #[arg(long)]
    overwrite: bool,
    /// Expected hash of the file to replace
    #[arg(long, value_name = "HASH", requires = "overwrite")]
    hash: Option<String>,
    #[command(flatten)]
    writing: Writing,
}

/// Parses the value of a variable: `NAME=TEXT`.
fn variable(text: &str) -> Result<(String, String), String> {
    let variable = text.split_once('=').filter(|(name, _)| !name.is_empty());
    let (name, value) = variable.ok_or("expected NAME=TEXT")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Creates a file, or replaces it.
///
/// # Errors
/// Returns an error if the directory cannot be granted, if the component refuses or fails, in which
/// case nothing was written, or if the output cannot be written.
pub fn run(app: &App, args: WriteArgs) -> Result<ExitCode, CommandError> {
    let file = app.resolve(&args.file, Last::Target)?;
    let content = match (args.content, args.template.is_some()) {
        (None, false) => {
            let from = args.from.as_deref().unwrap_or(Path::new("-"));
            Some(app.read_text(from)?)
        }
        (content, _) => content,
    };
    carry_out(app, &args.writing, &[file], |names| {
        let mut request = Map::new();
        request.insert("path".to_owned(), json!(names[0]));
        if let Some(template) = args.template {
            let variable = |(name, value): (String, String)| json!({"name": name, "value": value});
            let variables: Vec<_> = args.set.into_iter().map(variable).collect();
            request.insert("template".to_owned(), json!(template));
            request.insert("variables".to_owned(), json!(variables));
        }
        if let Some(content) = content {
            request.insert("content".to_owned(), json!(content));
        }
        if args.overwrite {
            request.insert("ifExists".to_owned(), json!("overwrite"));
        }
        if let Some(hash) = args.hash {
            request.insert("expectHash".to_owned(), json!(hash));
        }
        WriteCall::for_file(request)
    })
}
