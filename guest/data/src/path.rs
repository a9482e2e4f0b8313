//! Paths of keys to entries, in the notation that people use.

use std::fmt;

use crate::limits::KEY_CHARS;

/// One step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathStep<'t> {
    /// A key, quoted if it is not a bare key.
    Key(&'t str),
    /// A key in a format without quoting, such as `server.port`.
    Bare(&'t str),
    /// Items of a list, from 0: `[2]`, or `[0..9]` for those on one line.
    Items {
        /// First index.
        first: usize,
        /// Last index.
        last: usize,
    },
    /// One of several consecutive elements of the same name, from 2.
    Nth(&'t str, usize),
}

/// The steps to an entry, outermost first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path<'p, 't>(pub &'p [PathStep<'t>]);

impl<'t> PathStep<'t> {
    /// Creates a step to one item of a list.
    pub fn item(index: usize) -> Self {
        Self::Items {
            first: index,
            last: index,
        }
    }

    /// Returns its key, or `None` for items.
    pub fn key(self) -> Option<&'t str> {
        match self {
            Self::Key(key) | Self::Bare(key) | Self::Nth(key, _) => Some(key),
            Self::Items { .. } => None,
        }
    }
}

impl Path<'_, '_> {
    /// Returns true if the last keys are those of `wanted`, a dotted path, ignoring ASCII case and
    /// the list items between them: `dependencies.serde.version` ends with `serde.version`.
    pub fn ends_with(self, wanted: &str) -> bool {
        let mut rest = wanted;
        for key in self.0.iter().rev().filter_map(|step| step.key()) {
            let Some(at) = rest.len().checked_sub(key.len()) else {
                return false;
            };
            let is_key = |tail: &str| !key.is_empty() && tail.eq_ignore_ascii_case(key);
            if !rest.get(at..).is_some_and(is_key) {
                return false;
            }
            let before = &rest[..at];
            if before.is_empty() {
                return true;
            }
            match before.strip_suffix(['.', '/', ':']) {
                Some(before) => rest = before,
                None => return false,
            }
        }
        false
    }
}

impl fmt::Display for PathStep<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Key(key) if is_plain(key) => write_key(f, key),
            Self::Key(key) => {
                // A key with escapes between double quotes is kept as written.
                let quote = if key.contains('"') && !key.contains('\\') {
                    '\''
                } else {
                    '"'
                };
                write!(f, "{quote}")?;
                write_key(f, key)?;
                write!(f, "{quote}")
            }
            Self::Bare(key) => write_key(f, key),
            Self::Items { first, last } if first == last => write!(f, "[{first}]"),
            Self::Items { first, last } => write!(f, "[{first}..{last}]"),
            Self::Nth(key, nth) => {
                write_key(f, key)?;
                write!(f, "[{nth}]")
            }
        }
    }
}

impl fmt::Display for Path<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.0.iter().enumerate() {
            if index > 0 && step.key().is_some() {
                write!(f, ".")?;
            }
            write!(f, "{step}")?;
        }
        Ok(())
    }
}

/// Returns true if a key needs no quotes in a path.
fn is_plain(key: &str) -> bool {
    let is_sign = |c: char| {
        matches!(c, '.' | '[' | ']' | '"' | '\'' | '=') || c.is_whitespace() || c.is_control()
    };
    !key.is_empty() && !key.contains(is_sign)
}

/// Writes a key on one line, truncated if very long.
fn write_key(f: &mut fmt::Formatter<'_>, key: &str) -> fmt::Result {
    for (index, c) in key.chars().enumerate() {
        if index == KEY_CHARS {
            return write!(f, "…");
        }
        write!(f, "{}", if c.is_control() { ' ' } else { c })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_people_write_it() {
        let steps = [
            PathStep::Key("jobs"),
            PathStep::Key("test.all"),
            PathStep::Key("steps"),
            PathStep::item(2),
            PathStep::Key("run"),
        ];
        assert_eq!(Path(&steps).to_string(), "jobs.\"test.all\".steps[2].run");
        let steps = [
            PathStep::Bare("server.port"),
            PathStep::Nth("a", 3),
            PathStep::Key(""),
        ];
        assert_eq!(Path(&steps).to_string(), "server.port.a[3].\"\"");
    }

    #[test]
    fn the_end_of_a_path() {
        let steps = [
            PathStep::Key("jobs"),
            PathStep::Key("a.b"),
            PathStep::item(2),
            PathStep::Key("run"),
        ];
        let path = Path(&steps);
        for wanted in ["run", "RUN", "a.b.run", "jobs.a.b.run", "jobs/a.b/run"] {
            assert!(path.ends_with(wanted), "{wanted}");
        }
        for wanted in ["", "un", "b.run", "x.jobs.a.b.run", "jobs", ".run", "가run"] {
            assert!(!path.ends_with(wanted), "{wanted}");
        }
    }
}
