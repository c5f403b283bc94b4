#!/usr/bin/env python3
"""Writes the recipes by which Homebrew and conda install the archives of a release: gpulint.rb, a formula for a tap, and recipe.yaml, for rattler-build.

    packaging/release/recipes.py ARCHIVES OUT [--downloads ADDRESS]

ARCHIVES is a folder with what packaging/release/archive.sh packed. ADDRESS is the folder that users download them from; without it, that of the release
on GitHub of the repository that Cargo.toml names.
"""

import argparse
import hashlib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# What Homebrew and conda call the platforms. Programs for musl are linked statically and run on every Linux.
BREW = {
    "macos": {"arm": "aarch64-apple-darwin", "intel": "x86_64-apple-darwin"},
    "linux": {"arm": "aarch64-unknown-linux-musl", "intel": "x86_64-unknown-linux-musl"},
}
CONDA = {
    "linux and x86_64": "x86_64-unknown-linux-musl",
    "linux and aarch64": "aarch64-unknown-linux-musl",
    "osx and x86_64": "x86_64-apple-darwin",
    "osx and arm64": "aarch64-apple-darwin",
    "win and x86_64": "x86_64-pc-windows-msvc",
}

FORMULA = """\
# Written by packaging/release/recipes.py of gpulint.
class Gpulint < Formula
  desc "{summary}"
  homepage "{home}"
  version "{version}"
  license any_of: ["MIT", "Apache-2.0"]

{sources}
  def install
    bin.install "gpulint"
    generate_completions_from_executable(bin/"gpulint", "completions")
    (man1/"gpulint.1").write Utils.safe_popen_read(bin/"gpulint", "man")
  end

  test do
    (testpath/"train.py").write "import torch\\n\\ntorch.ones(1, device=\\"cuda\\")\\n"
    assert_match "missing-visible-devices", shell_output("#{{bin}}/gpulint check train.py", 1)
  end
end
"""

RECIPE = """\
# Written by packaging/release/recipes.py of gpulint.
schema_version: 1
package:
  name: gpulint
  version: "{version}"
source:
{sources}
build:
  number: 0
  # What is packed is linked already.
  dynamic_linking:
    binary_relocation: false
  script:
    - if: unix
      then:
        - mkdir -p $PREFIX/bin
        - cp gpulint $PREFIX/bin/gpulint
      else:
        - if not exist %LIBRARY_BIN% mkdir %LIBRARY_BIN%
        - copy gpulint.exe %LIBRARY_BIN%
tests:
  - script:
      - gpulint --version
about:
  homepage: {home}
  license: MIT OR Apache-2.0
  license_file: [LICENSE-MIT, LICENSE-APACHE]
  summary: {summary}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--downloads")
    arguments = parser.parse_args()
    manifest = (ROOT / "Cargo.toml").read_text()
    version, summary, home = (value_of(manifest, key) for key in ("version", "description", "repository"))
    downloads = arguments.downloads
    if downloads is None:
        if "OWNER" in home:
            sys.exit("Cargo.toml does not say yet where gpulint is at home: write the address into `repository`, or name one with --downloads")
        downloads = f"{home}/releases/download/v{version}"

    def source(target):
        name = f"gpulint-{version}-{target}.{'zip' if 'windows' in target else 'tar.gz'}"
        try:
            packed = (arguments.archives / name).read_bytes()
        except OSError as error:
            sys.exit(f"{arguments.archives / name} cannot be read: {error.strerror}; packaging/release/archive.sh packs it")
        return f"{downloads.rstrip('/')}/{name}", hashlib.sha256(packed).hexdigest()

    known = {"version": version, "summary": summary, "home": home}
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "gpulint.rb").write_text(FORMULA.format(**known, sources="\n".join(brew(source))))
    (arguments.out / "recipe.yaml").write_text(RECIPE.format(**known, sources="\n".join(conda(source))))


def value_of(manifest, key):
    """Of the section `package`, or of what all packages share. `tomllib` is newer than some of the Pythons that releases are made with."""
    return re.search(rf'^\[(?:workspace\.)?package\]\n(?:[^\[].*\n|\n)*?{key} = "([^"]+)"', manifest, re.MULTILINE)[1]


def brew(source):
    for system, processors in BREW.items():
        yield f"  on_{system} do"
        for processor, target in processors.items():
            address, digest = source(target)
            yield f'    on_{processor} do\n      url "{address}"\n      sha256 "{digest}"\n    end'
        yield "  end\n"


def conda(source):
    for platform, target in CONDA.items():
        address, digest = source(target)
        yield f"  - if: {platform}\n    then:\n      url: {address}\n      sha256: {digest}"


if __name__ == "__main__":
    main()
