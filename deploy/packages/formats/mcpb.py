"""The bundle that Claude Desktop installs by a double click."""

import json

from formats.archive import File, zipped


def name(project, target):
    """Returns the name of the bundle's file; registries want `mcp` in it."""
    return f"{project.package}-{project.version}-{target.triple}.mcpb"


def make(project, program, contents):
    """Returns the bundle."""
    maintainer, _, address = project.maintainer.rstrip(">").partition(" <")
    manifest = {
        "manifest_version": "0.3",
        "name": "docent",
        "version": project.version,
        "description": project.description,
        "long_description": project.summary,
        "author": {"name": maintainer, "email": address},
        "license": project.licence,
        "repository": {"type": "git", "url": project.repository},
        "server": {
            "type": "binary",
            "entry_point": "server/docent",
            "mcp_config": {
                "command": "${__dirname}/server/docent",
                # Several directories become several arguments.
                "args": ["mcp", "${user_config.directories}"],
            },
        },
        "tools_generated": True,
        "user_config": {
            "directories": {
                "type": "directory",
                "title": "Directories",
                "description": "What may be read. Nothing else on this machine can be reached.",
                "multiple": True,
                "required": True,
            }
        },
        "compatibility": {"platforms": ["linux"]},
    }
    files = {
        "manifest.json": File((json.dumps(manifest, indent=2) + "\n").encode()),
        "server/docent": File(program.binary, executable=True),
        "NOTICES": File(contents.notices),
    }
    for licence, text in contents.licences.items():
        files[licence] = File(text)
    return zipped(files, project.time)
