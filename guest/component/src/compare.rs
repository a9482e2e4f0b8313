//! `memcmp`, which comparisons of texts and bytes come to, look-ups in trees by names above all.
//! That of the C library for WebAssembly goes byte by byte, and a host that can stop a call looks
//! at the time in each turn of a loop: a third of a warm `understand` was spent in it.
#![expect(
    unsafe_code,
    reason = "what C calls is given pointers, and takes a name that is known to all"
)]

use std::slice::from_raw_parts;

use docent_text::equal::order;

#[unsafe(no_mangle)]
unsafe extern "C" fn memcmp(one: *const u8, other: *const u8, length: usize) -> i32 {
    // Of nothing the pointers may be null.
    if length == 0 {
        return 0;
    }
    // SAFETY: so many bytes can be read at either, or nobody may call it.
    let (one, other) = unsafe { (from_raw_parts(one, length), from_raw_parts(other, length)) };
    order(one, other) as i32
}
