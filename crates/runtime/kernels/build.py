#!/usr/bin/env python3
"""Makes gpulint.ptx of gpulint.cu, with compilers from Python's registry. Needs no GPU and no CUDA toolkit.

    python3 -m venv FOLDER
    FOLDER/bin/python -m pip install nvidia-cuda-nvrtc-cu12==12.9.86 nvidia-cuda-nvcc-cu12==12.9.86
    FOLDER/bin/python crates/runtime/kernels/build.py

writes the file; with --check it only compares, and exits with 1 if the committed file is not what the compiler makes.
Either way ptxas then assembles it for every architecture that it knows of those below.

The compiler names the newest version of PTX that it knows, 8.8, and a driver refuses what is newer than itself: 8.8 needs
the driver of CUDA 12.9. Nothing here needs more than the version of the first cards that it is for, so that version is
written: the text is what counts, and ptxas proves that it is still valid. What asks for more in future fails here.
"""

import argparse
import ctypes
import importlib.metadata
import pathlib
import re
import subprocess
import sys
import tempfile

VERSIONS = {"nvidia-cuda-nvrtc-cu12": "12.9.86", "nvidia-cuda-nvcc-cu12": "12.9.86"}
# The oldest architecture that drivers of CUDA 13 still know: Turing. Drivers translate it for every newer one.
ARCHITECTURE = "compute_75"
# That of CUDA 10.1, whose drivers are of 2019. 6.3 was the first that knew Turing.
PTX_VERSION = "6.4"
# Turing, Ampere (RTX 3090), Hopper, and Blackwell of both kinds.
ASSEMBLED_FOR = ["sm_75", "sm_86", "sm_90", "sm_100", "sm_120"]

FOLDER = pathlib.Path(__file__).resolve().parent
SOURCE = FOLDER / "gpulint.cu"
RESULT = FOLDER / "gpulint.ptx"


def packaged(package: str, name: str) -> pathlib.Path:
    """The file of that name in an installed package of the wanted version."""
    try:
        found = importlib.metadata.distribution(package)
    except importlib.metadata.PackageNotFoundError:
        sys.exit(f"{package} is not installed: python -m pip install {package}=={VERSIONS[package]}")
    if found.version != VERSIONS[package]:
        sys.exit(f"{package} is {found.version}, and must be {VERSIONS[package]}")
    for file in found.files or []:
        if file.name == name:
            return pathlib.Path(found.locate_file(file))
    sys.exit(f"{package} has no {name} on this platform")


def compiled(source: str) -> str:
    """The PTX that the compiler makes."""
    nvrtc = ctypes.CDLL(str(packaged("nvidia-cuda-nvrtc-cu12", "libnvrtc.so.12")))
    nvrtc.nvrtcGetErrorString.restype = ctypes.c_char_p

    def call(name, *arguments):
        code = getattr(nvrtc, name)(*arguments)
        return None if code == 0 else f"{name}: {nvrtc.nvrtcGetErrorString(code).decode()}"

    def text(what):
        size = ctypes.c_size_t()
        failure = call(f"nvrtcGet{what}Size", program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        failure = failure or call(f"nvrtcGet{what}", program, buffer)
        return failure or buffer.value.decode()

    program = ctypes.c_void_p()
    failure = call("nvrtcCreateProgram", ctypes.byref(program), source.encode(), b"gpulint.cu", 0, None, None)
    if failure:
        sys.exit(failure)
    options = [f"--gpu-architecture={ARCHITECTURE}".encode(), b"--std=c++14"]
    failure = call("nvrtcCompileProgram", program, len(options), (ctypes.c_char_p * len(options))(*options))
    log = text("ProgramLog")
    # A warning is a failure too.
    if failure or log.strip():
        sys.exit(f"{failure}\n{log}")
    return text("PTX")


def made(source: str) -> str:
    """The text of gpulint.ptx."""
    body = compiled(source)
    body, count = re.subn(r"^\.version .*$", f".version {PTX_VERSION}", body, flags=re.MULTILINE)
    if count != 1:
        sys.exit(f"the compiler wrote {count} lines that begin with .version")
    # What the compiler says of itself is in its comments; the file says the same in fewer words.
    body = re.sub(r"\A(//.*\n|\s*\n)*", "", body)
    nvrtc = VERSIONS["nvidia-cuda-nvrtc-cu12"]
    return f"// Made by build.py of gpulint.cu, with NVRTC {nvrtc}. Do not edit.\n\n{body.rstrip()}\n"


def assemble(ptx: str) -> None:
    """Translates it for each architecture, and says which."""
    ptxas = packaged("nvidia-cuda-nvcc-cu12", "ptxas")
    known = subprocess.run([ptxas, "--help"], capture_output=True, text=True, check=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "gpulint.ptx"
        file.write_text(ptx, encoding="utf-8")
        for architecture in ASSEMBLED_FOR:
            if f"'{architecture}'" not in known:
                print(f"{architecture}: not known to this ptxas")
                continue
            command = [ptxas, "--warn-on-spills", "--verbose", f"--gpu-name={architecture}", "-o", f"{file}.cubin", file]
            ran = subprocess.run(command, capture_output=True, text=True)
            if ran.returncode != 0 or "warning" in ran.stderr:
                sys.exit(f"{architecture}: ptxas refuses the file\n{ran.stderr}")
            registers = max(int(number) for number in re.findall(r"Used (\d+) registers", ran.stderr))
            print(f"{architecture}: assembles, at most {registers} registers")


def main() -> None:
    arguments = argparse.ArgumentParser(description="makes gpulint.ptx of gpulint.cu")
    arguments.add_argument("--check", action="store_true", help="only compare with the file that is there")
    check = arguments.parse_args().check
    ptx = made(SOURCE.read_text(encoding="utf-8"))
    if not check:
        RESULT.write_text(ptx, encoding="utf-8")
    elif not RESULT.exists() or RESULT.read_text(encoding="utf-8") != ptx:
        sys.exit(f"{RESULT.name} is not what the compiler makes of {SOURCE.name}: run crates/runtime/kernels/build.py")
    assemble(ptx)


if __name__ == "__main__":
    main()
