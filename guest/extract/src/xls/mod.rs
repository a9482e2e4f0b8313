//! Workbooks of Excel 2 to 2003 (xls): for each sheet a heading and a table, as in `xlsx`.
//!
//! A workbook is a stream of records (BIFF), from Excel 5 on in an OLE container. A file of Excel 2
//! to 4 has no container, and most of these consist of a single sheet.

mod globals;
mod links;
mod objects;
mod pictures;
mod records;
mod sheet;
mod strings;

use std::borrow::Cow;

use crate::failure::{EarlyStop, Failure};
use crate::limits::Limits;
use crate::markdown::Markdown;
use crate::members::MemberGatherer;
use crate::ole::{OLE_MAGIC, Ole};
use crate::pictures::PictureNames;
use globals::{BiffGlobals, BiffSheet};
use pictures::SheetPictures;
use records::{PartBegin, PartKind};
use sheet::BiffReader;

/// Names of the stream of a workbook; Excel 97 wrote both for Excel 95.
const STREAMS: [&str; 2] = ["Workbook", "Book"];

/// Name of the only sheet of a file without names.
const ONLY_SHEET: &str = "Sheet1";

const MALFORMED: EarlyStop = EarlyStop::Failed(Failure::Malformed);

/// Returns true if a file is a workbook without a container.
pub fn is_bare(content: &[u8]) -> bool {
    PartBegin::read(content, 0).is_some()
}

/// Adds the visible sheets of a workbook to `text`, and a note about the parts omitted.
///
/// # Errors
/// [`EarlyStop`] if the text is incomplete.
pub fn read(content: &[u8], _: &Limits, text: &mut Markdown) -> Result<(), EarlyStop> {
    let (stream, is_cut) = stream_of(content)?;
    if read_stream(&stream, text)? || is_cut {
        // The note comes first, but damage is found last.
        text.clear();
        text.push_damage_note()?;
        let room = text.room();
        read_stream(&stream, text)?;
        if !text.has_words(room - text.room()) {
            return Err(MALFORMED);
        }
    }
    Ok(())
}

/// Gathers the pictures of a workbook: `image3.png` is the third in its list of pictures.
///
/// # Errors
/// [`EarlyStop`] if the workbook cannot be opened.
pub fn gather_pictures(content: &[u8], members: &mut MemberGatherer<'_>) -> Result<(), EarlyStop> {
    let (stream, _) = stream_of(content)?;
    SheetPictures::find(&stream)?.gather(members)
}

/// Returns the stream of the records, and true if it has more bytes than the file.
fn stream_of(content: &[u8]) -> Result<(Cow<'_, [u8]>, bool), EarlyStop> {
    let (mut stream, mut is_cut) = (Vec::new(), false);
    if content.starts_with(&OLE_MAGIC) {
        let mut ole = Ole::open(content)?;
        let mut names = STREAMS.iter();
        let id = names.find_map(|name| ole.child(Ole::ROOT, name));
        let id = id.ok_or(MALFORMED)?;
        stream = ole.stream(id)?;
        is_cut = ole.is_cut(id, stream.len());
    }
    if stream.is_empty() {
        return Ok((content.into(), is_cut));
    }
    Ok((stream.into(), is_cut))
}

/// Adds the sheets of a stream to `text`. Returns true if parts of it are damaged.
fn read_stream(stream: &[u8], text: &mut Markdown) -> Result<bool, EarlyStop> {
    let begin = PartBegin::read(stream, 0).ok_or(MALFORMED)?;
    let mut globals = BiffGlobals::read(stream, 0, begin, None)?;
    match begin.kind {
        PartKind::Workbook => {}
        PartKind::Worksheet => globals.sheets.push(BiffSheet {
            at: 0,
            name: ONLY_SHEET.to_owned(),
            kind: PartKind::Worksheet,
        }),
        PartKind::Chart => return Err(unsupported_part("a chart of Excel")),
        PartKind::MacroSheet => return Err(unsupported_part("a macro sheet of Excel")),
        PartKind::Module => return Err(MALFORMED),
    }
    // A workspace of Excel 3 and 4 names files instead of sheets.
    if globals.is_complete && globals.sheets.is_empty() && globals.hidden_sheets == 0 {
        return Err(unsupported_part("a workbook of Excel without sheets"));
    }
    let pictures = SheetPictures::find(stream)?;
    let names = PictureNames::new(pictures.names());
    let mut reader = BiffReader::new(stream);
    reader.is_damaged = !globals.is_complete;
    reader.omissions.hidden_sheets = globals.hidden_sheets;
    for BiffSheet { at, name, kind } in &globals.sheets {
        match kind {
            PartKind::MacroSheet => reader.omissions.macro_sheets += 1,
            PartKind::Module | PartKind::Workbook => {}
            PartKind::Chart => {
                text.heading(2, name)?;
                reader.omissions.charts += 1;
            }
            PartKind::Worksheet => {
                text.heading(2, name)?;
                reader.write_sheet(*at, &globals, &names, text)?;
            }
        }
    }
    let omissions = reader.omissions;
    let [picture, pictures] = names.nouns();
    text.push_omission_note(&[
        (omissions.hidden_sheets, "hidden sheet", "hidden sheets"),
        (omissions.macro_sheets, "macro sheet", "macro sheets"),
        (omissions.charts, "chart", "charts"),
        (omissions.pictures, &picture, &pictures),
        (omissions.comments, "comment", "comments"),
        (omissions.text_boxes, "text box", "text boxes"),
    ])?;
    Ok(reader.is_damaged)
}

fn unsupported_part(name: &'static str) -> EarlyStop {
    EarlyStop::Failed(Failure::Unsupported(name))
}
