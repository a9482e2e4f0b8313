"""Mail and mailboxes."""
import email
import email.policy
import mailbox
import re

from references.pages import decode, page
from references.reference import Reference


def eml(path):
    with open(path, "rb") as file:
        content = file.read()
    # Files of UTF-16, which no mail is sent in.
    for encoding in ("utf-16-le", "utf-16-be"):
        if content[:8].count(0) == 4 and content[:8].decode(encoding, "replace").isascii():
            content = content.decode(encoding).encode()
    return message(email.message_from_bytes(content, policy=email.policy.default))


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
    reference.names.extend(filter(None, (part.get_filename() for part in own_parts(mail))))
    body = mail.get_body(("plain", "html"))
    if body is not None:
        content = body.get_content()
        if body.get_content_type() == "text/html":
            reference.texts.extend(page(content).texts)
        else:
            # Words with bytes of an encoding that nothing names.
            reference.texts.extend(re.sub(r"[^\W_]*\ufffd[^\s]*", " ", content).split("\n"))
    return reference


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
