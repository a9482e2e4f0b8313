//! The command by which a client starts docent.

use std::collections::BTreeMap;
use std::path::Path;

/// The flag that grants a directory.
const ROOT: &str = "--root";

/// The subcommand that serves MCP on stdin and stdout.
const SERVE: &str = "mcp";

/// The command by which a client starts a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// Program.
    pub command: String,
    /// Arguments.
    pub args: Vec<String>,
    /// Environment variables that the entry sets.
    pub env: BTreeMap<String, String>,
}

impl Launch {
    /// Creates the command that serves these roots, each as `[NAME=]PATH[:rw]`.
    pub fn new(command: impl Into<String>, roots: &[String]) -> Self {
        Self {
            command: command.into(),
            args: replace_roots(&[SERVE.to_owned()], roots),
            env: BTreeMap::new(),
        }
    }

    /// Returns true if the command is docent serving MCP, whatever the program's directory.
    pub fn is_docent(&self) -> bool {
        // The name is split at both separators, whatever the system: a configuration may be
        // synced between machines, and `C:\Tools\docent.exe` must be recognized on Linux as
        // well.
        let name = self.command.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = Path::new(name).file_stem().unwrap_or_default();
        stem == crate::NAME && self.args.first().is_some_and(|first| first == SERVE)
    }

    /// Returns the roots that the arguments grant, in order.
    pub fn roots(&self) -> Vec<String> {
        let mut roots = Vec::new();
        let mut args = self.args.iter();
        while let Some(arg) = args.next() {
            if arg == ROOT {
                roots.extend(args.next().cloned());
            } else if let Some(root) = parse_inline_root(arg) {
                roots.push(root.to_owned());
            }
        }
        roots
    }

    /// Returns the same command with another program and other roots. All other arguments are kept.
    pub fn with_program_and_roots(&self, command: &str, roots: &[String]) -> Self {
        Self {
            command: command.to_owned(),
            args: replace_roots(&self.args, roots),
            env: self.env.clone(),
        }
    }
}

fn parse_inline_root(arg: &str) -> Option<&str> {
    arg.strip_prefix(ROOT)?.strip_prefix('=')
}

/// Returns `args` with their roots replaced by `roots`, which are appended if there were none.
fn replace_roots(args: &[String], roots: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut place = None;
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let is_pair = arg == ROOT;
        if is_pair || parse_inline_root(arg).is_some() {
            // The new roots take the place of the first old one. Arguments after it, such as
            // `--config FILE`, stay after them, so that an unchanged list of roots leaves the
            // arguments as they are.
            place.get_or_insert(kept.len());
            if is_pair {
                rest.next();
            }
        } else {
            kept.push(arg.clone());
        }
    }
    let place = place.unwrap_or(kept.len());
    let new = roots
        .iter()
        .flat_map(|root| [ROOT.to_owned(), root.clone()]);
    kept.splice(place..place, new);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(command: &str, args: &[&str]) -> Launch {
        Launch {
            command: command.to_owned(),
            args: args.iter().map(ToString::to_string).collect(),
            env: BTreeMap::new(),
        }
    }

    #[test]
    fn docent_is_known_by_its_name_and_subcommand() {
        for (command, args, expected) in [
            ("docent", &["mcp"][..], true),
            ("/usr/bin/docent", &["mcp", "--root", "a"], true),
            (r"C:\bin\docent.exe", &["mcp"], true),
            ("docent", &["serve"], false),
            ("docent", &[], false),
            ("npx", &["docent"], false),
            ("/opt/docent-py/run", &["mcp"], false),
        ] {
            assert_eq!(launch(command, args).is_docent(), expected, "{command}");
        }
    }

    #[test]
    fn roots_change_and_other_arguments_stay() {
        let old = launch(
            "docent",
            &["mcp", "--root", "/a", "--tools", "all", "--root=b=/b:rw"],
        );
        assert_eq!(old.roots(), ["/a", "b=/b:rw"]);
        let new = old.with_program_and_roots("/bin/docent", &["/c".to_owned()]);
        assert_eq!(new.args, ["mcp", "--root", "/c", "--tools", "all"]);
        assert_eq!(new.roots(), ["/c"]);
        let none = launch("docent", &["mcp", "--no-state"]);
        let some = none.with_program_and_roots("docent", &["/c".to_owned()]);
        assert_eq!(some.args, ["mcp", "--no-state", "--root", "/c"]);
    }
}
