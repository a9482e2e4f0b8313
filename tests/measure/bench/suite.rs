//! The whole suite of measurements, in order.

use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use docent_test_processes::program::{build_docent, profile_and_target};

use crate::process::{Cost, in_turn, is_there, median};
use crate::server::Server;
use crate::table::Table;
use crate::{corpus, edits, find, inside, meaning, pattern, questions, understand};

/// Runs of each whole process.
const ROUNDS: usize = 21;

/// Runs of each call inside one process.
const CALLS: usize = 9;

/// Number of server starts.
const STARTS: usize = 15;

/// A word that occurs in about one document in a hundred.
const WORD: &str = "deadlock";

/// Other words, rare and common.
const OTHER_WORDS: [&str; 3] = ["checksum", "tokenizer", "panics"];

/// A part of the suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Search,
    Pattern,
    Meaning,
    Find,
    Edits,
    Understand,
}

impl Part {
    const ALL: [Self; 6] = [
        Self::Search,
        Self::Pattern,
        Self::Meaning,
        Self::Find,
        Self::Edits,
        Self::Understand,
    ];
}

/// The requested measurements.
pub struct Asked {
    parts: Vec<Part>,
    /// Path of the program; none to build it first.
    docent: Option<PathBuf>,
}

impl Asked {
    /// Parses the command line.
    ///
    /// # Errors
    /// If a word is unknown.
    pub fn parse(mut words: impl Iterator<Item = OsString>) -> Result<Self, Box<dyn Error>> {
        let (mut parts, mut docent) = (Vec::new(), None);
        while let Some(word) = words.next() {
            parts.push(match word.to_str() {
                Some("--docent") => {
                    let program = words.next().ok_or("`--docent` names no program")?;
                    docent = Some(PathBuf::from(program));
                    continue;
                }
                Some("search") => Part::Search,
                Some("pattern") => Part::Pattern,
                Some("meaning") => Part::Meaning,
                Some("find") => Part::Find,
                Some("edits") => Part::Edits,
                Some("understand") => Part::Understand,
                _ => {
                    let word = word.display();
                    let expected =
                        "`search`, `pattern`, `meaning`, `find`, `edits` or `understand`";
                    return Err(format!("unknown part `{word}`; expected {expected}").into());
                }
            });
        }
        if parts.is_empty() {
            parts = Part::ALL.to_vec();
        }
        Ok(Self { parts, docent })
    }
}

/// Runs the requested measurements, and prints the table.
///
/// # Errors
/// If something cannot be built, started or measured.
pub fn run(asked: Asked) -> Result<(), Box<dyn Error>> {
    let bench = std::env::current_exe()?;
    let (profile, target) = profile_and_target(&bench)?;
    let docent = match asked.docent {
        Some(docent) => docent,
        None => build_docent(&profile, &target)?,
    };
    let corpus = corpus::in_target(&target)?;
    let mut table = Table::default();

    println!(
        "\n{} Markdown files, {:.1} MB, in the page cache; the word is `{WORD}`; medians; {} \
         processors; profile `{profile}`.\n",
        corpus.documents,
        corpus.bytes as f64 / 1e6,
        std::thread::available_parallelism().map_or(1, usize::from),
    );
    for part in asked.parts {
        match part {
            Part::Search => {
                let rg = cold(&mut table, &docent, &corpus.directory)?;
                warm(&mut table, &corpus.directory, rg)?;
                serving(&mut table, &docent, &corpus.directory, rg, &target)?;
            }
            Part::Pattern => pattern::measure(&mut table, &docent, &corpus, &target)?,
            Part::Meaning => meaning::measure(&mut table, &corpus)?,
            Part::Find => find::measure(&mut table, &docent, &target)?,
            Part::Edits => edits::measure(&mut table, &docent)?,
            Part::Understand => understand::measure(&mut table, &docent, &corpus, &target)?,
        }
    }
    table.add_size(
        "binary",
        std::fs::metadata(&docent)?.len(),
        Some(25_000_000),
    );
    table.add_size(
        "component",
        docent_host::component::wasm().len() as u64,
        None,
    );
    table.print();
    Ok(())
}

/// Measures whole processes that read every file. Returns the cost of `rg`, if it is installed.
fn cold(table: &mut Table, docent: &Path, corpus: &Path) -> Result<Option<Cost>, Box<dyn Error>> {
    let command = |program: &Path, flags: &[&str]| -> Vec<OsString> {
        let mut words = vec![program.as_os_str().to_owned()];
        words.extend(flags.iter().map(OsString::from));
        words.extend([WORD.into(), corpus.as_os_str().to_owned()]);
        words
    };
    let mut names = vec!["docent"];
    let mut commands = vec![command(docent, &["search", "--json"])];
    for (name, flags) in [("rg", &["-i", "-F", "--json"][..]), ("grep", &["-riF"])] {
        if is_there(name) {
            names.push(name);
            commands.push(command(Path::new(name), flags));
        } else {
            eprintln!("left out: `{name}` is not on PATH");
        }
    }
    let costs = in_turn(&commands, ROUNDS)?;
    let cost_of = |name: &str| {
        names
            .iter()
            .position(|known| *known == name)
            .map(|index| costs[index])
    };
    let rg = cost_of("rg");
    let own = costs[0];
    if let Some(rg) = rg {
        table.add_ratio("cold search, CPU", own.cpu, ("rg", rg.cpu), Some(1.0));
        table.add_ratio("cold search, wall", own.wall, ("rg", rg.wall), Some(1.2));
    } else {
        table.add_time("cold search, CPU", own.cpu, None);
        table.add_time("cold search, wall", own.wall, None);
    }
    if let Some(grep) = cost_of("grep") {
        let ratio = own.cpu.as_secs_f64() / grep.cpu.as_secs_f64();
        table.add(
            "cold search, CPU, beside grep",
            "",
            format!("{ratio:.2} × grep ({:.0?})", grep.cpu),
            "",
        );
    }
    table.add_size("cold search, peak memory", own.peak, None);
    Ok(rg)
}

/// Measures calls of a process that keeps its instance.
fn warm(table: &mut Table, corpus: &Path, rg: Option<Cost>) -> Result<(), Box<dyn Error>> {
    let mut words = vec![WORD];
    words.extend(OTHER_WORDS);
    let costs = inside::costs(corpus, &words, CALLS)?;
    table.add_time("first search in a process, CPU", costs.first, None);
    for (what, cost, most) in [
        ("repeated search, CPU", costs.again, Some(0.2)),
        ("search for another word, warm, CPU", costs.other, None),
    ] {
        match rg {
            Some(rg) => table.add_ratio(what, cost, ("rg", rg.cpu), most),
            None => table.add_time(what, cost, None),
        }
    }
    table.add_time("`read-document`, 200 KB, CPU", costs.read, None);
    questions_beside(table, &costs, corpus)?;
    table.add_time("`list-full-tree`, all pages, first, CPU", costs.tree, None);
    table.add_time(
        "`list-full-tree`, all pages, again, CPU",
        costs.tree_again,
        None,
    );
    Ok(())
}

/// Compares queries with `rg` on the same words and files, and with the core without a sandbox.
fn questions_beside(
    table: &mut Table,
    costs: &inside::Costs,
    corpus: &Path,
) -> Result<(), Box<dyn Error>> {
    let (own, native) = (costs.questions, costs.native);
    let rg = |files: &Path| -> Result<Option<Cost>, Box<dyn Error>> {
        let words = ["rg", "-i", "-F", "--json", "-e", WORD, "-e", OTHER_WORDS[0]];
        let mut command: Vec<OsString> = words.iter().map(OsString::from).collect();
        command.push(files.as_os_str().to_owned());
        is_there("rg")
            .then(|| in_turn(&[command], ROUNDS))
            .transpose()
            .map(|costs| costs.map(|costs| costs[0]))
    };
    let long = tempfile::tempdir()?;
    let longer = inside::long_document(corpus, inside::ASKED)?;
    std::fs::write(long.path().join(questions::LONG), longer)?;
    let (in_tree, in_long) = (rg(corpus)?, rg(long.path())?);
    for (what, cost, other, rg, most) in [
        (
            "`smart-search`, first question",
            own.smart.first,
            native.smart.first,
            in_tree,
            Some(1500),
        ),
        (
            "`smart-search`, the same again",
            own.smart.again,
            native.smart.again,
            in_tree,
            Some(20),
        ),
        (
            "`smart-search`, another question",
            own.smart.other,
            native.smart.other,
            in_tree,
            Some(45),
        ),
        (
            "`explore`, first question",
            own.explore.first,
            native.explore.first,
            in_tree,
            None,
        ),
        (
            "`explore`, the same again",
            own.explore.again,
            native.explore.again,
            in_tree,
            None,
        ),
        (
            "`explore`, another question",
            own.explore.other,
            native.explore.other,
            in_tree,
            None,
        ),
        (
            "`query-document`, 1 MB, cold",
            own.long,
            native.long,
            in_long,
            Some(20),
        ),
        (
            "`query-document`, 1 MB without headings, cold",
            own.bare,
            native.bare,
            in_long,
            Some(20),
        ),
    ] {
        let limit = most.map(Duration::from_millis);
        table.add_time(&format!("{what}, CPU"), cost, limit);
        if let Some(rg) = rg {
            let beside = format!("{what}, beside two words");
            table.add_ratio(&beside, cost, ("rg", rg.cpu), None);
        }
        let beside = format!("{what}, beside the same core");
        table.add_ratio(&beside, cost, ("native", other), None);
    }
    Ok(())
}

/// Measures the server, with its protocol.
fn serving(
    table: &mut Table,
    docent: &Path,
    corpus: &Path,
    rg: Option<Cost>,
    target: &Path,
) -> Result<(), Box<dyn Error>> {
    // The first run of a freshly copied program has no warm caches.
    let copied = target.join("bench-corpus/docent");
    std::fs::copy(docent, &copied)?;
    let first = Server::start(&copied, corpus, &[])?.ready;
    let limit = Duration::from_millis(20);
    table.add_time(
        "start to `initialize` answered, first run, wall",
        first,
        Some(limit),
    );
    let starts: Vec<Duration> = (0..STARTS)
        .map(|_| Server::start(docent, corpus, &[]).map(|server| server.ready))
        .collect::<Result<_, _>>()?;
    table.add_time(
        "start to `initialize` answered, wall",
        median(starts.into_iter()),
        Some(limit),
    );

    let structured = OsString::from("--structured");
    let mut server = Server::start(docent, corpus, std::slice::from_ref(&structured))?;
    server.search(WORD)?;
    server.search(WORD)?;
    let mut again = Vec::new();
    for _ in 0..CALLS {
        let before = server.cpu()?;
        server.search(WORD)?;
        again.push(server.cpu()? - before);
    }
    let again = median(again.into_iter());
    match rg {
        Some(rg) => table.add_ratio(
            "repeated search over MCP, CPU",
            again,
            ("rg", rg.cpu),
            Some(0.2),
        ),
        None => table.add_time("repeated search over MCP, CPU", again, None),
    }
    for word in OTHER_WORDS {
        server.search(word)?;
    }
    table.add_size(
        "peak memory with the cache",
        server.peak()?,
        Some(150_000_000),
    );
    drop(server);

    let configuration = target.join("bench-corpus/no-cache.toml");
    std::fs::write(&configuration, "[limits]\ncache-mb = 0\n")?;
    let without = [
        structured,
        "--config".into(),
        configuration.into_os_string(),
    ];
    let mut server = Server::start(docent, corpus, &without)?;
    for word in [&[WORD], &OTHER_WORDS[..]].concat() {
        server.search(word)?;
    }
    table.add_size("peak memory without", server.peak()?, Some(64_000_000));
    drop(server);
    Ok(())
}
