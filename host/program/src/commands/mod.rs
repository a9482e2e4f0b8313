//! The commands, one in each file or folder: its arguments, its start `run`, and its logic.
//!
//! Each has the name of its file. Parts that several of them share are in `args`, `writing`,
//! `references` and `terminal`.

use clap::Subcommand;

pub mod apply;
pub mod call;
pub mod component;
pub mod doctor;
pub mod edit;
pub mod embed;
pub mod explore;
pub mod find;
pub mod generate;
pub mod grep;
pub mod help;
pub mod history;
pub mod links;
pub mod log;
pub mod mcp;
pub mod mv;
pub mod query;
pub mod redo;
pub mod search;
pub mod serve;
pub mod setup;
pub mod summary;
pub mod tags;
pub mod token;
pub mod tools;
pub mod understand;
pub mod undo;
pub mod write;

// In the order of the help. Without a doc comment, which clap would show for the program.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find text in documents and show each hit
    Search(search::SearchArgs),
    /// Print every line that a regular expression matches
    Grep(grep::GrepArgs),
    /// Find files by time, newest first
    Find(find::FindArgs),
    /// Show the contents of files and directories, or the best answers to a query
    Explore(explore::ExploreArgs),
    /// Show the sections that answer a question
    Query(query::QueryArgs),
    /// Show the structure and dependencies of files, and good starting points
    Understand(understand::UnderstandArgs),
    /// List links, and which of them are broken
    Links(links::LinksArgs),
    /// Summarize documents
    Summary(summary::SummaryArgs),
    /// Find documents by tags, title, category and dates
    Tags(tags::TagsArgs),
    /// Edit a file: a text, a section, lines, or something to add
    // It has by far the most options.
    Edit(Box<edit::EditArgs>),
    /// Apply a patch to files, to all of them or none
    Apply(apply::ApplyArgs),
    /// Create a file, or replace it
    Write(write::WriteArgs),
    /// Move a file or a directory
    Mv(mv::MvArgs),
    /// List changes
    History(history::HistoryArgs),
    /// Undo a change
    Undo(undo::UndoArgs),
    /// Redo an undone change
    Redo(redo::RedoArgs),
    /// Embed all passages in advance, for semantic ranking
    Embed(embed::EmbedArgs),
    /// Connect installed MCP clients, and test the connection
    Setup(setup::SetupArgs),
    /// Offer the tools over MCP on stdin and stdout
    Mcp(mcp::McpArgs),
    /// Offer the tools over HTTP, to agents and scripts
    Serve(serve::ServeArgs),
    /// Manage the tokens of HTTP clients
    #[command(subcommand)]
    Token(token::TokenCommand),
    /// Show and verify the log of calls
    #[command(subcommand)]
    Log(log::LogCommand),
    /// Call one tool and print its answer
    Call(call::CallArgs),
    /// List the tools and their arguments
    Tools(tools::ToolsArgs),
    /// Show the grants and test docent
    Doctor(doctor::DoctorArgs),
    /// Write the WebAssembly component to stdout, for use in other hosts
    Component(component::ComponentArgs),
    /// Explain a command, or show a page of the book
    Help(help::HelpArgs),
    /// Print the completions of a shell, or write the manual pages
    // For whoever makes packages; people get both with a package.
    #[command(subcommand, hide = true)]
    Generate(generate::GenerateCommand),
}
