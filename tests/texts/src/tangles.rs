//! Trees that are built to make following links, imports and names slow.

/// The path and the text of each file.
pub type Files = Vec<(String, String)>;

/// A generator of a tree with a number of links, files or definitions; twice the number makes the
/// tree twice as large.
pub type Shape = fn(usize) -> Files;

/// The shapes, each with a name and a size for which resolving all references takes some
/// milliseconds.
pub const SHAPES: [(&str, Shape, usize); 12] = [
    ("links in one file", links_in_one_file, 2_000),
    ("links of a file to itself", links_to_itself, 1_000),
    ("anchors", anchors, 1_000),
    ("files that include each other", cyclic_includes, 150),
    ("files that import each other", cyclic_imports, 150),
    ("every file imports every file", imports_of_all, 900),
    ("files of one name", files_of_one_name, 150),
    ("a file that all link to", star, 150),
    ("a chain", chain, 150),
    ("one name defined everywhere", one_name_defined, 150),
    ("one name used everywhere", one_name_used, 150),
    ("a file that all name", mentions, 150),
];

fn files(count: usize, file: impl Fn(usize) -> (String, String)) -> Files {
    (0..count).map(file).collect()
}

/// Returns a file as a pair of its path and its text.
#[must_use]
pub fn named(path: &str, text: String) -> (String, String) {
    (path.to_owned(), text)
}

/// Returns one file with `count` links.
#[must_use]
pub fn links_in_one_file(count: usize) -> Files {
    vec![
        named("a.md", "[b](b.md)\n".repeat(count)),
        named("b.md", "# B\n".to_owned()),
    ]
}

fn links_to_itself(count: usize) -> Files {
    let links = "[a](a.md#a) [s](#a) [[a]]\n".repeat(count);
    vec![named("a.md", format!("# A\n\n{links}"))]
}

/// Returns `count` headings, and a link to each.
#[must_use]
pub fn anchors(count: usize) -> Files {
    let headings: String = (0..count).map(|n| format!("## h {n}\n")).collect();
    let links: String = (0..count).map(|n| format!("[x](a.md#h-{n})\n")).collect();
    vec![named("a.md", headings), named("b.md", links)]
}

fn cyclic_includes(count: usize) -> Files {
    files(count, |n| {
        let (next, last) = ((n + 1) % count, (n + count - 1) % count);
        let text =
            format!("= A\n\ninclude::x{next}.adoc[]\ninclude::x{last}.adoc[]\n<<x{n}.adoc#a>>\n");
        (format!("x{n}.adoc"), text)
    })
}

fn cyclic_imports(count: usize) -> Files {
    files(count, |n| {
        let (next, last) = ((n + 1) % count, (n + count - 1) % count);
        let text =
            format!("import c{next}\nfrom c{last} import run_it\n\ndef part_{n}():\n    pass\n");
        (format!("c{n}.py"), text)
    })
}

/// Returns files with `count` imports in total.
fn imports_of_all(count: usize) -> Files {
    let side = count.isqrt();
    let all: String = (0..side).map(|n| format!("import m{n}\n")).collect();
    files(side, |n| (format!("m{n}.py"), all.clone()))
}

/// Returns `count` files of one name.
#[must_use]
pub fn files_of_one_name(count: usize) -> Files {
    files(count, |n| {
        (format!("d{n}/note.md"), "[[note]] see note.md\n".to_owned())
    })
}

fn star(count: usize) -> Files {
    let hub: String = (0..count).map(|n| format!("[x](f{n}.md)\n")).collect();
    let mut all = files(count, |n| (format!("f{n}.md"), "[a](a.md)\n".to_owned()));
    all.push(named("a.md", hub));
    all
}

fn chain(count: usize) -> Files {
    files(count, |n| {
        (format!("f{n}.md"), format!("[x](f{}.md)\n", n + 1))
    })
}

fn one_name_defined(count: usize) -> Files {
    files(count, |n| {
        (
            format!("f{n}.py"),
            "def run_it():\n    run_it()\n".to_owned(),
        )
    })
}

fn one_name_used(count: usize) -> Files {
    let mut all = files(count, |n| {
        let text = "from a import run_it\nrun_it()\nrun_it()\n";
        (format!("f{n}.py"), text.to_owned())
    });
    all.push(named("a.py", "def run_it():\n    pass\n".to_owned()));
    all
}

fn mentions(count: usize) -> Files {
    let mut all = files(count, |n| {
        (
            format!("f{n}.md"),
            "See a.md, `./a.md` and x/a.md.\n".to_owned(),
        )
    });
    all.push(named("a.md", "# A\n".to_owned()));
    all
}
