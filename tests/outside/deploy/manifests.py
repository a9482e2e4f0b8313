"""Checks what stands in deploy/ as far as that can be done without a cluster: the manifests by the
schemas of Kubernetes, the compose file by its form, the unit by systemd where that is installed."""

import pathlib
import shutil
import subprocess
import sys

import kubernetes_validate
import yaml

deploy = pathlib.Path(sys.argv[1])

kinds = []
for document in yaml.safe_load_all((deploy / "kubernetes/docent.yaml").read_text()):
    kubernetes_validate.validate(document, "1.35", strict=True)
    kinds.append(document["kind"])
assert kinds == ["Deployment", "Service", "PodDisruptionBudget", "NetworkPolicy"], kinds

compose = yaml.safe_load((deploy / "container/compose.yaml").read_text())
docent = compose["services"]["docent"]
assert docent["read_only"] and docent["cap_drop"] == ["ALL"], docent
assert docent["networks"] == ["inside"] and compose["networks"]["inside"]["internal"], compose
for service in compose["services"].values():
    named = set(service["networks"])
    assert named <= set(compose["networks"]), named

if shutil.which("systemd-analyze"):
    units = [deploy / "systemd/docent.service", deploy / "systemd/docent.socket"]
    told = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *map(str, units)],
        capture_output=True,
        text=True,
    ).stderr
    # The program is not installed where these files are checked.
    told = [line for line in told.splitlines() if "docent" in line and "not executable" not in line]
    assert not told, told
    score = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", "--threshold=15", str(units[0])],
        capture_output=True,
        text=True,
    )
    assert score.returncode == 0, score.stdout[-600:]

print("manifests: as their schemas have them")
