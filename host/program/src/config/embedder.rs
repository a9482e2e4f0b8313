//! The embedder in the configuration file and on the command line.

use std::io;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use docent_host::encoder::{EncoderSettings, Pooling};

use super::ConfigSources;
use super::table::{mismatch, refuse_unknown, string};
use crate::embedder::{
    AddressReach, Background, DirectorySpec, EmbedderAddress, EndpointSpec, Spec,
};

/// The keys of `embedder`.
const KEYS: [&str; 13] = [
    "url",
    "allow-remote",
    "directory",
    "model",
    "key-file",
    "key-env",
    "pooling",
    "query-prefix",
    "passage-prefix",
    "max-bytes",
    "passages",
    "weight",
    "background",
];

/// Bytes of a passage that are sent: minimum, maximum, default. The default exceeds the size of any
/// passage, so that passages are only cut for a model whose `max-bytes` is smaller.
const MAX_BYTES: (u32, u32, u32) = (64, 8192, 2000);

/// Maximum passages that one query may embed: minimum, maximum, and default of an endpoint.
const PASSAGES: (u32, u32, u32) = (1, 1000, 50);

/// Default maximum of passages that one query may embed with a model in a directory, which runs on
/// one core and takes some seconds for them.
const OWN_PASSAGES: u32 = 25;

/// Maximum weight of the semantic ranking.
const WEIGHT: f64 = 100.0;

/// A parsed entry, before the files that it names are read.
#[derive(Debug)]
pub enum EmbedderEntry {
    /// An endpoint, and the source of its key.
    Endpoint(EndpointSpec, KeySource),
    /// A model in a directory.
    Directory(DirectorySpec),
}

/// The source of an endpoint's key.
#[derive(Debug)]
pub enum KeySource {
    None,
    File(PathBuf),
    Variable(String),
}

const PREFIX: &str = "embedder.";

impl EmbedderEntry {
    /// Parses the table `embedder`.
    ///
    /// # Errors
    /// Returns the fault, then the expected form.
    pub fn parse(table: &Table) -> Result<Self, String> {
        refuse_unknown(table, PREFIX, &KEYS)?;
        match (table.get("url"), table.get("directory")) {
            (Some(_), Some(_)) => Err(format!(
                "`{PREFIX}url` and `{PREFIX}directory` are both set; expected one of them"
            )),
            (_, None) => endpoint(table),
            (None, Some(_)) => Ok(Self::Directory(directory(table)?)),
        }
    }

    /// Reads the files that the entry names; relative paths are resolved in `beside`.
    ///
    /// # Errors
    /// Returns the fault of a key.
    pub fn complete(self, surroundings: &ConfigSources<'_>, beside: &Path) -> Result<Spec, String> {
        let at = |path: PathBuf| beside.join(surroundings.at_home(path));
        match self {
            Self::Endpoint(spec, key) => {
                let key = key.fetch(surroundings, at)?;
                Ok(Spec::Endpoint(EndpointSpec { key, ..spec }))
            }
            Self::Directory(spec) => Ok(Spec::Directory(DirectorySpec {
                directory: at(spec.directory),
                ..spec
            })),
        }
    }
}

/// Returns the text of a required key.
fn require(table: &Table, key: &str, what: &str) -> Result<String, String> {
    string(table, PREFIX, key)?
        .filter(|value| !value.trim().is_empty())
        .ok_or_else(|| format!("`{PREFIX}{key}` is missing; expected {what}"))
}

/// Returns the prefix of each query, and that of each passage.
fn prefixes(table: &Table) -> Result<(String, String), String> {
    let prefix = |key| Ok::<_, String>(string(table, PREFIX, key)?.unwrap_or_default());
    Ok((prefix("query-prefix")?, prefix("passage-prefix")?))
}

fn refuse_keys_of_the_other(table: &Table, keys: &[&str], other: &str) -> Result<(), String> {
    match keys.iter().find(|key| table.contains_key(**key)) {
        Some(key) => Err(format!("`{PREFIX}{key}` goes with `{PREFIX}{other}` alone")),
        None => Ok(()),
    }
}

fn endpoint(table: &Table) -> Result<EmbedderEntry, String> {
    let example = "an address such as `http://127.0.0.1:11434/v1`, or a `directory`";
    let url = require(table, "url", example)?;
    refuse_keys_of_the_other(table, &["pooling"], "directory")?;
    let address = EmbedderAddress::parse(&url, reach(table)?)
        .map_err(|error| format!("`{PREFIX}url` is \"{url}\"; {error}"))?;
    let text = |key| string(table, PREFIX, key);
    let key = match (text("key-file")?, text("key-env")?) {
        (None, None) => KeySource::None,
        (Some(file), None) => KeySource::File(file.into()),
        (None, Some(variable)) => KeySource::Variable(variable),
        (Some(_), Some(_)) => {
            return Err(format!(
                "`{PREFIX}key-file` and `{PREFIX}key-env` are both set; expected one of them"
            ));
        }
    };
    let (query_prefix, passage_prefix) = prefixes(table)?;
    let spec = EndpointSpec {
        query_prefix,
        passage_prefix,
        max_bytes: number(table, "max-bytes", MAX_BYTES)?,
        passages: number(table, "passages", PASSAGES)?,
        weight: weight(table)?,
        background: background(table)?,
        ..EndpointSpec::new(address, require(table, "model", "the name of a model")?)
    };
    Ok(EmbedderEntry::Endpoint(spec, key))
}

fn reach(table: &Table) -> Result<AddressReach, String> {
    match table.get("allow-remote") {
        None | Some(Value::Boolean(false)) => Ok(AddressReach::Here),
        Some(Value::Boolean(true)) => Ok(AddressReach::Anywhere),
        Some(value) => Err(mismatch(
            "embedder.allow-remote",
            value,
            "`true` or `false`",
        )),
    }
}

fn directory(table: &Table) -> Result<DirectorySpec, String> {
    let directory = require(table, "directory", "the directory of a model")?;
    refuse_keys_of_the_other(table, &["allow-remote", "key-file", "key-env"], "url")?;
    let pooling = match string(table, PREFIX, "pooling")?.as_deref() {
        None => None,
        Some("mean") => Some(Pooling::Mean),
        Some("first") => Some(Pooling::First),
        Some(other) => {
            return Err(format!(
                "`{PREFIX}pooling` is \"{other}\"; expected `mean` or `first`"
            ));
        }
    };
    let spec = DirectorySpec::new(directory.into());
    let (query_prefix, passage_prefix) = prefixes(table)?;
    let (least, most, _) = PASSAGES;
    Ok(DirectorySpec {
        settings: EncoderSettings {
            name: string(table, PREFIX, "model")?.unwrap_or(spec.settings.name),
            pooling,
            query_prefix,
            passage_prefix,
            max_bytes: number(table, "max-bytes", MAX_BYTES)?,
            passages: number(table, "passages", (least, most, OWN_PASSAGES))?,
            weight: weight(table)?,
        },
        background: background(table)?,
        ..spec
    })
}

impl KeySource {
    /// Reads the key; `at` resolves the path of its file.
    fn fetch(
        self,
        surroundings: &ConfigSources<'_>,
        at: impl Fn(PathBuf) -> PathBuf,
    ) -> Result<Option<String>, String> {
        let key = match self {
            Self::None => None,
            Self::File(file) => {
                let file = at(file);
                let unreadable = |error: io::Error| {
                    let file = file.display();
                    format!("`embedder.key-file` is `{file}`, which cannot be read: {error}")
                };
                Some((surroundings.read)(&file).map_err(unreadable)?)
            }
            Self::Variable(variable) => Some(surroundings.text(&variable).ok_or_else(|| {
                format!("`embedder.key-env` is \"{variable}\"; expected a variable that is set")
            })?),
        };
        let key = key.map(|key| key.trim().to_owned());
        // The key becomes part of a header line. A line break in it would end the header and
        // begin another one. The message does not show the key.
        let is_key = |key: &String| !key.is_empty() && key.chars().all(|c| c.is_ascii_graphic());
        if key.as_ref().is_some_and(|key| !is_key(key)) {
            return Err("the key of `embedder` is not one word; expected letters and signs".into());
        }
        Ok(key)
    }
}

/// Parses `--embedder`: `URL#MODEL`, the directory of a model, or `none`.
///
/// # Errors
/// Returns the fault, then the expected form.
pub fn flag(text: &str, surroundings: &ConfigSources<'_>) -> Result<Option<Spec>, String> {
    if text == "none" {
        return Ok(None);
    }
    if !text.contains("://") && !text.contains('#') && !text.is_empty() {
        let directory = surroundings.at_home(text.into());
        return Ok(Some(Spec::Directory(DirectorySpec::new(directory))));
    }
    let (url, model) = text
        .split_once('#')
        .filter(|(_, model)| !model.trim().is_empty())
        .ok_or("it names no model; expected `URL#MODEL`, the directory of a model, or `none`")?;
    let address =
        EmbedderAddress::parse(url, AddressReach::Here).map_err(|error| error.to_string())?;
    let spec = EndpointSpec::new(address, model.trim().to_owned());
    Ok(Some(Spec::Endpoint(spec)))
}

impl EndpointSpec {
    /// Creates the endpoint of a model with the default settings.
    fn new(address: EmbedderAddress, model: String) -> Self {
        Self {
            address,
            model,
            key: None,
            query_prefix: String::new(),
            passage_prefix: String::new(),
            max_bytes: MAX_BYTES.2,
            passages: PASSAGES.2,
            weight: 1.0,
            background: Background::Embeds,
        }
    }
}

impl DirectorySpec {
    /// Creates the model in a directory with the default settings.
    fn new(directory: PathBuf) -> Self {
        let name = directory.file_name().map(|name| name.to_string_lossy());
        Self {
            settings: EncoderSettings {
                name: name.map_or_else(|| "model".to_owned(), Into::into),
                pooling: None,
                query_prefix: String::new(),
                passage_prefix: String::new(),
                max_bytes: MAX_BYTES.2,
                passages: OWN_PASSAGES,
                weight: 1.0,
            },
            directory,
            background: Background::Embeds,
        }
    }
}

fn background(table: &Table) -> Result<Background, String> {
    match table.get("background") {
        None | Some(Value::Boolean(true)) => Ok(Background::Embeds),
        Some(Value::Boolean(false)) => Ok(Background::Rests),
        Some(value) => Err(mismatch("embedder.background", value, "`true` or `false`")),
    }
}

fn number(table: &Table, key: &str, (least, most, usual): (u32, u32, u32)) -> Result<u32, String> {
    let Some(value) = table.get(key) else {
        return Ok(usual);
    };
    value
        .as_integer()
        .and_then(|number| u32::try_from(number).ok())
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| {
            let expected = format!("a whole number from {least} to {most}");
            mismatch(&format!("embedder.{key}"), value, &expected)
        })
}

fn weight(table: &Table) -> Result<f64, String> {
    let number = match table.get("weight") {
        None => return Ok(1.0),
        Some(Value::Integer(number)) => u32::try_from(*number).ok().map(f64::from),
        Some(Value::Float(number)) => Some(*number),
        Some(_) => None,
    };
    let within = number.filter(|number| (0.0..=WEIGHT).contains(number));
    within.ok_or_else(|| {
        let value = &table["weight"];
        mismatch(
            "embedder.weight",
            value,
            &format!("a number from 0 to {WEIGHT}"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SURROUNDINGS: ConfigSources<'_> = ConfigSources {
        variable: &|name| match name {
            "KEY" => Some(" secret ".into()),
            "HOME" => Some("/me".into()),
            _ => None,
        },
        read: &|file| match file.to_str() {
            Some("/etc/docent/key") => Ok("from-file\n".to_owned()),
            Some("/etc/docent/lines") => Ok("a\nb\n".to_owned()),
            _ => Err(io::ErrorKind::NotFound.into()),
        },
    };

    fn entry(text: &str) -> Result<Spec, String> {
        EmbedderEntry::parse(&text.parse().unwrap())?
            .complete(&SURROUNDINGS, Path::new("/etc/docent"))
    }

    fn endpoint_of(spec: Result<Spec, String>) -> EndpointSpec {
        match spec.unwrap() {
            Spec::Endpoint(spec) => spec,
            Spec::Directory(spec) => panic!("{spec:?}"),
        }
    }

    const LEAST: &str = "url = \"http://localhost:1/v1\"\nmodel = \"m\"\n";

    #[test]
    fn an_entry_says_where_and_how() {
        let least = endpoint_of(entry(LEAST));
        let address = EmbedderAddress::parse("http://localhost:1/v1", AddressReach::Here).unwrap();
        assert_eq!(least, EndpointSpec::new(address, "m".to_owned()));
        let all = entry(&format!(
            "{LEAST}key-env = \"KEY\"\nquery-prefix = \"query: \"\npassage-prefix = \"p: \"\n\
             max-bytes = 500\npassages = 20\nweight = 0.5\nbackground = false\n"
        ));
        let expected = EndpointSpec {
            key: Some("secret".to_owned()),
            query_prefix: "query: ".to_owned(),
            passage_prefix: "p: ".to_owned(),
            max_bytes: 500,
            passages: 20,
            weight: 0.5,
            background: Background::Rests,
            ..least
        };
        assert_eq!(endpoint_of(all), expected);
        let from_file = endpoint_of(entry(&format!("{LEAST}key-file = \"key\"\nweight = 2\n")));
        assert_eq!(from_file.key.as_deref(), Some("from-file"));
        assert_eq!(from_file.weight, 2.0);
    }

    #[test]
    fn another_machine_is_asked_where_that_is_allowed() {
        let text = "url = \"https://api.example.com/v1\"\nmodel = \"m\"\nallow-remote = true\n";
        let spec = endpoint_of(entry(text));
        assert!(spec.address.is_remote());
        assert!(entry(&text.replace("true", "false")).is_err());
    }

    #[test]
    fn a_directory_says_where_and_how() {
        let Ok(Spec::Directory(least)) = entry("directory = \"models/minilm\"") else {
            panic!("expected a directory");
        };
        let directory = PathBuf::from("/etc/docent/models/minilm");
        assert_eq!(least, DirectorySpec::new(directory));
        assert_eq!(least.settings.name, "minilm");
        let all = "directory = \"~/e5\"\nmodel = \"m\"\npooling = \"first\"\npassages = 9\n\
                   query-prefix = \"query: \"\npassage-prefix = \"p: \"\nmax-bytes = 500\n\
                   weight = 0.5\nbackground = true\n";
        let expected = DirectorySpec {
            directory: "/me/e5".into(),
            settings: EncoderSettings {
                name: "m".to_owned(),
                pooling: Some(Pooling::First),
                query_prefix: "query: ".to_owned(),
                passage_prefix: "p: ".to_owned(),
                max_bytes: 500,
                passages: 9,
                weight: 0.5,
            },
            background: Background::Embeds,
        };
        assert_eq!(entry(all), Ok(Spec::Directory(expected)));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, problem) in [
            (
                "model = \"m\"",
                "`embedder.url` is missing; expected an address such as `http://127.0.0.1:11434/v1`, or \
                 a `directory`",
            ),
            (
                "url = \"http://localhost\"",
                "`embedder.model` is missing; expected the name of a model",
            ),
            (
                "url = \"http://example.com\"\nmodel = \"m\"",
                "`embedder.url` is \"http://example.com\"; it is not of this machine; expected \
                 `localhost`, `127.0.0.1` or `[::1]`, or `allow-remote = true` in the configuration file",
            ),
            (
                "url = \"http://example.com\"\nallow-remote = true\nmodel = \"m\"",
                "`embedder.url` is \"http://example.com\"; it is not of this machine, and not \
                 encrypted; expected `https://…`",
            ),
            (
                &format!("{LEAST}allow-remote = 1"),
                "`embedder.allow-remote` is 1; expected `true` or `false`",
            ),
            (
                "directory = \"m\"\nallow-remote = true",
                "`embedder.allow-remote` goes with `embedder.url` alone",
            ),
            (
                &format!("{LEAST}directory = \"m\""),
                "`embedder.url` and `embedder.directory` are both set; expected one of them",
            ),
            (
                &format!("{LEAST}pooling = \"mean\""),
                "`embedder.pooling` goes with `embedder.directory` alone",
            ),
            (
                "directory = \"m\"\nkey-env = \"KEY\"",
                "`embedder.key-env` goes with `embedder.url` alone",
            ),
            (
                "directory = \"m\"\npooling = \"max\"",
                "`embedder.pooling` is \"max\"; expected `mean` or `first`",
            ),
            (
                &format!("{LEAST}modle = \"m\""),
                "unknown key `embedder.modle`; expected `model`, which is the nearest",
            ),
            (
                &format!("{LEAST}passages = 0"),
                "`embedder.passages` is 0; expected a whole number from 1 to 1000",
            ),
            (
                &format!("{LEAST}weight = -1"),
                "`embedder.weight` is -1; expected a number from 0 to 100",
            ),
            (
                &format!("{LEAST}weight = nan"),
                "`embedder.weight` is NaN; expected a number from 0 to 100",
            ),
            (
                &format!("{LEAST}key-env = \"NONE\""),
                "`embedder.key-env` is \"NONE\"; expected a variable that is set",
            ),
            (
                &format!("{LEAST}key-file = \"lines\""),
                "the key of `embedder` is not one word; expected letters and signs",
            ),
        ] {
            assert_eq!(entry(text), Err(problem.to_owned()));
        }
    }

    #[test]
    fn a_flag_names_address_and_model_or_a_directory() {
        let flag = |text| flag(text, &SURROUNDINGS);
        assert_eq!(flag("none"), Ok(None));
        let spec = flag("http://127.0.0.1:11434/v1#bge-m3");
        let spec = endpoint_of(spec.map(Option::unwrap));
        assert_eq!((spec.model.as_str(), spec.key), ("bge-m3", None));
        assert_eq!(spec.address.to_string(), "http://127.0.0.1:11434/v1");
        let directory = DirectorySpec::new("/me/e5".into());
        assert_eq!(flag("~/e5"), Ok(Some(Spec::Directory(directory))));
        for refused in [
            "http://127.0.0.1/",
            "http://127.0.0.1/#",
            "http://8.8.8.8/#m",
            "127.0.0.1/v1#m",
            "",
        ] {
            assert!(flag(refused).is_err(), "{refused}");
        }
    }
}
