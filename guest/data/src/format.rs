//! Formats of settings and data files by name. No other module knows these names.

/// The format of a settings or data file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataFormat {
    /// JSON, with comments or without, and JSON5.
    Json,
    /// One JSON value per line.
    JsonLines,
    /// YAML and similar formats.
    Yaml,
    /// TOML.
    Toml,
    /// One key and value per line: INI, properties, and the settings of many programs.
    Ini,
    /// XML.
    Xml,
    /// Rows with columns, separated by commas, semicolons or tabs.
    Csv,
    /// A Dockerfile.
    Dockerfile,
    /// A Makefile or a justfile.
    Makefile,
    /// Go modules, and other settings in which each line begins with a keyword.
    Directives,
}

impl DataFormat {
    /// Every format.
    pub const ALL: [Self; 10] = [
        Self::Json,
        Self::JsonLines,
        Self::Yaml,
        Self::Toml,
        Self::Ini,
        Self::Xml,
        Self::Csv,
        Self::Dockerfile,
        Self::Makefile,
        Self::Directives,
    ];

    /// Returns the format of a file by its whole name or its extension, ignoring case, or `None`
    /// for a file that is neither settings nor data.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        if let Some(format) = from_whole_name(&name) {
            return Some(format);
        }
        let (stem, extension) = name.rsplit_once('.')?;
        // `.json` is a hidden file without an extension.
        if stem.is_empty() {
            return None;
        }
        Some(match extension {
            "json" | "jsonc" | "json5" | "geojson" | "webmanifest" => Self::Json,
            "jsonl" | "ndjson" => Self::JsonLines,
            "yaml" | "yml" | "cff" => Self::Yaml,
            "toml" => Self::Toml,
            "ini" | "cfg" | "conf" | "properties" | "cnf" | "desktop" | "service" | "timer"
            | "socket" => Self::Ini,
            "xml" | "plist" | "xsd" | "xsl" | "xslt" | "wsdl" | "csproj" | "vbproj" | "fsproj"
            | "vcxproj" | "props" | "targets" | "nuspec" | "resx" | "config" | "rss" | "atom"
            | "storyboard" | "xib" => Self::Xml,
            "csv" | "tsv" => Self::Csv,
            "dockerfile" => Self::Dockerfile,
            "mk" | "mak" | "just" => Self::Makefile,
            _ => return None,
        })
    }
}

/// Returns the format of a file by its whole name, in lower case.
fn from_whole_name(name: &str) -> Option<DataFormat> {
    Some(match name {
        "composer.lock" | "pipfile.lock" | "flake.lock" | "deno.lock" | "package.resolved"
        | ".babelrc" | ".eslintrc" | ".prettierrc" | ".jshintrc" | ".swcrc" => DataFormat::Json,
        "yarn.lock" | "pubspec.lock" | "podfile.lock" | "conda.lock" | ".clang-format"
        | ".clang-tidy" | ".yamllint" => DataFormat::Yaml,
        "cargo.lock" | "poetry.lock" | "uv.lock" | "pdm.lock" | "gopkg.lock" | "pipfile" => {
            DataFormat::Toml
        }
        ".editorconfig" | ".gitconfig" | ".gitmodules" | ".flake8" | ".pylintrc"
        | ".coveragerc" | "procfile" => DataFormat::Ini,
        "dockerfile" | "containerfile" => DataFormat::Dockerfile,
        "makefile" | "gnumakefile" | "justfile" | ".justfile" => DataFormat::Makefile,
        "go.mod" | "go.work" | "go.sum" | "go.work.sum" | "gemfile.lock" | "mix.lock"
        | "gradle.lockfile" | ".dockerignore" | ".gitattributes" | "codeowners" => {
            DataFormat::Directives
        }
        _ if name.starts_with("dockerfile.") || name.starts_with("containerfile.") => {
            DataFormat::Dockerfile
        }
        _ if name.starts_with("makefile.") => DataFormat::Makefile,
        // Examples are meant to be read. `.env` itself, which holds the actual values, is not a
        // data file here.
        ".env.example" | ".env.sample" | ".env.template" => DataFormat::Ini,
        _ => return None,
    })
}

/// Returns true if a file of this name is machine-written and machine-read: lock files of package
/// managers, and minified files.
pub fn is_generated(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let is_lock = matches!(
        name.as_str(),
        "package-lock.json"
            | "npm-shrinkwrap.json"
            | "pnpm-lock.yaml"
            | "conda-lock.yml"
            | "go.sum"
            | "go.work.sum"
            | "package.resolved"
            | "packages.lock.json"
            | "gradle.lockfile"
    );
    // `Cargo.lock`, `yarn.lock`, `poetry.lock`, and future ones.
    let has_lock_extension = name.ends_with(".lock");
    let is_small = name
        .rsplit_once('.')
        .is_some_and(|(stem, _)| stem.ends_with(".min"));
    is_lock || has_lock_extension || is_small || name.ends_with(".map")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_name() {
        for (name, expected) in [
            ("package.json", Some(DataFormat::Json)),
            ("TSConfig.JSON", Some(DataFormat::Json)),
            ("rows.jsonl", Some(DataFormat::JsonLines)),
            ("ci.yml", Some(DataFormat::Yaml)),
            ("Cargo.lock", Some(DataFormat::Toml)),
            (".editorconfig", Some(DataFormat::Ini)),
            ("application.properties", Some(DataFormat::Ini)),
            ("app.csproj", Some(DataFormat::Xml)),
            ("Info.plist", Some(DataFormat::Xml)),
            ("a.tsv", Some(DataFormat::Csv)),
            ("Dockerfile", Some(DataFormat::Dockerfile)),
            ("Dockerfile.prod", Some(DataFormat::Dockerfile)),
            ("GNUmakefile", Some(DataFormat::Makefile)),
            ("rules.mk", Some(DataFormat::Makefile)),
            ("Justfile", Some(DataFormat::Makefile)),
            ("go.mod", Some(DataFormat::Directives)),
            (".env.example", Some(DataFormat::Ini)),
            (".env", None),
            (".env.local", None),
            ("logo.svg", None),
            ("CMakeLists.txt", None),
            ("Rakefile", None),
            ("Gemfile", None),
            ("build.gradle", None),
            ("app.exe", None),
            (".json", None),
            ("json", None),
            ("", None),
        ] {
            assert_eq!(DataFormat::from_name(name), expected, "{name}");
        }
    }

    #[test]
    fn generated_files_are_recognized() {
        for name in [
            "Cargo.lock",
            "package-lock.json",
            "pnpm-lock.yaml",
            "go.sum",
            "Gemfile.lock",
            "app.min.js",
            "data.min.json",
        ] {
            assert!(is_generated(name), "{name}");
        }
        for name in ["Cargo.toml", "lock.json", "min.js", "admin.js", "locks.rs"] {
            assert!(!is_generated(name), "{name}");
        }
    }
}
