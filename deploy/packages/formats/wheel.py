"""The wheels for Python's installers: a program each, and nothing of Python."""

import base64
import hashlib

from formats.archive import File, zipped


def stem(project):
    """Returns the name and version as wheels write them."""
    return f"{project.package.replace('-', '_')}-{project.version}"


def name(project, target):
    """Returns the name of the wheel's file, which says where it can be installed."""
    return f"{stem(project)}-py3-none-{target.wheel}.whl"


def make(project, program, contents, bill):
    """Returns the wheel; `bill` is the bill of materials of the program."""
    about, scripts = f"{stem(project)}.dist-info", f"{stem(project)}.data/scripts"
    files = {
        f"{scripts}/docent": File(program.binary, executable=True),
        # What `uvx` runs is called as the package is.
        f"{scripts}/{project.package}": File(
            b'#!/bin/sh\nexec "$(dirname "$0")/docent" "$@"\n', executable=True
        ),
        f"{about}/METADATA": File(metadata(project, contents).encode()),
        f"{about}/WHEEL": File(wheel(program.target).encode()),
        f"{about}/licenses/NOTICES": File(contents.notices),
        f"{about}/sboms/docent.cdx.json": File(bill),
    }
    for licence, text in contents.licences.items():
        files[f"{about}/licenses/{licence}"] = File(text)
    files = dict(sorted(files.items()))
    record = "".join(
        f"{path},{digest(file.data)},{len(file.data)}\n" for path, file in files.items()
    )
    files[f"{about}/RECORD"] = File(f"{record}{about}/RECORD,,\n".encode())
    return zipped(files, project.time)


def metadata(project, contents):
    """Returns what installers and indices know of the package."""
    maintainer, _, address = project.maintainer.rstrip(">").partition(" <")
    licences = "".join(f"License-File: {name}\n" for name in [*contents.licences, "NOTICES"])
    readme = contents.documents["README.md"].decode()
    return (
        f"Metadata-Version: 2.4\nName: {project.package}\nVersion: {project.version}\n"
        f"Summary: {project.description}\nMaintainer: {maintainer}\n"
        f"Maintainer-email: {address}\nLicense-Expression: {project.licence}\n{licences}"
        f"Requires-Python: >=3.8\nProject-URL: Repository, {project.repository}\n"
        f"Description-Content-Type: text/markdown\n\n{readme}\n"
        # The registry of MCP servers looks for it.
        f"<!-- mcp-name: {project.server} -->\n"
    )


def wheel(target):
    """Returns what installers need to know of the file."""
    tags = "".join(f"Tag: py3-none-{platform}\n" for platform in target.wheel.split("."))
    return f"Wheel-Version: 1.0\nGenerator: docent\nRoot-Is-Purelib: false\n{tags}"


def digest(data):
    """Returns the digest of a file as the record has it."""
    encoded = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=")
    return f"sha256={encoded.decode()}"
