//! The output for people: `docent explore` and `docent query` on a terminal of a given size.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::Command;

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::program::{docent, ran, tree};

/// The size of a terminal.
#[derive(Clone, Copy)]
pub struct Screen {
    pub columns: u16,
    pub rows: u16,
}

/// Runs the program on a terminal of this size, and returns its exit code and its output there.
pub fn on_terminal(
    directory: &Path,
    (columns, rows): (u16, u16),
    variables: &[(&str, &str)],
    arguments: &[&str],
) -> (i32, String) {
    let (near, far) = terminal(Screen { columns, rows });
    let mut command = docent();
    command
        .current_dir(directory)
        .envs(variables.iter().copied())
        .args(arguments)
        .stdout(far.try_clone().unwrap())
        .stderr(far);
    ended(command, near)
}

/// Runs the program on a terminal with the input `typed`. Returns its exit code and the final
/// content of the terminal, including the input.
pub fn typed_on_terminal(
    directory: &Path,
    screen: Screen,
    variables: &[(&str, &str)],
    arguments: &[&str],
    typed: &str,
) -> (i32, String) {
    let (mut near, far) = terminal(screen);
    near.write_all(typed.as_bytes()).unwrap();
    let mut command = docent();
    command
        .current_dir(directory)
        .envs(variables.iter().copied())
        .args(arguments)
        .stdin(far.try_clone().unwrap())
        .stdout(far.try_clone().unwrap())
        .stderr(far);
    ended(command, near)
}

/// Opens a terminal and returns its two ends.
fn terminal(screen: Screen) -> (File, File) {
    let near = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&near).unwrap();
    unlockpt(&near).unwrap();
    let name = ptsname(&near, Vec::new()).unwrap();
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let far = File::from(rustix::fs::open(name, flags, Mode::empty()).unwrap());
    let size = Winsize {
        ws_row: screen.rows,
        ws_col: screen.columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&far, size).unwrap();
    (File::from(near), far)
}

/// Runs a program with the far end of a terminal.
fn ended(mut command: Command, mut near: File) -> (i32, String) {
    let mut child = command.spawn().unwrap();
    // The command holds the far end; reading the near end stops only when nobody holds it.
    drop(command);
    let mut bytes = Vec::new();
    // Linux reports the end as an error.
    let _ = near.read_to_end(&mut bytes);
    let code = child.wait().unwrap().code().unwrap();
    (
        code,
        String::from_utf8(bytes).unwrap().replace("\r\n", "\n"),
    )
}

fn documents() -> tempfile::TempDir {
    let table: String = (1..=90).map(|row| format!("- cache row {row}\n")).collect();
    tree(&[
        (
            "docs/guide.md",
            "# Guide\n\n## Cache\n\nThe cache keeps texts.\n",
        ),
        (
            "docs/long.md",
            &format!("# Long\n\n## Cache table\n\n{table}"),
        ),
        (
            "ko/설명서.md",
            "# 설명서\n\n## 캐시\n\n캐시의 크기는 64 MB입니다. 메모리캐시는 끕니다.\n",
        ),
    ])
}

#[test]
fn a_long_section_is_folded_at_the_height_of_the_terminal() {
    let directory = documents();
    let search = ["explore", "cache", "docs/long.md"];
    for rows in [12_u16, 24] {
        let (code, text) = on_terminal(directory.path(), (80, rows), &[], &search);
        assert_eq!(code, 0);
        // The path, the text, the count of omitted lines, and the prompt that follows.
        assert_eq!(text.lines().count(), usize::from(rows) - 1, "{text}");
        let left = 92 - (rows - 3);
        let last = format!("\u{1b}[2m… {left} more lines (--full to show)\u{1b}[0m\n");
        assert!(text.ends_with(&last), "{text}");
    }
    let full = [&search[..], &["--full"]].concat();
    let (_, text) = on_terminal(directory.path(), (80, 12), &[], &full);
    assert!(text.contains("row 90"), "{text}");
    let question = ["query", "cache", "docs/long.md"];
    let (_, text) = on_terminal(directory.path(), (80, 12), &[], &question);
    assert!(text.contains("… 83 more lines (--full to show)"), "{text}");
    let (_, text) = on_terminal(
        directory.path(),
        (80, 12),
        &[],
        &[&question[..], &["--full"]].concat(),
    );
    assert!(
        text.contains("row 90") && !text.contains("more lines"),
        "{text}"
    );
    // The match is far down, below the heading and the omitted lines.
    let deep = ["query", "77", "docs/long.md"];
    let (_, text) = on_terminal(directory.path(), (80, 12), &[], &deep);
    assert!(
        text.contains("Cache table\u{1b}[0m\n\u{1b}[2m… 77 lines\u{1b}[0m\n"),
        "{text:?}"
    );
    assert!(text.contains("row \u{1b}[1;31m77\u{1b}[0m\n"), "{text:?}");
    // A section is always complete.
    let section = ["explore", "docs/long.md", "-s", "Cache table", "--full"];
    let (_, text) = on_terminal(directory.path(), (80, 12), &[], &section);
    assert!(
        text.contains("row 90") && !text.contains("# Long"),
        "{text}"
    );
}

#[test]
fn places_link_and_words_are_marked() {
    let directory = documents();
    let (_, text) = on_terminal(
        directory.path(),
        (80, 24),
        &[],
        &["explore", "cache", "docs"],
    );
    let path = directory.path().canonicalize().unwrap();
    let link = format!(
        "\u{1b}]8;;file://{}/docs/guide.md\u{1b}\\\
         \u{1b}[35mdocs/guide.md\u{1b}[0m\u{1b}]8;;\u{1b}\\:\u{1b}[32m3-5\u{1b}[0m  \
         \u{1b}[2mGuide\u{1b}[0m\n",
        path.display()
    );
    assert!(text.contains(&link), "{text:?}");
    assert!(
        text.contains("The \u{1b}[1;31mcache\u{1b}[0m keeps"),
        "{text:?}"
    );
    let question = ["query", "캐시를 키우는 크기", "ko"];
    let (_, text) = on_terminal(directory.path(), (40, 24), &[], &question);
    for part in [
        "\u{1b}[1;31m캐시\u{1b}[0m의 \u{1b}[1;31m크기\u{1b}[0m는",
        "메모리\u{1b}[1;31m캐시\u{1b}[0m는",
    ] {
        assert!(text.contains(part), "{part:?}: {text:?}");
    }
}

#[test]
fn a_narrow_terminal_has_what_is_beside_a_place_below_it() {
    let directory = documents();
    let question = ["query", "cache", "docs/guide.md", "--color", "never"];
    let (_, text) = on_terminal(directory.path(), (40, 24), &[], &question);
    assert!(
        text.starts_with("docs/guide.md:3-5  Guide > Cache\n"),
        "{text}"
    );
    let (_, text) = on_terminal(directory.path(), (20, 24), &[], &question);
    assert!(
        text.starts_with("docs/guide.md:3-5\n  Guide > Cache\n"),
        "{text}"
    );
}

#[test]
fn who_wants_no_colour_gets_none() {
    let directory = documents();
    let search = ["explore", "cache", "docs/guide.md"];
    let uncoloured = [&search[..], &["--color", "never"]].concat();
    for (variables, arguments) in [
        (&[("NO_COLOR", "1")][..], &search[..]),
        (&[("TERM", "dumb")], &search),
        (&[], &uncoloured),
    ] {
        let (_, text) = on_terminal(directory.path(), (80, 24), variables, arguments);
        let expected = "docs/guide.md:3-5  Guide\n## Cache\n\nThe cache keeps texts.\n";
        assert_eq!(text, expected, "{variables:?} {arguments:?}");
    }
    let (_, piped, _) = ran(directory.path(), &search);
    assert!(piped.starts_with("## docs/guide.md:"), "{piped}");
    let coloured = [&search[..], &["--color", "always"]].concat();
    let (_, piped, _) = ran(directory.path(), &coloured);
    assert!(
        piped.contains("\u{1b}[1;31mcache") && !piped.contains("]8;;"),
        "{piped:?}"
    );
}
