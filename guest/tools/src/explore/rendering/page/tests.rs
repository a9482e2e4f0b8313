//! Pages of made-up items.

use std::cell::Cell;

use docent_api::pillars::ItemKind;
use docent_tree::door::Consent;

use super::*;
use crate::explore::rendering::item::blank;
use crate::explore::rendering::text::ItemText;
use crate::explore::request::kinds::FileKind;
use crate::explore::selection::candidate::{CandidateKind, MatchQuality};

/// Source of items with texts of one length, each with words of its own, and with time for a given
/// number after the first.
struct TestTexts {
    chars: usize,
    form: ItemForm,
    time_for: Cell<usize>,
}

impl ItemSource for TestTexts {
    fn render(&mut self, candidate: &Candidate) -> Result<Outcome, Error> {
        let sign = candidate.path[..1].repeat(self.chars);
        let item = blank(candidate, ItemKind::FilePreview);
        let text = ItemText::from_generated(sign, None);
        let rendered = RenderedItem::new(item, text, self.form);
        Ok(Outcome::Item(Box::new(rendered)))
    }

    fn is_over(&self) -> bool {
        let items = self.time_for.get();
        self.time_for.set(items.saturating_sub(1));
        items == 0
    }
}

fn texts(chars: usize, form: ItemForm, time_for: usize) -> TestTexts {
    TestTexts {
        chars,
        form,
        time_for: Cell::new(time_for),
    }
}

/// Returns candidates with these names; with scores, as from a search.
fn candidates(named: &[(&str, Option<f64>)]) -> Candidates {
    let mut candidates = Candidates::default();
    for (name, score) in named {
        candidates.push(Candidate {
            path: (*name).to_owned(),
            kind: CandidateKind::File(FileKind::from_name(name)),
            score: *score,
            match_kind: MatchQuality::Words,
            holds_name: false,
            holds_all_words: false,
            source: 0,
            consent: Consent::Withheld,
            part: None,
            semantic: None,
        });
    }
    candidates
}

fn read_candidates() -> Candidates {
    candidates(&[
        ("a.md", None),
        ("b.md", None),
        ("c.md", None),
        ("x.rs", None),
    ])
}

const LIMITS: CallLimits = CallLimits {
    results: None,
    chars: None,
    item_chars: None,
    bytes: 0,
    has_own_bytes: false,
    files: 0,
    timeout_ms: 0,
};

fn room(page: usize, item: usize) -> Room {
    Room {
        page,
        item,
        unit: Unit::Chars,
    }
}

fn read(room: Room, mut source: TestTexts) -> Page {
    let start = ItemPosition::default();
    Page::read(&read_candidates(), start, &LIMITS, room, &mut source).unwrap_or_default()
}

fn search(named: &[(&str, Option<f64>)], room: Room, mut source: TestTexts) -> Page {
    let (all, start) = (candidates(named), ItemPosition::default());
    Page::search(&all, start, &LIMITS, room, &mut source).unwrap_or_default()
}

fn names(items: &[ExploreItem]) -> Vec<&str> {
    items.iter().map(|item| item.file_path.as_str()).collect()
}

fn lengths(page: &Page) -> Vec<usize> {
    let length = |item: &ExploreItem| item.preview.as_deref().map_or(0, str::len);
    page.docs.iter().map(length).collect()
}

const END: ItemPosition = ItemPosition {
    docs: 3,
    code: 1,
    data: 0,
};

#[test]
fn what_is_read_takes_turns() {
    let page = read(room(1000, 100), texts(10, ItemForm::Preview, 9));
    assert_eq!(names(&page.docs), ["a.md", "b.md", "c.md"]);
    let ranks: Vec<u32> = page.docs.iter().map(|item| item.rank).collect();
    assert_eq!((ranks, page.code[0].rank), (vec![1, 3, 4], 2));
    assert_eq!((names(&page.code), page.to), (vec!["x.rs"], END));
    assert_eq!((page.chars, page.end, page.rest), (40, None, None));
}

#[test]
fn what_is_read_shares_the_room() {
    let page = read(room(1000, 1000), texts(700, ItemForm::Preview, 9));
    // Each item has some text, so two fit; the others have a page of their own.
    assert_eq!(lengths(&page), [500]);
    assert_eq!((page.chars, page.end), (1000, Some(PageStop::Budget)));
    // The first item comes even without time.
    let page = read(room(100, 100), texts(10, ItemForm::Preview, 0));
    assert_eq!((page.chars, page.end), (10, Some(PageStop::Time)));
}

#[test]
fn what_was_cut_goes_on() {
    let page = read(room(1000, 100), texts(250, ItemForm::Preview, 9));
    assert!(page.docs.iter().all(|item| item.truncated));
    let cut = |item, offset| CutItem {
        from: ItemPosition::default(),
        to: END,
        page: 1000,
        share: 100,
        in_bytes: false,
        item,
        offset,
    };
    assert_eq!(page.rest, Some(cut(0, 100)));
    let mut source = texts(250, ItemForm::Preview, 9);
    let all = read_candidates();
    let rest = Page::go_on(&all, &cut(0, 100), room(500, 100), &mut source);
    let rest = rest.unwrap_or_default();
    // Three items have 150 characters left each, and the remaining 50 are too few for a fourth.
    assert_eq!((rest.chars, rest.end), (450, Some(PageStop::Budget)));
    assert_eq!(rest.rest, Some(cut(3, 100)));
    let rest = Page::go_on(&all, &cut(0, 100), room(570, 100), &mut source);
    let rest = rest.unwrap_or_default();
    assert_eq!((rest.chars, rest.end), (570, Some(PageStop::Budget)));
    assert_eq!(rest.rest, Some(cut(3, 220)));
}

#[test]
fn a_whole_file_is_not_cut() {
    let page = read(room(300, 100), texts(250, ItemForm::WholeFile, 9));
    assert_eq!((page.chars, page.end), (250, Some(PageStop::Budget)));
    assert_eq!((page.docs[0].truncated, page.rest), (false, None));
}

#[test]
fn the_best_come_with_their_texts_and_the_others_by_name() {
    let named = [
        ("a.md", Some(0.9)),
        ("b.md", Some(0.8)),
        ("c.md", Some(0.5)),
        ("d.md", Some(0.4)),
    ];
    let page = search(&named, room(4000, 2000), texts(500, ItemForm::Preview, 9));
    // The last one has less than half of the best score.
    assert_eq!(lengths(&page), [500, 500, 0]);
    let is_named: Vec<bool> = page.docs.iter().map(|item| item.only_named).collect();
    assert_eq!(is_named, [false, false, true]);
    assert!(page.is_rest_less_relevant);
    // Items that are only named come with their texts on the next page.
    assert_eq!((page.to.docs, page.end, page.rest), (2, None, None));
}

#[test]
fn what_has_no_room_is_named() {
    let named = [
        ("a.md", Some(0.9)),
        ("b.md", Some(0.9)),
        ("c.md", Some(0.9)),
    ];
    let page = search(&named, room(1000, 800), texts(700, ItemForm::Preview, 9));
    // Only 300 characters are left, too few for a useful piece.
    assert_eq!(lengths(&page), [700, 0, 0]);
    assert_eq!((page.to.docs, page.end), (1, Some(PageStop::Budget)));
    let page = search(&named, room(1200, 800), texts(700, ItemForm::Preview, 9));
    assert_eq!(lengths(&page), [700, 500, 0]);
    let rest = page.rest.map(|rest| (rest.item, rest.offset));
    assert_eq!(rest, Some((1, 500)));
}

#[test]
fn the_same_is_said_once() {
    let named = [
        ("a.md", Some(0.9)),
        ("ab.md", Some(0.9)),
        ("c.md", Some(0.9)),
    ];
    let page = search(&named, room(4000, 2000), texts(50, ItemForm::Preview, 9));
    assert_eq!(names(&page.docs), ["a.md", "c.md"]);
    assert_eq!(page.docs[0].also_in, ["ab.md"]);
    assert_eq!(page.to.docs, 3);
}

#[test]
fn the_best_of_all_groups_comes_first() {
    let named = [
        ("a.md", Some(0.5)),
        ("x.rs", Some(0.9)),
        ("y.rs", Some(0.46)),
    ];
    let page = search(&named, room(4000, 2000), texts(50, ItemForm::Preview, 9));
    let ranks = |items: &[ExploreItem]| items.iter().map(|item| item.rank).collect();
    let (docs, code): (Vec<u32>, Vec<u32>) = (ranks(&page.docs), ranks(&page.code));
    assert_eq!((docs, code), (vec![2], vec![1, 3]));
}
