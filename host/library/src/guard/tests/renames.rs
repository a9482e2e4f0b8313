//! Tests of the targets that a rename may replace, and of the permissions of the moved file, in
//! both implementations.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rustix::fs::XattrFlags;

use crate::guard::object::{
    Creation, ModeAlone, OldContent, Readers, Renaming, ReplaceCondition, WriteAccess,
    WriteOptions, usual_mode,
};
use crate::guard::stamp::StatFields;
use crate::guard::{linux, portable};

/// Minimum rounds of the race between an editor and a replacement; more follow until both have won
/// often enough.
const ROUNDS: usize = 20_000;

/// Maximum rounds, and the number of wins that each side needs: on a busy machine they seldom meet.
const MOST_ROUNDS: usize = 20 * ROUNDS;
const WINS: usize = 20;

/// One of the two implementations, with a directory to use it in.
struct Way {
    path: PathBuf,
    directory: File,
    is_fast: bool,
}

impl Way {
    fn file(&self, name: &str, content: &str, mode: u32) {
        let path = self.path.join(name);
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
    }

    fn rename(&self, old: &str, new: &str, renaming: Renaming) -> io::Result<()> {
        let rename = if self.is_fast {
            linux::rename
        } else {
            portable::rename
        };
        rename(&self.directory, old, &self.directory, new, renaming)
    }

    fn refusal(&self, old: &str, new: &str, replacing: ReplaceCondition) -> io::ErrorKind {
        let kept = Renaming {
            replacing,
            alone: ModeAlone::Kept,
        };
        self.rename(old, new, kept).unwrap_err().kind()
    }

    fn seen(&self, name: &str) -> (StatFields, Option<File>) {
        let look = if self.is_fast {
            linux::look_at
        } else {
            portable::look_at
        };
        let (_, stat_fields, hold) = look(&self.directory, name).unwrap();
        (stat_fields, hold)
    }

    fn content(&self, name: &str) -> String {
        fs::read_to_string(self.path.join(name)).unwrap()
    }

    fn mode(&self, name: &str) -> u32 {
        let mode = fs::metadata(self.path.join(name)).unwrap().mode();
        mode & 0o7777
    }
}

/// Runs `test` with both implementations, each in an empty directory.
fn each_way(test: impl Fn(&Way)) {
    for is_fast in [true, false] {
        let temporary = tempfile::tempdir().unwrap();
        let path = temporary.path().canonicalize().unwrap();
        let directory = if is_fast {
            linux::open_root_ambient(&path)
        } else {
            portable::open_root_ambient(&path)
        };
        test(&Way {
            path,
            directory: directory.unwrap(),
            is_fast,
        });
    }
}

const ANYTHING: Renaming = Renaming {
    replacing: ReplaceCondition::Anything,
    alone: ModeAlone::Kept,
};

#[test]
fn a_link_is_never_replaced() {
    each_way(|way| {
        way.file("file", "old", 0o644);
        way.file("new", "new", 0o600);
        symlink("file", way.path.join("link")).unwrap();
        symlink("nowhere", way.path.join("dangling")).unwrap();
        let (of_file, _hold) = way.seen("file");
        for link in ["link", "dangling"] {
            let (of_link, _hold) = way.seen(link);
            for replacing in [
                ReplaceCondition::Anything,
                ReplaceCondition::Nothing,
                ReplaceCondition::Seen(None),
                ReplaceCondition::Seen(Some(of_link)),
                ReplaceCondition::Seen(Some(of_file)),
            ] {
                way.refusal("new", link, replacing);
            }
            assert!(way.path.join(link).is_symlink(), "{link}");
        }
        let seen = ReplaceCondition::Seen(Some(way.seen("link").0));
        assert_eq!(way.refusal("new", "link", seen), io::ErrorKind::WouldBlock);
        assert_eq!(way.content("file"), "old");
        assert_eq!(way.content("new"), "new");
    });
}

#[test]
fn what_is_new_replaces_nothing() {
    each_way(|way| {
        way.file("there", "theirs", 0o644);
        way.file("new", "ours", 0o600);
        for replacing in [ReplaceCondition::Nothing, ReplaceCondition::Seen(None)] {
            let refusal = way.refusal("new", "there", replacing);
            assert_eq!(refusal, io::ErrorKind::AlreadyExists);
        }
        assert_eq!(way.content("there"), "theirs");
        let renaming = Renaming {
            replacing: ReplaceCondition::Nothing,
            alone: ModeAlone::Kept,
        };
        way.rename("new", "free", renaming).unwrap();
        assert_eq!(way.content("free"), "ours");
        assert!(!way.path.join("new").exists());
        fs::create_dir(way.path.join("directory")).unwrap();
        way.rename("directory", "moved", renaming).unwrap();
        assert!(way.path.join("moved").is_dir());
    });
}

#[test]
fn what_changed_since_it_was_seen_is_not_replaced() {
    each_way(|way| {
        way.file("target", "seen", 0o644);
        way.file("prepared", "ours", 0o600);
        let (stat_fields, _hold) = way.seen("target");
        let seen = ReplaceCondition::Seen(Some(stat_fields));
        for change in [
            |way: &Way| fs::write(way.path.join("target"), "written").unwrap(),
            |way: &Way| {
                way.file("saved", "saved", 0o644);
                fs::rename(way.path.join("saved"), way.path.join("target")).unwrap();
            },
            |way: &Way| {
                fs::remove_file(way.path.join("target")).unwrap();
                fs::create_dir(way.path.join("target")).unwrap();
            },
            |way: &Way| fs::remove_dir(way.path.join("target")).unwrap(),
        ] {
            change(way);
            let before = fs::read(way.path.join("target")).ok();
            let refusal = way.refusal("prepared", "target", seen);
            assert_eq!(refusal, io::ErrorKind::WouldBlock);
            assert_eq!(fs::read(way.path.join("target")).ok(), before);
            assert_eq!(way.content("prepared"), "ours");
        }
    });
}

#[test]
fn what_was_seen_is_replaced_and_leaves_its_rights() {
    each_way(|way| {
        for replacing in ["anything", "seen"] {
            way.file("target", "old", 0o640);
            way.file("prepared", "new", 0o600);
            let path = way.path.join("target");
            let attribute = (c"user.docent", b"kept");
            let set = rustix::fs::setxattr(&path, attribute.0, attribute.1, XattrFlags::empty());
            let (stat_fields, _hold) = way.seen("target");
            let renaming = if replacing == "seen" {
                Renaming {
                    replacing: ReplaceCondition::Seen(Some(stat_fields)),
                    alone: ModeAlone::Usual,
                }
            } else {
                ANYTHING
            };
            way.rename("prepared", "target", renaming).unwrap();
            assert_eq!(way.content("target"), "new", "{replacing}");
            assert_eq!(way.mode("target"), 0o640, "{replacing}");
            assert!(!way.path.join("prepared").exists(), "{replacing}");
            if set.is_ok() && way.is_fast {
                let mut value = [0; 16];
                let length = rustix::fs::getxattr(&path, attribute.0, &mut value).unwrap();
                assert_eq!(&value[..length], attribute.1);
            }
        }
    });
}

#[test]
fn what_is_prepared_is_private_until_it_has_its_name() {
    each_way(|way| {
        let open = if way.is_fast {
            linux::open_for_writing
        } else {
            portable::open_for_writing
        };
        let make = |name: &str, readers| {
            let writing = WriteOptions {
                access: WriteAccess::Write,
                creation: Creation::Exclusive,
                content: OldContent::Kept,
                readers,
            };
            open(&way.directory, name, writing).unwrap();
        };
        let usual = usual_mode().bits();
        make("prepared", Readers::Owner);
        make("other", Readers::Usual);
        assert_eq!((way.mode("prepared"), way.mode("other")), (0o600, usual));
        way.file("aside", "", 0o640);
        for (name, alone, mode) in [
            ("prepared", ModeAlone::Usual, usual),
            ("aside", ModeAlone::Kept, 0o640),
        ] {
            let renaming = Renaming {
                replacing: ReplaceCondition::Nothing,
                alone,
            };
            way.rename(name, "free", renaming).unwrap();
            assert_eq!(way.mode("free"), mode, "{name}");
            fs::remove_file(way.path.join("free")).unwrap();
        }
        let create = if way.is_fast {
            linux::create_directory
        } else {
            portable::create_directory
        };
        create(&way.directory, "private", Readers::Owner).unwrap();
        assert_eq!(way.mode("private"), 0o700);
    });
}

#[test]
fn what_nobody_may_write_is_not_opened_for_writing() {
    each_way(|way| {
        let open = if way.is_fast {
            linux::open_for_writing
        } else {
            portable::open_for_writing
        };
        let writing = WriteOptions {
            access: WriteAccess::Write,
            creation: Creation::Never,
            content: OldContent::Kept,
            readers: Readers::Usual,
        };
        for (mode, expected) in [
            (0o444, Some(io::ErrorKind::PermissionDenied)),
            (0o555, Some(io::ErrorKind::PermissionDenied)),
            (0o644, None),
        ] {
            way.file("file", "kept", mode);
            let opened = open(&way.directory, "file", writing);
            assert_eq!(opened.err().map(|error| error.kind()), expected, "{mode:o}");
            assert_eq!(way.content("file"), "kept");
            fs::remove_file(way.path.join("file")).unwrap();
        }
    });
}

#[test]
fn what_may_not_be_moved_is_told_beforehand() {
    each_way(|way| {
        let may_move = if way.is_fast {
            linux::may_move
        } else {
            portable::may_move
        };
        way.file("own", "kept", 0o444);
        fs::create_dir(way.path.join("below")).unwrap();
        way.file("below/own", "kept", 0o644);
        // A file's own mode does not restrict its name, and a missing file may be created.
        for name in ["own", "below/own", "new", "below/new"] {
            may_move(&way.directory, name).unwrap();
        }
        let sticky = Permissions::from_mode(0o1777);
        fs::set_permissions(way.path.join("below"), sticky).unwrap();
        may_move(&way.directory, "below/own").unwrap();
        assert!(may_move(&way.directory, "nowhere/file").is_err());
        assert!(may_move(&way.directory, "..").is_err());
        assert_eq!(way.content("own"), "kept");
    });
}

#[test]
fn rights_of_another_are_not_passed_on() {
    each_way(|way| {
        let target = way.path.join("target");
        way.file("target", "old", 0o644);
        if std::os::unix::fs::chown(&target, Some(1234), Some(4321)).is_err() {
            return;
        }
        fs::set_permissions(&target, Permissions::from_mode(0o6754)).unwrap();
        way.file("new", "new", 0o600);
        way.rename("new", "target", ANYTHING).unwrap();
        let owner = fs::metadata(&target)
            .map(|it| (it.uid(), it.gid()))
            .unwrap();
        // The portable implementation cannot give a file away.
        let expected = if way.is_fast {
            ((1234, 4321), 0o6754)
        } else {
            (owner, 0o744)
        };
        assert_eq!((owner, way.mode("target")), expected);
    });
}

/// An editor saves twice, each time with a rename as editors do, while a file that was inspected
/// before or in between is replaced. The last text that it saved is there at the end, or was read
/// by the replacing side.
#[test]
fn a_race_with_an_editor_loses_no_text() {
    let memory = Path::new("/dev/shm");
    let temporary = if memory.is_dir() {
        tempfile::tempdir_in(memory).unwrap()
    } else {
        tempfile::tempdir().unwrap()
    };
    let path = temporary.path().canonicalize().unwrap();
    let way = Way {
        directory: linux::open_root_ambient(&path).unwrap(),
        path,
        is_fast: true,
    };
    let save = |number: usize| {
        fs::write(way.path.join("saving"), format!("{number:08}")).unwrap();
        fs::rename(way.path.join("saving"), way.path.join("target")).unwrap();
    };
    let (start, end) = (Barrier::new(2), Barrier::new(2));
    let (mut replaced, mut refused) = (0, 0);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0.. {
                start.wait();
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                for save_of_round in 0..2 {
                    pause(round / (1 + 7 * save_of_round) % 50);
                    save(2 * round + save_of_round);
                }
                end.wait();
            }
        });
        for round in 0..MOST_ROUNDS {
            if round >= ROUNDS && replaced.min(refused) >= WINS {
                break;
            }
            way.file("target", "00000000", 0o644);
            start.wait();
            let (stat_fields, hold) = way.seen("target");
            let held = format!("/proc/self/fd/{}", hold.as_ref().unwrap().as_raw_fd());
            let read = fs::read_to_string(held).unwrap();
            way.file("prepared", &format!("after {read}"), 0o600);
            pause(round % 70);
            let renaming = Renaming {
                replacing: ReplaceCondition::Seen(Some(stat_fields)),
                alone: ModeAlone::Usual,
            };
            match way.rename("prepared", "target", renaming) {
                Ok(()) => replaced += 1,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => refused += 1,
                Err(error) => panic!("{error}"),
            }
            end.wait();
            let last = format!("{:08}", 2 * round + 1);
            let content = way.content("target");
            let is_kept = content == last || content == format!("after {last}");
            assert!(is_kept, "round {round}: {content} in the place of {last}");
            let _ = fs::remove_file(way.path.join("prepared"));
        }
        is_over.store(true, Ordering::Relaxed);
        start.wait();
    });
    assert!(
        replaced.min(refused) >= WINS,
        "they hardly met: {replaced} replaced, {refused} refused"
    );
}

/// Waits for some tenths of a microsecond, so that the two sides meet at a different point each
/// time.
fn pause(turns: usize) {
    for _ in 0..turns * 20 {
        std::hint::spin_loop();
    }
}
