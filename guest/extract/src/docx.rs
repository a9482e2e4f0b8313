//! Text documents: paragraphs by their styles, lists by their numbering, tables, footnotes.

mod numbering;
mod styles;

use std::collections::BTreeMap;
use std::io::BufRead;

use crate::limits::{DOCX_COLUMNS, NESTED_BLOCKS};
use crate::markdown::{Markdown, Marker, one_line};
use crate::package::{Package, Relationship, Target, part_of_kind};
use crate::xml::{Element, Node, Xml};
use crate::{Failure, Limits, Stop};
use numbering::Numbering;
use styles::Styles;

/// What a document is made of.
#[derive(Debug)]
enum Block {
    Heading(u8, String),
    Paragraph(String),
    Item(usize, Marker, String),
    Table(Vec<Vec<String>>),
}

/// Notes that the text refers to: where they stand, and their ids there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum NoteKind {
    Foot,
    End,
}

/// What is known beside the text itself.
struct Reader {
    styles: Styles,
    numbering: Numbering,
    /// Addresses of links by the ids of their relationships.
    links: BTreeMap<String, String>,
    /// The notes that the text refers to, and their numbers in its order, from 1 on.
    notes: BTreeMap<(NoteKind, String), usize>,
    /// Tables and text boxes that are open.
    nested: usize,
}

/// Adds the text of a document to `text`.
///
/// # Errors
/// [`Stop`] says why not all of it.
pub fn read(content: &[u8], limits: &Limits, text: &mut Markdown) -> Result<(), Stop> {
    let mut package = Package::open(content, limits)?;
    let main = package.main_part("word/document.xml")?;
    let relationships = package.relationships(&main)?;
    let mut styles = Styles::default();
    if let Some(name) = part_of_kind(&relationships, "styles")
        && let Some(part) = package.part(&name)?
    {
        styles = Styles::read(part)?;
    }
    let mut numbering = Numbering::default();
    if let Some(name) = part_of_kind(&relationships, "numbering")
        && let Some(part) = package.part(&name)?
    {
        numbering = Numbering::read(part)?;
    }
    let mut reader = Reader {
        styles,
        numbering,
        links: links(&relationships),
        notes: BTreeMap::new(),
        nested: 0,
    };
    let mut part = package
        .part(&main)?
        .ok_or(Stop::Failed(Failure::Malformed))?;
    let mut is_document = false;
    loop {
        match part.next()? {
            Node::Start(element) if element.name() == "body" => {
                is_document = true;
                reader.blocks(&mut part, &mut |block| write(text, &block))?;
            }
            Node::Eof => break,
            _ => {}
        }
    }
    drop(part);
    if !is_document {
        return Err(Stop::Failed(Failure::Malformed));
    }
    reader.write_notes(&mut package, &relationships, text)
}

fn links(relationships: &BTreeMap<String, Relationship>) -> BTreeMap<String, String> {
    let outside =
        relationships
            .iter()
            .filter_map(|(id, relationship)| match &relationship.target {
                Target::Outside(address) if relationship.kind == "hyperlink" => {
                    Some((id.clone(), address.clone()))
                }
                Target::Outside(_) | Target::Part(_) => None,
            });
    outside.collect()
}

fn write(text: &mut Markdown, block: &Block) -> Result<(), Stop> {
    match block {
        Block::Heading(level, words) => text.heading(*level, words),
        Block::Paragraph(words) => text.paragraph(words),
        Block::Item(level, marker, words) => text.item(*level, *marker, words),
        Block::Table(rows) => text.table(rows),
    }
}

/// A paragraph under way.
#[derive(Default)]
struct Paragraph {
    text: String,
    /// The id of its style.
    style: Option<String>,
    /// The level of an outline that it names itself: 0 to 9, of which 9 is none.
    outline: Option<u8>,
    /// Its own list and level in it, each as far as it names them.
    list: (Option<String>, Option<usize>),
    /// What stands in text boxes that hang on it.
    boxes: Vec<Block>,
}

impl Reader {
    /// Reads the blocks in the element that began last, and gives them to `take`.
    fn blocks<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        take: &mut dyn FnMut(Block) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let end = xml.depth() - 1;
        while xml.depth() > end {
            let Node::Start(element) = xml.next()? else {
                continue;
            };
            match element.name() {
                "p" => {
                    for block in self.paragraph(xml)? {
                        take(block)?;
                    }
                }
                "tbl" => {
                    for block in self.table(xml)? {
                        take(block)?;
                    }
                }
                "AlternateContent" => self.alternatives(xml, take)?,
                name if is_left_out(name) => xml.skip()?,
                // Whatever else holds blocks is gone into.
                _ => {}
            }
        }
        Ok(())
    }

    /// Reads the first of several forms of the same.
    fn alternatives<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        take: &mut dyn FnMut(Block) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let end = xml.depth() - 1;
        let mut is_done = false;
        while xml.depth() > end {
            if let Node::Start(_) = xml.next()? {
                if std::mem::replace(&mut is_done, true) {
                    xml.skip()?;
                } else {
                    self.nest()?;
                    self.blocks(xml, take)?;
                    self.nested -= 1;
                }
            }
        }
        Ok(())
    }

    fn nest(&mut self) -> Result<(), Stop> {
        self.nested += 1;
        if self.nested > NESTED_BLOCKS {
            return Err(Stop::Failed(Failure::Malformed));
        }
        Ok(())
    }

    /// Reads the paragraph that began last: itself, and what stands in its text boxes.
    fn paragraph<R: BufRead>(&mut self, xml: &mut Xml<R>) -> Result<Vec<Block>, Stop> {
        let mut paragraph = Paragraph::default();
        self.inline(xml, &mut paragraph)?;
        let Paragraph {
            text,
            style,
            outline,
            list,
            boxes,
        } = paragraph;
        let style = self.styles.of(style.as_deref());
        if style.is_contents {
            return Ok(boxes);
        }
        let heading = match outline {
            Some(level @ 0..9) => Some(level + 1),
            Some(_) => None,
            None => style.heading,
        };
        let list_id = list.0.or(style.list.0);
        let level = list.1.or(style.list.1).unwrap_or_default();
        // An empty paragraph shows no number and counts none.
        let is_empty = one_line(&text).is_empty();
        let number = match list_id {
            Some(id) if !is_empty => self.numbering.next(&id, level),
            _ => None,
        };
        let block = match (heading, number) {
            _ if is_empty => None,
            (Some(level), Some(number)) if !number.label.is_empty() => {
                Some(Block::Heading(level, format!("{} {text}", number.label)))
            }
            (Some(level), _) => Some(Block::Heading(level, text)),
            (None, Some(number)) => Some(Block::Item(level, number.marker, text)),
            (None, None) => Some(Block::Paragraph(text)),
        };
        Ok(block.into_iter().chain(boxes).collect())
    }

    /// Reads what stands in the element that began last into a paragraph.
    fn inline<R: BufRead>(&mut self, xml: &mut Xml<R>, to: &mut Paragraph) -> Result<(), Stop> {
        let end = xml.depth() - 1;
        // Of each element that is open where more is to be done at its end: its depth, and what.
        let mut links: Vec<(usize, usize, String)> = Vec::new();
        let mut alternatives: Vec<(usize, bool)> = Vec::new();
        let mut hidden_run: Option<usize> = None;
        while xml.depth() > end {
            let depth = xml.depth();
            let element = match xml.next()? {
                Node::Start(element) => element,
                Node::End => {
                    if let Some((at, start, address)) = links.pop_if(|(at, ..)| *at == depth) {
                        debug_assert_eq!(at, depth);
                        link(&mut to.text, start, &address);
                    }
                    alternatives.pop_if(|(at, _)| *at == depth);
                    hidden_run.take_if(|at| *at == depth);
                    continue;
                }
                Node::Text(_) | Node::Nothing | Node::Eof => continue,
            };
            let depth = depth + 1;
            let name = element.name();
            if let Some((at, is_done)) = alternatives.last_mut()
                && *at + 1 == depth
                && std::mem::replace(is_done, true)
            {
                xml.skip()?;
                continue;
            }
            match name {
                "pPr" => properties(xml, to)?,
                "rPr" => hidden_run = is_hidden(xml)?.then_some(depth - 1).or(hidden_run),
                "t" => {
                    let text = xml.text()?;
                    if hidden_run.is_none() {
                        to.text.push_str(&text);
                    }
                }
                "tab" | "ptab" => to.text.push('\t'),
                "br" | "cr" => to.text.push('\n'),
                "noBreakHyphen" => to.text.push('-'),
                "sym" => to.text.extend(symbol(&element)),
                "footnoteReference" | "endnoteReference" => {
                    let kind = if name == "footnoteReference" {
                        NoteKind::Foot
                    } else {
                        NoteKind::End
                    };
                    if let Some(id) = element.attribute("id") {
                        let number = self.note(kind, id);
                        to.text.push_str(&format!("[^{number}]"));
                    }
                }
                "hyperlink" => {
                    let id = element.attribute("id");
                    if let Some(address) = id.and_then(|id| self.links.get(&id)) {
                        links.push((depth, to.text.len(), address.clone()));
                    }
                }
                "AlternateContent" => alternatives.push((depth, false)),
                "txbxContent" => {
                    self.nest()?;
                    let mut boxed = Vec::new();
                    self.blocks(xml, &mut |block| {
                        boxed.push(block);
                        Ok(())
                    })?;
                    to.boxes.append(&mut boxed);
                    self.nested -= 1;
                }
                name if is_left_out(name) => xml.skip()?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns the number of a note, counted from 1 in the order of the text.
    fn note(&mut self, kind: NoteKind, id: String) -> usize {
        let next = self.notes.len() + 1;
        *self.notes.entry((kind, id)).or_insert(next)
    }

    /// Reads the table that began last: a table, or of one that has a single column what stands in
    /// its cells, for that only frames it.
    fn table<R: BufRead>(&mut self, xml: &mut Xml<R>) -> Result<Vec<Block>, Stop> {
        self.nest()?;
        let end = xml.depth() - 1;
        let mut rows: Vec<Vec<Vec<Block>>> = Vec::new();
        while xml.depth() > end {
            let Node::Start(element) = xml.next()? else {
                continue;
            };
            match element.name() {
                "tr" => rows.push(Vec::new()),
                "gridSpan" => {
                    let span = element.number::<usize>("val").unwrap_or(1);
                    if let Some(row) = rows.last_mut() {
                        let room = DOCX_COLUMNS.saturating_sub(row.len());
                        (1..span.min(room + 1)).for_each(|_| row.push(Vec::new()));
                    }
                }
                "tc" => {
                    let Some(row) = rows.last_mut() else {
                        xml.skip()?;
                        continue;
                    };
                    if row.len() >= DOCX_COLUMNS {
                        return Err(Stop::Failed(Failure::Malformed));
                    }
                    let (blocks, span) = self.cell(xml)?;
                    if let Some(row) = rows.last_mut() {
                        row.push(blocks);
                        let room = DOCX_COLUMNS.saturating_sub(row.len());
                        (1..span.min(room + 1)).for_each(|_| row.push(Vec::new()));
                    }
                }
                name if is_left_out(name) => xml.skip()?,
                _ => {}
            }
        }
        self.nested -= 1;
        rows.retain(|row| !row.is_empty());
        let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
        if columns <= 1 {
            return Ok(rows.into_iter().flatten().flatten().collect());
        }
        let flat = |row: Vec<Vec<Block>>| row.into_iter().map(|cell| flat(&cell)).collect();
        Ok(vec![Block::Table(rows.into_iter().map(flat).collect())])
    }

    /// Reads the cell that began last: what stands in it, and how many columns it spans.
    fn cell<R: BufRead>(&mut self, xml: &mut Xml<R>) -> Result<(Vec<Block>, usize), Stop> {
        let end = xml.depth() - 1;
        let (mut blocks, mut span) = (Vec::new(), 1);
        while xml.depth() > end {
            let Node::Start(element) = xml.next()? else {
                continue;
            };
            match element.name() {
                "gridSpan" => span = element.number("val").unwrap_or(1),
                "p" => blocks.extend(self.paragraph(xml)?),
                "tbl" => blocks.extend(self.table(xml)?),
                name if is_left_out(name) => xml.skip()?,
                _ => {}
            }
        }
        Ok((blocks, span))
    }

    /// Adds the notes that the text refers to.
    fn write_notes(
        &mut self,
        package: &mut Package<'_>,
        relationships: &BTreeMap<String, Relationship>,
        text: &mut Markdown,
    ) -> Result<(), Stop> {
        let wanted = self.notes.clone();
        let mut found: BTreeMap<(NoteKind, String), String> = BTreeMap::new();
        for (kind, part, name) in [
            (NoteKind::Foot, "footnotes", "footnote"),
            (NoteKind::End, "endnotes", "endnote"),
        ] {
            if !wanted.keys().any(|(other, _)| *other == kind) {
                continue;
            }
            let Some(part) = part_of_kind(relationships, part) else {
                continue;
            };
            let Some(mut xml) = package.part(&part)? else {
                continue;
            };
            loop {
                match xml.next()? {
                    Node::Start(element) if element.name() == name => {
                        let id = element.attribute("id").unwrap_or_default();
                        let mut blocks = Vec::new();
                        self.blocks(&mut xml, &mut |block| {
                            blocks.push(block);
                            Ok(())
                        })?;
                        found.insert((kind, id), flat(&blocks));
                    }
                    Node::Eof => break,
                    _ => {}
                }
            }
        }
        let mut shown: Vec<(usize, &String)> = wanted
            .iter()
            .filter_map(|(note, number)| Some((*number, found.get(note)?)))
            .collect();
        shown.sort_unstable();
        for (number, words) in shown {
            text.paragraph(&format!("[^{number}]: {}", one_line(words)))?;
        }
        Ok(())
    }
}

/// Whether what stands in an element is no text of the document, or no longer.
fn is_left_out(name: &str) -> bool {
    matches!(
        name,
        "del"
            | "moveFrom"
            | "delText"
            | "instrText"
            | "delInstrText"
            | "Fallback"
            | "rt"
            | "sdtPr"
            | "sectPr"
            | "tblPr"
            | "trPr"
            | "pPrChange"
            | "rPrChange"
            | "tcPrChange"
            | "binData"
    )
}

/// Reads the properties of a paragraph.
fn properties<R: BufRead>(xml: &mut Xml<R>, to: &mut Paragraph) -> Result<(), Stop> {
    let end = xml.depth() - 1;
    while xml.depth() > end {
        let Node::Start(element) = xml.next()? else {
            continue;
        };
        match element.name() {
            "pStyle" => to.style = element.attribute("val"),
            "outlineLvl" => to.outline = element.number("val"),
            "numId" => to.list.0 = element.attribute("val"),
            "ilvl" => to.list.1 = element.number("val"),
            "rPr" => xml.skip()?,
            name if is_left_out(name) => xml.skip()?,
            _ => {}
        }
    }
    Ok(())
}

/// Reads the properties of a run, and returns whether its text is hidden.
fn is_hidden<R: BufRead>(xml: &mut Xml<R>) -> Result<bool, Stop> {
    let end = xml.depth() - 1;
    let mut is_hidden = false;
    while xml.depth() > end {
        if let Node::Start(element) = xml.next()?
            && element.name() == "vanish"
        {
            is_hidden = element.is_on();
        }
    }
    Ok(is_hidden)
}

/// Returns a character that is named by its number; none where only its font knows what it is.
fn symbol(element: &Element<'_>) -> Option<char> {
    let code = u32::from_str_radix(&element.attribute("char")?, 16).ok()?;
    let c = char::from_u32(code)?;
    (!('\u{E000}'..='\u{F8FF}').contains(&c)).then_some(c)
}

/// Makes what stands from `start` on a link, unless it says nothing.
fn link(text: &mut String, start: usize, address: &str) {
    let words = one_line(&text[start..]);
    if words.is_empty() {
        return;
    }
    let address = address.replace(['\n', '\r'], "").replace(' ', "%20");
    let address = address.replace('(', "%28").replace(')', "%29");
    let words = words.replace('[', "\\[").replace(']', "\\]");
    let blank = if text[start..].starts_with(char::is_whitespace) {
        " "
    } else {
        ""
    };
    text.truncate(start);
    text.push_str(&format!("{blank}[{words}]({address})"));
}

/// Returns what stands in blocks as lines of one cell.
fn flat(blocks: &[Block]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for block in blocks {
        match block {
            Block::Heading(_, words) | Block::Paragraph(words) => lines.push(words.clone()),
            Block::Item(_, Marker::Bullet, words) => lines.push(format!("- {words}")),
            Block::Item(_, Marker::Number(number), words) => {
                lines.push(format!("{number}. {words}"));
            }
            Block::Table(rows) => {
                lines.extend(rows.iter().map(|row| row.join(" ")));
            }
        }
    }
    lines.join("\n")
}
