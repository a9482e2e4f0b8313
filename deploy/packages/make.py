"""Makes the packages of docent from programs that are compiled, without the network.

Usage: make.py OUT TRIPLE=PROGRAM...; one of the programs has to run on this machine. OUT is made,
or emptied of what it holds. DOCENT_PACKAGES is the place of the tools that `fetch` installs.
"""

import hashlib
import os
import pathlib
import platform
import subprocess
import sys

import crates
from contents import COMPLETIONS, read_contents
from formats import deb, mcpb, notices, npm, oci, registry, sbom, tarball, wheel
from project import TARGETS, Refused, read_program, read_project

SUMS = "SHA256SUMS"


def packages(project, programs, docent):
    """Yields the packages by the names of their files; `docent` is a program that runs here."""
    targets = [program.target for program in programs]
    inside = {target.triple: crates.find_program_crates(target) for target in targets}
    union = {crate.key: crate for some in inside.values() for crate in some}
    texts = notices.make([union[key] for key in sorted(union)], licence_of_musl())
    contents = read_contents(docent, texts)

    bundles = {}
    for program in programs:
        target = program.target
        bill = sbom.make(project, "docent", inside[target.triple])
        yield f"docent-{project.version}-{target.triple}.cdx.json", bill
        archive = tarball.make(project, program, contents)
        yield f"{tarball.name(project, target)}.tar.gz", archive
        yield deb.name(project, target), deb.make(project, program, contents)
        platform_package = npm.platform_name(project, target)
        yield (
            npm.file_name(project, platform_package),
            npm.make_platform(project, program, contents),
        )
        yield wheel.name(project, target), wheel.make(project, program, contents, bill)
        bundle = mcpb.make(project, program, contents)
        bundles[mcpb.name(project, target)] = bundle
        yield mcpb.name(project, target), bundle

    launcher = npm.make_launcher(project, targets, contents)
    yield npm.file_name(project, project.package), launcher
    yield "server.json", registry.make(project, bundles)

    wasm = subprocess.run([docent, "component"], capture_output=True, check=True).stdout
    yield f"docent-{project.version}.wasm", wasm
    bill = sbom.make(project, "docent.wasm", crates.find_component_crates())
    yield f"docent-{project.version}.wasm.cdx.json", bill
    yield f"docent-component-{project.version}.oci.tar", oci.make_component(project, wasm)
    image = oci.make_image(project, programs, contents)
    yield f"docent-image-{project.version}.oci.tar", image

    for shell, script in contents.completions.items():
        yield COMPLETIONS[shell] if shell != "bash" else "docent.bash", script
    yield "docent.1", contents.manual["docent.1"]


def licence_of_musl():
    """Returns the licence of the C library that comes with the compiler."""
    tools = pathlib.Path(os.environ["DOCENT_PACKAGES"])
    found = sorted(tools.glob("zig/lib/python*/site-packages/ziglang/lib/libc/musl/COPYRIGHT"))
    if not found:
        raise Refused(f"`{tools}` has no C compiler; run deploy/packages/fetch")
    return found[0].read_text()


def main(out, named):
    """Makes the packages, and the list of their digests."""
    project = read_project()
    paths = dict(argument.split("=", 1) for argument in named)
    unknown = sorted(set(paths) - set(TARGETS))
    if unknown or not paths:
        raise Refused(f"unknown targets {unknown}; expected some of {', '.join(TARGETS)}")
    programs = [
        read_program(target, pathlib.Path(paths[triple]))
        for triple, target in TARGETS.items()
        if triple in paths
    ]
    here = next(
        (path for triple, path in paths.items() if triple.startswith(platform.machine())), None
    )
    if here is None:
        raise Refused(f"no program is for this machine ({platform.machine()}); expected one")
    out.mkdir(parents=True, exist_ok=True)
    for old in out.iterdir():
        old.unlink()
    sums = []
    for name, data in packages(project, programs, pathlib.Path(here).resolve()):
        (out / name).write_bytes(data)
        sums.append(f"{hashlib.sha256(data).hexdigest()}  {name}\n")
        print(f"{len(data):>12,}  {name}".replace(",", " "))
    (out / SUMS).write_text("".join(sorted(sums, key=lambda line: line.split()[1])))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    try:
        main(pathlib.Path(sys.argv[1]), sys.argv[2:])
    except Refused as refusal:
        sys.exit(f"make.py: {refusal}")
