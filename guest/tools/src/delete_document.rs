//! `delete-document`: deletion of a document, never of a directory.

use docent_api::types::Error;
use docent_api::writing::{DeleteDocumentOptions, WriteAnswer};
use docent_corpus::corpus::Corpus;
use docent_graph::link::LinkKind;
use docent_graph::resolve::{Resolution, resolve};
use docent_graph::targets::Targets;
use docent_tree::disk::WriteDisk;

use crate::limits::LINKS_SHOWN;
use crate::settings::ToolSettings;
use crate::writing::file::{Existing, is_document, parse};
use crate::writing::link_index::{LinkingDocument, NoListener, index_links};
use crate::writing::root::{SensitiveAccess, WritableRoot};
use crate::writing::whole::Whole;

/// Options with the default for everything.
pub const NO_OPTIONS: DeleteDocumentOptions = DeleteDocumentOptions {
    expect_hash: None,
    root: None,
};

/// Deletes a document; see `wit/world.wit`.
///
/// # Errors
/// For a request that cannot be served; then nothing was removed.
pub fn delete_document<D: WriteDisk>(
    corpus: &mut Corpus<D>,
    settings: &ToolSettings,
    path: String,
    options: DeleteDocumentOptions,
) -> Result<WriteAnswer, Error> {
    let requested = options.root.as_deref();
    let root = WritableRoot::open(corpus, settings, requested, SensitiveAccess::NotRequested)?;
    let path = parse(&path)?;
    root.recover()?;
    let existing = Existing::read(corpus, &root, &path)?;
    is_document(&existing.path)?;
    existing.expect(options.expect_hash.as_deref())?;
    let warning = link_warning(corpus, root.chosen.index, existing.path.as_str());
    let mut answer = Whole::remove(existing).apply(&root, "delete-document", None)?;
    answer.warnings.extend(warning);
    Ok(answer)
}

/// Returns a warning about links to a document to be deleted, or `None` if there are no such links.
fn link_warning<D: WriteDisk>(corpus: &mut Corpus<D>, root: usize, path: &str) -> Option<String> {
    let mut targets = Targets::default();
    targets.insert(path);
    let link_index = match index_links(corpus, root, &targets, &mut NoListener) {
        Ok(link_index) => link_index,
        Err(error) => return Some(format!("the links to it are not known: {}", error.message)),
    };
    let mut places = Vec::new();
    for LinkingDocument { path: from, links } in
        link_index.linking.iter().filter(|one| one.path != path)
    {
        let to_it = links.iter().filter(|(link, _)| {
            let lead = resolve(link, from, &link_index.names);
            link.kind != LinkKind::Use
                && matches!(lead, Resolution::Found(place) if place.path == path)
        });
        places.extend(to_it.map(|(link, _)| format!("`{from}` line {}", link.line)));
    }
    // A line may have several links to the document; its place is named once. The links come in
    // the order of their lines, so equal places are adjacent.
    places.dedup();
    let more = places.len().saturating_sub(LINKS_SHOWN);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    places.truncate(LINKS_SHOWN);
    let links = places.join(", ");
    (!places.is_empty()).then(|| format!("links to it are broken now: {links}{more}"))
}
