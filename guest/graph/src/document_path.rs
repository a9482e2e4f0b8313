//! Forms of the path of a document, as links name it: composed, without an extension, or as the
//! page of its directory.

use std::borrow::Cow;

use docent_document::format::Format;
use unicode_normalization::{UnicodeNormalization as _, is_nfc};

/// Names without extension of documents that represent their directory.
pub(crate) const INDEXES: [&str; 5] = ["index", "_index", README[0], README[1], README[2]];

/// The [`INDEXES`] that hosting sites such as GitHub show as the page of a directory.
pub(crate) const README: [&str; 3] = ["README", "readme", "Readme"];

/// Returns a path in composed form.
pub fn compose(path: &str) -> Cow<'_, str> {
    match path.is_ascii() || is_nfc(path) {
        true => Cow::Borrowed(path),
        false => Cow::Owned(path.nfc().collect()),
    }
}

/// Returns the path of a document without its extension, or `None` if it is not a document.
pub fn stem(path: &str) -> Option<&str> {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    Format::from_name(name)?;
    path.rsplit_once('.').map(|(stem, _)| stem)
}

/// Returns true if a document represents its directory on a site.
pub(crate) fn is_index(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    stem(name).is_some_and(|name| INDEXES.contains(&name))
}
