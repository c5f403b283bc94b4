"""`python -m gpulint`: the program of the wheel that belongs to this Python, as `gpulint` starts it.

It helps where the folder of an environment's programs is not in PATH.
"""

import os
import pathlib
import subprocess
import sys
import sysconfig


def folders():
    """Where installers put programs: of this environment, of the user, and beside a folder of `pip install --target`."""
    yield pathlib.Path(sysconfig.get_path("scripts"))
    user = "nt_user" if os.name == "nt" else "osx_framework_user" if sys.platform == "darwin" and sys._framework else "posix_user"
    if user in sysconfig.get_scheme_names():
        yield pathlib.Path(sysconfig.get_path("scripts", user))
    yield pathlib.Path(__file__).resolve().parent.parent / ("Scripts" if os.name == "nt" else "bin")


def program():
    """The path of the program; None where it is not installed beside this package."""
    name = "gpulint" + (sysconfig.get_config_var("EXE") or "")
    return next((path for path in (folder / name for folder in folders()) if path.is_file()), None)


def main():
    found = program()
    if found is None:
        looked = ", ".join(str(folder) for folder in folders())
        print(f"error: there is no program gpulint in {looked}; install the wheel again", file=sys.stderr)
        return 3
    command = [str(found), *sys.argv[1:]]
    if os.name == "nt":
        return subprocess.run(command).returncode
    # In its place, so that signals reach it.
    os.execv(found, command)


if __name__ == "__main__":
    sys.exit(main())
