//! `smart-search` with an embedder: its matches beyond the lexical ones, and the law that no
//! embedder, however bad, removes any lexical match.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use docent_api::sections::{SmartMode, SmartSearchAnswer, SmartSearchOptions};
use docent_api::types::{Error, ErrorCode};
use docent_rank::embedder::{
    Bounds, DocumentCounts, DocumentVersion, Embedder, EmbeddingText, Failure, Model, Nearest,
    PassageCount, Role, similarity,
};
use docent_tools::{Docent, ToolSettings};
use docent_tree::memory::MemoryDisk;
use proptest::prelude::*;

const DIMENSIONS: usize = 96;

/// Words that mean the same.
const SYNONYMS: [(&str, &str); 3] = [
    ("automobile", "car"),
    ("vehicle", "car"),
    ("mend", "repair"),
];

/// Misbehaviour of an embedder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misbehaviour {
    None,
    Fails(Failure),
    /// On the request for its model.
    FailsAtOnce(Failure),
    /// For passages only.
    FailsLater(Failure),
    Short,
    Long,
    Empty,
    Zeros,
    /// Names places that are not there, or not to be seen.
    NamesPlaces,
}

/// Embedder that hashes the words of a text, some of which are synonyms; stores its vectors.
#[derive(Debug)]
pub struct Hashing {
    pub misbehaviour: Cell<Misbehaviour>,
    pub weight: Cell<f64>,
    pub fingerprint: Cell<&'static str>,
    pub passages: usize,
    /// True if it stores anything.
    pub keeps: bool,
    /// Texts for which it was asked to make vectors.
    pub made: RefCell<Vec<String>>,
    pub known: RefCell<Vec<(EmbeddingText, Vec<i8>)>>,
    /// Numbers of passages of documents, if it stores them: by place, with the version.
    pub counts: Option<RefCell<BTreeMap<u64, (u64, PassageCount)>>>,
    /// Milliseconds to report its model, and for each text, and the clock on which they pass.
    pub describes: u64,
    pub takes: u64,
    /// True if it makes nothing of a batch that it cannot finish in time.
    pub gives_up: bool,
    pub clock: Rc<Cell<u64>>,
}

impl Default for Hashing {
    fn default() -> Self {
        Self {
            misbehaviour: Cell::new(Misbehaviour::None),
            weight: Cell::new(1.0),
            fingerprint: Cell::new("1"),
            passages: 50,
            keeps: true,
            made: RefCell::default(),
            known: RefCell::default(),
            counts: None,
            describes: 0,
            takes: 0,
            gives_up: false,
            clock: Rc::default(),
        }
    }
}

fn vector(text: &str) -> Vec<i8> {
    let mut sums = [0i32; DIMENSIONS];
    let words = text.split(|c: char| !c.is_alphanumeric());
    for word in words.filter(|word| !word.is_empty()) {
        let word = word.to_lowercase();
        let same = SYNONYMS.iter().find(|(one, _)| *one == word);
        let word = same.map_or(word.as_str(), |(_, same)| same);
        let hash = word.bytes().fold(0xCBF2_9CE4_8422_2325u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        });
        for turn in [0, 16, 32] {
            let at = (hash >> turn) as usize % DIMENSIONS;
            sums[at] += if (hash >> (48 + turn / 16)) & 1 == 0 {
                1
            } else {
                -1
            };
        }
    }
    let length = sums.iter().map(|sum| sum * sum).sum::<i32>().max(1);
    let length = f64::from(length).sqrt();
    let unit = |sum: &i32| (f64::from(*sum) / length * 127.0).round() as i8;
    sums.iter().map(unit).collect()
}

impl Embedder for Hashing {
    fn describe(&self, _: u32) -> Result<Model, Failure> {
        self.clock.set(self.clock.get() + self.describes);
        if let Misbehaviour::FailsAtOnce(failure) = self.misbehaviour.get() {
            return Err(failure);
        }
        Ok(Model {
            name: "hashing".to_owned(),
            fingerprint: self.fingerprint.get().to_owned(),
            dimensions: DIMENSIONS,
            max_bytes: 2000,
            passages: self.passages,
            weight: self.weight.get(),
        })
    }

    fn embed(
        &self,
        role: Role,
        texts: &[EmbeddingText],
        bounds: Bounds,
    ) -> Result<Vec<i8>, Failure> {
        let all = texts.len() * DIMENSIONS;
        match self.misbehaviour.get() {
            Misbehaviour::Fails(failure) => return Err(failure),
            Misbehaviour::FailsLater(failure) if role == Role::Passage => return Err(failure),
            Misbehaviour::Short => return Ok(vec![1; all - 1]),
            Misbehaviour::Long => return Ok(vec![1; all + (1 << 20)]),
            Misbehaviour::Empty => return Ok(Vec::new()),
            Misbehaviour::Zeros => return Ok(vec![0; all]),
            _ => {}
        }
        let end = self.clock.get() + u64::from(bounds.milliseconds);
        let mut out = Vec::with_capacity(all);
        for text in texts {
            let mut known = self.known.borrow_mut();
            let most = bounds.moment.map_or(known.len(), |moment| moment as usize);
            let place = known
                .iter()
                .take(most)
                .position(|(one, _)| one.content == text.content);
            if let (Some(place), Role::Passage) = (place, role) {
                out.extend(&known[place].1);
            } else if self.gives_up
                && bounds.milliseconds > 0
                && self.clock.get() + self.takes > end
            {
                self.clock.set(end);
                return Err(Failure::TooSlow);
            } else if self.clock.get() < end {
                self.clock.set(self.clock.get() + self.takes);
                self.made.borrow_mut().push(text.content.clone());
                let made = vector(&text.content);
                out.extend(&made);
                if role == Role::Passage && self.keeps {
                    known.push((text.clone(), made));
                }
            } else {
                out.extend([0; DIMENSIONS]);
            }
        }
        Ok(out)
    }

    fn nearest(&self, to: &[i8], area: &str, most: usize, moment: Option<u64>) -> Nearest {
        if self.misbehaviour.get() == Misbehaviour::NamesPlaces {
            let places = [
                "",
                "docs",
                "docs\n",
                "docs\n\n",
                "docs\n/etc/passwd\n0",
                "docs\n../a.md\n0",
                "docs\n.ssh/a.md\n0",
                "docs\nno.md\n0",
                "docs\na.md\n99999999",
                "docs\na.md\n-1",
                "other\na.md\n0",
                "docs\ndir\n0",
            ];
            let places = places.iter().cycle().take(5000);
            return Nearest {
                places: places.map(|place| (*place).to_owned()).collect(),
                moment: u64::MAX,
            };
        }
        let known = self.known.borrow();
        let as_of = moment.unwrap_or(known.len() as u64);
        let mut places: Vec<(f64, &str)> = known
            .iter()
            .take(as_of as usize)
            .filter(|(text, _)| text.place.starts_with(area))
            .map(|(text, vector)| (similarity(to, vector), text.place.as_str()))
            .collect();
        places.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        Nearest {
            places: places
                .iter()
                .take(most)
                .map(|(_, place)| (*place).to_owned())
                .collect(),
            moment: as_of,
        }
    }

    fn passage_counts(&self, _: Option<&str>, documents: &[DocumentVersion]) -> DocumentCounts {
        let Some(counts) = &self.counts else {
            return DocumentCounts::default();
        };
        let counts = counts.borrow();
        let of = documents.iter().map(|document| {
            let kept = counts.get(&document.place);
            let kept = kept.filter(|(version, _)| *version == document.version);
            kept.map(|(_, count)| *count)
        });
        DocumentCounts {
            counts: of.collect(),
            losses: 0,
        }
    }

    fn store_passage_counts(&self, _: u64, documents: &[(DocumentVersion, PassageCount)]) {
        if let Some(counts) = &self.counts {
            let documents = documents.iter();
            let kept =
                documents.map(|(document, count)| (document.place, (document.version, *count)));
            counts.borrow_mut().extend(kept);
        }
    }
}

pub fn disk(files: &[(&str, &str)]) -> MemoryDisk {
    let disk = MemoryDisk::with_roots(&["docs"]);
    for (path, text) in files {
        disk.write("docs", path, text.as_bytes());
    }
    disk
}

const OPTIONS: SmartSearchOptions = SmartSearchOptions {
    root: None,
    path: None,
    mode: None,
    max_tokens: None,
    limit: None,
    relevance: None,
    cursor: None,
};

type Answer = Result<SmartSearchAnswer, Error>;

fn ask(
    disk: &MemoryDisk,
    embedder: &Rc<Hashing>,
    query: &str,
    options: SmartSearchOptions,
) -> Answer {
    let embedder: Rc<Hashing> = Rc::clone(embedder);
    let mut docent = Docent::new(disk.clone(), ToolSettings::default()).with_embedder(embedder);
    docent.smart_search(query.to_owned(), Some(options))
}

fn keyword(disk: &MemoryDisk, query: &str, options: SmartSearchOptions) -> SmartSearchAnswer {
    let options = SmartSearchOptions {
        mode: Some(SmartMode::Keyword),
        ..options
    };
    let mut docent = Docent::new(disk.clone(), ToolSettings::default());
    docent
        .smart_search(query.to_owned(), Some(options))
        .unwrap()
}

fn paths(answer: &SmartSearchAnswer) -> Vec<&str> {
    let documents = answer.documents.iter();
    documents.map(|document| document.path.as_str()).collect()
}

pub fn garage() -> MemoryDisk {
    disk(&[
        (
            "a.md",
            "# Garage\n\nHow to repair a car that does not start in winter.\n",
        ),
        (
            "b.md",
            "# Notes\n\nRepair of clocks, and of many other things, a car among them: no.\n",
        ),
        (
            "c.md",
            "# Workshop\n\nMend the automobile that stands still.\n",
        ),
        ("d.md", "# Cooking\n\nSoup needs salt and water.\n"),
    ])
}

/// The keyword answer, but for saying why it is one.
fn is_keyword_answer(answer: &SmartSearchAnswer, words: &SmartSearchAnswer, reason: &str) {
    assert!(answer.degraded);
    assert_eq!(answer.reasons, [reason]);
    let mut plain = answer.clone();
    (plain.degraded, plain.reasons) = (false, Vec::new());
    // The line that names the next call contains the requested mode.
    if answer.next_cursor.is_none() {
        assert_eq!(plain, *words);
    } else {
        assert_eq!(paths(&plain), paths(words));
    }
}

#[test]
fn what_means_the_same_is_found_once_it_is_known() {
    let (disk, embedder) = (garage(), Rc::new(Hashing::default()));
    let answer = ask(&disk, &embedder, "repair car", OPTIONS).unwrap();
    assert_eq!(answer.mode, SmartMode::Semantic);
    assert_eq!(answer.model_info.as_deref(), Some("hashing"));
    assert!(!answer.degraded && answer.reasons.is_empty());
    // It contains no such word, and is not embedded yet.
    assert!(!paths(&answer).contains(&"c.md"));
    ask(&disk, &embedder, "workshop that stands", OPTIONS).unwrap();
    let answer = ask(&disk, &embedder, "repair car", OPTIONS).unwrap();
    let third = answer
        .documents
        .iter()
        .find(|one| one.path == "c.md")
        .unwrap();
    let text: String = third
        .sections
        .iter()
        .map(|section| section.content.as_str())
        .collect();
    assert!(
        text.contains("automobile") || third.sections.is_empty(),
        "{answer:?}"
    );
    let alone = SmartSearchOptions {
        mode: Some(SmartMode::Semantic),
        limit: Some(1),
        ..OPTIONS
    };
    let answer = ask(&disk, &embedder, "mend vehicle", alone).unwrap();
    assert_eq!(paths(&answer), ["c.md"]);
    assert!(
        answer.documents[0].sections[0]
            .content
            .contains("automobile")
    );
}

#[test]
fn what_is_known_is_not_made_again() {
    let (disk, embedder) = (garage(), Rc::new(Hashing::default()));
    let first = ask(&disk, &embedder, "repair car", OPTIONS).unwrap();
    let made = embedder.made.borrow().len();
    assert_eq!(made, 3);
    // The question itself is for the embedder to keep.
    assert_eq!(ask(&disk, &embedder, "repair car", OPTIONS).unwrap(), first);
    assert_eq!(embedder.made.borrow().len(), made + 1);
    // A changed document has another text: its old vector is not used.
    disk.write("docs", "a.md", b"# Garage\n\nRepair of a car costs soup.\n");
    ask(&disk, &embedder, "repair car", OPTIONS).unwrap();
    assert_eq!(embedder.made.borrow().len(), made + 3);
}

#[test]
fn a_failure_is_the_keyword_answer_with_its_reason() {
    let disk = garage();
    let words = keyword(&disk, "repair car winter", OPTIONS);
    let misbehaviours = [
        (
            Misbehaviour::Fails(Failure::Unavailable),
            "the embedder cannot be reached",
        ),
        (
            Misbehaviour::FailsAtOnce(Failure::TooSlow),
            "the embedder took too long",
        ),
        (
            Misbehaviour::FailsAtOnce(Failure::NoneConfigured),
            "no embedder is configured",
        ),
        (
            Misbehaviour::FailsLater(Failure::Refused),
            "the embedder refuses",
        ),
        (
            Misbehaviour::FailsLater(Failure::TooLong),
            "a text is longer than the embedder takes",
        ),
        (Misbehaviour::Short, "the embedder's answer is invalid"),
        (Misbehaviour::Long, "the embedder's answer is invalid"),
        (Misbehaviour::Empty, "the embedder's answer is invalid"),
        (Misbehaviour::Zeros, "the embedder refuses"),
    ];
    for (misbehaviour, reason) in misbehaviours {
        let embedder = Rc::new(Hashing::default());
        embedder.misbehaviour.set(misbehaviour);
        let answer = ask(&disk, &embedder, "repair car winter", OPTIONS).unwrap();
        is_keyword_answer(&answer, &words, reason);
        let alone = SmartSearchOptions {
            mode: Some(SmartMode::Semantic),
            ..OPTIONS
        };
        let error = ask(&disk, &embedder, "repair car winter", alone).unwrap_err();
        assert_eq!(error.code, ErrorCode::SemanticSearchUnavailable);
        assert!(error.message.contains(reason), "{error:?}");
    }
}

#[test]
fn no_place_that_it_names_is_believed() {
    let disk = disk(&[
        ("a.md", "# A\n\nRepair the car.\n"),
        (".ssh/a.md", "canary car\n"),
        ("dir/b.md", "# B\n\nRepair nothing.\n"),
    ]);
    let embedder = Rc::new(Hashing::default());
    embedder.misbehaviour.set(Misbehaviour::NamesPlaces);
    let answer = ask(&disk, &embedder, "repair car", OPTIONS).unwrap();
    assert_eq!(paths(&answer), ["a.md"]);
    assert!(!format!("{answer:?}").contains("canary"));
    assert!(
        embedder
            .made
            .borrow()
            .iter()
            .all(|text| !text.contains("canary"))
    );
}

#[test]
fn keyword_mode_and_identifiers_ask_no_embedder() {
    let disk = disk(&[
        ("a.md", "# A\n\nCall parseConfig first.\n"),
        ("b.md", "# B\n\nTo parse, see config.\n"),
    ]);
    let embedder = Rc::new(Hashing::default());
    let by_words = SmartSearchOptions {
        mode: Some(SmartMode::Keyword),
        ..OPTIONS
    };
    let words = keyword(&disk, "parse a config", OPTIONS);
    assert_eq!(
        ask(&disk, &embedder, "parse a config", by_words).unwrap(),
        words
    );
    let answer = ask(&disk, &embedder, "parseConfig", OPTIONS).unwrap();
    assert_eq!(answer, keyword(&disk, "parseConfig", OPTIONS));
    // A model of weight 0 has no effect.
    embedder.weight.set(0.0);
    let answer = ask(&disk, &embedder, "parse a config", OPTIONS).unwrap();
    assert_eq!((answer.mode, answer.degraded), (SmartMode::Keyword, false));
    assert_eq!(answer.documents, words.documents);
    assert!(embedder.made.borrow().is_empty());
}

#[test]
fn what_holds_the_question_literally_stays_where_words_have_it() {
    let mut files = vec![(
        "z.md".to_owned(),
        // The rest of the document is about something else.
        "# Z\n\nWe mend a red car here. Soup needs salt, clocks tell time, paper burns, boots keep \
         water out, bread rises slowly, letters arrive late and gardens want rain.\n"
            .to_owned(),
    )];
    for number in 0..30 {
        let text = format!("# Vehicle\n\nrepair automobile vehicle red mend {number}\n");
        files.push((format!("v{number}.md"), text));
    }
    // Among so many other documents, each of its words is distinctive.
    for number in 0..300 {
        let text = format!("# Other\n\nNothing of that {number}.\n");
        files.push((format!("n{number}.md"), text));
    }
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(p, t)| (p.as_str(), t.as_str()))
        .collect();
    let disk = disk(&files);
    let embedder = Rc::new(Hashing::default());
    let answer = ask(&disk, &embedder, "mend a red car", OPTIONS).unwrap();
    assert_eq!(paths(&answer)[0], "z.md");
    let scores: Vec<f64> = answer.documents.iter().map(|one| one.score).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
}

/// A tree of `count` documents, each with words of its own.
pub fn many(count: usize) -> MemoryDisk {
    let words = [
        "car",
        "automobile",
        "repair",
        "mend",
        "winter",
        "salt",
        "engine",
        "oil",
    ];
    let files: Vec<(String, String)> = (0..count)
        .map(|number| {
            let pick = |turn: usize| words[(number * 7 + turn * (number % 5 + 1)) % words.len()];
            let body: String = (0..12).map(|turn| format!("{} ", pick(turn))).collect();
            let name = format!("d{:02}/f{number}.md", number % 7);
            (
                name,
                format!("# Page {number}\n\n{body}\n\n## More\n\n{body}{number}\n"),
            )
        })
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(p, t)| (p.as_str(), t.as_str()))
        .collect();
    disk(&files)
}

#[test]
fn a_slow_embedder_is_less_meaning_and_the_pages_agree() {
    let disk = many(60);
    let embedder = Rc::new(Hashing {
        takes: 1000,
        ..Hashing::default()
    });
    let clock = Rc::clone(&embedder.clock);
    disk.set_clock(move || clock.get());
    let first = ask(&disk, &embedder, "repair the car engine", OPTIONS).unwrap();
    assert!(first.degraded && first.mode == SmartMode::Semantic);
    let reasons = first.reasons.clone();
    let [reason] = &reasons[..] else {
        panic!("{reasons:?}")
    };
    assert!(reason.ends_with(" passages without vectors: the embedder took too long"));
    let found = first.documents_found as usize;
    // Ten seconds at most, and a batch.
    assert!(embedder.clock.get() <= 10_000 + 8 * 1000);
    let all = all_pages(&disk, &embedder, "repair the car engine", first);
    assert_eq!(all.len(), found);
    assert!(found > 12);
    // A new query gets more of it.
    let again = ask(&disk, &embedder, "repair the car engine", OPTIONS).unwrap();
    assert_ne!(again.reasons.first(), Some(reason));
}

#[test]
fn what_an_embedder_takes_to_say_what_it_is_counts_as_well() {
    for describes in [0, 4000, 9999, 10_000] {
        let disk = many(60);
        let embedder = Rc::new(Hashing {
            describes,
            takes: 300,
            gives_up: true,
            ..Hashing::default()
        });
        let clock = Rc::clone(&embedder.clock);
        disk.set_clock(move || clock.get());
        let answer = ask(&disk, &embedder, "repair the car engine", OPTIONS).unwrap();
        assert!(answer.degraded, "{answer:?}");
        assert!(
            embedder.clock.get() <= 10_000,
            "{describes}: {}",
            embedder.clock.get()
        );
        let words = keyword(&disk, "repair the car engine", OPTIONS);
        assert_eq!(answer.documents_found, words.documents_found);
    }
}

/// Returns the paths of all documents, page by page, each as often as it begins on a page.
fn all_pages(
    disk: &MemoryDisk,
    embedder: &Rc<Hashing>,
    query: &str,
    first: SmartSearchAnswer,
) -> Vec<String> {
    let mut shown: Vec<(String, u32)> = Vec::new();
    let mut named: BTreeSet<String> = BTreeSet::new();
    let mut answer = first;
    for _ in 0..500 {
        for document in &answer.documents {
            named.insert(document.path.clone());
            for section in &document.sections {
                if section.part.is_none() {
                    shown.push((document.path.clone(), section.position));
                }
            }
        }
        let Some(cursor) = answer.next_cursor.clone() else {
            let different: BTreeSet<_> = shown.iter().collect();
            assert_eq!(different.len(), shown.len(), "doubled");
            return named.into_iter().collect();
        };
        let options = SmartSearchOptions {
            cursor: Some(cursor),
            ..OPTIONS
        };
        answer = ask(disk, embedder, query, options).unwrap();
    }
    panic!("no end");
}

#[test]
fn pages_go_on_by_words_or_are_refused_when_the_embedder_goes() {
    let disk = many(40);
    let embedder = Rc::new(Hashing::default());
    let first = ask(&disk, &embedder, "repair the car engine", OPTIONS).unwrap();
    let next = SmartSearchOptions {
        cursor: first.next_cursor,
        ..OPTIONS
    };
    for misbehaviour in [
        Misbehaviour::FailsAtOnce(Failure::Unavailable),
        Misbehaviour::Fails(Failure::TooSlow),
    ] {
        embedder.misbehaviour.set(misbehaviour);
        let error = ask(&disk, &embedder, "repair the car engine", next.clone()).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidCursor);
    }
    let words = ask(&disk, &embedder, "repair the car engine", OPTIONS).unwrap();
    embedder.misbehaviour.set(Misbehaviour::None);
    embedder.fingerprint.set("2");
    let error = ask(&disk, &embedder, "repair the car engine", next.clone()).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidCursor);
    embedder.fingerprint.set("1");
    assert!(ask(&disk, &embedder, "repair the car engine", next.clone()).is_ok());
    let in_keyword = SmartSearchOptions {
        mode: Some(SmartMode::Keyword),
        ..next
    };
    assert!(ask(&disk, &embedder, "repair the car engine", in_keyword).is_err());
    // A lexical order continues on later pages, even if an embedder is available by then.
    let next = SmartSearchOptions {
        cursor: words.next_cursor,
        ..OPTIONS
    };
    let second = ask(&disk, &embedder, "repair the car engine", next).unwrap();
    assert_eq!(second.mode, SmartMode::Keyword);
    assert_eq!(second.reasons, ["the first page was ranked lexically"]);
}

#[test]
fn what_others_ask_meanwhile_changes_no_later_page() {
    let disk = many(60);
    let embedder = Rc::new(Hashing::default());
    let first = ask(&disk, &embedder, "repair the car engine", OPTIONS).unwrap();
    let known = embedder.known.borrow().len();
    ask(&disk, &embedder, "winter salt oil", OPTIONS).unwrap();
    assert!(embedder.known.borrow().len() > known);
    let found = first.documents_found as usize;
    let all = all_pages(&disk, &embedder, "repair the car engine", first);
    assert_eq!(all.len(), found);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn pages_lose_and_double_nothing(
        count in 1usize..70,
        keeps: bool,
        passages in 0usize..60,
        before in proptest::option::of(Just("winter salt")),
    ) {
        let disk = many(count);
        let embedder = Rc::new(Hashing { passages, keeps, ..Hashing::default() });
        if let Some(query) = before {
            ask(&disk, &embedder, query, OPTIONS).unwrap();
        }
        let query = "mend the engine of a vehicle";
        let first = ask(&disk, &embedder, query, OPTIONS).unwrap();
        let found = first.documents_found as usize;
        let all = all_pages(&disk, &embedder, query, first);
        prop_assert_eq!(all.len(), found);
        // All that words find is there.
        let options = SmartSearchOptions { limit: Some(50), max_tokens: Some(100_000), ..OPTIONS };
        for document in keyword(&disk, query, options).documents {
            prop_assert!(all.contains(&document.path), "{}", document.path);
        }
    }
}
