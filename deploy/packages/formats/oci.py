"""Layouts of OCI images, in one file each: the component, and the container with the program."""

import hashlib
import json
import re
import time

from formats.archive import Directory, File, gzipped, tar
from formats.component import exports, imports
from project import WORKSPACE

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"
CONTAINERFILE = WORKSPACE / "deploy/container/Containerfile"
ANNOTATION = "org.opencontainers.image"


class Layout:
    """A layout that is being filled."""

    def __init__(self):
        self.blobs = {}

    def add(self, data, kind, **more):
        """Adds a blob, and returns the descriptor by which others name it."""
        digest = hashlib.sha256(data).hexdigest()
        self.blobs[f"blobs/sha256/{digest}"] = File(data)
        return {"mediaType": kind, "digest": f"sha256:{digest}", "size": len(data), **more}

    def add_json(self, value, kind, **more):
        """Adds a blob of JSON, and returns its descriptor."""
        return self.add(json.dumps(value, separators=(",", ":")).encode(), kind, **more)

    def finish(self, descriptor, project):
        """Returns the layout as an archive, with one image by the name of the version."""
        named = {**descriptor, "annotations": {f"{ANNOTATION}.ref.name": project.version}}
        index = {"schemaVersion": 2, "mediaType": INDEX, "manifests": [named]}
        files = {
            **self.blobs,
            "oci-layout": File(b'{"imageLayoutVersion":"1.0.0"}'),
            "index.json": File(json.dumps(index, separators=(",", ":")).encode()),
        }
        return tar(files, project.time, directories=False)


def annotations(project, title):
    """Returns what registries show."""
    return {
        f"{ANNOTATION}.created": moment(project),
        f"{ANNOTATION}.title": title,
        f"{ANNOTATION}.description": project.description,
        f"{ANNOTATION}.licenses": project.licence,
        f"{ANNOTATION}.source": project.repository,
        f"{ANNOTATION}.version": project.version,
        f"{ANNOTATION}.revision": project.commit,
    }


def moment(project):
    """Returns the time of the commit in the form of RFC 3339."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(project.time))


def make_component(project, wasm):
    """Returns the component as a wasm artifact of the CNCF: one layer, which is the component."""
    layout = Layout()
    layer = layout.add(wasm, "application/wasm", annotations={f"{ANNOTATION}.title": "docent.wasm"})
    config = {
        "created": moment(project),
        "author": project.maintainer,
        "architecture": "wasm",
        "os": "wasip2",
        "layerDigests": [layer["digest"]],
        "component": {"exports": exports(wasm), "imports": imports(wasm), "target": None},
    }
    manifest = {
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "config": layout.add_json(config, "application/vnd.wasm.config.v0+json"),
        "layers": [layer],
        "annotations": annotations(project, "docent"),
    }
    return layout.finish(layout.add_json(manifest, MANIFEST), project)


def read_containerfile():
    """Returns what the last stage of the Containerfile says: user, command, port, places."""
    text = CONTAINERFILE.read_text().rpartition("FROM scratch")[2]
    said = dict(re.findall(r"^(USER|ENTRYPOINT|CMD|EXPOSE) (.*)$", text, re.MULTILINE))
    copied = re.findall(r"^COPY .* (/\S+)$", text, re.MULTILINE)
    return said, copied


def make_image(project, programs, contents):
    """Returns the container's image for all kinds of machines, as the Containerfile makes it."""
    said, (program_place, state) = read_containerfile()
    user = int(said["USER"].partition(":")[0])
    layout = Layout()
    manifests = []
    for program in programs:
        files = {
            program_place.lstrip("/"): File(program.binary, executable=True),
            state.lstrip("/"): Directory(user),
            "licenses/NOTICES": File(contents.notices),
        }
        for name, text in contents.licences.items():
            files[f"licenses/{name}"] = File(text)
        unpacked = tar(files, project.time)
        layer = layout.add(gzipped(unpacked), "application/vnd.oci.image.layer.v1.tar+gzip")
        labels = {
            **annotations(project, "docent"),
            "io.modelcontextprotocol.server.name": project.server,
        }
        config = {
            "created": moment(project),
            "architecture": program.target.image,
            "os": "linux",
            "config": {
                "User": said["USER"],
                "Entrypoint": json.loads(said["ENTRYPOINT"]),
                "Cmd": json.loads(said["CMD"]),
                "ExposedPorts": {f"{said['EXPOSE']}/tcp": {}},
                "WorkingDir": "/",
                "Labels": labels,
            },
            "rootfs": {
                "type": "layers",
                "diff_ids": [f"sha256:{hashlib.sha256(unpacked).hexdigest()}"],
            },
            "history": [{"created": moment(project), "created_by": "deploy/packages"}],
        }
        manifest = {
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "config": layout.add_json(config, "application/vnd.oci.image.config.v1+json"),
            "layers": [layer],
            "annotations": annotations(project, "docent"),
        }
        platform = {"architecture": program.target.image, "os": "linux"}
        manifests.append(layout.add_json(manifest, MANIFEST, platform=platform))
    index = {"schemaVersion": 2, "mediaType": INDEX, "manifests": manifests}
    return layout.finish(layout.add_json(index, INDEX), project)
