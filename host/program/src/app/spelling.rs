//! Paths on the command line, in the normal form of the names on disk.
//!
//! A name with an accent, or in Korean, may be stored composed or decomposed, while a keyboard or a
//! program produces the other form: file systems that compare names by bytes then do not find it.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

use unicode_normalization::UnicodeNormalization as _;

/// Returns the path with each missing name replaced by an existing one in another normal form. A
/// path that exists is unchanged, and so is one without such names.
pub fn as_listed_ambient(path: &Path) -> Cow<'_, Path> {
    let is_plain = path.as_os_str().is_ascii() || path.symlink_metadata().is_ok();
    if is_plain || path.to_str().is_none() {
        return Cow::Borrowed(path);
    }
    let mut listed = PathBuf::new();
    for component in path.components() {
        let name = match component {
            Component::Normal(name) if listed.join(name).symlink_metadata().is_err() => {
                other_form_ambient(&listed, name)
            }
            _ => None,
        };
        match name {
            Some(name) => listed.push(name),
            None => listed.push(component),
        }
    }
    Cow::Owned(listed)
}

/// Returns a name in a directory that is another form of `name`: the first, if there are several.
fn other_form_ambient(directory: &Path, name: &OsStr) -> Option<String> {
    let name = name.to_str().filter(|name| !name.is_ascii())?;
    let directory = match directory.as_os_str().is_empty() {
        true => Path::new("."),
        false => directory,
    };
    let entries = fs::read_dir(directory).ok()?.flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|other| other.nfc().eq(name.nfc())).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_another_form() {
        let place = tempfile::tempdir().expect("a directory");
        let (composed, apart) = ("\u{AC00}\u{B098}.md", "\u{1100}\u{1161}\u{1102}\u{1161}.md");
        let directory = place.path().join("e\u{301}");
        fs::create_dir(&directory).expect("a directory");
        fs::write(directory.join(apart), "x").expect("a file");
        let wanted = place.path().join("\u{E9}").join(composed);
        assert_eq!(as_listed_ambient(&wanted), directory.join(apart));
        // A missing name remains as typed, below existing ones.
        let new = place.path().join("\u{E9}").join("\u{E9}.md");
        assert_eq!(as_listed_ambient(&new), directory.join("\u{E9}.md"));
        fs::write(directory.join(composed), "y").expect("a file");
        let typed = directory.join(composed);
        assert_eq!(as_listed_ambient(&typed), typed);
    }
}
