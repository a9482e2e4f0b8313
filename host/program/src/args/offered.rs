//! The options for what a server offers.

use clap::Args;
use docent_host::grant::{Grants, Right};
use docent_host::tools::Tool;

use crate::serve::Answers;
use crate::terminal::error::CommandError;
use crate::terminal::tools::choose_tools;

/// The tools on offer, and the form of their answers.
#[derive(Debug, Args)]
pub struct Offered {
    /// Send answers as structured content instead of Markdown
    #[arg(long)]
    pub structured: bool,
    /// Offer these tools, separated by commas: `pillars`, `documents`, `all`, or names
    #[arg(
        long,
        value_name = "SET|NAME",
        value_delimiter = ',',
        default_value = "pillars"
    )]
    pub tools: Vec<String>,
}

impl Offered {
    /// Returns the tools to offer.
    ///
    /// # Errors
    /// Returns an error if a name is unknown, or if all tools write and no root may be written to.
    pub fn tools(&self, grants: &Grants) -> Result<Vec<&'static Tool>, CommandError> {
        let tools = choose_tools(&self.tools)?;
        if !may_write(grants) && tools.iter().all(|tool| !tool.read_only) {
            let problem = "`--tools` names tools that write, but no root is writable; grant one \
                           with `--root PATH:rw`";
            return Err(CommandError::Usage(problem.to_owned()));
        }
        Ok(tools)
    }

    /// Returns the form of the answers.
    pub fn answers(&self) -> Answers {
        if self.structured {
            Answers::Structured
        } else {
            Answers::Markdown
        }
    }
}

/// Returns true if a root is granted for writing.
pub fn may_write(grants: &Grants) -> bool {
    let mut all = grants.all().iter();
    all.any(|grant| grant.right() == Right::ReadWrite)
}
