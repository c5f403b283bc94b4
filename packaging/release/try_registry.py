#!/usr/bin/env python3
"""Makes a registry of the packages that a release publishes, and installs gpulint from it with `cargo install`, without a network.

    packaging/release/try_registry.py OUT [CARGO-INSTALL-OPTION…]

What others publish is taken from where cargo keeps what it downloaded. Ends with 2 where that is not all there.
"""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KEPT = pathlib.Path(os.environ.get("CARGO_HOME", pathlib.Path.home() / ".cargo")) / "registry"


def main():
    out, *options = sys.argv[1:]
    out = pathlib.Path(out).resolve()
    registry = out / "registry"
    shutil.rmtree(out, ignore_errors=True)
    (registry / "index").mkdir(parents=True)
    target = out / "target"
    cargo = ["cargo", "package", "--no-verify", "--allow-dirty", "--offline", "--quiet", "--target-dir", target]
    subprocess.run(cargo, cwd=ROOT, check=True)
    own = {}
    for crate in sorted((target / "package").glob("gpulint*.crate")):
        about = own_entry(crate)
        own[about["name"]] = about
        add(registry, about, crate)
    # The package of the program has a lock file, and no other is read.
    locked = manifest(next((target / "package").glob("gpulint-[0-9]*.crate")), "Cargo.lock")["package"]
    for package in locked:
        if package["name"] not in own and not add_others(registry, package["name"], package["version"]):
            print(f"cargo keeps no entry of {package['name']} {package['version']} here")
            return 2
    config = f'[source.crates-io]\nreplace-with = "released"\n[source.released]\nlocal-registry = {json.dumps(str(registry))}\n'
    (out / "cargo").mkdir()
    (out / "cargo/config.toml").write_text(config)
    # Away from the checkout, with a configuration of its own and nothing kept.
    install = ["cargo", "install", "gpulint", "--version", own["gpulint"]["vers"], "--locked", "--root", out / "installed", *options]
    install += [] if "--target-dir" in options else ["--target-dir", target]
    subprocess.run(install, cwd=out, check=True, env={**os.environ, "CARGO_HOME": str(out / "cargo"), "RUSTUP_HOME": rustup_home()})
    said = subprocess.run([out / "installed/bin/gpulint", "--version"], check=True, capture_output=True, text=True).stdout
    if said != f"gpulint {own['gpulint']['vers']}\n":
        sys.exit(f"what was installed says {said!r}")
    # It has the rules with it.
    page = subprocess.run([out / "installed/bin/gpulint", "rule", "missing-device-order"], check=True, capture_output=True, text=True).stdout
    if "CUDA_DEVICE_ORDER" not in page:
        sys.exit(f"what was installed says of a rule {page!r}")
    print(f"{len(own)} packages of gpulint and {len(locked) - len(own)} others: installed, and works")
    return 0


def rustup_home():
    return os.environ.get("RUSTUP_HOME", str(pathlib.Path.home() / ".rustup"))


def manifest(crate, name):
    with tarfile.open(crate) as archive:
        return tomllib.loads(archive.extractfile(f"{crate.stem}/{name}").read().decode())


def own_entry(crate):
    """What the index of a registry says of a package that was just made."""
    about = manifest(crate, "Cargo.toml")
    package = about["package"]
    tables = [(None, about), *about.get("target", {}).items()]
    deps = []
    for target, table in tables:
        for kind, key in (("normal", "dependencies"), ("build", "build-dependencies")):
            for name, wanted in table.get(key, {}).items():
                wanted = {"version": wanted} if isinstance(wanted, str) else wanted
                deps.append({
                    "name": name,
                    "req": wanted["version"],
                    "features": wanted.get("features", []),
                    "optional": wanted.get("optional", False),
                    "default_features": wanted.get("default-features", True),
                    "target": target,
                    "kind": kind,
                    **({"package": wanted["package"]} if "package" in wanted else {}),
                })
    # An index of today has features with `dep:` in a table of their own.
    return {
        "name": package["name"],
        "vers": package["version"],
        "deps": deps,
        "cksum": hashlib.sha256(crate.read_bytes()).hexdigest(),
        "features": {},
        "features2": about.get("features", {}),
        "yanked": False,
        "rust_version": package.get("rust-version"),
        "v": 2,
    }


def add(registry, about, crate):
    file = registry / "index" / place_of(about["name"])
    file.parent.mkdir(parents=True, exist_ok=True)
    with open(file, "a") as index:
        index.write(json.dumps(about) + "\n")
    if crate is not None:
        shutil.copy(crate, registry / f"{about['name']}-{about['vers']}.crate")


def add_others(registry, name, version):
    """A package of somebody else, as cargo keeps it. Of one for another system it may keep the entry alone."""
    for kept in KEPT.glob(f"index/*/.cache/{place_of(name)}"):
        for part in kept.read_bytes().split(b"\0"):
            if part.startswith(b"{") and (about := json.loads(part))["vers"] == version:
                crates = list(KEPT.glob(f"cache/*/{name}-{version}.crate"))
                add(registry, about, crates[0] if crates else None)
                return True
    return False


def place_of(name):
    name = name.lower()
    if len(name) < 4:
        return pathlib.Path(str(len(name)), *([name[0]] if len(name) == 3 else []), name)
    return pathlib.Path(name[:2], name[2:4], name)


if __name__ == "__main__":
    sys.exit(main())
