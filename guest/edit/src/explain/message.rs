//! Messages about refused edits: the error, and the current text of the file.

use crate::error::{
    Condition, Locations, NamedSection, NotebookProblem, Reason, SectionProblem, Stale, Unfit,
    UnfitKind,
};
use crate::explain::difference::{character, describe_difference};
use docent_text::content_hash::SHORT_DIGITS;

use crate::near_miss::{Damage, Difference, NearMiss, Region};

impl Reason {
    /// Returns the error, in lower case and without a full stop, followed by the current text.
    pub fn message(&self) -> String {
        match self {
            Self::EmptyText => "`oldText` is empty; expected the text to replace".to_owned(),
            Self::NotFound(miss) => describe_near_miss(miss),
            Self::Elsewhere(condition, spots) => elsewhere(*condition, spots),
            Self::Ambiguous(spots) => format!("the text is at {}", describe_locations(spots)),
            Self::NoOccurrence { wanted, spots } => {
                let spots = describe_locations(spots);
                format!("`occurrence` is {wanted}, and the text is at {spots}")
            }
            Self::OtherCount { expected, spots } => {
                let spots = describe_locations(spots);
                format!("`expectCount` is {expected}, and the text is at {spots}")
            }
            Self::Indentation { line } => format!(
                "the text is indented otherwise than the file, and not by the same in every line: \
                 see its line {line}"
            ),
            Self::Stale(stale) => describe_stale(stale),
            Self::NoLines { wanted, count } => no_lines(*wanted, *count),
            Self::NoSection {
                address,
                headings,
                count,
            } => no_section(address, headings, *count),
            Self::SeveralSections { address, sections } => several_sections(address, sections),
            Self::Section(problem) => describe_section_problem(problem),
            Self::Unfit(unfit) => describe_character(unfit),
            Self::Damaged { line } => format!(
                "line {line} holds bytes that are not text in the file's encoding, shown as U+FFFD, \
                 and the edit would replace them or change how they read"
            ),
            Self::Hunk { number, reason } => format!("hunk {number}: {}", reason.message()),
            Self::AlreadyMade { lines } => {
                format!("its result is already at {}", line_range(*lines))
            }
            Self::NoContext => {
                "the hunk adds lines and has none around them, so its position is unknown"
                    .to_owned()
            }
            Self::Overlap {
                other,
                lines,
                other_lines,
            } => overlap(*other, *lines, *other_lines),
            Self::Notebook(problem) => describe_notebook_problem(*problem),
            Self::OwnLines(reason) => {
                format!("in the file's own lines {}", reason.message())
            }
        }
    }
}

fn describe_notebook_problem(problem: NotebookProblem) -> String {
    match problem {
        NotebookProblem::LineNumbers => {
            "the shown lines of a notebook are not those of its file; expected an edit by text"
                .to_owned()
        }
        NotebookProblem::Outside { line } => format!(
            "line {line} as shown is not in the source of a cell; expected a text within one"
        ),
        NotebookProblem::Altered { cell } => format!(
            "the text is in cell {cell}, which is not shown as it is in the file; expected a text \
             of the file's own lines"
        ),
        NotebookProblem::Mixed { other } => format!(
            "the text is in the file's own lines, and edits[{other}] edits a cell as it is shown; \
             expected one kind in a call"
        ),
        NotebookProblem::NotJson => "the edit leaves no valid JSON; expected a notebook".to_owned(),
    }
}

fn overlap(other: usize, lines: (u32, u32), other_lines: (u32, u32)) -> String {
    format!(
        "it changes {}, and edits[{other}] changes {}; all edits refer to the text before the call",
        line_range(lines),
        line_range(other_lines)
    )
}

fn no_lines((first, last): (u32, u32), count: u32) -> String {
    format!(
        "lines {first} to {last} are not there; expected a first line from 1 on, and a last one \
         up to {count}"
    )
}

fn several_sections(address: &str, sections: &[NamedSection]) -> String {
    let all = sections
        .iter()
        .map(|named| format!("\n`{}` ({}, line {})", named.id, named.path, named.line));
    let count = sections.len();
    format!(
        "`{address}` names {count} sections:{}",
        all.collect::<String>()
    )
}

fn describe_locations(spots: &Locations) -> String {
    format!("{}:{}", places(spots.count), list_locations(spots))
}

fn places(count: usize) -> String {
    match count {
        0 => "no place".to_owned(),
        1 => "1 place".to_owned(),
        count => format!("{count} places"),
    }
}

fn line_range((first, last): (u32, u32)) -> String {
    if first == last {
        format!("line {first}")
    } else {
        format!("lines {first} to {last}")
    }
}

/// Lists places, one per line: the line, its section, and the line before it.
fn list_locations(spots: &Locations) -> String {
    let mut out = String::new();
    for spot in &spots.shown {
        out.push_str(&format!("\nline {}", spot.line));
        if !spot.section.is_empty() {
            out.push_str(&format!(" (§ {})", spot.section));
        }
        match spot.before.as_deref() {
            None => {}
            Some("") => out.push_str(" after an empty line"),
            Some(before) => out.push_str(&format!(" after `{before}`")),
        }
    }
    let more = spots.count - spots.shown.len().min(spots.count);
    if more > 0 {
        out.push_str(&format!("\nand {more} more"));
    }
    out
}

fn elsewhere(condition: Condition, spots: &Locations) -> String {
    let what = match condition {
        Condition::Within => "not in the section of `within`",
        Condition::Before => "and `before` is not directly before it",
        Condition::After => "and `after` is not directly after it",
        Condition::Anchor => "not below the lines that `@@` names",
        Condition::WholeLines => "and not as whole lines",
        Condition::FileStart => {
            "not at the start of the file, where a hunk from line 1 on without a line before its \
             change belongs"
        }
        Condition::FileEnd => {
            "not at the end of the file, where a hunk without a line after its change belongs"
        }
    };
    format!(
        "the text is there, {what}: it is at {}",
        list_locations(spots).trim_start()
    )
}

fn describe_near_miss(miss: &NearMiss) -> String {
    let mut out = String::from("the text is not there");
    if let Some(lines) = miss.done {
        out.push_str(&format!("; `newText` is already at {}", line_range(lines)));
    }
    if miss.is_made_by_others {
        out.push_str(
            "; other edits of this call would make it, and all edits refer to the text before the \
             call",
        );
    }
    match miss.damage {
        Some(Damage::LineNumbers) => {
            out.push_str("; without the line numbers before its lines it is");
        }
        Some(Damage::Escapes) => out.push_str(
            "; with line breaks, tabs and quotes for the escapes in it (`\\n`, `\\t`, `\\\"`) it \
             is, and nothing is unescaped here",
        ),
        None => {}
    }
    for (rank, region) in miss.regions.iter().enumerate() {
        let difference = miss.difference.as_ref().filter(|_| rank == 0);
        let title = match rank {
            _ if miss.damage.is_some() => "It is",
            _ if miss.is_whole_file => "The file",
            0 => "Nearest",
            _ => "Then",
        };
        out.push_str(&describe_region(region, title, difference));
    }
    out
}

fn describe_region(region: &Region, title: &str, difference: Option<&Difference>) -> String {
    let mut out = format!("\n{title} ({}", line_range((region.first, region.last)));
    if region.equal.total > 1 {
        out.push_str(&format!(
            "; {} of {} lines match ignoring blanks and case",
            region.equal.count, region.equal.total
        ));
    }
    if let Some(difference) = difference {
        out.push_str(&format!(
            "; first difference in {}",
            describe_difference(difference)
        ));
    }
    out.push_str("):");
    for (line, text) in (region.shown..).zip(&region.lines) {
        out.push_str(&format!("\n{line}| {text}"));
    }
    out
}

fn describe_stale(stale: &Stale) -> String {
    let (first, lines) = &stale.text;
    let now = match &stale.lines {
        Some(lines) => format!("the lines are `{lines}`, the file `{}`", stale.file),
        None => format!("the file is `{}`", stale.file),
    };
    let sent = &stale.expected;
    let why = if sent.len() < SHORT_DIGITS {
        format!("expected the first {SHORT_DIGITS} digits or more")
    } else {
        "it changed since it was read".to_owned()
    };
    let mut out = format!("`hash` is `{sent}`, and {now}: {why}");
    if let Some(since) = &stale.since {
        out.push_str("\nWhat changed:\n");
        out.push_str(since.trim_end());
        return out;
    }
    if !lines.is_empty() {
        out.push_str("\nNow:");
    }
    for (line, text) in (*first..).zip(lines) {
        out.push_str(&format!("\n{line}| {text}"));
    }
    out
}

fn no_section(address: &str, headings: &[String], count: usize) -> String {
    if count == 0 {
        return format!("no section is called `{address}`: the file has no headings");
    }
    let shown: String = headings
        .iter()
        .map(|heading| format!("\n`{heading}`"))
        .collect();
    let more = if count > headings.len() {
        format!("\nand {} more", count - headings.len())
    } else {
        String::new()
    };
    format!("no section is called `{address}`; there are:{shown}{more}")
}

fn describe_section_problem(problem: &SectionProblem) -> String {
    match problem {
        SectionProblem::NoHeadings => "files of this kind have no sections".to_owned(),
        SectionProblem::Empty => "`content` is empty; expected the text to add".to_owned(),
        SectionProblem::OtherHeading { sent, own } => {
            format!("`content` begins with `{sent}`, and the section's heading is `{own}`")
        }
        SectionProblem::SubsectionTwice { heading } => {
            format!("`content` holds `{heading}`, which is a subsection that stays")
        }
        SectionProblem::SubsectionsStay { count } => {
            format!("the section has {count} below it, which would move below another one")
        }
        SectionProblem::LeavesOpen => {
            "`content` leaves a fence or a comment open: headings after it would become part of it"
                .to_owned()
        }
        SectionProblem::IsOpen => {
            "the section leaves a fence or a comment open, so the added text would become part of it"
                .to_owned()
        }
        SectionProblem::ChangesOthers => {
            "the surrounding headings would disappear or change level".to_owned()
        }
        SectionProblem::NoHeading => {
            "`content` makes no heading of the same level; expected one line of text".to_owned()
        }
    }
}

fn describe_character(unfit: &Unfit) -> String {
    let Unfit {
        character: c,
        line,
        column,
        kind,
    } = unfit;
    let place = format!("line {line}, column {column} of what was sent");
    match kind {
        UnfitKind::Nul => format!("{place} is U+0000, which would make the file a binary"),
        UnfitKind::Lacking(encoding) => {
            format!(
                "{place} is {}, which {encoding}, the file's encoding, does not have",
                character(*c)
            )
        }
    }
}
