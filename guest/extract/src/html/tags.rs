//! The elements and attributes of pages that have a meaning here.

/// An element by its name. Elements that are treated alike, and whose ends are not confused, share
/// one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HtmlTag {
    Anchor,
    Annotation,
    Area,
    /// A block without other meaning: its place in [`BLOCKS`].
    Block(u8),
    Break,
    Button,
    /// One of several alternatives in a book.
    Case,
    Cell,
    Code,
    /// The alternative for readers that show no other.
    DefaultCase,
    Definition,
    HeadCell,
    Heading(u8),
    Image,
    Input,
    Item,
    List(ListTag),
    Math,
    MathLayout(MathLayout),
    Metadata,
    NoScript,
    Option,
    Other,
    Paragraph,
    PlainText,
    /// Text with all of its blanks: `pre` or another.
    Preformatted(u8),
    Quotation,
    /// Text that is never shown, up to the end of its element.
    RawText,
    Root,
    Row,
    RowGroup,
    Ruby,
    RubyParenthesis,
    RubyReading,
    Rule,
    Script,
    Select,
    Superscript,
    Svg,
    SvgText,
    Switch,
    Table,
    Template,
    Term,
    TextArea,
    Title,
    /// An element that never contains anything.
    Void,
}

/// The kind of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ListTag {
    Bulleted,
    Numbered,
    Definitions,
}

/// An element of MathML whose children do not follow each other on one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MathLayout {
    Fraction,
    Raised,
    Lowered,
    LoweredAndRaised,
    Root,
    /// Several children in place of one.
    Group,
}

/// Blocks that may be in a heading.
const BLOCKS_OF_HEADINGS: u8 = 7;

/// Names of blocks without other meaning, first those that may be in a heading.
const BLOCKS: [&str; 31] = [
    "div",
    "center",
    "address",
    "hgroup",
    "summary",
    "legend",
    "caption",
    "article",
    "aside",
    "blockquote",
    "colgroup",
    "details",
    "dialog",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "frameset",
    "header",
    "main",
    "marquee",
    "multicol",
    "nav",
    "noframes",
    "object",
    "optgroup",
    "search",
    "section",
    "video",
    "audio",
];

/// Prefixes that pages in XML use for the elements of HTML, MathML and SVG.
const PREFIXES: [&str; 7] = ["m", "mml", "math", "svg", "html", "xhtml", "h"];

impl HtmlTag {
    /// Returns the element with this name, in lower case.
    pub fn from_name(name: &str) -> Self {
        let name = match name.bytes().position(|byte| byte == b':') {
            Some(end) if PREFIXES.contains(&&name[..end]) => &name[end + 1..],
            _ => name,
        };
        match name {
            "a" => Self::Anchor,
            "annotation" | "annotation-xml" => Self::Annotation,
            "area" => Self::Area,
            "base" | "basefont" | "bgsound" | "col" | "embed" | "frame" | "keygen" | "link"
            | "meta" | "param" | "source" | "track" | "wbr" => Self::Void,
            "br" => Self::Break,
            "button" => Self::Button,
            "code" => Self::Code,
            "dd" => Self::Definition,
            "dl" => Self::List(ListTag::Definitions),
            "dt" => Self::Term,
            "epub:case" => Self::Case,
            "epub:default" => Self::DefaultCase,
            "epub:switch" => Self::Switch,
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => Self::Heading(name.as_bytes()[1] - b'0'),
            "hr" => Self::Rule,
            "html" | "body" => Self::Root,
            "iframe" | "noembed" | "style" => Self::RawText,
            "img" | "image" => Self::Image,
            "input" => Self::Input,
            "li" => Self::Item,
            "math" => Self::Math,
            "metadata" => Self::Metadata,
            "noscript" => Self::NoScript,
            "ol" => Self::List(ListTag::Numbered),
            "option" => Self::Option,
            "p" => Self::Paragraph,
            "plaintext" => Self::PlainText,
            "pre" => Self::Preformatted(0),
            "listing" => Self::Preformatted(1),
            "xmp" => Self::Preformatted(2),
            "q" => Self::Quotation,
            "rp" => Self::RubyParenthesis,
            "rt" => Self::RubyReading,
            "ruby" => Self::Ruby,
            "script" => Self::Script,
            "select" | "datalist" => Self::Select,
            "sup" => Self::Superscript,
            "svg" => Self::Svg,
            "table" => Self::Table,
            "td" => Self::Cell,
            "th" => Self::HeadCell,
            "template" => Self::Template,
            "text" => Self::SvgText,
            "textarea" => Self::TextArea,
            "thead" | "tbody" | "tfoot" => Self::RowGroup,
            "title" => Self::Title,
            "tr" => Self::Row,
            "ul" | "menu" | "dir" => Self::List(ListTag::Bulleted),
            _ => Self::from_rarer_name(name),
        }
    }

    /// Returns the element of MathML or the block with this name.
    fn from_rarer_name(name: &str) -> Self {
        match name {
            "mfrac" => Self::MathLayout(MathLayout::Fraction),
            "mover" | "msup" => Self::MathLayout(MathLayout::Raised),
            "mrow" | "mstyle" => Self::MathLayout(MathLayout::Group),
            "msqrt" => Self::MathLayout(MathLayout::Root),
            "msub" | "munder" => Self::MathLayout(MathLayout::Lowered),
            "msubsup" | "munderover" => Self::MathLayout(MathLayout::LoweredAndRaised),
            _ => match BLOCKS.iter().position(|block| *block == name) {
                Some(place) => Self::Block(u8::try_from(place).unwrap_or(u8::MAX)),
                None => Self::Other,
            },
        }
    }

    /// Returns the element that stands for all whose ends are confused with that of this one:
    /// headings, and cells.
    pub fn kind(self) -> Self {
        match self {
            Self::Heading(_) => Self::Heading(1),
            Self::HeadCell => Self::Cell,
            other => other,
        }
    }

    /// Returns true if nothing can be in the element.
    pub fn is_void(self) -> bool {
        matches!(
            self,
            Self::Area | Self::Break | Self::Image | Self::Input | Self::Rule | Self::Void
        )
    }

    /// Returns true if the element begins and ends a line.
    pub fn is_block(self) -> bool {
        matches!(
            self,
            Self::Block(_)
                | Self::Cell
                | Self::Definition
                | Self::HeadCell
                | Self::Heading(_)
                | Self::Item
                | Self::List(_)
                | Self::Paragraph
                | Self::PlainText
                | Self::Preformatted(_)
                | Self::Row
                | Self::RowGroup
                | Self::Rule
                | Self::Table
                | Self::Term
        )
    }

    /// Returns true if the element ends a heading that has no end. Browsers show the rest of the
    /// page as a heading.
    pub fn ends_heading(self) -> bool {
        match self {
            Self::Block(place) => place >= BLOCKS_OF_HEADINGS,
            Self::Paragraph => false,
            _ => self.is_block(),
        }
    }
}

/// An attribute that has a meaning here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeName {
    Alt,
    Checked,
    Class,
    ColSpan,
    Encoding,
    Hidden,
    Href,
    Namespace,
    RowSpan,
    Source,
    Start,
    Style,
    Type,
    Value,
}

const ATTRIBUTES: [(&str, AttributeName); 15] = [
    ("alt", AttributeName::Alt),
    ("checked", AttributeName::Checked),
    ("class", AttributeName::Class),
    ("colspan", AttributeName::ColSpan),
    ("encoding", AttributeName::Encoding),
    ("hidden", AttributeName::Hidden),
    ("href", AttributeName::Href),
    ("required-namespace", AttributeName::Namespace),
    ("rowspan", AttributeName::RowSpan),
    ("src", AttributeName::Source),
    ("start", AttributeName::Start),
    ("style", AttributeName::Style),
    ("type", AttributeName::Type),
    ("value", AttributeName::Value),
    ("xmlns", AttributeName::Namespace),
];

/// Maximum bytes of the name of an attribute that has a meaning.
pub const ATTRIBUTE_NAME_BYTES: usize = 18;

impl AttributeName {
    /// Returns the attribute with this name, in lower case.
    pub fn from_name(name: &[u8]) -> Option<Self> {
        let found = ATTRIBUTES
            .iter()
            .find(|(other, _)| other.as_bytes() == name);
        found.map(|(_, attribute)| *attribute)
    }
}

/// The attributes of a tag.
#[derive(Debug, Default)]
pub struct TagAttributes(Vec<(AttributeName, String)>);

impl TagAttributes {
    /// Removes all attributes.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds an attribute, unless the tag has it already.
    pub fn add(&mut self, name: AttributeName, value: &[u8]) {
        if self.get(name).is_none() {
            let value = String::from_utf8_lossy(value).into_owned();
            self.0.push((name, value));
        }
    }

    /// Returns the value of an attribute.
    pub fn get(&self, name: AttributeName) -> Option<&str> {
        let found = self.0.iter().find(|(other, _)| *other == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Returns the value of an attribute as a number. As in browsers, it ends with its digits.
    pub fn number(&self, name: AttributeName) -> Option<i64> {
        let value = self.get(name)?.trim_start();
        let (sign, digits) = match value.strip_prefix('-') {
            Some(digits) => (-1, digits),
            None => (1, value.strip_prefix('+').unwrap_or(value)),
        };
        let end = digits.bytes().take_while(u8::is_ascii_digit).count();
        Some(sign * digits[..end.min(12)].parse::<i64>().ok()?)
    }

    /// Returns true if the element is not shown.
    pub fn is_hidden(&self) -> bool {
        if self.0.is_empty() {
            return false;
        }
        // Text that is hidden until a search finds it is there for those who search.
        let until_found = |value: &str| value.trim().eq_ignore_ascii_case("until-found");
        if self
            .get(AttributeName::Hidden)
            .is_some_and(|value| !until_found(value))
        {
            return true;
        }
        // KaTeX writes each formula twice, as MathML and as the pieces that make its picture.
        if self
            .get(AttributeName::Class)
            .is_some_and(|class| class.trim() == "katex-html")
        {
            return true;
        }
        let style = self.get(AttributeName::Style).unwrap_or_default();
        style.split(';').any(|property| {
            property.split_once(':').is_some_and(|(name, value)| {
                let value = value.trim().as_bytes().get(..4).unwrap_or_default();
                name.trim().eq_ignore_ascii_case("display") && value.eq_ignore_ascii_case(b"none")
            })
        })
    }
}
