//! Times in answers, as people read them.

use chrono::{DateTime, TimeZone};

/// Formats a time in an answer as local time in `zone`, to the minute.
pub fn local<Z: TimeZone>(time: &str, zone: &Z) -> String
where
    Z::Offset: std::fmt::Display,
{
    match DateTime::parse_from_rfc3339(time) {
        Ok(time) => time
            .with_timezone(zone)
            .format("%Y-%m-%d %H:%M")
            .to_string(),
        Err(_) => time.to_owned(),
    }
}
