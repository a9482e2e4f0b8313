//! Packages of Office Open XML from bytes. Most changes of the bytes of a zip archive only break
//! it; so here the bytes say what stands in the parts.

use docent_extract::fixtures::{Packing, archive};

/// Ends a part. It occurs in no UTF-8, so that no seed holds one by chance.
const END_OF_PART: u8 = 0xFF;

/// Returns the file that `data` means. Its first byte tells how: the rest is a file; or the XML of
/// the parts `names`, one after the other; or for each byte of each of them an element of `tags`
/// that begins, the end of one, or a letter, so that whatever the bytes are, the XML is well
/// formed.
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

/// Returns the input that means a file as it is.
pub fn of_file(file: &[u8]) -> Vec<u8> {
    [&[0], file].concat()
}

/// Returns the input that means these parts.
pub fn of_parts(parts: &[&str]) -> Vec<u8> {
    let parts: Vec<&[u8]> = parts.iter().map(|part| part.as_bytes()).collect();
    [vec![1], parts.join(&END_OF_PART)].concat()
}

/// Returns XML in which a byte below the number of tags begins that element, a capital letter or a
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
