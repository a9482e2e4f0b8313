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
        let start = path.bytes().rposition(|byte| matches!(byte, b'/' | b'\\'));
        let name = &path[start.map_or(0, |separator| separator + 1)..];
        let mut buffer = [0; LONGEST_NAME];
        // `.go` is a hidden file without an extension.
        let dot = name.bytes().rposition(|byte| byte == b'.');
        let extension = dot.filter(|dot| *dot > 0).map(|dot| &name[dot + 1..]);
        // No whole name, such as `CMakeLists.txt`, has the extension of a language.
        extension
            .and_then(|extension| lowercase(extension, &mut buffer).and_then(from_extension))
            .or_else(|| lowercase(name, &mut buffer).and_then(from_name))
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

/// Bytes of the longest name or extension by which a language is recognized.
const LONGEST_NAME: usize = "workspace.bazel".len();

/// Returns the name or extension in lower case, or `None` if it is longer than all that are known.
/// The buffer spares an allocation for each file of a tree.
fn lowercase<'b>(name: &str, buffer: &'b mut [u8; LONGEST_NAME]) -> Option<&'b str> {
    let own = buffer.get_mut(..name.len())?;
    own.copy_from_slice(name.as_bytes());
    own.make_ascii_lowercase();
    std::str::from_utf8(own).ok()
}

/// Returns the language of a file by its extension, in lower case.
fn from_extension(extension: &str) -> Option<Language> {
    Some(match extension {
        "rs" => Language::Rust,
        "js" | "mjs" | "cjs" | "jsx" => Language::JavaScript,
        "ts" | "mts" | "cts" | "tsx" => Language::TypeScript,
        "py" | "pyi" | "pyw" => Language::Python,
        "go" => Language::Go,
        "java" => Language::Java,
        "kt" | "kts" => Language::Kotlin,
        // A header may be C++; `outline` examines its content.
        "c" | "h" => Language::C,
        "cc" | "cpp" | "cxx" | "c++" | "hh" | "hpp" | "hxx" | "h++" | "ipp" | "inl" | "cu"
        | "cuh" => Language::Cpp,
        "cs" | "csx" => Language::CSharp,
        "swift" => Language::Swift,
        "rb" | "rake" | "gemspec" | "ru" => Language::Ruby,
        "php" | "phtml" | "php5" => Language::Php,
        "sh" | "bash" | "zsh" | "ksh" | "bats" => Language::Shell,
        // Languages in which lines at the margin begin a construct.
        "bat" | "clj" | "cljs" | "cmake" | "cob" | "coffee" | "cr" | "d" | "dart" | "el"
        | "elm" | "erl" | "ex" | "exs" | "f90" | "fish" | "fs" | "fsx" | "gradle" | "graphql"
        | "groovy" | "hcl" | "hrl" | "hs" | "jl" | "lisp" | "lua" | "m" | "ml" | "mli" | "mm"
        | "nim" | "nix" | "pas" | "pl" | "pm" | "proto" | "ps1" | "r" | "rkt" | "scala" | "scm"
        | "sol" | "sql" | "svelte" | "tcl" | "tf" | "v" | "vb" | "vhd" | "vim" | "vue" | "wat"
        | "wit" | "zig" => Language::Other,
        _ => return None,
    })
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
            ("third\\WORKSPACE.bazel", Some("other")),
            ("a.name-longer-than-all.rs", Some("rust")),
            ("문서.PY", Some("python")),
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
