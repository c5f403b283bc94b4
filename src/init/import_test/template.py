"""Importing the project leaves the GPU alone. Each module is imported in a process of its own.

A module that starts CUDA when it is imported settles which cards the whole process sees: a mask or an order that is set later is
ignored, and a process that is forked cannot use a GPU. `gpulint check` names the line that does it.
"""

import json
import subprocess
import sys

import pytest

MODULES = @MODULES@

# What decides which GPUs a process sees and how it takes their memory.
VARIABLES = [
    "CUDA_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER",
    "HIP_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    "PYTORCH_CUDA_ALLOC_CONF",
    "PYTORCH_ALLOC_CONF",
    "JAX_PLATFORMS",
    "XLA_PYTHON_CLIENT_PREALLOCATE",
    "XLA_PYTHON_CLIENT_MEM_FRACTION",
    "TF_FORCE_GPU_ALLOW_GROWTH",
]

# Prints, as its last line, the variables that the import changed, and whether CUDA was started: None where there is no driver.
IMPORTS = """
import ctypes, importlib, json, os, sys

module, variables, sys.path[:] = json.loads(sys.argv[1])
before = {name: os.environ.get(name) for name in variables}
importlib.import_module(module)
changed = {name: os.environ.get(name) for name in variables if os.environ.get(name) != before[name]}
try:
    driver = ctypes.CDLL("nvcuda.dll" if os.name == "nt" else "libcuda.so.1")
    # Until somebody calls cuInit the driver answers 3, CUDA_ERROR_NOT_INITIALIZED.
    started = driver.cuDeviceGetCount(ctypes.byref(ctypes.c_int())) != 3
except (AttributeError, OSError):
    started = None
print()
print(json.dumps([changed, started]), flush=True)
# What the module wants to do at the end is not asked about.
os._exit(0)
"""


@pytest.fixture(scope="module", params=MODULES)
def imported(request):
    """A module, the variables that its import changed, and whether it started CUDA."""
    given = json.dumps([request.param, VARIABLES, sys.path])
    child = subprocess.run([sys.executable, "-c", IMPORTS, given], capture_output=True, text=True, timeout=600)
    assert child.returncode == 0, f"`import {request.param}` failed:\n{child.stderr}"
    changed, started = json.loads(child.stdout.splitlines()[-1])
    return request.param, changed, started


def test_import_changes_no_variable_of_the_gpu(imported):
    module, changed, _ = imported
    assert not changed, f"`import {module}` sets {changed}, for every program that imports it"


def test_import_does_not_start_cuda(imported):
    module, _, started = imported
    if started is None:
        pytest.skip("there is no CUDA driver here, so that nothing can be started")
    assert not started, f"`import {module}` starts CUDA"
