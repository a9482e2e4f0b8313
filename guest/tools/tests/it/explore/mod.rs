//! `explore` on trees in memory: the answers by kind of request, and the laws that every answer
//! keeps.

mod advice;
mod answers;
mod code;
mod data;
mod laws;
mod literal;
mod packs;
mod parts;
mod pattern;
mod semantic;
mod support;
