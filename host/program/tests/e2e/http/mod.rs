//! `docent serve`: the real program, spoken to in raw HTTP.

mod context;
mod gate;
mod lifecycle;
mod limits;
mod protocol;
mod server;
mod tokens;
