//! Fonts, as far as text extraction needs them: the widths of glyphs and their characters.
//!
//! The characters of a glyph come from the first of these sources that gives them: the font's own
//! table, the name of the glyph, the character collection by which its glyphs are numbered, and
//! numbers in names. A glyph without any of them is unknown, and shown as such where it leaves ink.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use foldhash::HashMap;
use hayro_cmap::{BfString, CMap, CMapName, CharacterCollection, CidFamily};
use hayro_font::{CMapResolverFn, FontCache, FontGlyph, FontQuery, FontResolverFn, StandardFont};
use hayro_syntax::object::{Array, Dict, Name, Object, Stream, String as Bytes};
use kurbo::{Shape as _, Vec2};

use super::glyph_names;

/// Glyph space units per text space unit.
const UNITS: f64 = 1000.0;

/// Number of codes in a font with one byte per glyph.
const CODES: usize = 256;

/// Maximum bytes, packed or not, of a glyph program that only sets its width.
const WIDTH_BYTES: usize = 64;

/// Text of a glyph whose characters are unknown.
pub const UNKNOWN: &str = "\u{FFFD}";

/// The fonts of a document.
pub struct Fonts<'a> {
    cache: FontCache<'a>,
    programs: FontResolverFn,
    maps: CMapResolverFn,
    /// Fonts by the bytes of their dictionaries.
    known: RefCell<HashMap<&'a [u8], Option<Rc<Font<'a>>>>>,
    /// Font used where a font is missing.
    substitute: OnceCell<Option<Rc<Font<'a>>>>,
    /// Mappings from the glyphs of collections to characters.
    orderings: Rc<Orderings>,
}

/// A font.
pub struct Font<'a> {
    font: hayro_font::Font<'a>,
    is_substitute: bool,
    height: f64,
    /// True if the shapes of its glyphs belong to another font.
    is_borrowed: bool,
    /// Widths of its codes, in glyph space, if it does not say to which codes they belong.
    widths: Option<Vec<f64>>,
    /// Source of characters besides the font's table.
    otherwise: TextSource,
    glyphs: RefCell<HashMap<u32, Rc<Glyph>>>,
    orderings: Rc<Orderings>,
}

/// A glyph, measured in font sizes.
#[derive(Debug)]
pub struct Glyph {
    /// Text that it represents.
    pub text: Rc<str>,
    /// True if the text is known.
    pub is_known: bool,
    /// Origin of the glyph.
    pub origin: Vec2,
    /// Displacement to the origin of the next glyph.
    pub advance: Vec2,
}

/// The source of characters if neither the font's table nor the names of its glyphs give them.
enum TextSource {
    Nothing,
    /// The codes are UTF-16.
    Codes,
    /// A character collection, to whose glyphs the encoding maps codes.
    Collection(CidFamily, Box<CMap>),
    /// Numbers in the names of glyphs, by code.
    Names(std::collections::HashMap<u8, String>),
}

#[derive(Default)]
struct Orderings(RefCell<HashMap<Vec<u8>, Option<Rc<CMap>>>>);

impl<'a> Fonts<'a> {
    /// Creates the fonts of a document, none of which is read yet.
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

    /// Returns the font of a dictionary, or the substitute if it cannot be read.
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
                otherwise: TextSource::new(dict, part.as_ref()),
                glyphs: RefCell::default(),
                orderings: Rc::clone(&self.orderings),
            })),
            None => self.substitute(),
        };
        self.known.borrow_mut().insert(dict.data(), font.clone());
        font
    }

    /// Returns the font for text whose font is missing.
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
                otherwise: TextSource::Nothing,
                glyphs: RefCell::default(),
                orderings: Rc::clone(&self.orderings),
            }))
        };
        self.substitute.get_or_init(make).clone()
    }
}

impl Font<'_> {
    /// Returns true if this is the substitute for a missing font.
    pub fn is_substitute(&self) -> bool {
        self.is_substitute
    }

    /// Returns true if it is written horizontally in either direction, not vertically.
    pub fn is_horizontal(&self) -> bool {
        self.font.is_horizontal()
    }

    /// Returns the height of a line, in font sizes.
    pub fn height(&self) -> f64 {
        self.height
    }

    /// Returns the code at a position of a string, and its length in bytes.
    pub fn read_code(&self, text: &[u8], at: usize) -> (u32, usize) {
        self.font.read_code(text, at)
    }

    /// Returns the glyph of a code.
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
        // Three cases of a glyph without a known character. If another font's shapes stand for
        // the glyph, nothing can be concluded from them, so it is unknown. If its own shape
        // leaves no ink, it is a blank, which fonts often leave unnamed. Any other one is
        // visible to a reader and missing in the text, so it is counted and reported.
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
            TextSource::Nothing => None,
            TextSource::Codes => {
                let units = [(code >> 16) as u16, code as u16];
                let skipped = usize::from(units[0] == 0);
                let units = &units[skipped..];
                String::from_utf16(units).ok()
            }
            TextSource::Collection(family, encoding) => {
                let cid = (1..=4).find_map(|length| encoding.lookup_cid_code(code, length))?;
                self.orderings.text(family, cid)
            }
            TextSource::Names(names) => names.get(&u8::try_from(code).ok()?).cloned(),
        };
        text.filter(|text| is_text(text))
    }
}

impl TextSource {
    fn new(dict: &Dict<'_>, part: Option<&Dict<'_>>) -> Self {
        let table = dict.get::<Name<'_>>(b"ToUnicode");
        if table.is_some_and(|name| name.starts_with(b"Identity")) {
            return Self::Codes;
        }
        if let Some(part) = part {
            return Self::for_composite(dict, part).unwrap_or(Self::Nothing);
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

    fn for_composite(dict: &Dict<'_>, part: &Dict<'_>) -> Option<Self> {
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
    /// Returns the text of a glyph in a collection.
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

/// Returns the collection to which a font's glyphs belong.
fn collection_of(part: &Dict<'_>) -> Option<CharacterCollection> {
    let info = part.get::<Dict<'_>>(b"CIDSystemInfo")?;
    let registry = info.get::<Bytes<'_>>(b"Registry")?;
    let ordering = info.get::<Bytes<'_>>(b"Ordering")?;
    Some(CharacterCollection {
        family: CidFamily::from_registry_ordering(registry.as_bytes(), ordering.as_bytes()),
        supplement: 0,
    })
}

/// Returns the height of a line in font sizes. A Type 3 font has units of its own, and often no
/// bounds: its lines are taken to be twice as high as a glyph is wide.
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

/// Returns the widths by code of a font that gives neither its first nor its last code: from 0 on,
/// as many as there are. `hayro_font` accepts none of them then.
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

/// Returns true if numbered glyphs are drawn with the shapes of another font.
fn is_borrowed(part: &Dict<'_>) -> bool {
    let descriptor = part.get::<Dict<'_>>(b"FontDescriptor").unwrap_or_default();
    let programs: [&[u8]; 3] = [b"FontFile", b"FontFile2", b"FontFile3"];
    !programs.iter().any(|key| descriptor.contains_key(key))
}

/// Returns true if a text is usable. Some tables map unknown glyphs to the first character.
fn is_text(text: &str) -> bool {
    !text.is_empty() && !text.contains(['\0', '\u{FFFD}', '\u{FFFF}'])
}

/// Returns true if a glyph is visible.
fn leaves_ink(glyph: &FontGlyph<'_>) -> bool {
    match glyph {
        FontGlyph::Outline(glyph) => glyph.outline().bounding_box().area() > 0.0,
        FontGlyph::Type3(glyph) => glyph.program().is_some_and(draws),
    }
}

/// Returns true if a glyph program does more than set its width.
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
