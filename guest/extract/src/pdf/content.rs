//! An interpreter of page content, as far as it is text: the content stream, the forms that it
//! draws and the appearances of annotations, operator by operator. Paths, pictures and colours are
//! skipped.

use std::collections::HashMap;
use std::rc::Rc;

use hayro_syntax::content::UntypedIter;
use hayro_syntax::object::{Array, Dict, Name, Object, Rect as Box4, Stream};
use hayro_syntax::page::{Page, Resources};
use kurbo::{Affine, Point, Rect, Vec2};

use super::font::{Font, Fonts};
use super::glyph::PlacedGlyph;
use super::layers::Layers;
use super::outline::text_string;
use super::pairs::Pairs;
use super::unpacked::{is_content_over, is_form_over};
use crate::limits::{
    DRAWN_FORM_BYTES, DRAWN_OPERATIONS, FORM_DEPTH, PAGE_FORMS, PAGE_GLYPHS, SAVED_STATES,
};

/// Glyph space units per text space unit.
const UNITS: f64 = 1000.0;

/// Maximum character spacing that is typesetting rather than a gap, in font sizes.
const LETTER_SPACING: f64 = 0.5;

/// Portion of the character spacing that still counts as a gap: where letters are spaced out a
/// little, words may not be much further apart.
const LETTER_GAP: f64 = 0.05;

/// Flag of a hidden annotation.
const HIDDEN: u32 = 1 << 1;

/// Flag of an annotation that is not shown on a screen.
const NO_VIEW: u32 = 1 << 5;

/// The text of a page.
#[derive(Debug, Default)]
pub struct PageText {
    /// Glyphs, in drawing order.
    pub glyphs: Vec<PlacedGlyph>,
    /// Number of visible glyphs whose characters the file does not give.
    pub unknown: usize,
    /// True if the page draws a picture.
    pub has_pictures: bool,
    /// True if there are more glyphs than the limit.
    pub is_over: bool,
}

/// The work that the pages of a file may still take.
#[derive(Debug)]
pub struct PageBudget {
    operations: usize,
    form_bytes: usize,
}

impl Default for PageBudget {
    fn default() -> Self {
        Self {
            operations: DRAWN_OPERATIONS,
            form_bytes: DRAWN_FORM_BYTES,
        }
    }
}

/// Returns the text that a page draws.
pub fn read<'a>(
    page: &Page<'a>,
    fonts: &Fonts<'a>,
    layers: &Layers,
    budget: &mut PageBudget,
) -> PageText {
    let initial = Affine::new(page.initial_transform(true).as_coeffs());
    let (width, height) = page.render_dimensions();
    let mut reader = ContentReader {
        fonts,
        layers,
        budget,
        page: Rect::new(0.0, 0.0, width.into(), height.into()),
        text: PageText::default(),
        state: TextState::new(initial),
        saved: Vec::new(),
        marks: Vec::new(),
        replaced: None,
        matrix: Affine::IDENTITY,
        line_matrix: Affine::IDENTITY,
        pairs: Pairs::default(),
        depth: 0,
        forms: 0,
    };
    let resources = page.resources();
    if is_content_over(page) {
        reader.text.is_over = true;
        return reader.text;
    }
    reader.run(page.operations(), resources);
    let annotations = page.raw().get::<Array<'_>>(b"Annots");
    for annotation in annotations.iter().flat_map(|all| all.iter::<Dict<'a>>()) {
        reader.state = TextState::new(initial);
        reader.annotation(&annotation, resources);
    }
    reader.text
}

/// The part of the graphics state that concerns text, as saved by `q` and restored by `Q`.
#[derive(Clone)]
struct TextState<'a> {
    /// Transformation from user space to the page, with its origin in the upper left corner.
    transform: Affine,
    font: Option<Rc<Font<'a>>>,
    size: f64,
    letter_space: f64,
    word_space: f64,
    /// Horizontal scaling, as a factor.
    scale: f64,
    leading: f64,
    rise: f64,
}

impl TextState<'_> {
    fn new(transform: Affine) -> Self {
        Self {
            transform,
            font: None,
            size: 1.0,
            letter_space: 0.0,
            word_space: 0.0,
            scale: 1.0,
            leading: 0.0,
            rise: 0.0,
        }
    }
}

/// An open marked-content sequence.
struct Mark {
    is_visible: bool,
    /// True if a text replaces its glyphs.
    is_replaced: bool,
}

/// A replacement text for the glyphs of a sequence.
struct GlyphReplacement {
    text: Rc<str>,
    /// Position of the first glyph or line in the sequence, end of the last glyph on its line, and
    /// their height.
    place: Option<(Point, Point, f64)>,
}

struct ContentReader<'r, 'a> {
    fonts: &'r Fonts<'a>,
    layers: &'r Layers,
    budget: &'r mut PageBudget,
    /// Visible area of the page.
    page: Rect,
    text: PageText,
    state: TextState<'a>,
    saved: Vec<TextState<'a>>,
    marks: Vec<Mark>,
    replaced: Option<GlyphReplacement>,
    matrix: Affine,
    line_matrix: Affine,
    pairs: Pairs,
    depth: usize,
    /// Number of forms drawn.
    forms: usize,
}

impl<'a> ContentReader<'_, 'a> {
    /// Interprets a content stream. Sequences that it leaves open are closed.
    fn run(&mut self, mut operations: UntypedIter<'_>, resources: &Resources<'a>) {
        let (saved, marks) = (self.saved.len(), self.marks.len());
        let mut fonts: HashMap<Vec<u8>, Option<Rc<Font<'a>>>> = HashMap::new();
        while let Some(operation) = operations.next() {
            self.spend_operations(1);
            if self.text.is_over {
                break;
            }
            let mut numbers = operation.operands().filter_map(number);
            let mut next = || numbers.next().unwrap_or(0.0);
            match &**operation.operator {
                // Streams of hostile files push states without end. Each is a copy with a
                // matrix and a font, so their number is limited, and a page beyond it is
                // refused as too large.
                b"q" if self.saved.len() == SAVED_STATES => self.text.is_over = true,
                b"q" => self.saved.push(self.state.clone()),
                b"Q" if self.saved.len() > saved => {
                    if let Some(state) = self.saved.pop() {
                        self.state = state;
                    }
                }
                b"cm" => {
                    let own = Affine::new([next(), next(), next(), next(), next(), next()]);
                    self.state.transform *= own;
                }
                b"gs" => {
                    let name = operation.operands().find_map(name);
                    let own = name.and_then(|name| resources.get_ext_g_state(name));
                    let font = own.and_then(|own| own.get::<Array<'a>>(b"Font"));
                    if let Some(font) = font {
                        let mut parts = font.flex_iter();
                        self.state.font = parts
                            .next::<Dict<'a>>()
                            .and_then(|dict| self.fonts.font(&dict));
                        self.state.size = parts.next::<f64>().unwrap_or(1.0);
                    }
                }
                b"BT" => {
                    self.matrix = Affine::IDENTITY;
                    self.line_matrix = Affine::IDENTITY;
                }
                b"Tf" => {
                    self.state.size = next();
                    if let Some(name) = operation.operands().find_map(name) {
                        let known = fonts.entry(name.to_vec());
                        let font = known.or_insert_with(|| match resources.get_font(name) {
                            Some(dict) => self.fonts.font(&dict),
                            None => self.fonts.substitute(),
                        });
                        self.state.font.clone_from(font);
                    }
                }
                b"Tc" => {
                    self.state.letter_space = next();
                    self.pairs.set_space();
                }
                b"Tw" => self.state.word_space = next(),
                b"Tz" => self.state.scale = next() / 100.0,
                b"TL" => self.state.leading = next(),
                b"Ts" => self.state.rise = next(),
                b"Td" => self.next_line(next(), next()),
                b"TD" => {
                    let (x, y) = (next(), next());
                    self.state.leading = -y;
                    self.next_line(x, y);
                }
                b"Tm" => {
                    let own = Affine::new([next(), next(), next(), next(), next(), next()]);
                    self.matrix = own;
                    self.line_matrix = own;
                }
                b"T*" => self.next_line(0.0, -self.state.leading),
                b"Tj" => self.show_operands(operation.operands()),
                b"'" => {
                    self.next_line(0.0, -self.state.leading);
                    self.show_operands(operation.operands());
                }
                b"\"" => {
                    self.state.word_space = next();
                    self.state.letter_space = next();
                    self.next_line(0.0, -self.state.leading);
                    self.show_operands(operation.operands());
                }
                b"TJ" => {
                    for operand in operation.operands() {
                        if let Object::Array(pieces) = operand {
                            self.show_pieces(pieces);
                        }
                    }
                }
                b"BMC" => self.open_mark(None, resources),
                b"BDC" => self.open_mark(operation.operands().last(), resources),
                b"EMC" if self.marks.len() > marks => self.close_mark(),
                b"Do" => {
                    let name = operation.operands().find_map(name);
                    if let Some(drawn) = name.and_then(|name| resources.get_x_object(name)) {
                        self.draw(&drawn, resources);
                    }
                }
                b"BI" => self.text.has_pictures |= self.is_visible(),
                b"m" | b"re" if self.replaced.is_some() => {
                    let place = Point::new(next(), next());
                    self.place_replaced(place);
                }
                _ => {}
            }
        }
        while self.marks.len() > marks {
            self.close_mark();
        }
        // A stream may leave sequences and states open that it has opened. They end with it, so
        // that a form cannot hide or replace what the page draws after it.
        if self.saved.len() > saved {
            self.saved.truncate(saved + 1);
            if let Some(state) = self.saved.pop() {
                self.state = state;
            }
        }
    }

    fn is_visible(&self) -> bool {
        self.marks.last().is_none_or(|mark| mark.is_visible)
    }

    fn open_mark(&mut self, properties: Option<&Object<'_>>, resources: &Resources<'a>) {
        let mut is_visible = self.is_visible();
        let mut text = None;
        match properties {
            Some(Object::Name(name)) => {
                let own = resources.properties.get::<Dict<'_>>(name.as_ref());
                let own = own.unwrap_or_default();
                if let Some(id) = resources.properties.get_ref(name.as_ref()) {
                    is_visible &= self.layers.are_shown(&own, Some(id.into()));
                }
                text = replacement(&own);
            }
            Some(Object::Dict(own)) => {
                if let Some(layer) = own.get::<Dict<'_>>(b"OC") {
                    let id = own.get_ref(b"OC").map(Into::into);
                    is_visible &= self.layers.are_shown(&layer, id);
                }
                text = replacement(own);
            }
            _ => {}
        }
        // A replacement within a replaced sequence is replaced together with it. Showing both
        // would repeat its words.
        let text = text.filter(|_| self.replaced.is_none() && is_visible);
        self.marks.push(Mark {
            is_visible,
            is_replaced: text.is_some(),
        });
        if let Some(text) = text {
            self.replaced = Some(GlyphReplacement { text, place: None });
        }
    }

    fn close_mark(&mut self) {
        let mark = self.marks.pop();
        if mark.is_none_or(|mark| !mark.is_replaced) {
            return;
        }
        let Some(replaced) = self.replaced.take() else {
            return;
        };
        let Some((start, end, height)) = replaced.place else {
            return;
        };
        let glyph = PlacedGlyph::new(replaced.text, start, end, height);
        self.add(glyph.map(PlacedGlyph::into_replacement));
    }

    /// Sets the position of a replaced sequence that draws something other than glyphs.
    fn place_replaced(&mut self, place: Point) {
        if let Some(replaced) = &mut self.replaced
            && replaced.place.is_none()
        {
            let place = self.state.transform * place;
            let height = self.state.size * self.state.transform.determinant().abs().sqrt();
            replaced.place = Some((place, place, height));
        }
    }

    fn next_line(&mut self, x: f64, y: f64) {
        self.line_matrix *= Affine::translate((x, y));
        self.matrix = self.line_matrix;
    }

    fn show_operands<'o, 'c: 'o>(&mut self, operands: impl Iterator<Item = &'o Object<'c>>) {
        for operand in operands {
            if let Object::String(text) = operand {
                self.show(text.as_bytes());
            }
        }
    }

    fn show_pieces(&mut self, pieces: &Array<'_>) {
        for piece in pieces.iter::<Object<'_>>() {
            match piece {
                Object::String(text) => self.show(text.as_bytes()),
                Object::Number(number) => {
                    let is_horizontal = self.state.font.as_ref().is_none_or(|f| f.is_horizontal());
                    let step = -number.as_f64() / UNITS * self.state.size;
                    self.matrix *= if is_horizontal {
                        Affine::translate((step * self.state.scale, 0.0))
                    } else {
                        Affine::translate((0.0, step))
                    };
                }
                _ => {}
            }
        }
    }

    /// Takes operations from the budget of the file.
    fn spend_operations(&mut self, count: usize) {
        match self.budget.operations.checked_sub(count) {
            Some(rest) => self.budget.operations = rest,
            None => self.text.is_over = true,
        }
    }

    /// Shows a string in the current font.
    fn show(&mut self, text: &[u8]) {
        self.spend_operations(text.len());
        if self.text.is_over {
            return;
        }
        if self.state.font.is_none() {
            self.state.font = self.fonts.substitute();
        }
        let Some(font) = self.state.font.clone() else {
            return;
        };
        // The substitute stands for an unknown font. ASCII is the same in nearly all encodings;
        // of other codes the font that is missing would give the characters, and guesses would
        // be shown as text.
        if font.is_substitute() && !text.is_ascii() {
            return;
        }
        let state = &self.state;
        let (size, scale) = (state.size, state.scale);
        let letter_space = state.letter_space;
        let word_space = state.word_space;
        let own = Affine::new([size * scale, 0.0, 0.0, size, 0.0, state.rise]);
        let outer = self.state.transform;
        let is_visible = self.is_visible();
        // Character spacing widens every letter. The part of it that is typesetting counts as
        // the width of the letter, so that `S P A C E D` is one word. A small rest still counts
        // as a gap: where letters are spaced out a little, the blanks between words may not be
        // much wider than that.
        let setting = match letter_space / size {
            space if space.abs() > LETTER_SPACING || !space.is_finite() => 0.0,
            space => (space - LETTER_GAP).max(0.0),
        };
        let mut at = 0;
        while at < text.len() {
            let (code, length) = font.read_code(text, at);
            at += length;
            let glyph = font.glyph(code);
            let word_space = if code == 32 && length == 1 {
                word_space
            } else {
                0.0
            };
            if is_visible {
                let place = outer * self.matrix * own;
                let start = glyph.origin.to_point();
                let end = place * (start + glyph.advance);
                let mut advance = glyph.advance;
                if font.is_horizontal() {
                    advance.x += setting;
                } else {
                    advance.y += setting;
                }
                let height = (place * Point::new(0.0, font.height()) - place * Point::ZERO).hypot();
                let placed = PlacedGlyph::new(
                    glyph.text.clone(),
                    place * start,
                    place * (start + advance),
                    height,
                );
                self.pairs.push(&mut self.text.glyphs, place * start, end);
                self.add(placed.map(|placed| placed.with_known(glyph.is_known)));
            }
            let space = letter_space + word_space;
            self.matrix *= if font.is_horizontal() {
                Affine::translate(((glyph.advance.x * size + space) * scale, 0.0))
            } else {
                Affine::translate((0.0, glyph.advance.y * size + space))
            };
        }
        self.pairs.end_string(&self.text.glyphs, setting);
    }

    /// Adds a glyph to the text, or to the replaced sequence.
    fn add(&mut self, glyph: Option<PlacedGlyph>) {
        let Some(glyph) = glyph else {
            return;
        };
        if let Some(replaced) = &mut self.replaced {
            let (_, end, _) =
                replaced
                    .place
                    .get_or_insert((glyph.start(), glyph.end(), glyph.size()));
            if (glyph.end() - *end).hypot() < glyph.size() * 4.0 {
                *end = glyph.end();
            }
            return;
        }
        if !glyph.touches(self.page) {
            return;
        }
        if self.text.glyphs.len() == PAGE_GLYPHS {
            self.text.is_over = true;
            return;
        }
        self.text.unknown += usize::from(glyph.is_unknown());
        self.text.glyphs.push(glyph);
    }

    /// Draws a form; other objects drawn by name are not text.
    fn draw(&mut self, drawn: &Stream<'a>, resources: &Resources<'a>) {
        let dict = drawn.dict();
        let kind = dict.get::<Name<'_>>(b"Subtype");
        if kind.is_none_or(|kind| kind.as_ref() != b"Form") {
            self.text.has_pictures |= self.is_visible();
            self.place_replaced(Point::ZERO);
            return;
        }
        if let Some(layer) = dict.get::<Dict<'_>>(b"OC") {
            let id = dict.get_ref(b"OC").map(Into::into);
            if !self.layers.are_shown(&layer, id) {
                return;
            }
        }
        // Forms may draw each other. The depth is limited because each level takes several
        // calls of the stack. The number is limited because depth alone does not bound the
        // work: thirty forms that each draw the next one twice are a thousand million calls.
        if !self.is_visible() || self.depth == FORM_DEPTH {
            return;
        }
        self.forms += 1;
        if self.forms > PAGE_FORMS {
            self.text.is_over = true;
            return;
        }
        if is_form_over(drawn) {
            self.text.is_over = true;
            return;
        }
        let Ok(content) = drawn.decoded_data() else {
            return;
        };
        match self.budget.form_bytes.checked_sub(content.len()) {
            Some(rest) => self.budget.form_bytes = rest,
            None => self.text.is_over = true,
        }
        let own = dict.get::<Dict<'a>>(b"Resources").map(Resources::new);
        let matrix = dict.get::<[f64; 6]>(b"Matrix").map(Affine::new);
        let outside = self.state.clone();
        let matrices = (self.matrix, self.line_matrix);
        self.state.transform *= matrix.unwrap_or_default();
        self.depth += 1;
        self.run(
            UntypedIter::new(content.as_ref()),
            own.as_ref().unwrap_or(resources),
        );
        self.depth -= 1;
        (self.matrix, self.line_matrix) = matrices;
        self.state = outside;
    }

    /// Draws the appearance of an annotation.
    fn annotation(&mut self, annotation: &Dict<'a>, resources: &Resources<'a>) {
        if annotation.get::<u32>(b"F").unwrap_or(0) & (HIDDEN | NO_VIEW) != 0 {
            return;
        }
        if let Some(layer) = annotation.get::<Dict<'_>>(b"OC") {
            let id = annotation.get_ref(b"OC").map(Into::into);
            if !self.layers.are_shown(&layer, id) {
                return;
            }
        }
        let Some(looks) = appearance(annotation) else {
            return;
        };
        let rect = |dict: &Dict<'_>, key: &[u8]| {
            let rect = dict.get::<Box4>(key)?;
            Some(Rect::new(rect.x0, rect.y0, rect.x1, rect.y1))
        };
        let (Some(place), Some(bounds)) = (rect(annotation, b"Rect"), rect(looks.dict(), b"BBox"))
        else {
            return;
        };
        // PDF places an appearance so that its bounding box, transformed by the form's matrix,
        // fills the rectangle of the annotation (ISO 32000-1, 12.5.5).
        let matrix = looks.dict().get::<[f64; 6]>(b"Matrix").map(Affine::new);
        let bounds = matrix.unwrap_or_default().transform_rect_bbox(bounds);
        let ratio = Vec2::new(
            place.width() / bounds.width(),
            place.height() / bounds.height(),
        );
        self.state.transform *= Affine::new([
            ratio.x,
            0.0,
            0.0,
            ratio.y,
            place.x0 - ratio.x * bounds.x0,
            place.y0 - ratio.y * bounds.y0,
        ]);
        self.draw(&looks, resources);
    }
}

/// Returns the form of an annotation's appearance in its current state.
fn appearance<'a>(annotation: &Dict<'a>) -> Option<Stream<'a>> {
    let all = annotation.get::<Dict<'a>>(b"AP")?;
    match all.get::<Object<'a>>(b"N")? {
        Object::Stream(only) => Some(only),
        Object::Dict(states) => annotation
            .get::<Name<'_>>(b"AS")
            .and_then(|state| states.get::<Stream<'a>>(state.as_ref()))
            .or_else(|| states.get::<Stream<'a>>(b"Off")),
        _ => None,
    }
}

/// Returns the replacement text of a marked-content sequence.
fn replacement(properties: &Dict<'_>) -> Option<Rc<str>> {
    let text = properties.get::<hayro_syntax::object::String<'_>>(b"ActualText")?;
    Some(text_string(text.as_bytes()).into())
}

fn number(operand: &Object<'_>) -> Option<f64> {
    match operand {
        Object::Number(number) => Some(number.as_f64()),
        _ => None,
    }
}

fn name<'o, 'c>(operand: &'o Object<'c>) -> Option<&'o Name<'c>> {
    match operand {
        Object::Name(name) => Some(name),
        _ => None,
    }
}
