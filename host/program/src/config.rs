//! Configuration of docent, resolved from flags, the configuration file and the environment. Files
//! and environment are arguments; nothing is read here.

mod embedder;
mod file;
mod listener;
mod surroundings;
mod table;

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use docent_host::grant::{Right, RootSpec};
use thiserror::Error;

use crate::embedder::Spec;
pub use listener::ListenerConfig;
pub use surroundings::ConfigSources;

/// The flags for roots and configuration.
#[derive(Debug, Default)]
pub struct Flags {
    /// `--root`, each as `[NAME=]PATH[:rw]`.
    pub roots: Vec<OsString>,
    /// `--default-root`.
    pub default_root: Option<String>,
    /// `--state` and `--no-state`.
    pub state: Option<StatePlace>,
    /// `--config`.
    pub config: Option<PathBuf>,
    /// `--embedder`: `URL#MODEL`, the directory of a model, or `none`.
    pub embedder: Option<String>,
}

/// The place of the data that undo needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StatePlace {
    /// No place.
    #[default]
    None,
    /// This directory.
    Directory(PathBuf),
}

/// The resolved configuration.
#[derive(Debug, Default, PartialEq)]
pub struct Setup {
    /// The directories to grant, in order.
    pub roots: Vec<RootSpec>,
    /// Root used by requests that name none, by name or path.
    pub default_root: Option<String>,
    /// Place of the data that undo needs.
    pub state: StatePlace,
    /// Gitignore patterns that are excluded everywhere.
    pub exclude: Vec<String>,
    /// Limits that differ from the built-in ones.
    pub limits: Limits,
    /// Embedder, if any.
    pub embedder: Option<Spec>,
    /// Addresses of `docent serve`, and the clients that it accepts.
    pub listener: ListenerConfig,
}

/// Limits that a configuration file sets; none keeps the built-in value.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Maximum duration of a call, in milliseconds.
    pub timeout_ms: Option<u64>,
    /// Maximum memory of one instance, in MiB.
    pub memory_mb: Option<u64>,
    /// Maximum text that a warm instance caches, in MiB.
    pub cache_mb: Option<u64>,
    /// Maximum number of files that a warm instance watches.
    pub watched_files: Option<u64>,
    /// Maximum number of concurrent calls.
    pub threads: Option<u64>,
}

/// A reason for which docent cannot start. Displayed as one line.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// No source grants a directory.
    #[error(
        "no directory is granted; grant one with `--root PATH`, in `{}`, or in the environment \
         variable `ALLOW_ROOTS`", file.display()
    )]
    NoRoots {
        /// Path of the configuration file that was tried.
        file: PathBuf,
    },
    /// The configuration file cannot be read.
    #[error("configuration `{}` cannot be read: {source}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The configuration file is malformed.
    #[error("configuration `{}`: {problem}", file.display())]
    Malformed {
        /// The file.
        file: PathBuf,
        /// Fault, then the expected form.
        problem: String,
    },
    /// A `--root` flag is malformed.
    #[error("`--root {0}` names no directory; expected [NAME=]PATH[:rw]")]
    Root(String),
    /// An `--embedder` flag is malformed.
    #[error("`--embedder {flag}`: {problem}")]
    Embedder {
        /// Value of the flag.
        flag: String,
        /// Fault, then the expected form.
        problem: String,
    },
}

/// Resolves the configuration. The roots come from the first source that names any: the flags, the
/// configuration file, `ALLOW_ROOTS`, `CLAUDE_PROJECT_DIR`; there may be none.
///
/// # Errors
/// Returns [`ConfigError`] for a malformed configuration or flag.
pub fn setup(flags: &Flags, surroundings: &ConfigSources<'_>) -> Result<Setup, ConfigError> {
    // The file is read in any case, even if flags name the roots: its exclusions and limits
    // apply to any roots. A person who excludes `drafts/` there expects that for `--root` as
    // well.
    let (mut setup, state) = read_file(flags, surroundings)?;
    let state = flags.state.clone().or(state);
    setup.state = state.unwrap_or_else(|| surroundings.standard_state());
    if !flags.roots.is_empty() {
        setup.roots = flags
            .roots
            .iter()
            .map(|root| root_flag(root, surroundings))
            .collect::<Result<_, _>>()?;
    }
    if let Some(flag) = &flags.embedder {
        setup.embedder =
            embedder::flag(flag, surroundings).map_err(|problem| ConfigError::Embedder {
                flag: flag.clone(),
                problem,
            })?;
    }
    // The environment counts only if no other source names a root. Clients set
    // `CLAUDE_PROJECT_DIR` unasked, and a person's choice must not be widened by it.
    if setup.roots.is_empty() {
        setup.roots = environment_roots(surroundings);
    }
    if let Some(default) = &flags.default_root {
        setup.default_root = Some(default.clone());
    } else if setup.default_root.is_none() {
        setup.default_root = surroundings
            .text("DEFAULT_ROOT")
            .map(|root| root.trim().to_owned());
    }
    Ok(setup)
}

/// Returns the error for a setup without roots, which explains how to grant one.
pub fn no_roots(surroundings: &ConfigSources<'_>) -> ConfigError {
    let file = surroundings
        .standard_file()
        .unwrap_or_else(|| "docent/config.toml".into());
    ConfigError::NoRoots { file }
}

fn environment_roots(surroundings: &ConfigSources<'_>) -> Vec<RootSpec> {
    // Other servers of this kind read this variable, so existing configurations of clients set
    // it.
    if let Some(list) = surroundings.text("ALLOW_ROOTS") {
        return list
            .split([';', ','])
            .map(str::trim)
            .filter(|path| !path.is_empty())
            .map(|path| read_only(surroundings.at_home(path.into())))
            .collect();
    }
    surroundings
        .path("CLAUDE_PROJECT_DIR")
        .map(read_only)
        .into_iter()
        .collect()
}

fn read_only(path: PathBuf) -> RootSpec {
    RootSpec {
        name: None,
        path,
        right: Right::ReadOnly,
        sensitive: false,
    }
}

/// Parses `[NAME=]PATH[:rw]`. The text before `=` is a name if it contains no `/`.
fn root_flag(flag: &OsStr, surroundings: &ConfigSources<'_>) -> Result<RootSpec, ConfigError> {
    let malformed = || ConfigError::Root(flag.to_string_lossy().into_owned());
    // A path need not be UTF-8, while names and rights are ASCII or at least text, so such a
    // flag has neither.
    let Some(text) = flag.to_str() else {
        return Ok(read_only(flag.into()));
    };
    let (text, right) = match text.strip_suffix(":rw") {
        Some(text) => (text, Right::ReadWrite),
        // `:ro` is the default right. It is accepted because people write it beside `:rw`; as a
        // part of the path it would name no directory.
        None => (text.strip_suffix(":ro").unwrap_or(text), Right::ReadOnly),
    };
    let (name, path) = match text.split_once('=') {
        // `./a=b` is a path: a name contains no slash.
        Some((name, path)) if !name.contains(['/', '\\']) => (Some(name), path),
        _ => (None, text),
    };
    if path.is_empty() || name.is_some_and(str::is_empty) {
        return Err(malformed());
    }
    let path = surroundings.at_home(path.into());
    Ok(RootSpec {
        name: name.map(str::to_owned),
        path,
        right,
        // Only the configuration file can grant sensitive files.
        sensitive: false,
    })
}

/// Returns the configuration of the file, and its state directory if it sets one.
fn read_file(
    flags: &Flags,
    surroundings: &ConfigSources<'_>,
) -> Result<(Setup, Option<StatePlace>), ConfigError> {
    let (file, required) = match (&flags.config, surroundings.standard_file()) {
        (Some(file), _) => (file.clone(), true),
        // The standard file is optional; a file that is named must exist.
        (None, Some(file)) => (file, false),
        (None, None) => return Ok((Setup::default(), None)),
    };
    let text = match (surroundings.read)(&file) {
        Ok(text) => text,
        Err(error) if !required && is_absent(&error) => return Ok((Setup::default(), None)),
        Err(source) => return Err(ConfigError::Unreadable { file, source }),
    };
    let beside = file.parent().unwrap_or(Path::new(""));
    let understood = file::parse(&text).and_then(|(mut setup, state, embedder)| {
        let embedder = embedder.map(|entry| entry.complete(surroundings, beside));
        setup.embedder = embedder.transpose()?;
        Ok((setup, state))
    });
    let (mut setup, state) = understood.map_err(|problem| ConfigError::Malformed {
        file: file.clone(),
        problem,
    })?;
    for root in &mut setup.roots {
        // Paths are relative to the file, because clients start docent in directories of their
        // own, often the home directory or `/`.
        root.path = beside.join(surroundings.at_home(std::mem::take(&mut root.path)));
    }
    let tokens = &mut setup.listener.tokens;
    *tokens = tokens
        .take()
        .map(|path| beside.join(surroundings.at_home(path)));
    let state = state.map(|state| match state {
        StatePlace::None => StatePlace::None,
        StatePlace::Directory(path) => {
            StatePlace::Directory(beside.join(surroundings.at_home(path)))
        }
    });
    Ok((setup, state))
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        // Service accounts have homes such as `/dev/null`, below which nothing can exist. That
        // is an absent file and not an unreadable one.
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(
        flags: &Flags,
        file: Option<&str>,
        variables: &[(&str, &str)],
    ) -> Result<Setup, String> {
        let surroundings = ConfigSources {
            variable: &|name| {
                variables
                    .iter()
                    .find(|(known, _)| *known == name)
                    .map(|(_, value)| value.into())
            },
            read: &|_| {
                file.map(str::to_owned)
                    .ok_or_else(|| io::ErrorKind::NotFound.into())
            },
        };
        setup(flags, &surroundings).map_err(|error| error.to_string())
    }

    fn flags(roots: &[&str]) -> Flags {
        Flags {
            roots: roots.iter().map(OsString::from).collect(),
            ..Flags::default()
        }
    }

    fn root(name: Option<&str>, path: &str, right: Right) -> RootSpec {
        RootSpec {
            name: name.map(str::to_owned),
            path: path.into(),
            right,
            sensitive: false,
        }
    }

    #[track_caller]
    fn flag_means(flag: &str, expected: &RootSpec) {
        let setup = with(&flags(&[flag]), None, &[("HOME", "/ann")]).unwrap();
        assert_eq!(setup.roots, std::slice::from_ref(expected));
    }

    #[test]
    fn a_root_flag_has_name_path_and_right() {
        flag_means("docs", &root(None, "docs", Right::ReadOnly));
        flag_means("docs:rw", &root(None, "docs", Right::ReadWrite));
        flag_means("docs:ro", &root(None, "docs", Right::ReadOnly));
        flag_means("d=/a/b:rw", &root(Some("d"), "/a/b", Right::ReadWrite));
        flag_means("./a=b", &root(None, "./a=b", Right::ReadOnly));
        flag_means("d=./a=b", &root(Some("d"), "./a=b", Right::ReadOnly));
        flag_means("~/docs", &root(None, "/ann/docs", Right::ReadOnly));
        flag_means(
            "n=~/docs:rw",
            &root(Some("n"), "/ann/docs", Right::ReadWrite),
        );
        flag_means("a:b", &root(None, "a:b", Right::ReadOnly));
        for broken in ["", "=a", "a=", ":rw"] {
            let error = with(&flags(&[broken]), None, &[]).unwrap_err();
            assert_eq!(
                error,
                format!("`--root {broken}` names no directory; expected [NAME=]PATH[:rw]"),
            );
        }
    }

    #[test]
    fn the_first_source_that_names_roots_wins() {
        let file = "roots = [{ path = \"/file\" }]";
        let variables = [
            ("ALLOW_ROOTS", " /one ;/two, "),
            ("CLAUDE_PROJECT_DIR", "/claude"),
            ("HOME", "/h"),
        ];
        let paths = |setup: Setup| -> Vec<_> {
            setup
                .roots
                .into_iter()
                .map(|root| root.path.display().to_string())
                .collect()
        };
        assert_eq!(
            paths(with(&flags(&["/flag"]), Some(file), &variables).unwrap()),
            ["/flag"]
        );
        assert_eq!(
            paths(with(&flags(&[]), Some(file), &variables).unwrap()),
            ["/file"]
        );
        assert_eq!(
            paths(with(&flags(&[]), None, &variables).unwrap()),
            ["/one", "/two"]
        );
        assert_eq!(
            paths(with(&flags(&[]), None, &variables[1..]).unwrap()),
            ["/claude"]
        );
        assert_eq!(
            paths(with(&flags(&[]), None, &[("ALLOW_ROOTS", "  ")]).unwrap()),
            [""; 0]
        );
    }

    #[test]
    fn the_default_root_is_a_flag_a_key_or_a_variable() {
        let file = "default-root = \"file\"";
        let variables = [("DEFAULT_ROOT", " env "), ("HOME", "/h")];
        let flagged = Flags {
            default_root: Some("flag".to_owned()),
            ..Flags::default()
        };
        let default = |setup: Result<Setup, String>| setup.unwrap().default_root.unwrap();
        assert_eq!(default(with(&flagged, Some(file), &variables)), "flag");
        assert_eq!(default(with(&flags(&[]), Some(file), &variables)), "file");
        assert_eq!(default(with(&flags(&[]), None, &variables)), "env");
    }

    #[test]
    fn a_file_sets_everything() {
        let file = "default-root = \"n\"\nexclude = [\"*.log\"]\nstate = \"kept\"\n\
                    [[roots]]\nname = \"n\"\npath = \"notes\"\nright = \"read-write\"\n\
                    [[roots]]\npath = \"/abs\"\n\
                    [limits]\ntimeout-ms = 1000\nmemory-mb = 64\ncache-mb = 0\n\
                    watched-files = 5\nthreads = 2\n";
        let named = Flags {
            config: Some("/etc/docent/docent.toml".into()),
            ..Flags::default()
        };
        assert_eq!(
            with(&named, Some(file), &[]).unwrap(),
            Setup {
                roots: vec![
                    root(Some("n"), "/etc/docent/notes", Right::ReadWrite),
                    root(None, "/abs", Right::ReadOnly),
                ],
                default_root: Some("n".to_owned()),
                state: StatePlace::Directory("/etc/docent/kept".into()),
                exclude: vec!["*.log".to_owned()],
                limits: Limits {
                    timeout_ms: Some(1000),
                    memory_mb: Some(64),
                    cache_mb: Some(0),
                    watched_files: Some(5),
                    threads: Some(2),
                },
                embedder: None,
                listener: ListenerConfig::default(),
            },
        );
    }

    #[track_caller]
    fn file_is_refused(file: &str, problem: &str) {
        let error = with(&flags(&[]), Some(file), &[("XDG_CONFIG_HOME", "/x")]).unwrap_err();
        assert_eq!(
            error,
            format!("configuration `/x/docent/config.toml`: {problem}")
        );
    }

    #[test]
    fn a_broken_file_is_one_clear_line() {
        file_is_refused(
            "root = []",
            "unknown key `root`; expected `roots`, which is the nearest",
        );
        file_is_refused(
            "zzz = 1",
            "unknown key `zzz`; expected one of `roots`, `default-root`, `state`, `exclude`, \
             `limits`, `embedder`, `serve`",
        );
        file_is_refused(
            "[limits]\ntimeout = 1",
            "unknown key `limits.timeout`; expected `timeout-ms`, which is the nearest",
        );
        file_is_refused(
            "[limits]\ntimeout-ms = \"x\"",
            "`limits.timeout-ms` is \"x\"; expected a whole number of 1 or more",
        );
        file_is_refused(
            "[limits]\nthreads = 0",
            "`limits.threads` is 0; expected a whole number of 1 or more",
        );
        file_is_refused(
            "roots = [\"a\"]",
            "`roots[0]` is \"a\"; expected a table with `path`",
        );
        file_is_refused(
            "roots = [{ name = \"a\" }]",
            "`roots[0].path` is missing; expected a directory",
        );
        file_is_refused(
            "roots = [{ path = \"a\", right = \"write\" }]",
            "`roots[0].right` is \"write\"; expected `read-only` or `read-write`",
        );
        file_is_refused(
            "state = true",
            "`state` is true; expected a directory, or `false`",
        );
        file_is_refused("exclude = \"a\"", "`exclude` is \"a\"; expected a list");
        let error = with(&flags(&[]), Some("roots = [\nx"), &[("HOME", "/h")]).unwrap_err();
        assert!(
            error.starts_with("configuration `/h/.config/docent/config.toml`: line 2: "),
            "{error}"
        );
        assert_eq!(error.lines().count(), 1, "{error}");
    }

    #[test]
    fn the_state_is_a_flag_a_key_or_at_home() {
        type Case<'a> = (Flags, Option<&'a str>, &'a [(&'a str, &'a str)], StatePlace);

        let at = |path: &str| StatePlace::Directory(path.into());
        let flag = |state| Flags {
            state: Some(state),
            ..Flags::default()
        };
        let home = [("HOME", "/h")];
        let xdg = [("XDG_STATE_HOME", "/x"), ("HOME", "/h")];
        let relative = [("XDG_STATE_HOME", "x"), ("HOME", "/h")];
        let key = Some("state = \"~/s\"");
        let off = Some("state = false");
        let cases: [Case<'_>; 8] = [
            (flag(at("here")), key, &home, at("here")),
            (flag(StatePlace::None), key, &home, StatePlace::None),
            (Flags::default(), key, &home, at("/h/s")),
            (Flags::default(), off, &home, StatePlace::None),
            (Flags::default(), None, &home, at("/h/.local/state/docent")),
            (Flags::default(), None, &xdg, at("/x/docent")),
            (
                Flags::default(),
                None,
                &relative,
                at("/h/.local/state/docent"),
            ),
            (Flags::default(), None, &[], StatePlace::None),
        ];
        for (flags, file, variables, expected) in cases {
            let setup = with(&flags, file, variables).unwrap();
            assert_eq!(setup.state, expected, "{file:?} {variables:?}");
        }
    }

    #[test]
    fn a_named_file_must_be_there() {
        let named = Flags {
            config: Some("/missing.toml".into()),
            ..Flags::default()
        };
        let error = with(&named, None, &[]).unwrap_err();
        assert!(
            error.starts_with("configuration `/missing.toml` cannot be read: "),
            "{error}"
        );
    }
}
