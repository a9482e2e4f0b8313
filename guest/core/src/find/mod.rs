//! Finding files by time, stage by stage: a request in valid form, the place where it starts, the
//! ordered scan that can stop and go on anywhere, the best matches of what it saw, and the cursor
//! to the next page.
//!
//! What makes pages whole is in three words. A **position** is a place in the order of the scan,
//! written as the path of what was visited last; a **segment** is what one scan saw, from one
//! position to another; a **key** is a match's place in the order of the answer. A page shows the
//! best matches of its segment. If there are more, its cursor names the segment and the key of the
//! last one shown, and the next page goes through the same segment again, behind that key. Else
//! the cursor names the segment's end, and the next page scans on from there.

pub mod best;
pub mod cursor;
pub mod glob;
pub mod known;
pub mod names;
pub mod place;
pub mod request;
pub mod scan;
pub mod sink;
