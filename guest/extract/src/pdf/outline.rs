//! The outline of a document: titles, and the pages that they refer to.

use std::collections::{BTreeMap, HashMap, HashSet};

use hayro_syntax::Pdf;
use hayro_syntax::object::{Array, Dict, MaybeRef, Object, ObjectIdentifier, String as Bytes};
use hayro_syntax::xref::XRef;
use kurbo::{Affine, Point};

use crate::limits::{NAME_NODES, OUTLINE_DEPTH, OUTLINE_ENTRIES};
use crate::markdown::one_line;

/// An entry of an outline.
#[derive(Clone, Debug, PartialEq)]
pub struct OutlineEntry {
    /// Level, from 0.
    pub level: usize,
    /// Title on one line.
    pub title: String,
    /// Index of the page that it refers to.
    pub page: usize,
    /// Destination on that page, from its upper left corner, if it has one.
    pub place: Option<Point>,
}

/// A resolver of destinations to pages.
struct Destinations<'a> {
    pages: HashMap<ObjectIdentifier, usize>,
    catalog: Dict<'a>,
    /// Named destinations, loaded on demand.
    by_name: Option<BTreeMap<Vec<u8>, Object<'a>>>,
}

/// Returns the entries in the order of their pages; those of one page in the order of the outline.
pub fn read(pdf: &Pdf) -> Vec<OutlineEntry> {
    let xref = pdf.xref();
    let Some(catalog) = xref.get::<Dict<'_>>(xref.root_id()) else {
        return Vec::new();
    };
    let Some(outlines) = catalog.get::<Dict<'_>>(b"Outlines") else {
        return Vec::new();
    };
    let pages = pdf.pages().iter().enumerate();
    let mut destinations = Destinations {
        pages: pages
            .filter_map(|(index, page)| Some((page.raw().obj_id()?, index)))
            .collect(),
        catalog,
        by_name: None,
    };
    let mut entries = Vec::new();
    // An outline is a linked list of objects, `First` and `Next`, and may refer back to itself.
    // Each object is visited once, and a stack of its own replaces recursion, so that neither a
    // cycle nor a chain of a million items overflows the stack.
    let mut visited = HashSet::new();
    // Items still to be visited, the next one last.
    let mut ahead: Vec<(usize, Dict<'_>)> = Vec::new();
    ahead.extend(follow(xref, &outlines, b"First", &mut visited).map(|first| (0, first)));
    while let Some((level, item)) = ahead.pop() {
        if entries.len() == OUTLINE_ENTRIES {
            break;
        }
        if let Some(next) = follow(xref, &item, b"Next", &mut visited) {
            ahead.push((level, next));
        }
        if level + 1 < OUTLINE_DEPTH
            && let Some(inside) = follow(xref, &item, b"First", &mut visited)
        {
            ahead.push((level + 1, inside));
        }
        let title = item.get::<Bytes<'_>>(b"Title");
        let title = title.map_or_else(String::new, |title| {
            one_line(&text_string(title.as_bytes()))
        });
        if !title.is_empty()
            && let Some((page, place)) = destinations.find(&item)
        {
            let page_of_place = pdf.pages().get(page);
            let place = place
                .zip(page_of_place)
                .map(|(place, page)| Affine::new(page.initial_transform(true).as_coeffs()) * place);
            entries.push(OutlineEntry {
                level,
                title,
                page,
                place: place.filter(|place| place.is_finite()),
            });
        }
    }
    // The text of the pages is read in their order and takes the entries from the front. Most
    // outlines are in that order already. The sort is stable, so entries of one page stay in
    // theirs.
    entries.sort_by_key(|entry| entry.page);
    entries
}

/// Returns the item that another one refers to, unless it was visited before. It is looked up
/// directly: an object that is reached through others remembers all of them, and refuses to lead
/// back.
fn follow<'a>(
    xref: &'a XRef,
    item: &Dict<'a>,
    key: &[u8],
    visited: &mut HashSet<ObjectIdentifier>,
) -> Option<Dict<'a>> {
    let id = item.get_ref(key)?.into();
    visited.insert(id).then(|| xref.get::<Dict<'a>>(id))?
}

impl<'a> Destinations<'a> {
    /// Returns the index of the page that an item refers to, and the destination in page
    /// coordinates.
    fn find(&mut self, item: &Dict<'a>) -> Option<(usize, Option<Point>)> {
        let action = || item.get::<Dict<'a>>(b"A");
        let place = item
            .get::<Object<'a>>(b"Dest")
            .or_else(|| action()?.get::<Object<'a>>(b"D"))?;
        let place = match place {
            Object::Name(name) => self.find_by_name(name.as_ref())?,
            Object::String(name) => self.find_by_name(name.as_bytes())?,
            place => place,
        };
        let array = match place {
            Object::Array(array) => array,
            Object::Dict(dict) => dict.get::<Array<'a>>(b"D")?,
            _ => return None,
        };
        // A destination names the page and then the visible part of it. A number instead of a
        // reference is a page of another file.
        let mut parts = array.raw_iter();
        match parts.next()? {
            MaybeRef::Ref(page) => Some((*self.pages.get(&page.into())?, parse_place(parts))),
            MaybeRef::NotRef(_) => None,
        }
    }

    fn find_by_name(&mut self, name: &[u8]) -> Option<Object<'a>> {
        let catalog = &self.catalog;
        let by_name = self.by_name.get_or_insert_with(|| by_name(catalog));
        by_name.get(name).cloned()
    }
}

/// Returns the upper left corner of the part of a page that a destination shows.
fn parse_place<'a>(mut parts: impl Iterator<Item = MaybeRef<Object<'a>>>) -> Option<Point> {
    let MaybeRef::NotRef(Object::Name(kind)) = parts.next()? else {
        return None;
    };
    let numbers: Vec<Option<f64>> = parts
        .map(|part| match part {
            MaybeRef::NotRef(Object::Number(number)) => Some(number.as_f64()),
            _ => None,
        })
        .collect();
    let (left, top) = match (kind.as_ref(), numbers.as_slice()) {
        (b"XYZ", [left, Some(top), ..]) => (*left, *top),
        (b"FitH" | b"FitBH", [Some(top), ..]) => (None, *top),
        (b"FitR", [left, _, _, Some(top), ..]) => (*left, *top),
        _ => return None,
    };
    Some(Point::new(left.unwrap_or(0.0), top))
}

/// Returns the named destinations.
fn by_name<'a>(catalog: &Dict<'a>) -> BTreeMap<Vec<u8>, Object<'a>> {
    let mut all = BTreeMap::new();
    // PDF 1.1 has a single dictionary of destinations.
    if let Some(old) = catalog.get::<Dict<'a>>(b"Dests") {
        for name in old.keys().take(NAME_NODES) {
            if let Some(place) = old.get::<Object<'a>>(name.as_ref()) {
                all.insert(name.as_ref().to_vec(), place);
            }
        }
    }
    // Since PDF 1.2 they are in a tree, whose nodes may refer back to each other as well. The
    // number of nodes and names is limited for the whole document: a tree with shared nodes
    // could otherwise be visited once per path.
    let tree = catalog.get::<Dict<'a>>(b"Names");
    let mut ahead: Vec<Dict<'a>> = Vec::new();
    ahead.extend(tree.and_then(|names| names.get::<Dict<'a>>(b"Dests")));
    let mut visited = HashSet::new();
    let mut remaining = NAME_NODES;
    while let Some(node) = ahead.pop() {
        if let Some(id) = node.obj_id()
            && !visited.insert(id)
        {
            continue;
        }
        if let Some(names) = node.get::<Array<'a>>(b"Names") {
            let mut pairs = names.flex_iter();
            while let Some(name) = pairs.next::<Bytes<'a>>() {
                let Some(place) = pairs.next::<Object<'a>>() else {
                    break;
                };
                all.insert(name.as_bytes().to_vec(), place);
                remaining = remaining.saturating_sub(1);
                if remaining == 0 {
                    return all;
                }
            }
        }
        if let Some(kids) = node.get::<Array<'a>>(b"Kids") {
            for kid in kids.iter::<Dict<'a>>() {
                remaining = remaining.saturating_sub(1);
                if remaining == 0 {
                    return all;
                }
                ahead.push(kid);
            }
        }
    }
    all
}

/// Decodes a text string: UTF-16 or UTF-8 with a byte order mark, or else `PDFDocEncoding`.
pub fn text_string(bytes: &[u8]) -> String {
    if let Some(utf16) = bytes.strip_prefix(b"\xFE\xFF") {
        return utf_16(utf16, u16::from_be_bytes);
    }
    if let Some(utf16) = bytes.strip_prefix(b"\xFF\xFE") {
        return utf_16(utf16, u16::from_le_bytes);
    }
    if let Some(utf8) = bytes.strip_prefix(b"\xEF\xBB\xBF") {
        return String::from_utf8_lossy(utf8).into_owned();
    }
    bytes.iter().map(|&byte| decode_byte(byte)).collect()
}

/// Decodes a byte of `PDFDocEncoding`, which is Latin 1 except for two rows.
fn decode_byte(byte: u8) -> char {
    const FROM_18: [char; 8] = ['˘', 'ˇ', 'ˆ', '˙', '˝', '˛', '˚', '˜'];
    const FROM_80: [char; 33] = [
        '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚',
        '™', 'ﬁ', 'ﬂ', 'Ł', 'Œ', 'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž', '\u{FFFD}', '€',
    ];
    match byte {
        0x18..=0x1F => FROM_18[usize::from(byte - 0x18)],
        0x80..=0xA0 => FROM_80[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

fn utf_16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let (units, _) = bytes.as_chunks::<2>();
    let units: Vec<u16> = units.iter().map(|pair| unit(*pair)).collect();
    String::from_utf16_lossy(&units)
}

#[cfg(test)]
mod tests {
    use super::text_string;

    #[test]
    fn strings_for_people() {
        assert_eq!(text_string(b"\xFE\xFF\xAC\x00\x00a"), "가a");
        assert_eq!(text_string(b"\xFF\xFE\x00\xAC"), "가");
        assert_eq!(text_string(b"\xEF\xBB\xBF\xEA\xB0\x80"), "가");
        assert_eq!(text_string(b"caf\xE9"), "café");
        assert_eq!(text_string(b"\x8Df\x94oor\x8E \xA01"), "“fﬂoor” €1");
    }
}
