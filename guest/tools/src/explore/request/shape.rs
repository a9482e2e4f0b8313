//! The extent of each item that a request asks for.

use docent_api::pillars::{ExploreOptions, SectionChoice, View};
use docent_api::types::Error;

use crate::explore::request::subject::Subject;
use crate::limits::HEADING_PATH;
use crate::paging::cursor::Fingerprint;
use crate::part::AskedPath;
use docent_tree::error::invalid;
use docent_tree::path::RelPath;

/// Extent of each item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The best section of a document, or the best definition of code.
    Best,
    /// A preview of the file.
    Preview,
    /// One section.
    Section(SectionAddress, Subsections),
    /// The whole file; if paths are given, only for these.
    Full(Vec<RelPath>),
}

/// Address of a section in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SectionAddress {
    /// By its id.
    Id(String),
    /// By its heading and those above it.
    Path(Vec<String>),
}

/// Inclusion of subsections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subsections {
    /// Its own text alone.
    Exclusions,
    /// With the sections below it.
    Inclusions,
}

impl Shape {
    /// Parses the extent of each item of `subject`.
    ///
    /// # Errors
    /// `invalid-request` for options that are incompatible.
    pub fn parse(options: &ExploreOptions, subject: &Subject) -> Result<Self, Error> {
        let view = options.view.unwrap_or(View::Auto);
        if options.full_paths.is_some() && view != View::Full {
            return Err(invalid(
                "`fullPaths` is given and `view` is not `full`; expected both or neither",
                "Add view `full`, or leave fullPaths out.",
            ));
        }
        if let Some(section) = &options.section {
            let (address, subsections) = section_address(section)?;
            if matches!(view, View::Preview | View::Full) {
                return Err(invalid(
                    "`section` is given with another `view`; expected `auto` or `section`",
                    "Leave view out to read the section.",
                ));
            }
            if subject.query.is_some() || subject.paths.len() != 1 {
                return Err(invalid(
                    "`section` needs exactly one document in `paths` and no `query`",
                    "Name the document of the section, and nothing else.",
                ));
            }
            return Ok(Self::Section(address, subsections));
        }
        Ok(match view {
            View::Preview => Self::Preview,
            View::Full => {
                let mut paths = Vec::new();
                for path in options.full_paths.iter().flatten() {
                    paths.push(RelPath::parse(path)?);
                }
                Self::Full(paths)
            }
            // With a query, the section that answers it best is meant.
            View::Auto | View::Section if subject.query.is_some() => Self::Best,
            // A file never comes whole unless that is requested.
            View::Auto => Self::Preview,
            // A part is shown verbatim under every view.
            View::Section if subject.paths.iter().any(AskedPath::may_be_part) => Self::Preview,
            View::Section => {
                return Err(invalid(
                    "`view` is `section` without `section` or `query`; expected one of them",
                    "Name the section, as in `guide.md#setup`, or give a query that it answers.",
                ));
            }
        })
    }

    /// Adds everything that determines the texts of items to a digest.
    pub fn add_to(&self, digest: Fingerprint) -> Fingerprint {
        match self {
            Self::Best => digest.with("best"),
            Self::Preview => digest.with("preview"),
            Self::Section(address, subsections) => {
                let digest = digest.with(match subsections {
                    Subsections::Inclusions => "below",
                    Subsections::Exclusions => "own",
                });
                match address {
                    SectionAddress::Id(id) => digest.with("id").with(id),
                    SectionAddress::Path(path) => {
                        path.iter().fold(digest, |digest, part| digest.with(part))
                    }
                }
            }
            Self::Full(paths) => paths.iter().fold(digest.with("full"), |digest, path| {
                digest.with(&path.to_string())
            }),
        }
    }
}

fn section_address(choice: &SectionChoice) -> Result<(SectionAddress, Subsections), Error> {
    let subsections = if choice.include_subsections.unwrap_or(false) {
        Subsections::Inclusions
    } else {
        Subsections::Exclusions
    };
    match (&choice.section_id, &choice.heading_path) {
        (Some(id), None) => Ok((SectionAddress::Id(id.trim().to_owned()), subsections)),
        (None, Some(path)) if (1..=HEADING_PATH).contains(&path.len()) => {
            Ok((SectionAddress::Path(path.clone()), subsections))
        }
        (None, Some(path)) => Err(invalid(
            format!(
                "`headingPath` has {} headings; expected 1 to {HEADING_PATH}",
                path.len()
            ),
            "Name the section's heading, and those above it where it needs them.",
        )),
        (Some(_), Some(_)) | (None, None) => Err(invalid(
            "`section` holds both or neither of `sectionId` and `headingPath`; expected one of them",
            "Take the section's id or heading from a preview.",
        )),
    }
}
