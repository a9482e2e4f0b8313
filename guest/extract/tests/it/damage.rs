//! Property: any change of a document's bytes results in text within the limit or a failure, even
//! natively, where nothing contains a panic.

use docent_extract::fixtures::named;
use docent_extract::{Beyond, Format, Limits, extract};
use proptest::prelude::*;

const LIMITS: Limits = Limits {
    text_bytes: 1 << 16,
    unpacked_bytes: 1 << 22,
    beyond: Beyond::LeaveOut,
};

const FILES: [(Format, &str); 20] = [
    (Format::Docx, "guide.docx"),
    (Format::Doc, "minutes.doc"),
    (Format::Xlsx, "sales.xlsx"),
    (Format::Xls, "rates.xls"),
    (Format::Pptx, "deck.pptx"),
    (Format::Ppt, "talk.ppt"),
    (Format::Odt, "report.odt"),
    (Format::Odt, "report.fodt"),
    (Format::Ods, "budget.ods"),
    (Format::Odp, "talk.odp"),
    (Format::Pdf, "manual.pdf"),
    (Format::Html, "page.html"),
    (Format::Epub, "book.epub"),
    (Format::Rtf, "memo.rtf"),
    (Format::Ipynb, "sums.ipynb"),
    (Format::Eml, "offer.eml"),
    (Format::Mbox, "archive.mbox"),
    (Format::Msg, "reply.msg"),
    (Format::Hwpx, "notice.hwpx"),
    (Format::Hwp, "report.hwp"),
];

/// Asserts that a document that is cut anywhere is refused, or its text says that it is damaged.
pub fn check_cuts(format: Format, file: &[u8]) {
    for length in 0..file.len() {
        if let Ok(text) = extract(format, file[..length].to_vec(), &LIMITS) {
            assert!(text.starts_with("Damaged: "), "{length}: {text}");
        }
    }
}

proptest! {
    #[test]
    fn reading_ends(
        file in 0..FILES.len(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
        length in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let (format, name) = FILES[file];
        let mut content = named(name);
        for (at, byte) in changes {
            let at = at.index(content.len());
            content[at] = byte;
        }
        if is_cut {
            content.truncate(length.index(content.len()));
        }
        for (other, _) in FILES {
            let read = extract(other, content.clone(), &LIMITS);
            if let Ok(text) = &read {
                prop_assert!(text.len() <= LIMITS.text_bytes);
                // Any text is a page, and a mailbox without its first separator is a message.
                let is_mail = format == Format::Mbox && other == Format::Eml;
                prop_assert!(other == format || other == Format::Html || is_mail);
            }
            prop_assert_eq!(read, extract(other, content.clone(), &LIMITS));
        }
    }
}
