//! Sensitive names. Only this module knows them; [`crate::door`] consults it on every path.

use unicode_normalization::UnicodeNormalization as _;

use docent_text::fold::fold;

const DIRECTORIES: [&str; 5] = [".ssh", ".gnupg", ".aws", ".kube", ".docker"];

const VERSION_CONTROL: [&str; 5] = [".git", ".hg", ".svn", ".jj", ".bzr"];

const NAMES: [&str; 12] = [
    ".env",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "known_hosts",
    "authorized_keys",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    "credentials",
];

const ENVIRONMENT_TEMPLATES: [&str; 3] = [".env.example", ".env.sample", ".env.template"];

const EXTENSIONS: [&str; 9] = [
    "pem", "p12", "pfx", "key", "kdbx", "jks", "keystore", "ppk", "tfstate",
];

/// Returns true if a directory of this name contains secrets, and with it everything below.
pub fn is_sensitive_directory(name: &str) -> bool {
    name_matches(name, |name| DIRECTORIES.contains(&name))
}

/// Returns true if a file of this name contains secrets.
pub fn is_sensitive_file(name: &str) -> bool {
    name_matches(name, |name| {
        // The first letter is compared before the list, because this runs for every file of every
        // tree and few names begin with one of these letters. A new name of the list needs its
        // first letter here; a test tries every name of the list.
        (name.starts_with(['.', 'a', 'c', 'i', 'k']) && NAMES.contains(&name))
            // `.env.production` contains the same as `.env`; `.env.example` is made to be read.
            || (name.starts_with(".env.") && !ENVIRONMENT_TEMPLATES.contains(&name))
            // The extension begins at the last dot: `site.crt.pem` has the extension `pem`, and
            // `pem.md` has not.
            || name
                .bytes()
                .rposition(|byte| byte == b'.')
                .is_some_and(|dot| EXTENSIONS.contains(&&name[dot + 1..]))
    })
}

/// Returns true if a directory of this name is internal to version control: hooks and settings in
/// it are executed.
pub fn is_version_control(name: &str) -> bool {
    name_matches(name, |name| VERSION_CONTROL.contains(&name))
}

/// Compares like file systems that are lax about names: case, compatibility forms, trailing dots
/// and spaces are ignored.
fn name_matches(name: &str, matches: impl Fn(&str) -> bool) -> bool {
    // The copy is on the stack, because this runs for every entry of every tree. Most names are
    // shorter than the buffer; only longer ones, and names beyond ASCII, cost an allocation.
    let mut buffer = [0u8; 64];
    if name.is_ascii() {
        let trimmed = name.trim_end_matches(['.', ' ']);
        let Some(lower) = buffer.get_mut(..trimmed.len()) else {
            return matches(&trimmed.to_ascii_lowercase());
        };
        lower.copy_from_slice(trimmed.as_bytes());
        lower.make_ascii_lowercase();
        return std::str::from_utf8(lower).is_ok_and(matches);
    }
    // The text is composed again after folding, which may separate letters that belong together.
    // Compatibility forms are replaced, so that a name does not escape the list by letters of
    // another width, such as `．ｅｎｖ`, or by signs that fold to a letter, such as the Kelvin sign
    // U+212A for the `k` of `server.key`.
    let folded: String = name.nfkc().map(fold).nfkc().collect();
    matches(folded.trim_end_matches(['.', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_the_list() {
        for name in NAMES {
            assert!(is_sensitive_file(name), "{name:?}");
        }
    }

    #[test]
    fn names_as_file_systems_take_them() {
        for name in [
            ".env",
            ".ENV",
            ".env.local",
            ".env.",
            "id_rsa",
            "ID_RSA",
            "id_rsa.",
            "id_rsa . ",
            "known_hosts",
            ".netrc",
            "credentials",
            "x.tfstate",
            ".tfstate",
            "server.pem",
            "server.PEM",
            "a.b.key",
            "ｉｄ_ｒｓａ",
            "x.ｐｅｍ",
            "server.\u{212A}ey",
            "id_r\u{17F}a",
            "x.p12 ",
        ] {
            assert!(is_sensitive_file(name), "{name:?}");
        }
    }

    #[test]
    fn names_like_those_on_the_list() {
        for name in [
            ".env.example",
            ".env.sample",
            ".env.template",
            "id_rsa.pub",
            "env",
            "environment.md",
            "credentials.md",
            "key",
            "pem",
            "keys.md",
            "monkey",
            "café.md",
        ] {
            assert!(!is_sensitive_file(name), "{name:?}");
        }
    }

    #[test]
    fn directories_on_the_list() {
        for name in [
            ".ssh",
            ".SSH",
            ".gnupg",
            ".aws.",
            ".kube ",
            ".docker",
            ".ｓｓｈ",
        ] {
            assert!(is_sensitive_directory(name), "{name:?}");
        }
        for name in ["ssh", ".sshx", "docker", ".github", "credentials"] {
            assert!(!is_sensitive_directory(name), "{name:?}");
        }
    }
}
