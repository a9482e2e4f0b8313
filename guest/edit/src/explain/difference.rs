//! Description in words of the first difference between a text and the file.

use crate::near_miss::{Difference, DifferenceKind};

/// Describes the position and the kind of a difference.
pub fn describe_difference(difference: &Difference) -> String {
    let place = format!("line {}, column {}", difference.line, difference.column);
    format!("{place}: {}", describe_kind(&difference.kind))
}

fn describe_kind(kind: &DifferenceKind) -> String {
    match kind {
        DifferenceKind::Character { file, sent } => {
            format!(
                "the file has {}, you sent {}",
                character(*file),
                character(*sent)
            )
        }
        DifferenceKind::Invisible {
            character: c,
            in_file,
        } => {
            let (one, other) = match in_file {
                true => ("the file has", "you sent"),
                false => ("you sent", "the file has"),
            };
            format!("{one} {}, which takes no room, {other} none", character(*c))
        }
        DifferenceKind::Blanks {
            file,
            sent,
            is_indentation,
        } => {
            let verb = if *is_indentation {
                "is indented by"
            } else {
                "has"
            };
            format!(
                "the file {verb} {}, you sent {}",
                blanks(file),
                blanks(sent)
            )
        }
        DifferenceKind::TrailingBlanks { file, sent } => {
            let (file, sent) = (describe_trailing(*file), describe_trailing(*sent));
            format!("the file has {file} at the end of the line, you sent {sent}")
        }
        DifferenceKind::Case { file, sent } => {
            format!("the file has `{file}`, you sent `{sent}`: another case")
        }
        DifferenceKind::MissingLine(line) => {
            format!(
                "the file has {}, which you did not send",
                describe_line(line)
            )
        }
        DifferenceKind::ExtraLine(line) => {
            format!(
                "you sent {}, which the file does not have there",
                describe_line(line)
            )
        }
        DifferenceKind::Text { file, sent } => {
            format!(
                "the file has {}, you sent {}",
                describe_rest(file),
                describe_rest(sent)
            )
        }
    }
}

fn describe_line(line: &str) -> String {
    if line.trim().is_empty() {
        "an empty line".to_owned()
    } else {
        format!("the line `{line}`")
    }
}

fn describe_rest(text: &str) -> String {
    if text.is_empty() {
        "nothing more".to_owned()
    } else {
        format!("`{text}`")
    }
}

fn blanks(text: &str) -> String {
    let tabs = text.chars().filter(|c| *c == '\t').count();
    let spaces = text.chars().count() - tabs;
    let counted = |count: usize, one: &str| match count {
        1 => format!("1 {one}"),
        count => format!("{count} {one}s"),
    };
    match (tabs, spaces) {
        (0, 0) => "nothing".to_owned(),
        (0, spaces) => counted(spaces, "blank"),
        (tabs, 0) => counted(tabs, "tab"),
        (tabs, spaces) => format!("{} and {}", counted(tabs, "tab"), counted(spaces, "blank")),
    }
}

fn describe_trailing(count: usize) -> String {
    match count {
        0 => "no blank".to_owned(),
        1 => "1 blank".to_owned(),
        count => format!("{count} blanks"),
    }
}

/// Describes a character such that it can be distinguished from similar ones.
pub fn character(c: char) -> String {
    let name = match c {
        ' ' => return "a blank".to_owned(),
        '\t' => return "a tab".to_owned(),
        '\u{A0}' => "no-break space",
        '\u{202F}' => "narrow no-break space",
        '\u{3000}' => "ideographic space",
        '\u{2000}'..='\u{200A}' => "a space of another width",
        '\u{200B}' => "zero-width space",
        '\u{200C}' | '\u{200D}' => "zero-width joiner or non-joiner",
        '\u{FEFF}' => "byte order mark",
        '\u{AD}' => "soft hyphen",
        '\u{2018}'..='\u{201F}' | '\u{2032}' | '\u{2033}' => "typographic quote",
        '\u{2010}'..='\u{2015}' | '\u{2212}' => "typographic dash",
        _ => "",
    };
    let code = format!("U+{:04X}", u32::from(c));
    match name {
        "" if c.is_control() => code,
        "" => format!("`{c}` ({code})"),
        name if c.is_alphanumeric() || name.starts_with("typographic") => {
            format!("`{c}` ({code}, {name})")
        }
        name => format!("{code} ({name})"),
    }
}
