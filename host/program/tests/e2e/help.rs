//! `docent help`, and `docent` without arguments.

use crate::program::{ran, tree};

#[test]
fn help_of_a_command_is_that_of_its_flag() {
    let directory = tree(&[]);
    for command in [&["search"][..], &["token", "new"], &["setup"]] {
        let (code, flag, _) = ran(directory.path(), &[command, &["--help"]].concat());
        assert_eq!(code, 0);
        let (code, help, errors) = ran(directory.path(), &[&["help"], command].concat());
        assert_eq!((code, help, errors.as_str()), (0, flag, ""));
    }
}

#[test]
fn pages_are_listed_shown_and_looked_for() {
    let directory = tree(&[]);
    let (code, topics, _) = ran(directory.path(), &["help", "topics"]);
    assert_eq!(code, 0);
    assert!(topics.contains("  access-log "), "{topics}");
    let (code, page, _) = ran(directory.path(), &["help", "access-log"]);
    assert_eq!(code, 0);
    assert_eq!(page, include_str!("../../../../docs/access-log.md"));
    let (code, output, errors) = ran(directory.path(), &["help", "acces"]);
    assert_eq!((code, output.as_str()), (2, ""));
    assert!(errors.contains("no command or topic `acces`"), "{errors}");
}

#[test]
fn without_arguments_a_pipe_gets_the_commands() {
    let directory = tree(&[]);
    let (code, output, errors) = ran(directory.path(), &[]);
    assert_eq!((code, output.as_str()), (2, ""));
    assert!(
        errors.contains("Usage: docent [OPTIONS] <COMMAND>"),
        "{errors}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn without_arguments_a_terminal_gets_the_first_steps() {
    use crate::terminal::on_terminal;

    let directory = tree(&[]);
    let (code, text) = on_terminal(directory.path(), (80, 24), &[], &[]);
    assert_eq!(code, 0);
    assert_eq!(text.lines().count(), 10, "{text}");
    assert!(text.contains("docent setup"), "{text}");
}
