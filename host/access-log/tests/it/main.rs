//! Tests of a whole log: it is written, read, and changed by somebody who must be detected.

mod laws;
mod log;
mod tampering;
