//! A log as a whole: written, read, and changed by somebody who must be found out.

mod laws;
mod log;
mod tampering;
