//! The component's shell: one line per tool.
//!
//! The shell makes no decisions. The instance keeps one [`docent_tools::Docent`] over the preopened
//! directories, so that a host that keeps the instance keeps its caches.
#![deny(missing_docs)]
// Native builds have no preopens, and the tools have native tests of their own.
#![cfg(target_family = "wasm")]

mod compare;
mod embedder;

use std::cell::RefCell;
use std::rc::Rc;

use docent_api::Guest;
use docent_api::context::{ContextSearchAnswer, ContextSearchOptions};
use docent_api::documents::{
    Config, ListDocumentsOptions, ListFullTreeOptions, Listing, ReadDocumentAnswer,
    ReadDocumentOptions,
};
use docent_api::find::{FindFilesAnswer, FindFilesOptions};
use docent_api::patterns::{GrepAnswer, GrepOptions};
use docent_api::pillars::{ExploreAnswer, ExploreOptions};
use docent_api::search::{SearchDocumentsAnswer, SearchDocumentsOptions};
use docent_api::sections::{
    QueryDocumentAnswer, QueryDocumentOptions, SmartSearchAnswer, SmartSearchOptions,
    SummarizeDocumentAnswer, SummarizeDocumentOptions,
};
use docent_api::types::Error;
use docent_api::understanding::{UnderstandAnswer, UnderstandOptions};
use docent_api::writing::{
    ChangeAnswer, ChangeOptions, CreateDocumentOptions, DeleteDocumentOptions, Edit, ManageAnswer,
    ManageCommand, ManageOptions, WriteAnswer, WriteOptions,
};
use docent_fs::WasiDisk;
use docent_tools::{Docent, ToolSettings};

thread_local! {
    // The component model does not allow a host to enter an instance while a call in it is
    // under way, so calls never overlap and the cell is never borrowed twice. After a trap the
    // host drops the instance, so no call finds the state that an interrupted one has left.
    static DOCENT: RefCell<Docent<WasiDisk>> = RefCell::new(open_recovered());
}

/// Returns a docent over the preopened directories, after completing interrupted writes.
fn open_recovered() -> Docent<WasiDisk> {
    // The order matters: the environment is read and interrupted writes are completed before
    // the first call reads anything. A host that kills an instance in the middle of a write
    // makes a new one, whose first use passes here, so that no tool shows a tree of which some
    // files are old and some new.
    let mut docent = Docent::new(
        WasiDisk::from_preopens(),
        ToolSettings::from_lookup(docent_fs::variable),
    )
    .with_embedder(Rc::new(embedder::Imported));
    docent.recover();
    docent
}

/// The component's exports.
struct Component;

impl Guest for Component {
    fn explore(options: Option<ExploreOptions>) -> Result<ExploreAnswer, Error> {
        DOCENT.with_borrow_mut(|docent| docent.explore(options))
    }

    fn understand(options: Option<UnderstandOptions>) -> Result<UnderstandAnswer, Error> {
        DOCENT.with_borrow_mut(|docent| docent.understand(options))
    }

    fn search_documents(
        query: String,
        options: Option<SearchDocumentsOptions>,
    ) -> Result<SearchDocumentsAnswer, Error> {
        DOCENT.with_borrow_mut(|docent| docent.search_documents(query, options))
    }

    fn grep(pattern: String, options: Option<GrepOptions>) -> Result<GrepAnswer, Error> {
        DOCENT.with_borrow_mut(|docent| docent.grep(pattern, options))
    }

    fn find_files(options: Option<FindFilesOptions>) -> Result<FindFilesAnswer, Error> {
        DOCENT.with_borrow_mut(|docent| docent.find_files(options))
    }

    fn list_documents(options: Option<ListDocumentsOptions>) -> Result<Listing, Error> {
        DOCENT.with_borrow_mut(|docent| docent.list_documents(options))
    }

    fn list_full_tree(options: Option<ListFullTreeOptions>) -> Result<Listing, Error> {
        DOCENT.with_borrow_mut(|docent| docent.list_full_tree(options))
    }

    fn read_document(
        path: String,
        options: Option<ReadDocumentOptions>,
    ) -> Result<ReadDocumentAnswer, Error> {
        DOCENT.with_borrow_mut(|docent| docent.read_document(path, options))
    }

    fn query_document(
        path: String,
        query: String,
        options: Option<QueryDocumentOptions>,
    ) -> Result<QueryDocumentAnswer, Error> {
        DOCENT.with_borrow_mut(|docent| docent.query_document(path, query, options))
    }

    fn summarize_document(
        path: String,
        options: Option<SummarizeDocumentOptions>,
    ) -> Result<SummarizeDocumentAnswer, Error> {
        DOCENT.with_borrow_mut(|docent| docent.summarize_document(path, options))
    }

    fn smart_search(
        query: String,
        options: Option<SmartSearchOptions>,
    ) -> Result<SmartSearchAnswer, Error> {
        DOCENT.with_borrow_mut(|docent| docent.smart_search(query, options))
    }

    fn context_search(options: Option<ContextSearchOptions>) -> Result<ContextSearchAnswer, Error> {
        DOCENT.with_borrow_mut(|docent| docent.context_search(options))
    }

    fn change(edits: Vec<Edit>, options: Option<ChangeOptions>) -> Result<ChangeAnswer, Error> {
        DOCENT.with_borrow_mut(|docent| docent.change(edits, options))
    }

    fn write_file(path: String, options: Option<WriteOptions>) -> Result<WriteAnswer, Error> {
        DOCENT.with_borrow_mut(|docent| docent.write(path, options))
    }

    fn manage(
        command: ManageCommand,
        options: Option<ManageOptions>,
    ) -> Result<ManageAnswer, Error> {
        DOCENT.with_borrow_mut(|docent| docent.manage(command, options))
    }

    fn create_document(
        path: String,
        content: String,
        options: Option<CreateDocumentOptions>,
    ) -> Result<WriteAnswer, Error> {
        DOCENT.with_borrow_mut(|docent| docent.create_document(path, content, options))
    }

    fn delete_document(
        path: String,
        options: Option<DeleteDocumentOptions>,
    ) -> Result<WriteAnswer, Error> {
        DOCENT.with_borrow_mut(|docent| docent.delete_document(path, options))
    }

    fn get_config() -> Result<Config, Error> {
        DOCENT.with_borrow_mut(|docent| docent.get_config())
    }
}

docent_api::bindings::export!(Component with_types_in docent_api::bindings);
