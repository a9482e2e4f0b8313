//! Packages of Office Open XML made from bytes. Most changes to the bytes of a zip archive merely
//! break it, so the bytes give the contents of the parts instead.

use docent_extract::fixtures::{Packing, archive};

/// The separator of parts. It does not occur in UTF-8, so no seed contains one by chance.
const END_OF_PART: u8 = 0xFF;

/// Returns the package for `data`. Its first byte selects the form of the rest: a whole file; or
/// the XML of the parts `names`, one after another; or, for each of these parts, a byte string in
/// which each byte is the start of an element of `tags`, the end of one, or a letter, so that any
/// bytes give well-formed XML.
pub fn package(data: &[u8], names: &[&str], tags: &[&str]) -> Vec<u8> {
    let Some((way, rest)) = data.split_first() else {
        return Vec::new();
    };
    let parts = rest.split(|byte| *byte == END_OF_PART);
    let parts: Vec<Vec<u8>> = match way % 3 {
        0 => return rest.to_vec(),
        1 => parts.map(<[u8]>::to_vec).collect(),
        _ => parts.map(|part| well_formed(part, tags)).collect(),
    };
    let parts: Vec<(&str, &[u8], Packing)> = names
        .iter()
        .zip(&parts)
        .filter(|(_, part)| !part.is_empty())
        .map(|(name, part)| (*name, part.as_slice(), Packing::Stored))
        .collect();
    archive(&parts)
}

/// Returns the input that stands for a file.
pub fn from_file(file: &[u8]) -> Vec<u8> {
    [&[0], file].concat()
}

/// Returns the input for these parts.
pub fn from_parts(parts: &[&str]) -> Vec<u8> {
    let parts: Vec<&[u8]> = parts.iter().map(|part| part.as_bytes()).collect();
    [vec![1], parts.join(&END_OF_PART)].concat()
}

/// Returns XML in which a byte below the number of tags starts that element, a capital letter or a
/// digit ends one, and any other byte is a letter of the text.
fn well_formed(bytes: &[u8], tags: &[&str]) -> Vec<u8> {
    const LETTERS: [&str; 8] = ["a", " ", "#", "-", "|", "가", "\n", "&lt;"];
    let mut xml = String::new();
    let mut open: Vec<&str> = Vec::new();
    for byte in bytes {
        let index = usize::from(*byte);
        if let Some(tag) = tags.get(index) {
            xml.push_str(&format!("<{tag}>"));
            // A tag may have attributes.
            open.extend(tag.split(' ').next());
        } else if index < 0xC0 {
            if let Some(name) = open.pop() {
                xml.push_str(&format!("</{name}>"));
            }
        } else {
            xml.push_str(LETTERS[index % LETTERS.len()]);
        }
    }
    while let Some(name) = open.pop() {
        xml.push_str(&format!("</{name}>"));
    }
    xml.into_bytes()
}
