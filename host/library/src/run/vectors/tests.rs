use tempfile::TempDir;

use super::*;

const ROOM: u64 = 1 << 30;

/// Returns vectors with a file in a directory, and a budget in bytes for those in memory.
fn opened(home: &TempDir, memory_bytes: usize) -> Vectors {
    let mut vectors = Vectors::new(memory_bytes, ROOM);
    open(&mut vectors, home, "m");
    vectors
}

fn open(vectors: &mut Vectors, home: &TempDir, fingerprint: &str) {
    let model = Model {
        name: "model".to_owned(),
        fingerprint: fingerprint.to_owned(),
        dimensions: 2,
        max_bytes: 1000,
        passages: 50,
        weight: 1.0,
    };
    vectors.open_file_ambient(&home.path().join("vectors"), &model);
}

fn in_memory() -> Vectors {
    Vectors::new(10 << 20, ROOM)
}

fn key(text: &str) -> Key {
    Key::new("m", Role::Passage, text)
}

fn insert(vectors: &mut Vectors, text: &str, place: &str, vector: [i8; 2]) {
    let made = Made {
        key: key(text),
        place,
        vector: vector.to_vec(),
    };
    vectors.insert(Role::Passage, "m", vec![made]);
}

fn get(vectors: &mut Vectors, key: Key, place: &str, moment: Option<u64>) -> Option<[i8; 2]> {
    let mut row = [0; 2];
    let unknown = vectors.fill(&[(key, place)], moment, 2, &mut row);
    unknown.is_empty().then_some(row)
}

fn near(vectors: &mut Vectors, most: usize, moment: Option<u64>) -> (Vec<String>, u64) {
    vectors.nearest("m", &[127, 10], "docs\n", most, moment)
}

fn places(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| format!("docs\n{name}")).collect()
}

/// Runs `check` on vectors in memory alone, and on vectors in a file.
fn both(check: impl Fn(Vectors)) {
    check(in_memory());
    let home = tempfile::tempdir().unwrap();
    check(opened(&home, 0));
}

#[test]
fn kept_by_model_role_and_text() {
    both(|mut vectors| {
        insert(&mut vectors, "a", "docs\na", [1, 2]);
        assert_eq!(get(&mut vectors, key("a"), "", None), Some([1, 2]));
        for other in [
            Key::new("n", Role::Passage, "a"),
            Key::new("m", Role::Query, "a"),
            Key::new("m", Role::Passage, "b"),
            Key::new("mp", Role::Passage, "a"),
        ] {
            assert_eq!(get(&mut vectors, other, "", None), None);
        }
    });
}

#[test]
fn the_nearest_of_an_area_and_a_moment() {
    both(|mut vectors| {
        for (text, vector) in [("a", [127, 0]), ("b", [90, 90]), ("c", [0, 127])] {
            insert(&mut vectors, text, &format!("docs\n{text}"), vector);
        }
        // Inserting it again changes nothing.
        insert(&mut vectors, "a", "docs\na", [127, 0]);
        assert_eq!(near(&mut vectors, 9, None), (places(&["a", "b", "c"]), 3));
        assert_eq!(near(&mut vectors, 1, None), (places(&["a"]), 3));
        assert_eq!(near(&mut vectors, 9, Some(2)), (places(&["a", "b"]), 2));
        assert_eq!(near(&mut vectors, 0, None), (Vec::new(), 3));
        for (fingerprint, vector, area) in [
            ("n", &[127, 10][..], "docs\n"),
            ("m", &[127, 10], "notes\n"),
            ("m", &[1], "docs\n"),
        ] {
            let (near, _) = vectors.nearest(fingerprint, vector, area, 9, None);
            assert!(near.is_empty(), "{near:?}");
        }
        assert_eq!(get(&mut vectors, key("c"), "", Some(2)), None);
        // A text that has moved is reported at its current place, and is known for as long as
        // before.
        get(&mut vectors, key("a"), "docs\nz", None);
        assert_eq!(near(&mut vectors, 1, Some(1)), (places(&["z"]), 1));
        // A query is not a passage.
        let question = Made {
            key: Key::new("m", Role::Query, "q"),
            place: "",
            vector: vec![127, 10],
        };
        vectors.insert(Role::Query, "m", vec![question]);
        assert_eq!(vectors.nearest("m", &[127, 10], "", 9, None).0.len(), 3);
        assert_eq!(vectors.nearest("m", &[127, 10], "", 9, None).1, 3);
    });
}

#[test]
fn the_last_of_several_places_is_used() {
    let home = tempfile::tempdir().unwrap();
    let mut vectors = opened(&home, 0);
    insert(&mut vectors, "a", "docs\n1", [127, 0]);
    let mut numbers = [0; 6];
    let texts = ["docs\n2", "docs\n3", "docs\n1"].map(|place| (key("a"), place));
    let bytes = || {
        let entries = std::fs::read_dir(home.path().join("vectors")).unwrap();
        let bytes = entries.map(|entry| entry.unwrap().metadata().unwrap().len());
        bytes.sum::<u64>()
    };
    let before = bytes();
    assert!(vectors.fill(&texts, None, 2, &mut numbers).is_empty());
    assert_eq!(numbers, [127, 0, 127, 0, 127, 0]);
    assert_eq!(
        (near(&mut vectors, 9, None).0, bytes()),
        (places(&["1"]), before)
    );
    assert!(vectors.fill(&texts[..2], None, 2, &mut numbers).is_empty());
    assert_eq!(near(&mut vectors, 9, None).0, places(&["3"]));
    assert!(bytes() < 2 * before);
    drop(vectors);
    assert_eq!(near(&mut opened(&home, 0), 9, None), (places(&["3"]), 1));
}

#[test]
fn with_a_file_the_answers_are_those_without() {
    let home = tempfile::tempdir().unwrap();
    let (mut kept, mut remembered) = (opened(&home, 0), in_memory());
    let mut random = 1_u32;
    let mut next = |most: u32| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 16) % most
    };
    for step in 0..4000 {
        let text = next(700).to_string();
        if next(3) == 0 {
            let place = format!("docs\n{step}");
            let vector = [next(100) as i8, next(100) as i8];
            for vectors in [&mut kept, &mut remembered] {
                insert(vectors, &text, &place, vector);
            }
        }
        let place = match next(2) {
            0 => format!("docs\nmoved {step}"),
            _ => String::new(),
        };
        let moment = (next(2) == 0).then(|| u64::from(next(700)));
        let expected = get(&mut remembered, key(&text), &place, moment);
        assert_eq!(get(&mut kept, key(&text), &place, moment), expected);
        if step % 50 == 0 {
            let most = next(300) as usize;
            assert_eq!(
                near(&mut kept, most, moment),
                near(&mut remembered, most, moment)
            );
        }
        // Another program continues with the file.
        if step % 1000 == 999 {
            drop(kept);
            kept = opened(&home, 0);
        }
    }
    assert!(near(&mut kept, usize::MAX, None).0.len() > 500);
}

#[test]
fn more_than_memory_holds_outlives_the_program_and_a_new_file() {
    let home = tempfile::tempdir().unwrap();
    let memory_bytes = 10_000;
    let mut vectors = opened(&home, memory_bytes);
    let place = |number: i16| format!("docs\n{number:04}");
    let vector = |number: i16| [(number % 100) as i8, 1 + (number / 100) as i8];
    for number in 0..2000 {
        insert(
            &mut vectors,
            &number.to_string(),
            &place(number),
            vector(number),
        );
    }
    // All of them are written again, so often that the file is compacted.
    let file = std::fs::read_dir(home.path().join("vectors")).unwrap();
    let file = file.map(|entry| entry.unwrap().path());
    let file = file
        .into_iter()
        .find(|path| path.extension() == Some("vectors".as_ref()));
    let file = file.unwrap();
    let bytes = || std::fs::metadata(&file).unwrap().len();
    let before = bytes();
    for round in 0..4 {
        for number in 0..2000 {
            let elsewhere = format!("docs\n{round} {number}");
            get(&mut vectors, key(&number.to_string()), &elsewhere, None).unwrap();
        }
    }
    assert!(bytes() < 3 * before);
    for _ in 0..2 {
        for number in 0..2000 {
            let known = get(&mut vectors, key(&number.to_string()), &place(number), None);
            assert_eq!(known, Some(vector(number)), "{number}");
        }
        assert_eq!(near(&mut vectors, usize::MAX, None).0.len(), 2000);
        assert_eq!(near(&mut vectors, usize::MAX, Some(1234)).0.len(), 1234);
        assert!(vectors.is_kept() && !vectors.is_full());
        assert_eq!(get(&mut vectors, key("7"), "", Some(7)), None);
        assert_eq!(get(&mut vectors, key("7"), "", Some(8)), Some(vector(7)));
        drop(vectors);
        vectors = opened(&home, memory_bytes);
    }
}

#[test]
fn beside_another_program_what_is_new_is_in_memory() {
    let home = tempfile::tempdir().unwrap();
    let mut writer = opened(&home, 10_000);
    insert(&mut writer, "a", "docs\na", [127, 0]);
    let mut reader = opened(&home, 10_000);
    assert!(writer.is_kept() && !reader.is_kept());
    insert(&mut writer, "b", "docs\nb", [126, 0]);
    assert_eq!(get(&mut reader, key("b"), "docs\nb", None), None);
    insert(&mut reader, "c", "docs\nc", [125, 0]);
    get(&mut reader, key("a"), "docs\nz", None).unwrap();
    assert_eq!(near(&mut reader, 9, None), (places(&["z", "c"]), 2));
    assert_eq!(near(&mut reader, 9, Some(1)), (places(&["z"]), 1));
    assert_eq!(near(&mut writer, 9, None), (places(&["a", "b"]), 2));
    // The reader takes over the two models' files, one after another, with the vectors that it
    // knows.
    drop(writer);
    open(&mut reader, &home, "n");
    open(&mut reader, &home, "m");
    assert!(reader.is_kept());
    assert_eq!(near(&mut reader, 9, None).0, places(&["a", "b", "c"]));
    assert_eq!(get(&mut reader, key("c"), "", None), Some([125, 0]));
}

#[test]
fn what_has_no_room_is_told() {
    let home = tempfile::tempdir().unwrap();
    let mut vectors = Vectors::new(10_000, 200);
    open(&mut vectors, &home, "m");
    for number in 0..9 {
        assert_eq!(vectors.is_full(), number > 5, "{number}");
        insert(
            &mut vectors,
            &number.to_string(),
            &format!("docs\n{number}"),
            [127, number],
        );
    }
    // Memory holds them, as long as there is room.
    assert_eq!(near(&mut vectors, 99, None).0.len(), 9);
    assert!(vectors.is_kept());
}

#[test]
fn whole_numbers_of_what_has_a_direction() {
    assert_eq!(whole_numbers(&[3.0, 4.0]), Some(vec![76, 102]));
    assert_eq!(whole_numbers(&[-1e-20, 0.0]), Some(vec![-127, 0]));
    assert_eq!(whole_numbers(&[f32::MAX, f32::MAX]), Some(vec![90, 90]));
    for none in [
        &[][..],
        &[0.0, 0.0],
        &[f32::NAN, 1.0],
        &[f32::INFINITY, 1.0],
    ] {
        assert_eq!(whole_numbers(none), None, "{none:?}");
    }
}
