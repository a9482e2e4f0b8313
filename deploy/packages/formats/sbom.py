"""Bills of materials in CycloneDX."""

import json
import time


def make(project, name, crates):
    """Returns the bill of materials of the program or the component, which `name` is."""
    top = f"{name}@{project.version}"
    needed = {key for crate in crates for key in crate.needs}
    roots = [crate.key for crate in crates if crate.key not in needed]
    graph = [{"ref": top + "#package", "dependsOn": roots}]
    graph += [{"ref": crate.key, "dependsOn": list(crate.needs)} for crate in crates]
    bill = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(project.time)),
            "component": {
                "type": "application",
                "bom-ref": top + "#package",
                "name": name,
                "version": project.version,
                "description": project.description,
                "licenses": [{"expression": project.licence}],
            },
        },
        "components": [described(crate) for crate in crates],
        "dependencies": graph,
    }
    return (json.dumps(bill, indent=1) + "\n").encode()


def described(crate):
    """Returns a crate as a component of the bill."""
    component = {
        "type": "library",
        "bom-ref": crate.key,
        "name": crate.name,
        "version": crate.version,
        "description": crate.description,
        "scope": "required",
        "licenses": [{"expression": crate.licence}] if crate.licence else [],
    }
    if crate.checksum:
        component["hashes"] = [{"alg": "SHA-256", "content": crate.checksum}]
        component["purl"] = f"pkg:cargo/{crate.name}@{crate.version}"
    return component
