//! Integration tests of the public interface.

mod slugs;
