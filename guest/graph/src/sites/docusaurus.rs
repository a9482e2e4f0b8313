//! The folders in the settings of Docusaurus. These are a program, which is read only for the
//! strings in its object literals; nothing is evaluated.
//!
//! ```text
//! presets: [['classic', { docs: { path: 'guide', routeBasePath: 'help' } }]]
//!
//! guide/a.md is the page /help/a
//! ```

use crate::sites::folder::Folder;

/// A token of the program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SourceToken<'t> {
    Word(&'t str),
    Text(&'t str),
    Sign(char),
}

/// An object literal.
#[derive(Default)]
struct Object<'t> {
    /// Key whose value it is.
    key: &'t str,
    path: Option<&'t str>,
    route: Option<&'t str>,
}

/// Default folders of Docusaurus: those of the docs and the blog with their routes, and of pages.
const DEFAULTS: [(&str, &str); 3] = [("docs", "docs"), ("blog", "blog"), ("", "src/pages")];

/// Returns the folders in the settings, and the default ones.
pub fn folders(text: &str) -> Vec<Folder> {
    let mut found = Vec::new();
    let mut statics = Vec::new();
    let mut base = "";
    let mut open: Vec<Object<'_>> = Vec::new();
    let (mut key, mut before) = ("", SourceToken::Sign(' '));
    let mut rest = text;
    while let Some(token) = next(&mut rest) {
        match token {
            SourceToken::Sign('{') => open.push(Object {
                key: std::mem::take(&mut key),
                ..Object::default()
            }),
            SourceToken::Sign('}') => found.extend(open.pop().and_then(Object::folder)),
            SourceToken::Sign(':') => {
                if let SourceToken::Word(name) | SourceToken::Text(name) = before {
                    key = name;
                }
            }
            SourceToken::Sign(']' | ';') => key = "",
            SourceToken::Text(value) => match (key, open.last_mut()) {
                ("staticDirectories", _) => statics.push(Folder::new("", value)),
                ("baseUrl", _) => base = value,
                ("path", Some(object)) => object.path = Some(value),
                ("routeBasePath", Some(object)) => object.route = Some(value),
                _ => {}
            },
            SourceToken::Word(_) | SourceToken::Sign(_) => {}
        }
        if token == SourceToken::Sign(',') && key != "staticDirectories" {
            key = "";
        }
        before = token;
    }
    if statics.is_empty() {
        statics.push(Folder::new("", "static"));
    }
    found.extend(DEFAULTS.map(|(prefix, path)| Folder::new(prefix, path)));
    found.extend(statics);
    found.push(Folder::new("", ""));
    // With `baseUrl: '/project/'` the page `/docs/a` has the address `/project/docs/a`. Links
    // with and without the base resolve: each folder is listed under both prefixes.
    let base = base.trim_matches('/');
    if !base.is_empty() {
        let based =
            |folder: &Folder| Folder::new(&format!("{base}/{}", folder.prefix), &folder.path);
        let based: Vec<Folder> = found.iter().map(based).collect();
        found.extend(based);
    }
    found
}

impl Object<'_> {
    /// Returns the folder that the object describes.
    fn folder(self) -> Option<Folder> {
        let usual = match self.key {
            key @ ("docs" | "blog") => Some(key),
            _ => None,
        };
        let is_named = self.path.is_some() && self.route.is_some() || usual.is_some();
        let path = self.path.or(usual)?;
        let route = self.route.or(usual).unwrap_or(path);
        is_named.then(|| Folder::new(route, path))
    }
}

/// Reads the next token of a program, skipping comments and blanks.
fn next<'t>(rest: &mut &'t str) -> Option<SourceToken<'t>> {
    loop {
        *rest = rest.trim_start();
        let remark = if rest.starts_with("//") {
            rest.find('\n')
        } else if rest.starts_with("/*") {
            rest.find("*/").map(|end| end + 2)
        } else {
            break;
        };
        *rest = &rest[remark.unwrap_or(rest.len())..];
    }
    let first = rest.chars().next()?;
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    if matches!(first, '"' | '\'' | '`') {
        let inside = &rest[1..];
        let text = inside.split([first, '\n']).next().unwrap_or_default();
        *rest = inside.get(text.len() + 1..).unwrap_or_default();
        return Some(SourceToken::Text(text));
    }
    if is_word(first) {
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        *rest = behind;
        return Some(SourceToken::Word(word));
    }
    *rest = &rest[first.len_utf8()..];
    Some(SourceToken::Sign(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str)]) {
        let found = folders(text);
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|folder| (&*folder.prefix, &*folder.path))
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn folders_by_settings() {
        let usual = [("docs/", "docs"), ("blog/", "blog"), ("", "src/pages")];
        check("", &[&usual[..], &[("", "static"), ("", "")]].concat());
        check(
            "export default {\n  // docs: {path: 'no'},\n  baseUrl: '/',\n\
             staticDirectories: ['public', \"assets\"], /* x */\n  presets: [['classic', {\n\
             docs: { sidebarPath: './x.js', path: 'guide', routeBasePath: '/' }, blog: false }]],\n\
             plugins: [['content-docs', {id: 'api', path: 'api', routeBasePath: 'reference'}]]};",
            &[
                &[("", "guide"), ("reference/", "api")],
                &usual[..],
                &[("", "public"), ("", "assets"), ("", "")],
            ]
            .concat(),
        );
        check(
            "x = { baseUrl: '/b/', docs: { path: 'pages', routeBasePath: '/' } }",
            &[
                ("", "pages"),
                ("docs/", "docs"),
                ("blog/", "blog"),
                ("", "src/pages"),
                ("", "static"),
                ("", ""),
                ("b/", "pages"),
                ("b/docs/", "docs"),
                ("b/blog/", "blog"),
                ("b/", "src/pages"),
                ("b/", "static"),
                ("b/", ""),
            ],
        );
    }

    #[test]
    fn ends_on_whatever_it_is_given() {
        for text in ["'", "{", "}", "/*", "//", "`", "a:'", "é:{", "path: 'a\n}"] {
            assert!(folders(text).len() >= 5, "{text}");
        }
    }
}
