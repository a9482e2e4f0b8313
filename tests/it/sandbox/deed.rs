//! What the components that misbehave are told to do.
//!
//! The build writes these enumerations from those that the components know. A deed that no test
//! names is a variant that is never constructed, and that is an error here: each deserves a test.
#![deny(dead_code)]

include!(concat!(env!("OUT_DIR"), "/deeds.rs"));

/// A deed with what its word needs, as a guest is told.
#[derive(Clone, Debug)]
pub struct Order(String);

impl GuestDeed {
    /// Returns the order to do this to `object`.
    pub fn to(self, object: impl std::fmt::Display) -> Order {
        Order(format!("{}:{object}", self.word()))
    }
}

impl From<GuestDeed> for Order {
    fn from(deed: GuestDeed) -> Self {
        Self(deed.word().to_owned())
    }
}

impl Order {
    /// Returns it as a query.
    pub fn query(&self) -> &str {
        &self.0
    }
}
