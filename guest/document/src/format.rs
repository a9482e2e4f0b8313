//! Document formats by file name. No other module knows the file name extensions of documents.

use crate::headings::man::is_man;

/// The format of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Markdown.
    Markdown,
    /// Markdown with JSX, expressions and modules, without indented code and HTML.
    Mdx,
    /// reStructuredText.
    Rst,
    /// AsciiDoc.
    Adoc,
    /// Org.
    Org,
    /// LaTeX.
    Tex,
    /// Textile.
    Textile,
    /// MediaWiki.
    Mediawiki,
    /// A manual page in roff, with the macros man or mdoc.
    Man,
    /// Captions in WebVTT or SubRip.
    Captions,
    /// Text without markup.
    Plain,
    /// A log: text without markup that grows at its end.
    Log,
    /// A document of which a reader makes Markdown: a binary one, such as a PDF, or a notebook.
    Converted,
}

/// File name extensions of documents, in lower case, in the order of answers.
pub const EXTENSIONS: [(&str, Format); 57] = [
    ("md", Format::Markdown),
    ("mdx", Format::Mdx),
    ("markdown", Format::Markdown),
    ("txt", Format::Plain),
    ("rst", Format::Rst),
    ("adoc", Format::Adoc),
    ("asciidoc", Format::Adoc),
    ("org", Format::Org),
    ("tex", Format::Tex),
    ("latex", Format::Tex),
    ("textile", Format::Textile),
    ("mediawiki", Format::Mediawiki),
    ("wiki", Format::Mediawiki),
    ("man", Format::Man),
    ("mdoc", Format::Man),
    ("srt", Format::Captions),
    ("vtt", Format::Captions),
    ("log", Format::Log),
    ("docx", Format::Converted),
    ("docm", Format::Converted),
    ("dotx", Format::Converted),
    ("dotm", Format::Converted),
    ("doc", Format::Converted),
    ("xlsx", Format::Converted),
    ("xlsm", Format::Converted),
    ("xltx", Format::Converted),
    ("xltm", Format::Converted),
    ("xls", Format::Converted),
    ("xlt", Format::Converted),
    ("pptx", Format::Converted),
    ("pptm", Format::Converted),
    ("ppsx", Format::Converted),
    ("ppsm", Format::Converted),
    ("potx", Format::Converted),
    ("potm", Format::Converted),
    ("ppt", Format::Converted),
    ("pps", Format::Converted),
    ("hwpx", Format::Converted),
    ("hwp", Format::Converted),
    ("hwt", Format::Converted),
    ("odt", Format::Converted),
    ("ott", Format::Converted),
    ("odm", Format::Converted),
    ("fodt", Format::Converted),
    ("ods", Format::Converted),
    ("ots", Format::Converted),
    ("fods", Format::Converted),
    ("odp", Format::Converted),
    ("otp", Format::Converted),
    ("fodp", Format::Converted),
    ("rtf", Format::Converted),
    ("epub", Format::Converted),
    ("eml", Format::Converted),
    ("mbox", Format::Converted),
    ("msg", Format::Converted),
    ("ipynb", Format::Converted),
    ("pdf", Format::Converted),
];

/// The extensions of [`EXTENSIONS`] as numbers, with their indices, in ascending order. Every file
/// of a walk is looked up, often several times: a binary search compares six numbers.
const KEYS: [(u64, usize); EXTENSIONS.len()] = {
    let mut keys = [(0, 0); EXTENSIONS.len()];
    let mut count = 0;
    while count < keys.len() {
        let own = key(EXTENSIONS[count].0.as_bytes());
        let mut index = count;
        while index > 0 && keys[index - 1].0 > own {
            keys[index] = keys[index - 1];
            index -= 1;
        }
        keys[index] = (own, count);
        count += 1;
    }
    keys
};

/// Bytes of the longest extension; those of longer names need not be made a number.
const LONGEST: usize = "mediawiki".len();

/// Returns the last eight bytes of an extension as a number, in lower case.
const fn key(extension: &[u8]) -> u64 {
    let mut key = 0;
    let mut index = 0;
    while index < extension.len() {
        key = key << 8 | extension[index].to_ascii_lowercase() as u64;
        index += 1;
    }
    key
}

/// Returns the entry of [`EXTENSIONS`] for a file name, or `None` if the name is not that of a
/// document. Extensions are compared case-insensitively in ASCII.
fn entry(name: &str) -> Option<(&'static str, Format)> {
    let own = extension(name)?;
    if own.len() > LONGEST {
        return None;
    }
    let own_key = key(own.as_bytes());
    let position = KEYS.binary_search_by_key(&own_key, |(key, _)| *key).ok()?;
    let entry = EXTENSIONS[KEYS[position].1];
    // The number does not depend on a byte before the last eight, nor on a NUL at the beginning.
    entry.0.eq_ignore_ascii_case(own).then_some(entry)
}

/// Extension of notebooks, whose files are text.
const NOTEBOOK: &str = "ipynb";

/// Returns true if a file of this name is converted if it is a notebook, and edited as text.
#[must_use]
pub fn is_notebook_name(name: &str) -> bool {
    extension(name).is_some_and(|extension| extension.eq_ignore_ascii_case(NOTEBOOK))
}

/// Returns the extension, in lower case, of the name of a document that is converted; `None` for
/// other names.
#[must_use]
pub fn converted_extension(name: &str) -> Option<&'static str> {
    let (extension, format) = entry(name)?;
    (format == Format::Converted).then_some(extension)
}

impl Format {
    /// Returns the format of a document by its name, or `None` if the name is not that of a
    /// document. Extensions are compared case-insensitively in ASCII.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        entry(name).map(|(_, format)| format)
    }

    /// Returns the format of a document by its name, and of a manual page also by its text: `ls.1`
    /// may be one, and any other text or a log as well.
    #[must_use]
    pub fn from_content(name: &str, text: &str) -> Option<Self> {
        let named = Self::from_name(name);
        let is_page = || is_name_of_page(name) && is_man(text);
        named.or_else(|| is_page().then_some(Self::Man))
    }

    /// Returns true if the text of such a document is Markdown, as that extracted from binary
    /// documents is.
    #[must_use]
    pub fn is_markdown(self) -> bool {
        match self {
            Self::Markdown | Self::Mdx | Self::Converted => true,
            Self::Rst | Self::Adoc | Self::Org | Self::Tex | Self::Textile => false,
            Self::Mediawiki | Self::Man | Self::Captions | Self::Plain | Self::Log => false,
        }
    }

    /// Returns true if documents of this format may begin with front matter. The text of a binary
    /// document never does, and neither does a file with the name of a notebook that is other JSON.
    #[must_use]
    pub fn has_front_matter(self) -> bool {
        matches!(self, Self::Markdown | Self::Mdx)
    }

    /// Returns true if documents of this format have headings, and so may have a title.
    #[must_use]
    pub fn has_headings(self) -> bool {
        !matches!(self, Self::Plain | Self::Log)
    }
}

/// Returns true if the extension of a name is the section of a manual, such as `1` or `3pm`.
fn is_name_of_page(name: &str) -> bool {
    let Some([b'1'..=b'9', rest @ ..]) = extension(name).map(str::as_bytes) else {
        return false;
    };
    rest.len() < 8 && rest.iter().all(u8::is_ascii_lowercase)
}

/// Returns true if the text of a document of this name is Markdown; see [`Format::is_markdown`].
#[must_use]
pub fn is_markdown(name: &str) -> bool {
    Format::from_name(name).is_some_and(Format::is_markdown)
}

/// Returns true if documents of this name have headings; see [`Format::has_headings`].
#[must_use]
pub fn has_headings(name: &str) -> bool {
    Format::from_name(name).is_some_and(Format::has_headings)
}

/// Returns the part of a name after its last dot, or `None` if there is no dot or nothing before
/// it: `.md` is a hidden file called `md` without an extension, and `a.` has an empty one.
#[must_use]
pub fn extension(name: &str) -> Option<&str> {
    let dot = name.bytes().rposition(|byte| byte == b'.')?;
    (dot > 0).then(|| &name[dot + 1..])
}

/// Returns the media type of a binary file by its name, as registered with IANA; covers the types
/// most frequent in repositories. Any other name gets `application/octet-stream`, which RFC 2046,
/// section 4.5.1 defines for arbitrary binary data.
pub fn media_type(name: &str) -> &'static str {
    let extension = extension(name).unwrap_or_default().to_ascii_lowercase();
    match extension.as_str() {
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "svg" => "image/svg+xml",
        "pdf" => "application/pdf",
        "zip" => "application/zip",
        "gz" => "application/gzip",
        "wasm" => "application/wasm",
        "mp3" => "audio/mpeg",
        "wav" => "audio/wav",
        "mp4" => "video/mp4",
        "woff2" => "font/woff2",
        "docx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx" => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_by_file_name() {
        for (name, expected) in [
            ("a.docx", Some(Format::Converted)),
            ("a.b.XLSX", Some(Format::Converted)),
            ("한글.Pdf", Some(Format::Converted)),
            ("a.MD", Some(Format::Markdown)),
            ("a.mdx", Some(Format::Mdx)),
            ("a.txt", Some(Format::Plain)),
            ("a.log", Some(Format::Log)),
            (".pdf", None),
            ("pdf", None),
            ("a.md.bak", None),
            ("a.", None),
            ("a.\0md", None),
            ("a.xmarkdown", None),
            ("a.mediawiki", Some(Format::Mediawiki)),
            ("a.xediawiki", None),
            ("회의.Org", Some(Format::Org)),
            ("a.tex", Some(Format::Tex)),
            ("a.vtt", Some(Format::Captions)),
            ("a.1", None),
            ("a.MARKDOWN", Some(Format::Markdown)),
        ] {
            assert_eq!(Format::from_name(name), expected, "{name}");
            let converted = (expected == Some(Format::Converted)).then(|| {
                name[name.len() - 4..]
                    .trim_start_matches('.')
                    .to_ascii_lowercase()
            });
            assert_eq!(converted_extension(name), converted.as_deref(), "{name}");
        }
    }

    #[test]
    fn every_extension_is_found() {
        for (extension, format) in EXTENSIONS {
            let name = format!("a.{}", extension.to_ascii_uppercase());
            assert_eq!(entry(&name), Some((extension, format)));
        }
    }

    #[test]
    fn manual_pages_by_content() {
        let page = ".TH LS 1\n.SH NAME\n";
        for (name, text, expected) in [
            ("ls.1", page, Some(Format::Man)),
            ("Pod::Man.3pm", page, Some(Format::Man)),
            ("app.log.1", "started\n", None),
            ("a.md", page, Some(Format::Markdown)),
            ("ls.10", page, None),
            ("ls.0", page, None),
            ("ls.1A", page, None),
            (".1", page, None),
            ("ls", page, None),
        ] {
            assert_eq!(Format::from_content(name, text), expected, "{name}");
        }
    }
}
