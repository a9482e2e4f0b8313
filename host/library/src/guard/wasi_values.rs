//! Between what the system says and what WASI calls it.

use std::io;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::SystemTime;

use wasmtime_wasi::p2::bindings::clocks::wall_clock::Datetime;
use wasmtime_wasi::p2::bindings::sync::filesystem::types;
use wasmtime_wasi::p2::{FsError, FsResult};

use super::wasi::ErrorCode;
use super::{Kind, Status};

/// Lets wasmtime-wasi do what it declares as work to wait for, and is done with at once: on a
/// descriptor of [`super::CALLING_THREAD`] it blocks instead.
fn finished<T>(work: impl Future<Output = T>) -> wasmtime::Result<T> {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => Ok(outcome),
        Poll::Pending => Err(wasmtime::Error::msg(
            "a file could not be used in the calling thread",
        )),
    }
}

/// As [`finished`], for what may be refused.
pub(super) fn settled<T>(work: impl Future<Output = FsResult<T>>) -> FsResult<T> {
    finished(work).map_err(FsError::trap)?
}

pub(super) fn stat(status: &Status) -> types::DescriptorStat {
    types::DescriptorStat {
        type_: descriptor_type(status.kind),
        link_count: status.links,
        size: status.size,
        data_access_timestamp: status.accessed.map(datetime),
        data_modification_timestamp: status.modified.map(datetime),
        // As wasmtime-wasi does: what WASI calls the status change is the time of birth.
        status_change_timestamp: status.born.map(datetime),
    }
}

/// Seconds before 1970 are passed on in two's complement.
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
            // A guest may write anything there, and more would panic.
            let nanoseconds = time.nanoseconds.min(999_999_999);
            SystemTime::UNIX_EPOCH
                .checked_add(std::time::Duration::new(time.seconds, nanoseconds))
                .map(Some)
                .ok_or(ErrorCode::Overflow)
        }
    }
}

pub(super) fn descriptor_type(kind: Kind) -> types::DescriptorType {
    match kind {
        Kind::Regular => types::DescriptorType::RegularFile,
        Kind::Directory => types::DescriptorType::Directory,
        Kind::Link => types::DescriptorType::SymbolicLink,
        Kind::Other(other) => other,
    }
}

/// Gives the guest the system's error as WASI names it.
pub(super) fn code(error: io::Error) -> ErrorCode {
    match error.kind() {
        // What leads across a mount and what leads out of the directory are one error of the
        // system.
        io::ErrorKind::CrossesDevices => ErrorCode::CrossDevice,
        // wasmtime-wasi has no names for these.
        io::ErrorKind::WouldBlock => ErrorCode::WouldBlock,
        io::ErrorKind::ReadOnlyFilesystem => ErrorCode::ReadOnly,
        io::ErrorKind::QuotaExceeded => ErrorCode::Quota,
        io::ErrorKind::ExecutableFileBusy => ErrorCode::TextFileBusy,
        _ => ErrorCode::from(error),
    }
}
