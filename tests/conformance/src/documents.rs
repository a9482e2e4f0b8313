//! Random documents.

use proptest::prelude::*;

/// Pieces of documents: those of real ones, and those that make the frame of an answer grow.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "((harbour|lantern|the|a|of|Install|setup|light|keeper|[a-z]{1,5})[ ,.]){1,60}\n\n",
        3 => "((등대|항구는|설치를|설정|한다|사용자가|파일에서|harbour|그리고) ){1,40}\n\n",
        3 => "#{1,6} ((harbour|설정|Keeper|[A-Za-z]{1,6}) ){1,6}\n\n",
        1 => "```(rs)?\n(let harbour = [a-z_]{1,20};\n){1,8}```\n\n",
        1 => "(- harbour [a-z ]{1,30}\n){1,10}\n",
        1 => "`{1,40}\n\n",
        1 => "harbour\n`{200,600}\n\n",
        1 => "[!-~]{1,200}\n",
        1 => "(\\| harbour \\| [0-9]{1,6} \\|\n){1,6}\n",
        1 => "(harbour_[a-z]{1,9}_?){1,30}\n\n",
    ]
}

/// Documents of such pieces.
pub fn document() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..40).prop_map(|pieces| pieces.concat())
}
