//! Formulas in MathML: their TeX if they contain it, otherwise their text.

use super::tags::{AttributeName, HtmlTag, MathLayout, TagAttributes};
use crate::limits::HTML_DEPTH;

/// Maximum bytes of a group that gets parentheses.
const GROUP_BYTES: usize = 1_000;

/// A formula that is being read.
#[derive(Debug, Default)]
pub struct Formula {
    text: String,
    tex: String,
    annotation: Annotation,
    open: Vec<OpenLayout>,
}

/// The annotation that is being read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Annotation {
    #[default]
    None,
    Tex,
    Other,
}

/// An open element of the formula.
#[derive(Debug)]
struct OpenLayout {
    tag: HtmlTag,
    /// Number of its children so far.
    children: usize,
    /// Length of the text before it.
    start: usize,
}

impl Formula {
    /// Returns the number of bytes.
    pub fn len(&self) -> usize {
        self.text.len() + self.tex.len()
    }

    /// Adds text of the formula.
    pub fn push(&mut self, words: &str) {
        let parent = self.open.last().map(|element| element.tag);
        let is_between =
            matches!(parent, Some(HtmlTag::MathLayout(kind)) if kind != MathLayout::Group);
        match self.annotation {
            // The indentation of the markup, between a base and its exponent.
            Annotation::None if is_between && words.trim().is_empty() => {}
            Annotation::None => self.text.push_str(words),
            Annotation::Tex => self.tex.push_str(words),
            Annotation::Other => {}
        }
    }

    /// Begins an element of the formula. Returns false if it cannot be in one: a formula without an
    /// end ends there.
    pub fn start(&mut self, tag: HtmlTag, attributes: &TagAttributes) -> bool {
        if tag == HtmlTag::Annotation {
            let encoding = attributes.get(AttributeName::Encoding).unwrap_or_default();
            let is_tex = encoding.to_ascii_lowercase().contains("tex");
            self.annotation = match self.annotation {
                Annotation::None if is_tex && self.tex.is_empty() => Annotation::Tex,
                _ => Annotation::Other,
            };
            return true;
        }
        if tag.is_block() || matches!(tag, HtmlTag::Anchor | HtmlTag::Image | HtmlTag::Root) {
            return self.annotation != Annotation::None;
        }
        if self.annotation != Annotation::None {
            return true;
        }
        if let Some(parent) = self.open.last_mut() {
            parent.children += 1;
            if let Some(sign) = sign_before(parent.tag, parent.children) {
                self.text.push(sign);
            }
        }
        if tag == HtmlTag::MathLayout(MathLayout::Root) {
            self.text.push('√');
        }
        if self.open.len() < HTML_DEPTH {
            self.open.push(OpenLayout {
                tag,
                children: 0,
                start: self.text.len(),
            });
        }
        true
    }

    /// Ends an element of the formula.
    pub fn end(&mut self, tag: HtmlTag) {
        if tag == HtmlTag::Annotation {
            self.annotation = Annotation::None;
        }
        if self.annotation != Annotation::None
            || self.open.last().is_none_or(|element| element.tag != tag)
        {
            return;
        }
        let Some(element) = self.open.pop() else {
            return;
        };
        let is_operand = self.open.last().is_some_and(
            |parent| matches!(parent.tag, HtmlTag::MathLayout(kind) if kind != MathLayout::Group),
        );
        let is_group = tag == HtmlTag::MathLayout(MathLayout::Group) && element.children > 1;
        let length = self.text.len().saturating_sub(element.start);
        // `(a+b)/c` is not `a+b/c`.
        if is_operand && is_group && length <= GROUP_BYTES {
            self.text.insert(element.start, '(');
            self.text.push(')');
        }
    }

    /// Returns the formula as text of a line.
    pub fn finish(self) -> String {
        let tex = self.tex.trim();
        if tex.is_empty() {
            self.text
        } else {
            format!("${tex}$")
        }
    }
}

/// Returns the sign before a child of an element, which is counted from 1.
fn sign_before(parent: HtmlTag, child: usize) -> Option<char> {
    let HtmlTag::MathLayout(kind) = parent else {
        return None;
    };
    match (kind, child) {
        (MathLayout::Fraction, 2) => Some('/'),
        (MathLayout::Raised, 2) | (MathLayout::LoweredAndRaised, 3) => Some('^'),
        (MathLayout::Lowered | MathLayout::LoweredAndRaised, 2) => Some('_'),
        _ => None,
    }
}
