//! Keys that sign checkpoints, in the text format of C2SP's `signed-note`:
//!
//! ```text
//! PRIVATE+KEY+docent/5f3a9c1e77b0d214+<id>+<base64>   the key that signs
//! docent/5f3a9c1e77b0d214+<id>+<base64>               the key that verifies
//! ```

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};

use crate::hash::Hash;

/// Prefix of a private key.
const PRIVATE: &str = "PRIVATE+KEY+";

/// Algorithm byte of Ed25519.
const ED25519: u8 = 1;

/// Maximum bytes read from a key file.
const FILE_BYTES: u64 = 4096;

/// The error of an unusable key.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The key file cannot be read or created.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The text is not a key.
    #[error("not a key; expected `NAME+ID+KEY` on one line")]
    Malformed,
    /// Users other than its owner may read the key file.
    #[error("others may read it; expected a file that only its owner can read (mode 0600)")]
    Open,
}

/// A key that verifies signatures. Its text form is `NAME+ID+KEY`.
#[derive(Clone, PartialEq, Eq)]
pub struct Verifier {
    name: String,
    key: VerifyingKey,
}

/// A key that signs.
pub struct Signer {
    verifier: Verifier,
    key: SigningKey,
}

impl Verifier {
    /// Parses a key from its text form.
    ///
    /// # Errors
    /// [`KeyError::Malformed`].
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let (name, id, bytes) = parts(text.trim())?;
        let key = VerifyingKey::from_bytes(&bytes).map_err(|_| KeyError::Malformed)?;
        let verifier = Self { name, key };
        // The identifier is the beginning of a hash of the name and the key. Comparing it
        // detects a key that was mistyped, cut off, or combined with the name of another log.
        if hex(verifier.id()) == id {
            Ok(verifier)
        } else {
            Err(KeyError::Malformed)
        }
    }

    /// Reads a key from a file.
    ///
    /// # Errors
    /// Fails if the file cannot be read or holds no key.
    pub fn read_ambient(path: &Path) -> Result<Self, KeyError> {
        let mut text = String::new();
        File::open(path)?
            .take(FILE_BYTES)
            .read_to_string(&mut text)?;
        Self::parse(&text)
    }

    /// Returns the name of the key, which is that of the log.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the identifier by which signatures refer to the key.
    pub(crate) fn id(&self) -> [u8; 4] {
        let mut named = format!("{}\n", self.name).into_bytes();
        named.push(ED25519);
        named.extend(self.key.as_bytes());
        let [a, b, c, d, ..] = Hash::digest(&named).0;
        [a, b, c, d]
    }

    /// Returns true if `signature` is this key's signature of `text`.
    pub(crate) fn has_signed(&self, text: &str, signature: &[u8; 64]) -> bool {
        let signature = Signature::from_bytes(signature);
        // `verify_strict` also rejects keys of small order, with which one signature is valid
        // for several texts. Whoever provides a forged log may provide such a key with it.
        self.key.verify_strict(text.as_bytes(), &signature).is_ok()
    }
}

impl fmt::Display for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = encode_key(self.key.as_bytes());
        write!(f, "{}+{}+{key}", self.name, hex(self.id()))
    }
}

impl fmt::Debug for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Signer {
    /// Generates a key with a unique name.
    ///
    /// # Errors
    /// Fails if the system has no random bytes.
    pub fn new() -> Result<Self, KeyError> {
        let mut seed = [0; 32];
        let mut name = [0; 8];
        for bytes in [&mut seed[..], &mut name[..]] {
            getrandom::fill(bytes).map_err(io::Error::other)?;
        }
        Ok(Self::from_seed(format!("docent/{}", hex(name)), &seed))
    }

    fn from_seed(name: String, seed: &[u8; 32]) -> Self {
        let key = SigningKey::from_bytes(seed);
        let verifier = Verifier {
            name,
            key: key.verifying_key(),
        };
        Self { verifier, key }
    }

    /// Reads a key from a file.
    ///
    /// # Errors
    /// Fails if the file cannot be read, may be read by others, or holds no key.
    pub fn read_ambient(path: &Path) -> Result<Self, KeyError> {
        let file = File::open(path)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;

            // The mode is read from the open file and not from its path, so the file that is
            // inspected is the one whose key is used. A key that others could read proves
            // nothing about who signed, hence an error and not a warning.
            if file.metadata()?.mode() & 0o077 != 0 {
                return Err(KeyError::Open);
            }
        }
        let mut text = String::new();
        file.take(FILE_BYTES).read_to_string(&mut text)?;
        let written = text.trim().strip_prefix(PRIVATE);
        let (name, id, seed) = parts(written.ok_or(KeyError::Malformed)?)?;
        let signer = Self::from_seed(name, &seed);
        if hex(signer.verifier.id()) == id {
            Ok(signer)
        } else {
            Err(KeyError::Malformed)
        }
    }

    /// Reads a key from a file, or generates one if the file does not exist.
    ///
    /// # Errors
    /// Those of [`Self::read_ambient`], and when the file cannot be created.
    pub fn read_or_make_ambient(path: &Path) -> Result<Self, KeyError> {
        match Self::read_ambient(path) {
            Err(KeyError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {}
            read => return read,
        }
        let signer = Self::new()?;
        let mut options = OpenOptions::new();
        // `create_new` fails if another process created the file in the meantime: a key that
        // already signs a log must not be overwritten. The mode is set when the file is
        // created, so there is no moment at which others can open it.
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path)?;
        writeln!(file, "{}", signer.text())?;
        file.sync_all()?;
        Ok(signer)
    }

    /// Returns the key that verifies the signatures of this one.
    #[must_use]
    pub fn verifier(&self) -> &Verifier {
        &self.verifier
    }

    pub(crate) fn sign(&self, text: &str) -> [u8; 64] {
        self.key.sign(text.as_bytes()).to_bytes()
    }

    /// Returns the private key as text. Whoever has it can sign.
    fn text(&self) -> String {
        let Verifier { name, .. } = &self.verifier;
        let id = hex(self.verifier.id());
        format!("{PRIVATE}{name}+{id}+{}", encode_key(self.key.as_bytes()))
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signer({})", self.verifier)
    }
}

/// Splits the text form `NAME+ID+KEY`.
fn parts(text: &str) -> Result<(String, String, [u8; 32]), KeyError> {
    let mut parts = text.splitn(3, '+');
    let (Some(name), Some(id), Some(key)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(KeyError::Malformed);
    };
    let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
    let bytes = STANDARD.decode(key).map_err(|_| KeyError::Malformed)?;
    match <[u8; 33]>::try_from(bytes) {
        Ok([ED25519, key @ ..]) if is_name => Ok((name.to_owned(), id.to_owned(), key)),
        _ => Err(KeyError::Malformed),
    }
}

fn encode_key(key: &[u8; 32]) -> String {
    let mut bytes = vec![ED25519];
    bytes.extend(key);
    STANDARD.encode(bytes)
}

fn hex<const N: usize>(bytes: [u8; N]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_kept_for_its_owner_alone() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("key");
        let made = Signer::read_or_make_ambient(&path).unwrap();
        let read = Signer::read_or_make_ambient(&path).unwrap();
        assert_eq!(made.verifier(), read.verifier());
        let text = made.verifier().to_string();
        assert_eq!(Verifier::parse(&text).unwrap(), *made.verifier());
        assert!(made.verifier().has_signed("text", &read.sign("text")));
        assert!(!made.verifier().has_signed("texts", &read.sign("text")));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;

            let open = std::fs::Permissions::from_mode(0o640);
            std::fs::set_permissions(&path, open).unwrap();
            assert!(matches!(Signer::read_ambient(&path), Err(KeyError::Open)));
        }
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let text = Signer::new().unwrap().verifier().to_string();
        let (name, rest) = text.split_once('+').unwrap();
        for wrong in [
            String::new(),
            name.to_owned(),
            format!("other+{rest}"),
            format!("+{rest}"),
            text.replace('+', " "),
            text[..text.len() - 4].to_owned(),
        ] {
            assert!(
                matches!(Verifier::parse(&wrong), Err(KeyError::Malformed)),
                "{wrong}"
            );
        }
    }
}
