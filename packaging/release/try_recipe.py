#!/usr/bin/env python3
"""Makes the package of a conda recipe, for this machine, and tests it in an environment of its own. Needs `pip install py-rattler-build==0.73.0`.

    packaging/release/try_recipe.py RECIPE OUT

Nothing comes from a channel but what the recipe names: the one that it gets is an empty folder.
"""

import pathlib
import sys
import warnings

# The package calls the one function that does all of it old.
warnings.simplefilter("ignore", DeprecationWarning)
import rattler_build


def main():
    recipe, out = map(pathlib.Path, sys.argv[1:])
    channel = out.resolve() / "channel"
    for platform in ["noarch", "linux-64"]:
        (channel / platform).mkdir(parents=True, exist_ok=True)
        (channel / platform / "repodata.json").write_text('{"packages": {}, "packages.conda": {}}')
    how = {"channel": [channel.as_uri()], "use_sharded": False}
    rattler_build.build_recipes([recipe], output_dir=out, test="skip", **how)
    packages = sorted(out.glob("*/*.conda"))
    if len(packages) != 1:
        sys.exit(f"{out} has {len(packages)} packages, and not 1")
    rattler_build.test_package(packages[0], **how)
    print(f"{packages[0].name} is made and tested")


if __name__ == "__main__":
    main()
