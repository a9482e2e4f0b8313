//! A glyph at its place on a page.

use std::rc::Rc;

use kurbo::{Point, Rect};

/// A glyph, in points from the upper left corner.
#[derive(Clone, Debug)]
pub struct PlacedGlyph {
    pub(super) text: Rc<str>,
    pub(super) start: Point,
    pub(super) end: Point,
    pub(super) size: f64,
    pub(super) kind: GlyphKind,
}

/// The kind of a glyph's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GlyphKind {
    /// It is what the glyph represents.
    Known,
    /// It is unknown.
    Unknown,
    /// It replaces any number of glyphs, in the order of reading.
    Whole,
}

impl PlacedGlyph {
    /// Creates a glyph from `start` to `end` in a line of height `size`, or returns `None` if these
    /// are not finite.
    pub fn new(text: Rc<str>, start: Point, end: Point, size: f64) -> Option<Self> {
        let is_somewhere = start.is_finite() && end.is_finite() && size.is_finite() && size > 0.0;
        is_somewhere.then_some(Self {
            text,
            start,
            end,
            size,
            kind: GlyphKind::Known,
        })
    }

    /// Sets whether the text of the glyph is known.
    pub fn with_known(mut self, is_known: bool) -> Self {
        if !is_known {
            self.kind = GlyphKind::Unknown;
        }
        self
    }

    /// Marks the text of the glyph as one that replaces others.
    pub fn into_replacement(mut self) -> Self {
        self.kind = GlyphKind::Whole;
        self
    }

    /// Returns the text of the glyph.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the start of the glyph.
    pub fn start(&self) -> Point {
        self.start
    }

    /// Returns the expected start of the next glyph.
    pub fn end(&self) -> Point {
        self.end
    }

    /// Sets the expected start of the next glyph.
    pub fn set_end(&mut self, end: Point) {
        self.end = end;
    }

    /// Returns the height of its line.
    pub fn size(&self) -> f64 {
        self.size
    }

    /// Returns true if the text is unknown.
    pub fn is_unknown(&self) -> bool {
        self.kind == GlyphKind::Unknown
    }

    /// Returns true if any part of it may be visible on a page.
    pub fn touches(&self, page: Rect) -> bool {
        let page = page.inflate(self.size, self.size);
        page.contains(self.start) || page.contains(self.end)
    }

    /// Returns true if it leaves no ink.
    pub fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }
}
