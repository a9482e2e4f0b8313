"""The crates that are compiled into the program and into the component."""

import pathlib
import re
import tomllib
from dataclasses import dataclass

from project import WORKSPACE, cargo_metadata, run

COMPONENT = "wasm32-wasip2"
# The crates of the component's parts: the main component with its readers, and what takes the
# place of an embedder.
PARTS = ("docent-component", "docent-extract-component", "docent-no-embedder-component")
# The component of the program's own encoder, which is not in the published component.
ENCODER = "docent-embed-component"


@dataclass(frozen=True)
class Crate:
    """A crate that is compiled in."""

    name: str
    version: str
    licence: str
    description: str
    # The SHA-256 of what the registry has; none for crates of the workspace.
    checksum: str
    directory: pathlib.Path
    # The names and versions of the crates that it needs.
    needs: tuple

    @property
    def key(self):
        """Name and version, which no two crates share."""
        return f"{self.name}@{self.version}"


def find_component_crates():
    """Returns the crates in the published component."""
    return compiled(PARTS, COMPONENT)


def find_program_crates(target):
    """Returns the crates in the program, which contains the component."""
    parts = compiled((*PARTS, ENCODER), COMPONENT)
    both = {crate.key: crate for crate in parts}
    for crate in compiled(("docent",), target.triple):
        known = both.get(crate.key)
        needs = sorted({*crate.needs, *(known.needs if known else ())})
        both[crate.key] = Crate(**{**crate.__dict__, "needs": tuple(needs)})
    return [both[key] for key in sorted(both)]


def compiled(roots, triple):
    """Returns these crates and all that they need, without macros and build scripts."""
    keys = set()
    for root in roots:
        keys |= tree(root, triple)
    metadata = cargo_metadata("--filter-platform", triple)
    lock = tomllib.loads((WORKSPACE / "Cargo.lock").read_text())["package"]
    sums = {f"{entry['name']}@{entry['version']}": entry.get("checksum") for entry in lock}
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}

    def key_of(identity):
        return f"{packages[identity]['name']}@{packages[identity]['version']}"

    crates = []
    for identity, package in packages.items():
        key = key_of(identity)
        if key not in keys:
            continue
        needs = {
            key_of(need["pkg"])
            for need in nodes[identity]["deps"]
            if any(kind["kind"] is None for kind in need["dep_kinds"])
        }
        crates.append(
            Crate(
                name=package["name"],
                version=package["version"],
                # The old way to write a choice.
                licence=(package["license"] or "").replace("/", " OR "),
                description=" ".join((package["description"] or "").split()),
                checksum=sums[key],
                directory=pathlib.Path(package["manifest_path"]).parent,
                needs=tuple(sorted(needs & keys)),
            )
        )
    return sorted(crates, key=lambda crate: crate.key)


def tree(root, triple):
    """Returns names and versions of the crates that one is compiled from, with its features."""
    printed = run(
        *("cargo", "tree", "--locked", "--offline", "--package", root, "--target", triple),
        *("--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}"),
    )
    named = re.findall(r"^(\S+) v(\S+)", printed, re.MULTILINE)
    return {f"{name}@{version}" for name, version in named}
