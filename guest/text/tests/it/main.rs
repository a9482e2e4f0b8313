//! Comparisons with external references: the tables and texts of other projects.

mod korean;
mod tokens;
