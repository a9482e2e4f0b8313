//! Tests of the names of pictures where they stand in the text, from the bytes of the file to
//! Markdown.

use docent_extract::fixtures::package;
use docent_extract::{Beyond, Format, Limits, extract, list_members};

const LIMITS: Limits = Limits {
    text_bytes: 1 << 20,
    unpacked_bytes: 1 << 20,
    beyond: Beyond::Refuse,
};

/// A relationship of a part to the picture `number`.
fn picture(number: usize) -> String {
    format!(
        "<Relationship Id='r{number}' Type='http://x/image' Target='../media/image{number}.png'/>"
    )
}

/// Returns the text of a package, each of whose names of pictures is that of a member.
fn markdown_of(format: Format, parts: &[(&str, &str)], names: &[&str]) -> String {
    let content = package(parts);
    let listed = list_members(format.name(), &content, &LIMITS).expect("it can be listed");
    let paths: Vec<&str> = listed.members.iter().map(|it| &*it.path).collect();
    assert_eq!(paths, names);
    extract(format, content, &LIMITS).expect("it can be read")
}

const MAIN: &str = "<Relationships><Relationship Id='m' Type='http://x/officeDocument' Target='";

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
    let relationships = format!(
        "<Relationships>{}{}</Relationships>",
        picture(1),
        picture(2)
    );
    let text = markdown_of(
        Format::Pptx,
        &[
            (
                "_rels/.rels",
                &format!("{MAIN}ppt/presentation.xml'/></Relationships>"),
            ),
            ("docProps/thumbnail.jpeg", ""),
            (
                "ppt/presentation.xml",
                "<p:presentation><p:sldId r:id='s'/></p:presentation>",
            ),
            (
                "ppt/_rels/presentation.xml.rels",
                "<Relationships><Relationship Id='s' Type='http://x/slide' Target='slides/1.xml'/></Relationships>",
            ),
            ("ppt/slides/1.xml", &format!("<p:sld>{slide}</p:sld>")),
            ("ppt/slides/_rels/1.xml.rels", &relationships),
            ("ppt/media/image1.png", ""),
            ("ppt/media/image2.png", ""),
        ],
        &["thumbnail.jpeg", "image1.png", "image2.png"],
    );
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
    let relationships = format!(
        "<Relationships>{}{}</Relationships>",
        picture(1),
        picture(2)
    );
    let text = markdown_of(
        Format::Docx,
        &[
            (
                "_rels/.rels",
                &format!("{MAIN}word/document.xml'/></Relationships>"),
            ),
            (
                "word/document.xml",
                &format!("<w:document><w:body>{body}</w:body></w:document>"),
            ),
            ("word/_rels/document.xml.rels", &relationships),
            ("media/image1.png", ""),
            ("media/image2.png", ""),
        ],
        &["image1.png", "image2.png"],
    );
    assert_eq!(
        text,
        "before [image1.png: A red car] behind\n\n[image1.png]\n\n[image2.png: Old]\n\n\
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
    let text = markdown_of(
        Format::Odt,
        &[
            ("mimetype", "application/vnd.oasis.opendocument.text"),
            ("content.xml", &content),
            ("Pictures/a.png", ""),
        ],
        &["a.png"],
    );
    assert_eq!(
        text,
        "[a.png: A plan]\n\n[a.png]\n\nLeft out: 3 pictures (explore FILE!/a.png shows one).\n"
    );
    let section = "<hs:sec><hp:p><hp:run><hp:rect><hc:imgBrush><hc:img binaryItemIDRef='image1'/>\
        </hc:imgBrush></hp:rect><hp:t>words</hp:t><hp:pic><hc:img binaryItemIDRef='image1'/>\
        <hp:shapeComment>made up</hp:shapeComment></hp:pic></hp:run></hp:p></hs:sec>";
    let manifest = "<opf:package><opf:item id='image1' href='BinData/image1.png'/>\
        <opf:item id='s' href='Contents/section0.xml'/><opf:itemref idref='s'/></opf:package>";
    let text = markdown_of(
        Format::Hwpx,
        &[
            ("mimetype", "application/hwp+zip"),
            ("Contents/section0.xml", section),
            ("Contents/content.hpf", manifest),
            ("BinData/image1.png", ""),
        ],
        &["image1.png"],
    );
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
    let text = markdown_of(
        Format::Epub,
        &[
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
                &format!(
                    "<html xmlns='http://www.w3.org/1999/xhtml'><body>{chapter}</body></html>"
                ),
            ),
            ("OPS/img/a b.png", ""),
            ("OPS/img/c.jpg", ""),
        ],
        &["a b.png", "c.jpg"],
    );
    assert_eq!(
        text,
        "## Title\n\nx [a b.png] y [c.jpg: A red car]\n\nThe elsewhere\n\n\
         Left out: 2 pictures (explore FILE!/a b.png shows one).\n"
    );
}
