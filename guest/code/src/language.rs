//! Languages of files by name.

/// A language with outlines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// Rust.
    Rust,
    /// JavaScript, with or without JSX.
    JavaScript,
    /// TypeScript, with or without JSX.
    TypeScript,
    /// Python, including stubs.
    Python,
    /// Go.
    Go,
    /// Java.
    Java,
    /// Kotlin, including scripts.
    Kotlin,
    /// C and its headers.
    C,
    /// C++ and related languages.
    Cpp,
    /// C#.
    CSharp,
    /// Swift.
    Swift,
    /// Ruby.
    Ruby,
    /// PHP.
    Php,
    /// Shell: POSIX, Bash, Zsh and the like.
    Shell,
    /// Other code, of which only blocks of text are recognized.
    Other,
}

impl Language {
    /// Every language.
    pub const ALL: [Self; 15] = [
        Self::Rust,
        Self::JavaScript,
        Self::TypeScript,
        Self::Python,
        Self::Go,
        Self::Java,
        Self::Kotlin,
        Self::C,
        Self::Cpp,
        Self::CSharp,
        Self::Swift,
        Self::Ruby,
        Self::Php,
        Self::Shell,
        Self::Other,
    ];

    /// Returns the language of the file at `path`, by its extension or its whole name, ignoring
    /// case, or `None` if it is not code, such as Markdown, JSON, a Makefile or an image.
    pub fn from_path(path: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let name = name.to_ascii_lowercase();
        // Before the extension: `CMakeLists.txt` is not plain text.
        if let Some(language) = from_name(&name) {
            return Some(language);
        }
        let (stem, extension) = name.rsplit_once('.')?;
        // `.go` is a hidden file without an extension.
        if stem.is_empty() {
            return None;
        }
        Some(match extension {
            "rs" => Self::Rust,
            "js" | "mjs" | "cjs" | "jsx" => Self::JavaScript,
            "ts" | "mts" | "cts" | "tsx" => Self::TypeScript,
            "py" | "pyi" | "pyw" => Self::Python,
            "go" => Self::Go,
            "java" => Self::Java,
            "kt" | "kts" => Self::Kotlin,
            // A header may be C++; `outline` examines its content.
            "c" | "h" => Self::C,
            "cc" | "cpp" | "cxx" | "c++" | "hh" | "hpp" | "hxx" | "h++" | "ipp" | "inl" | "cu"
            | "cuh" => Self::Cpp,
            "cs" | "csx" => Self::CSharp,
            "swift" => Self::Swift,
            "rb" | "rake" | "gemspec" | "ru" => Self::Ruby,
            "php" | "phtml" | "php5" => Self::Php,
            "sh" | "bash" | "zsh" | "ksh" | "bats" => Self::Shell,
            // Languages in which lines at the margin begin a construct.
            "bat" | "clj" | "cljs" | "cmake" | "cob" | "coffee" | "cr" | "d" | "dart" | "el"
            | "elm" | "erl" | "ex" | "exs" | "f90" | "fish" | "fs" | "fsx" | "gradle"
            | "graphql" | "groovy" | "hcl" | "hrl" | "hs" | "jl" | "lisp" | "lua" | "m" | "ml"
            | "mli" | "mm" | "nim" | "nix" | "pas" | "pl" | "pm" | "proto" | "ps1" | "r"
            | "rkt" | "scala" | "scm" | "sol" | "sql" | "svelte" | "tcl" | "tf" | "v" | "vb"
            | "vhd" | "vim" | "vue" | "wat" | "wit" | "zig" => Self::Other,
            _ => return None,
        })
    }

    /// Returns the name of the language in lower case: `rust`, `c++`, `other`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::JavaScript => "javascript",
            Self::TypeScript => "typescript",
            Self::Python => "python",
            Self::Go => "go",
            Self::Java => "java",
            Self::Kotlin => "kotlin",
            Self::C => "c",
            Self::Cpp => "c++",
            Self::CSharp => "c#",
            Self::Swift => "swift",
            Self::Ruby => "ruby",
            Self::Php => "php",
            Self::Shell => "shell",
            Self::Other => "other",
        }
    }
}

impl Language {
    /// Returns true if lines that begin with a number sign are preprocessor lines.
    pub(crate) fn has_preprocessor(self) -> bool {
        matches!(self, Self::C | Self::Cpp | Self::CSharp | Self::Swift)
    }
}

/// Returns the language of a file by its whole name, in lower case.
fn from_name(name: &str) -> Option<Language> {
    Some(match name {
        "rakefile" | "gemfile" | "guardfile" | "podfile" | "fastfile" | "vagrantfile"
        | "brewfile" => Language::Ruby,
        ".bashrc" | ".bash_profile" | ".profile" | ".zshrc" | "pkgbuild" => Language::Shell,
        "jenkinsfile" | "cmakelists.txt" | "build.bazel" | "workspace.bazel" | "meson.build" => {
            Language::Other
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_languages() {
        for (path, expected) in [
            ("src/lib.rs", Some("rust")),
            ("a/B.TSX", Some("typescript")),
            ("x.mjs", Some("javascript")),
            ("stub.pyi", Some("python")),
            ("a.b\\c.HPP", Some("c++")),
            ("include/a.h", Some("c")),
            ("Rakefile", Some("ruby")),
            ("build.gradle", Some("other")),
            ("CMakeLists.txt", Some("other")),
            ("Makefile", None),
            ("deploy/Dockerfile.prod", None),
            ("query.sql", Some("other")),
            ("README.md", None),
            ("package.json", None),
            ("notes.txt", None),
            (".go", None),
            ("noextension", None),
            ("", None),
        ] {
            assert_eq!(
                Language::from_path(path).map(Language::name),
                expected,
                "{path}"
            );
        }
    }
}
