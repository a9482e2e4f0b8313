//! The sites made of a tree: the parts of their settings that affect names.
//!
//! A link that begins with `/` is first resolved from the root, then by the nearest site. Index
//! pages and the document from which a page is made are resolved only on a site.

mod docusaurus;
mod folder;
mod generator;

use std::collections::BTreeMap;

use crate::destination::join;
use crate::document_path::is_index;
use crate::document_path::stem;
use crate::limits::{FOLDERS, SETTINGS_BYTES};
use crate::sites::folder::Folder;

pub use generator::is_settings;

/// The sites of a tree, by the directories of their settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sites {
    by_directory: BTreeMap<String, Site>,
    /// Folders of sites that are elsewhere in the tree, each with the directory of its site.
    elsewhere: BTreeMap<String, String>,
}

/// A site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Directory of its settings.
    directory: String,
    /// Names of its settings files.
    settings: Vec<String>,
    folders: Vec<Folder>,
    has_routes: bool,
    has_made_files: bool,
    is_pretty: bool,
    has_modules: bool,
    has_others: bool,
    is_python: bool,
}

/// Returns true if a file with this name and text contains the settings of a site.
pub fn makes_site(name: &str, text: &str) -> bool {
    is_settings(name) && text.len() <= SETTINGS_BYTES && generator::read(name, text).is_some()
}

impl Sites {
    /// Adds the site whose settings are at `path`, if the file is one of settings.
    pub fn insert(&mut self, path: &str, text: &str) {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        if text.len() > SETTINGS_BYTES {
            return;
        }
        let Some(settings) = generator::read(name, text) else {
            return;
        };
        // Hugo's settings may be in `config/_default`, which belongs to the site two directories
        // up.
        let above = directory.strip_suffix("config/_default");
        let directory = above.map_or(directory, |above| above.trim_end_matches('/'));
        let site = self.by_directory.entry(directory.to_owned());
        let site = site.or_insert_with(|| Site {
            directory: directory.to_owned(),
            settings: Vec::new(),
            folders: Vec::new(),
            has_routes: false,
            has_made_files: false,
            is_pretty: false,
            has_modules: false,
            has_others: false,
            is_python: false,
        });
        site.settings.push(name.to_owned());
        site.has_routes |= settings.has_routes;
        site.has_made_files |= settings.has_made_files;
        site.is_pretty |= settings.is_pretty;
        site.has_modules |= settings.has_modules;
        site.is_python |= settings.is_python;
        site.has_others |= settings.has_others;
        for folder in settings.folders {
            if site.folders.len() < FOLDERS && !site.folders.contains(&folder) {
                site.folders.push(folder);
            }
        }
        let site = site.clone();
        self.add_outside_folders(&site);
    }

    fn add_outside_folders(&mut self, site: &Site) {
        let elsewhere = site
            .folders
            .iter()
            .filter(|folder| folder.path.starts_with(".."));
        let paths = elsewhere.filter_map(|folder| site.path(&folder.path));
        for path in paths.filter(|path| !path.is_empty()) {
            self.elsewhere.insert(path, site.directory.clone());
        }
    }

    /// Returns the site nearest to the document `from`: the one with settings in the lowest
    /// directory above it.
    pub fn nearest(&self, from: &str) -> Option<&Site> {
        if self.by_directory.is_empty() {
            return None;
        }
        // The directories above the document are looked up, not the sites compared with its
        // path: a tree may have thousands of sites, and this function is called for each link.
        let mut above = from;
        while let Some((directory, _)) = above.rsplit_once('/') {
            let of_folder = self.elsewhere.get(directory).map(String::as_str);
            let own = self.by_directory.get(directory);
            if let Some(site) = own.or_else(|| self.by_directory.get(of_folder?)) {
                return Some(site);
            }
            above = directory;
        }
        self.by_directory.get("")
    }

    /// Returns the sites after moving files: a site is where its settings are.
    pub(crate) fn after(&self, moves: &BTreeMap<String, String>) -> Self {
        let mut after = Self::default();
        for site in self.by_directory.values() {
            let old = |name: &String| join_name(&site.directory, name);
            let new = site.settings.iter().find_map(|name| moves.get(&old(name)));
            let directory = match new {
                Some(path) => path.rsplit_once('/').map_or("", |(above, _)| above),
                None => &site.directory,
            };
            let moved = Site {
                directory: directory.to_owned(),
                ..site.clone()
            };
            after.add_outside_folders(&moved);
            after.by_directory.insert(directory.to_owned(), moved);
        }
        after
    }
}

impl Site {
    /// Returns the path of `below`, relative to the directory of the settings.
    pub(crate) fn path(&self, below: &str) -> Option<String> {
        join(&join_name(&self.directory, "settings"), below)
    }

    /// Returns the paths that `/path` may refer to on this site, in the order of its folders.
    pub(crate) fn paths<'s>(&'s self, path: &'s str) -> impl Iterator<Item = String> + 's {
        self.folders.iter().filter_map(move |folder| {
            let inside = path.strip_prefix(folder.prefix.as_str())?;
            self.path(&join_name(&folder.path, inside))
        })
    }

    /// Returns the paths that `path` may refer to on the page of the document `from`, by the
    /// addresses of that page.
    pub(crate) fn paths_beside(&self, from: &str, path: &str) -> Vec<String> {
        let pages: Vec<String> = self.pages_of(from).collect();
        let joined = pages.iter().filter_map(|page| join(page, path));
        joined
            .flat_map(|path| self.paths(&path).collect::<Vec<_>>())
            .collect()
    }

    /// Returns the addresses of the document at `path` on the site, as paths whose last name is
    /// arbitrary.
    pub(crate) fn pages_of<'s>(&'s self, path: &'s str) -> impl Iterator<Item = String> + 's {
        self.names_of(path).map(move |name| match stem(&name) {
            Some(page) if self.is_pretty && !is_index(&name) => format!("{page}/page"),
            _ => name,
        })
    }

    /// Returns true if a page has the address of a directory.
    pub(crate) fn is_pretty(&self) -> bool {
        self.is_pretty
    }

    /// Returns true if the site has files that are generated or come from elsewhere.
    pub(crate) fn has_made_files(&self) -> bool {
        self.has_made_files
    }

    /// Returns true if the file at `path` is on the site: in one of its folders.
    pub(crate) fn holds(&self, path: &str) -> bool {
        self.folders.iter().any(|folder| {
            let above = self.path(&folder.path).unwrap_or_default();
            let rest = path.strip_prefix(above.as_str());
            rest.is_some_and(|rest| above.is_empty() || rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// Returns the paths by which links on the site may refer to the file at `path`, without the
    /// leading `/`, in the order of its folders.
    pub(crate) fn names_of<'s>(&'s self, path: &'s str) -> impl Iterator<Item = String> + 's {
        self.folders.iter().filter_map(move |folder| {
            let above = self.path(&folder.path)?;
            let inside = match &*above {
                "" => path,
                above => path.strip_prefix(above)?.strip_prefix('/')?,
            };
            Some(format!("{}{inside}", folder.prefix))
        })
    }

    /// Returns the path of a file after `@site/`.
    pub(crate) fn name_below<'p>(&self, path: &'p str) -> Option<&'p str> {
        match &*self.directory {
            "" => Some(path),
            above => path.strip_prefix(above)?.strip_prefix('/'),
        }
    }

    /// Returns true if the site has pages without a file of their name.
    pub(crate) fn has_routes(&self) -> bool {
        self.has_routes
    }

    /// Returns true if the site is made by Python-Markdown.
    pub(crate) fn is_python(&self) -> bool {
        self.is_python
    }

    /// Returns true if the site is made by Sphinx.
    pub(crate) fn is_of_sphinx(&self) -> bool {
        self.settings.iter().any(|name| name == "conf.py")
    }

    /// Returns true if the site is made by mdBook.
    pub(crate) fn is_book(&self) -> bool {
        self.settings.iter().any(|name| name == "book.toml")
    }

    /// Returns true if labels may belong to other projects.
    pub(crate) fn has_others(&self) -> bool {
        self.has_others
    }

    /// Returns true if its documents consist of modules, which have paths of their own.
    pub(crate) fn has_modules(&self) -> bool {
        self.has_modules
    }
}

fn join_name(directory: &str, name: &str) -> String {
    match directory {
        "" => name.to_owned(),
        above => format!("{}/{name}", above.trim_end_matches('/')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sites(files: &[(&str, &str)]) -> Sites {
        let mut sites = Sites::default();
        for (path, text) in files {
            sites.insert(path, text);
        }
        sites
    }

    #[track_caller]
    fn leads(sites: &Sites, from: &str, path: &str, expected: &[&str]) {
        let site = sites.nearest(from);
        let paths: Vec<String> = site.into_iter().flat_map(|site| site.paths(path)).collect();
        assert_eq!(paths, expected, "{from}: {path}");
    }

    #[test]
    fn folders_of_sites() {
        let sites = sites(&[
            (
                "mkdocs.yml",
                "site_name: A\nx: !!python/name:a.b\ndocs_dir: 'pages' # here\n",
            ),
            ("b/mkdocs.yaml", "nav:\n  - a: b: c\n"),
            ("c/book.toml", "[book]\nsrc = \"text\"\n"),
            ("d/conf.py", "exclude = []\n"),
            ("x/package.json", "{}"),
        ]);
        leads(&sites, "README.md", "y.md", &["pages/y.md"]);
        leads(&sites, "x/y/z.md", "y.md", &["pages/y.md"]);
        leads(&sites, "b/docs/x.md", "y.md", &["b/docs/y.md"]);
        leads(&sites, "c/text/x.md", "y.md", &["c/text/y.md"]);
        leads(&sites, "d/e/x.rst", "y", &["d/y"]);
        assert!(Sites::default().nearest("a.md").is_none());
        assert!(is_settings("mkdocs.yml") && !is_settings("mkdocs.md"));
    }

    #[test]
    fn folders_beside_the_settings() {
        let settings = "presets: [{ docs: { path: '../docs' } }]";
        let sites = sites(&[("website/docusaurus.config.ts", settings)]);
        let site = sites.nearest("docs/a/b.md").unwrap();
        assert_eq!(site.paths("docs/c.md").next().as_deref(), Some("docs/c.md"));
        assert!(sites.nearest("src/a.md").is_none());
    }

    #[test]
    fn a_site_goes_where_its_settings_go() {
        let sites = sites(&[("a/mkdocs.yml", ""), ("b/mkdocs.yml", "")]);
        let moves = BTreeMap::from([("a/mkdocs.yml".to_owned(), "c/d/mkdocs.yml".to_owned())]);
        let after = sites.after(&moves);
        leads(&after, "c/d/x.md", "y.md", &["c/d/docs/y.md"]);
        leads(&after, "b/x.md", "y.md", &["b/docs/y.md"]);
        assert!(after.nearest("a/x.md").is_none());
    }

    #[test]
    fn names_on_a_site() {
        let sites = sites(&[("w/docusaurus.config.js", "")]);
        let site = sites.nearest("w/docs/a.md").unwrap();
        let names: Vec<String> = site.names_of("w/docs/b/c.md").collect();
        assert_eq!(names, ["docs/b/c.md", "docs/b/c.md"]);
        assert_eq!(site.name_below("w/docs/a.md"), Some("docs/a.md"));
        assert_eq!(site.name_below("v/a.md"), None);
    }

    #[test]
    fn settings_that_are_bombs_name_little() {
        let many = "docs: {path: 'a', routeBasePath: 'b'},\n".repeat(10_000);
        let sites = sites(&[("docusaurus.config.js", &many)]);
        let site = sites.nearest("a.md").unwrap();
        assert!(site.folders.len() <= FOLDERS);
        let large = format!("docs_dir: {}", "a".repeat(SETTINGS_BYTES));
        assert!(
            self::sites(&[("mkdocs.yml", &large)])
                .nearest("a.md")
                .is_none()
        );
    }
}
