"""The package for Debian and its relatives."""

import email.utils
import hashlib
import lzma
import textwrap

from contents import COMPLETIONS
from formats.archive import File, gzipped, tar

PLACES = {
    "bash": "usr/share/bash-completion/completions",
    "zsh": "usr/share/zsh/vendor-completions",
    "fish": "usr/share/fish/vendor_completions.d",
}
SHARED = "usr/share/doc/docent"
COMMON = "/usr/share/common-licenses/Apache-2.0"
EXCEPTION = "--- LLVM Exceptions to the Apache 2.0 License ----"

# One program for every machine, whichever C library it has; and ports to Rust of libraries in C,
# whose messages it has, are not these.
OVERRIDES = """\
docent: statically-linked-binary [usr/bin/docent]
docent: embedded-library freetype [usr/bin/docent]
docent: embedded-library libyaml [usr/bin/docent]
"""


def name(project, target):
    """Returns the name of the package's file."""
    return f"docent_{project.version}_{target.debian}.deb"


def make(project, program, contents):
    """Returns the package."""
    files = installed(project, program, contents)
    data = tar(files, project.time, prefix="./")
    sums = "".join(
        f"{hashlib.md5(file.data).hexdigest()}  {path}\n" for path, file in sorted(files.items())
    )
    size = sum(len(file.data) // 1024 + 1 for file in files.values())
    about = {
        "control": File(control(project, program.target, size).encode()),
        "md5sums": File(sums.encode()),
    }
    return ar(
        {
            "debian-binary": b"2.0\n",
            "control.tar.xz": lzma.compress(tar(about, project.time, prefix="./")),
            "data.tar.xz": lzma.compress(data),
        },
        project.time,
    )


def installed(project, program, contents):
    """Returns the files of the package by their paths."""
    files = {"usr/bin/docent": File(program.binary, executable=True)}
    for shell, script in contents.completions.items():
        files[f"{PLACES[shell]}/{COMPLETIONS[shell]}"] = File(script)
    for page, text in contents.manual.items():
        files[f"usr/share/man/man1/{page}.gz"] = File(gzipped(text))
    files[f"{SHARED}/copyright"] = File(copyright_of(project, contents.licences).encode())
    files[f"{SHARED}/changelog.gz"] = File(gzipped(changelog(project).encode()))
    files[f"{SHARED}/NOTICES.gz"] = File(gzipped(contents.notices))
    files[f"{SHARED}/README.md"] = File(contents.documents["README.md"])
    files["usr/share/lintian/overrides/docent"] = File(OVERRIDES.encode())
    return files


def control(project, target, size):
    """Returns what dpkg wants to know."""
    synopsis = "search, read and edit documents in granted directories"
    described = textwrap.fill(
        project.summary, 78, initial_indent=" ", subsequent_indent=" ", break_on_hyphens=False
    )
    return (
        f"Package: docent\nVersion: {project.version}\nArchitecture: {target.debian}\n"
        f"Maintainer: {project.maintainer}\nInstalled-Size: {size}\n"
        f"Section: text\nPriority: optional\nHomepage: {project.repository}\n"
        f"Description: {synopsis}\n{described}\n"
    )


def changelog(project):
    """Returns the changelog as Debian has it."""
    date = email.utils.formatdate(project.time)
    return (
        f"docent ({project.version}) stable; urgency=medium\n\n"
        f"  * CHANGELOG.md in the sources says what is new.\n\n"
        f" -- {project.maintainer}  {date}\n"
    )


def copyright_of(project, licences):
    """Returns the licences; what Debian has on every machine is named by its place."""
    apache = licences["LICENSE-Apache-2.0_WITH_LLVM-exception"].decode()
    exception = apache.partition(EXCEPTION)[2].strip()
    return (
        f"docent is licensed under {project.licence}, at your choice.\n"
        f"NOTICES.gz holds the licences of the libraries in it.\n\n"
        f"The text of Apache-2.0 is in {COMMON}.\n\n{EXCEPTION}\n\n{exception}\n\n"
        f"--- MIT ---\n\n{licences['LICENSE-MIT'].decode().strip()}\n"
    )


def ar(members, seconds):
    """Returns the members in the form of ar, which dpkg reads."""
    parts = [b"!<arch>\n"]
    for member, data in members.items():
        header = f"{member:16}{seconds:<12}{0:<6}{0:<6}{0o100644:<8o}{len(data):<10}`\n"
        parts += [header.encode(), data, b"\n" * (len(data) % 2)]
    return b"".join(parts)
