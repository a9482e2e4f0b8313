//! Document formats by file name. No other module knows the file name extensions of documents.

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
    /// Text without markup.
    Plain,
    /// A log: text without markup that grows at its end.
    Log,
    /// A Word document.
    Docx,
    /// An Excel workbook.
    Xlsx,
    /// A PDF.
    Pdf,
}

/// File name extensions of documents, in lower case, in the order of answers.
pub const EXTENSIONS: [(&str, Format); 10] = [
    ("md", Format::Markdown),
    ("mdx", Format::Mdx),
    ("markdown", Format::Markdown),
    ("txt", Format::Plain),
    ("rst", Format::Rst),
    ("adoc", Format::Adoc),
    ("log", Format::Log),
    ("docx", Format::Docx),
    ("xlsx", Format::Xlsx),
    ("pdf", Format::Pdf),
];

impl Format {
    /// Returns the format of a document by its name, or `None` if the name is not that of a
    /// document. Extensions are compared case-insensitively in ASCII.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let own = extension(name)?;
        let entry = EXTENSIONS
            .iter()
            .find(|(other, _)| other.eq_ignore_ascii_case(own));
        entry.map(|(_, format)| *format)
    }

    /// Returns true if the text of such a document is Markdown, and may begin with front matter.
    /// Text extracted from binary documents is Markdown too, but never has front matter.
    #[must_use]
    pub fn is_markdown(self) -> bool {
        match self {
            Self::Markdown | Self::Mdx | Self::Docx | Self::Xlsx | Self::Pdf => true,
            Self::Rst | Self::Adoc | Self::Plain | Self::Log => false,
        }
    }

    /// Returns true if documents of this format have headings, and so may have a title.
    #[must_use]
    pub fn has_headings(self) -> bool {
        self.is_markdown() || matches!(self, Self::Rst | Self::Adoc)
    }
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
            ("a.docx", Some(Format::Docx)),
            ("a.b.XLSX", Some(Format::Xlsx)),
            ("한글.Pdf", Some(Format::Pdf)),
            ("a.MD", Some(Format::Markdown)),
            ("a.mdx", Some(Format::Mdx)),
            ("a.txt", Some(Format::Plain)),
            ("a.log", Some(Format::Log)),
            (".pdf", None),
            ("pdf", None),
            ("a.md.bak", None),
            ("a.", None),
        ] {
            assert_eq!(Format::from_name(name), expected, "{name}");
        }
    }
}
