//! Keys that sign checkpoints, as text in the form of C2SP's `signed-note`.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};

use crate::hash::Hash;

/// What the text of a private key begins with.
const PRIVATE: &str = "PRIVATE+KEY+";

/// How the kind of a key is written: Ed25519.
const ED25519: u8 = 1;

/// Bytes that a file of a key may have.
const FILE_BYTES: u64 = 4096;

/// What can be wrong with a key.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// Its file cannot be read or made.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is no key.
    #[error("no key: expected `NAME+ID+KEY` on one line")]
    Malformed,
    /// Others than its owner may read it.
    #[error("others may read it; expected a file that only its owner can read (mode 0600)")]
    Open,
}

/// A key that checks signatures. It is shown as `NAME+ID+KEY`.
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
    /// Returns the key that is written as `text`.
    ///
    /// # Errors
    /// [`KeyError::Malformed`].
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let (name, id, bytes) = parts(text.trim())?;
        let key = VerifyingKey::from_bytes(&bytes).map_err(|_| KeyError::Malformed)?;
        let verifier = Self { name, key };
        if hex(verifier.id()) == id {
            Ok(verifier)
        } else {
            Err(KeyError::Malformed)
        }
    }

    /// Reads the key that stands in a file.
    ///
    /// # Errors
    /// Why there is none.
    pub fn read_ambient(path: &Path) -> Result<Self, KeyError> {
        let mut text = String::new();
        File::open(path)?
            .take(FILE_BYTES)
            .read_to_string(&mut text)?;
        Self::parse(&text)
    }

    /// Returns the name, which is that of the log.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number by which signatures name the key.
    pub(crate) fn id(&self) -> [u8; 4] {
        let mut named = format!("{}\n", self.name).into_bytes();
        named.push(ED25519);
        named.extend(self.key.as_bytes());
        let [a, b, c, d, ..] = Hash::of(&named).0;
        [a, b, c, d]
    }

    /// Whether `signature` is that of `text` by this key.
    pub(crate) fn has_signed(&self, text: &str, signature: &[u8; 64]) -> bool {
        let signature = Signature::from_bytes(signature);
        self.key.verify_strict(text.as_bytes(), &signature).is_ok()
    }
}

impl fmt::Display for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = encoded(self.key.as_bytes());
        write!(f, "{}+{}+{key}", self.name, hex(self.id()))
    }
}

impl fmt::Debug for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Signer {
    /// Returns a new key, with a name that no other has.
    ///
    /// # Errors
    /// When the system has no random bytes.
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

    /// Reads the key that stands in a file.
    ///
    /// # Errors
    /// Why there is none.
    pub fn read_ambient(path: &Path) -> Result<Self, KeyError> {
        let file = File::open(path)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;

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

    /// Reads the key that stands in a file, or makes one where there is no file.
    ///
    /// # Errors
    /// Why there is none.
    pub fn read_or_make_ambient(path: &Path) -> Result<Self, KeyError> {
        match Self::read_ambient(path) {
            Err(KeyError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {}
            read => return read,
        }
        let signer = Self::new()?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path)?;
        writeln!(file, "{}", signer.text())?;
        file.sync_all()?;
        Ok(signer)
    }

    /// Returns the key that checks what this one signs.
    #[must_use]
    pub fn verifier(&self) -> &Verifier {
        &self.verifier
    }

    pub(crate) fn sign(&self, text: &str) -> [u8; 64] {
        self.key.sign(text.as_bytes()).to_bytes()
    }

    /// Returns the key as text. Whoever has it can sign.
    fn text(&self) -> String {
        let Verifier { name, .. } = &self.verifier;
        let id = hex(self.verifier.id());
        format!("{PRIVATE}{name}+{id}+{}", encoded(self.key.as_bytes()))
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signer({})", self.verifier)
    }
}

/// Splits `NAME+ID+KEY`.
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

fn encoded(key: &[u8; 32]) -> String {
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
