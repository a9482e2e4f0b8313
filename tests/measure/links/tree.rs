//! A tree of documentation, and the targets of all its links.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use docent_graph::document_links::{DocumentLinks, document_links};
use docent_graph::link::{Link, LinkKind};
use docent_graph::names::{Labels, Names};
use docent_graph::resolve::{Resolution, resolve};
use docent_graph::sites::{Sites, is_settings};

/// Maximum bytes read of a file; docent does not read larger documents.
const FILE_BYTES: u64 = 10 << 20;

/// The files of a tree by path, with the texts of those from which links or sites are read.
pub type Texts = BTreeMap<String, Option<String>>;

/// Returns the files below a directory, without hidden ones, as in docent.
pub fn read(directory: &Path) -> io::Result<Texts> {
    let mut texts = Texts::new();
    gather(directory, "", &mut texts)?;
    Ok(texts)
}

fn gather(directory: &Path, above: &str, texts: &mut Texts) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        if name.starts_with('.') {
            continue;
        }
        let path = format!("{above}{name}");
        let kind = entry.file_type()?;
        if kind.is_dir() {
            gather(&entry.path(), &format!("{path}/"), texts)?;
        } else if kind.is_file() {
            let is_read = document_links(&name, "").is_some() || is_settings(&name);
            let is_small = entry.metadata()?.len() <= FILE_BYTES;
            let text = match is_read && is_small {
                true => Some(String::from_utf8_lossy(&fs::read(entry.path())?).into_owned()),
                false => None,
            };
            texts.insert(path, text);
        }
    }
    Ok(())
}

/// The link graph of a tree: its names, and the links of each document.
pub struct Graph {
    /// Names of the files.
    pub names: Names,
    /// Links of documents, by path.
    pub facts: BTreeMap<String, DocumentLinks>,
}

/// A broken link.
pub struct Broken<'g> {
    /// Path of its document.
    pub path: &'g str,
    /// The link.
    pub link: &'g Link,
    /// Reason why it is broken.
    pub why: &'static str,
}

impl Graph {
    /// Returns the graph of a tree.
    pub fn new(texts: &Texts) -> Self {
        let (mut names, mut sites, mut labels) =
            (Names::default(), Sites::default(), Labels::default());
        let mut facts = BTreeMap::new();
        for (path, text) in texts {
            names.insert(path);
            let Some(text) = text else { continue };
            let name = path.rsplit('/').next().unwrap_or(path);
            if is_settings(name) {
                sites.insert(path, text);
            } else if let Some(own) = document_links(name, text) {
                labels.insert(path, &own.labels);
                facts.insert(path.clone(), own);
            }
        }
        names.set_sites(sites);
        names.set_labels(labels);
        Self { names, facts }
    }

    /// Returns the target of each link, with its document; uses of reference links are skipped.
    pub fn leads(&self) -> impl Iterator<Item = (&str, &Link, Resolution)> {
        self.facts.iter().flat_map(move |(path, facts)| {
            let own = facts.links.iter().filter(|link| link.kind != LinkKind::Use);
            own.map(move |link| (path.as_str(), link, resolve(link, path, &self.names)))
        })
    }

    /// Returns the reason why a link with this target is broken; none if it is not.
    pub fn why(&self, lead: &Resolution) -> Option<&'static str> {
        let target = lead.place().and_then(|place| self.facts.get(&place.path));
        match (lead, lead.is_broken(target.map(|facts| &facts.anchors))) {
            (Resolution::Missing(_), _) => Some("no file"),
            (Resolution::OutsideRoot, _) => Some("outside"),
            (_, true) => Some("no place"),
            _ => None,
        }
    }

    /// Returns the broken links.
    pub fn broken(&self) -> Vec<Broken<'_>> {
        let all = self.leads();
        let broken = all.filter_map(|(path, link, lead)| {
            let why = self.why(&lead)?;
            Some(Broken { path, link, why })
        });
        broken.collect()
    }
}
