//! The criteria of a search by metadata: matching documents, and scoring the matches.

use std::ops::Range;

use docent_api::context::{ContextQuery, ContextSearchOptions, DateField, DateRange, Operator};
use docent_api::types::Error;

use crate::contract;
use crate::limits::{CRITERION_CHARS, CRITERION_TAGS};
use docent_document::dates::Date;
use docent_document::limits::TAG_CHARS;
use docent_document::metadata::{Category, Metadata, fold_text};
use docent_text::matching::finder::{Case, Finder};
use docent_text::time::iso_8601;
use docent_tree::error::invalid;

/// Points for each part of a score.
mod points {
    // The points are documented in `wit/context.wit`, so that a caller can verify a score by
    // adding up its parts.
    pub const TAG: u32 = 30;
    pub const TAG_PREFIX: u32 = 15;
    pub const TITLE: u32 = 25;
    pub const OCCURRENCE: u32 = 10;
    pub const OCCURRENCES: u32 = 50;
    pub const WEEK: u32 = 5;
    pub const MONTH: u32 = 2;
    pub const MOST: u32 = 100;
}

const MILLISECONDS_PER_DAY: i64 = 86_400_000;

/// Options without any criterion.
pub const NO_OPTIONS: ContextSearchOptions = ContextSearchOptions {
    tags: None,
    content: None,
    title: None,
    category: None,
    date_range: None,
    date_field: None,
    operator: None,
    root: None,
    path: None,
    limit: None,
    cursor: None,
};

/// Criteria of a request in valid form.
#[derive(Debug)]
pub struct Criteria {
    /// Tags, case-folded, without `#`, each once.
    tags: Vec<String>,
    content: Option<(String, Finder)>,
    title: Option<(String, Finder)>,
    category: Option<Category>,
    /// First and last millisecond since 1970.
    range: Option<(i64, i64)>,
    bounds: (Option<i64>, Option<i64>),
    date_field: DateField,
    operator: Operator,
}

/// Match of a document with the criteria.
#[derive(Debug, PartialEq, Eq)]
pub struct CriteriaMatch {
    /// Points without those for recency.
    points: u32,
    /// Descriptions of the parts of the points.
    why: Vec<String>,
    /// Byte range of the first occurrence of the content in the text.
    pub first: Option<Range<usize>>,
}

impl Criteria {
    /// Parses the criteria of a request.
    ///
    /// # Errors
    /// `invalid-request` if there are none, or one is malformed.
    pub fn parse(options: &ContextSearchOptions) -> Result<Self, Error> {
        let mut tags: Vec<String> = Vec::new();
        let option_tags = options.tags.as_deref().unwrap_or_default();
        if option_tags.len() > CRITERION_TAGS {
            return Err(invalid(
                format!(
                    "`tags` holds {}; expected at most {CRITERION_TAGS}",
                    option_tags.len()
                ),
                "Name the tags that matter most, or ask in several calls.",
            ));
        }
        for tag in option_tags {
            let plain = fold_text(tag.trim().trim_start_matches('#'));
            if !(1..=TAG_CHARS).contains(&plain.chars().count()) {
                return Err(invalid(
                    format!("`tags` holds `{tag}`; expected 1 to {TAG_CHARS} characters"),
                    "Name tags as documents write them, with or without `#`.",
                ));
            }
            // Each tag is a criterion with points of its own, so `Rust` and `#rust` must not
            // count twice.
            if !tags.contains(&plain) {
                tags.push(plain);
            }
        }
        let (start, end) = match &options.date_range {
            Some(DateRange { start, end }) => (date("start", start)?, date("end", end)?),
            None => (None, None),
        };
        let bounds = (start.map(Date::start), end.map(|end| *end.span().end()));
        if let (Some(first), Some(last)) = bounds
            && first > last
        {
            return Err(invalid(
                "`dateRange` starts after its end; expected the earlier date as `start`",
                "Exchange start and end.",
            ));
        }
        let has_range = bounds.0.is_some() || bounds.1.is_some();
        let criteria = Self {
            tags,
            content: text("content", options.content.as_deref())?,
            title: text("title", options.title.as_deref())?,
            category: options.category.map(contract::category),
            range: has_range.then(|| (bounds.0.unwrap_or(i64::MIN), bounds.1.unwrap_or(i64::MAX))),
            bounds,
            date_field: options.date_field.unwrap_or(DateField::Modified),
            operator: options.operator.unwrap_or(Operator::And),
        };
        if criteria.is_empty() {
            return Err(invalid(
                "no criterion is given; expected `tags`, `content`, `title`, `category` or `dateRange`",
                "Give at least one of tags, content, title, category and dateRange, each in the documented form.",
            ));
        }
        Ok(criteria)
    }

    fn is_empty(&self) -> bool {
        self.tags.is_empty()
            && self.content.is_none()
            && self.title.is_none()
            && self.category.is_none()
            && self.range.is_none()
    }

    /// Returns the match of a document with the criteria, or `None` if it does not match.
    /// `modified` is its modification time.
    pub fn meet(
        &self,
        metadata: &Metadata,
        text: &str,
        modified: Option<Date>,
    ) -> Option<CriteriaMatch> {
        let mut criteria_match = CriteriaMatch {
            points: 0,
            why: Vec::new(),
            first: None,
        };
        // A value for each criterion of the request. Absent ones have no effect, whatever the
        // operator is.
        let mut met = Vec::new();
        let own: Vec<String> = metadata.tags.iter().map(|tag| fold_text(tag)).collect();
        // All tags are checked even with `or`, where one would suffice: each match adds its
        // points, so a document with two of the tags ranks above one with a single tag.
        for tag in &self.tags {
            let is_equal = own.contains(tag);
            // Any proper prefix counts: `web` matches `web/api`, and `webapp` as well.
            let is_prefix = own.iter().any(|own| own.starts_with(tag.as_str()));
            if is_equal {
                criteria_match.add(points::TAG, format!("tag `{tag}`"));
            } else if is_prefix {
                criteria_match.add(points::TAG_PREFIX, format!("tag that begins with `{tag}`"));
            }
            met.push(is_equal || is_prefix);
        }
        if let Some((title, finder)) = &self.title {
            let holds = finder.hits(&metadata.title).next().is_some();
            if holds {
                criteria_match.add(points::TITLE, format!("title holds `{title}`"));
            }
            met.push(holds);
        }
        if let Some((_, finder)) = &self.content {
            // The front matter is searched by the other criteria: a title in it must not count
            // as content as well.
            let mut hits = finder.hits(&text[metadata.body..]);
            let first = hits.next();
            if let Some(first) = &first {
                criteria_match.first = Some(first.start + metadata.body..first.end + metadata.body);
                let times = 1 + u32::try_from(hits.count()).unwrap_or(u32::MAX - 1);
                let points = times
                    .saturating_mul(points::OCCURRENCE)
                    .min(points::OCCURRENCES);
                let word = if times == 1 { "time" } else { "times" };
                criteria_match.add(points, format!("content {times} {word}"));
            }
            met.push(first.is_some());
        }
        if let Some(category) = self.category {
            met.push(metadata.category == Some(category));
        }
        if let Some((first, last)) = self.range {
            let date = match self.date_field {
                DateField::Created => metadata.created,
                DateField::Modified => modified,
            };
            // A date without a time covers all milliseconds of its day, and one of them in the
            // range is enough.
            met.push(date.is_some_and(|date| {
                let span = date.span();
                *span.start() <= last && *span.end() >= first
            }));
        }
        let is_met = match self.operator {
            Operator::And => met.iter().all(|met| *met),
            Operator::Or => met.iter().any(|met| *met),
        };
        is_met.then_some(criteria_match)
    }

    /// Returns the criteria as parsed.
    pub fn to_query(&self) -> ContextQuery {
        let moment = |moment: Option<i64>| {
            moment.and_then(|moment| iso_8601(i128::from(moment) * 1_000_000))
        };
        ContextQuery {
            tags: self.tags.clone(),
            content: self.content.as_ref().map(|(text, _)| text.clone()),
            title: self.title.as_ref().map(|(text, _)| text.clone()),
            category: self.category.map(contract::para),
            start: moment(self.bounds.0),
            end: moment(self.bounds.1),
            date_field: self.date_field,
            operator: self.operator,
        }
    }
}

impl CriteriaMatch {
    fn add(&mut self, points: u32, why: String) {
        self.points += points;
        self.why.push(format!("{why}: +{points}"));
    }

    /// Returns the score, 0 to 100, and its parts, for a document that is `age` milliseconds older
    /// than the newest one.
    pub fn score(mut self, age: Option<i64>) -> (u32, Vec<String>) {
        // The age is relative to the newest document and not to the current time. The same tree
        // then has the same answer on any day, and pages requested around midnight belong
        // together.
        let is_within = |days: i64| age.is_some_and(|age| age <= days * MILLISECONDS_PER_DAY);
        if is_within(7) {
            self.add(
                points::WEEK,
                "modified within 7 days of the newest".to_owned(),
            );
        } else if is_within(30) {
            self.add(
                points::MONTH,
                "modified within 30 days of the newest".to_owned(),
            );
        }
        (self.points.min(points::MOST), self.why)
    }
}

fn text(name: &str, value: Option<&str>) -> Result<Option<(String, Finder)>, Error> {
    let Some(value) = value else { return Ok(None) };
    let trimmed = value.trim();
    let length = trimmed.chars().count();
    if !(1..=CRITERION_CHARS).contains(&length) {
        return Err(invalid(
            format!(
                "`{name}` has {length} characters after trimming; expected 1 to {CRITERION_CHARS}"
            ),
            format!("Give a word or phrase as {name}, or leave it out."),
        ));
    }
    Ok(Some((
        trimmed.to_owned(),
        Finder::new(trimmed, Case::Ignored),
    )))
}

fn date(name: &str, value: &Option<String>) -> Result<Option<Date>, Error> {
    let Some(value) = value else { return Ok(None) };
    match Date::parse(value) {
        Some(date) => Ok(Some(date)),
        None => Err(invalid(
            format!(
                "`{name}` is `{value}`; expected an ISO 8601 date such as `2025-12-15` or `2025-12-15T09:00:00Z`"
            ),
            format!("Write the date in the documented form, or leave {name} out."),
        )),
    }
}

#[cfg(test)]
mod tests {
    use docent_api::context::Para;

    use super::*;

    const NONE: ContextSearchOptions = NO_OPTIONS;

    fn score(options: ContextSearchOptions, text: &str, days: i64) -> Option<(u32, Vec<String>)> {
        let criteria = Criteria::parse(&options).ok()?;
        let metadata = Metadata::new("projects/a.md", text);
        let found = criteria.meet(&metadata, text, metadata.modified)?;
        Some(found.score(Some(days * MILLISECONDS_PER_DAY)))
    }

    fn tags(tags: &[&str]) -> Option<Vec<String>> {
        Some(tags.iter().map(|&tag| tag.to_owned()).collect())
    }

    #[test]
    fn golden() {
        let text = "---\ntitle: On Caches\ntags: [Rust, web/api]\nmodified: 2025-03-04\n---\nA cache is a Cache.\n";
        for (options, days, expected) in [
            (
                ContextSearchOptions {
                    tags: tags(&["#rust"]),
                    ..NONE
                },
                31,
                Some(30),
            ),
            (
                ContextSearchOptions {
                    tags: tags(&["RUST", "web"]),
                    ..NONE
                },
                8,
                Some(30 + 15 + 2),
            ),
            (
                ContextSearchOptions {
                    tags: tags(&["rust", "go"]),
                    ..NONE
                },
                0,
                None,
            ),
            (
                ContextSearchOptions {
                    tags: tags(&["rust", "go"]),
                    operator: Some(Operator::Or),
                    ..NONE
                },
                7,
                Some(30 + 5),
            ),
            (
                ContextSearchOptions {
                    title: Some("caches".to_owned()),
                    ..NONE
                },
                30,
                Some(25 + 2),
            ),
            (
                ContextSearchOptions {
                    content: Some("cache".to_owned()),
                    ..NONE
                },
                31,
                Some(20),
            ),
            (
                ContextSearchOptions {
                    category: Some(Para::Projects),
                    ..NONE
                },
                31,
                Some(0),
            ),
            (
                ContextSearchOptions {
                    category: Some(Para::Areas),
                    ..NONE
                },
                31,
                None,
            ),
            (
                ContextSearchOptions {
                    tags: tags(&["rust", "web/api", "web"]),
                    title: Some("on".to_owned()),
                    content: Some("a".to_owned()),
                    ..NONE
                },
                0,
                Some(100),
            ),
        ] {
            let shown = format!("{options:?}");
            assert_eq!(
                score(options, text, days).map(|(score, _)| score),
                expected,
                "{shown}"
            );
        }
        let both = ContextSearchOptions {
            tags: tags(&["rust"]),
            content: Some("cache".to_owned()),
            ..NONE
        };
        assert_eq!(
            score(both, text, 1).map(|(_, why)| why),
            Some(vec![
                "tag `rust`: +30".to_owned(),
                "content 2 times: +20".to_owned(),
                "modified within 7 days of the newest: +5".to_owned(),
            ])
        );
    }

    /// Every combination of criteria, each matching or not, joined by `and` and by `or`.
    #[test]
    fn all_criteria_combine() {
        let text = "---\ntitle: On Caches\ntags: [Rust, web/api]\ncreated: 2025-03-04\n---\nbody\n";
        // For each criterion: a match, a mismatch, and the points.
        let tag = [("rust", "go", 30), ("web", "api", 15)];
        for choice in 0..3_usize.pow(6) {
            let at = |place: u32| choice / 3_usize.pow(place) % 3;
            let one = |place: u32, met: &str, not: &str| match at(place) {
                0 => None,
                1 => Some(met.to_owned()),
                _ => Some(not.to_owned()),
            };
            let tags: Vec<String> = (0..)
                .zip(tag)
                .filter_map(|(place, (met, not, _))| one(place, met, not))
                .collect();
            let range = one(4, "2025-03-04", "2025-03-05").map(|start| DateRange {
                start: Some(start),
                end: None,
            });
            let category = match at(5) {
                0 => None,
                1 => Some(Para::Projects),
                _ => Some(Para::Archives),
            };
            let given = (0..6).filter(|&place| at(place) > 0).count();
            let met = (0..6).filter(|&place| at(place) == 1).count();
            if given == 0 {
                continue;
            }
            let worth = [30, 15, 25, 10, 0, 0];
            let points = (0..6)
                .zip(worth)
                .filter(|&(place, _)| at(place) == 1)
                .map(|(_, points)| points)
                .sum();
            for (operator, is_met) in [(Operator::And, met == given), (Operator::Or, met > 0)] {
                let options = ContextSearchOptions {
                    tags: Some(tags.clone()).filter(|tags| !tags.is_empty()),
                    title: one(2, "caches", "absent"),
                    content: one(3, "BODY", "absent"),
                    date_range: range.clone(),
                    date_field: Some(DateField::Created),
                    category,
                    operator: Some(operator),
                    ..NONE
                };
                let shown = format!("{options:?}");
                let found = score(options, text, 31).map(|(score, _)| score);
                assert_eq!(found, is_met.then_some(points), "{shown}");
            }
        }
    }

    #[test]
    fn dates_include_both_ends() {
        let text = "---\ncreated: 2025-03-04\nmodified: 2025-03-04T23:59:59.999Z\n---\n";
        for (start, end, field, is_met) in [
            (
                Some("2025-03-04"),
                Some("2025-03-04"),
                DateField::Created,
                true,
            ),
            (
                Some("2025-03-04"),
                Some("2025-03-04"),
                DateField::Modified,
                true,
            ),
            (Some("2025-03-05"), None, DateField::Modified, false),
            (None, Some("2025-03-03"), DateField::Created, false),
            (None, Some("2025-03-04T00:00:00Z"), DateField::Created, true),
            (
                Some("2025-03-05T08:59:59.999+09:00"),
                None,
                DateField::Modified,
                true,
            ),
        ] {
            let range = DateRange {
                start: start.map(str::to_owned),
                end: end.map(str::to_owned),
            };
            let options = ContextSearchOptions {
                date_range: Some(range),
                date_field: Some(field),
                ..NONE
            };
            assert_eq!(
                score(options, text, 99).is_some(),
                is_met,
                "{start:?} {end:?}"
            );
        }
    }

    #[test]
    fn what_is_refused() {
        let range = |start: &str, end: &str| {
            Some(DateRange {
                start: Some(start.to_owned()),
                end: Some(end.to_owned()),
            })
        };
        for options in [
            NONE,
            ContextSearchOptions {
                tags: tags(&["#"]),
                ..NONE
            },
            ContextSearchOptions {
                tags: tags(&["x"; 51]),
                ..NONE
            },
            ContextSearchOptions {
                tags: tags(&[&"x".repeat(101)]),
                ..NONE
            },
            ContextSearchOptions {
                content: Some(" ".to_owned()),
                ..NONE
            },
            ContextSearchOptions {
                title: Some("x".repeat(201)),
                ..NONE
            },
            ContextSearchOptions {
                date_range: range("2025-01-02", "2025-01-01"),
                ..NONE
            },
            ContextSearchOptions {
                date_range: range("soon", "2025-01-01"),
                ..NONE
            },
            ContextSearchOptions {
                date_range: Some(DateRange {
                    start: None,
                    end: None,
                }),
                ..NONE
            },
        ] {
            assert!(Criteria::parse(&options).is_err(), "{options:?}");
        }
    }

    #[test]
    fn what_to_do_is_about_what_was_wrong() {
        let hint = |options: ContextSearchOptions| match Criteria::parse(&options) {
            Err(error) => error.hint,
            Ok(criteria) => panic!("{criteria:?}"),
        };
        let range = |start: &str| DateRange {
            start: Some(start.to_owned()),
            end: None,
        };
        assert!(hint(NONE).starts_with("Give at least one of tags"));
        let bad_date = ContextSearchOptions {
            date_range: Some(range("bogus")),
            ..NONE
        };
        assert!(hint(bad_date).contains("leave start out"));
        let long = ContextSearchOptions {
            title: Some("x".repeat(201)),
            ..NONE
        };
        assert!(hint(long).contains("as title"));
    }
}
