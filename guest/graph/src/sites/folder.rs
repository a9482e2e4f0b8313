//! A folder of a site.

/// A folder of a site, and the address of its files on the site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Folder {
    /// Prefix of the paths on the site, followed by `/`; empty for all paths.
    pub prefix: String,
    /// Path of the folder, relative to the directory of the settings.
    pub path: String,
}

impl Folder {
    pub(crate) fn new(prefix: &str, path: &str) -> Self {
        let prefix = prefix.trim_matches('/');
        let slash = if prefix.is_empty() { "" } else { "/" };
        Self {
            prefix: format!("{prefix}{slash}"),
            path: path.to_owned(),
        }
    }
}
