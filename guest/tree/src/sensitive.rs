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
        // Most names begin otherwise, and this is called for every file.
        (name.starts_with(['.', 'a', 'c', 'i', 'k']) && NAMES.contains(&name))
            // `.env.production` contains the same as `.env`; `.env.example` is made to be read.
            || (name.starts_with(".env.") && !ENVIRONMENT_TEMPLATES.contains(&name))
            // By the last dot: `site.pem` and `site.crt.pem`, but not `pem.md`.
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
    // On the stack, because this is called for every entry of every tree.
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
    // Composed again after folding, which may separate letters that belong together: a name must
    // not escape the list by a letter of another width, such as `．ｅｎｖ`.
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
