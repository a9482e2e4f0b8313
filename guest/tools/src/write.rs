//! `write`: a file made, or replaced, whole.

use docent_api::types::{Error, ErrorCode};
use docent_api::writing::{IfExists, WriteAnswer, WriteOptions};
use docent_corpus::corpus::Corpus;
use docent_tree::disk::WriteDisk;
use docent_tree::error::refuse;

use crate::settings::Settings;
use crate::writing::file::parse;
use crate::writing::root::{Sensitive, WritableRoot};
use crate::writing::whole::{Taken, Whole};

/// What to do where a file is in the way.
const TAKEN_HINT: &str = "Give another path, or send `if-exists` `overwrite` to replace it.";

/// Writes a file; see `wit/world.wit`.
///
/// # Errors
/// Why nothing was written.
pub fn write<D: WriteDisk>(
    corpus: &mut Corpus<D>,
    settings: &Settings,
    path: String,
    options: Option<WriteOptions>,
) -> Result<WriteAnswer, Error> {
    let requested = options.as_ref().and_then(|options| options.root.as_deref());
    let root = WritableRoot::open(corpus, settings, requested, Sensitive::Unasked)?;
    let path = parse(&path)?;
    let Some((content, options)) = options.and_then(|mut options| {
        let content = options.content.take()?;
        Some((content, options))
    }) else {
        return Err(refuse(
            ErrorCode::InvalidRequest,
            "`content` is missing; expected the text of the file",
            "Send `content`; an empty text makes an empty file.",
        ));
    };
    let hash = options.expect_hash.as_deref();
    let taken = match (options.if_exists, hash) {
        (Some(IfExists::Overwrite), hash) => Taken::Replace(hash),
        (_, None) => Taken::Refuse(TAKEN_HINT),
        (_, Some(_)) => {
            return Err(refuse(
                ErrorCode::InvalidRequest,
                "`expect-hash` is given and `if-exists` is `fail`; expected `overwrite` beside it",
                "Send `if-exists` `overwrite`, or leave the hash out.",
            ));
        }
    };
    root.recover()?;
    let whole = Whole::write(corpus, &root, &path, content, taken)?;
    if options.dry_run == Some(true) {
        return Ok(whole.show(&root));
    }
    whole.apply(&root, "write", options.note.as_deref())
}
