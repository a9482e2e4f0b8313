//! `docent serve`: the real program, spoken to in raw HTTP.

mod context;
mod gate;
mod lifecycle;
mod limits;
mod page;
mod protocol;
mod resources;
pub mod server;
mod tokens;
