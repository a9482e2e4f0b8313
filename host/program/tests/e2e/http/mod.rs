//! `docent serve`: tests of the real program with raw HTTP requests.

mod context;
mod gate;
mod lifecycle;
mod limits;
mod page;
mod protocol;
mod resources;
pub mod server;
mod tokens;
