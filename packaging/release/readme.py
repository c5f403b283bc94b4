#!/usr/bin/env python3
"""Makes the links of the README lead to the repository at the tag of the version, since registries show it where no other file is.

    packaging/release/readme.py README [--home ADDRESS]

README is changed in place. ADDRESS is that of the repository; without it, the one that Cargo.toml names.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# A target that is no address and no heading of the page itself.
LINK = re.compile(r"\]\((?![a-z]+:|#)([^)\s]+)\)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("readme", type=pathlib.Path)
    parser.add_argument("--home")
    arguments = parser.parse_args()
    manifest = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    home = arguments.home or re.search(r'^repository = "([^"]+)"', manifest, re.MULTILINE)[1]
    if "OWNER" in home:
        sys.exit("Cargo.toml does not say yet where gpulint is at home: write the address into `repository`, or name one with --home")
    version = re.search(r'^version = "([^"]+)"', manifest, re.MULTILINE)[1]

    def absolute(link):
        target = link[1]
        # Folders have another address than files.
        kind = "tree" if (ROOT / target.split("#")[0]).is_dir() else "blob"
        return f"]({home}/{kind}/v{version}/{target})"

    text = arguments.readme.read_text(encoding="utf-8")
    with open(arguments.readme, "w", encoding="utf-8", newline="\n") as file:
        file.write(LINK.sub(absolute, text))


if __name__ == "__main__":
    main()
