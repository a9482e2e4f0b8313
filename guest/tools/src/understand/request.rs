//! The request of a call: its subject, aspects and limits.

use docent_api::types::Error;
use docent_api::understanding::{
    Aspect, UnderstandDepth, UnderstandLimits, UnderstandOptions, UnderstandScope,
};
use docent_corpus::corpus::Corpus;
use docent_rank::bm25::Bm25Query;
use docent_tree::disk::Disk;
use docent_tree::error::{check_range, invalid};
use docent_tree::locate::{ChosenRoot, Located, TargetKind};

use crate::limits::{
    UNDERSTAND_CHARS, UNDERSTAND_CHARS_DEFAULT, UNDERSTAND_FILES, UNDERSTAND_FILES_DEFAULT,
    UNDERSTAND_PATHS, UNDERSTAND_TIMEOUT_MS, UNDERSTAND_TIMEOUT_MS_DEFAULT,
};
use crate::paging::cursor::Fingerprint;
use crate::part::{AskedPath, PartAddress};
use crate::question::question_text;

/// Every aspect, in the order of answers.
pub const ASPECTS: [Aspect; 5] = [
    Aspect::Structure,
    Aspect::Dependencies,
    Aspect::Impact,
    Aspect::HotSpots,
    Aspect::Summary,
];

/// A valid request.
pub struct UnderstandRequest {
    /// The root.
    pub root: ChosenRoot,
    /// Subject of the request.
    pub subject: UnderstandSubject,
    /// Goal by which entries are ranked, or `None` if there is none.
    pub goal: Option<Bm25Query>,
    /// Requested aspects, in the order of answers.
    pub aspects: Vec<Aspect>,
    /// Number of steps or levels.
    pub depth: u32,
    /// Maximum bytes of the answer.
    pub max_chars: usize,
    /// Maximum number of files read.
    pub max_files: usize,
    /// Time limit in milliseconds.
    pub timeout_ms: u64,
    /// Fingerprint to which a cursor is bound.
    pub fingerprint: Fingerprint,
    /// Cursor at which to continue.
    pub cursor: Option<String>,
}

/// Subject of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnderstandSubject {
    /// A definition in these files or directories, or in the whole root if there are none.
    Symbol {
        /// Its name, qualified or not.
        name: String,
        /// Files and directories to search.
        within: Vec<String>,
    },
    /// A section of a document.
    Section {
        /// The document.
        path: String,
        /// Its address as written in the request.
        address: String,
    },
    /// A file.
    File(String),
    /// Files and directories.
    Module(Vec<String>),
    /// The whole root.
    Project,
}

impl UnderstandRequest {
    /// Parses the options of a request.
    ///
    /// # Errors
    /// `invalid-request`, or the error of a path that is neither a file nor a directory.
    pub fn parse<D: Disk>(corpus: &Corpus<D>, options: UnderstandOptions) -> Result<Self, Error> {
        let root = corpus.choose_root(options.root.as_deref())?;
        let limits = options.limits.unwrap_or(NO_LIMITS);
        let max_chars = check_range("maxChars", limits.max_chars, UNDERSTAND_CHARS)?;
        let max_files = check_range("maxFiles", limits.max_files, UNDERSTAND_FILES)?;
        let timeout_ms = check_range("timeoutMs", limits.timeout_ms, UNDERSTAND_TIMEOUT_MS)?;
        let goal = options.goal.as_deref().map(question_text).transpose()?;
        let subject = UnderstandSubject::parse(
            corpus,
            root.index,
            options.paths.as_deref().unwrap_or_default(),
            options.symbol.as_deref(),
        )?;
        check_scope(options.scope, &subject)?;
        let aspects = match options.aspects.as_deref() {
            Some([]) => {
                return Err(invalid(
                    "`aspects` is empty; expected some of structure, dependencies, impact, \
                     hot-spots, summary",
                    "Leave aspects out for those that fit the scope.",
                ));
            }
            Some(wanted) => {
                let is_wanted = |aspect: &Aspect| wanted.contains(aspect);
                ASPECTS.into_iter().filter(is_wanted).collect()
            }
            None => subject.usual_aspects(),
        };
        let depth = match options.depth.unwrap_or(UnderstandDepth::Standard) {
            UnderstandDepth::Shallow => 1,
            UnderstandDepth::Standard => 2,
            UnderstandDepth::Deep => 5,
        };
        let fingerprint = aspects
            .iter()
            .fold(Fingerprint::new("understand"), |digest, aspect| {
                digest.with(aspect_name(*aspect))
            })
            .with(&root.name)
            .with(&depth.to_string())
            .with_optional(goal)
            .with_optional(options.symbol.as_deref())
            .with_list(
                options
                    .paths
                    .as_deref()
                    .unwrap_or_default()
                    .iter()
                    .map(String::as_str),
            );
        Ok(Self {
            root,
            subject,
            goal: goal.map(Bm25Query::new).filter(|goal| !goal.is_empty()),
            aspects,
            depth,
            max_chars: max_chars.map_or(UNDERSTAND_CHARS_DEFAULT, |chars| chars as usize),
            max_files: max_files.map_or(UNDERSTAND_FILES_DEFAULT, |files| files as usize),
            timeout_ms: timeout_ms.unwrap_or(UNDERSTAND_TIMEOUT_MS_DEFAULT).into(),
            fingerprint,
            cursor: options.cursor,
        })
    }

    /// Returns true if the answer depends on the whole root.
    pub fn needs_all(&self) -> bool {
        let is_own = |aspect: &Aspect| matches!(aspect, Aspect::Structure | Aspect::Summary);
        match self.subject {
            UnderstandSubject::File(_) | UnderstandSubject::Section { .. } => {
                !self.aspects.iter().all(is_own)
            }
            UnderstandSubject::Symbol { .. }
            | UnderstandSubject::Module(_)
            | UnderstandSubject::Project => true,
        }
    }
}

impl UnderstandSubject {
    fn parse<D: Disk>(
        corpus: &Corpus<D>,
        root: usize,
        paths: &[String],
        symbol: Option<&str>,
    ) -> Result<Self, Error> {
        if paths.len() > UNDERSTAND_PATHS {
            return Err(invalid(
                format!(
                    "`paths` has {} entries; expected at most {UNDERSTAND_PATHS}",
                    paths.len()
                ),
                "Name their directory.",
            ));
        }
        let mut named = Vec::new();
        for path in paths {
            named.push(NamedDefinition::find(corpus, root, path)?);
        }
        if let Some(name) = symbol {
            return Ok(Self::Symbol {
                name: symbol_name(name)?,
                within: named.into_iter().map(|one| one.path).collect(),
            });
        }
        // The root itself contains all other paths of the request.
        if named.iter().all(|one| one.part.is_none()) && named.iter().any(|one| one.path.is_empty())
        {
            return Ok(Self::Project);
        }
        if let [one] = &named[..] {
            return Ok(one.clone().subject());
        }
        if let Some(part) = named.iter().find_map(|one| one.part.as_ref()) {
            return Err(invalid(
                format!("`paths` holds the part `{part}` beside other paths; expected it alone"),
                "Ask about one part in a call, or about whole files.",
            ));
        }
        if named.is_empty() {
            return Ok(Self::Project);
        }
        Ok(Self::Module(
            named.into_iter().map(|one| one.path).collect(),
        ))
    }

    /// Returns the scope that matches it.
    pub fn scope(&self) -> UnderstandScope {
        match self {
            Self::Symbol { .. } => UnderstandScope::Symbol,
            Self::Section { .. } | Self::File(_) => UnderstandScope::File,
            Self::Module(_) => UnderstandScope::Module,
            Self::Project => UnderstandScope::Project,
        }
    }

    /// Returns the aspects of a request that names none.
    fn usual_aspects(&self) -> Vec<Aspect> {
        match self {
            Self::Symbol { .. } => vec![Aspect::Structure, Aspect::Impact],
            Self::Section { .. } | Self::File(_) => {
                vec![Aspect::Structure, Aspect::Dependencies, Aspect::Impact]
            }
            Self::Module(_) => vec![
                Aspect::Structure,
                Aspect::Dependencies,
                Aspect::Impact,
                Aspect::HotSpots,
            ],
            Self::Project => vec![Aspect::Structure, Aspect::HotSpots, Aspect::Summary],
        }
    }

    /// Returns its names in answers.
    pub fn names(&self) -> Vec<String> {
        match self {
            Self::Symbol { name, .. } => vec![name.clone()],
            Self::Section { path, address } => vec![format!("{path}#{address}")],
            Self::File(path) => vec![path.clone()],
            Self::Module(paths) => paths.clone(),
            Self::Project => Vec::new(),
        }
    }

    /// Returns true if the file at `path` belongs to it, or may contain it.
    pub fn has_file(&self, path: &str) -> bool {
        let holds = |all: &[String]| all.iter().any(|one| is_at_or_below(path, one));
        match self {
            Self::Symbol { within, .. } => within.is_empty() || holds(within),
            Self::Section { path: own, .. } | Self::File(own) => own == path,
            Self::Module(paths) => holds(paths),
            Self::Project => true,
        }
    }
}

/// Returns true if `path` is `above`, or below the directory of that path.
pub fn is_at_or_below(path: &str, above: &str) -> bool {
    above.is_empty()
        || path
            .strip_prefix(above)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A path of a request, as on disk.
#[derive(Clone)]
struct NamedDefinition {
    path: String,
    is_directory: bool,
    /// The name of a part, as written.
    part: Option<String>,
}

impl NamedDefinition {
    fn find<D: Disk>(corpus: &Corpus<D>, root: usize, path: &str) -> Result<Self, Error> {
        let asked = AskedPath::parse(path)?;
        let (located, part) = asked.find(|reading| {
            corpus
                .locate(root, &reading.path, TargetKind::Any)
                .map_err(Error::from)
        })?;
        let part = match part {
            None => None,
            Some(PartAddress::Name(name)) => Some(name.clone()),
            Some(PartAddress::Lines(_)) => {
                return Err(invalid(
                    format!(
                        "`paths` holds the lines `{asked}`; expected a file, a directory, a section or a definition"
                    ),
                    "Name its content: `guide.md#setup`, `app.py#Class.method`.",
                ));
            }
        };
        Ok(match located {
            Located::File(file) => Self {
                path: file.path.to_string(),
                is_directory: false,
                part,
            },
            Located::Directory(start) => Self {
                path: start.path.to_string(),
                is_directory: true,
                part: None,
            },
        })
    }

    fn subject(self) -> UnderstandSubject {
        let Self { path, part, .. } = self;
        match part {
            _ if self.is_directory => UnderstandSubject::Module(vec![path]),
            None => UnderstandSubject::File(path),
            Some(address) if docent_document::format::Format::from_name(&path).is_some() => {
                UnderstandSubject::Section { path, address }
            }
            Some(name) => UnderstandSubject::Symbol {
                name,
                within: vec![path],
            },
        }
    }
}

/// Returns the name of a definition in the form used for the search.
fn symbol_name(name: &str) -> Result<String, Error> {
    // People write names in the forms of their languages: `parse()`, `Reader::read`,
    // `Reader#read`.
    let name = name.trim().trim_end_matches("()");
    let plain = name.replace("::", ".").replace(['#', '/'], ".");
    if plain.is_empty() || plain.chars().count() > crate::limits::QUERY_CHARS {
        return Err(invalid(
            "`symbol` is empty or too long; expected the name of a definition",
            "Name it as code does: `parse_config`, `Reader.read`.",
        ));
    }
    Ok(plain)
}

/// Refuses a scope that does not match the subject.
fn check_scope(scope: Option<UnderstandScope>, subject: &UnderstandSubject) -> Result<(), Error> {
    let Some(scope) = scope.filter(|scope| *scope != UnderstandScope::Auto) else {
        return Ok(());
    };
    if scope == subject.scope() {
        return Ok(());
    }
    let expected = match scope {
        UnderstandScope::Symbol => "a `symbol`",
        UnderstandScope::File => "one file in `paths`",
        UnderstandScope::Module => "a directory or several files in `paths`",
        _ => "neither `paths` nor `symbol`",
    };
    Err(invalid(
        format!(
            "`scope` is `{}` and the arguments name a {}; expected {expected}",
            scope_name(scope),
            scope_name(subject.scope())
        ),
        "Leave scope out: it follows from what you name.",
    ))
}

/// Returns the name of an aspect in requests.
pub fn aspect_name(aspect: Aspect) -> &'static str {
    match aspect {
        Aspect::Structure => "structure",
        Aspect::Dependencies => "dependencies",
        Aspect::Impact => "impact",
        Aspect::HotSpots => "hot-spots",
        Aspect::Summary => "summary",
    }
}

fn scope_name(scope: UnderstandScope) -> &'static str {
    match scope {
        UnderstandScope::Auto => "auto",
        UnderstandScope::Symbol => "symbol",
        UnderstandScope::File => "file",
        UnderstandScope::Module => "module",
        UnderstandScope::Project => "project",
    }
}

const NO_LIMITS: UnderstandLimits = UnderstandLimits {
    max_chars: None,
    max_files: None,
    timeout_ms: None,
};
