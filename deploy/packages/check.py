"""Checks the packages of docent: each is validated, or installed into an empty place and run there.

Usage: check.py ARTIFACTS [WORD]; those checks whose names hold WORD. DOCENT_PACKAGES is the place
of the tools that `fetch` installs.
"""

import pathlib
import sys
import time

from checks import described, launched, layouts, unpacked
from checks.place import Failed, LeftOut
from formats import tarball
from project import TARGETS, Refused, read_project

# Checks of all packages together, and those for each kind of machine.
ONCE = {
    "sums": described.check_sums,
    "bills": described.check_bills,
    "server.json": described.check_entry,
    "npm": launched.check_npm,
    "wheel": launched.check_wheel,
    "layouts": layouts.check_blobs,
    "component": layouts.check_component,
    "again": described.check_again,
}
EACH = {
    "archive": unpacked.check_archive,
    "completions": unpacked.check_completions,
    "manual": unpacked.check_manual,
    "deb": unpacked.check_deb,
    "deb-style": unpacked.check_deb_style,
    "wheel-style": launched.check_wheel_style,
    "bundle": launched.check_bundle,
    "image": layouts.check_image,
}


def main(artifacts, word):
    """Runs the checks, and returns the exit code."""
    project = read_project()
    made = [
        target
        for target in TARGETS.values()
        if (artifacts / f"{tarball.name(project, target)}.tar.gz").exists()
    ]
    if not made:
        raise Refused(f"`{artifacts}` has no packages of version {project.version} (just dist)")
    planned = [
        (f"{name} {target.triple}", check, target)
        for target in made
        for name, check in EACH.items()
    ]
    planned += [(name, check, None) for name, check in ONCE.items()]
    failed = 0
    for name, check, target in planned:
        if word not in name:
            continue
        start = time.monotonic()
        try:
            told = check(artifacts, project, target)
        except LeftOut as reason:
            told = f"left out: {reason}"
        except Failed as reason:
            told = f"FAILED: {reason}"
            failed += 1
        print(f"{name} ({time.monotonic() - start:.0f} s): {told}", flush=True)
    if failed:
        print(f"{failed} checks have failed")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    try:
        sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), "".join(sys.argv[2:])))
    except Refused as refusal:
        sys.exit(f"check.py: {refusal}")
