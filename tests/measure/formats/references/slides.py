"""Presentations of Office Open XML."""
import posixpath
import zipfile

from references.reference import Reference, local, parse


def relationships(package, part):
    """Returns the relationships of a part: id to (kind, part)."""
    folder, name = posixpath.split(part)
    try:
        xml = parse(package.read(posixpath.join(folder, "_rels", name + ".rels")))
    except KeyError:
        return {}
    found = {}
    for element in xml:
        target = element.get("Target", "")
        if element.get("TargetMode") == "External":
            continue
        target = target[1:] if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
        found[element.get("Id")] = (element.get("Type", "").rsplit("/", 1)[-1], target)
    return found


# Placeholders that repeat on each slide.
REPEATED = ("sldNum", "dt", "ftr", "hdr")


def placeholder(shape):
    return next((each.get("type") for each in shape.iter() if local(each) == "ph"), None)


def drawn_texts(element):
    """Yields the paragraphs below an element of DrawingML."""
    kind = local(element)
    if kind in ("sp", "pic", "graphicFrame") and placeholder(element) in REPEATED:
        return
    if kind in ("extLst", "timing"):
        return
    if kind == "AlternateContent":
        # The first alternative with text; the others say the same for older programs.
        for alternative in element:
            texts = list(drawn_texts(alternative))
            if any(text.strip() for text in texts):
                yield from texts
                return
        return
    if kind == "p":
        yield "".join(runs(element))
        return
    for child in element:
        yield from drawn_texts(child)


def runs(element):
    kind = local(element)
    if kind == "fld" and element.get("type") == "slidenum":
        return
    if kind == "t":
        yield element.text or ""
    elif kind == "br":
        yield " "
    else:
        for child in element:
            yield from runs(child)


def pptx(path):
    package = zipfile.ZipFile(path)
    main = next(part for kind, part in relationships(package, "").values() if kind == "officeDocument")
    related = relationships(package, main)
    reference = Reference()
    for listed in parse(package.read(main)).iter():
        if local(listed) != "sldId":
            continue
        part = related[next(value for key, value in listed.attrib.items() if key.startswith("{"))][1]
        slide = parse(package.read(part))
        reference.texts.extend(drawn_texts(slide))
        for shape in slide.iter():
            if local(shape) == "sp" and placeholder(shape) in ("title", "ctrTitle"):
                title = " ".join(drawn_texts(shape)).strip()
                if title:
                    reference.headings.append(title)
                break
        for row in slide.iter():
            if local(row) == "tr":
                cells = [cell for cell in row if local(cell) == "tc"]
                reference.rows.append([" ".join(drawn_texts(cell)) for cell in cells])
        for kind, target in relationships(package, part).values():
            if kind not in ("notesSlide", "diagramData", "chart") or target not in package.namelist():
                continue
            xml = parse(package.read(target))
            if kind == "notesSlide":
                reference.texts.extend(drawn_texts(xml))
            elif kind == "chart":
                reference.texts.extend(chart_texts(xml))
            else:
                for point in xml.iter():
                    if local(point) == "pt" and point.get("type") != "pres":
                        reference.texts.extend(drawn_texts(point))
    return reference


def chart_texts(xml):
    """Yields the titles, series and categories of a chart, each once; its numbers are shown in many ways."""
    categories = set()
    for title in xml.iter():
        if local(title) == "title":
            yield from drawn_texts(title)
    for series in xml.iter():
        if local(series) != "ser":
            continue
        for part in series:
            texts = [value.text or "" for value in part.iter() if local(value) == "v"]
            if local(part) == "tx":
                yield from texts
            elif local(part) == "cat" and any(local(each) in ("strCache", "multiLvlStrCache") for each in part.iter()):
                yield from (text for text in texts if text not in categories)
                categories.update(texts)
