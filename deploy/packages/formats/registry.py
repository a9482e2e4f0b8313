"""The entry in the registry of MCP servers."""

import hashlib
import json

from project import Refused

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
DESCRIPTION = (
    "Finds, reads and edits documents in the directories you grant, and touches nothing else."
)

ARGUMENTS = [
    {"type": "positional", "value": "mcp"},
    {
        "type": "named",
        "name": "--root",
        "description": "A directory, read-only unless :rw follows",
        "format": "filepath",
        "isRequired": True,
        "isRepeated": True,
    },
]


def make(project, bundles):
    """Returns `server.json`, given the bundles by the names of their files."""
    if len(DESCRIPTION) > 100:
        raise Refused(f"the description has {len(DESCRIPTION)} characters; expected at most 100")
    transport = {"type": "stdio"}
    packages = [
        {
            "registryType": "mcpb",
            "identifier": f"{project.downloads}/{name}",
            "version": project.version,
            "fileSha256": hashlib.sha256(bundle).hexdigest(),
            "transport": transport,
        }
        for name, bundle in sorted(bundles.items())
    ]
    packages += [
        {
            "registryType": kind,
            "identifier": project.package,
            "version": project.version,
            "runtimeHint": runtime,
            "transport": transport,
            "packageArguments": ARGUMENTS,
        }
        for kind, runtime in (("npm", "npx"), ("pypi", "uvx"))
    ]
    server = {
        "$schema": SCHEMA,
        "name": project.server,
        "title": "docent",
        "description": DESCRIPTION,
        "version": project.version,
        "websiteUrl": project.repository,
        "packages": packages,
    }
    return (json.dumps(server, indent=2) + "\n").encode()
