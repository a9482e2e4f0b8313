//! Detection of definitions from single lines: sufficient for conventionally formatted code, and
//! independent of the outlines that the evaluation measures.

/// A language whose definitions are recognized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Python,
    C,
    TypeScript,
    Go,
    Kotlin,
    Java,
}

/// The definition in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Defined<'a> {
    pub name: &'a str,
    pub is_function: bool,
}

/// The modifiers before a definition in Kotlin and Java.
const MODIFIERS: [&str; 29] = [
    "public",
    "private",
    "protected",
    "internal",
    "open",
    "abstract",
    "final",
    "override",
    "static",
    "data",
    "sealed",
    "inline",
    "suspend",
    "operator",
    "infix",
    "inner",
    "enum",
    "annotation",
    "value",
    "tailrec",
    "external",
    "const",
    "lateinit",
    "expect",
    "actual",
    "default",
    "synchronized",
    "native",
    "strictfp",
];

/// The modifiers before a definition in TypeScript.
const EXPORTS: [&str; 5] = ["export", "default", "declare", "async", "abstract"];

impl Language {
    /// Returns the language of a file by its name; none for declaration files of TypeScript, which
    /// define nothing.
    pub fn from_name(name: &str) -> Option<Self> {
        if name.ends_with(".d.ts") {
            return None;
        }
        Some(match name.rsplit_once('.')?.1 {
            "py" => Self::Python,
            "c" | "h" => Self::C,
            "ts" => Self::TypeScript,
            "go" => Self::Go,
            "kt" => Self::Kotlin,
            "java" => Self::Java,
            _ => return None,
        })
    }

    /// Returns the definition in a line; a C function may lack a body.
    pub fn defined(self, line: &str) -> Option<Defined<'_>> {
        match self {
            Self::Python => python(line.trim()),
            Self::C => c(line),
            Self::TypeScript => typescript(line),
            Self::Go => go(line),
            Self::Kotlin | Self::Java => self.jvm(line.trim()),
        }
    }

    fn jvm(self, line: &str) -> Option<Defined<'_>> {
        let mut rest = line;
        let mut is_modified = false;
        while let Some((word, behind)) = rest.split_once(' ')
            && (word.is_empty() || MODIFIERS.contains(&word))
        {
            is_modified |= !word.is_empty();
            rest = behind.trim_start();
        }
        for key in [
            "class ",
            "interface ",
            "object ",
            "@interface ",
            "fun interface ",
        ] {
            if let Some(name) = rest.strip_prefix(key) {
                return define_type(name);
            }
        }
        let (head, _) = rest.split_once('(')?;
        if self == Self::Kotlin {
            return function(last_name(head.strip_prefix("fun ")?)?);
        }
        let is_method = is_modified && line.ends_with('{') && !head.contains('=');
        // A method without a type before its name is a constructor.
        if is_method && head.trim().contains(' ') {
            function(last_name(head)?)
        } else {
            None
        }
    }
}

fn function(name: &str) -> Option<Defined<'_>> {
    Some(Defined {
        name,
        is_function: true,
    })
}

/// Returns the definition of a type, or of another item without a body of statements, whose name
/// comes first in `text`.
fn define_type(text: &str) -> Option<Defined<'_>> {
    Some(Defined {
        name: first_name(text)?,
        is_function: false,
    })
}

fn python(line: &str) -> Option<Defined<'_>> {
    if let Some(name) = line.strip_prefix("class ") {
        return define_type(name);
    }
    let line = line.strip_prefix("async ").unwrap_or(line);
    function(first_name(line.strip_prefix("def ")?)?)
}

fn go(line: &str) -> Option<Defined<'_>> {
    if let Some(name) = line.strip_prefix("type ") {
        return define_type(name);
    }
    let rest = line.strip_prefix("func ")?;
    let name = match rest.strip_prefix('(') {
        Some(receiver) => receiver.split_once(')')?.1.trim_start(),
        None => rest,
    };
    function(first_name(name)?)
}

fn typescript(line: &str) -> Option<Defined<'_>> {
    let mut rest = line;
    while let Some((word, behind)) = rest.split_once(' ')
        && EXPORTS.contains(&word)
    {
        rest = behind;
    }
    let rest = rest
        .strip_prefix("const ")
        .filter(|behind| behind.starts_with("enum "))
        .unwrap_or(rest);
    let (key, name) = rest.split_once(' ')?;
    match key {
        "function" => function(first_name(name)?),
        "class" | "interface" | "enum" | "type" | "const" | "let" => define_type(name),
        _ => None,
    }
}

fn c(line: &str) -> Option<Defined<'_>> {
    if !line.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return None;
    }
    let bare = line.strip_prefix("typedef ").unwrap_or(line);
    if let Some(name) = bare.strip_prefix("struct ")
        && line.trim_end().ends_with('{')
    {
        return define_type(name);
    }
    let (head, _) = line.split_once('(')?;
    let is_other = ["typedef", "else", "return", "struct "].iter().any(|word| {
        line.starts_with(word) && (*word != "struct " || line.trim_end().ends_with('{'))
    });
    if is_other
        || head.contains('=')
        || line.contains(';')
        || head.split_whitespace().nth(1).is_none()
    {
        return None;
    }
    function(last_name(head)?)
}

/// Returns true if `c` may be part of a name.
pub fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

fn first_name(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !is_of_name(c)).unwrap_or(text.len());
    named(&text[..end])
}

fn last_name(text: &str) -> Option<&str> {
    let text = text.trim_end();
    let start = text.trim_end_matches(is_of_name).len();
    named(&text[start..])
}

fn named(name: &str) -> Option<&str> {
    let is_name = name.starts_with(|c: char| is_of_name(c) && !c.is_ascii_digit());
    is_name.then_some(name)
}

/// Returns true if a name cannot be an ordinary word, by its shape.
pub fn is_identifier(name: &str) -> bool {
    name.contains(|c: char| c == '_' || c.is_ascii_digit())
        || name.chars().skip(1).any(|c| c.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_language_has_its_definitions() {
        let cases = [
            (
                Language::Python,
                "    async def full_dispatch(self):",
                Some(("full_dispatch", true)),
            ),
            (
                Language::Python,
                "class Flask(App):",
                Some(("Flask", false)),
            ),
            (Language::Python, "default = 1", None),
            (
                Language::C,
                "int prepareClientToWrite(client *c) {",
                Some(("prepareClientToWrite", true)),
            ),
            (
                Language::C,
                "static const char *name(void)",
                Some(("name", true)),
            ),
            (Language::C, "int prepareClientToWrite(client *c);", None),
            (Language::C, "    if (prepareClientToWrite(c)) {", None),
            (
                Language::C,
                "typedef struct client {",
                Some(("client", false)),
            ),
            (Language::C, "typedef int handler(int a)", None),
            (
                Language::TypeScript,
                "export const enum Flags {",
                Some(("Flags", false)),
            ),
            (
                Language::TypeScript,
                "export async function run<T>(",
                Some(("run", true)),
            ),
            (Language::TypeScript, "  const inner = 1", None),
            (
                Language::Go,
                "func (c *Context) Next() {",
                Some(("Next", true)),
            ),
            (
                Language::Go,
                "type Skipper func(c *Context) bool",
                Some(("Skipper", false)),
            ),
            (
                Language::Kotlin,
                "  internal fun String.toHost(): Host {",
                Some(("toHost", true)),
            ),
            (
                Language::Kotlin,
                "  fun interface Factory {",
                Some(("Factory", false)),
            ),
            (Language::Kotlin, "  val client = OkHttpClient()", None),
            (
                Language::Java,
                "  public static Request get(String url) {",
                Some(("get", true)),
            ),
            (Language::Java, "  public Request(String url) {", None),
            (Language::Java, "    doIt(url) {", None),
        ];
        for (language, line, expected) in cases {
            let defined = language.defined(line).map(|d| (d.name, d.is_function));
            assert_eq!(defined, expected, "{language:?}: {line}");
        }
    }

    #[test]
    fn identifiers_are_told_by_their_shape() {
        for name in ["ByName", "_render", "sha1", "max_age", "handleIt"] {
            assert!(is_identifier(name), "{name}");
        }
        for name in ["extend", "Flask"] {
            assert!(!is_identifier(name), "{name}");
        }
    }
}
