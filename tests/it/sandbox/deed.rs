//! The deeds of the misbehaving components.
//!
//! The build generates these enumerations from those of the components. A deed that no test uses is
//! a variant that is never constructed, which is an error here: each needs a test.
#![deny(dead_code)]

include!(concat!(env!("OUT_DIR"), "/deeds.rs"));

/// A deed with the argument of its word, as it is sent to a guest.
#[derive(Clone, Debug)]
pub struct Order(String);

impl GuestDeed {
    /// Returns the order to perform this deed on `object`.
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
    /// Returns the order as a query.
    pub fn query(&self) -> &str {
        &self.0
    }
}
