//! What the tools that write share: a root that may be written to, files that are there, places for
//! those that are not, who links to either, which links a new one mends, templates for their text, what is told of them, and the
//! refusals of a transaction.

pub mod file;
pub mod front_matter;
pub mod mended;
pub mod place;
pub mod recorded;
pub mod refusal;
pub mod root;
pub mod shown;
pub mod survey;
pub mod template;
pub mod whole;
