//! Numbers of passages in documents, and of those that an embedder does not know yet: counted when
//! their vectors are made, stored by the embedder, and summed up for a question.

use docent_rank::embedder::{DocumentVersion, Embedder, PassageCount};
use docent_text::digest::{combine, digest};
use docent_text::saturating::saturating_u32;
use docent_tree::disk::Metadata;

use crate::limits::COUNTED_AT_ONCE;

/// Tag that distinguishes a version derived from file metadata from one derived from the text.
const BY_FILE: u64 = 1;

/// Version names of the documents of a root, for a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Versions {
    /// A digest of the root.
    root: u64,
    /// Digest of the model and of the way in which it has documents cut.
    cut: u64,
}

impl Versions {
    /// Returns the version names for the root of this name; `cut` is the digest of the model and of
    /// the way in which it has documents cut.
    pub fn new(root_name: &str, cut: u64) -> Self {
        Self {
            root: digest(root_name.as_bytes()),
            cut,
        }
    }

    /// Returns the version of a document whose text has this digest.
    pub fn by_text(self, path: &str, text: u64) -> DocumentVersion {
        DocumentVersion {
            place: self.place(path),
            version: combine(self.cut, text),
        }
    }

    /// Returns the version of a document as far as it is known from its file without reading it.
    pub fn by_file(self, path: &str, file: &Metadata) -> DocumentVersion {
        // If the platform does not report the time, the size has to suffice.
        let modified = file.modified.unwrap_or_default();
        let [low, high] = [modified, modified >> 64].map(|half| half as u64);
        let version = [file.size, low, high];
        DocumentVersion {
            place: combine(self.place(path), BY_FILE),
            version: version.into_iter().fold(self.cut, combine),
        }
    }

    fn place(self, path: &str) -> u64 {
        combine(self.root, digest(path.as_bytes()))
    }
}

/// Counts to be stored by an embedder.
#[derive(Debug)]
pub struct NewCounts {
    losses: u64,
    counts: Vec<(DocumentVersion, PassageCount)>,
}

impl NewCounts {
    /// Returns an empty collection of counts.
    pub fn begin(embedder: &dyn Embedder) -> Self {
        Self {
            // The number of evictions is noted before the first document is counted. If vectors
            // are evicted later, a count may be too high already, and the embedder stores no
            // counts that were begun before the eviction.
            losses: embedder.passage_counts(None, &[]).losses,
            counts: Vec::new(),
        }
    }

    /// Adds the count of a document under all its versions.
    pub fn add(
        &mut self,
        embedder: &dyn Embedder,
        versions: impl IntoIterator<Item = DocumentVersion>,
        count: PassageCount,
    ) {
        let versions = versions.into_iter();
        self.counts.extend(versions.map(|version| (version, count)));
        // If the host ends the call, the counts not passed on yet are lost, and made again by
        // the next call.
        if self.counts.len() >= COUNTED_AT_ONCE {
            self.hand_over(embedder);
        }
    }

    /// Passes the added counts to the embedder to store them.
    pub fn hand_over(&mut self, embedder: &dyn Embedder) {
        if !self.counts.is_empty() {
            embedder.store_passage_counts(self.losses, &self.counts);
            self.counts.clear();
        }
    }
}

/// Returns a description of the passages of these documents that are unknown to an embedder, for
/// root `asked`, as a sentence without its end; empty if all are known, or `None` if it stores no
/// counts.
pub fn describe_unknown(
    embedder: &dyn Embedder,
    asked: &str,
    documents: &[DocumentVersion],
) -> Option<String> {
    let counts = embedder.passage_counts(Some(asked), documents).counts;
    if counts.len() != documents.len() {
        return None;
    }
    let (mut passages, mut unknown, mut uncounted) = (0u64, 0u64, 0usize);
    for count in counts {
        match count {
            Some(count) => {
                passages += u64::from(count.passages);
                unknown += u64::from(count.unknown);
            }
            None => uncounted += 1,
        }
    }
    Some(sentence(passages, unknown, uncounted))
}

/// Returns the description of unknown passages and uncounted documents, empty if there are none.
fn sentence(passages: u64, unknown: u64, uncounted: usize) -> String {
    let passages = (unknown > 0).then(|| format!("{unknown} of {passages} passages"));
    let documents = match saturating_u32(uncounted) {
        0 => None,
        1 => Some("1 document".to_owned()),
        more => Some(format!("{more} documents")),
    };
    let unknown: Vec<String> = passages.into_iter().chain(documents).collect();
    if unknown.is_empty() {
        return String::new();
    }
    format!(
        "{} not embedded yet, so results that share no word with the question may be missing",
        unknown.join(" and ")
    )
}

#[cfg(test)]
mod tests {
    use docent_text::tokens::estimate::estimate;
    use docent_tree::disk::Kind;

    use super::*;
    use crate::limits::UNKNOWN_TOKENS;

    #[test]
    fn what_is_not_known_is_told_in_numbers() {
        assert_eq!(sentence(9, 0, 0), "");
        let so = "not embedded yet, so results that share no word with the question may be missing";
        assert_eq!(sentence(9, 3, 0), format!("3 of 9 passages {so}"));
        assert_eq!(sentence(9, 0, 1), format!("1 document {so}"));
        let both = sentence(9, 3, 12);
        assert_eq!(both, format!("3 of 9 passages and 12 documents {so}"));
        let longest = sentence(4_294_967_295, 4_294_967_295, usize::MAX);
        assert!(estimate(&format!(" Less than asked: {longest}.")) <= UNKNOWN_TOKENS);
    }

    #[test]
    fn versions_differ_where_anything_does() {
        let file = |size, modified| Metadata {
            kind: Kind::File,
            size,
            modified,
        };
        let of = |root: &str, cut| Versions::new(root, cut);
        let versions = [
            of("docs", 1).by_text("a.md", 5),
            of("docs", 1).by_text("a.md", 6),
            of("docs", 1).by_text("b.md", 5),
            of("docs", 2).by_text("a.md", 5),
            of("other", 1).by_text("a.md", 5),
            of("docs", 1).by_file("a.md", &file(5, None)),
            of("docs", 1).by_file("a.md", &file(6, None)),
            of("docs", 1).by_file("a.md", &file(5, Some(1))),
            of("docs", 1).by_file("a.md", &file(5, Some(1 << 64))),
        ];
        let different: std::collections::BTreeSet<_> = versions.iter().collect();
        assert_eq!(different.len(), versions.len());
        // A new version of a document replaces the previous one.
        assert_eq!(versions[0].place, versions[1].place);
        assert_eq!(versions[5].place, versions[7].place);
        assert_ne!(versions[0].place, versions[5].place);
    }
}
