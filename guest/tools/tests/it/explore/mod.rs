//! `explore` on trees in memory: what comes for which request, and the laws that every answer
//! keeps.

mod advice;
mod answers;
mod code;
mod data;
mod laws;
mod literal;
mod meaning;
mod packs;
mod parts;
mod pattern;
mod support;
