"""The checks of OCI layouts: their digests, by tools that are not ours, and at work."""

import hashlib
import json
import os
import shutil
import tarfile

from checks.place import Failed, LeftOut, empty, is_here, need, run, runner, search
from project import WORKSPACE


def check_blobs(artifacts, project, _):
    """Follows every descriptor, and compares sizes and digests."""
    counts = []
    for kind in ("component", "image"):
        with tarfile.open(artifacts / f"docent-{kind}-{project.version}.oci.tar") as archive:
            files = {about.name: archive.extractfile(about).read() for about in archive}
        named = set()
        for descriptor in descriptors(json.loads(files["index.json"]), files):
            name = "blobs/" + descriptor["digest"].replace(":", "/")
            data = files[name]
            digest = hashlib.sha256(data).hexdigest()
            if len(data) != descriptor["size"] or not name.endswith(digest):
                raise Failed(f"{name} of the {kind} is not what is said of it")
            named.add(name)
        if unnamed := set(files) - named - {"oci-layout", "index.json"}:
            raise Failed(f"nothing names {unnamed} in the {kind}")
        counts.append(f"{len(named)} blobs of the {kind}")
    return f"followed: {', '.join(counts)}"


def descriptors(value, files):
    """Yields every descriptor that can be reached from a value."""
    for descriptor in [*value.get("manifests", []), *value.get("layers", []), value.get("config")]:
        if descriptor and "digest" in descriptor:
            yield descriptor
            if descriptor["mediaType"].endswith(("manifest.v1+json", "index.v1+json")):
                inner = files["blobs/" + descriptor["digest"].replace(":", "/")]
                yield from descriptors(json.loads(inner), files)


def check_component(artifacts, project, _):
    """Has skopeo take the component out of its layout, and compares it with the file."""
    skopeo = need("skopeo", "skopeo")
    with empty() as place:
        archive = artifacts / f"docent-component-{project.version}.oci.tar"
        # It knows only images of containers and copies others as they are.
        run(
            skopeo,
            "copy",
            "--quiet",
            f"oci-archive:{archive}",
            f"oci:{place}/copy:latest",
            env=home(place),
        )
        wasm = (artifacts / f"docent-{project.version}.wasm").read_bytes()
        digest = hashlib.sha256(wasm).hexdigest()
        if (place / "copy/blobs/sha256" / digest).read_bytes() != wasm:
            raise Failed("the layer is not the component")
        run(WORKSPACE / ".ci/stock_host", place / "copy/blobs/sha256" / digest)
    return "copied by skopeo; its layer is the component, which runs in a stock host"


def check_image(artifacts, project, target):
    """Has skopeo choose the image for a machine, and runs what umoci unpacks, alone in its root."""
    skopeo, umoci = need("skopeo", "skopeo"), need("umoci", "umoci")
    if os.geteuid() != 0:
        raise LeftOut("a root for the container can only be entered as root")
    with empty() as place:
        archive = artifacts / f"docent-image-{project.version}.oci.tar"
        choice = [f"--override-arch={target.image}", "--override-os=linux"]
        layout = place / "layout"
        run(
            skopeo,
            *choice,
            "copy",
            "--quiet",
            f"oci-archive:{archive}",
            f"oci:{layout}:one",
            env=home(place),
        )
        run(umoci, "unpack", "--image", f"{layout}:one", place / "bundle")
        root = place / "bundle/rootfs"
        process = json.loads((place / "bundle/config.json").read_text())["process"]
        user = process["user"]
        if (user["uid"], user["gid"]) != (65532, 65532) or process["args"][:2] != [
            "/docent",
            "serve",
        ]:
            raise Failed(f"the image would run {process['args']} as {user}")
        shutil.copytree(place / "docs", root / "docs")
        emulator = runner(target.triple)
        for path in emulator:
            shutil.copy(path, root / "emulator")
        before = ["/emulator"] if emulator else []
        # Every engine gives a container its devices.
        (root / "dev").mkdir(exist_ok=True)
        entered = f'mount --rbind /dev {root}/dev && exec chroot --userspec=65532:65532 {root} "$@"'
        space = ["unshare", "--mount", "sh", "-c", entered, "sh"]
        search(place, *space, *before, "/docent")
        served = ""
        if is_here(target.triple) and shutil.which("crun"):
            run(WORKSPACE / "tests/outside/deploy/container", root / "docent")
            served = ", and it serves in crun"
    return f"unpacked by skopeo and umoci, run as nobody{served}"


def home(place):
    """Returns an environment in which skopeo finds no configuration and takes unsigned images."""
    policy = place / ".config/containers/policy.json"
    policy.parent.mkdir(parents=True, exist_ok=True)
    policy.write_text('{"default": [{"type": "insecureAcceptAnything"}]}')
    return {"PATH": os.environ["PATH"], "HOME": str(place)}
