//! The programs that make sites: which settings each reads, and what these say of names.

use docent_document::front_matter::field::Field;
use docent_document::front_matter::yaml_fields;
use docent_text::lines::with_ends;

use crate::sites::{Folder, docusaurus};

/// A program that makes sites.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Program {
    MkDocs,
    Docusaurus,
    MdBook,
    Sphinx,
    Antora,
    Hugo,
    Astro,
    Jekyll,
    /// One whose folders are those that such programs mostly have.
    Other,
    /// The same, whose pages are directories to browsers.
    OtherPretty,
}

/// What settings say of a site.
pub struct Settings {
    /// The folders of its files.
    pub folders: Vec<Folder>,
    /// Whether it has pages that no file is called like.
    pub has_routes: bool,
    /// Whether it has files that lie elsewhere, or that are made.
    pub has_made_files: bool,
    /// Whether a page is a directory to browsers: `a.md` is `/a/`, where `b` is `/a/b`.
    pub is_pretty: bool,
    /// Whether its documents are put together of modules, which have paths of their own.
    pub has_modules: bool,
    /// Whether labels may be those of other projects, or made of headings.
    pub has_others: bool,
    /// Whether Python-Markdown makes its pages.
    pub is_python: bool,
}

/// What the names of settings in scripts end with.
const SCRIPTS: [&str; 6] = ["js", "ts", "mjs", "cjs", "mts", "cts"];

/// What settings in scripts are called before that, with who reads them.
const SCRIPTED: [(&str, Program); 9] = [
    ("docusaurus.config", Program::Docusaurus),
    ("astro.config", Program::Astro),
    ("gatsby-config", Program::OtherPretty),
    ("eleventy.config", Program::OtherPretty),
    ("next.config", Program::Other),
    ("nuxt.config", Program::Other),
    ("svelte.config", Program::Other),
    ("rspress.config", Program::Other),
    ("vocs.config", Program::Other),
];

/// Settings by their whole names.
const NAMED: [(&str, Program); 14] = [
    ("mkdocs.yml", Program::MkDocs),
    ("mkdocs.yaml", Program::MkDocs),
    ("book.toml", Program::MdBook),
    ("conf.py", Program::Sphinx),
    ("antora.yml", Program::Antora),
    ("_config.yml", Program::Jekyll),
    ("_config.yaml", Program::Jekyll),
    ("_quarto.yml", Program::Other),
    ("docfx.json", Program::Other),
    ("book.json", Program::Other),
    ("mint.json", Program::Other),
    ("docs.json", Program::Other),
    ("zensical.toml", Program::OtherPretty),
    ("pelicanconf.py", Program::Other),
];

/// Settings that several programs read, or have in their packages: their text tells which.
const SHARED: [&str; 9] = [
    "hugo.toml",
    "hugo.yaml",
    "hugo.yml",
    "hugo.json",
    "config.toml",
    "config.yaml",
    "config.yml",
    "config.json",
    "package.json",
];

/// Packages that make sites.
const PACKAGES: [(&str, Program); 13] = [
    ("\"vitepress\"", Program::Other),
    ("\"vuepress\"", Program::Other),
    ("\"@11ty/eleventy\"", Program::OtherPretty),
    ("\"gatsby\"", Program::OtherPretty),
    ("\"next\"", Program::Other),
    ("\"nextra\"", Program::Other),
    ("\"nuxt\"", Program::Other),
    ("\"hexo\"", Program::Other),
    ("\"@sveltejs/kit\"", Program::Other),
    ("\"docsify-cli\"", Program::Other),
    ("\"@rspress/core\"", Program::Other),
    ("\"fumadocs-core\"", Program::Other),
    ("\"contentlayer\"", Program::Other),
];

/// Folders that sites of other programs mostly have, each at the top of the site.
const USUAL_FOLDERS: [&str; 12] = [
    "",
    "public",
    "static",
    "content",
    "src/content",
    "src/pages",
    "pages",
    "source",
    "docs",
    "docs/public",
    "src",
    "app",
];

impl Program {
    /// Returns the program that reads this file.
    fn of(name: &str, text: &str) -> Option<Self> {
        if let Some((_, program)) = NAMED.iter().find(|(own, _)| *own == name) {
            return Some(*program);
        }
        let is_hugo = || {
            let mut keys = text.match_indices("base").map(|(at, _)| &text[at + 4..]);
            keys.any(|rest| {
                rest.get(..3)
                    .is_some_and(|rest| rest.eq_ignore_ascii_case("url"))
            })
        };
        match name {
            "package.json" => {
                let found = PACKAGES.iter().find(|(package, _)| text.contains(package));
                found.map(|(_, program)| *program)
            }
            name if !SHARED.contains(&name) => scripted(name),
            name if name.starts_with("hugo.") || is_hugo() => Some(Self::Hugo),
            _ if text.contains("base_url") => Some(Self::OtherPretty),
            _ => None,
        }
    }

    fn folders(self, text: &str) -> Vec<Folder> {
        match self {
            Self::MkDocs => {
                let folder = yaml_text(text, "docs_dir");
                vec![Folder::new("", folder.as_deref().unwrap_or("docs"))]
            }
            Self::Docusaurus => docusaurus::folders(text),
            Self::MdBook => {
                let folder = value_of(text, "src").unwrap_or("src");
                vec![Folder::new("", folder)]
            }
            Self::Sphinx => vec![Folder::new("", "")],
            Self::Antora => Vec::new(),
            Self::Hugo => hugo_folders(text),
            Self::Astro => {
                let folders = ["src/pages", "src/content/docs", "src/content", "public"];
                under(value_of(text, "base"), &folders)
            }
            Self::Jekyll => jekyll_folders(text),
            Self::Other | Self::OtherPretty => under(None, &USUAL_FOLDERS),
        }
    }

    fn is_pretty(self, text: &str) -> bool {
        match self {
            Self::Hugo => !text.contains("uglyURLs = true") && !text.contains("uglyurls: true"),
            Self::MkDocs => !text.contains("use_directory_urls: false"),
            Self::Jekyll => value_of(text, "permalink")
                .is_some_and(|link| link == "pretty" || link.ends_with('/')),
            Self::Astro | Self::OtherPretty => true,
            _ => false,
        }
    }
}

/// Whether a file of this name holds the settings of a site, or may.
pub fn is_settings(name: &str) -> bool {
    NAMED.iter().any(|(own, _)| *own == name) || SHARED.contains(&name) || scripted(name).is_some()
}

/// Returns what the text of settings says; none where no program makes a site by them.
pub fn read(name: &str, text: &str) -> Option<Settings> {
    let program = Program::of(name, text)?;
    let is_open = !matches!(
        program,
        Program::MkDocs | Program::Docusaurus | Program::MdBook | Program::Sphinx | Program::Antora
    );
    Some(Settings {
        folders: program.folders(text),
        has_routes: is_open
            || program == Program::Docusaurus
            || program == Program::MkDocs && text.contains("plugins:"),
        has_made_files: is_open,
        is_pretty: program.is_pretty(text),
        has_modules: program == Program::Antora,
        has_others: program == Program::Sphinx
            && ["intersphinx_mapping", "autosectionlabel"]
                .iter()
                .any(|name| text.contains(name)),
        is_python: program == Program::MkDocs,
    })
}

/// Returns who reads settings of this name that are a script.
fn scripted(name: &str) -> Option<Program> {
    let (stem, extension) = name.rsplit_once('.')?;
    let mut all = SCRIPTED.iter().filter(|_| SCRIPTS.contains(&extension));
    all.find(|(own, _)| *own == stem)
        .map(|(_, program)| *program)
}

/// Returns these folders at the top of a site, and below its `base`, where it has one.
fn under(base: Option<&str>, folders: &[&str]) -> Vec<Folder> {
    let base = base
        .map(|base| base.trim_matches('/'))
        .filter(|base| !base.is_empty());
    let prefixes = [Some(""), base];
    let all = prefixes.into_iter().flatten().flat_map(|prefix| {
        let below = move |folder: &&str| Folder::new(prefix, folder);
        folders.iter().map(below)
    });
    all.collect()
}

/// Returns the folders of a site of Hugo: those of its languages, each below its name and the first
/// one at the top, and those of files.
fn hugo_folders(text: &str) -> Vec<Folder> {
    let own = values_of(text, "contentDir");
    let mounted = values_of(text, "source").filter(|path| path.starts_with("content"));
    let mut contents: Vec<&str> = own.chain(mounted).collect();
    contents.dedup();
    let language = value_of(text, "defaultContentLanguage").unwrap_or("en");
    let last = |path: &str| path.trim_end_matches('/').rsplit('/').next() == Some(language);
    // The folder of the usual language stands at the top of the site.
    let top = contents.iter().find(|path| last(path)).or(contents.first());
    let mut folders = vec![Folder::new("", top.copied().unwrap_or("content"))];
    for path in contents {
        let name = path
            .trim_end_matches('/')
            .rsplit('/')
            .next()
            .unwrap_or_default();
        folders.push(Folder::new(name, path));
    }
    folders.extend(["content", "static", "assets"].map(|path| Folder::new("", path)));
    folders
}

/// Returns the folders of a site of Jekyll: all of it, and each collection below its name.
fn jekyll_folders(text: &str) -> Vec<Folder> {
    let source = value_of(text, "source").unwrap_or_default();
    let base = value_of(text, "baseurl");
    let mut folders = under(base, &[source]);
    let lines = with_ends(text).map(str::trim_end);
    let inside = lines
        .skip_while(|line| !line.starts_with("collections:"))
        .skip(1);
    for line in inside.take_while(|line| line.is_empty() || line.starts_with([' ', '-', '#'])) {
        let name = line.trim().trim_start_matches("- ").trim_end_matches(':');
        if !name.is_empty()
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
        {
            let path = format!("{source}/_{name}");
            folders.push(Folder::new(name, path.trim_start_matches('/')));
        }
    }
    folders.push(Folder::new("", "_pages"));
    folders
}

/// Returns the text of a key at the outermost level of YAML.
fn yaml_text(text: &str, key: &str) -> Option<String> {
    let fields = yaml_fields(text)?;
    let value = fields.into_iter().find(|(name, _)| name == key);
    match value?.1 {
        Field::Text(text) => Some(text),
        Field::List(_) => None,
    }
}

/// Returns the first text of a key, whatever holds it: TOML, YAML, JSON or a script.
fn value_of<'t>(text: &'t str, key: &'t str) -> Option<&'t str> {
    values_of(text, key).next()
}

/// Returns the texts of a key, one a line.
fn values_of<'t>(text: &'t str, key: &'t str) -> impl Iterator<Item = &'t str> {
    with_ends(text).filter_map(move |line| {
        let quotes = |c: char| matches!(c, '"' | '\'' | '-' | ' ' | '\t');
        let value = line.trim_start_matches(quotes).strip_prefix(key)?;
        let value = value.trim_start_matches(['"', '\'']).trim_start();
        let value = value.strip_prefix(['=', ':'])?.trim();
        match value.chars().next()? {
            quote @ ('"' | '\'') => value[1..].split(quote).next(),
            _ => {
                let end = value.find([',', '#', ' ', '}']);
                Some(&value[..end.unwrap_or(value.len())])
            }
        }
    })
}
