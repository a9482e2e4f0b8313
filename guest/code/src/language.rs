//! Which language a file is written in, by its name.

/// A language that outlines are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// Rust.
    Rust,
    /// JavaScript, with or without JSX.
    JavaScript,
    /// TypeScript, with or without JSX.
    TypeScript,
    /// Python, stubs included.
    Python,
    /// Go.
    Go,
    /// Java.
    Java,
    /// Kotlin, scripts included.
    Kotlin,
    /// C and its headers.
    C,
    /// C++ and what is close to it.
    Cpp,
    /// C#.
    CSharp,
    /// Swift.
    Swift,
    /// Ruby.
    Ruby,
    /// PHP.
    Php,
    /// Shell: POSIX, Bash, Zsh and their kin.
    Shell,
    /// Code of another kind, of which only blocks of text are known.
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

    /// Returns the language of the file at `path`, by its extension or its whole name, whatever
    /// their case; none for what is no code, such as Markdown, JSON, a Makefile or a
    /// picture.
    pub fn of_path(path: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let name = name.to_ascii_lowercase();
        // Before the extension: `CMakeLists.txt` is no plain text.
        if let Some(language) = of_name(&name) {
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
            // A header may be of C++; `outline` looks into it.
            "c" | "h" => Self::C,
            "cc" | "cpp" | "cxx" | "c++" | "hh" | "hpp" | "hxx" | "h++" | "ipp" | "inl" | "cu"
            | "cuh" => Self::Cpp,
            "cs" | "csx" => Self::CSharp,
            "swift" => Self::Swift,
            "rb" | "rake" | "gemspec" | "ru" => Self::Ruby,
            "php" | "phtml" | "php5" => Self::Php,
            "sh" | "bash" | "zsh" | "ksh" | "bats" => Self::Shell,
            // Languages whose lines at the margin begin something.
            "bat" | "clj" | "cljs" | "cmake" | "cob" | "coffee" | "cr" | "d" | "dart" | "el"
            | "elm" | "erl" | "ex" | "exs" | "f90" | "fish" | "fs" | "fsx" | "gradle"
            | "graphql" | "groovy" | "hcl" | "hrl" | "hs" | "jl" | "lisp" | "lua" | "m" | "ml"
            | "mli" | "mm" | "nim" | "nix" | "pas" | "pl" | "pm" | "proto" | "ps1" | "r"
            | "rkt" | "scala" | "scm" | "sol" | "sql" | "svelte" | "tcl" | "tf" | "v" | "vb"
            | "vhd" | "vim" | "vue" | "wat" | "wit" | "zig" => Self::Other,
            _ => return None,
        })
    }

    /// Returns the language's name in lower case: `rust`, `c++`, `other`.
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
    /// Whether lines that begin with a number sign are for a preprocessor.
    pub(crate) fn has_preprocessor(self) -> bool {
        matches!(self, Self::C | Self::Cpp | Self::CSharp | Self::Swift)
    }
}

/// Returns the language of files that are known by their whole name, in lower case.
fn of_name(name: &str) -> Option<Language> {
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
                Language::of_path(path).map(Language::name),
                expected,
                "{path}"
            );
        }
    }
}
