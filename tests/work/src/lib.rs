//! Workloads whose cost may grow only in proportion to their input, whatever its content. A host
//! that counts instructions checks this without a clock: `prepare` builds the input of a case,
//! `run` performs the work on it.
#![cfg(target_family = "wasm")]

mod code;
mod data;
mod documents;
mod imports;
mod links;
mod understanding;

use std::cell::RefCell;

mod bindings {
    wit_bindgen::generate!({
        inline: "
            package docent:work;

            world work {
                export cases: func() -> list<tuple<string, u32, u32>>;
                export prepare: func(index: u32, size: u32);
                export run: func();
            }
        ",
    });
}

/// The work on a prepared input.
type Work = Box<dyn FnOnce()>;

/// A kind of input.
struct Case {
    name: String,
    /// A size, and one that is a few times as large, in a unit of the case's own.
    sizes: (usize, usize),
    /// Prepares an input of a size.
    prepare: Box<dyn Fn(usize) -> Work>,
}

impl Case {
    fn new<W: FnOnce() + 'static>(
        name: impl Into<String>,
        sizes: (usize, usize),
        prepare: impl Fn(usize) -> W + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            sizes,
            prepare: Box::new(move |size| Box::new(prepare(size))),
        }
    }
}

thread_local! {
    static CASES: Vec<Case> = [
        code::cases(),
        data::cases(),
        documents::cases(),
        imports::cases(),
        links::cases(),
        understanding::cases(),
    ]
    .into_iter()
    .flatten()
    .collect();
    static PREPARED: RefCell<Option<Work>> = const { RefCell::new(None) };
}

struct Component;

bindings::export!(Component with_types_in bindings);

impl bindings::Guest for Component {
    fn cases() -> Vec<(String, u32, u32)> {
        let size = |size: usize| u32::try_from(size).unwrap();
        let told = |case: &Case| (case.name.clone(), size(case.sizes.0), size(case.sizes.1));
        CASES.with(|cases| cases.iter().map(told).collect())
    }

    fn prepare(index: u32, size: u32) {
        let work = CASES.with(|cases| (cases[index as usize].prepare)(size as usize));
        PREPARED.set(Some(work));
    }

    fn run() {
        PREPARED.take().expect("an input was prepared")();
    }
}
