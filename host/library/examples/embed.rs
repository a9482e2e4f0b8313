//! Grants one directory to docent and searches it through typed functions.
//!
//! ```sh
//! cargo run --release -p docent-host --example embed -- WORD DIRECTORY
//! ```

use std::error::Error;

use docent_host::contract::SearchDocumentsOptions;
use docent_host::grant::{Grants, Right, RootSpec};
use docent_host::{Limits, Session, Settings};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(word), Some(directory)) = (arguments.next(), arguments.next()) else {
        return Err("usage: embed WORD DIRECTORY".into());
    };

    // The component can read this directory and reach nothing else on the machine.
    let root = RootSpec {
        name: None,
        path: directory.into(),
        right: Right::ReadOnly,
        sensitive: false,
    };
    let grants = Grants::resolve_ambient(&[root], None)?;
    let mut session = Session::load(grants, Settings::default(), Limits::default())?;

    let options = SearchDocumentsOptions {
        root: None,
        path: None,
        case_sensitive: None,
        context_chars: Some(30),
        max_results: Some(3),
        mode: None,
        limit: Some(10),
        extensions: None,
        cursor: None,
        max_tokens: None,
        timeout_ms: None,
    };
    let found = session.call_typed(async |docent, store| {
        docent
            .call_search_documents(store, &word, Some(&options))
            .await
    })?;
    match found {
        Ok(answer) => {
            for document in &answer.results {
                println!("{} ({} hits)", document.path, document.match_count);
                for hit in &document.matches {
                    println!("  line {}: {}", hit.line, hit.excerpt);
                }
            }
            Ok(())
        }
        Err(refusal) => Err(format!("{}. {}", refusal.message, refusal.hint).into()),
    }
}
