//! Slugs compared with those of the package `github-slugger` 2.0.0, which generated the files in
//! `slugs`.

use docent_document::sections::{Slugs, sections, slug};

/// Reads the character ranges of a file, written as code points.
fn ranges(file: &str) -> impl Iterator<Item = std::ops::RangeInclusive<u32>> {
    file.split_whitespace().map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let number = |hex| u32::from_str_radix(hex, 16).expect("a number");
        number(first)..=number(last)
    })
}

#[test]
fn every_character_is_kept_or_dropped() {
    // Characters added to Unicode after the package was made, or unassigned, are not compared.
    let mut expected = vec![Some(false); 0x11_0000];
    for (file, is_kept) in [
        (include_str!("kept.txt"), Some(true)),
        (include_str!("later.txt"), None),
    ] {
        for number in ranges(file).flatten() {
            expected[number as usize] = is_kept;
        }
    }
    let mut count = 0;
    for c in '\u{80}'..=char::MAX {
        if let Some(is_kept) = expected[c as usize] {
            assert_eq!(
                !slug(c.encode_utf8(&mut [0; 4])).is_empty(),
                is_kept,
                "{c:?}"
            );
            count += usize::from(is_kept);
        }
    }
    assert!(count > 100_000, "{count}");
}

#[test]
fn ids_of_one_document_after_another() {
    let mut slugs = Slugs::default();
    for line in include_str!("headings.txt").lines() {
        let mut words = serde_json::Deserializer::from_str(line).into_iter::<String>();
        let mut next = || words.next().expect("two strings").expect("a string");
        let (heading, expected) = (next(), next());
        assert_eq!(slugs.unique(slug(&heading)), expected, "{heading}");
    }
}

#[test]
fn text_of_headings() {
    for (heading, id) in [
        ("![a picture](a.png) Tools", "-tools"),
        ("Tools [![state](a.svg)](b) of `x_y()`", "tools--of-x_y"),
        (
            "A <b>bold</b> &amp; <kbd>Ctrl</kbd> key",
            "a-bold--ctrl-key",
        ),
        ("<a name=\"x\"></a> Anchored", "-anchored"),
        (
            "*One* [two](three.md \"four\") **~~five~~**",
            "one-two-five",
        ),
        ("&#9312; R&eacute;sum&eacute;", "-résumé"),
        ("\\# \\*literal\\* <https://e.org/a>", "-literal-httpseorga"),
        ("🎉 :tada: ¼", "-tada-"),
    ] {
        let all = sections("a.md", &format!("## {heading}\n\ntext\n"));
        assert_eq!(all[0].id, id, "{heading}");
    }
    // A heading of two lines; the alternative text of the image is shown all the same.
    let all = sections("a.md", "One\n![alt](b.png)two\n===\n");
    assert_eq!(
        (all[0].id.as_str(), all[0].heading.as_str()),
        ("onetwo", "One alttwo")
    );
}
