//! Tests of writing through the host.

mod at_once;
mod files;
