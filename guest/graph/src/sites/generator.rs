//! Site generators: the settings files of each, and the parts of them that affect names.

use docent_document::front_matter::field::Field;
use docent_document::front_matter::yaml_fields;
use docent_text::lines::with_ends;

use crate::sites::docusaurus;
use crate::sites::folder::Folder;

/// A site generator.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Generator {
    MkDocs,
    Docusaurus,
    MdBook,
    Sphinx,
    Antora,
    Hugo,
    Astro,
    Jekyll,
    /// A generator with the most common folders.
    Other,
    /// The same, with pages that have the addresses of directories.
    OtherPretty,
}

/// The parts of a site's settings that affect names.
pub struct SiteSettings {
    /// Folders of its files.
    pub folders: Vec<Folder>,
    /// True if it has pages without a file of their name.
    pub has_routes: bool,
    /// True if it has files that are generated or come from elsewhere.
    pub has_made_files: bool,
    /// True if a page has the address of a directory: `a.md` is `/a/`, in which `b` is `/a/b`.
    pub is_pretty: bool,
    /// True if its documents consist of modules, which have paths of their own.
    pub has_modules: bool,
    /// True if labels may belong to other projects, or are generated from headings.
    pub has_others: bool,
    /// True if its pages are made by Python-Markdown.
    pub is_python: bool,
}

/// Extensions of settings that are scripts.
const SCRIPTS: [&str; 6] = ["js", "ts", "mjs", "cjs", "mts", "cts"];

/// Names of settings that are scripts, without extension, and their generators.
const SCRIPTED: [(&str, Generator); 9] = [
    ("docusaurus.config", Generator::Docusaurus),
    ("astro.config", Generator::Astro),
    ("gatsby-config", Generator::OtherPretty),
    ("eleventy.config", Generator::OtherPretty),
    ("next.config", Generator::Other),
    ("nuxt.config", Generator::Other),
    ("svelte.config", Generator::Other),
    ("rspress.config", Generator::Other),
    ("vocs.config", Generator::Other),
];

/// Settings by their full names.
const NAMED: [(&str, Generator); 14] = [
    ("mkdocs.yml", Generator::MkDocs),
    ("mkdocs.yaml", Generator::MkDocs),
    ("book.toml", Generator::MdBook),
    ("conf.py", Generator::Sphinx),
    ("antora.yml", Generator::Antora),
    ("_config.yml", Generator::Jekyll),
    ("_config.yaml", Generator::Jekyll),
    ("_quarto.yml", Generator::Other),
    ("docfx.json", Generator::Other),
    ("book.json", Generator::Other),
    ("mint.json", Generator::Other),
    ("docs.json", Generator::Other),
    ("zensical.toml", Generator::OtherPretty),
    ("pelicanconf.py", Generator::Other),
];

/// Settings that several generators read or include in their packages. The text identifies the
/// generator.
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

/// Packages of generators.
const PACKAGES: [(&str, Generator); 13] = [
    ("\"vitepress\"", Generator::Other),
    ("\"vuepress\"", Generator::Other),
    ("\"@11ty/eleventy\"", Generator::OtherPretty),
    ("\"gatsby\"", Generator::OtherPretty),
    ("\"next\"", Generator::Other),
    ("\"nextra\"", Generator::Other),
    ("\"nuxt\"", Generator::Other),
    ("\"hexo\"", Generator::Other),
    ("\"@sveltejs/kit\"", Generator::Other),
    ("\"docsify-cli\"", Generator::Other),
    ("\"@rspress/core\"", Generator::Other),
    ("\"fumadocs-core\"", Generator::Other),
    ("\"contentlayer\"", Generator::Other),
];

/// Folders that sites of other generators usually have, each at the top of the site.
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

impl Generator {
    /// Returns the generator that reads this file.
    fn detect(name: &str, text: &str) -> Option<Self> {
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
            name if !SHARED.contains(&name) => script_generator(name),
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

/// Returns true if a file with this name contains the settings of a site, or may do so.
pub fn is_settings(name: &str) -> bool {
    NAMED.iter().any(|(own, _)| *own == name)
        || SHARED.contains(&name)
        || script_generator(name).is_some()
}

/// Parses settings, or returns `None` if no generator makes a site of them.
pub fn read(name: &str, text: &str) -> Option<SiteSettings> {
    let program = Generator::detect(name, text)?;
    let is_open = !matches!(
        program,
        Generator::MkDocs
            | Generator::Docusaurus
            | Generator::MdBook
            | Generator::Sphinx
            | Generator::Antora
    );
    Some(SiteSettings {
        folders: program.folders(text),
        has_routes: is_open
            || program == Generator::Docusaurus
            || program == Generator::MkDocs && text.contains("plugins:"),
        has_made_files: is_open,
        is_pretty: program.is_pretty(text),
        has_modules: program == Generator::Antora,
        has_others: program == Generator::Sphinx
            && ["intersphinx_mapping", "autosectionlabel"]
                .iter()
                .any(|name| text.contains(name)),
        is_python: program == Generator::MkDocs,
    })
}

/// Returns the generator that reads settings with this name, which are a script.
fn script_generator(name: &str) -> Option<Generator> {
    let (stem, extension) = name.rsplit_once('.')?;
    let mut all = SCRIPTED.iter().filter(|_| SCRIPTS.contains(&extension));
    all.find(|(own, _)| *own == stem)
        .map(|(_, program)| *program)
}

/// Returns these folders at the top of a site, and below its `base` if it has one.
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

/// Returns the folders of a Hugo site: those of its languages, each below its name and the first
/// one at the top, and those of static files.
fn hugo_folders(text: &str) -> Vec<Folder> {
    let own = values_of(text, "contentDir");
    let mounted = values_of(text, "source").filter(|path| path.starts_with("content"));
    let mut contents: Vec<&str> = own.chain(mounted).collect();
    contents.dedup();
    let language = value_of(text, "defaultContentLanguage").unwrap_or("en");
    let last = |path: &str| path.trim_end_matches('/').rsplit('/').next() == Some(language);
    // `content/en/docs/a.md` is `/docs/a/` if `en` is the default language, and
    // `content/ko/docs/a.md` is `/ko/docs/a/`. Links to the default language may contain its
    // name as well.
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

/// Returns the folders of a Jekyll site: the whole site, and each collection below its name.
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

/// Returns the text of a top-level key in YAML.
fn yaml_text(text: &str, key: &str) -> Option<String> {
    let fields = yaml_fields(text)?;
    let value = fields.into_iter().find(|(name, _)| name == key);
    match value?.1 {
        Field::Text(text) => Some(text),
        Field::List(_) => None,
    }
}

/// Returns the first text of a key at any level, in TOML, YAML, JSON or a script.
fn value_of<'t>(text: &'t str, key: &'t str) -> Option<&'t str> {
    values_of(text, key).next()
}

/// Returns the texts of a key, one per line.
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
