//! Tests of patches that are cut off, applied twice, or fit several places. Nothing uncertain is
//! written, nor anything that git refuses, except where a reason is given here.

use docent_edit::diff::parse::{DiffError, parse};
use docent_edit::plan::Edit;
use docent_edit::text_match::MatchKind;
use docent_edit::warning::Warning;

use crate::support::{edited, planned};

fn applied(before: &str, diff: &str) -> Result<String, String> {
    let files = parse(diff).map_err(|error| error.to_string())?;
    edited(before, "a.yml", &Edit::Hunks(&files[0].hunks))
}

fn refusal(before: &str, diff: &str) -> String {
    let files = parse(diff).unwrap();
    let refused = planned(before.as_bytes(), "a.yml", &[Edit::Hunks(&files[0].hunks)]);
    refused.unwrap_err()[0].explain("a.yml", &[])
}

const TWO_FILES: &str = "diff --git a/one b/one\nindex 1..2 100644\n--- a/one\n+++ b/one\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n\
    diff --git a/two b/two\nindex 1..2 100644\n--- a/two\n+++ b/two\n@@ -4,4 +4,6 @@ heading\n e\n-f\n+g\n+h\n+i\n j\n k\n";

#[test]
fn a_patch_that_ends_within_a_hunk_is_none() {
    assert_eq!(parse(TWO_FILES).unwrap().len(), 2);
    // Cut between lines: whole files remain, or the patch is refused.
    let ends = TWO_FILES.match_indices('\n').map(|(end, _)| end + 1);
    for end in ends.filter(|end| *end < TWO_FILES.len()) {
        let cut = &TWO_FILES[..end];
        let is_whole = cut.ends_with(" d\n");
        assert_eq!(parse(cut).is_ok(), is_whole, "{cut}");
    }
    // Cut within a line: the rest of the line is one of the file's, or the patch is refused.
    for end in 1..TWO_FILES.len() {
        let cut = &TWO_FILES[..end];
        if let Ok(files) = parse(cut) {
            let last = cut.lines().last().unwrap();
            let whole = files.iter().all(|file| !file.hunks.is_empty());
            // Too little is left of the next header to recognise it.
            let is_next = "diff --git".starts_with(last);
            assert!(whole && (last.starts_with(' ') || is_next), "{cut}");
        }
    }
    let error = parse("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n").unwrap_err();
    assert_eq!(
        error,
        DiffError::Cut {
            line: 3,
            missing: 1
        }
    );
    assert_eq!(
        error.to_string(),
        "1 of the lines that the header of the hunk in line 3 of the diff counts are missing, so it \
         may be cut off"
    );
}

#[test]
fn wrong_counts_are_taken_where_nothing_can_be_missing() {
    let hunk = "@@ -1,9 +1,9 @@\n a\n-b\n+c\n";
    let last = "@@ -4,2 +4,2 @@\n x\n-y\n+z\n";
    for whole in [
        format!("--- a/x\n+++ b/x\n{hunk}{last}"),
        format!("--- a/x\n+++ b/x\n{hunk}diff --git a/y b/y\n--- a/y\n+++ b/y\n{last}"),
        format!("```diff\n--- a/x\n+++ b/x\n{hunk}```\nThat is all.\n"),
        format!("~~~~\n{hunk}~~~~\n"),
        format!("*** Begin Patch\n*** Update File: x\n{hunk}*** End Patch\n"),
        format!("*** Update File: x\n{hunk}*** End of File\n"),
        "@@ -1,9 +1,9 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"
            .to_owned(),
        // More lines than the header counts: none is missing.
        "@@ -1 +1 @@\n a\n-b\n+c\n d\n".to_owned(),
    ] {
        assert!(parse(&whole).is_ok(), "{whole}");
    }
    for cut in [
        hunk.to_owned(),
        format!("--- a/x\n+++ b/x\n{hunk}"),
        format!("```diff\n{hunk}"),
        format!("{last}@@ -9,3 +9,3 @@\n"),
        format!("{last}@@ -9,3 +"),
        format!("{last}diff --git a/y b/y\n"),
        format!("{last}diff --git a/y b/y\nindex 1..2 100644\n--- a/y\n+++ b/y\n"),
        "--- /dev/null\n+++ b/new\n".to_owned(),
        format!("*** Begin Patch\n*** Update File: x\n{last}"),
        "*** Begin Patch\n*** Add File: x\n+a\n".to_owned(),
        "@@ -1,2 +1,3 @@\n a\n b\n+c".to_owned(),
        "@@ -1,9 +1,9 @@\n a\n-b\n\\ No newline at end of file\n+c\n".to_owned(),
    ] {
        assert!(parse(&cut).is_err(), "{cut}");
    }
    // Git counts correctly, so a line that is missing from its output was lost.
    let written = format!("diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n{hunk}{last}");
    assert!(parse(&written).is_err());
    assert!(parse(&written.replace("index 1..2 100644\n", "")).is_ok());
    // A file that is created empty, moved or deleted has no lines.
    for header in [
        "new file mode 100644\nindex 0..0\n",
        "similarity index 100%\nrename from x\nrename to y\n",
    ] {
        assert!(parse(&format!("diff --git a/x b/y\n{header}")).is_ok());
    }
}

#[test]
fn context_that_is_missing_is_the_edge_of_the_file() {
    let list = "names:\n  - ann\n  - bob\n";
    let more = "@@ -1,3 +1,4 @@\n names:\n   - ann\n   - bob\n+  - cleo\n";
    let once = applied(list, more).unwrap();
    assert_eq!(once, "names:\n  - ann\n  - bob\n  - cleo\n");
    assert_eq!(applied(&once, more), Err("edit-not-found".to_owned()));
    let said = refusal(&once, more);
    assert!(
        said.contains("its result is already at lines 1 to 4"),
        "{said}"
    );
    // Others have added a line since, so this is not the place.
    let said = refusal("names:\n  - ann\n  - bob\n  - dora\n", more);
    assert!(said.contains("not at the end of the file"), "{said}");
    assert!(said.contains("Send the line after the change"), "{said}");
    let first = "@@ -1,2 +1,3 @@\n+# made by hand\n names:\n   - ann\n";
    let once = applied(list, first).unwrap();
    assert!(once.starts_with("# made by hand\nnames:\n"));
    let said = refusal(&once, first);
    assert!(said.contains("is already at lines 1 to 3"), "{said}");
    let said = refusal("# other\nnames:\n  - ann\n", first);
    assert!(said.contains("not at the start of the file"), "{said}");
    // An empty line at the end of the context is a line, not the end of the file.
    let blank = "@@ -1,3 +1,4 @@\n   - ann\n   - bob\n \n+more:\n";
    assert_eq!(applied(list, blank), Err("edit-not-found".to_owned()));
    assert!(applied(&format!("{list}\n"), blank).is_ok());
    // A hunk without a number is not bound to an edge, but still not applied twice.
    let bare = "@@\n names:\n+  - zoe\n";
    let once = applied(list, bare).unwrap();
    assert_eq!(once, "names:\n  - zoe\n  - ann\n  - bob\n");
    assert!(refusal(&once, bare).contains("is already at lines 1 to 2"));
    // Removed lines identify the place by themselves.
    assert_eq!(
        applied(list, "@@ -1 +1 @@\n-  - ann\n+  - eve\n").unwrap(),
        "names:\n  - eve\n  - bob\n"
    );
}

#[test]
fn the_same_again_does_not_go_to_another_copy() {
    let block = "job:\n  run: a\n";
    let before = format!("{block}\n{block}");
    let diff = "@@ -1,2 +1,3 @@\n job:\n+  when: x\n   run: a\n";
    let once = applied(&before, diff).unwrap();
    assert_eq!(once, format!("job:\n  when: x\n  run: a\n\n{block}"));
    let said = refusal(&once, diff);
    assert!(said.contains("is already at lines 1 to 3"), "{said}");
}

#[test]
fn a_number_that_hits_one_of_several_places_decides() {
    let block = "  image: x\n  retries: 1\n  on: true\n";
    let before = format!("a:\n{block}b:\n{block}");
    let hunk = |header: &str| {
        format!("{header}\n   image: x\n-  retries: 1\n+  retries: 5\n   on: true\n")
    };
    let second = format!("a:\n{block}b:\n{}", block.replace('1', "5"));
    assert_eq!(applied(&before, &hunk("@@ -6,3 +6,3 @@")), Ok(second));
    for header in [
        "@@ -1,3 +1,3 @@",
        "@@ -5,3 +5,3 @@",
        "@@ ... @@",
        "@@",
        "@@ -?,? +?,? @@",
    ] {
        let diff = hunk(header);
        assert_eq!(
            applied(&before, &diff),
            Err("edit-ambiguous".to_owned()),
            "{header}"
        );
        let said = refusal(&before, &diff);
        assert!(
            said.contains("2 places:\nline 2 after `a:`\nline 6 after `b:`"),
            "{said}"
        );
        assert!(
            said.contains("`@@ -6,… +6,… @@`") && !said.contains("occurrence"),
            "{said}"
        );
        // With a single place there is nothing to choose.
        let one = format!("a:\n{block}");
        assert_eq!(
            applied(&one, &diff).unwrap(),
            one.replace('1', "5"),
            "{header}"
        );
    }
    // An anchor is a line of the file, whatever it begins with.
    let anchored = "@@ b:\n-  retries: 1\n+  retries: 5\n";
    assert!(
        applied(&before, anchored)
            .unwrap()
            .ends_with("5\n  on: true\n")
    );
}

#[test]
fn a_mark_in_a_hunk_is_none_of_the_text() {
    let file = "\u{FEFF}one\r\ntwo\n";
    let planned_by = |diff: &str| {
        let files = parse(diff).unwrap();
        planned(file.as_bytes(), "a.txt", &[Edit::Hunks(&files[0].hunks)]).unwrap()
    };
    let plan = planned_by("@@ -1,2 +1,2 @@\n-\u{FEFF}one\r\n+1\n two\n");
    assert_eq!(plan.bytes, "\u{FEFF}1\ntwo\n".as_bytes());
    assert_eq!(plan.warnings, [Warning::MarkStays]);
    assert_eq!(plan.edits[0].matched, MatchKind::Exact);
    let plan = planned_by("@@ -1,2 +1,2 @@\n-\u{FEFF}one\r\n+one\r\n two\n");
    assert!(!plan.changed);
    assert!(plan.warnings[0].message().contains("byte order mark"));
    // A mark on both sides does not change it.
    let plan = planned_by("@@ -1,2 +1,2 @@\n-\u{FEFF}one\r\n+\u{FEFF}1\r\n two\n");
    assert_eq!((plan.text.as_str(), plan.warnings.len()), ("1\r\ntwo\n", 0));
}

#[test]
fn a_last_line_without_an_end_is_a_matter_of_line_ends() {
    for diff in [
        "*** Begin Patch\n*** Update File: a\n@@\n one\n two\n+three\n*** End Patch\n",
        "@@ -1,2 +1,3 @@\n one\n two\n+three\n",
        "@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n",
    ] {
        let files = parse(diff).unwrap();
        let plan = planned(b"one\ntwo", "a.txt", &[Edit::Hunks(&files[0].hunks)]).unwrap();
        assert_eq!(plan.edits[0].matched, MatchKind::LineEndings, "{diff}");
        assert!(!plan.text.ends_with('\n'));
    }
    let files = parse("@@ -1 +1 @@\n-cafe\u{301}\n+tea\n").unwrap();
    let plan = planned(
        "caf\u{e9}".as_bytes(),
        "a.txt",
        &[Edit::Hunks(&files[0].hunks)],
    )
    .unwrap();
    assert_eq!(plan.edits[0].matched, MatchKind::Composed);
}
