//! The change of one client's configuration file, before anything is written.

use std::path::PathBuf;

use docent_client_config::{Client, ClientEnvironment, Launch, ServerEntry, unified_diff};

use super::action::SetupAction;
use super::file::ConfigFile;

/// A client's configuration file and its planned change.
pub struct ClientPlan {
    /// Client.
    pub client: Client,
    /// Path of the file, as the client names it.
    pub path: PathBuf,
    /// Planned change.
    pub change: FileChange,
    /// Command that the entry will start.
    pub launch: Option<Launch>,
    /// Value of an entry `docent` that starts another program.
    pub foreign: Option<String>,
    /// File and its entry, or the reason for leaving it unchanged.
    found: Result<(ConfigFile, ServerEntry), String>,
}

/// A change of a configuration file.
#[derive(Debug, PartialEq, Eq)]
pub enum FileChange {
    /// The file is already as intended.
    None,
    /// The file is replaced by this text.
    Text(String),
    /// The file is left unchanged, for this reason.
    Refused(String),
}

impl ClientPlan {
    /// Reads the configuration file of a client. A failure is part of the plan.
    pub fn read_ambient(client: Client, environment: &ClientEnvironment<'_>) -> Self {
        let places = client.places(environment);
        let path = places.map(|places| places.config).unwrap_or_default();
        let found = if path.as_os_str().is_empty() {
            Err("no home directory is known; set HOME".to_owned())
        } else {
            ConfigFile::read_ambient(&path).and_then(|file| {
                let entry = client.format().find(file.text());
                let entry = entry.map_err(|error| format!("{error}; the file is left as it is"))?;
                Ok((file, entry))
            })
        };
        Self {
            client,
            path,
            change: FileChange::None,
            launch: None,
            foreign: None,
            found,
        }
    }

    /// Returns the roots that docent's entry grants, if there is one.
    pub fn granted_roots(&self) -> Option<Vec<String>> {
        match &self.found {
            Ok((_, ServerEntry::Docent(launch))) => Some(launch.roots()),
            _ => None,
        }
    }

    /// Returns true if there is no entry whose roots could be kept.
    pub fn needs_roots(&self) -> bool {
        self.found.is_ok() && self.granted_roots().is_none()
    }

    /// Decides on the change: an entry that starts `command` with `roots`, or no entry. Without
    /// `roots`, the entry keeps its present ones.
    pub fn decide(&mut self, action: SetupAction, command: &str, roots: &[String]) {
        let (file, entry) = match &self.found {
            Ok(found) => found,
            Err(problem) => {
                self.change = FileChange::Refused(problem.clone());
                return;
            }
        };
        let format = self.client.format();
        if let ServerEntry::Foreign(text) = entry {
            self.foreign = Some(text.clone());
        }
        let launch = match entry {
            ServerEntry::Docent(there) if roots.is_empty() => {
                there.with_program_and_roots(command, &there.roots())
            }
            ServerEntry::Docent(there) => there.with_program_and_roots(command, roots),
            ServerEntry::Missing | ServerEntry::Foreign(_) => Launch::new(command, roots),
        };
        let text = file.text();
        let new = match (action, entry) {
            (SetupAction::Remove, ServerEntry::Missing) => Ok(text.to_owned()),
            (SetupAction::Remove, _) => format.remove(text),
            (SetupAction::Add, ServerEntry::Missing) => format.insert(text, &launch),
            (SetupAction::Add, _) => format.replace(text, &launch),
        };
        self.change = match new {
            Ok(new) if new == text => FileChange::None,
            Ok(new) => FileChange::Text(new),
            Err(error) => FileChange::Refused(format!("{error}; the file is left as it is")),
        };
        self.launch = Some(launch);
    }

    /// Returns the diff of a new text.
    pub fn difference(&self, new: &str) -> String {
        let old = self.found.as_ref().ok();
        let old = old.and_then(|(file, _)| file.is_there().then(|| file.text()));
        unified_diff(&self.path.display().to_string(), old, new)
    }

    /// Writes the new text. Returns the path of the copy of the old file, if there was one.
    ///
    /// # Errors
    /// Returns the reason for which the file is unchanged.
    pub fn write_ambient(&self, new: &str) -> Result<Option<PathBuf>, String> {
        match &self.found {
            Ok((file, _)) => file.write_ambient(new),
            Err(problem) => Err(problem.clone()),
        }
    }
}
