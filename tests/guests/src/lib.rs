//! A misbehaving component with docent's exports. The query of `search-documents` selects its deed:
//! a word, followed by a colon and the word's argument if it has one. Its findings are returned as
//! the message of a refusal.
#![cfg(target_family = "wasm")]
#![deny(dead_code)]

mod files;
mod greed;

use docent_api::Guest;
use docent_api::bindings::export;
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
use docent_api::types::{Error, ErrorCode};
use docent_api::understanding::{UnderstandAnswer, UnderstandOptions};
use docent_api::writing::{
    ChangeAnswer, ChangeOptions, CreateDocumentOptions, DeleteDocumentOptions, Edit, ManageAnswer,
    ManageCommand, ManageOptions, WriteAnswer, WriteOptions,
};
use docent_test_deeds::GuestDeed;

struct Hostile;

export!(Hostile with_types_in docent_api::bindings);

impl Guest for Hostile {
    fn explore(_options: Option<ExploreOptions>) -> Result<ExploreAnswer, Error> {
        Err(told(String::new()))
    }

    fn understand(_options: Option<UnderstandOptions>) -> Result<UnderstandAnswer, Error> {
        Err(told(String::new()))
    }

    fn search_documents(
        query: String,
        _options: Option<SearchDocumentsOptions>,
    ) -> Result<SearchDocumentsAnswer, Error> {
        let (word, argument) = query.split_once(':').unwrap_or((&query, ""));
        Err(told(match GuestDeed::from_word(word) {
            Some(deed) => do_the_deed(deed, argument),
            None => format!("no deed is called `{word}`"),
        }))
    }

    fn grep(_pattern: String, _options: Option<GrepOptions>) -> Result<GrepAnswer, Error> {
        Err(told(String::new()))
    }

    fn find_files(_options: Option<FindFilesOptions>) -> Result<FindFilesAnswer, Error> {
        Err(told(String::new()))
    }

    fn list_documents(_options: Option<ListDocumentsOptions>) -> Result<Listing, Error> {
        Err(told(String::new()))
    }

    fn list_full_tree(_options: Option<ListFullTreeOptions>) -> Result<Listing, Error> {
        Err(told(String::new()))
    }

    fn read_document(
        _path: String,
        _options: Option<ReadDocumentOptions>,
    ) -> Result<ReadDocumentAnswer, Error> {
        Err(told(String::new()))
    }

    fn query_document(
        _path: String,
        _query: String,
        _options: Option<QueryDocumentOptions>,
    ) -> Result<QueryDocumentAnswer, Error> {
        Err(told(String::new()))
    }

    fn summarize_document(
        _path: String,
        _options: Option<SummarizeDocumentOptions>,
    ) -> Result<SummarizeDocumentAnswer, Error> {
        Err(told(String::new()))
    }

    fn smart_search(
        _query: String,
        _options: Option<SmartSearchOptions>,
    ) -> Result<SmartSearchAnswer, Error> {
        Err(told(String::new()))
    }

    fn context_search(
        _options: Option<ContextSearchOptions>,
    ) -> Result<ContextSearchAnswer, Error> {
        Err(told(String::new()))
    }

    fn change(_edits: Vec<Edit>, _options: Option<ChangeOptions>) -> Result<ChangeAnswer, Error> {
        Err(told(String::new()))
    }

    fn write_file(_path: String, _options: Option<WriteOptions>) -> Result<WriteAnswer, Error> {
        Err(told(String::new()))
    }

    fn manage(
        _command: ManageCommand,
        _options: Option<ManageOptions>,
    ) -> Result<ManageAnswer, Error> {
        Err(told(String::new()))
    }

    fn create_document(
        _path: String,
        _content: String,
        _options: Option<CreateDocumentOptions>,
    ) -> Result<WriteAnswer, Error> {
        Err(told(String::new()))
    }

    fn delete_document(
        _path: String,
        _options: Option<DeleteDocumentOptions>,
    ) -> Result<WriteAnswer, Error> {
        Err(told(String::new()))
    }

    fn get_config() -> Result<Config, Error> {
        Err(told(String::new()))
    }
}

fn told(message: String) -> Error {
    Error {
        code: ErrorCode::InternalError,
        message,
        hint: String::new(),
    }
}

fn do_the_deed(deed: GuestDeed, argument: &str) -> String {
    match deed {
        GuestDeed::Behave => "behaved".to_owned(),
        GuestDeed::Environment => environment(),
        GuestDeed::Panic => {
            std::panic::set_hook(Box::new(|_| {}));
            panic!("quietly");
        }
        GuestDeed::PanicAtLength => panic!("{}", "why not? ".repeat(100_000)),
        GuestDeed::Exit => std::process::exit(0),
        GuestDeed::Loop => greed::compute(),
        GuestDeed::Recurse => greed::recurse(argument.len() as u64 + 1).to_string(),
        GuestDeed::Allocate => greed::allocate(),
        GuestDeed::Sleep => greed::sleep(),
        GuestDeed::SleepOften => greed::sleep_often(),
        GuestDeed::WaitForInput => greed::wait_for_input(),
        GuestDeed::Print => greed::print(),
        GuestDeed::Complain => greed::complain(),
        GuestDeed::Answer => "x".repeat(argument.parse().unwrap_or_default()),
        GuestDeed::HoldDescriptors => greed::hold_descriptors(),
        GuestDeed::HoldStreams => greed::hold_streams(),
        GuestDeed::HoldPollables => greed::hold_pollables(),
        GuestDeed::PollMany => greed::poll_many(),
        GuestDeed::AskTheTime => greed::ask_the_time(),
        GuestDeed::AskForStatus => greed::ask_for_status(),
        GuestDeed::ReadMuch => files::read_much(argument),
        GuestDeed::Open => files::open(argument),
        GuestDeed::Look => files::look(argument),
        GuestDeed::Links => files::links(argument),
        GuestDeed::Change => files::change(argument),
        GuestDeed::Replace => files::replace(argument),
        GuestDeed::Keep => files::keep(argument),
        GuestDeed::Put => files::put(argument),
        GuestDeed::WriteState => files::write_state(),
        GuestDeed::Flood => greed::flood(),
    }
}

fn environment() -> String {
    let names: Vec<String> = std::env::vars_os()
        .map(|(name, _)| name.to_string_lossy().into_owned())
        .collect();
    let arguments = wasi::cli::environment::get_arguments();
    let directory = wasi::cli::environment::initial_cwd();
    format!(
        "{}|{}|{}",
        names.join(" "),
        arguments.join(" "),
        directory.unwrap_or_default()
    )
}
