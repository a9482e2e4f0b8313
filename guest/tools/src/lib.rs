//! docent's tools, one per file or directory: request → validate → plan → walk → match → rank →
//! page → respond. Files are opened through `docent_tree` only, and nothing here depends on the
//! machine.
//!
//! A [`Docent`] answers calls, one method per tool, in the types of the contract. A cache makes a
//! call faster but never changes its answer.
//!
//! `limits` has the numbers that callers meet. `search_documents` is a good place to start reading.
//! Tools do not import each other; code that two of them need is in a crate below, or in the
//! modules beside them:
//!
//! * `paths`: the paths of a request, and similar ones;
//! * `part`: the part of a file that a path names;
//! * `paging`: the start of the next page, and the pages made of passages;
//! * `lexical`: the words of a query and names in texts, and similar words;
//! * `semantic`: the order by vectors, joined with the one by words;
//! * `question`: the arguments that questions share;
//! * `unsearched`: the files that a search left out;
//! * `writing`: the common parts of the tools that write;
//! * `contract`: results of the crates below in the types of the contract.
//!
//! `semantic` uses `lexical`, `paging` and `paths`; `paths` uses `part`.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod limits;
mod settings;

mod contract;
mod lexical;
mod paging;
mod part;
mod paths;
mod question;
mod semantic;
mod unsearched;
mod writing;

mod change;
mod context_search;
mod create_document;
mod delete_document;
mod explore;
mod find_files;
mod get_config;
mod listings;
mod manage;
mod query_document;
mod read_document;
mod search_documents;
mod smart_search;
mod summarize_document;
mod understand;
mod write;

pub use change::{NO_EDIT, NO_OPTIONS as NO_CHANGE_OPTIONS};
pub use explore::{NO_GREP_OPTIONS, NO_OPTIONS as NO_EXPLORE_OPTIONS};
pub use find_files::NO_OPTIONS as NO_FIND_OPTIONS;
pub use settings::ToolSettings;
pub use understand::NO_OPTIONS as NO_UNDERSTAND_OPTIONS;

use std::rc::Rc;

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
use docent_corpus::corpus::Corpus;
use docent_corpus::store::Store;
use docent_rank::embedder::{Embedder, NoEmbedder};
use docent_transaction::journal::Journal;
use docent_tree::disk::{Disk, WriteDisk};
use docent_tree::door::Consent;
use docent_tree::ignore::excluded::Exclusions;
use docent_tree::ignore::rules::Rules;
use docent_tree::write::Writable;

use change::PlanMemory;
use explore::ExploreCaches;
use find_files::names_cache::NamesCache;
use limits::{CACHE_GRAPH_SHARE, CACHE_NAMES_SHARE};
use paths::near_paths::{complete_blocked, with_near_paths};
use paths::request_paths::{PathArgument, ResolvedPaths};
use understand::graph_cache::GraphCache;

/// The table of tools, over the directories of one disk. `wit/world.wit` documents the arguments
/// and results of each tool.
#[derive(Debug)]
pub struct Docent<D> {
    corpus: Corpus<D>,
    settings: ToolSettings,
    names: NamesCache,
    explore: ExploreCaches,
    graphs: GraphCache,
    plans: PlanMemory,
}

impl<D: Disk> Docent<D> {
    /// Returns a docent for the directories that `disk` grants.
    pub fn new(disk: D, settings: ToolSettings) -> Self {
        let rules = Rules::parse(settings.exclude.iter().map(String::as_str));
        let roots = disk.roots();
        let roots = roots.iter().map(|root| root.name.as_str());
        let exclude = Exclusions::new(rules, roots, &settings.ignore_above);
        Self {
            names: NamesCache::new(settings.cache_bytes / CACHE_NAMES_SHARE),
            explore: ExploreCaches::default(),
            plans: PlanMemory::default(),
            graphs: GraphCache::new(settings.cache_bytes / CACHE_GRAPH_SHARE),
            corpus: Corpus {
                default_root: settings.default_root.clone(),
                exclude,
                store: Store::new(settings.cache_bytes)
                    .with_readers(disk.extractor(), settings.reading_ms()),
                // The order of the fields matters: the store takes its readers from the disk,
                // which moves into the corpus after that.
                disk,
                embedder: Rc::new(NoEmbedder),
            },
            settings,
        }
    }

    /// Sets the embedder for semantic ranking; without one, ranking is only lexical.
    #[must_use]
    pub fn with_embedder(mut self, embedder: Rc<dyn Embedder>) -> Self {
        self.corpus.embedder = embedder;
        self
    }

    /// Returns the disk.
    pub fn disk(&self) -> &D {
        &self.corpus.disk
    }

    /// Finds and reads in one call.
    ///
    /// # Errors
    /// For a request that cannot be served; never for a file that cannot be read.
    pub fn explore(&mut self, options: Option<ExploreOptions>) -> Result<ExploreAnswer, Error> {
        let mut options = options.unwrap_or(NO_EXPLORE_OPTIONS);
        let ExploreOptions {
            root,
            paths,
            full_paths,
            ..
        } = &mut options;
        let paths = paths.iter_mut().chain(full_paths).flatten();
        let asked = self.resolve(root, paths.map(PathArgument::from_existing))?;
        let answer = explore::explore(&mut self.corpus, &self.settings, &mut self.explore, options);
        let mut answer =
            answer.map_err(|error| with_near_paths(&mut self.corpus, &asked, error))?;
        complete_blocked(&mut self.corpus, asked.root.as_ref(), &mut answer.blocked);
        Ok(answer)
    }

    /// Returns references between files, and the structure of what they contain.
    ///
    /// # Errors
    /// For a request that cannot be served; never for a file that cannot be read.
    pub fn understand(
        &mut self,
        options: Option<UnderstandOptions>,
    ) -> Result<UnderstandAnswer, Error> {
        let mut options = options.unwrap_or(NO_UNDERSTAND_OPTIONS);
        let paths = options.paths.iter_mut().flatten();
        let asked = self.resolve(&mut options.root, paths.map(PathArgument::from_existing))?;
        let answer = understand::understand(&mut self.corpus, &mut self.graphs, options);
        answer.map_err(|error| with_near_paths(&mut self.corpus, &asked, error))
    }

    /// Finds a text in all documents.
    ///
    /// # Errors
    /// For a request that cannot be served; never for a document that cannot be read.
    pub fn search_documents(
        &mut self,
        query: String,
        options: Option<SearchDocumentsOptions>,
    ) -> Result<SearchDocumentsAnswer, Error> {
        let mut options = options.unwrap_or(search_documents::NO_OPTIONS);
        let path = options.path.iter_mut().map(PathArgument::from_existing);
        let asked = self.resolve(&mut options.root, path)?;
        let answer =
            search_documents::search_documents(&mut self.corpus, &self.settings, query, options);
        answer.map_err(|error| with_near_paths(&mut self.corpus, &asked, error))
    }

    /// Finds every line that a pattern matches.
    ///
    /// # Errors
    /// For a request that cannot be served; never for a file that cannot be read.
    pub fn grep(
        &mut self,
        pattern: String,
        options: Option<GrepOptions>,
    ) -> Result<GrepAnswer, Error> {
        let mut options = options.unwrap_or(explore::NO_GREP_OPTIONS);
        let paths = options.paths.iter_mut().flatten();
        let asked = self.resolve(&mut options.root, paths.map(PathArgument::from_existing))?;
        let answer = explore::grep(
            &mut self.corpus,
            &self.settings,
            &mut self.explore,
            &pattern,
            &options,
        );
        let mut answer =
            answer.map_err(|error| with_near_paths(&mut self.corpus, &asked, error))?;
        complete_blocked(&mut self.corpus, asked.root.as_ref(), &mut answer.blocked);
        Ok(answer)
    }

    /// Finds files by time.
    ///
    /// # Errors
    /// For a request that cannot be served; `limit-reached` if no cursor can express the position
    /// at which to continue.
    pub fn find_files(
        &mut self,
        options: Option<FindFilesOptions>,
    ) -> Result<FindFilesAnswer, Error> {
        let mut options = options.unwrap_or(find_files::NO_OPTIONS);
        let path = options.path.iter_mut().map(PathArgument::strict);
        let asked = self.resolve(&mut options.root, path)?;
        let answer =
            find_files::find_files(&mut self.corpus, &self.settings, &mut self.names, options);
        answer.map_err(|error| with_near_paths(&mut self.corpus, &asked, error))
    }

    /// Lists the direct entries of a directory.
    ///
    /// # Errors
    /// For a request that cannot be served.
    pub fn list_documents(
        &mut self,
        options: Option<ListDocumentsOptions>,
    ) -> Result<Listing, Error> {
        let mut options = options.unwrap_or(listings::list_documents::NO_OPTIONS);
        let path = options.path.iter_mut().map(PathArgument::from_existing);
        let asked = self.resolve(&mut options.root, path)?;
        let answer = listings::list_documents::list_documents(&mut self.corpus, options);
        answer.map_err(|error| with_near_paths(&mut self.corpus, &asked, error))
    }

    /// Lists all entries below a directory.
    ///
    /// # Errors
    /// For a request that cannot be served.
    pub fn list_full_tree(
        &mut self,
        options: Option<ListFullTreeOptions>,
    ) -> Result<Listing, Error> {
        let mut options = options.unwrap_or(listings::list_full_tree::NO_OPTIONS);
        let path = options.path.iter_mut().map(PathArgument::from_existing);
        let asked = self.resolve(&mut options.root, path)?;
        let answer = listings::list_full_tree::list_full_tree(&mut self.corpus, options);
        answer.map_err(|error| with_near_paths(&mut self.corpus, &asked, error))
    }

    /// Reads a document, or a part of it.
    ///
    /// # Errors
    /// For a request that cannot be served, and for a document that cannot be read.
    pub fn read_document(
        &mut self,
        mut path: String,
        options: Option<ReadDocumentOptions>,
    ) -> Result<ReadDocumentAnswer, Error> {
        let mut options = options.unwrap_or(read_document::NO_OPTIONS);
        let asked = self.resolve(&mut options.root, [PathArgument::from_existing(&mut path)])?;
        let answer = read_document::read_document(&mut self.corpus, path, options);
        answer.map_err(|error| with_near_paths(&mut self.corpus, &asked, error))
    }

    /// Finds documents by their metadata.
    ///
    /// # Errors
    /// For a request that cannot be served; never for a document that cannot be read.
    pub fn context_search(
        &mut self,
        options: Option<ContextSearchOptions>,
    ) -> Result<ContextSearchAnswer, Error> {
        let mut options = options.unwrap_or(context_search::NO_OPTIONS);
        let path = options.path.iter_mut().map(PathArgument::from_existing);
        let asked = self.resolve(&mut options.root, path)?;
        let answer = context_search::context_search(&mut self.corpus, options);
        answer.map_err(|error| with_near_paths(&mut self.corpus, &asked, error))
    }

    /// Finds the documents and sections that answer a question best.
    ///
    /// # Errors
    /// For a request that cannot be served; never for a document that cannot be read.
    pub fn smart_search(
        &mut self,
        query: String,
        options: Option<SmartSearchOptions>,
    ) -> Result<SmartSearchAnswer, Error> {
        let mut options = options.unwrap_or(smart_search::NO_OPTIONS);
        let path = options.path.iter_mut().map(PathArgument::from_existing);
        let asked = self.resolve(&mut options.root, path)?;
        let answer = smart_search::smart_search(&mut self.corpus, &self.settings, query, options);
        answer.map_err(|error| with_near_paths(&mut self.corpus, &asked, error))
    }

    /// Finds the sections of one document that answer a question best.
    ///
    /// # Errors
    /// For a request that cannot be served, and for a document that cannot be read.
    pub fn query_document(
        &mut self,
        mut path: String,
        query: String,
        options: Option<QueryDocumentOptions>,
    ) -> Result<QueryDocumentAnswer, Error> {
        let mut options = options.unwrap_or(query_document::NO_OPTIONS);
        let asked = self.resolve(&mut options.root, [PathArgument::from_existing(&mut path)])?;
        let answer = query_document::query_document(&mut self.corpus, path, query, options);
        answer.map_err(|error| with_near_paths(&mut self.corpus, &asked, error))
    }

    /// Summarizes a document.
    ///
    /// # Errors
    /// For a request that cannot be served, and for a document that cannot be read.
    pub fn summarize_document(
        &mut self,
        mut path: String,
        options: Option<SummarizeDocumentOptions>,
    ) -> Result<SummarizeDocumentAnswer, Error> {
        let mut options = options.unwrap_or(summarize_document::NO_OPTIONS);
        let asked = self.resolve(&mut options.root, [PathArgument::from_existing(&mut path)])?;
        let answer = summarize_document::summarize_document(&mut self.corpus, path, options);
        answer.map_err(|error| with_near_paths(&mut self.corpus, &asked, error))
    }
}

impl<D: Disk> Docent<D> {
    /// Resolves the paths of a request to ones below a root, sets `root` to its name, and returns
    /// both.
    fn resolve<'a>(
        &self,
        root: &mut Option<String>,
        paths: impl IntoIterator<Item = PathArgument<'a>>,
    ) -> Result<ResolvedPaths, Error> {
        paths::request_paths::resolve(&self.corpus, root, paths)
    }
}

impl<D: WriteDisk> Docent<D> {
    /// Returns the configuration of docent.
    ///
    /// # Errors
    /// None.
    pub fn get_config(&mut self) -> Result<Config, Error> {
        get_config::get_config(&self.corpus, &self.settings)
    }

    /// Recovers from interrupted writes in the writable roots. Called once, before anything in them
    /// is read; later each tool that writes does so itself.
    pub fn recover(&mut self) {
        for index in 0..self.corpus.disk.roots().len() {
            let Ok(root) = Writable::root(&self.corpus.disk, index, Consent::Withheld) else {
                continue;
            };
            if let Ok(state) = Writable::state(&self.corpus.disk, index) {
                // A failed recovery must not prevent reading. The tools that write recover
                // again, and report the failure.
                let _ = Journal::new(&root, state.as_ref()).recover();
            }
        }
    }

    /// Edits files, and creates, renames and removes files according to a diff.
    ///
    /// # Errors
    /// For a request that cannot be served; then nothing was written.
    pub fn change(
        &mut self,
        mut edits: Vec<Edit>,
        options: Option<ChangeOptions>,
    ) -> Result<ChangeAnswer, Error> {
        let mut options = options.unwrap_or(NO_CHANGE_OPTIONS);
        self.plans.complete(&mut edits, &mut options)?;
        let ChangeOptions {
            root, path, expect, ..
        } = &mut options;
        let edited = edits
            .iter_mut()
            .flat_map(|edit| edit.path.iter_mut().chain(&mut edit.move_));
        let expected = expect.iter_mut().flatten().map(|one| &mut one.path);
        let paths = path.iter_mut().chain(edited).chain(expected);
        let asked = self.resolve(root, paths.map(PathArgument::new))?;
        // The edits are copied before the call, because it consumes them, and stored only if it
        // has shown a plan: a plan that is stored can be written by its id alone.
        let is_dry_run = options.dry_run != Some(false);
        let shown = is_dry_run.then(|| (edits.clone(), options.clone()));
        let answer = change::change(&mut self.corpus, &self.settings, edits, options);
        if let (Ok(answer), Some((edits, options))) = (&answer, shown)
            && let Some(id) = &answer.plan_id
        {
            self.plans.keep(id, edits, options);
        }
        answer.map_err(|error| with_near_paths(&mut self.corpus, &asked, error))
    }

    /// Creates or replaces a file.
    ///
    /// # Errors
    /// For a request that cannot be served; then nothing was written.
    pub fn write(
        &mut self,
        mut path: String,
        options: Option<WriteOptions>,
    ) -> Result<WriteAnswer, Error> {
        let mut options = options.unwrap_or(write::NO_OPTIONS);
        let asked = self.resolve(&mut options.root, [PathArgument::new(&mut path)])?;
        let answer = write::write(&mut self.corpus, &self.settings, path, options);
        answer.map_err(|error| with_near_paths(&mut self.corpus, &asked, error))
    }

    /// Undoes and manages what was written.
    ///
    /// # Errors
    /// For a request that cannot be served; then nothing was written.
    pub fn manage(
        &mut self,
        command: ManageCommand,
        options: Option<ManageOptions>,
    ) -> Result<ManageAnswer, Error> {
        let mut options = options.unwrap_or(manage::NO_OPTIONS);
        let target = options.target.iter_mut().map(PathArgument::new);
        let asked = self.resolve(&mut options.root, target)?;
        let answer = manage::manage(&mut self.corpus, &self.settings, command, options);
        answer.map_err(|error| with_near_paths(&mut self.corpus, &asked, error))
    }

    /// Creates a document.
    ///
    /// # Errors
    /// For a request that cannot be served; then nothing was written.
    pub fn create_document(
        &mut self,
        mut path: String,
        content: String,
        options: Option<CreateDocumentOptions>,
    ) -> Result<WriteAnswer, Error> {
        let mut options = options.unwrap_or(create_document::NO_OPTIONS);
        let asked = self.resolve(&mut options.root, [PathArgument::new(&mut path)])?;
        let answer = create_document::create_document(
            &mut self.corpus,
            &self.settings,
            path,
            content,
            options,
        );
        answer.map_err(|error| with_near_paths(&mut self.corpus, &asked, error))
    }

    /// Deletes a document.
    ///
    /// # Errors
    /// For a request that cannot be served; then nothing was removed.
    pub fn delete_document(
        &mut self,
        mut path: String,
        options: Option<DeleteDocumentOptions>,
    ) -> Result<WriteAnswer, Error> {
        let mut options = options.unwrap_or(delete_document::NO_OPTIONS);
        let asked = self.resolve(&mut options.root, [PathArgument::from_existing(&mut path)])?;
        let answer =
            delete_document::delete_document(&mut self.corpus, &self.settings, path, options);
        answer.map_err(|error| with_near_paths(&mut self.corpus, &asked, error))
    }
}
