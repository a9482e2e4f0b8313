//! Translation of absolute host paths in arguments into addresses of the root that contains them.

use std::env;
use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value};
use unicode_normalization::UnicodeNormalization as _;

use super::Grants;
use docent_tool_catalog::Tool;

/// The granted directories as callers on this host name them.
///
/// The component sees `/NAME` alone. A path outside all granted directories is left unchanged for
/// the component to refuse: no file is looked up here.
#[derive(Debug)]
pub(crate) struct HostPaths {
    roots: Vec<RootPaths>,
    home: Option<String>,
}

/// A root's name, and the absolute paths that lead to its directory.
#[derive(Debug)]
struct RootPaths {
    name: String,
    paths: Vec<Vec<String>>,
}

impl HostPaths {
    /// Returns the absolute paths of these directories.
    pub(crate) fn new_ambient(grants: &Grants) -> Self {
        let roots = grants.all().iter().map(|grant| {
            let paths = [grant.path(), &grant.written];
            let mut paths: Vec<_> = paths.into_iter().filter_map(names).collect();
            paths.dedup();
            let name = grant.name().to_owned();
            RootPaths { name, paths }
        });
        let home = env::home_dir().and_then(|home| home.into_os_string().into_string().ok());
        Self {
            roots: roots.collect(),
            home,
        }
    }

    /// Replaces each host path among the arguments of a call that lies in a root with
    /// `docent://ROOT/PATH`.
    pub(crate) fn replace(&self, tool: &Tool, arguments: &mut Map<String, Value>) {
        for pointer in &tool.path_arguments {
            let (name, rest) = split(pointer);
            if let Some(value) = arguments.get_mut(name) {
                self.replace_at(rest, value);
            }
        }
    }

    /// Replaces the paths at `pointer` below `value`: `[].path` is the member `path` of each item.
    fn replace_at(&self, pointer: &str, value: &mut Value) {
        if let Some(rest) = pointer.strip_prefix("[]") {
            let items = value.as_array_mut().into_iter().flatten();
            items.for_each(|item| self.replace_at(rest, item));
        } else if let Some(rest) = pointer.strip_prefix('.') {
            let (name, rest) = split(rest);
            if let Some(member) = value.get_mut(name) {
                self.replace_at(rest, member);
            }
        } else if let Value::String(text) = value
            && let Some(address) = self.address(text)
        {
            *text = address;
        }
    }

    /// Returns the address of a host path that lies in a root; none if it lies in none.
    fn address(&self, text: &str) -> Option<String> {
        let path = self.absolute(text)?;
        let found = self.roots.iter().find_map(|root| {
            let rest = root.paths.iter().find_map(|names| below(&path, names))?;
            Some((root, rest))
        });
        let (root, rest) = found?;
        // The component decodes percent escapes in an address, so a `%` of the path is escaped:
        // `50%25.md`, passed as it is, would name the file `50%.md`.
        let escaped = |text: &str| text.replace('%', "%25");
        Some(format!(
            "docent://{}/{}",
            escaped(&root.name),
            escaped(rest)
        ))
    }

    /// Returns the absolute path that a text denotes, such as `~/x` or `file:///x`; none if it
    /// denotes none.
    fn absolute(&self, text: &str) -> Option<String> {
        if let Some(below) = text.strip_prefix('~')
            && (below.is_empty() || below.starts_with(is_separator))
        {
            return Some(format!("{}{below}", self.home.as_ref()?));
        }
        let text = match text.get(..FILE.len()) {
            Some(scheme) if scheme.eq_ignore_ascii_case(FILE) => {
                let behind = &text[FILE.len()..];
                // `file:/path`, `file:///path` and `file://localhost/path`.
                let path = match behind.strip_prefix("//") {
                    Some(rest) => rest.strip_prefix("localhost").unwrap_or(rest),
                    None => behind,
                };
                let path = unescape(path)?;
                // The path of `file:///C:/x` is `/C:/x`.
                let drive = path
                    .strip_prefix('/')
                    .filter(|rest| Path::new(rest).has_root());
                drive
                    .filter(|_| cfg!(windows))
                    .map_or(path.clone(), str::to_owned)
            }
            _ => text.to_owned(),
        };
        Path::new(&text).is_absolute().then_some(text)
    }
}

/// The URL scheme of files on this machine.
const FILE: &str = "file:";

fn is_separator(c: char) -> bool {
    c == '/' || cfg!(windows) && c == '\\'
}

/// Splits a pointer at the end of its first name.
fn split(pointer: &str) -> (&str, &str) {
    pointer.split_at(pointer.find(['.', '[']).unwrap_or(pointer.len()))
}

/// Returns the segments of a directory's path, outermost first; none if one of them is not UTF-8.
fn names(path: &Path) -> Option<Vec<String>> {
    let text = path.to_str()?;
    // Windows puts `\\?\` before a resolved path; callers write `C:\notes`.
    let text = text.strip_prefix(r"\\?\").unwrap_or(text);
    let names = text.split(is_separator).filter(|name| !name.is_empty());
    Some(names.map(str::to_owned).collect())
}

/// Returns the rest of `path` below the directory with these segments; none if the path does not
/// lead there. `.` and `..` are resolved lexically, up to the last position at which the directory
/// is reached.
fn below<'p>(path: &'p str, directory: &[String]) -> Option<&'p str> {
    let mut reached: Vec<&str> = Vec::new();
    let (mut behind, mut rest) = (path, None);
    loop {
        let (name, after) = behind.split_once(is_separator).unwrap_or((behind, ""));
        match name {
            "" | "." => {}
            ".." => {
                reached.pop();
            }
            name => reached.push(name),
        }
        behind = after;
        // The comparison is repeated after each segment, and the last position counts.
        // `/srv/notes/../notes/a.md` reaches `/srv/notes` twice; from the first position the
        // rest would be `../notes/a.md`, which leads out of the root.
        if is_same(&reached, directory) {
            rest = Some(behind.trim_start_matches(is_separator));
        }
        if behind.is_empty() {
            return rest;
        }
    }
}

/// Returns true if two paths have the same segments, in any Unicode normalization form.
fn is_same(reached: &[&str], directory: &[String]) -> bool {
    reached.len() == directory.len()
        && reached.iter().zip(directory).all(|(one, other)| {
            one.nfc().eq(other.nfc()) || cfg!(windows) && one.eq_ignore_ascii_case(other)
        })
}

/// Decodes the percent escapes of a text; none if they are malformed or do not decode to UTF-8.
fn unescape(text: &str) -> Option<String> {
    let mut parts = text.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let digits = part.get(..2)?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    String::from_utf8(bytes).ok()
}

/// Returns the absolute path that a person wrote, without `.` and `..` and with its symbolic links:
/// callers that see the same directory know it by that path.
pub(super) fn resolve_written_ambient(path: &Path) -> PathBuf {
    let mut written = PathBuf::new();
    let base = if path.is_absolute() {
        PathBuf::new()
    } else {
        working_directory_ambient()
    };
    for part in base.join(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                written.pop();
            }
            part => written.push(part),
        }
    }
    written
}

/// Returns the working directory, with the symbolic links of `PWD` if the shell sets it.
fn working_directory_ambient() -> PathBuf {
    let actual = env::current_dir().unwrap_or_default();
    let shown = env::var_os("PWD").map(PathBuf::from);
    let shown = shown.filter(|path| path.is_absolute());
    shown
        .filter(|path| path.canonicalize().is_ok_and(|path| path == actual))
        .unwrap_or(actual)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn host(home: &str) -> HostPaths {
        let root = |name: &str, paths: &[&str]| RootPaths {
            name: name.to_owned(),
            paths: paths
                .iter()
                .filter_map(|path| names(Path::new(path)))
                .collect(),
        };
        HostPaths {
            roots: vec![
                root("notes", &["/data/notes", "/users/ann/notes"]),
                root("한글", &["/users/ann/한글"]),
                root("50%", &["/srv/half"]),
            ],
            home: Some(home.to_owned()),
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_path_in_a_root_becomes_an_address() {
        let host = host("/users/ann");
        for (text, expected) in [
            ("/users/ann/notes/a.md", Some("docent://notes/a.md")),
            (
                "/data/notes/b/c.md:10-40",
                Some("docent://notes/b/c.md:10-40"),
            ),
            ("/users/ann/notes", Some("docent://notes/")),
            (
                "/users/ann//notes/./a.md#A > B",
                Some("docent://notes/a.md#A > B"),
            ),
            ("/users/ann/x/../notes/a.md", Some("docent://notes/a.md")),
            (
                "/users/ann/notes/../notes/a.md",
                Some("docent://notes/a.md"),
            ),
            ("~/notes/a.md", Some("docent://notes/a.md")),
            (
                "file:///users/ann/notes/a%20b.md",
                Some("docent://notes/a b.md"),
            ),
            (
                "FILE://localhost/users/ann/notes/a.md",
                Some("docent://notes/a.md"),
            ),
            ("file:/users/ann/notes/a.md", Some("docent://notes/a.md")),
            (
                "/users/ann/notes/100%25.md",
                Some("docent://notes/100%2525.md"),
            ),
            ("/srv/half/a.md", Some("docent://50%25/a.md")),
            // In decomposed letters.
            (
                "/users/ann/\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}/a.md",
                Some("docent://한글/a.md"),
            ),
            // A path that leads out of the root again is refused by the component.
            (
                "/users/ann/notes/a/../../b.md",
                Some("docent://notes/../b.md"),
            ),
            ("/users/ann/notes2/a.md", None),
            ("/users/ann", None),
            ("/etc/passwd", None),
            ("~root/notes", None),
            ("~", None),
            ("file://host/users/ann/notes/a.md", None),
            ("file:///users/ann/notes/%zz", None),
            ("notes/a.md", None),
            ("a.md", None),
            ("", None),
        ] {
            assert_eq!(host.address(text).as_deref(), expected, "{text}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn paths_are_replaced_where_the_contract_has_some() {
        let change = docent_tool_catalog::table().find("change").unwrap();
        let path = "/users/ann/notes/a.md";
        let given = json!({
            "path": path,
            "edits": [{"path": path, "move": "~/notes/b.md", "oldText": path}, {"insert": "~"}],
            "expect": [{"path": path, "hash": path}],
            "note": path,
        });
        let Value::Object(mut arguments) = given else {
            unreachable!()
        };
        host("/users/ann").replace(change, &mut arguments);
        let address = "docent://notes/a.md";
        assert_eq!(
            Value::Object(arguments),
            json!({
                "path": address,
                "edits": [
                    {"path": address, "move": "docent://notes/b.md", "oldText": path},
                    {"insert": "~"},
                ],
                "expect": [{"path": address, "hash": path}],
                "note": path,
            })
        );
    }

    #[test]
    fn every_argument_that_is_a_path_is_one_in_the_contract() {
        for tool in &docent_tool_catalog::table().tools {
            let has = |name: &str| tool.path_arguments.iter().any(|it| it == name);
            for name in tool.argument_names() {
                match name {
                    "path" | "target" => assert!(has(name), "{}: {name}", tool.name),
                    "paths" | "fullPaths" => assert!(has(&format!("{name}[]")), "{name}"),
                    _ => {}
                }
            }
        }
    }
}
