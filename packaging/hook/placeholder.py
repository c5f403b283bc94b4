"""Builds the package that pip installs for the commit hook `gpulint`.

It holds no code and requires the wheel of gpulint at the version of Cargo.toml. pip calls `build_wheel`, as it does with
every build backend (PEP 517).
"""

import base64
import hashlib
import os
import re
import zipfile

NAME = "gpulint-pre-commit"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel into a folder and returns its name."""
    release = version()
    stem = f"{NAME.replace('-', '_')}-{release}"
    files = {
        "METADATA": f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {release}\nRequires-Dist: gpulint=={release}\n",
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: {NAME}\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = f"{stem}.dist-info/RECORD"
    lines = []
    wheel = f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w") as archive:
        for name, text in files.items():
            path = f"{stem}.dist-info/{name}"
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
            lines.append(f"{path},sha256={digest},{len(text.encode())}\n")
            archive.writestr(path, text)
        archive.writestr(record, "".join(lines) + f"{record},,\n")
    return wheel


def version():
    """The version of gpulint, in the spelling of Python: 1.0.0-rc.1 is 1.0.0rc1."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with open(os.path.join(root, "Cargo.toml"), encoding="utf-8") as manifest:
        # `tomllib` is newer than some of the Pythons that hooks run with.
        found = re.search(r'^\[workspace\.package\]\n(?:[^\[].*\n)*?version = "([^"]+)"', manifest.read(), re.MULTILINE)
    if found is None:
        raise RuntimeError("Cargo.toml gives no version for gpulint")
    return re.sub(r"-(alpha|beta|rc)\.?", lambda pre: {"alpha": "a", "beta": "b", "rc": "rc"}[pre[1]], found[1])
