//! Tests that kill the program before each of its file-changing system calls, one call per run.
//!
//! The program is the shipped one: another process traces it, which its parent may do, and stops it
//! at every system call. A preloaded library would miss these calls, because they bypass the C
//! library, and `strace` counts each kind of call in each thread separately.

use std::collections::BTreeMap;
use std::ffi::c_long;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use nix::errno::Errno;
use nix::libc;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::{self, Signal};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use serde_json::json;
use tempfile::TempDir;

use crate::program::docent;

/// The end of a traced program.
#[derive(Debug, PartialEq, Eq)]
enum End {
    Killed,
    Exited(i32),
}

/// A program that is stopped at each of its system calls.
struct Traced {
    leader: Pid,
}

/// A pending system call.
struct Call {
    thread: Pid,
    number: c_long,
    arguments: Vec<u64>,
}

/// The entries below a directory: the mode of each, and the content of each file.
type Snapshot = BTreeMap<PathBuf, (u32, Option<Vec<u8>>)>;

/// A directory whose files are changed, and one for the data that undo needs.
struct Desk {
    directory: TempDir,
    has_state: bool,
}

/// System calls of older processors, which others have only in a form with more arguments.
#[cfg(target_arch = "x86_64")]
const OLD_CALLS: &[c_long] = &[
    libc::SYS_rename,
    libc::SYS_unlink,
    libc::SYS_mkdir,
    libc::SYS_rmdir,
    libc::SYS_link,
    libc::SYS_chmod,
];
#[cfg(not(target_arch = "x86_64"))]
const OLD_CALLS: &[c_long] = &[];

impl Traced {
    /// Starts a command and stops it before its first instruction.
    ///
    /// # Errors
    /// Returns an error if tracing is not permitted.
    fn start(command: &Command) -> nix::Result<Self> {
        let mut held = Command::new("/bin/sh");
        held.args(["-c", "kill -STOP $$; exec \"$0\" \"$@\""])
            .arg(command.get_program())
            .args(command.get_args())
            .env_clear()
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let set = command.get_envs();
        held.envs(set.filter_map(|(name, value)| Some((name, value?))));
        let leader = Pid::from_raw(held.spawn().unwrap().id().try_into().unwrap());
        waitpid(leader, Some(WaitPidFlag::WUNTRACED))?;
        let options = Options::PTRACE_O_TRACESYSGOOD
            | Options::PTRACE_O_TRACECLONE
            | Options::PTRACE_O_EXITKILL;
        if let Err(error) = ptrace::seize(leader, options) {
            signal::kill(leader, Signal::SIGKILL)?;
            waitpid(leader, None)?;
            return Err(error);
        }
        signal::kill(leader, Signal::SIGCONT)?;
        Ok(Self { leader })
    }

    /// Resumes the program, and kills it before the call numbered `at` among those that change an
    /// entry at or below `place`.
    fn kill_before(self, place: &Path, at: usize) -> nix::Result<End> {
        // Only children of this thread: other tests wait for their own.
        let own = WaitPidFlag::__WALL | WaitPidFlag::__WNOTHREAD;
        let mut left = at;
        loop {
            let (thread, signal) = match waitpid(Pid::from_raw(-1), Some(own))? {
                WaitStatus::Exited(id, code) if id == self.leader => return Ok(End::Exited(code)),
                WaitStatus::Signaled(id, ..) if id == self.leader => return Ok(End::Killed),
                WaitStatus::PtraceSyscall(thread) => {
                    if Call::from_thread(thread).is_some_and(|call| call.changes(place)) {
                        left -= 1;
                        if left == 0 {
                            signal::kill(self.leader, Signal::SIGKILL)?;
                            continue;
                        }
                    }
                    (thread, None)
                }
                WaitStatus::PtraceEvent(thread, ..) => (thread, None),
                WaitStatus::Stopped(thread, signal) => (thread, Some(signal)),
                _ => continue,
            };
            match ptrace::syscall(thread, signal) {
                // The thread has ended in the meantime.
                Ok(()) | Err(Errno::ESRCH) => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Call {
    /// Returns the pending call of a stopped thread; none after a call.
    fn from_thread(thread: Pid) -> Option<Self> {
        let info = ptrace::syscall_info(thread).ok()?;
        if info.op != libc::PTRACE_SYSCALL_INFO_ENTRY {
            return None;
        }
        let told = fs::read_to_string(format!("/proc/{thread}/syscall")).ok()?;
        let (number, rest) = told.split_once(' ')?;
        let hex = |word: &str| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok();
        Some(Self {
            thread,
            number: number.parse().ok()?,
            arguments: rest.split_ascii_whitespace().map_while(hex).collect(),
        })
    }

    /// Returns true if it changes an entry at or below `place`, or makes a change durable.
    fn changes(&self, place: &Path) -> bool {
        match self.number {
            libc::SYS_write
            | libc::SYS_writev
            | libc::SYS_pwrite64
            | libc::SYS_pwritev
            | libc::SYS_pwritev2
            | libc::SYS_ftruncate
            | libc::SYS_fallocate
            | libc::SYS_fsync
            | libc::SYS_fdatasync
            | libc::SYS_fchmod
            | libc::SYS_fchown
            | libc::SYS_fsetxattr
            | libc::SYS_fremovexattr => self.is_on_file_in(place),
            libc::SYS_openat => makes(self.arguments[2]),
            // The flags are the first field of the structure in the third argument.
            libc::SYS_openat2 => ptrace::read(self.thread, self.arguments[2] as *mut _)
                .is_ok_and(|flags| makes(flags.cast_unsigned())),
            libc::SYS_renameat
            | libc::SYS_renameat2
            | libc::SYS_linkat
            | libc::SYS_unlinkat
            | libc::SYS_mkdirat
            | libc::SYS_mknodat
            | libc::SYS_fchmodat
            | libc::SYS_fchownat
            | libc::SYS_utimensat => true,
            other => OLD_CALLS.contains(&other),
        }
    }

    fn is_on_file_in(&self, place: &Path) -> bool {
        let link = format!("/proc/{}/fd/{}", self.thread, self.arguments[0]);
        fs::read_link(link).is_ok_and(|file| file.starts_with(place))
    }
}

/// Returns true if opening with these flags creates or truncates a file.
fn makes(flags: u64) -> bool {
    let flags = flags as i32;
    flags & (libc::O_CREAT | libc::O_TRUNC) != 0
}

impl Desk {
    fn new(has_state: bool) -> Self {
        let memory = Path::new("/dev/shm");
        // The result does not depend on the kind of disk, and this one is fast.
        let directory = if memory.is_dir() {
            tempfile::tempdir_in(memory).unwrap()
        } else {
            tempfile::tempdir().unwrap()
        };
        let desk = Self {
            directory,
            has_state,
        };
        fs::create_dir_all(desk.root().join("old")).unwrap();
        for (path, text) in [
            ("a.md", "# A\n\none\n\n[b](old/b.md)\n"),
            ("old/b.md", "# B\n\n[a](../a.md)\n"),
            ("c.md", "gone\n"),
            ("stays.md", "[b](old/b.md)\n"),
        ] {
            fs::write(desk.root().join(path), text).unwrap();
        }
        let mode = fs::Permissions::from_mode(0o640);
        fs::set_permissions(desk.root().join("a.md"), mode).unwrap();
        desk
    }

    fn place(&self) -> PathBuf {
        self.directory.path().canonicalize().unwrap()
    }

    fn root(&self) -> PathBuf {
        self.directory.path().join("docs")
    }

    /// Returns `docent call` with these arguments.
    fn call(&self, words: &[&str]) -> Command {
        let mut command = docent();
        let root = format!("{}:rw", self.root().display());
        command.arg("call").args(words).args(["--root", &root]);
        if self.has_state {
            command
                .arg("--state")
                .arg(self.directory.path().join("state"));
        } else {
            command.arg("--no-state");
        }
        command.stdout(Stdio::null());
        command
    }

    /// Returns a change that replaces two files, moves one of them into new directories, rewrites
    /// links to it, creates a file and removes one.
    fn change(&self) -> Command {
        let diff = "diff --git a/c.md b/c.md\ndeleted file mode 100644\n--- a/c.md\n+++ /dev/null\n\
                    @@ -1 +0,0 @@\n-gone\ndiff --git a/n/n.md b/n/n.md\nnew file mode 100644\n\
                    --- /dev/null\n+++ b/n/n.md\n@@ -0,0 +1 @@\n+new\n";
        let edits = json!([
            { "path": "a.md", "oldText": "one", "newText": "two" },
            { "path": "old/b.md", "move": "new/deep/b.md" },
            { "diff": diff },
        ]);
        let arguments = json!({ "edits": edits, "dryRun": false }).to_string();
        self.call(&["change", &arguments])
    }

    fn undo(&self) -> Command {
        self.call(&["manage", "command=undo"])
    }

    /// Returns a command whose start performs the recovery, before it reads anything.
    fn start(&self) -> Command {
        self.call(&["list_documents"])
    }

    fn kill(&self, command: &Command, at: usize) -> nix::Result<End> {
        Traced::start(command)?.kill_before(&self.place(), at)
    }

    fn snapshot(&self) -> Snapshot {
        let (mut found, mut left) = (Snapshot::new(), vec![self.root()]);
        while let Some(path) = left.pop() {
            let mode = path.symlink_metadata().unwrap().permissions().mode();
            let content = if path.is_dir() {
                let entries = fs::read_dir(&path).unwrap();
                left.extend(entries.map(|entry| entry.unwrap().path()));
                None
            } else {
                Some(fs::read(&path).unwrap())
            };
            let path = path.strip_prefix(self.root()).unwrap().to_owned();
            found.insert(path, (mode, content));
        }
        found
    }

    /// Checks that the history contains a completed change, and that no interrupted one remains.
    fn check_kept(&self, is_made: bool, at: usize) {
        let kept = fs::read_dir(self.directory.path().join("state"))
            .ok()
            .and_then(|mut roots| roots.next())
            .map(|root| root.unwrap().path().join("kept"));
        let names = |path: &Path| -> Vec<String> {
            let entries = fs::read_dir(path).into_iter().flatten();
            entries
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect()
        };
        let Some(kept) = kept else { return };
        let strange: Vec<String> = names(&kept)
            .into_iter()
            .filter(|name| !matches!(name.as_str(), "history" | "objects"))
            .collect();
        assert!(strange.is_empty(), "call {at}: {strange:?}");
        let recorded = names(&kept.join("history"));
        assert_eq!(
            recorded.len(),
            usize::from(is_made),
            "call {at}: {recorded:?}"
        );
    }
}

#[track_caller]
fn run(mut command: Command) {
    let output = command.stderr(Stdio::piped()).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {told}");
}

/// Kills a change before each of its calls, and every third time also the start after it, one call
/// later each time. Returns the number of kills, or an error if tracing is not permitted.
fn killed_before_each_call(has_state: bool) -> nix::Result<usize> {
    let desk = Desk::new(has_state);
    let before = desk.snapshot();
    run(desk.change());
    let after = desk.snapshot();
    let mut was_made = false;
    for at in 1.. {
        let desk = Desk::new(has_state);
        match desk.kill(&desk.change(), at)? {
            End::Killed => {}
            End::Exited(code) => {
                assert_eq!((code, desk.snapshot()), (0, after));
                assert!(
                    was_made,
                    "none was killed behind the moment from which on all is made"
                );
                return Ok(at - 1);
            }
        }
        if at % 3 == 0 {
            desk.kill(&desk.start(), at / 3)?;
        }
        run(desk.start());
        let found = desk.snapshot();
        let is_made = found == after;
        assert!(is_made || found == before, "call {at}: {found:?}");
        assert!(
            is_made || !was_made,
            "call {at}: what was made before is not"
        );
        was_made = is_made;
        if has_state {
            desk.check_kept(is_made, at);
        }
        // Leftovers of a kill do not prevent the next change.
        if !is_made {
            run(desk.change());
            assert_eq!(desk.snapshot(), after, "call {at}");
        } else if has_state {
            run(desk.undo());
            assert_eq!(desk.snapshot(), before, "call {at}");
        }
    }
    unreachable!("a change ends")
}

#[track_caller]
fn check(has_state: bool, least: usize) {
    match killed_before_each_call(has_state) {
        Ok(calls) => assert!(calls > least, "{calls}"),
        Err(error) => eprintln!("left out: programs cannot be traced here: {error}"),
    }
}

#[test]
fn a_program_that_is_killed_before_any_call_leaves_all_old_or_all_new() {
    check(true, 60);
}

#[test]
fn the_same_without_a_state_directory() {
    check(false, 40);
}
