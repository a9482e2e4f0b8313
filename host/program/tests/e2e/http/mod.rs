//! `docent serve`: the real program, spoken to in raw HTTP.

mod context;
mod gate;
mod lifecycle;
mod limits;
mod page;
mod protocol;
mod resources;
mod server;
mod tokens;
