"""The checks of packages that are unpacked: the archive, and the package for Debian."""

import pathlib
import shutil

from checks.place import Failed, empty, need, run, runner, search
from formats import deb, tarball


def check_archive(artifacts, project, target):
    """Unpacks the archive and searches with its program."""
    name = tarball.name(project, target)
    with empty() as place:
        run("tar", "-xzf", artifacts / f"{name}.tar.gz", "-C", place)
        search(place, *runner(target.triple), place / name / "docent")
        version = run(*runner(target.triple), place / name / "docent", "--version")
        if version != f"docent {project.version}\n":
            raise Failed(f"the program says it is {version!r}; expected {project.version}")
    return "unpacked, a search found its document"


def check_completions(artifacts, project, target):
    """Has each shell read its completions."""
    with empty() as place:
        run("tar", "-xzf", artifacts / f"{tarball.name(project, target)}.tar.gz", "-C", place)
        scripts = place / tarball.name(project, target) / "completions"
        asked = 'COMP_WORDS=(docent unders); COMP_CWORD=1; _docent docent unders docent; echo "${COMPREPLY[@]}"'
        completed = run("bash", "-c", f". {scripts}/docent; {asked}")
        if completed != "understand\n":
            raise Failed(f"bash completes `unders` to {completed!r}; expected `understand`")
        read = ["bash"]
        for shell, script in (("zsh", "_docent"), ("fish", "docent.fish")):
            if shutil.which(shell):
                run(shell, "-n", scripts / script)
                read.append(shell)
    return f"read by {', '.join(read)}"


def check_manual(artifacts, project, target):
    """Has mandoc read every page."""
    mandoc = need("mandoc", "mandoc")
    with empty() as place:
        run("tar", "-xzf", artifacts / f"{tarball.name(project, target)}.tar.gz", "-C", place)
        manual = place / tarball.name(project, target) / "man"
        pages = sorted(manual.iterdir())
        run(mandoc, "-T", "lint", "-W", "error", *pages)
        text = run(mandoc, "-T", "utf8", "-O", "width=80", manual / "docent.1")
        if "docent-search(1)" not in text.replace("\b", ""):
            raise Failed("the page does not name docent-search(1)")
    return f"{len(pages)} pages without an error"


def check_deb(artifacts, project, target):
    """Installs the package with dpkg into an empty system, and removes it."""
    dpkg = need("dpkg", "dpkg")
    package = artifacts / deb.name(project, target)
    with empty() as place:
        system = place / "system"
        for path in ("info", "updates", "triggers"):
            (system / "var/lib/dpkg" / path).mkdir(parents=True)
        for path in ("status", "available"):
            (system / "var/lib/dpkg" / path).touch()
        inside = [dpkg, f"--root={system}", "--force-not-root", "--force-architecture"]
        run(*inside, "--log=/dev/null", "--install", package)
        search(place, *runner(target.triple), system / "usr/bin/docent")
        run(*inside, "--verify", "docent")
        run(*inside, "--log=/dev/null", "--remove", "docent")
        left = [path for path in pathlib.Path(system).rglob("*docent*") if path.is_file()]
        # What dpkg itself keeps of a package that was here.
        left = [path for path in left if "var/lib/dpkg" not in str(path)]
        if left:
            raise Failed(f"removed, it leaves {left}")
    return "installed by dpkg, searched, removed without a trace"


def check_deb_style(artifacts, project, target):
    """Has lintian look at the package."""
    lintian = need("lintian", "lintian")
    # It would rather not run as root, which does not matter here.
    said = run(lintian, "--allow-root", "--fail-on=error", artifacts / deb.name(project, target))
    lines = [line for line in said.splitlines() if not line.startswith("N:")]
    return "\n".join(["no error of lintian", *lines])
