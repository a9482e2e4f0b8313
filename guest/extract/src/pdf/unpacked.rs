//! The size of page content before it is unpacked. The library unpacks a stream as a whole, and
//! 1 MB may become 1 GB.

use std::io::Read as _;

use flate2::read::ZlibDecoder;
use hayro_syntax::Filter;
use hayro_syntax::object::{Array, Stream};
use hayro_syntax::page::Page;

use crate::limits::PAGE_CONTENT_BYTES;

/// Maximum bytes that one deflated byte becomes.
const LARGEST_RATIO: u64 = 1032;

/// Returns true if the content of a page is larger than it may be.
pub fn is_content_over(page: &Page<'_>) -> bool {
    let page = page.raw();
    if let Some(stream) = page.get::<Stream<'_>>(b"Contents") {
        return is_form_over(&stream);
    }
    let all = page.get::<Array<'_>>(b"Contents");
    let streams: Vec<Stream<'_>> = match &all {
        Some(all) => all.iter::<Stream<'_>>().collect(),
        None => Vec::new(),
    };
    are_over(&streams)
}

/// Returns true if a stream is larger than it may be.
pub fn is_form_over(stream: &Stream<'_>) -> bool {
    are_over(std::slice::from_ref(stream))
}

/// Returns true if streams are together larger than they may be.
fn are_over(streams: &[Stream<'_>]) -> bool {
    // Nearly all content is so small that it need not be unpacked to know.
    let largest: u64 = streams.iter().map(largest_size).sum();
    if largest <= PAGE_CONTENT_BYTES {
        return false;
    }
    let mut remaining = PAGE_CONTENT_BYTES;
    for stream in streams {
        match remaining.checked_sub(size(stream, remaining)) {
            Some(rest) => remaining = rest,
            None => return true,
        }
    }
    false
}

/// Returns true if bytes are unpacked first of all.
fn is_deflated(stream: &Stream<'_>) -> bool {
    stream.filters().first() == Some(&Filter::FlateDecode)
}

/// Returns the maximum size of a stream.
fn largest_size(stream: &Stream<'_>) -> u64 {
    let ratio = if is_deflated(stream) {
        LARGEST_RATIO
    } else {
        1
    };
    stream.raw_data().len() as u64 * ratio
}

/// Returns the size of a stream, or one beyond `most`.
fn size(stream: &Stream<'_>, most: u64) -> u64 {
    let packed = stream.raw_data();
    if !is_deflated(stream) {
        return packed.len() as u64;
    }
    let mut source = ZlibDecoder::new(packed.as_ref()).take(most + 1);
    let mut count = 0;
    let mut buffer = vec![0; 64 << 10];
    // Damaged bytes end the content, as they do when it is read.
    while let Ok(read @ 1..) = source.read(&mut buffer) {
        count += read as u64;
    }
    count
}
