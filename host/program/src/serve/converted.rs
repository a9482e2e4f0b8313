//! The formats that the component converts to Markdown, for everything that shows their text.

/// File name extensions of documents that are converted, in lower case: those of
/// `docent_document::format`, which a test compares. The program does not link that crate, whose
/// parsers it does not need.
const EXTENSIONS: [&str; 39] = [
    "docx", "docm", "dotx", "dotm", "doc", "xlsx", "xlsm", "xltx", "xltm", "xls", "xlt", "pptx",
    "pptm", "ppsx", "ppsm", "potx", "potm", "ppt", "pps", "hwpx", "hwp", "hwt", "odt", "ott",
    "odm", "fodt", "ods", "ots", "fods", "odp", "otp", "fodp", "rtf", "epub", "eml", "mbox", "msg",
    "ipynb", "pdf",
];

/// Returns the extension of a path, in lower case, if the document is converted to Markdown.
pub fn extension(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (_, own) = name.rsplit_once('.')?;
    let mut extensions = EXTENSIONS.into_iter();
    extensions.find(|known| known.eq_ignore_ascii_case(own))
}

#[cfg(test)]
mod tests {
    use docent_document::format::{EXTENSIONS as KNOWN, Format};

    use super::*;

    #[test]
    fn the_component_converts_the_same() {
        let converted = KNOWN
            .iter()
            .filter(|(_, format)| *format == Format::Converted);
        let converted: Vec<&str> = converted.map(|(extension, _)| *extension).collect();
        assert_eq!(converted, EXTENSIONS);
        assert_eq!(extension("a.b/c.PDF"), Some("pdf"));
        assert_eq!(extension("a.pdf/c"), None);
    }
}
