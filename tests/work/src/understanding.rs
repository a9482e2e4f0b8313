//! Workloads for `understand`: trees that are built to make it slow.

use docent_api::understanding::{Aspect, UnderstandDepth, UnderstandOptions};
use docent_test_texts::tangles::{SHAPES, Shape};
use docent_tools::{Docent, NO_UNDERSTAND_OPTIONS, Settings};
use docent_tree::memory::MemoryDisk;

use crate::Case;

/// The subjects of a query.
#[derive(Clone, Copy, Debug)]
enum Subject {
    Root,
    File,
    Symbol,
}

pub fn cases() -> Vec<Case> {
    let subjects = [Subject::Root, Subject::File, Subject::Symbol];
    let pairs = SHAPES
        .into_iter()
        .flat_map(|shape| subjects.map(|subject| (shape, subject)));
    pairs
        .map(|((name, shape, size), subject)| case(name, shape, size, subject))
        .collect()
}

fn case(name: &str, shape: Shape, size: usize, subject: Subject) -> Case {
    let name = format!("understand, {subject:?}: {name}");
    Case::new(name, (size, 2 * size), move |size| {
        let files = shape(size);
        let disk = MemoryDisk::with_roots(&["docs"]);
        for (path, text) in &files {
            disk.write("docs", path, text.as_bytes());
        }
        let all = UnderstandOptions {
            aspects: Some(vec![
                Aspect::Structure,
                Aspect::Dependencies,
                Aspect::Impact,
                Aspect::HotSpots,
                Aspect::Summary,
            ]),
            depth: Some(UnderstandDepth::Deep),
            ..NO_UNDERSTAND_OPTIONS
        };
        let options = match subject {
            Subject::Root => all,
            Subject::File => UnderstandOptions {
                paths: files.last().map(|(path, _)| vec![path.clone()]),
                ..all
            },
            Subject::Symbol => UnderstandOptions {
                symbol: Some("run_it".to_owned()),
                ..all
            },
        };
        move || {
            let answer = Docent::new(disk, Settings::default()).understand(Some(options));
            assert!(answer.is_ok());
        }
    })
}
