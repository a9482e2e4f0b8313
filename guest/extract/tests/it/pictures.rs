//! Tests of the names of pictures where they stand in the text, from the bytes of the file to
//! Markdown.

use docent_extract::fixtures::{package, relationships};
use docent_extract::{Beyond, Format, Limits, extract, list_members};

const LIMITS: Limits = Limits {
    text_bytes: 1 << 20,
    unpacked_bytes: 1 << 20,
    beyond: Beyond::Refuse,
};

/// Two pictures to which shapes refer as `r1` and `r2`.
fn two_pictures() -> String {
    relationships(&[
        ("r1", "image", "../media/image1.png"),
        ("r2", "image", "../media/image2.png"),
    ])
}

/// The part that names the main part of a package.
fn main_part(name: &str) -> String {
    relationships(&[("m", "officeDocument", name)])
}

/// Returns the text of a document that has these members.
pub fn markdown_of(format: Format, content: Vec<u8>, names: &[&str]) -> String {
    let listed = list_members(format.name(), &content, &LIMITS).expect("it can be listed");
    let paths: Vec<&str> = listed.members.iter().map(|it| &*it.path).collect();
    assert_eq!(paths, names);
    extract(format, content, &LIMITS).expect("it can be read")
}

#[test]
fn pictures_of_slides() {
    let shape = |properties: &str, id: &str| {
        format!(
            "<p:pic><p:cNvPr {properties}</p:cNvPr><p:blipFill><a:blip r:embed='{id}'/></p:blipFill></p:pic>"
        )
    };
    let decorative = "descr='Line'><a:extLst><a:ext><adec:decorative val='1'/></a:ext></a:extLst>";
    let slide = [
        shape("descr='A red car'>", "r1"),
        shape("descr='IMG_1.JPG'>", "r2"),
        shape(decorative, "r1"),
        shape("descr='A drawing'>", "r9"),
        "<p:sp><p:spPr><a:blipFill><a:blip r:embed='r2'/></a:blipFill></p:spPr></p:sp>".to_owned(),
    ]
    .concat();
    let content = package(&[
        ("_rels/.rels", &main_part("ppt/presentation.xml")),
        ("docProps/thumbnail.jpeg", ""),
        (
            "ppt/presentation.xml",
            "<p:presentation><p:sldId r:id='s'/></p:presentation>",
        ),
        (
            "ppt/_rels/presentation.xml.rels",
            &relationships(&[("s", "slide", "slides/1.xml")]),
        ),
        ("ppt/slides/1.xml", &format!("<p:sld>{slide}</p:sld>")),
        ("ppt/slides/_rels/1.xml.rels", &two_pictures()),
        ("ppt/media/image1.png", ""),
        ("ppt/media/image2.png", ""),
    ]);
    let names = ["thumbnail.jpeg", "image1.png", "image2.png"];
    let text = markdown_of(Format::Pptx, content, &names);
    assert_eq!(
        text,
        "## Slide 1\n\n[image1.png: A red car]\n\n[image2.png]\n\n[Picture: A drawing]\n\n\
         Left out: 4 pictures (explore FILE!/image1.png shows one).\n"
    );
}

#[test]
fn pictures_of_text_documents() {
    let drawing = |properties: &str, id: &str| {
        format!(
            "<w:r><w:drawing><wp:docPr {properties}</wp:docPr><a:blip r:embed='{id}'/></w:drawing></w:r>"
        )
    };
    let old = "<w:r><w:pict><v:shape alt='Old'><v:imagedata r:id='r2'/></v:shape></w:pict></w:r>";
    let decorative = "descr='x'><a:ext><adec:decorative val='1'/></a:ext>";
    let body = [
        "<w:p><w:r><w:t>before </w:t></w:r>",
        &drawing("descr='A red car'>", "r1"),
        "<w:r><w:t> behind</w:t></w:r></w:p>",
        "<w:p><w:pPr><w:outlineLvl w:val='0'/></w:pPr>",
        &drawing(">", "r1"),
        old,
        "</w:p><w:p>",
        &drawing(decorative, "r2"),
        "</w:p>",
    ]
    .concat();
    let content = package(&[
        ("_rels/.rels", &main_part("word/document.xml")),
        (
            "word/document.xml",
            &format!("<w:document><w:body>{body}</w:body></w:document>"),
        ),
        ("word/_rels/document.xml.rels", &two_pictures()),
        ("media/image1.png", ""),
        ("media/image2.png", ""),
    ]);
    let text = markdown_of(Format::Docx, content, &["image1.png", "image2.png"]);
    assert_eq!(
        text,
        "before [image1.png: A red car] behind\n\n[image1.png]\n\n[image2.png: Old]\n\n\
         Left out: 4 pictures (explore FILE!/image1.png shows one).\n"
    );
}

#[test]
fn pictures_and_texts_on_sheets() {
    let anchor = |inside: &str| format!("<xdr:oneCellAnchor>{inside}</xdr:oneCellAnchor>");
    let shape = |properties: &str, id: &str| {
        anchor(&format!(
            "<xdr:pic><xdr:cNvPr {properties}</xdr:cNvPr><a:blip r:embed='{id}'/></xdr:pic>"
        ))
    };
    let text_box =
        "<xdr:sp><xdr:txBody><a:p><a:r><a:t># Note</a:t></a:r></a:p></xdr:txBody></xdr:sp>";
    let decorative = "descr='Line'><a:extLst><adec:decorative val='1'/></a:extLst>";
    let drawing = [
        shape("descr='A red car'>", "r1"),
        anchor(text_box),
        shape(decorative, "r1"),
        anchor(&format!(
            "<xdr:grpSp>{}</xdr:grpSp>",
            shape("descr='IMG_1.JPG'>", "r2")
        )),
        shape("descr='A drawing'>", "r9"),
    ]
    .concat();
    let sheet =
        "<worksheet><sheetData><row r='3'><c r='B3'><v>1</v></c></row></sheetData></worksheet>";
    let content = package(&[
        ("_rels/.rels", &main_part("xl/workbook.xml")),
        (
            "xl/workbook.xml",
            "<workbook><sheets><sheet name='one' r:id='a'/><sheet name='two' r:id='b'/></sheets></workbook>",
        ),
        (
            "xl/_rels/workbook.xml.rels",
            &relationships(&[
                ("a", "worksheet", "worksheets/a.xml"),
                ("b", "worksheet", "worksheets/b.xml"),
            ]),
        ),
        ("xl/worksheets/a.xml", sheet),
        (
            "xl/worksheets/_rels/a.xml.rels",
            &relationships(&[("d", "drawing", "../drawings/a.xml")]),
        ),
        ("xl/worksheets/b.xml", sheet),
        (
            "xl/drawings/a.xml",
            &format!("<xdr:wsDr>{drawing}</xdr:wsDr>"),
        ),
        ("xl/drawings/_rels/a.xml.rels", &two_pictures()),
        ("xl/media/image1.png", ""),
        ("xl/media/image2.png", ""),
    ]);
    let text = markdown_of(Format::Xlsx, content, &["image1.png", "image2.png"]);
    assert_eq!(
        text,
        "## one\n\n| 3 | 1 |\n| --- | --- |\n\n[image1.png: A red car]\n\n\\# Note\n\n\
         [image2.png]\n\n[Picture: A drawing]\n\n## two\n\n| 3 | 1 |\n| --- | --- |\n\n\
         Left out: 4 pictures (explore FILE!/image1.png shows one).\n"
    );
}

#[test]
fn pictures_of_open_documents_and_hangul() {
    let frame = |attributes: &str, inner: &str| {
        format!("<text:p><draw:frame {attributes}>{inner}</draw:frame></text:p>")
    };
    let image =
        "<draw:image xlink:href='Pictures/a.png'/><draw:image xlink:href='Pictures/b.svm'/>";
    let body = [
        frame("", &format!("{image}<svg:desc>A plan</svg:desc>")),
        frame("", image),
        frame("loext:decorative='true'", image),
    ]
    .concat();
    let content = format!(
        "<office:document-content><office:body><office:text>{body}</office:text></office:body></office:document-content>"
    );
    let content = package(&[
        ("mimetype", "application/vnd.oasis.opendocument.text"),
        ("content.xml", &content),
        ("Pictures/a.png", ""),
    ]);
    let text = markdown_of(Format::Odt, content, &["a.png"]);
    assert_eq!(
        text,
        "[a.png: A plan]\n\n[a.png]\n\nLeft out: 3 pictures (explore FILE!/a.png shows one).\n"
    );
    let section = "<hs:sec><hp:p><hp:run><hp:rect><hc:imgBrush><hc:img binaryItemIDRef='image1'/>\
        </hc:imgBrush></hp:rect><hp:t>words</hp:t><hp:pic><hc:img binaryItemIDRef='image1'/>\
        <hp:shapeComment>made up</hp:shapeComment></hp:pic></hp:run></hp:p></hs:sec>";
    let manifest = "<opf:package><opf:item id='image1' href='BinData/image1.png'/>\
        <opf:item id='s' href='Contents/section0.xml'/><opf:itemref idref='s'/></opf:package>";
    let content = package(&[
        ("mimetype", "application/hwp+zip"),
        ("Contents/section0.xml", section),
        ("Contents/content.hpf", manifest),
        ("BinData/image1.png", ""),
    ]);
    let text = markdown_of(Format::Hwpx, content, &["image1.png"]);
    assert_eq!(
        text,
        "words\n\n[image1.png]\n\nLeft out: 1 picture (explore FILE!/image1.png shows it).\n"
    );
}

#[test]
fn pictures_of_books() {
    let chapter = "<h1><img src='../img/a%20b.png' alt='Title'/></h1><p>x <img src='../img/a%20b.png'/> y\
        <img src='../img/c.jpg' alt='A red car'/></p><p><img src='../img/c.jpg' alt=''/>\
        <img src='../img/c.jpg' alt='T'/>he <img src='no.png' alt='elsewhere'/></p>";
    let content = package(&[
        ("mimetype", "application/epub+zip"),
        (
            "META-INF/container.xml",
            "<container><rootfile full-path='OPS/book.opf'/></container>",
        ),
        (
            "OPS/book.opf",
            "<package><manifest><item id='c' href='text/c.xhtml' \
                 media-type='application/xhtml+xml'/></manifest><spine><itemref idref='c'/></spine>\
                 </package>",
        ),
        (
            "OPS/text/c.xhtml",
            &format!("<html xmlns='http://www.w3.org/1999/xhtml'><body>{chapter}</body></html>"),
        ),
        ("OPS/img/a b.png", ""),
        ("OPS/img/c.jpg", ""),
    ]);
    let text = markdown_of(Format::Epub, content, &["a b.png", "c.jpg"]);
    assert_eq!(
        text,
        "## Title\n\nx [a b.png] y [c.jpg: A red car]\n\nThe elsewhere\n\n\
         Left out: 2 pictures (explore FILE!/a b.png shows one).\n"
    );
}
