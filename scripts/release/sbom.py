#!/usr/bin/env python3
"""Prints the bill of materials of the command, as CycloneDX 1.6, from `cargo metadata`.

Lists every crate that is part of the program with all features: not what only tests, builds or other packages use.
"""

import json
import subprocess
import sys

target = sys.argv[1] if len(sys.argv) > 1 else "x86_64-unknown-linux-musl"
metadata = json.loads(
    subprocess.check_output(
        ["cargo", "metadata", "--format-version", "1", "--locked", "--all-features", "--filter-platform", target]
    )
)
packages = {package["id"]: package for package in metadata["packages"]}
nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}


def needs(identity):
    """The crates that become part of whoever uses this one."""
    for dependency in nodes[identity]["deps"]:
        if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
            yield dependency["pkg"]


def reference(package):
    return f"pkg:cargo/{package['name']}@{package['version']}"


(program,) = [package for package in packages.values() if package["name"] == "tamiz-cli"]
found, waiting = set(), [program["id"]]
while waiting:
    identity = waiting.pop()
    if identity not in found:
        found.add(identity)
        waiting.extend(needs(identity))


def component(package, kind="library"):
    entry = {
        "type": kind,
        "bom-ref": reference(package),
        "name": package["name"],
        "version": package["version"],
        "purl": reference(package),
    }
    if package["license"]:
        entry["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    return entry


crates = sorted((packages[identity] for identity in found), key=reference)
bill = {
    "bomFormat": "CycloneDX",
    "specVersion": "1.6",
    "version": 1,
    "metadata": {"component": component(program, "application")},
    "components": [component(package) for package in crates if package is not program],
    "dependencies": [
        {"ref": reference(package), "dependsOn": sorted({reference(packages[need]) for need in needs(package["id"])})}
        for package in crates
    ],
}
json.dump(bill, sys.stdout, indent=1)
print()
