//! Tokens, which give clients access over HTTP to roots and other rights. Only a digest of each is
//! stored, so that a reader of the file cannot use them.

mod file;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use docent_host::grant::Right;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

pub use file::{Presence, TokenFile, TokenFileError};

/// Prefix of a token, by which people and secret scanners recognize it.
const PREFIX: &str = "dct_";

/// Random bytes of a token, too many to guess.
const SECRET_BYTES: usize = 32;

/// Maximum bytes of a token's name, which is part of logs and metrics.
const NAME_BYTES: usize = 64;

/// Maximum lifetime of a token, in days.
const LONGEST_DAYS: i64 = 3650;

/// The secret of a token, which is shown to a person only once.
pub struct Secret(String);

impl Secret {
    /// Creates a random secret.
    ///
    /// # Errors
    /// Returns an error if the system has no random numbers.
    pub fn new() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; SECRET_BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes))))
    }

    /// Returns its text.
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// The SHA-256 of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Returns the digest of a token's text.
    pub fn from_token(token: &str) -> Self {
        Self(Sha256::digest(token).into())
    }

    /// Returns its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    fn hex(self) -> String {
        let mut hex = String::with_capacity(64);
        for byte in self.0 {
            let _ = write!(hex, "{byte:02x}");
        }
        hex
    }

    fn from_hex(hex: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        if hex.len() != 64 || !hex.is_ascii() {
            return None;
        }
        for (byte, digits) in bytes.iter_mut().zip(hex.as_bytes().chunks_exact(2)) {
            let digits = std::str::from_utf8(digits).ok()?;
            *byte = u8::from_str_radix(digits, 16).ok()?;
        }
        Some(Self(bytes))
    }
}

/// An additional right of a token, besides its roots.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum Extra {
    /// Reading the server's metrics
    Metrics,
    /// Using the page for people
    Page,
    /// Reading the access log
    Log,
}

impl Extra {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Metrics => "metrics",
            Self::Page => "page",
            Self::Log => "log",
        }
    }
}

/// A stored token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRecord {
    /// Name of its holder.
    pub name: String,
    /// Digest of its secret.
    pub digest: Digest,
    /// Roots that it opens, by name, with the right to each.
    pub roots: BTreeMap<String, Right>,
    /// Additional rights, each once.
    pub rights: Vec<Extra>,
    /// Time of creation.
    pub created: DateTime<Utc>,
    /// Time from which it is invalid; none if it never expires.
    pub expires: Option<DateTime<Utc>>,
}

impl TokenRecord {
    /// Returns true if it has expired.
    pub fn has_expired(&self, now: DateTime<Utc>) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }
}

/// Parses the name of a token.
///
/// # Errors
/// Returns the expected form.
pub fn token_name(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._@-".contains(c);
    let is_name = (1..=NAME_BYTES).contains(&text.len()) && text.chars().all(is_plain);
    if is_name && text != crate::serve::Caller::LOCAL {
        return Ok(text.to_owned());
    }
    Err(format!(
        "`{text}` is not a token name; expected 1 to {NAME_BYTES} letters, digits or any of \
         `._@-`, and not `local`"
    ))
}

/// Parses the name of a root and the right to it: `NAME` for reading, `NAME:rw` for writing as
/// well.
///
/// # Errors
/// Returns the expected form.
pub fn root_right(text: &str) -> Result<(String, Right), String> {
    let (name, right) = match text.strip_suffix(":rw") {
        Some(name) => (name, Right::ReadWrite),
        None => (text.strip_suffix(":ro").unwrap_or(text), Right::ReadOnly),
    };
    if name.is_empty() || name.contains(['/', '=']) {
        return Err(format!("`{text}` names no root; expected NAME or NAME:rw"));
    }
    Ok((name.to_owned(), right))
}

/// The lifetime of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// For this time.
    For(TimeDelta),
    /// Until it is revoked.
    Endless,
}

impl std::str::FromStr for Life {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "never" {
            return Ok(Self::Endless);
        }
        let wrong = || {
            format!(
                "`{text}` is not a duration; expected hours, days or weeks such as 12h, 90d or \
                 4w, up to {LONGEST_DAYS}d, or never"
            )
        };
        let unit = text.chars().last().ok_or_else(wrong)?;
        let number = text.strip_suffix(unit).unwrap_or_default();
        let hours = match unit {
            'h' => 1,
            'd' => 24,
            'w' => 24 * 7,
            _ => return Err(wrong()),
        };
        let number: u32 = number.parse().map_err(|_| wrong())?;
        let hours = i64::from(number) * hours;
        if !(1..=LONGEST_DAYS * 24).contains(&hours) {
            return Err(wrong());
        }
        TimeDelta::try_hours(hours).map(Self::For).ok_or_else(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_long_and_known_by_its_digest() {
        let (one, other) = (Secret::new().unwrap(), Secret::new().unwrap());
        assert_ne!(one.text(), other.text());
        assert_eq!(one.text().len(), PREFIX.len() + 43);
        let digest = Digest::from_token(one.text());
        assert_eq!(Digest::from_hex(&digest.hex()), Some(digest));
        assert_ne!(Digest::from_token(other.text()), digest);
        // As any other program computes it.
        assert_eq!(
            Digest::from_token("abc").hex(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        for wrong in ["", "ba78", &"g".repeat(64), &"é".repeat(32)] {
            assert_eq!(Digest::from_hex(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn names_are_plain() {
        for good in ["ann", "ann@example.org", "ci-2", "a_b"] {
            assert_eq!(token_name(good), Ok(good.to_owned()));
        }
        for wrong in [
            "",
            "local",
            "a b",
            "a\n",
            "é",
            "a/b",
            "a\"b",
            &"a".repeat(65),
        ] {
            assert!(token_name(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_root_has_a_right() {
        let read = |name: &str| Ok((name.to_owned(), Right::ReadOnly));
        assert_eq!(root_right("a"), read("a"));
        assert_eq!(root_right("a:ro"), read("a"));
        assert_eq!(root_right("a b:c"), read("a b:c"));
        assert_eq!(root_right("a:rw"), Ok(("a".to_owned(), Right::ReadWrite)));
        for wrong in ["", ":rw", "a=/b", "/a"] {
            assert!(root_right(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_life_has_an_end_unless_never_is_said() {
        let hours = |hours| Ok(Life::For(TimeDelta::hours(hours)));
        assert_eq!("12h".parse(), hours(12));
        assert_eq!("90d".parse(), hours(90 * 24));
        assert_eq!("4w".parse(), hours(4 * 7 * 24));
        assert_eq!("never".parse(), Ok(Life::Endless));
        for wrong in [
            "",
            "d",
            "0d",
            "-1d",
            "90",
            "1y",
            "3651d",
            "99999999999d",
            "1.5d",
            "9é",
        ] {
            assert!(wrong.parse::<Life>().is_err(), "{wrong}");
        }
    }
}
