//! The token file. Only its owner may write to it.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use chrono::{DateTime, SecondsFormat, Utc};
use docent_host::grant::Right;
use serde::{Deserialize, Serialize};

use super::{Digest, Extra, TokenRecord};

/// The token file.
#[derive(Clone, Debug)]
pub struct TokenFile {
    path: PathBuf,
}

/// An error for an unusable token file. Displayed as one line, after the file's path.
#[derive(Debug, thiserror::Error)]
#[error("token file `{}` {problem}", path.display())]
pub struct TokenFileError {
    path: PathBuf,
    problem: Problem,
}

#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error("cannot be read: {0}")]
    Unreadable(#[source] io::Error),
    #[error("cannot be written: {0}")]
    Unwritable(#[source] io::Error),
    #[error("has an invalid format: {0}")]
    Malformed(String),
    #[error("can be written by others; expected mode 600")]
    Exposed,
    #[error("is in root `{0}`, where a call could change it; name another with `--tokens FILE`")]
    InRoot(String),
}

/// The content of the file.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    tokens: Vec<StoredToken>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredToken {
    name: String,
    sha256: String,
    roots: BTreeMap<String, StoredRight>,
    rights: Vec<Extra>,
    created: String,
    expires: Option<String>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum StoredRight {
    ReadOnly,
    ReadWrite,
}

/// The stamp of a state of the file: every other state has another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStamp {
    modified: Option<std::time::SystemTime>,
    bytes: u64,
    /// Device and inode of the file, and its change time: in seconds, and parts of one. No program
    /// can set it back.
    #[cfg(unix)]
    file: (u64, u64),
    #[cfg(unix)]
    changed: (i64, i64),
}

/// The presence of a token file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Presence {
    /// There is no file.
    Absent,
    /// There is a file in this state.
    There(FileStamp),
    /// The presence is unknown.
    Hidden,
}

impl TokenFile {
    /// Creates the token file at this path, which may not exist.
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Returns its path.
    #[cfg(test)]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that it is outside all `roots`, each a name and a path without links.
    ///
    /// # Errors
    /// Returns an error that names the root that contains it.
    pub fn keep_out_ambient<'a>(
        &self,
        roots: impl Iterator<Item = (&'a str, &'a Path)>,
    ) -> Result<(), TokenFileError> {
        let directory = self.path.parent().unwrap_or(Path::new(""));
        // The directory does not exist, so no root contains it yet. It is checked again
        // whenever the file is read.
        let Ok(directory) = std::path::absolute(directory).and_then(fs::canonicalize) else {
            return Ok(());
        };
        for (name, root) in roots {
            if directory.starts_with(root) {
                return Err(self.error(Problem::InRoot(name.to_owned())));
            }
        }
        Ok(())
    }

    /// Returns its presence, with a stamp of its state.
    pub fn presence_ambient(&self) -> Presence {
        let found = match fs::metadata(&self.path) {
            Ok(found) => found,
            Err(error) => {
                // A missing directory means that there is no file, and so does a file in the
                // place of a directory. Any other error, such as a directory that may not be
                // entered, leaves it unknown: taking it for an absent file would open the
                // server to everybody.
                let kinds = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
                return if kinds.contains(&error.kind()) {
                    Presence::Absent
                } else {
                    Presence::Hidden
                };
            }
        };
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt as _;

        Presence::There(FileStamp {
            modified: found.modified().ok(),
            bytes: found.len(),
            #[cfg(unix)]
            file: (found.dev(), found.ino()),
            #[cfg(unix)]
            changed: (found.ctime(), found.ctime_nsec()),
        })
    }

    /// Reads the tokens; none if there is no file.
    ///
    /// # Errors
    /// Returns an error if it cannot be read, is malformed, or is writable by others.
    pub fn read_ambient(&self) -> Result<Option<Vec<TokenRecord>>, TokenFileError> {
        let text = match fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) => {
                let is_absent = self.presence_ambient() == Presence::Absent;
                return match is_absent {
                    true => Ok(None),
                    false => Err(self.error(Problem::Unreadable(error))),
                };
            }
        };
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;

            let found =
                fs::metadata(&self.path).map_err(|it| self.error(Problem::Unreadable(it)))?;
            // Whoever can write to the file can add a token of their own with all rights, so a
            // file that others can write to is not believed. Being readable is harmless: it has
            // digests only.
            if found.permissions().mode() & 0o022 != 0 {
                return Err(self.error(Problem::Exposed));
            }
        }
        let malformed = |problem: String| self.error(Problem::Malformed(problem));
        let stored: Stored =
            serde_json::from_str(&text).map_err(|error| malformed(error.to_string()))?;
        let tokens = stored.tokens.into_iter().map(parse_token);
        tokens
            .collect::<Result<_, _>>()
            .map(Some)
            .map_err(malformed)
    }

    /// Changes the tokens, and creates the file if it does not exist. Concurrent changes wait.
    ///
    /// # Errors
    /// Returns an error of reading or writing, or the error of `change`, in which case nothing is
    /// written.
    pub fn change_ambient<T, E: From<TokenFileError>>(
        &self,
        change: impl FnOnce(&mut Vec<TokenRecord>) -> Result<T, E>,
    ) -> Result<T, E> {
        let unwritable = |error| self.error(Problem::Unwritable(error));
        if let Some(directory) = self.path.parent().filter(|it| !it.as_os_str().is_empty()) {
            make_private(directory).map_err(unwritable)?;
        }
        // The lock is a file of its own. The token file is replaced by a rename, and a lock on
        // it would stay with the old file: two `docent token new` at a time could then both
        // believe to hold it, and one of the tokens would be lost.
        let lock = private(OpenOptions::new().write(true).create(true).truncate(false))
            .open(self.beside("lock"))
            .map_err(unwritable)?;
        lock.lock().map_err(unwritable)?;
        let mut tokens = self.read_ambient()?.unwrap_or_default();
        let outcome = change(&mut tokens)?;
        self.write(&tokens).map_err(unwritable)?;
        Ok(outcome)
    }

    fn write(&self, tokens: &[TokenRecord]) -> io::Result<()> {
        let stored = Stored {
            tokens: tokens.iter().map(to_stored).collect(),
        };
        let mut text = serde_json::to_string_pretty(&stored)?;
        text.push('\n');
        let new = self.beside("new");
        // A file of this name was left by an interrupted write, since the lock is held here. It
        // is removed and not reused, because `create_new` ensures the mode 0600 from the
        // beginning.
        let _ = fs::remove_file(&new);
        let mut file = private(OpenOptions::new().write(true).create_new(true)).open(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, &self.path)?;
        if let Some(directory) = self.path.parent().filter(|it| !it.as_os_str().is_empty()) {
            // The rename is made durable by syncing the directory. Windows cannot open
            // directories, and there it is only performed.
            File::open(directory).and_then(|it| it.sync_all()).ok();
        }
        Ok(())
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let mut path = self.path.clone().into_os_string();
        path.push(".");
        path.push(ending);
        path.into()
    }

    fn error(&self, problem: Problem) -> TokenFileError {
        TokenFileError {
            path: self.path.clone(),
            problem,
        }
    }
}

fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

fn make_private(directory: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

fn to_stored(token: &TokenRecord) -> StoredToken {
    let time = |time: &DateTime<Utc>| time.to_rfc3339_opts(SecondsFormat::Secs, true);
    let right = |right: &Right| match right {
        Right::ReadOnly => StoredRight::ReadOnly,
        Right::ReadWrite => StoredRight::ReadWrite,
    };
    let roots = token.roots.iter();
    StoredToken {
        name: token.name.clone(),
        sha256: token.digest.hex(),
        roots: roots.map(|(name, it)| (name.clone(), right(it))).collect(),
        rights: token.rights.clone(),
        created: time(&token.created),
        expires: token.expires.as_ref().map(time),
    }
}

fn parse_token(token: StoredToken) -> Result<TokenRecord, String> {
    let name = super::token_name(&token.name)?;
    let time = |text: &str| {
        let time = DateTime::parse_from_rfc3339(text);
        time.map(|time| time.to_utc())
            .map_err(|_| format!("`{text}` of `{name}` is not a time"))
    };
    let digest = Digest::from_hex(&token.sha256)
        .ok_or_else(|| format!("`sha256` of `{name}` is not a SHA-256"))?;
    let right = |right| match right {
        StoredRight::ReadOnly => Right::ReadOnly,
        StoredRight::ReadWrite => Right::ReadWrite,
    };
    let roots = token.roots.into_iter();
    Ok(TokenRecord {
        digest,
        roots: roots.map(|(name, it)| (name, right(it))).collect(),
        rights: token.rights,
        created: time(&token.created)?,
        expires: token.expires.as_deref().map(time).transpose()?,
        name,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(name: &str) -> TokenRecord {
        TokenRecord {
            name: name.to_owned(),
            digest: Digest::from_token(name),
            roots: [
                ("a".to_owned(), Right::ReadOnly),
                ("b".to_owned(), Right::ReadWrite),
            ]
            .into(),
            rights: vec![Extra::Metrics],
            created: "2026-01-02T03:04:05Z".parse().unwrap(),
            expires: Some("2026-04-02T03:04:05Z".parse().unwrap()),
        }
    }

    fn add(file: &TokenFile, name: &str) {
        let change = |tokens: &mut Vec<TokenRecord>| {
            tokens.push(token(name));
            Ok::<_, TokenFileError>(())
        };
        file.change_ambient(change).unwrap();
    }

    #[test]
    fn what_is_written_is_read_again_and_private() {
        let directory = tempfile::tempdir().unwrap();
        let file = TokenFile::new(directory.path().join("deep/tokens.json"));
        assert!(file.read_ambient().unwrap().is_none());
        assert_eq!(file.presence_ambient(), Presence::Absent);
        add(&file, "ann");
        let presence = file.presence_ambient();
        assert!(matches!(presence, Presence::There(_)));
        add(&file, "ben");
        assert_ne!(file.presence_ambient(), presence);
        let below = TokenFile::new(file.path().join("below"));
        assert_eq!(below.presence_ambient(), Presence::Absent);
        assert_eq!(
            file.read_ambient().unwrap().unwrap(),
            [token("ann"), token("ben")]
        );
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;

            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(file.path()), 0o600);
            assert_eq!(mode(file.path().parent().unwrap()), 0o700);
            fs::set_permissions(file.path(), fs::Permissions::from_mode(0o620)).unwrap();
            let exposed = file.read_ambient().unwrap_err().to_string();
            assert!(
                exposed.ends_with("can be written by others; expected mode 600"),
                "{exposed}"
            );
        }
    }

    #[test]
    fn what_is_not_as_it_should_be_is_refused_whole() {
        let directory = tempfile::tempdir().unwrap();
        let file = TokenFile::new(directory.path().join("tokens.json"));
        add(&file, "ann");
        let good = fs::read_to_string(file.path()).unwrap();
        for (from, to) in [
            ("\"ann\"", "\"a b\""),
            ("read-only", "all"),
            ("metrics", "everything"),
            ("2026-04-02T03:04:05Z", "soon"),
            ("sha256", "sha1"),
            ("}", ""),
        ] {
            let wrong = good.replace(from, to);
            assert_ne!(wrong, good);
            fs::write(file.path(), wrong).unwrap();
            assert!(file.read_ambient().is_err(), "{to}");
        }
    }

    #[test]
    fn it_lies_in_no_root() {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        let file = TokenFile::new(base.join("root/deep/tokens.json"));
        let root = base.join("root");
        let refused = || {
            file.keep_out_ambient([("docs", &*root)].into_iter())
                .is_err()
        };
        assert!(!refused(), "nothing is there to be changed");
        add(&file, "ann");
        assert!(refused());
        let other = base.join("roo");
        file.keep_out_ambient([("docs", &*other)].into_iter())
            .unwrap();
    }
}
