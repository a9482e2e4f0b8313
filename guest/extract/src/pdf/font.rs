//! Fonts, as far as text needs them: how wide a glyph is by what the file says, and which
//! characters it shows.
//!
//! Characters come from the first that tells them: the font's own table, the names of its glyphs,
//! the ordering of a collection that its glyphs are numbered by, and numbers in names. A glyph that
//! none of them tells is unknown, and shown as such where it leaves ink.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use foldhash::HashMap;
use hayro_cmap::{BfString, CMap, CMapName, CharacterCollection, CidFamily};
use hayro_font::{CMapResolverFn, FontCache, FontGlyph, FontQuery, FontResolverFn, StandardFont};
use hayro_syntax::object::{Array, Dict, Name, Object, Stream, String as Bytes};
use kurbo::{Shape as _, Vec2};

use super::glyph_names;

/// Units of a font's own measure in its size.
const UNITS: f64 = 1000.0;

/// Codes of a font of one byte a glyph.
const CODES: usize = 256;

/// Bytes that a glyph takes at most, packed or not, that says its width alone.
const WIDTH_BYTES: usize = 64;

/// Stands for a glyph whose characters are unknown.
pub const UNKNOWN: &str = "\u{FFFD}";

/// The fonts of a document.
pub struct Fonts<'a> {
    cache: FontCache<'a>,
    programs: FontResolverFn,
    maps: CMapResolverFn,
    /// By what stands in their dictionaries.
    known: RefCell<HashMap<&'a [u8], Option<Rc<Font<'a>>>>>,
    /// Shown where a font is named that is not there.
    substitute: OnceCell<Option<Rc<Font<'a>>>>,
    /// From the glyphs of collections to characters.
    orderings: Rc<Orderings>,
}

/// A font.
pub struct Font<'a> {
    font: hayro_font::Font<'a>,
    is_substitute: bool,
    height: f64,
    /// Whether the shapes of its glyphs are another font's.
    is_borrowed: bool,
    /// The widths of its codes, in its own measure, where it does not say which codes they are of.
    widths: Option<Vec<f64>>,
    /// What tells characters where the font does not.
    otherwise: Otherwise,
    glyphs: RefCell<HashMap<u32, Rc<Glyph>>>,
    orderings: Rc<Orderings>,
}

/// A glyph, measured in sizes of the font.
#[derive(Debug)]
pub struct Glyph {
    /// What it shows.
    pub text: Rc<str>,
    /// Whether that is known.
    pub is_known: bool,
    /// Where it begins.
    pub origin: Vec2,
    /// From its beginning to that of the next glyph.
    pub advance: Vec2,
}

/// What tells characters where neither the table of a font nor the names of its glyphs do.
enum Otherwise {
    Nothing,
    /// The codes are UTF-16.
    Codes,
    /// The glyphs of a collection, which the encoding maps codes to.
    Collection(CidFamily, Box<CMap>),
    /// Names of glyphs that say a number, by codes.
    Names(std::collections::HashMap<u8, String>),
}

#[derive(Default)]
struct Orderings(RefCell<HashMap<Vec<u8>, Option<Rc<CMap>>>>);

impl<'a> Fonts<'a> {
    /// Returns the fonts of a document, none of which is read yet.
    pub fn new() -> Self {
        Self {
            cache: FontCache::new(),
            programs: Arc::new(|query| match query {
                FontQuery::Standard(font) => Some(font.get_font_data()),
                FontQuery::Fallback(query) => Some(query.pick_standard_font().get_font_data()),
            }),
            maps: Arc::new(hayro_cmap::load_embedded),
            known: RefCell::default(),
            substitute: OnceCell::new(),
            orderings: Rc::default(),
        }
    }

    /// Returns the font of a dictionary, or the substitute where it cannot be read.
    pub fn font(&self, dict: &Dict<'a>) -> Option<Rc<Font<'a>>> {
        if let Some(font) = self.known.borrow().get(dict.data()) {
            return font.clone();
        }
        let font = self.cache.font(dict, &self.programs, &self.maps);
        let parts = dict.get::<Array<'_>>(b"DescendantFonts");
        let part = parts.and_then(|parts| parts.iter::<Dict<'_>>().next());
        let font = match font {
            Some(font) => Some(Rc::new(Font {
                font,
                is_substitute: false,
                height: height(dict),
                is_borrowed: part.as_ref().is_some_and(is_borrowed),
                widths: widths_from(dict),
                otherwise: Otherwise::new(dict, part.as_ref()),
                glyphs: RefCell::default(),
                orderings: Rc::clone(&self.orderings),
            })),
            None => self.substitute(),
        };
        self.known.borrow_mut().insert(dict.data(), font.clone());
        font
    }

    /// Returns the font for text whose font is not there.
    pub fn substitute(&self) -> Option<Rc<Font<'a>>> {
        let make = || {
            let standard = StandardFont::Helvetica;
            let font = self.cache.standard_font(standard, &self.programs)?;
            Some(Rc::new(Font {
                font,
                is_substitute: true,
                height: 1.0,
                is_borrowed: false,
                widths: None,
                otherwise: Otherwise::Nothing,
                glyphs: RefCell::default(),
                orderings: Rc::clone(&self.orderings),
            }))
        };
        self.substitute.get_or_init(make).clone()
    }
}

impl Font<'_> {
    /// Whether it stands in for one that is not there.
    pub fn is_substitute(&self) -> bool {
        self.is_substitute
    }

    /// Whether it is written from left to right or from right to left, not downwards.
    pub fn is_horizontal(&self) -> bool {
        self.font.is_horizontal()
    }

    /// Returns the height of a line, in sizes.
    pub fn height(&self) -> f64 {
        self.height
    }

    /// Returns the code that stands in a string at a place, and its length in bytes.
    pub fn read_code(&self, text: &[u8], at: usize) -> (u32, usize) {
        self.font.read_code(text, at)
    }

    /// Returns what a code shows.
    pub fn glyph(&self, code: u32) -> Rc<Glyph> {
        if let Some(glyph) = self.glyphs.borrow().get(&code) {
            return Rc::clone(glyph);
        }
        let glyph = Rc::new(self.read_glyph(code));
        self.glyphs.borrow_mut().insert(code, Rc::clone(&glyph));
        glyph
    }

    fn read_glyph(&self, code: u32) -> Glyph {
        let glyph = self.font.glyph(self.font.map_code(code), code);
        let told = match &glyph {
            FontGlyph::Outline(glyph) => glyph.as_unicode(),
            FontGlyph::Type3(glyph) => glyph.as_unicode(),
        };
        let told = told.map(|told| match told {
            BfString::Char(c) => c.to_string(),
            BfString::String(text) => text,
        });
        let told = told.filter(|told| is_text(told));
        let text = told.or_else(|| self.otherwise(code));
        let is_known = text.is_some() || !(self.is_borrowed || leaves_ink(&glyph));
        Glyph {
            text: text.map_or_else(|| (if is_known { " " } else { UNKNOWN }).into(), Into::into),
            is_known,
            origin: self.font.origin_displacement(code) / UNITS,
            advance: self.advance(code) / UNITS,
        }
    }

    fn advance(&self, code: u32) -> Vec2 {
        let widths = self.widths.as_ref();
        let width = widths.and_then(|widths| widths.get(usize::try_from(code).ok()?));
        match width {
            Some(width) => Vec2::new(*width, 0.0),
            None => self.font.code_advance(code),
        }
    }

    fn otherwise(&self, code: u32) -> Option<String> {
        let text = match &self.otherwise {
            Otherwise::Nothing => None,
            Otherwise::Codes => {
                let units = [(code >> 16) as u16, code as u16];
                let skipped = usize::from(units[0] == 0);
                let units = &units[skipped..];
                String::from_utf16(units).ok()
            }
            Otherwise::Collection(family, encoding) => {
                let cid = (1..=4).find_map(|length| encoding.lookup_cid_code(code, length))?;
                self.orderings.text(family, cid)
            }
            Otherwise::Names(names) => names.get(&u8::try_from(code).ok()?).cloned(),
        };
        text.filter(|text| is_text(text))
    }
}

impl Otherwise {
    fn new(dict: &Dict<'_>, part: Option<&Dict<'_>>) -> Self {
        let table = dict.get::<Name<'_>>(b"ToUnicode");
        if table.is_some_and(|name| name.starts_with(b"Identity")) {
            return Self::Codes;
        }
        if let Some(part) = part {
            return Self::of_composite(dict, part).unwrap_or(Self::Nothing);
        }
        let encoding = dict.get::<Dict<'_>>(b"Encoding");
        match encoding.and_then(|encoding| encoding.get::<Array<'_>>(b"Differences")) {
            Some(differences) => {
                let programs = dict.get::<Dict<'_>>(b"CharProcs");
                Self::Names(glyph_names::texts(&differences, programs.as_ref()))
            }
            None => Self::Nothing,
        }
    }

    fn of_composite(dict: &Dict<'_>, part: &Dict<'_>) -> Option<Self> {
        let encoding = match dict.get::<Object<'_>>(b"Encoding")? {
            Object::Name(name) => {
                if name.starts_with(b"Uni") {
                    return Some(Self::Codes);
                }
                match CMapName::from_bytes(name.as_ref()) {
                    CMapName::IdentityH => CMap::identity_h(),
                    CMapName::IdentityV => CMap::identity_v(),
                    name => {
                        CMap::parse(hayro_cmap::load_embedded(name)?, hayro_cmap::load_embedded)?
                    }
                }
            }
            Object::Stream(stream) => {
                CMap::parse(&stream.decoded_data().ok()?, hayro_cmap::load_embedded)?
            }
            _ => return None,
        };
        let collection = encoding.metadata().character_collection.clone();
        let collection = collection
            .filter(|collection| collection.family.ucs2_cmap().is_some())
            .or_else(|| collection_of(part))?;
        collection.family.ucs2_cmap()?;
        Some(Self::Collection(collection.family, Box::new(encoding)))
    }
}

impl Orderings {
    /// Returns the text of a glyph of a collection.
    fn text(&self, family: &CidFamily, cid: u32) -> Option<String> {
        let name = family.ucs2_cmap()?;
        let mut known = self.0.borrow_mut();
        let map = known.entry(name.to_bytes().to_vec()).or_insert_with(|| {
            let map = hayro_cmap::load_embedded(name)?;
            CMap::parse(map, hayro_cmap::load_embedded).map(Rc::new)
        });
        match map.as_ref()?.lookup_bf_string(cid)? {
            BfString::Char(c) => Some(c.to_string()),
            BfString::String(text) => Some(text),
        }
    }
}

/// Returns the collection whose glyphs a font holds.
fn collection_of(part: &Dict<'_>) -> Option<CharacterCollection> {
    let info = part.get::<Dict<'_>>(b"CIDSystemInfo")?;
    let registry = info.get::<Bytes<'_>>(b"Registry")?;
    let ordering = info.get::<Bytes<'_>>(b"Ordering")?;
    Some(CharacterCollection {
        family: CidFamily::from_registry_ordering(registry.as_bytes(), ordering.as_bytes()),
        supplement: 0,
    })
}

/// Returns the height of a line in sizes of the font. Where glyphs are drawn, the font has a measure
/// of its own, and its bounds are often none: a line is twice as high as a glyph is wide.
fn height(dict: &Dict<'_>) -> f64 {
    let kind = dict.get::<Name<'_>>(b"Subtype");
    if kind.is_none_or(|kind| kind.as_ref() != b"Type3") {
        return 1.0;
    }
    let matrix = dict.get::<[f64; 6]>(b"FontMatrix");
    let [a, b, ..] = matrix.unwrap_or([0.001, 0.0, 0.0, 0.001, 0.0, 0.0]);
    let all = dict.get::<Array<'_>>(b"Widths");
    let (mut sum, mut count) = (0.0, 0.0);
    for width in all.iter().flat_map(|all| all.iter::<f64>().take(CODES)) {
        if width != 0.0 {
            sum += width.abs();
            count += 1.0;
        }
    }
    let height = 2.0 * sum / count * a.hypot(b);
    if height.is_finite() && height > 0.0 {
        height
    } else {
        1.0
    }
}

/// Returns the widths by code of a font that does not say which is the first or the last of them:
/// from 0 on, and as many as there are. `hayro_font` takes none of them then.
fn widths_from(dict: &Dict<'_>) -> Option<Vec<f64>> {
    let kind = dict.get::<Name<'_>>(b"Subtype")?;
    let first = dict.get::<usize>(b"FirstChar");
    let is_whole = first.is_some() && dict.get::<usize>(b"LastChar").is_some();
    if is_whole || !matches!(kind.as_ref(), b"Type1" | b"MMType1" | b"TrueType") {
        return None;
    }
    let all = dict.get::<Array<'_>>(b"Widths")?;
    let before = std::iter::repeat_n(0.0, first.unwrap_or(0).min(CODES));
    Some(before.chain(all.iter::<f64>()).take(CODES).collect())
}

/// Returns whether numbered glyphs are drawn with the shapes of another font.
fn is_borrowed(part: &Dict<'_>) -> bool {
    let descriptor = part.get::<Dict<'_>>(b"FontDescriptor").unwrap_or_default();
    let programs: [&[u8]; 3] = [b"FontFile", b"FontFile2", b"FontFile3"];
    !programs.iter().any(|key| descriptor.contains_key(key))
}

/// Whether a text says something. Some tables have the first character for what they do not know.
fn is_text(text: &str) -> bool {
    !text.is_empty() && !text.contains(['\0', '\u{FFFD}', '\u{FFFF}'])
}

/// Whether a glyph can be seen.
fn leaves_ink(glyph: &FontGlyph<'_>) -> bool {
    match glyph {
        FontGlyph::Outline(glyph) => glyph.outline().bounding_box().area() > 0.0,
        FontGlyph::Type3(glyph) => glyph.program().is_some_and(draws),
    }
}

/// Whether there is more in a glyph that is drawn than its width.
fn draws(program: &Stream<'_>) -> bool {
    if program.raw_data().len() > WIDTH_BYTES {
        return true;
    }
    let Ok(content) = program.decoded_data() else {
        return false;
    };
    let mut operations = hayro_syntax::content::UntypedIter::new(content.as_ref());
    while let Some(operation) = operations.next() {
        if !matches!(&**operation.operator, b"d0" | b"d1" | b"q" | b"Q") {
            return true;
        }
    }
    false
}
