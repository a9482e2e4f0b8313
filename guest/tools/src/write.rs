//! `write`: creation or replacement of a whole file.

use docent_api::types::{Error, ErrorCode};
use docent_api::writing::{IfExists, WriteAnswer, WriteOptions};
use docent_corpus::corpus::Corpus;
use docent_text::time::iso_8601;
use docent_tree::disk::WriteDisk;
use docent_tree::error::refuse;
use docent_tree::path::RelPath;

use crate::settings::ToolSettings;
use crate::writing::file::parse;
use crate::writing::front_matter::fill_in;
use crate::writing::repaired_links::report_repaired;
use crate::writing::root::{SensitiveAccess, WritableRoot};
use crate::writing::template::Template;
use crate::writing::whole::{Taken, Whole};

/// Hint if the path is taken.
const TAKEN_HINT: &str = "Give another path, or send `ifExists` `overwrite` to replace it.";

/// Writes a file; see `wit/world.wit`.
///
/// # Errors
/// For a request that cannot be served; then nothing was written.
pub fn write<D: WriteDisk>(
    corpus: &mut Corpus<D>,
    settings: &ToolSettings,
    path: String,
    mut options: WriteOptions,
) -> Result<WriteAnswer, Error> {
    let requested = options.root.as_deref();
    let root = WritableRoot::open(corpus, settings, requested, SensitiveAccess::NotRequested)?;
    let path = parse(&path)?;
    check_text(&options)?;
    let content = options.content.take();
    let hash = options.expect_hash.as_deref();
    let taken = match (options.if_exists, hash) {
        (Some(IfExists::Overwrite), hash) => Taken::Replace(hash),
        (_, None) => Taken::Refuse(TAKEN_HINT),
        (_, Some(_)) => {
            return Err(refuse(
                ErrorCode::InvalidRequest,
                "`expectHash` is given and `ifExists` is `fail`; expected `overwrite` beside it",
                "Send `ifExists` `overwrite`, or leave the hash out.",
            ));
        }
    };
    root.recover()?;
    let content = fill_content(corpus, &root, &path, content, &options)?;
    let mut whole = Whole::write(corpus, &root, &path, content, taken)?;
    if let Some(sent) = &options.plan_id {
        whole.expect_plan(&root.chosen.name, sent)?;
    }
    let mended = match options.plan_id {
        // The dry run has reported them. Finding them visits every file of the root, and what
        // was shown is not shown again.
        Some(_) => None,
        None => whole.repaired_links(corpus, root.chosen.index),
    };
    let mut answer = match options.dry_run {
        Some(true) => whole.show(&root),
        _ => whole.apply(&root, "write", options.note.as_deref())?,
    };
    report_repaired(&mut answer, mended);
    Ok(answer)
}

/// Options with the default for everything.
pub const NO_OPTIONS: WriteOptions = WriteOptions {
    content: None,
    template: None,
    variables: None,
    front_matter: None,
    if_exists: None,
    expect_hash: None,
    dry_run: None,
    plan_id: None,
    note: None,
    root: None,
};

/// Refuses a request that gives the content of the file twice or not at all.
fn check_text(options: &WriteOptions) -> Result<(), Error> {
    let (message, hint) = match (&options.content, &options.template) {
        (Some(_), Some(_)) => (
            "`content` and `template` are both given; expected one of them",
            "Leave one of them out.",
        ),
        (None, None) => (
            "neither `content` nor `template` is given; expected one of them",
            "Send `content`, where an empty text makes an empty file, or `template` with `note`, \
             `adr`, `daily`, `readme` or the name of one in `.docent/templates`.",
        ),
        (Some(_), None) if options.variables.is_some() => (
            "`variables` goes with `template`, and `content` is given; expected one of both pairs",
            "Leave `variables` out, or name a template instead of the content.",
        ),
        _ => return Ok(()),
    };
    Err(refuse(ErrorCode::InvalidRequest, message, hint))
}

/// Returns the content of the file.
fn fill_content<D: WriteDisk>(
    corpus: &Corpus<D>,
    root: &WritableRoot<D::Directory>,
    path: &RelPath,
    content: Option<String>,
    options: &WriteOptions,
) -> Result<String, Error> {
    let now = iso_8601(i128::from(root.now_ms()) * 1_000_000).unwrap_or_default();
    let day = now.split('T').next().unwrap_or_default();
    let content = match &options.template {
        None => content.unwrap_or_default(),
        Some(name) => {
            let template = Template::find(corpus, root.chosen.index, name)?;
            template.fill(options.variables.as_deref().unwrap_or_default(), day)?
        }
    };
    match &options.front_matter {
        None => Ok(content),
        Some(wanted) => fill_in(&content, path, wanted, day),
    }
}
