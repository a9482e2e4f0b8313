"""`docent-http.wasm` on two wasmCloud hosts, each in a network of its own, with one read-only volume.

Usage: wasmcloud.py TOOLS COMPONENT MANIFEST, as root. TOOLS holds what `tests/outside/deploy/wasmcloud` installs.

Four networks hang on a bridge: that of the control plane, with NATS and a registry, those of the two
hosts, and this one, from which they are asked.
"""

import asyncio
import contextlib
import hashlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import urllib.request

import engine
import nats
import yaml

TOOLS, COMPONENT, MANIFEST = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
BIN = TOOLS / "engines/bin"
NAME = "docs.example.org"
TOKEN = "dct_only-for-this-test"
# Of this run alone, so that two of them do not meet; a name of an interface has 15 letters.
RUN = f"dw{os.getpid() % 100000}"
NET = f"10.{77 + os.getpid() % 100}.0"
CONTROL = f"{NET}.1"
HOSTS = {"one": f"{NET}.11", "two": f"{NET}.12"}
# Compiling the component takes a host minutes on a busy machine.
START_SECONDS = 600


def sh(*command):
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)


@contextlib.contextmanager
def networks(names):
    """One network for each of `names`, with its address, on a bridge that has none but `.254` here."""
    bridge = f"{RUN}b"
    sh("ip", "link", "add", bridge, "type", "bridge")
    made = []
    try:
        sh("ip", "addr", "add", f"{NET}.254/24", "dev", bridge)
        sh("ip", "link", "set", bridge, "up")
        for number, (name, address) in enumerate(names.items()):
            space, outer, inner = f"{RUN}-{name}", f"{RUN}o{number}", f"{RUN}i{number}"
            sh("ip", "netns", "add", space)
            made.append(space)
            sh("ip", "link", "add", outer, "type", "veth", "peer", "name", inner)
            sh("ip", "link", "set", outer, "master", bridge, "up")
            sh("ip", "link", "set", inner, "netns", space)
            for change in (
                ["addr", "add", f"{address}/24", "dev", inner],
                ["link", "set", inner, "up"],
                ["link", "set", "lo", "up"],
            ):
                sh("ip", "-n", space, *change)
        yield
    finally:
        for space in made:
            subprocess.run(["ip", "netns", "del", space])
        subprocess.run(["ip", "link", "del", bridge])


@contextlib.contextmanager
def running(space, log, *command, **environment):
    """A program in the network `space`; what it says goes to `log`."""
    inside = ["ip", "netns", "exec", f"{RUN}-{space}", *map(str, command)]
    with open(log, "wb") as said:
        process = subprocess.Popen(
            inside, stdout=said, stderr=subprocess.STDOUT, env=os.environ | environment
        )
        try:
            yield process
        except BaseException:
            print(f"--- {log.name}:", log.read_text(errors="replace")[-3000:], sep="\n")
            raise
        finally:
            process.kill()
            process.wait()


def registry_config(directory):
    path = directory / "registry.yml"
    path.write_text(
        "version: 0.1\n"
        f"storage:\n  filesystem:\n    rootdirectory: {directory}/registry\n"
        f"http:\n  addr: {CONTROL}:5000\n"
    )
    return path


def host(name, directory):
    address = HOSTS[name]
    own = directory / name
    own.mkdir()
    return running(
        name,
        directory / f"{name}.log",
        *[BIN / "wash", "host", "--host-name", name, "--non-interactive"],
        *["--scheduler-nats-url", f"nats://{CONTROL}:4222"],
        *["--data-nats-url", f"nats://{CONTROL}:4222", "--nats-connect-timeout", "30s"],
        *["--http-addr", f"{address}:8080", "--probe-addr", f"{address}:8081"],
        *["--allow-insecure-registries", "--oci-cache-dir", own, "--drain-delay", "2s"],
        HOME=str(own),
    )


def workload(image, documents):
    """What `deploy/wasmcloud/workload.yaml` asks an operator for, as that asks a host for it."""
    spec = yaml.safe_load(MANIFEST.read_text())["spec"]["template"]["spec"]
    [component] = spec["components"]
    [volume] = spec["volumes"]
    [interface] = spec["hostInterfaces"]
    assert interface["config"]["host"] == NAME, interface
    component["image"] = image
    volume["hostPath"]["localPath"] = str(documents)
    resources = component["localResources"]
    assert all(mount["readOnly"] for mount in resources["volumeMounts"]), resources
    variables = resources["environment"]["config"]
    variables["DOCENT_TOKENS_SHA256"] = hashlib.sha256(TOKEN.encode()).hexdigest()
    variables["DOCENT_TOOLS"] = "all"
    resources["environment"] = variables
    return {
        "namespace": "default",
        "name": "docent",
        "witWorld": {"components": [component], "hostInterfaces": [interface]},
        "volumes": [volume],
    }


async def start(image, documents):
    """Starts the workload on both hosts, as the operator does: over NATS."""
    client = await nats.connect(f"nats://{CONTROL}:4222", connect_timeout=30)
    found = {}
    heard = asyncio.Event()

    async def heartbeat(message):
        about = json.loads(message.data)
        found[about["hostname"]] = about["id"]
        if set(found) >= set(HOSTS):
            heard.set()

    await client.subscribe("runtime.operator.heartbeat.>", cb=heartbeat)
    await asyncio.wait_for(heard.wait(), timeout=120)
    for name in HOSTS:
        request = {"workloadId": f"docent-{name}", "workload": workload(image, documents)}
        subject = f"runtime.host.{found[name]}.workload"
        reply = await client.request(
            f"{subject}.start", json.dumps(request).encode(), timeout=START_SECONDS
        )
        answer = json.loads(reply.data)
        state = answer.get("workloadStatus", {}).get("workloadState")
        started = ["WORKLOAD_STATE_STARTING", "WORKLOAD_STATE_RUNNING"]
        assert state in started, (name, answer)
    await client.close()


def ready(name):
    with urllib.request.urlopen(f"http://{HOSTS[name]}:8081/readyz", timeout=10) as answer:
        return answer.status == 200


def main():
    with contextlib.ExitStack() as stack:
        directory = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        documents = directory / "documents"
        documents.mkdir()
        engine.make_documents(documents)
        (documents / "out").symlink_to("/etc")

        stack.enter_context(networks({"control": CONTROL} | HOSTS))
        enter = stack.enter_context
        enter(running("control", directory / "nats.log", BIN / "nats-server", "-a", CONTROL))
        registry = TOOLS / "registry/usr/bin/docker-registry"
        config = registry_config(directory)
        enter(running("control", directory / "registry.log", registry, "serve", config))
        hosts = {name: enter(host(name, directory)) for name in HOSTS}

        image = f"{CONTROL}:5000/docent/http:1"
        push = [BIN / "wash", "oci", "push", image, COMPONENT, "--insecure"]
        environment = os.environ | {"HOME": str(directory)}
        for attempt in range(20):
            pushed = subprocess.run(push, capture_output=True, text=True, env=environment)
            if pushed.returncode == 0:
                break
            asyncio.run(asyncio.sleep(1))
        assert pushed.returncode == 0, pushed.stdout + pushed.stderr
        asyncio.run(start(image, documents))

        endpoints = {
            name: engine.Endpoint(address, 8080, NAME, TOKEN) for name, address in HOSTS.items()
        }
        for name, endpoint in endpoints.items():
            endpoint.wait(hosts[name].poll, seconds=START_SECONDS)
            assert ready(name), name
        print("two hosts started the component from a registry, and are ready")

        for name, endpoint in endpoints.items():
            engine.refusals(endpoint)
            ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
            status, _ = endpoint.ask(ping, host="evil.example")
            assert status in (403, 404), (name, status)
            assert "note-000" in endpoint.call("list_full_tree", {}), name
            refused = endpoint.refused("read_document", {"path": "out/hostname"})
            assert "document-not-found" in refused, refused
            refused = endpoint.unknown("write", {"path": "a.md", "content": "x"})
            assert "this server only reads" in refused, refused
        print("each: reads the volume, follows no link out of it, writes nothing, refuses the rest")

        both = [endpoints["one"], endpoints["two"]]
        calls = iter(range(1_000_000))
        found, pages = engine.pages(
            lambda wanted: both[next(calls) % 2].call("search_documents", wanted)
        )
        assert pages > 2 and len(found) == len(set(found)) == engine.DOCUMENTS, (pages, found)
        print(f"{pages} pages, each from the other host than the one before: each document once")

        (documents / "later.md").write_text("# Later\n\nThe beacon is lit.\n")
        for name, endpoint in endpoints.items():
            assert "later.md" in endpoint.call("explore", {"query": "beacon"}), name
        print("a new document is found by both at once")

        hosts["one"].send_signal(signal.SIGTERM)
        answered = 0
        while hosts["one"].poll() is None:
            assert "beacon" in endpoints["two"].call("explore", {"query": "beacon"})
            answered += 1
        assert answered > 0 and hosts["two"].poll() is None
        median = engine.many(endpoints["two"])
        print(f"one was told to end and ended with {hosts['one'].returncode}; the other went on:")
        print(f"{answered} calls meanwhile, {engine.REQUESTS} after it, {median:.0f} ms in the median")


main()
