//! The environment of the process.

/// Returns the environment variable `name`, or `None` if it is unset or not UTF-8.
#[must_use]
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
