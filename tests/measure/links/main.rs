//! Broken links of public documentation compared with other checkers, and moves of its files; see
//! README.md.
#![forbid(unsafe_code)]

mod compare;
mod moves;
mod tree;

use std::env;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use tree::{Graph, Texts};

/// Number of times that a tree's graph is built; the shortest counts.
const TIMES: usize = 5;

/// Every document of this many is moved.
const STEP: usize = 25;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let told = match arguments[..] {
        ["broken", directory] => read(directory).map(|texts| broken(&texts)),
        ["compare", directory, lychee, rumdl] => read(directory).map(|texts| {
            let graph = Graph::new(&texts);
            let plain = Graph::new(&without_settings(&texts));
            let files = [Path::new(lychee), Path::new(rumdl)];
            let shown = env::var("SHOWN").ok().and_then(|shown| shown.parse().ok());
            compare::print(
                (&graph, &plain, &texts),
                Path::new(directory),
                files,
                shown.unwrap_or(3),
            );
            true
        }),
        ["moves", directory] => read(directory).map(|texts| moved(&texts)),
        ["cost", ref directories @ ..] if !directories.is_empty() => cost(directories),
        _ => Err("usage: links broken|compare|moves|cost DIR …".to_owned()),
    };
    match told {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("links: {error}");
            ExitCode::from(2)
        }
    }
}

fn read(directory: &str) -> Result<Texts, String> {
    tree::read(Path::new(directory)).map_err(|error| format!("{directory}: {error}"))
}

/// Returns a tree without the settings files from which its site is recognized.
fn without_settings(texts: &Texts) -> Texts {
    let is_kept = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        !docent_graph::sites::is_settings(name)
    };
    let kept = texts.iter().filter(|(path, _)| is_kept(path));
    kept.map(|(path, text)| (path.clone(), text.clone()))
        .collect()
}

fn broken(texts: &Texts) -> bool {
    let graph = Graph::new(texts);
    let broken = graph.broken();
    for one in &broken {
        println!(
            "{}:{}: {} ({})",
            one.path, one.link.line, one.link.target, one.why
        );
    }
    broken.is_empty()
}

fn moved(texts: &Texts) -> bool {
    let outcome = moves::all(texts, STEP);
    println!(
        "{} moves of {} files: {} links rewritten, {} told that cannot be, {} lost",
        outcome.moves,
        outcome.files,
        outcome.rewritten,
        outcome.stuck,
        outcome.lost.len()
    );
    outcome
        .lost
        .iter()
        .take(20)
        .for_each(|lost| println!("    {lost}"));
    outcome.lost.is_empty()
}

fn cost(directories: &[&str]) -> Result<bool, String> {
    let mut texts = Texts::new();
    for (index, directory) in directories.iter().enumerate() {
        let below = read(directory)?.into_iter();
        texts.extend(below.map(|(path, text)| (format!("{index}/{path}"), text)));
    }
    let (mut least, mut again) = (Duration::MAX, Duration::MAX);
    let (mut links, mut bytes, mut documents, mut kept) = (0, 0, 0, 0);
    for _ in 0..TIMES {
        let start = cpu();
        let graph = Graph::new(&texts);
        let made = cpu();
        links = graph
            .leads()
            .filter(|(_, _, lead)| graph.why(lead).is_none())
            .count();
        least = least.min(cpu() - start);
        again = again.min(cpu() - made);
        documents = graph.facts.len();
        kept = graph
            .facts
            .values()
            .map(docent_graph::document_links::DocumentLinks::bytes)
            .sum();
        bytes = graph
            .facts
            .keys()
            .filter_map(|path| texts[path].as_ref())
            .map(String::len)
            .sum();
    }
    println!(
        "{documents} documents of {bytes} bytes among {} files, {links} whole links: {} ms of CPU \
         for the whole graph, {} ms of that to resolve; facts take {kept} bytes",
        texts.len(),
        least.as_millis(),
        again.as_millis()
    );
    Ok(true)
}

/// Returns the CPU time of this process.
#[cfg(unix)]
fn cpu() -> Duration {
    use nix::sys::resource::{UsageWho, getrusage};
    let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) else {
        return Duration::ZERO;
    };
    let times = [usage.user_time(), usage.system_time()];
    let micros: i64 = times
        .iter()
        .map(|time| time.tv_sec() * 1_000_000 + time.tv_usec())
        .sum();
    Duration::from_micros(u64::try_from(micros).unwrap_or_default())
}

/// Returns the wall-clock time, on systems without a process clock.
#[cfg(not(unix))]
fn cpu() -> Duration {
    use std::time::{SystemTime, UNIX_EPOCH};
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}
