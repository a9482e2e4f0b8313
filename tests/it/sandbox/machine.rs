//! What this machine lets a test do. What it does not is said on standard error, with the reason.

use std::ffi::CString;
use std::fmt::Display;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::net::UnixListener;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode};

/// Says that a part of a test is left out, and why.
pub fn left_out(what: &str, why: impl Display) {
    eprintln!("left out: {what}: {why}");
}

/// Makes a FIFO.
///
/// # Errors
/// What the system says.
pub fn make_fifo(path: &Path) -> io::Result<()> {
    let mode = Mode::from_raw_mode(0o644);
    Ok(rustix::fs::mknodat(CWD, path, FileType::Fifo, mode, 0)?)
}

/// Makes the device that gives zeroes without end.
///
/// # Errors
/// What the system says to somebody who may not.
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

/// Makes a socket that nobody listens on.
///
/// # Errors
/// What the system says.
pub fn make_socket(path: &Path) -> io::Result<()> {
    UnixListener::bind(path).map(drop)
}

/// Makes a file of `bytes` zeroes that takes no room.
///
/// # Errors
/// What the system says.
pub fn make_sparse(path: &Path, bytes: u64) -> io::Result<()> {
    File::create(path)?.set_len(bytes)
}

/// Mounts a file system onto `path` that never answers while the device that is returned is open,
/// and refuses everything when it is closed.
///
/// # Errors
/// What the system says to somebody who may not.
pub fn mount_silent(path: &Path) -> io::Result<File> {
    use rustix::mount::{MountFlags, mount};
    // Whoever opened it would have to answer.
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

/// Runs `body` in a thread that has to respect the permissions of files, also when the user is
/// root.
///
/// # Errors
/// When the thread cannot give up the rights that root has.
///
/// # Panics
/// When `body` does.
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

/// Returns what stands in a directory of the running process, such as its tasks or descriptors.
///
/// # Panics
/// When there is no `/proc`.
#[must_use]
pub fn count_of(proc_directory: &str) -> usize {
    let path = Path::new("/proc/self").join(proc_directory);
    std::fs::read_dir(path).expect("Linux has /proc").count()
}
