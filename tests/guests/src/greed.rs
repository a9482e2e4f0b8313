//! Excessive use of resources: time, memory, handles, output.

use std::hint::black_box;
use std::io::{Read as _, Write as _};

use wasi::clocks::monotonic_clock;
use wasi::filesystem::types::{DescriptorFlags, OpenFlags, PathFlags};
use wasi::io::poll;

use crate::files::root;

const HOUR: u64 = 3_600_000_000_000;

pub fn compute() -> ! {
    let mut number = 1u64;
    loop {
        number = black_box(
            number
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1),
        );
    }
}

#[expect(unconditional_recursion, reason = "that is the deed")]
pub fn recurse(depth: u64) -> u64 {
    let room = black_box([depth; 64]);
    recurse(depth + 1) + black_box(room)[0]
}

pub fn allocate() -> ! {
    let mut hoard: Vec<Vec<u8>> = Vec::new();
    loop {
        hoard.push(black_box(vec![1; 1 << 20]));
    }
}

pub fn sleep() -> String {
    monotonic_clock::subscribe_duration(HOUR).block();
    "slept".to_owned()
}

/// Sleeps in naps too short to be interrupted.
pub fn sleep_often() -> ! {
    loop {
        monotonic_clock::subscribe_duration(100_000).block();
    }
}

pub fn wait_for_input() -> String {
    let mut input = Vec::new();
    let result = std::io::stdin().read_to_end(&mut input);
    format!("{} {}", result.is_ok(), input.len())
}

pub fn print() -> String {
    let line = "nobody asked for this line ".repeat(1000);
    let mut lost = 0;
    for _ in 0..20 {
        lost += u32::from(std::io::stdout().write_all(line.as_bytes()).is_err());
    }
    format!("printed, {lost} lost")
}

pub fn complain() -> String {
    let line = "this is an outrage ".repeat(1000);
    let mut lost = 0;
    for _ in 0..20 {
        lost += u32::from(std::io::stderr().write_all(line.as_bytes()).is_err());
    }
    format!("complained, {lost} lost")
}

pub fn hold_descriptors() -> String {
    let root = root();
    let mut held = Vec::new();
    for _ in 0..100_000 {
        let opened = root.open_at(
            PathFlags::empty(),
            ".",
            OpenFlags::DIRECTORY,
            DescriptorFlags::READ,
        );
        match opened {
            Ok(descriptor) => held.push(descriptor),
            Err(code) => return format!("held {}, then {code:?}", held.len()),
        }
    }
    format!("held {}", held.len())
}

pub fn hold_streams() -> String {
    let root = root();
    let mut held = Vec::new();
    for _ in 0..100_000 {
        match root.read_directory() {
            Ok(stream) => held.push(stream),
            Err(code) => return format!("held {}, then {code:?}", held.len()),
        }
    }
    format!("held {}", held.len())
}

pub fn hold_pollables() -> String {
    let held: Vec<_> = (0..100_000)
        .map(|_| monotonic_clock::subscribe_duration(HOUR))
        .collect();
    format!("held {}", held.len())
}

pub fn poll_many() -> String {
    let one = monotonic_clock::subscribe_duration(HOUR);
    let many = vec![&one; 20_000_000];
    format!("ready {}", poll::poll(&many).len())
}

pub fn ask_the_time() -> ! {
    loop {
        black_box(monotonic_clock::now());
    }
}

pub fn ask_for_status() -> ! {
    let root = root();
    loop {
        let _ = black_box(root.stat_at(PathFlags::empty(), "."));
        let _ = black_box(root.stat_at(PathFlags::empty(), "not-there"));
    }
}

/// Requests a file that is too large for any budget, then creates and renames files until it is
/// refused, and reports both errors.
pub fn flood() -> String {
    let root = root();
    let flags = OpenFlags::CREATE | OpenFlags::EXCLUSIVE;
    let made = root.open_at(PathFlags::empty(), "flood-0", flags, DescriptorFlags::WRITE);
    let Ok(file) = made else {
        return "nothing was made".to_owned();
    };
    let grown = file
        .set_size(1 << 40)
        .map_or_else(|code| code.name(), |()| "done");
    let streamed = file.write_via_stream(0).is_ok();
    for number in 0..1_000_000 {
        let (from, to) = (format!("flood-{number}"), format!("flood-{}", number + 1));
        if let Err(code) = root.rename_at(&from, &root, &to) {
            return format!("{grown} {streamed} {} after {number}", code.name());
        }
    }
    "it never ended".to_owned()
}
