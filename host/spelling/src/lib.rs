//! The spelling of names: kebab-case in the contract, camelCase in JSON. Build scripts and the
//! program have to agree on it.
#![forbid(unsafe_code)]

/// Converts a name to camelCase: `maxResults` for `max-results`, `max_results` and `maxResults`.
#[must_use]
pub fn camel_case(name: &str) -> String {
    let mut camel = String::with_capacity(name.len());
    let mut raise = false;
    for c in name.chars() {
        match c {
            '-' | '_' => raise = !camel.is_empty(),
            c if raise => {
                camel.extend(c.to_uppercase());
                raise = false;
            }
            c => camel.push(c),
        }
    }
    camel
}
