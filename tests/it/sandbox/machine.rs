//! Operations that a test may lack the permission for. A missing one is reported on standard error,
//! with the reason.

use std::ffi::CString;
use std::fmt::Display;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::net::UnixListener;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode};

/// Reports a skipped part of a test, with the reason.
pub fn left_out(what: &str, why: impl Display) {
    eprintln!("left out: {what}: {why}");
}

/// Creates a FIFO.
///
/// # Errors
/// The error of the system.
pub fn make_fifo(path: &Path) -> io::Result<()> {
    let mode = Mode::from_raw_mode(0o644);
    Ok(rustix::fs::mknodat(CWD, path, FileType::Fifo, mode, 0)?)
}

/// Creates a device of endless zero bytes, as `/dev/zero` is.
///
/// # Errors
/// The error of the system, such as a missing permission.
pub fn make_device(path: &Path) -> io::Result<()> {
    let mode = Mode::from_raw_mode(0o644);
    let zero = rustix::fs::makedev(1, 5);
    Ok(rustix::fs::mknodat(
        CWD,
        path,
        FileType::CharacterDevice,
        mode,
        zero,
    )?)
}

/// Creates a socket without a listener.
///
/// # Errors
/// The error of the system.
pub fn make_socket(path: &Path) -> io::Result<()> {
    UnixListener::bind(path).map(drop)
}

/// Creates a sparse file of `bytes` zeros.
///
/// # Errors
/// The error of the system.
pub fn make_sparse(path: &Path, bytes: u64) -> io::Result<()> {
    File::create(path)?.set_len(bytes)
}

/// Mounts a file system onto `path` that never answers while the returned device is open, and
/// refuses every request after it is closed.
///
/// # Errors
/// The error of the system, such as a missing permission.
pub fn mount_silent(path: &Path) -> io::Result<File> {
    use rustix::mount::{MountFlags, mount};
    // The process that opens it would have to answer requests.
    let device = File::options().read(true).write(true).open("/dev/fuse")?;
    let options = format!(
        "fd={},rootmode=40000,user_id=0,group_id=0",
        device.as_raw_fd()
    );
    let options = CString::new(options)?;
    mount(
        "silent",
        path,
        "fuse",
        MountFlags::empty(),
        options.as_c_str(),
    )?;
    Ok(device)
}

/// Runs `body` in a thread that has to respect file permissions, even if the user is root.
///
/// # Errors
/// If the thread cannot drop root's privileges.
///
/// # Panics
/// If `body` panics.
pub fn without_privileges<T: Send>(body: impl FnOnce() -> T + Send) -> io::Result<T> {
    use rustix::thread::{CapabilitySet, capabilities, set_capabilities};
    std::thread::scope(|scope| {
        let unprivileged = scope.spawn(|| {
            let mut sets = capabilities(None)?;
            let rights = CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH;
            sets.effective.remove(rights);
            set_capabilities(None, sets)?;
            Ok(body())
        });
        match unprivileged.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Returns the number of entries in a directory of the process in `/proc`, such as its tasks or
/// descriptors.
///
/// # Panics
/// If there is no `/proc`.
#[must_use]
pub fn count_of(proc_directory: &str) -> usize {
    let path = Path::new("/proc/self").join(proc_directory);
    std::fs::read_dir(path).expect("Linux has /proc").count()
}
