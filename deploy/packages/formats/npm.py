"""The packages for npm: one for each kind of machine, and one that chooses among them.

Nothing is fetched and no script is run when they are installed.
"""

import json
import pathlib

from formats.archive import File, gzipped, tar

LAUNCHER = pathlib.Path(__file__).with_name("launcher.js")


def platform_name(project, target):
    """Returns the name of the package with a program."""
    return f"{project.package}-linux-{target.node}"


def file_name(project, package):
    """Returns the name of a package's file, as `npm pack` has it."""
    return f"{package}-{project.version}.tgz"


def make_launcher(project, targets, contents):
    """Returns the package that people name, which runs the program of another."""
    about = {
        **described(project, project.package),
        "mcpName": project.server,
        "bin": {"docent": "bin/docent.js", project.package: "bin/docent.js"},
        "engines": {"node": ">=18"},
        "optionalDependencies": {
            platform_name(project, target): project.version for target in targets
        },
    }
    files = {
        "bin/docent.js": File(LAUNCHER.read_bytes(), executable=True),
        "README.md": File(contents.documents["README.md"]),
    }
    return packed(project, about, files, contents)


def make_platform(project, program, contents):
    """Returns the package with the program for one kind of machine."""
    about = {
        **described(project, platform_name(project, program.target)),
        "os": ["linux"],
        "cpu": [program.target.node],
    }
    files = {
        "bin/docent": File(program.binary, executable=True),
        "NOTICES": File(contents.notices),
    }
    return packed(project, about, files, contents)


def described(project, package):
    """Returns what all packages say of themselves."""
    return {
        "name": package,
        "version": project.version,
        "description": project.description,
        "license": project.licence,
        "repository": {"type": "git", "url": f"git+{project.repository}.git"},
        "preferUnplugged": True,
    }


def packed(project, about, files, contents):
    """Returns a package of these files."""
    files["package.json"] = File((json.dumps(about, indent=2) + "\n").encode())
    for name, text in contents.licences.items():
        files[name] = File(text)
    entries = {f"package/{path}": file for path, file in files.items()}
    return gzipped(tar(entries, project.time, directories=False))
