//! Fields: an instruction, followed by its result, which is the text of the document.
//!
//! A field begins, separates its instruction from its result, and ends, each by a marker that may
//! be anywhere in the text: fields are nested in instructions as well as in results, and extend
//! over paragraphs. So they are kept on a stack of their own besides that of the elements.

use std::collections::BTreeSet;
use std::io::BufRead;

use super::symbols::symbol_text;
use crate::failure::EarlyStop;
use crate::xml::{Xml, XmlEvent};

/// The open fields, the innermost last.
#[derive(Debug, Default)]
pub struct Fields {
    open: Vec<OpenField>,
    /// Number of fields that have begun.
    begun: usize,
    /// Fields known to have no end, by the number of fields before them. They are ignored.
    endless: BTreeSet<usize>,
    /// Fields without an end that were found in this pass.
    found_endless: BTreeSet<usize>,
}

/// An open field.
#[derive(Debug)]
struct OpenField {
    /// Number of fields before it.
    index: usize,
    part: FieldPart,
    /// Text of a form field without a result.
    form: Option<String>,
}

/// The part of a field that is being read.
#[derive(Debug)]
enum FieldPart {
    /// The instruction read so far.
    Instruction(String),
    /// The result.
    Result {
        /// Start of the result in the text of the paragraph.
        start: usize,
        /// Address, if the field is a link.
        link: Option<String>,
    },
}

/// A link that a field makes of the text from `start` on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldLink {
    pub start: usize,
    pub address: String,
}

/// A field that has ended.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct EndedField {
    /// Link that the field makes.
    pub link: Option<FieldLink>,
    /// Text of the field, if the document contains no result.
    pub shown: Option<String>,
}

impl Fields {
    /// Begins a field. `form` is its text if it has no result.
    pub fn begin(&mut self, form: Option<String>) {
        let index = self.begun;
        self.begun += 1;
        if !self.endless.contains(&index) {
            let part = FieldPart::Instruction(String::new());
            self.open.push(OpenField { index, part, form });
        }
    }

    /// Returns the number of open fields.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Sets the text of the innermost field if it has no result.
    pub fn set_form(&mut self, form: Option<String>) {
        if let Some(field) = self.open.last_mut() {
            field.form = form;
        }
    }

    /// Ends the instruction of the innermost field. Its result begins at `start`, and becomes a
    /// link if `may_link`.
    pub fn separate(&mut self, start: usize, may_link: bool) {
        let Some(field) = self.open.last_mut() else {
            return;
        };
        if let FieldPart::Instruction(instruction) = &field.part {
            let link = address(instruction).filter(|_| may_link);
            field.part = FieldPart::Result { start, link };
        }
    }

    /// Ends the innermost field, after `text`.
    pub fn end(&mut self, text: &str) -> EndedField {
        let Some(OpenField { part, form, .. }) = self.open.pop() else {
            return EndedField::default();
        };
        match part {
            FieldPart::Instruction(instruction) => EndedField {
                link: None,
                shown: form.or_else(|| placeholder_text(&instruction)),
            },
            FieldPart::Result { start, link } => EndedField {
                link: link.map(|address| FieldLink { start, address }),
                shown: form.filter(|_| text.len() <= start),
            },
        }
    }

    /// Returns the instruction to which text belongs, or `None` if the text is shown.
    pub fn instruction(&mut self) -> Option<&mut String> {
        // The result of a field is text of whatever contains the field. The instruction to
        // which text belongs is therefore that of the innermost field which is still in its
        // instruction, and fields in their result are skipped.
        self.open
            .iter_mut()
            .rev()
            .find_map(|field| match &mut field.part {
                FieldPart::Instruction(instruction) => Some(instruction),
                FieldPart::Result { .. } => None,
            })
    }

    /// Appends to the instruction of the innermost field.
    pub fn instruct(&mut self, text: &str) {
        if let Some(OpenField {
            part: FieldPart::Instruction(instruction),
            ..
        }) = self.open.last_mut()
        {
            instruction.push_str(text);
        }
    }

    /// Returns true if the text is part of a link.
    pub fn is_link(&self) -> bool {
        let is_link =
            |field: &OpenField| matches!(field.part, FieldPart::Result { link: Some(_), .. });
        self.open.iter().any(is_link)
    }

    /// Ends a paragraph: results continue at the beginning of the next one. Returns the open link.
    pub fn end_paragraph(&mut self) -> Option<FieldLink> {
        let mut open = None;
        for field in &mut self.open {
            if let FieldPart::Result { start, link } = &mut field.part {
                let start = std::mem::take(start);
                open = open.or(link.clone().map(|address| FieldLink { start, address }));
                // A result that contains the end of a paragraph exists, even if it has no
                // words.
                field.form = None;
            }
        }
        open
    }

    /// Begins a story, which fields do not enter from outside, and returns the outer fields.
    pub fn begin_story(&mut self) -> Story {
        Story(std::mem::take(&mut self.open))
    }

    /// Ends a story, which no field leaves, and restores the outer fields.
    pub fn end_story(&mut self, outside: Story) {
        for field in std::mem::replace(&mut self.open, outside.0) {
            // A field that has no end in its story swallows everything after its beginning: the
            // text is taken for its instruction. Such a field is recorded, and the document is
            // read again with it ignored. One that is in its result already, and is not a link,
            // has lost nothing.
            if !matches!(field.part, FieldPart::Result { link: None, .. }) {
                self.found_endless.insert(field.index);
            }
        }
    }

    /// Returns the fields for another pass over the same document, if some of them have no end: the
    /// text after them was taken for their instructions.
    pub fn without_endless(&mut self) -> Option<Self> {
        let endless = std::mem::take(&mut self.found_endless);
        (!endless.is_empty()).then(|| Self {
            endless,
            ..Self::default()
        })
    }
}

/// The fields around a story.
#[derive(Debug)]
pub struct Story(Vec<OpenField>);

/// Returns the text of the field that began last if it is a form field: the state of a check box,
/// or the selected entry of a list.
pub fn form_field<R: BufRead>(xml: &mut Xml<R>) -> Result<Option<String>, EarlyStop> {
    let end = xml.depth() - 1;
    let mut check_box: Option<bool> = None;
    let (mut entries, mut default, mut chosen) = (Vec::new(), None, None);
    while xml.depth() > end {
        let XmlEvent::Start(element) = xml.next()? else {
            continue;
        };
        match element.name() {
            "checkBox" => check_box = Some(false),
            "checked" => check_box = check_box.map(|_| element.is_on()),
            // The default comes before the state that the person has chosen.
            "default" if check_box.is_some() => check_box = Some(element.is_on()),
            "default" => default = element.number::<usize>("val"),
            "result" => chosen = element.number::<usize>("val"),
            "listEntry" => entries.push(element.attribute("val").unwrap_or_default()),
            _ => {}
        }
    }
    if let Some(is_checked) = check_box {
        return Ok(Some(check_mark(is_checked).to_owned()));
    }
    let index = chosen.or(default).unwrap_or_default();
    Ok((index < entries.len()).then(|| entries.swap_remove(index)))
}

/// Returns the character of a check box.
pub fn check_mark(is_checked: bool) -> &'static str {
    if is_checked { "☒" } else { "☐" }
}

/// Returns the address of a link instruction, or `None` if it is not a link, or refers to the same
/// document.
pub fn address(instruction: &str) -> Option<String> {
    let mut words = InstructionWords(instruction);
    let is_link = matches!(words.next()?, InstructionWord::Argument(name) if name.eq_ignore_ascii_case("hyperlink"));
    if !is_link {
        return None;
    }
    let (mut address, mut place) = (None, None);
    while let Some(word) = words.next() {
        match word {
            InstructionWord::Switch('l' | 'L') => place = words.argument(),
            // The tooltip and the frame have arguments too, which must not be taken for the
            // address.
            InstructionWord::Switch('o' | 'O' | 't' | 'T') => {
                words.argument();
            }
            InstructionWord::Switch(_) => {}
            InstructionWord::Argument(word) => address = address.or(Some(word)),
        }
    }
    with_place(address?, place)
}

/// Returns an address with a fragment, or `None` for an empty one, which refers to the same
/// document.
pub fn with_place(mut address: String, place: Option<String>) -> Option<String> {
    if address.trim().is_empty() {
        return None;
    }
    if let Some(place) = place.filter(|place| !place.is_empty())
        && !address.contains('#')
    {
        address.push('#');
        address.push_str(&place);
    }
    Some(address)
}

/// Returns the text that an instruction gives to a field without a result.
pub fn placeholder_text(instruction: &str) -> Option<String> {
    let mut words = InstructionWords(instruction);
    let Some(InstructionWord::Argument(name)) = words.next() else {
        return None;
    };
    match name.to_ascii_lowercase().as_str() {
        // The instruction of a button has the name of its macro, and then the text that is
        // shown.
        "macrobutton" | "gotobutton" => {
            words.next()?;
            Some(words.0.trim().to_owned())
        }
        "symbol" => {
            let InstructionWord::Argument(number) = words.next()? else {
                return None;
            };
            let number = match number.strip_prefix("0x").or(number.strip_prefix("0X")) {
                Some(number) => u32::from_str_radix(number, 16).ok()?,
                None => number.parse().ok()?,
            };
            let mut font = None;
            while let Some(word) = words.next() {
                if let InstructionWord::Switch('f' | 'F') = word {
                    font = words.argument();
                }
            }
            Some(symbol_text(&font.unwrap_or_default(), number))
        }
        "eq" => equation_text(words.0),
        _ => None,
    }
}

/// Returns the text of an equation in its own notation, or of ruby, which is written as one.
fn equation_text(equation: &str) -> Option<String> {
    if let Some((base, reading)) = ruby(equation) {
        return Some(format!("{base}({reading})"));
    }
    let equation = equation.trim();
    (!equation.is_empty()).then(|| format!("${equation}$"))
}

/// Returns the base and the reading of ruby: `\o\ad(\s\up 9(reading),base)`.
fn ruby(equation: &str) -> Option<(&str, &str)> {
    let (_, overlay) = equation.split_once("\\o")?;
    let (_, inside) = overlay.split_once('(')?;
    let (_, reading) = inside.strip_prefix("\\s\\up")?.split_once('(')?;
    let (reading, base) = reading.split_once(')')?;
    let base = base.trim_start().strip_prefix([',', ';'])?;
    Some((base.trim_end().strip_suffix(')')?.trim(), reading.trim()))
}

/// A word of an instruction.
#[derive(Debug, PartialEq, Eq)]
enum InstructionWord {
    /// A switch by its letter, which an argument may follow.
    Switch(char),
    /// A word, quoted or not.
    Argument(String),
}

/// The remaining words of an instruction.
struct InstructionWords<'a>(&'a str);

impl InstructionWords<'_> {
    /// Returns the next word if it is an argument.
    fn argument(&mut self) -> Option<String> {
        let rest = self.0;
        match self.next()? {
            InstructionWord::Argument(word) => Some(word),
            InstructionWord::Switch(_) => {
                self.0 = rest;
                None
            }
        }
    }
}

impl Iterator for InstructionWords<'_> {
    type Item = InstructionWord;

    fn next(&mut self) -> Option<InstructionWord> {
        let rest = self.0.trim_start();
        let mut chars = rest.chars();
        let first = chars.next()?;
        if first == '\\'
            && let Some(letter) = chars.next()
            && letter != '\\'
        {
            self.0 = chars.as_str();
            return Some(InstructionWord::Switch(letter));
        }
        // Word accepts typographic quotes as well, which its own automatic correction inserts.
        let is_quote = |c| matches!(c, '"' | '\u{201C}' | '\u{201D}' | '\u{201E}');
        let is_quoted = is_quote(first);
        if !is_quoted {
            chars = rest.chars();
        }
        let mut word = String::new();
        loop {
            let before = chars.as_str();
            match chars.next() {
                None => break,
                Some(c) if is_quoted && is_quote(c) => break,
                Some(c) if !is_quoted && (c.is_whitespace() || is_quote(c)) => {
                    chars = before.chars();
                    break;
                }
                // In an instruction `\\` is a backslash and `\"` a quote, as in `HYPERLINK
                // "\\\\server\\share"`.
                Some('\\') => match chars.clone().next() {
                    Some(c) if c == '\\' || is_quote(c) => {
                        word.push(c);
                        chars.next();
                    }
                    _ => word.push('\\'),
                },
                Some(c) => word.push(c),
            }
        }
        self.0 = chars.as_str();
        Some(InstructionWord::Argument(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for (instruction, expected) in [
            (r#" HYPERLINK "https://e.org/" "#, Some("https://e.org/")),
            (r#"hyperlink https://e.org/a \h"#, Some("https://e.org/a")),
            (
                r#"HYPERLINK "a.docx" \l "part two" \o "say \"this\"""#,
                Some("a.docx#part two"),
            ),
            (
                r#"HYPERLINK \o "b" \t "_blank" "https://e.org""#,
                Some("https://e.org"),
            ),
            (r#"HYPERLINK "https://e.org"\l"x""#, Some("https://e.org#x")),
            (r#"HYPERLINK "C:\\one\\two.txt""#, Some(r"C:\one\two.txt")),
            (r#"HYPERLINK “https://e.org/q”"#, Some("https://e.org/q")),
            (r#"HYPERLINK \l "_Toc1""#, None),
            (r#"HYPERLINK "" \l "here""#, None),
            (r#"REF x \h "https://e.org""#, None),
            ("HYPERLINKS x", None),
            ("", None),
            ("\"", None),
        ] {
            assert_eq!(address(instruction).as_deref(), expected, "{instruction}");
        }
    }

    #[test]
    fn fields_without_a_result() {
        for (instruction, expected) in [
            ("MACROBUTTON NoMacro [Type here]", Some("[Type here]")),
            (r#"SYMBOL 252 \f "Wingdings" \s 12"#, Some("✓")),
            (r"symbol 0x2192", Some("→")),
            (
                r#"EQ \* jc2 \* "Font:MS Mincho" \* hps11 \o\ad(\s\up 10(とうきょう),東京)"#,
                Some("東京(とうきょう)"),
            ),
            (r"eq \f(1,2) ", Some(r"$\f(1,2)$")),
            ("EQ ", None),
            (r#"XE "entry""#, None),
            ("PAGE", None),
            ("SYMBOL x", None),
        ] {
            assert_eq!(
                placeholder_text(instruction).as_deref(),
                expected,
                "{instruction}"
            );
        }
    }

    #[test]
    fn text_belongs_to_the_innermost_instruction() {
        let mut fields = Fields::default();
        fields.begin(None);
        fields.instruct("IF ");
        fields.begin(None);
        fields.instruct("MERGEFIELD x");
        fields.separate(0, true);
        fields.instruction().expect("IF is open").push('M');
        assert_eq!(fields.end(""), EndedField::default());
        assert_eq!(fields.instruction().map(|it| it.as_str()), Some("IF M"));
        fields.separate(0, true);
        assert_eq!(fields.instruction(), None);
    }

    #[test]
    fn fields_that_end_nowhere_are_none() {
        let mut fields = Fields::default();
        let outside = fields.begin_story();
        fields.begin(None);
        fields.begin(None);
        fields.separate(0, true);
        fields.end("");
        fields.end_story(outside);
        let mut again = fields.without_endless().expect("one has no end");
        again.begin(None);
        assert!(again.instruction().is_none());
        again.begin(None);
        assert!(again.instruction().is_some());
        assert!(again.without_endless().is_none());
    }
}
