//! The layout of a JSON text, so that additions match their surroundings.

use serde_json::Value;

use super::parse::{JsonMember, JsonNode};
use crate::byte_edit::line_start;

/// Default indentation of a level if a file has none.
const USUAL_UNIT: &str = "  ";

/// The layout of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemberLayout {
    /// Each member on a line of its own, with this indentation.
    Lines(String),
    /// All members on one line; with a space after colons and commas, or without.
    Inline { spaced: bool },
}

/// Returns the white space at the start of the line that contains `at`.
pub fn indentation(text: &str, at: usize) -> &str {
    let line = &text[line_start(text, at)..at];
    let blank = line.len() - line.trim_start_matches([' ', '\t']).len();
    &line[..blank]
}

/// Returns the indentation of one level: that of the first member of the whole document.
pub fn unit(text: &str, document: &JsonNode) -> String {
    let first = document.members().and_then(<[_]>::first);
    let unit = first.map(|member| indentation(text, member.start));
    unit.filter(|unit| !unit.is_empty())
        .unwrap_or(USUAL_UNIT)
        .to_owned()
}

/// Returns the layout of an object for its present or future members.
pub fn layout(text: &str, object: &JsonNode, unit: &str) -> MemberLayout {
    match object.members().and_then(<[_]>::first) {
        Some(first) if text[object.span.start..first.start].contains('\n') => {
            MemberLayout::Lines(indentation(text, first.start).to_owned())
        }
        Some(first) => MemberLayout::Inline {
            spaced: is_spaced(text, first),
        },
        None => MemberLayout::Lines(format!("{}{unit}", indentation(text, object.span.start))),
    }
}

fn is_spaced(text: &str, member: &JsonMember) -> bool {
    text[..member.value.span.start].ends_with(' ')
}

/// Formats a member for the line on which it begins, and further lines.
pub fn render_member(
    key: &str,
    value: &Value,
    layout: &MemberLayout,
    unit: &str,
    newline: &str,
) -> String {
    match layout {
        MemberLayout::Inline { spaced } => {
            format!(
                "{}{}{}",
                quote(key),
                colon(*spaced),
                render_inline(value, *spaced)
            )
        }
        MemberLayout::Lines(indent) => {
            format!(
                "{}: {}",
                quote(key),
                render_lines(value, indent, unit, newline)
            )
        }
    }
}

fn colon(spaced: bool) -> &'static str {
    if spaced { ": " } else { ":" }
}

fn quote(text: &str) -> String {
    Value::from(text).to_string()
}

/// Formats a value over several lines, of which all but the first begin with `indent`. Arrays are
/// kept on one line.
pub fn render_lines(value: &Value, indent: &str, unit: &str, newline: &str) -> String {
    let Value::Object(members) = value else {
        return render_inline(value, true);
    };
    let inner = format!("{indent}{unit}");
    let members = members.iter().map(|(key, value)| {
        let value = render_lines(value, &inner, unit, newline);
        format!("{newline}{inner}{}: {value}", quote(key))
    });
    let members = members.collect::<Vec<_>>().join(",");
    format!("{{{members}{newline}{indent}}}")
}

/// Formats a value on one line.
pub fn render_inline(value: &Value, spaced: bool) -> String {
    let comma = if spaced { ", " } else { "," };
    match value {
        Value::Object(members) => {
            let members = members.iter().map(|(key, value)| {
                format!(
                    "{}{}{}",
                    quote(key),
                    colon(spaced),
                    render_inline(value, spaced)
                )
            });
            format!("{{{}}}", members.collect::<Vec<_>>().join(comma))
        }
        Value::Array(items) => {
            let items = items.iter().map(|item| render_inline(item, spaced));
            format!("[{}]", items.collect::<Vec<_>>().join(comma))
        }
        scalar => scalar.to_string(),
    }
}
