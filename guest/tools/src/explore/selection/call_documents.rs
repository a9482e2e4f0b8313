//! The documents that a call has read by their paths.
//!
//! Several stages of a search need the same files: the one that compares a name as written, the
//! reranker, the one that finds definitions, the semantic order and the renderer. Each file is
//! read once for all of them, which also gives them one version of a file that changes during the
//! call.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use docent_corpus::opened::OpenedDocument;

use crate::limits::CALL_DOCUMENT_BYTES;

/// The documents that a call has read by their paths, by the path in the root.
#[derive(Default)]
pub struct CallDocuments {
    by_path: RefCell<BTreeMap<String, Rc<OpenedDocument>>>,
    bytes: Cell<usize>,
}

impl CallDocuments {
    /// Returns a document that was read before in this call, if it is still kept.
    pub fn find(&self, path: &str) -> Option<Rc<OpenedDocument>> {
        self.by_path.borrow().get(path).cloned()
    }

    /// Keeps a document, if there is room for it.
    pub fn add(&self, path: &str, document: Rc<OpenedDocument>) {
        // The first documents are kept and not the last: every stage begins with the best. A
        // name that occurs in a thousand files is looked for in all of them, and of those only
        // the first hundred are read again.
        let bytes = self.bytes.get() + document.bytes.len();
        if bytes <= CALL_DOCUMENT_BYTES {
            self.bytes.set(bytes);
            self.by_path.borrow_mut().insert(path.to_owned(), document);
        }
    }
}
