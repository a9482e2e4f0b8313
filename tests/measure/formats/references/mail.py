"""Mail and mailboxes."""
import base64
import email
import email.policy
import mailbox
import quopri
import re

from references.pages import decode, page
from references.reference import Reference


def eml(path):
    with open(path, "rb") as file:
        content = file.read()
    if content.startswith(b"\xd0\xcf\x11\xe0"):
        raise ValueError("a message of Outlook")
    # Files of UTF-16, which no mail is sent in, with and without a mark.
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        content = content.decode("utf-16", "replace").encode()
    for encoding in ("utf-16-le", "utf-16-be"):
        if content[:8].count(0) == 4 and content[:8].decode(encoding, "replace").isascii():
            content = content.decode(encoding).encode()
    return message(email.message_from_bytes(whole_header(content), policy=email.policy.default))


FIELD = re.compile(rb"[!-9;-~]+[ \t]*:")
KNOWN = re.compile(rb"(from|to|cc|subject|date|received|message-id|mime-version|content-[a-z-]+|reply-to)[ \t]*:", re.I)


def whole_header(content):
    """Returns a mail without the lines in its header that are no fields, for which Python takes the rest of the header as
    text, and with it all parts in base 64: a mark of UTF-8, empty lines, `>From `, fields that lost their indentation."""
    content = content.removeprefix(b"\xef\xbb\xbf").lstrip()
    end = re.search(rb"\r?\n\r?\n", content)
    lines = content[: end.start() if end else len(content)].split(b"\n")
    kept = []
    for at, line in enumerate(lines):
        if FIELD.match(line) or line[:1] in (b" ", b"\t") or at == 0 and line.startswith(b"From "):
            kept.append(line)
        elif not any(map(KNOWN.match, lines[at + 1 :])):
            # The text begins without an empty line.
            return b"\n".join([*kept, b"", *lines[at:]]) + (content[end.start() :] if end else b"")
    return b"\n".join(kept) + (content[end.start() :] if end else b"")


def mbox(path):
    reference = Reference()
    for each in mailbox.mbox(path, factory=lambda file: email.message_from_binary_file(file, policy=email.policy.default)):
        reference.add(message(each))
    return reference


def message(mail):
    reference = Reference()
    for name in ("subject", "from", "to", "cc"):
        # Bytes without an encoding are not known.
        value = str(mail[name] or "")
        if value and "\ufffd" not in value:
            reference.texts.append(value)
            if name == "subject":
                reference.headings.append(value)
    names = filter(None, map(file_name, own_parts(mail)))
    reference.names.extend(name for name in names if "\ufffd" not in name)
    body = mail.get_body(("plain", "html"))
    if body is not None:
        # Words with bytes of an encoding that nothing names.
        content = re.sub(r"[^\W_]*\ufffd[^\s<]*", " ", text_of(body))
        if body.get_content_type() == "text/html":
            reference.texts.extend(page(content).texts)
        else:
            reference.texts.extend(content.split("\n"))
    return reference


def file_name(part):
    """Returns the name of an attachment. A backslash in it, as in a path of Windows, is itself, and escapes none but quotes."""
    for field, name in (("content-disposition", "filename"), ("content-type", "name")):
        raw = next((str(value) for key, value in part.raw_items() if key.lower() == field), "")
        if found := re.search(rf'\b{name}="([A-Za-z]:\\[^"=?]*)"', raw):
            return found[1]
    return part.get_filename()


# Encodings by the names that mail gives them, where those that Python has are narrower than what programs write.
WIDER = {
    "gb2312": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030", "euc-kr": "cp949", "ks_c_5601-1987": "cp949",
    "shift_jis": "cp932", "iso-8859-1": "cp1252", "x-mac-cyrillic": "mac_cyrillic", "iso-2022-jp": "iso2022_jp_2",
}


def text_of(part):
    """Returns the text of a part. Python takes a name of an encoding for unknown if anything follows it, such as a semicolon."""
    raw = next((str(value) for key, value in part.raw_items() if key.lower() == "content-transfer-encoding"), "")
    transfer = re.match(r"[\w-]*", raw.strip())[0].lower()
    decoded = part.get_payload(decode=True)
    del part["content-transfer-encoding"]
    # The bytes as they are in the file; none if there are parts, although the type has none.
    content = part.get_payload(decode=True) or b""
    if transfer == "quoted-printable":
        content = quopri.decodestring(content)
    elif transfer == "base64":
        content = from_base64(content)
    elif "uu" in transfer:
        content = decoded or b""
    label = (part.get_content_charset() or "").strip("\"' ").lower()
    if label in ("", "us-ascii", "ascii", "unknown-8bit"):
        # A page may tell its encoding itself.
        if part.get_content_type() == "text/html" and re.search(rb"<meta[^>]*charset", content[:2048], re.I):
            return decode(content)
        return content.decode("utf-8", "replace") if is_utf_8(content) else content.decode("ascii", "replace")
    # A text that was saved anew as UTF-8 keeps its old label. No other text is UTF-8 by chance.
    if is_utf_8(content) and not label.startswith(("iso-2022", "utf-7", "utf-16")):
        return content.decode()
    return content.decode(WIDER.get(label, label), "replace")


def is_utf_8(content):
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def from_base64(content):
    """Decodes base 64, or returns plain text that is labelled as such."""
    lines = content.split(b"\n")
    if sum(b" " in line.strip() for line in lines) * 2 > len(lines):
        return content
    whole = b""
    for piece in re.findall(rb"[A-Za-z0-9+/]+", re.sub(rb"[\s!]", b"", content)):
        whole += base64.b64decode(piece[: len(piece) - (len(piece) % 4 == 1)] + b"===", validate=False)
    return whole


def own_parts(mail):
    """Yields the parts of a message, without those of the messages attached to it."""
    for part in mail.iter_parts() if mail.is_multipart() else ():
        yield part
        if part.get_content_maintype() == "multipart":
            yield from own_parts(part)


# Encodings by the number of a language.
CODE_PAGES = {
    1025: "cp1256", 1028: "cp950", 1029: "cp1250", 1032: "cp1253", 1037: "cp1255", 1038: "cp1250", 1041: "cp932",
    1042: "cp949", 1045: "cp1250", 1049: "cp1251", 1054: "cp874", 1055: "cp1254", 1058: "cp1251", 2052: "gbk",
}


def msg(path):
    import olefile

    def value(folder, name, container):
        for kind, encoding in (("001F", "utf-16-le"), ("001E", None)):
            entry = [*folder, f"__substg1.0_{name}{kind}"]
            if container.exists(entry):
                content = container.openstream(entry).read()
                # Some programs write UTF-16 into a text of single bytes.
                if encoding is None and len(content) % 2 == 0 and 0 < len(content) == 2 * content[1::2].count(0):
                    encoding = "utf-16-le"
                return content.decode(encoding or codepage, "replace").rstrip("\0")
        return ""

    reference = Reference()
    with olefile.OleFileIO(path) as container:
        codepage = "cp1252"
        properties = container.openstream("__properties_version1.0").read()
        for at in range(32, len(properties) - 15, 16):
            tag, number = (int.from_bytes(properties[part : part + 4], "little") for part in (at, at + 8))
            # PidTagMessageLocaleId, PidTagMessageCodepage
            if tag == 0x3FF10003:
                codepage = CODE_PAGES.get(number, codepage)
            elif tag == 0x3FFD0003:
                codepage = {65001: "utf-8", 28591: "cp1252", 20127: "cp1252"}.get(number, f"cp{number}")
        subject = value([], "0037", container)
        if subject:
            reference.headings.append(subject)
        reference.texts.append(subject)
        for name in ("0C1A", "0E04", "0E03"):
            reference.texts.append(value([], name, container))
        body = value([], "1000", container)
        if body.strip():
            reference.texts.extend(body.split("\n"))
        elif container.exists("__substg1.0_10130102"):
            content = container.openstream("__substg1.0_10130102").read()
            reference.texts.extend(page(decode(content)).texts)
        folders = {entry[0] for entry in container.listdir() if entry[0].startswith("__attach_version1.0_")}
        for folder in sorted(folders):
            name = value([folder], "3707", container) or value([folder], "3704", container)
            if name:
                reference.names.append(name)
    return reference
