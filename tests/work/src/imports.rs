//! Workloads for imports in trees of every shape.

use docent_code::Language;
use docent_code::imports::{ImportPath, imports};
use docent_graph::imports::{Resolver, is_manifest};
use docent_graph::names::Names;

use crate::Case;

/// Number of repetitions of a shape in the smaller and in the larger tree.
const TIMES: (usize, usize) = (400, 800);

type Tree = Vec<(String, String)>;

pub fn cases() -> Vec<Case> {
    vec![
        tree("files of one name, 1", |count| {
            repeated(count, &[("a#/x.h", ""), ("b#/c.c", "#include \"x.h\"\n")])
        }),
        tree("files of one name, 2", |count| {
            repeated(
                count,
                &[("a#/__init__.py", ""), ("b#/c.py", "import a1, zz\n")],
            )
        }),
        tree("files of one name, 3", |count| {
            repeated(
                count,
                &[
                    ("a#/pyproject.toml", ""),
                    ("a#/src/x/y.py", "import x.y\nimport q\n"),
                ],
            )
        }),
        tree("files of one name, 4", |count| {
            repeated(
                count,
                &[("a#/X.java", "package p;\nimport p.X;\nimport p.Y;\n")],
            )
        }),
        tree("many manifests, 1", |count| {
            repeated(
                count,
                &[
                    (
                        "p#/package.json",
                        "{\"name\": \"p#\", \"workspaces\": [\"**\"]}",
                    ),
                    ("p#/index.ts", "import 'p1';\nimport 'p#';\n"),
                ],
            )
        }),
        tree("many manifests, 2", |count| {
            repeated(
                count,
                &[
                    (
                        "p#/Cargo.toml",
                        "[package]\nname = \"p#\"\n[dependencies]\np1 = { path = \"../p1\" }\n",
                    ),
                    ("p#/src/lib.rs", "use p1::a;\nmod a;\n"),
                ],
            )
        }),
        tree("many manifests, 3", |count| {
            repeated(
                count,
                &[
                    ("p#/go.mod", "module p#\n"),
                    ("p#/a.go", "package a\nimport \"p1\"\n"),
                ],
            )
        }),
        tree("configurations that extend each other, 1", |count| {
            let next = |n: usize| (n * 7 + 1) % count;
            let config = |n: usize| {
                let text = format!(
                    "{{\"extends\": [\"../c{}/tsconfig.json\", \"../c{}/tsconfig.json\"]}}",
                    next(n),
                    next(n + 1)
                );
                (format!("c{n}/tsconfig.json"), text)
            };
            let file = |n: usize| (format!("c{n}/a.ts"), "import 'b';\n".to_owned());
            (0..count).flat_map(|n| [config(n), file(n)]).collect()
        }),
        tree("modules that declare each other, 1", |count| {
            let file = |n: usize| {
                let (next, last) = ((n + 1) % count, (n + count - 1) % count);
                let text = format!(
                    "#[path = \"m{next}.rs\"] mod a;\n#[path = \"m{last}.rs\"] mod b;\n\
                 use crate::a::b;\nuse super::super::a;\n"
                );
                (format!("m{n}.rs"), text)
            };
            (0..count).map(file).collect()
        }),
    ]
}

fn tree(name: &str, tree: impl Fn(usize) -> Tree + 'static) -> Case {
    Case::new(format!("imports: {name}"), TIMES, move |count| {
        let tree = tree(count);
        let mut names = Names::default();
        for (path, _) in &tree {
            names.insert(path);
        }
        let import_paths = |(path, text): &(String, String)| {
            Some((path.clone(), imports(Language::from_path(path)?, text)))
        };
        let facts: Vec<(String, Vec<ImportPath>)> = tree.iter().filter_map(import_paths).collect();
        move || {
            let manifests = tree.iter().filter(|(path, _)| is_manifest(path));
            let manifests = manifests.map(|(path, text)| (path.as_str(), text.as_str()));
            let files = facts
                .iter()
                .map(|(path, imports)| (path.as_str(), imports.as_slice()));
            let resolver = Resolver::new(&names, manifests, files);
            for (path, imports) in &facts {
                for import in imports {
                    resolver.resolve(path, import);
                }
            }
        }
    })
}

/// Returns a tree with `count` copies of these files, in which `#` is replaced with the number of
/// the copy.
fn repeated(count: usize, files: &[(&str, &str)]) -> Tree {
    let numbered = |n: usize| {
        let files = files.iter();
        files.map(move |(path, text)| {
            let n = n.to_string();
            (path.replace('#', &n), text.replace('#', &n))
        })
    };
    (0..count).flat_map(numbered).collect()
}
