"""Documents that cost more than they weigh, or never end, by name. `scale` shrinks those that are large."""

import base64
import struct

from archives import END, Ole, Part, archive, bomb, deflated

MB = 1 << 20
WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
SHEET = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
SLIDE = (
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    f'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="{OFFICE}"'
)
ODF = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "text", "table", "style")
) + ' xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"'
HANGUL = (
    'xmlns:hs="http://www.hancom.co.kr/hwpml/2011/section" '
    'xmlns:hp="http://www.hancom.co.kr/hwpml/2011/paragraph"'
)
LAUGHS = "<!DOCTYPE x [<!ENTITY a0 'ha'>{}]>".format(
    "".join(f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 10))
)
MEDIA = {
    "odt": ("text", "text"),
    "ods": ("spreadsheet", "spreadsheet"),
    "odp": ("presentation", "presentation"),
}


def relations(*all_):
    parts = "".join(
        f'<Relationship Id="r{n}" Type="{OFFICE}/{kind}" Target="{target}"/>'
        for n, (kind, target) in enumerate(all_)
    )
    space = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'<Relationships xmlns="{space}">{parts}</Relationships>'.encode()


def frame(format_):
    """The parts around the main part of a format, its name, and its text before and after a paragraph."""
    if format_ == "docx":
        parts = [("_rels/.rels", relations(("officeDocument", "word/document.xml")))]
        return parts, "word/document.xml", f"<w:document {WORD}><w:body>", "</w:body></w:document>"
    if format_ == "xlsx":
        parts = [
            ("_rels/.rels", relations(("officeDocument", "xl/workbook.xml"))),
            ("xl/_rels/workbook.xml.rels", relations(("worksheet", "sheet.xml"), ("sharedStrings", "shared.xml"))),
            ("xl/workbook.xml", f'<workbook {SHEET} xmlns:r="{OFFICE}"><sheets><sheet name="a" sheetId="1" r:id="r0"/></sheets></workbook>'.encode()),
        ]
        return parts, "xl/sheet.xml", f"<worksheet {SHEET}><sheetData>", "</sheetData></worksheet>"
    if format_ == "pptx":
        parts = [
            ("_rels/.rels", relations(("officeDocument", "ppt/presentation.xml"))),
            ("ppt/_rels/presentation.xml.rels", relations(("slide", "slide.xml"))),
            ("ppt/presentation.xml", f'<p:presentation {SLIDE}><p:sldIdLst><p:sldId id="256" r:id="r0"/></p:sldIdLst></p:presentation>'.encode()),
        ]
        return parts, "ppt/slide.xml", f"<p:sld {SLIDE}><p:cSld><p:spTree>", "</p:spTree></p:cSld></p:sld>"
    if format_ == "hwpx":
        parts = [("mimetype", b"application/hwp+zip")]
        return parts, "Contents/section0.xml", f"<hs:sec {HANGUL}>", "</hs:sec>"
    if format_ == "epub":
        parts, before, after = book([("a", "a.xhtml")], ["a"])
        return parts, "a.xhtml", before, after
    kind, element = MEDIA[format_]
    parts = [("mimetype", f"application/vnd.oasis.opendocument.{kind}".encode())]
    before = f"<office:document-content {ODF}><office:body><office:{element}>"
    return parts, "content.xml", before, f"</office:{element}></office:body></office:document-content>"


def book(items, spine):
    container = '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="a.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    items = "".join(f'<item id="{name}" href="{path}" media-type="application/xhtml+xml"/>' for name, path in items)
    spine = "".join(f'<itemref idref="{name}"/>' for name in spine)
    package = f'<package xmlns="http://www.idpf.org/2007/opf"><metadata/><manifest>{items}</manifest><spine>{spine}</spine></package>'
    parts = [
        ("mimetype", b"application/epub+zip"),
        ("META-INF/container.xml", container.encode()),
        ("a.opf", package.encode()),
    ]
    before = '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>begin</p>'
    return parts, before, "</body></html>"


# What stands around words in a paragraph of each format, and an element that may be in itself.
PARAGRAPHS = {
    "docx": ("<w:p><w:r><w:t>", "</w:t></w:r></w:p>", "<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>"),
    "xlsx": ('<row r="1"><c r="A1" t="inlineStr"><is><t>', "</t></is></c></row>", "<row><c><is>", "</is></c></row>"),
    "pptx": ("<p:sp><p:txBody><a:p><a:r><a:t>", "</a:t></a:r></a:p></p:txBody></p:sp>", "<p:grpSp>", "</p:grpSp>"),
    "odt": ("<text:p>", "</text:p>", "<text:list><text:list-item>", "</text:list-item></text:list>"),
    "ods": ("<table:table><table:table-row><table:table-cell><text:p>", "</text:p></table:table-cell></table:table-row></table:table>", "<table:table><table:table-row><table:table-cell>", "</table:table-cell></table:table-row></table:table>"),
    "odp": ("<draw:page><draw:frame><draw:text-box><text:p>", "</text:p></draw:text-box></draw:frame></draw:page>", "<draw:page><draw:g>", "</draw:g></draw:page>"),
    "epub": ("<p>", "</p>", "<div><ul><li>", "</li></ul></div>"),
    "hwpx": ("<hp:p><hp:run><hp:t>", "</hp:t></hp:run></hp:p>", "<hp:p><hp:run><hp:tbl><hp:tr><hp:tc><hp:subList>", "</hp:subList></hp:tc></hp:tr></hp:tbl></hp:run></hp:p>"),
}


def package(format_, content, more=(), **claims):
    parts, name, before, after = frame(format_)
    parts = [Part(*part) for part in parts] + list(more)
    return archive(parts + [Part(name, (before + content + after).encode())], **claims)


def bombed(format_, scale):
    parts, name, before, after = frame(format_)
    begin, end, *_ = PARAGRAPHS[format_]
    count = max(1, int(900 * scale))
    packed = bomb((before + begin).encode(), b"x" * MB, count, (end + after).encode())
    return archive([Part(*part) for part in parts] + [Part(name, b"", packed, count * MB)])


def nested(format_, scale):
    *_, begin, end = PARAGRAPHS[format_]
    count = int(200_000 * scale)
    return package(format_, begin * count + "x" + end * count)


def laughs(format_, _scale):
    parts, name, before, after = frame(format_)
    begin, end, *_ = PARAGRAPHS[format_]
    text = LAUGHS + before + begin + "&a9;" + end + after
    return archive([Part(*part) for part in parts + [(name, text.encode())]])


def repeated_cells(_scale):
    cell = '<table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell>'
    return package("ods", f'<table:table><table:table-row table:number-rows-repeated="1048576">{cell}</table:table-row></table:table>')


def far_cells(scale):
    rows = "".join(f'<row r="{n}"><c r="XFD{n}"><v>1</v></c></row>' for n in range(1, int(1_000_000 * scale)))
    return package("xlsx", rows)


def shared_string(scale):
    shared = Part("xl/shared.xml", f"<sst {SHEET}><si><t>{'x' * MB}</t></si></sst>".encode())
    rows = "".join('<row><c t="s"><v>0</v></c></row>' for _ in range(int(500_000 * scale)))
    return package("xlsx", rows, [shared])


def equal_chapters(scale):
    parts, before, after = book([("a", "a.xhtml")], ["a"] * int(200_000 * scale))
    page = Part("a.xhtml", (before + "<p>x</p>" * 1000 + after).encode())
    return archive([Part(*part) for part in parts] + [page])


def aliased_chapters(scale):
    count = int(20_000 * scale)
    items = [(f"a{n}", f"a{n}.xhtml") for n in range(count)]
    parts, before, after = book(items, [name for name, _ in items])
    parts = [Part(*part) for part in parts]
    # All chapters are the same bytes of the archive.
    page = Part("a0.xhtml", (before + "<p>x</p>" * 50_000 + after).encode())
    at = sum(30 + len(part.name) + len(part.packed) for part in parts)
    copies = [Part(path, b"", page.packed, page.size, page.crc, at) for _, path in items[1:]]
    return archive(parts + [page] + copies)


def slide_again(scale):
    parts, name, before, after = frame("pptx")
    slides = '<p:sldId id="256" r:id="r0"/>' * int(1_000_000 * scale)
    parts[2] = (parts[2][0], f"<p:presentation {SLIDE}><p:sldIdLst>{slides}</p:sldIdLst></p:presentation>".encode())
    begin, end, *_ = PARAGRAPHS["pptx"]
    return archive([Part(*part) for part in parts + [(name, (before + begin + "x" + end + after).encode())]])


def many_entries(scale):
    more = (Part(f"{n:x}", b"") for n in range(int(1_000_000 * scale)))
    begin, end, *_ = PARAGRAPHS["docx"]
    return package("docx", begin + "x" + end, more)


def lying_directory(_scale):
    begin, end, *_ = PARAGRAPHS["docx"]
    more = [Part("word/styles.xml", b"<a/>", size=0xFFFFFFFF, crc=1)]
    return package("docx", begin + "x" + end, more, entries=0xFFFE, directory_size=0xFFFFFFF0)


def long_styles(scale):
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{n}"><w:basedOn w:val="{n + 1}"/></w:style>'
        for n in range(int(400_000 * scale))
    )
    more = [
        Part("word/styles.xml", f"<w:styles {WORD}>{styles}</w:styles>".encode()),
        Part("word/_rels/document.xml.rels", relations(("styles", "styles.xml"))),
    ]
    body = '<w:p><w:pPr><w:pStyle w:val="0"/></w:pPr><w:r><w:t>x</w:t></w:r></w:p>' * int(300_000 * scale)
    return package("docx", body, more)


def hangul(section, packed=True):
    header = b"HWP Document File".ljust(32, b"\0") + struct.pack("<II", 0x05000300, int(packed)) + bytes(216)
    wrap = deflated if packed else bytes
    section = section if isinstance(section, list) else [section]
    streams = [("FileHeader", header), ("DocInfo", wrap(record(16, 0, bytes(26))))]
    return Ole(streams + [(f"BodyText/Section{n}", one) for n, one in enumerate(section)])


def record(tag, level, content, size=None):
    size = len(content) if size is None else size
    if size >= 0xFFF:
        return struct.pack("<II", tag | level << 10 | 0xFFF << 20, size) + content
    return struct.pack("<I", tag | level << 10 | size << 20) + content


def hangul_words(words):
    return record(66, 0, struct.pack("<IIHBB", len(words), 0, 0, 0, 0) + bytes(10)) + record(67, 1, words.encode("utf-16-le"))


def claimed_records(_scale):
    return hangul(deflated(hangul_words("begin\r") + record(67, 1, b"x", 0xFFFFFFFF))).file()


def nested_records(scale):
    one = b"".join(hangul_words("x\r") + record(71, level % 1023, b" lbt") for level in range(1000))
    return hangul(deflated(one * int(500 * scale + 1))).file()


def section_bomb(scale):
    return hangul(bomb(b"", hangul_words("x" * 1000 + "\r") * 500, int(900 * scale) + 1, b"")).file()


def cyclic_fat(extension):
    ole = hangul(b"x" * 9000, packed=False) if extension == "hwp" else Ole([("__properties_version1.0", b"x" * 9000)])
    for place in range(len(ole.fat)):
        if ole.fat[place] == END:
            ole.fat[place] = max(0, place - 3)
    return ole.file()


def cyclic_tree(extension):
    name = "WordDocument" if extension == "doc" else "__properties_version1.0"
    ole = Ole([(name, b"x"), ("a", b"x"), ("b", b"x")])
    for entry in ole.entries:
        entry[2] = entry[3] = 1
        entry[4] = 0
    return ole.file()


def message(*lines):
    return "\r\n".join(("From: a@example.org", "To: b@example.org", "Subject: x", "MIME-Version: 1.0", *lines)).encode()


def nested_parts(scale):
    lines = []
    for n in range(int(20_000 * scale)):
        lines += [f"Content-Type: multipart/mixed; boundary=b{n}", "", f"--b{n}"]
    return message(*lines, "Content-Type: text/plain", "", "x")


def many_boundaries(scale):
    return message("Content-Type: multipart/mixed; boundary=b", "", "--b\r\n\r\nx\r\n" * int(1_000_000 * scale))


def near_boundaries(scale):
    lines = []
    for n in range(30):
        lines += [f"Content-Type: multipart/mixed; boundary={'b' * 60}{n}", "", f"--{'b' * 60}{n}"]
    return message(*lines, "", f"--{'b' * 60}x\r\n" * int(800_000 * scale))


def encoded(encoding, body):
    return message("Content-Type: text/plain; charset=utf-8", f"Content-Transfer-Encoding: {encoding}", "") + b"\r\n" + body


def pdf(objects, trailer="/Root 1 0 R"):
    out, places = bytearray(b"%PDF-1.7\n"), []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        content = content if isinstance(content, bytes) else content.encode()
        out += b"%d 0 obj\n" % number + content + b"\nendobj\n"
    at = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    return bytes(out) + f"trailer << /Size {len(places) + 1} {trailer} >>\nstartxref\n{at}\n%%EOF\n".encode()


def stream(content, more=""):
    return f"<< /Length {len(content)} {more} >>\nstream\n".encode() + content + b"\nendstream"


PAGE = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /A 5 0 R >> /XObject << /X 6 0 R >> >> >>"
FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
CATALOG = "<< /Type /Catalog /Pages 2 0 R >>"


def paged(content, kids="3 0 R", more=(), page=PAGE):
    return pdf([CATALOG, f"<< /Type /Pages /Kids [{kids}] /Count 1 >>", page, content, FONT, *more])


def pdf_bomb(scale):
    packed = bomb(b"BT /A 9 Tf ", b"(x) Tj " * 150_000, int(900 * scale) + 1, b"ET", 15)
    return paged(stream(packed, "/Filter /FlateDecode"))


def cyclic_forms(_scale):
    form = stream(b"/X Do /X Do BT /A 9 Tf (x) Tj ET", "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >>")
    return paged(stream(b"/X Do"), more=[form])


def notebook(cells):
    return b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [' + cells + b"]}"


def cells(scale):
    return notebook(b",".join([b'{"cell_type":"code","source":"x","outputs":[]}'] * int(1_000_000 * scale)))


def filled(before, fill, scale, after="", size=60 * MB):
    count = max(1, int(size * scale) // len(fill))
    return (before + fill * count + after).encode()


def kinds():
    """Returns the documents: for each name a function of the scale."""
    found = {}
    for format_ in PARAGRAPHS:
        found[f"bomb.{format_}"] = lambda scale, format_=format_: bombed(format_, scale)
        found[f"nested.{format_}"] = lambda scale, format_=format_: nested(format_, scale)
        found[f"laughs.{format_}"] = lambda scale, format_=format_: laughs(format_, scale)
    for extension in ("hwp", "msg", "doc", "xls", "ppt"):
        found[f"cyclic-fat.{extension}"] = lambda _, extension=extension: cyclic_fat(extension)
        found[f"cyclic-tree.{extension}"] = lambda _, extension=extension: cyclic_tree(extension)
    flat = f'<office:document {ODF} office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text>'
    found |= {
        "repeated-cells.ods": repeated_cells,
        "far-cells.xlsx": far_cells,
        "shared-string.xlsx": shared_string,
        "equal-chapters.epub": equal_chapters,
        "aliased-chapters.epub": aliased_chapters,
        "slide-again.pptx": slide_again,
        "many-entries.docx": many_entries,
        "lying-directory.docx": lying_directory,
        "long-styles.docx": long_styles,
        "spaces.odt": lambda _: package("odt", '<text:p>a<text:s text:c="2147483647"/>b</text:p>' * 1000),
        "span.hwpx": lambda _: package("hwpx", '<hp:p><hp:run><hp:tbl rowCnt="4294967295" colCnt="4294967295"><hp:tr><hp:tc><hp:subList><hp:p><hp:run><hp:t>x</hp:t></hp:run></hp:p></hp:subList><hp:cellSpan colSpan="4294967295" rowSpan="4294967295"/></hp:tc></hp:tr></hp:tbl></hp:run></hp:p>'),
        "headers.zip.docx": lambda scale: b"PK\3\4" * int(15 * MB * scale),
        "claimed-records.hwp": claimed_records,
        "nested-records.hwp": nested_records,
        "section-bomb.hwp": section_bomb,
        "claimed-fat.hwp": lambda _: hangul(b"x").file(fat_sectors=0xFFFFFFFF, difat=0),
        "nested.fodt": lambda scale: filled(flat, "<text:list>", scale),
        "laughs.fodt": lambda _: (LAUGHS + flat + "<text:p>&a9;</text:p></office:text></office:body></office:document>").encode(),
        "nested.html": lambda scale: filled("<!DOCTYPE html>", "<div>", scale),
        "items.html": lambda scale: filled("<!DOCTYPE html><li><ul>" + "<div>" * 240, "<li></li>", scale),
        "nested-tables.html": lambda scale: filled("<!DOCTYPE html>", "<table><tr><td>", scale),
        "spans.html": lambda scale: filled("<!DOCTYPE html><table>", "<td colspan=1000 rowspan=65534>x", scale, size=20 * MB),
        "attribute.html": lambda scale: filled("<!DOCTYPE html><p title='", "x", scale),
        "attributes.html": lambda scale: filled("<!DOCTYPE html><p ", "a=b ", scale),
        "comment.html": lambda scale: filled("<!DOCTYPE html><!--", "-", scale),
        "links.html": lambda scale: filled("<!DOCTYPE html>", "<a href=a>", scale),
        "entities.html": lambda scale: filled("<!DOCTYPE html><p>", "&amp;", scale),
        "unclosed.html": lambda scale: filled("<!DOCTYPE html><p>", "<", scale),
        "svg.html": lambda scale: filled("<!DOCTYPE html>", "<svg><math>", scale),
        "headings.html": lambda scale: filled("<!DOCTYPE html><title>a</title>", "<h1>b", scale),
        "laughs.xhtml": lambda _: (LAUGHS + '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>&a9;</p></body></html>').encode(),
        "groups.rtf": lambda scale: filled("{\\rtf1 begin", "{", scale),
        "tables.rtf": lambda scale: filled("{\\rtf1 ", "\\trowd\\cellx1\\cell\\row", scale),
        "nested-tables.rtf": lambda scale: filled("{\\rtf1 ", "\\intbl\\itap999 x\\nestcell", scale),
        "bin.rtf": lambda _: b"{\\rtf1 begin \\bin2147483647 x}",
        "uc.rtf": lambda scale: filled("{\\rtf1 \\uc2147483647", "\\u44032 ", scale, "}"),
        "fields.rtf": lambda scale: filled("{\\rtf1 ", "{\\field{\\*\\fldinst HYPERLINK x}{\\fldrslt ", scale),
        "styles.rtf": lambda scale: filled("{\\rtf1{\\stylesheet", "{\\s1 a;}", scale, "}x}"),
        "nested-parts.eml": nested_parts,
        "boundaries.eml": many_boundaries,
        "near-boundaries.eml": near_boundaries,
        "header.eml": lambda scale: message(filled("X-A: ", "x", scale).decode(), "", "x"),
        "folded.eml": lambda scale: message(filled("Subject: a", "\r\n =?utf-8?q?x?=", scale).decode(), "", "x"),
        "addresses.eml": lambda scale: message(filled("To: ", "a@example.org, ", scale).decode(), "", "x"),
        "parameters.eml": lambda scale: message(filled("Content-Type: text/plain", "; a*0=b", scale).decode(), "", "x"),
        "fields.eml": lambda scale: message(*["To: a"] * int(6_000_000 * scale), "", "x"),
        "base64.eml": lambda scale: encoded("base64", base64.encodebytes(b"x" * int(44 * MB * scale))),
        "quoted.eml": lambda scale: encoded("quoted-printable", filled("", "=78=\r\n", scale)),
        "page.eml": lambda scale: message("Content-Type: text/html", "", filled("", "<blockquote>", scale).decode()),
        "messages.mbox": lambda scale: filled("", "From a@example.org Mon Jan  1 00:00:00 2024\nFrom: a\nTo: b\n\nx\n\n", scale),
        "cyclic-pages.pdf": lambda _: paged(stream(b"x"), kids="2 0 R 3 0 R 2 0 R"),
        "pages.pdf": lambda scale: paged(stream(b"BT /A 9 Tf (x) Tj ET"), kids="3 0 R " * int(1_000_000 * scale)),
        "bomb.pdf": pdf_bomb,
        "cyclic-forms.pdf": cyclic_forms,
        "states.pdf": lambda scale: paged(stream(filled("", "q ", scale))),
        "arrays.pdf": lambda scale: paged(stream(filled("", "[", scale, size=MB))),
        "nested-objects.pdf": lambda scale: pdf([CATALOG, "<< /Type /Pages /Kids " + "[" * int(1_000_000 * scale)]),
        "same-xref.pdf": lambda _: pdf([CATALOG], "/Root 1 0 R /Prev 9"),
        "cells.ipynb": cells,
        "nested.ipynb": lambda scale: notebook(b'{"cell_type":"raw","source":' + b"[" * int(1_000_000 * scale)),
        "string.ipynb": lambda scale: notebook(b'{"cell_type":"raw","source":"' + b"\\u0041" * int(9 * MB * scale) + b'"}'),
        "keys.ipynb": lambda scale: notebook(b'{"cell_type":"raw"' + b',"source":"x"' * int(4 * MB * scale) + b"}"),
        "outputs.ipynb": lambda scale: notebook(b'{"cell_type":"code","source":"","outputs":[' + b",".join([b'{"output_type":"display_data","data":{"text/html":"<b>x"}}'] * int(800_000 * scale)) + b"]}"),
    }
    return found
