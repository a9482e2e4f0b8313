//! Conversions between the system's values and WASI's.

use std::io;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::SystemTime;

use wasmtime_wasi::p2::bindings::clocks::wall_clock::Datetime;
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;
use wasmtime_wasi::p2::bindings::sync::filesystem::types;
use wasmtime_wasi::p2::{FsError, FsResult};

use super::object::{ObjectKind, Status};

/// Runs a wasmtime-wasi future that never has to wait: on a descriptor opened with
/// [`super::CALLING_THREAD`] it blocks instead, and is ready at the first poll.
fn finish<T>(work: impl Future<Output = T>) -> wasmtime::Result<T> {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => Ok(outcome),
        Poll::Pending => Err(wasmtime::Error::msg(
            "a file could not be used in the calling thread",
        )),
    }
}

/// Runs a future as [`finish`] does, for operations that may be refused.
pub(super) fn finish_refusable<T>(work: impl Future<Output = FsResult<T>>) -> FsResult<T> {
    finish(work).map_err(FsError::trap)?
}

pub(super) fn stat(status: &Status) -> types::DescriptorStat {
    types::DescriptorStat {
        type_: descriptor_type(status.kind),
        link_count: status.links,
        size: status.size,
        data_access_timestamp: status.accessed.map(datetime),
        data_modification_timestamp: status.modified.map(datetime),
        // WASI defines this field as the time of the last status change, and wasmtime-wasi
        // fills it with the time of creation. The guard does the same, so that a guest sees no
        // difference between hosts. The inode change time is part of the stamps.
        status_change_timestamp: status.born.map(datetime),
    }
}

/// Converts a time. Seconds before 1970 are passed on in two's complement.
fn datetime((seconds, nanoseconds): (i64, u32)) -> Datetime {
    Datetime {
        seconds: seconds.cast_unsigned(),
        nanoseconds,
    }
}

pub(super) fn system_time(time: types::NewTimestamp) -> Result<Option<SystemTime>, ErrorCode> {
    match time {
        types::NewTimestamp::NoChange => Ok(None),
        types::NewTimestamp::Now => Ok(Some(SystemTime::now())),
        types::NewTimestamp::Timestamp(time) => {
            // A guest may pass any number of nanoseconds. `Duration::new` carries a larger one
            // into the seconds, and panics if they overflow, as with `u64::MAX` seconds.
            let nanoseconds = time.nanoseconds.min(999_999_999);
            SystemTime::UNIX_EPOCH
                .checked_add(std::time::Duration::new(time.seconds, nanoseconds))
                .map(Some)
                .ok_or(ErrorCode::Overflow)
        }
    }
}

pub(super) fn descriptor_type(kind: ObjectKind) -> types::DescriptorType {
    match kind {
        ObjectKind::Regular => types::DescriptorType::RegularFile,
        ObjectKind::Directory => types::DescriptorType::Directory,
        ObjectKind::Link => types::DescriptorType::SymbolicLink,
        ObjectKind::Other(other) => other,
    }
}

/// Converts an error of the system into WASI's error code.
pub(super) fn code(error: io::Error) -> ErrorCode {
    match error.kind() {
        // `openat2` returns `EXDEV` both for a path that crosses a mount and for one that
        // leaves the directory.
        io::ErrorKind::CrossesDevices => ErrorCode::CrossDevice,
        // `ErrorCode::from` does not know these. The guest depends on them: `would-block` means
        // that the target of a replacement has changed.
        io::ErrorKind::WouldBlock => ErrorCode::WouldBlock,
        io::ErrorKind::ReadOnlyFilesystem => ErrorCode::ReadOnly,
        io::ErrorKind::QuotaExceeded => ErrorCode::Quota,
        io::ErrorKind::ExecutableFileBusy => ErrorCode::TextFileBusy,
        _ => ErrorCode::from(error),
    }
}
