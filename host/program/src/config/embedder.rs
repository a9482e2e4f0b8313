//! The embedder as configuration and command line name it.

use std::io;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::Surroundings;
use super::file::{mismatch, refuse_unknown, string};
use crate::embedder::{Address, Spec};

/// The keys of `embedder`.
const KEYS: [&str; 9] = [
    "url",
    "model",
    "key-file",
    "key-env",
    "query-prefix",
    "passage-prefix",
    "max-bytes",
    "passages",
    "weight",
];

/// Bytes of a passage that are sent: more than one has, so that nothing is cut but where a model is
/// said to take less.
const MAX_BYTES: (u32, u32, u32) = (64, 8192, 2000);

/// Passages that one question may cost: least, most, and where nothing is said.
const PASSAGES: (u32, u32, u32) = (1, 1000, 50);

/// What the model's order weighs at most.
const WEIGHT: f64 = 100.0;

/// An entry that is understood but for its key.
#[derive(Debug)]
pub struct Entry {
    spec: Spec,
    key: KeySource,
}

/// Where the key of an endpoint is.
#[derive(Debug)]
enum KeySource {
    None,
    File(PathBuf),
    Variable(String),
}

impl Entry {
    /// Understands the table `embedder`.
    ///
    /// # Errors
    /// What is wrong, then what was expected.
    pub fn parse(table: &Table) -> Result<Self, String> {
        const PREFIX: &str = "embedder.";
        refuse_unknown(table, PREFIX, &KEYS)?;
        let text = |key| string(table, PREFIX, key);
        let needed = |key, what: &str| {
            text(key)?
                .filter(|value| !value.trim().is_empty())
                .ok_or_else(|| format!("`{PREFIX}{key}` is missing; expected {what}"))
        };
        let url = needed("url", "an address such as `http://127.0.0.1:11434/v1`")?;
        let address =
            Address::parse(&url).map_err(|error| format!("`{PREFIX}url` is \"{url}\"; {error}"))?;
        let key = match (text("key-file")?, text("key-env")?) {
            (None, None) => KeySource::None,
            (Some(file), None) => KeySource::File(file.into()),
            (None, Some(variable)) => KeySource::Variable(variable),
            (Some(_), Some(_)) => {
                return Err(format!(
                    "`{PREFIX}key-file` and `{PREFIX}key-env` are both there; expected one of them"
                ));
            }
        };
        Ok(Self {
            spec: Spec {
                query_prefix: text("query-prefix")?.unwrap_or_default(),
                passage_prefix: text("passage-prefix")?.unwrap_or_default(),
                max_bytes: number(table, "max-bytes", MAX_BYTES)?,
                passages: number(table, "passages", PASSAGES)?,
                weight: weight(table)?,
                ..Spec::new(address, needed("model", "the name of a model")?)
            },
            key,
        })
    }

    /// Fetches the key; a relative file lies in `beside`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn with_key(self, surroundings: &Surroundings<'_>, beside: &Path) -> Result<Spec, String> {
        let key = match self.key {
            KeySource::None => None,
            KeySource::File(file) => {
                let file = beside.join(surroundings.at_home(file));
                let unreadable = |error: io::Error| {
                    let file = file.display();
                    format!("`embedder.key-file` is `{file}`, which cannot be read: {error}")
                };
                Some((surroundings.read)(&file).map_err(unreadable)?)
            }
            KeySource::Variable(variable) => {
                Some(surroundings.text(&variable).ok_or_else(|| {
                    format!("`embedder.key-env` is \"{variable}\"; expected a variable that is set")
                })?)
            }
        };
        let key = key.map(|key| key.trim().to_owned());
        // It becomes a part of a line, and is not shown where it is none.
        let is_key = |key: &String| !key.is_empty() && key.chars().all(|c| c.is_ascii_graphic());
        if key.as_ref().is_some_and(|key| !is_key(key)) {
            return Err("the key of `embedder` is not one word; expected letters and signs".into());
        }
        Ok(Spec { key, ..self.spec })
    }
}

/// Understands `--embedder`: `URL#MODEL`, or `none`.
///
/// # Errors
/// What is wrong, then what was expected.
pub fn flag(text: &str) -> Result<Option<Spec>, String> {
    if text == "none" {
        return Ok(None);
    }
    let (url, model) = text
        .split_once('#')
        .filter(|(_, model)| !model.trim().is_empty())
        .ok_or("it names no model; expected `URL#MODEL`, or `none`")?;
    let address = Address::parse(url).map_err(|error| error.to_string())?;
    Ok(Some(Spec::new(address, model.trim().to_owned())))
}

impl Spec {
    /// Returns the endpoint of a model as it is where nothing else is said.
    fn new(address: Address, model: String) -> Self {
        Self {
            address,
            model,
            key: None,
            query_prefix: String::new(),
            passage_prefix: String::new(),
            max_bytes: MAX_BYTES.2,
            passages: PASSAGES.2,
            weight: 1.0,
        }
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

    fn entry(text: &str) -> Result<Spec, String> {
        let surroundings = Surroundings {
            variable: &|name| (name == "KEY").then(|| " secret ".into()),
            read: &|file| match file.to_str() {
                Some("/etc/docent/key") => Ok("from-file\n".to_owned()),
                Some("/etc/docent/lines") => Ok("a\nb\n".to_owned()),
                _ => Err(io::ErrorKind::NotFound.into()),
            },
        };
        Entry::parse(&text.parse().unwrap())?.with_key(&surroundings, Path::new("/etc/docent"))
    }

    const LEAST: &str = "url = \"http://localhost:1/v1\"\nmodel = \"m\"\n";

    #[test]
    fn an_entry_says_where_and_how() {
        let least = entry(LEAST).unwrap();
        let address = Address::parse("http://localhost:1/v1").unwrap();
        assert_eq!(least, Spec::new(address, "m".to_owned()));
        let all = entry(&format!(
            "{LEAST}key-env = \"KEY\"\nquery-prefix = \"query: \"\npassage-prefix = \"p: \"\n\
             max-bytes = 500\npassages = 20\nweight = 0.5\n"
        ));
        let expected = Spec {
            key: Some("secret".to_owned()),
            query_prefix: "query: ".to_owned(),
            passage_prefix: "p: ".to_owned(),
            max_bytes: 500,
            passages: 20,
            weight: 0.5,
            ..least
        };
        assert_eq!(all, Ok(expected));
        let from_file = entry(&format!("{LEAST}key-file = \"key\"\nweight = 2\n")).unwrap();
        assert_eq!(from_file.key.as_deref(), Some("from-file"));
        assert_eq!(from_file.weight, 2.0);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, problem) in [
            (
                "model = \"m\"",
                "`embedder.url` is missing; expected an address such as `http://127.0.0.1:11434/v1`",
            ),
            (
                "url = \"http://localhost\"",
                "`embedder.model` is missing; expected the name of a model",
            ),
            (
                "url = \"http://example.com\"\nmodel = \"m\"",
                "`embedder.url` is \"http://example.com\"; it is not of this machine; expected \
                 `localhost`, `127.0.0.1` or `[::1]`",
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
    fn a_flag_names_address_and_model() {
        assert_eq!(flag("none"), Ok(None));
        let spec = flag("http://127.0.0.1:11434/v1#bge-m3").unwrap().unwrap();
        assert_eq!((spec.model.as_str(), spec.key), ("bge-m3", None));
        assert_eq!(spec.address.to_string(), "http://127.0.0.1:11434/v1");
        for refused in [
            "http://127.0.0.1/",
            "http://127.0.0.1/#",
            "http://8.8.8.8/#m",
            "m",
        ] {
            assert!(flag(refused).is_err(), "{refused}");
        }
    }
}
