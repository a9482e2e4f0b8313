//! `docent serve`: the real program, spoken to in raw HTTP.

mod context;
mod gate;
mod lifecycle;
mod limits;
mod page;
mod protocol;
pub mod server;
mod tokens;
