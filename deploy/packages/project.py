"""The project as Cargo and the repository know it: read there, and written nowhere twice."""

import json
import os
import pathlib
import re
import subprocess
from dataclasses import dataclass

WORKSPACE = pathlib.Path(__file__).resolve().parents[2]

# The times of zip files begin here.
FIRST_TIME = 315_532_800


class Refused(Exception):
    """A package that cannot be made, with the reason."""


@dataclass(frozen=True)
class Target:
    """A kind of machine, by the names that each kind of package has for it."""

    triple: str
    # The machine in the header of an ELF file.
    elf: int
    debian: str
    node: str
    wheel: str
    image: str


# A static program asks for no C library. Wheels name the oldest ones that installers look for.
TARGETS = {
    target.triple: target
    for target in (
        Target(
            triple="x86_64-unknown-linux-musl",
            elf=62,
            debian="amd64",
            node="x64",
            wheel="manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
            image="amd64",
        ),
        Target(
            triple="aarch64-unknown-linux-musl",
            elf=183,
            debian="arm64",
            node="arm64",
            wheel="manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
            image="arm64",
        ),
    )
}


@dataclass(frozen=True)
class Project:
    """The project, as packages describe it."""

    version: str
    description: str
    summary: str
    licence: str
    maintainer: str
    # The name in registries of packages, and of the command that runs a package unpacked.
    package: str
    # The name in the registry of MCP servers.
    server: str
    repository: str
    # Seconds since 1970: of the commit, for everything that has a time.
    time: int
    commit: str

    @property
    def downloads(self):
        """The address below which the files of a release lie; binstall's metadata knows it, too."""
        return f"{self.repository}/releases/download/v{self.version}"


@dataclass(frozen=True)
class Program:
    """A program for one kind of machine."""

    target: Target
    binary: bytes


def run(*command):
    """Returns what a command prints."""
    done = subprocess.run(command, cwd=WORKSPACE, capture_output=True, text=True)
    if done.returncode != 0:
        raise Refused(f"`{' '.join(map(str, command))}` has failed:\n{done.stderr}")
    return done.stdout


def cargo_metadata(*arguments):
    """Returns what `cargo metadata` says, without the network."""
    command = ["cargo", "metadata", "--format-version=1", "--locked", "--offline", *arguments]
    return json.loads(run(*command))


def read_project():
    """Returns the project as it is in the commit that is checked out."""
    metadata = cargo_metadata("--no-deps")
    program = next(package for package in metadata["packages"] if package["name"] == "docent")
    packages = metadata["metadata"]["packages"]
    time = int(os.environ.get("SOURCE_DATE_EPOCH") or run("git", "log", "-1", "--format=%ct"))
    return Project(
        version=program["version"],
        description=program["description"],
        summary=first_sentence((WORKSPACE / "README.md").read_text()),
        licence=program["license"],
        maintainer=packages["maintainer"],
        package=packages["package"],
        server=packages["server"],
        repository=program["repository"],
        time=max(time, FIRST_TIME),
        commit=run("git", "rev-parse", "HEAD").strip(),
    )


def first_sentence(markdown):
    """Returns the first sentence below the heading of a page."""
    paragraph = re.split(r"\n\s*\n", markdown)[1]
    return re.match(r".*?[.](?=\s|$)", paragraph, re.DOTALL)[0].replace("\n", " ")


def read_program(target, path):
    """Returns the program in a file, if it is static and for this kind of machine.

    Each package promises that it runs whatever C library a machine has.
    """
    binary = path.read_bytes()
    if binary[:6] != b"\x7fELF\x02\x01":
        raise Refused(f"`{path}` is no program for 64-bit Linux")
    machine = int.from_bytes(binary[18:20], "little")
    if machine != target.elf:
        raise Refused(f"`{path}` is for machine {machine}; expected {target.elf}, {target.triple}")
    start, size, count = (
        int.from_bytes(binary[at : at + length], "little")
        for at, length in ((32, 8), (54, 2), (56, 2))
    )
    kinds = {
        int.from_bytes(binary[at : at + 4], "little")
        for at in range(start, start + size * count, size)
    }
    # PT_INTERP: a program that asks for a loader.
    if 3 in kinds:
        raise Refused(f"`{path}` needs a C library; expected a static program")
    return Program(target, binary)
