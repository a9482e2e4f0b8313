//! What a file is, by its name. No other place knows the file name extensions of documents.

/// What a document is.
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
    /// Text without marks.
    Plain,
    /// A log: text without marks that grows at its end.
    Log,
    /// A document of Word.
    Docx,
    /// A workbook of Excel.
    Xlsx,
    /// A PDF.
    Pdf,
}

/// The file name extensions of documents, in lower case, in the order in which answers show them.
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
    /// Returns what a document of this name is; none where the name is not that of a document.
    /// Extensions are compared without regard to ASCII case.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        let own = extension(name)?;
        let entry = EXTENSIONS
            .iter()
            .find(|(other, _)| other.eq_ignore_ascii_case(own));
        entry.map(|(_, format)| *format)
    }

    /// Whether the text of such a document is Markdown, and may begin with front matter. What
    /// readers make of documents that are not text is; it never begins so.
    #[must_use]
    pub fn is_markdown(self) -> bool {
        match self {
            Self::Markdown | Self::Mdx | Self::Docx | Self::Xlsx | Self::Pdf => true,
            Self::Rst | Self::Adoc | Self::Plain | Self::Log => false,
        }
    }

    /// Whether such a document has headings, and so may have a title.
    #[must_use]
    pub fn has_headings(self) -> bool {
        self.is_markdown() || matches!(self, Self::Rst | Self::Adoc)
    }
}

/// Whether the text of a document of this name is Markdown; see [`Format::is_markdown`].
#[must_use]
pub fn is_markdown(name: &str) -> bool {
    Format::of(name).is_some_and(Format::is_markdown)
}

/// Whether documents of this name have headings; see [`Format::has_headings`].
#[must_use]
pub fn has_headings(name: &str) -> bool {
    Format::of(name).is_some_and(Format::has_headings)
}

/// Returns what follows the last dot of a name; none where there is none or nothing before it.
#[must_use]
pub fn extension(name: &str) -> Option<&str> {
    let dot = name.bytes().rposition(|byte| byte == b'.')?;
    (dot > 0).then(|| &name[dot + 1..])
}

/// Returns the media type of a binary by its name, as IANA registers it: those that repositories
/// hold most.
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
    fn what_a_file_is_by_its_name() {
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
            assert_eq!(Format::of(name), expected, "{name}");
        }
    }
}
