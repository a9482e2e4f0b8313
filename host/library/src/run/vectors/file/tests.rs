use super::*;

const MODEL: Key = Key([7; KEY_BYTES]);

/// A temporary directory of vector files.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn directory(&self) -> PathBuf {
        self.0.path().join("vectors")
    }

    fn open_with(&self, room: SizeLimit) -> VectorFile {
        let opened = VectorFile::open_ambient(&self.directory(), MODEL, 3, room, 0);
        opened.unwrap().0
    }

    fn open(&self) -> VectorFile {
        self.open_with(SizeLimit::new(1 << 30))
    }

    fn file(&self) -> PathBuf {
        let name = format!("{}.vectors", "07".repeat(KEY_BYTES));
        self.directory().join(name)
    }
}

fn record(number: u16) -> VectorRecord {
    let [low, high] = number.to_le_bytes();
    let mut key = [high; KEY_BYTES];
    key[0] = low;
    VectorRecord {
        key: Key(key),
        place: format!("docs\n문서 {number:04}.md\n0").into(),
        vector: Box::new([low.cast_signed(), high.cast_signed(), 1]),
    }
}

fn records(numbers: std::ops::Range<u16>) -> Vec<Numbered> {
    let numbered = |number: u16| (record(number), u64::from(number) + 1);
    numbers.map(numbered).collect()
}

/// Returns all records of a file, in its order.
fn all(file: &VectorFile) -> Vec<VectorRecord> {
    let all = 0..file.records();
    all.map(|index| file.record(index).unwrap()).collect()
}

fn expected(numbers: std::ops::Range<u16>) -> Vec<VectorRecord> {
    numbers.map(record).collect()
}

fn near(file: &mut VectorFile, vector: &[i8], most: usize, moment: u64) -> Vec<String> {
    let mut nearest = NearestVectors::new(vector, "docs\n", most);
    file.offer(moment, &mut nearest).unwrap();
    nearest.places()
}

#[test]
fn what_is_added_is_there_again() {
    let home = Home::new();
    let mut file = home.open();
    assert!(file.append(records(0..4)).is_empty());
    assert!(file.append(Vec::new()).is_empty());
    assert!(file.append(records(4..9)).is_empty());
    assert_eq!(all(&file), expected(0..9));
    // The second program reads, and writes nothing.
    let mut second = home.open();
    assert_eq!(all(&second), expected(0..9));
    assert!(!second.is_ours());
    assert_eq!(second.append(records(9..11)), records(9..11));
    drop((file, second));
    let mut file = home.open();
    assert!(file.is_ours());
    assert_eq!(all(&file), expected(0..9));
    assert_eq!(file.get(record(3).key), Some((record(3), true)));
    assert_eq!(file.number(record(3).key), Some(4));
    assert_eq!(file.get(record(9).key), None);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(
            (mode(&home.directory()), mode(&home.file())),
            (0o700, 0o600)
        );
    }
}

#[test]
fn what_does_not_fit_is_not_taken() {
    let home = Home::new();
    let mut file = home.open();
    let mut given = records(0..3);
    given[0].0.place = "x".repeat(super::super::record::PLACE_BYTES + 1).into();
    given[1].0.vector = Box::new([1]);
    assert_eq!(file.append(given.clone()), given[..2]);
    assert_eq!(all(&home.open()), expected(2..3));
}

#[test]
fn damaged_at_every_byte_it_gives_nothing_that_was_not_written() {
    let home = Home::new();
    home.open().append(records(0..5));
    let whole = fs::read(home.file()).unwrap();
    let record_bytes = (whole.len() - HEAD_BYTES) / 5;
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << bit;
            fs::write(home.file(), damaged).unwrap();
            let file = home.open();
            let before = at.checked_sub(HEAD_BYTES).map_or(0, |at| at / record_bytes);
            assert_eq!(all(&file), expected(0..before as u16), "{at} {bit}");
            assert_eq!(file.end, (HEAD_BYTES + before * record_bytes) as u64);
        }
    }
}

#[test]
fn damaged_at_every_byte_while_it_is_open_it_tells_nothing_that_was_not_written() {
    let home = Home::new();
    home.open().append(records(0..5));
    let whole = fs::read(home.file()).unwrap();
    let record_bytes = (whole.len() - HEAD_BYTES) / 5;
    for at in HEAD_BYTES..whole.len() {
        fs::write(home.file(), &whole).unwrap();
        let mut file = home.open();
        let mut damaged = whole.clone();
        damaged[at] ^= 1 << (at % 8);
        fs::write(home.file(), damaged).unwrap();
        let hit = (at - HEAD_BYTES) / record_bytes;
        assert!(near(&mut file, &[1, 1, 1], 9, 9).len() >= 4, "{at}");
        for number in 0..5 {
            let known = file.get(record(number).key).map(|(record, _)| record);
            let expected = (usize::from(number) != hit).then(|| record(number));
            assert_eq!(known, expected, "{at}");
        }
        // It is forgotten, and computed again.
        assert_eq!(near(&mut file, &[1, 1, 1], 9, 9).len(), 4, "{at}");
        assert!(file.append(vec![(record(hit as u16), 6)]).is_empty());
        assert_eq!(near(&mut file, &[1, 1, 1], 9, 9).len(), 5, "{at}");
    }
}

#[test]
fn torn_anywhere_it_is_cut_and_goes_on() {
    let home = Home::new();
    home.open().append(records(0..3));
    let whole = fs::read(home.file()).unwrap();
    let record_bytes = (whole.len() - HEAD_BYTES) / 3;
    for end in 0..=whole.len() {
        fs::write(home.file(), &whole[..end]).unwrap();
        let mut file = home.open();
        let kept = (end.saturating_sub(HEAD_BYTES) / record_bytes) as u16;
        assert_eq!(all(&file), expected(0..kept), "{end}");
        file.append(records(kept..3));
        assert_eq!(fs::read(home.file()).unwrap(), whole, "{end}");
    }
}

#[test]
fn another_model_or_length_is_another_file() {
    let home = Home::new();
    home.open().append(records(0..3));
    let opened = |model, dimensions| {
        let room = SizeLimit::new(1 << 30);
        let directory = home.directory();
        let opened = VectorFile::open_ambient(&directory, model, dimensions, room, 0);
        opened.unwrap().0.records()
    };
    assert_eq!(opened(Key([8; KEY_BYTES]), 3), 0);
    assert_eq!(opened(MODEL, 3), 3);
    // A file of the same name with another content is replaced.
    assert_eq!(opened(MODEL, 2), 0);
    assert_eq!(opened(MODEL, 3), 0);
}

#[test]
fn a_worn_file_is_made_anew_while_another_reads_it() {
    let home = Home::new();
    let mut file = home.open();
    file.append(records(0..600));
    let bytes = || fs::metadata(home.file()).unwrap().len();
    let before = bytes();
    let mut reader = home.open();
    // Other texts take the places of the first ones, and some texts move.
    let other = |number: u16, place: u16| {
        let place = record(place).place;
        (
            VectorRecord {
                place,
                ..record(number)
            },
            u64::from(number) + 1,
        )
    };
    for number in 600..1100 {
        file.append(vec![other(number, number - 600)]);
    }
    file.append(
        (590..600)
            .map(|number| other(number, number + 1000))
            .collect(),
    );
    assert_eq!((file.records(), file.index.alive()), (1110, 600));
    file.append(
        (1100..1190)
            .map(|number| other(number, number - 600))
            .collect(),
    );
    assert_eq!((file.records(), file.index.alive()), (1200, 600));
    file.append(
        (590..592)
            .map(|number| other(number, number + 1000))
            .collect(),
    );
    let alive = 600;
    assert_eq!((file.records(), file.index.alive()), (alive, alive));
    assert!(bytes() <= before + 100);
    // In the order in which they became known, with their old numbers.
    let numbers: Vec<u64> = file.index.slots().iter().map(|slot| slot.number).collect();
    let known = (591..=600).chain(601..=1190);
    assert_eq!(numbers, known.collect::<Vec<u64>>());
    assert_eq!(file.get(record(0).key), None);
    assert_eq!(file.get(record(1189).key), Some((other(1189, 589).0, true)));
    assert_eq!(near(&mut file, &[1, 0, 0], usize::MAX, 600).len(), 10);
    // A program that reads the old file keeps reading it.
    assert_eq!(all(&reader), expected(0..600));
    assert_eq!(reader.get(record(5).key), Some((record(5), true)));
    assert_eq!(near(&mut reader, &[1, 0, 0], usize::MAX, 600).len(), 600);
    file.append(records(1190..1191));
    let read = all(&file);
    drop((file, reader));
    let file = home.open();
    assert!(file.is_ours());
    assert_eq!(all(&file), read);
    assert!(!home.file().with_extension("new").exists());
}

#[test]
fn what_is_damaged_is_left_out_of_the_new_file() {
    let home = Home::new();
    let mut file = home.open();
    file.append(records(0..5));
    let mut bytes = fs::read(home.file()).unwrap();
    bytes[HEAD_BYTES + 20] ^= 1;
    fs::write(home.file(), bytes).unwrap();
    let survivors = file.index.survivors();
    file.renew(&survivors).unwrap();
    assert_eq!(all(&file), expected(1..5));
    assert_eq!(file.number(record(1).key), Some(2));
}

#[test]
fn cut_off_while_it_is_made_anew_it_is_as_it_was() {
    let home = Home::new();
    let mut file = home.open();
    file.append(records(0..600));
    // The remains of an interrupted compaction do not matter; if no new file can be created, the
    // old one stays.
    let new = home.file().with_extension("new");
    fs::write(&new, "left over").unwrap();
    let survivors = file.index.survivors();
    file.renew(&survivors).unwrap();
    assert_eq!(all(&home.open()), expected(0..600));
    fs::create_dir(&new).unwrap();
    file.append(records(0..600));
    assert!(file.is_ours());
    assert!(file.append(records(0..2)).is_empty());
    assert!(!file.is_ours());
    assert_eq!(file.append(records(7..8)), records(7..8));
    assert_eq!(file.get(record(5).key), Some((record(5), true)));
    let mut later = home.open();
    assert!(later.is_ours());
    assert_eq!(later.records(), 1202);
    fs::remove_dir(&new).unwrap();
    later.append(records(0..2));
    assert_eq!(later.records(), 600);
}

#[test]
fn a_full_file_forgets_what_nobody_asks_for() {
    let home = Home::new();
    let bytes = record(0).bytes() as u64;
    let head = HEAD_BYTES as u64;
    for room in [
        SizeLimit::new(head + 100 * bytes),
        SizeLimit {
            records: 100,
            ..SizeLimit::new(1 << 30)
        },
    ] {
        let _ = fs::remove_dir_all(home.directory());
        home.open_with(room).append(records(0..100));
        let mut file = home.open_with(room);
        for number in (0..30).step_by(2) {
            assert!(file.get(record(number).key).is_some());
        }
        assert!(file.append(records(100..101)).is_empty());
        let known = |file: &VectorFile, number: u16| file.number(record(number).key).is_some();
        let gone: Vec<u16> = (0..101).filter(|number| !known(&file, *number)).collect();
        let tenth = gone.len() as u16;
        assert!((10..13).contains(&tenth), "{gone:?}");
        assert_eq!(gone, (0..tenth).map(|n| 2 * n + 1).collect::<Vec<u16>>());
        assert!(!file.is_full());
        // Every record was asked for, so a new one has no room.
        for number in 0..101 {
            file.get(record(number).key);
        }
        let mut next = 101;
        let left = loop {
            let left = file.append(records(next..next + 1));
            if !left.is_empty() {
                break left;
            }
            next += 1;
        };
        assert_eq!(left, records(next..next + 1));
        assert!(file.is_full() && file.is_ours());
        assert_eq!(file.records(), 100);
        drop(file);
        // Another program was not asked for any.
        let mut file = home.open_with(room);
        assert_eq!(file.records(), 100);
        assert!(file.append(left).is_empty());
        assert!(!file.is_full());
    }
}

#[test]
fn the_nearest_of_many_blocks() {
    let home = Home::new();
    let mut file = home.open();
    file.append(records(0..9000));
    assert!(file.end > 3 * BLOCK_BYTES as u64);
    for (most, moment) in [(200, 9000), (1, 9000), (200, 5000), (usize::MAX, 8999)] {
        let mut nearest = NearestVectors::new(&[3, 50, -1], "docs\n", most);
        for (record, _) in records(0..moment as u16) {
            nearest.offer(record.place.as_bytes(), &record.vector, |number| number);
        }
        assert_eq!(
            near(&mut file, &[3, 50, -1], most, moment),
            nearest.places()
        );
        // From then on they are in memory, except for those of the last block.
        assert!((8000..9000).contains(&file.resident.records()));
    }
    // Records appended later are found as well, and dead ones are not.
    file.append(records(9000..12_000));
    let nearest = near(&mut file, &[3, 50, -1], usize::MAX, 12_000);
    assert_eq!(nearest.len(), 12_000);
    assert!(file.resident.records() > 10_000);
    file.forget(record(7).key);
    let gone = &*record(7).place;
    let left = near(&mut file, &[3, 50, -1], usize::MAX, 12_000);
    assert!(left.len() == 11_999 && !left.iter().any(|place| place == gone));
    // After compaction it is read again.
    let survivors = file.index.survivors();
    file.renew(&survivors[..8000]).unwrap();
    assert_eq!(file.resident.records(), 0);
    let nearest = near(&mut file, &[3, 50, -1], usize::MAX, 12_000);
    let last = near(&mut file, &[3, 50, -1], usize::MAX, 12_000);
    assert!(nearest.len() == 8000 && last == nearest);
}
