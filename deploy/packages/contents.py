"""The files beside the program in packages: completions, manual pages, licences, documents."""

import pathlib
import subprocess
import tempfile
from dataclasses import dataclass

from project import WORKSPACE, Refused

# The names under which shells look for completions.
COMPLETIONS = {"bash": "docent", "zsh": "_docent", "fish": "docent.fish"}

LICENCES = ("LICENSE-Apache-2.0_WITH_LLVM-exception", "LICENSE-MIT", "LICENSE-APACHE")
DOCUMENTS = ("README.md", "CHANGELOG.md")


@dataclass(frozen=True)
class Contents:
    """Files by their names; those of completions by their shells."""

    completions: dict
    manual: dict
    licences: dict
    documents: dict
    # The texts of other people's licences.
    notices: bytes


def read_contents(docent, notices):
    """Returns the contents, of which `docent`, a program that runs here, prints a part."""

    def print_with(*arguments):
        done = subprocess.run([docent, "generate", *arguments], capture_output=True)
        if done.returncode != 0:
            raise Refused(f"`{docent} generate` has failed:\n{done.stderr.decode()}")
        return done.stdout

    completions = {shell: print_with("completions", shell) for shell in COMPLETIONS}
    with tempfile.TemporaryDirectory() as directory:
        print_with("man", directory)
        pages = sorted(pathlib.Path(directory).iterdir())
        manual = {page.name: page.read_bytes() for page in pages}
    return Contents(
        completions=completions,
        manual=manual,
        licences={name: (WORKSPACE / name).read_bytes() for name in LICENCES},
        documents={name: (WORKSPACE / name).read_bytes() for name in DOCUMENTS},
        notices=notices,
    )
