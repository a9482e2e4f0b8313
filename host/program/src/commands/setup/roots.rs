//! Directories to grant, from flags or questions, in the format of a configuration entry.

use std::ffi::OsString;
use std::path;

use docent_host::grant::{Grants, Right, RootSpec};

use super::consent::{DefaultAnswer, YesNoQuestion, line_ambient, tell_ambient};
use crate::app::App;
use crate::config::Flags;
use crate::terminal::error::CommandError;

/// Returns the roots of `--root` flags, each as `[NAME=]PATH[:rw]` with an absolute path.
///
/// # Errors
/// Returns an error if one of them cannot be granted.
pub fn from_flags(app: &App, flags: &[OsString]) -> Result<Vec<String>, CommandError> {
    let specs = parse(app, flags.to_vec())?;
    // The roots are resolved as the server will resolve them. A root that it would refuse is
    // refused now, and not at the next start of the client.
    Grants::resolve_ambient(&specs, None)?;
    specs.iter().map(render_ambient).collect()
}

/// Parses roots that are written as `[NAME=]PATH[:rw]`.
///
/// # Errors
/// Returns an error if one of them is invalid.
pub fn parse(app: &App, roots: Vec<OsString>) -> Result<Vec<RootSpec>, CommandError> {
    // Without this, an empty list would fall back to the roots of docent's configuration file,
    // and they would be copied into the entry of the client.
    if roots.is_empty() {
        return Ok(Vec::new());
    }
    let flags = Flags {
        roots,
        ..Flags::default()
    };
    Ok(app.load_setup(&flags)?.roots)
}

/// Asks for directories, where `granted` are those of an existing entry.
///
/// # Errors
/// Returns an error if none is named, or the terminal cannot be read.
pub fn ask(app: &App, granted: Option<Vec<String>>) -> Result<Vec<String>, CommandError> {
    if let Some(granted) = granted.filter(|roots| !roots.is_empty()) {
        tell_ambient(format_args!("Granted now: {}", granted.join(", ")))?;
        if YesNoQuestion::new("Keep these directories?", DefaultAnswer::Yes).ask_ambient()? {
            return Ok(granted);
        }
    }
    tell_ambient(
        "Which directories may agents read? They can reach nothing else. An empty line ends the \
         list.",
    )?;
    let mut roots: Vec<OsString> = Vec::new();
    while let Some(line) = line_ambient("Directory: ")?.filter(|line| !line.is_empty()) {
        let candidate = [&roots[..], &[OsString::from(&line)]].concat();
        if let Err(error) = from_flags(app, &candidate) {
            tell_ambient(error)?;
            continue;
        }
        let is_decided = line.ends_with(":rw") || line.ends_with(":ro");
        let writable = !is_decided
            && YesNoQuestion::new("May agents write in it?", DefaultAnswer::No).ask_ambient()?;
        let right = if writable { ":rw" } else { "" };
        roots.push(format!("{line}{right}").into());
    }
    if roots.is_empty() {
        let problem = "no directory is named, so there is nothing to set up";
        return Err(CommandError::Usage(problem.to_owned()));
    }
    from_flags(app, &roots)
}

fn render_ambient(spec: &RootSpec) -> Result<String, CommandError> {
    let absolute = path::absolute(&spec.path)?;
    let Some(path) = absolute.to_str() else {
        return Err(CommandError::Usage(format!(
            "`{}` is not UTF-8, and cannot be written to a configuration file",
            absolute.display()
        )));
    };
    let name = spec.name.as_ref();
    let name = name.map_or_else(String::new, |name| format!("{name}="));
    let right = match spec.right {
        Right::ReadWrite => ":rw",
        // A path may end in `:rw` itself, as `/srv/a:rw`. Without `:ro` behind it, its end
        // would be read as a right, and another directory would be granted for writing.
        Right::ReadOnly if path.ends_with(":rw") || path.ends_with(":ro") => ":ro",
        Right::ReadOnly => "",
    };
    Ok(format!("{name}{path}{right}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(name: Option<&str>, path: &str, right: Right) -> RootSpec {
        RootSpec {
            name: name.map(str::to_owned),
            path: path.into(),
            right,
            sensitive: false,
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_root_is_written_with_its_name_and_right() {
        for (spec, expected) in [
            (spec(None, "/a", Right::ReadOnly), "/a"),
            (spec(Some("n"), "/a b", Right::ReadWrite), "n=/a b:rw"),
            (spec(None, "/a:rw", Right::ReadOnly), "/a:rw:ro"),
            (spec(None, "/a:ro", Right::ReadWrite), "/a:ro:rw"),
        ] {
            assert_eq!(render_ambient(&spec).unwrap(), expected);
        }
    }
}
