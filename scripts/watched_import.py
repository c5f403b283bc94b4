"""Imports a module in a fresh process and says what the import did: started by scripts/regenerate_packages.py.

    python watched_import.py MODULE PACKAGE LIBRARIES VARIABLES

LIBRARIES are the GPU libraries that are looked for afterwards, and VARIABLES the environment variables that matter, both as lists
in JSON. The last line printed is "ROW " and a JSON object. It runs with the Python of the package, from 3.7 on.
"""

import importlib
import json
import os
import sys
import time

try:
    from importlib.metadata import version as version_of
except ImportError:  # Python 3.7
    from pkg_resources import get_distribution

    def version_of(package):
        return get_distribution(package).version


SHELLS = {"sh", "bash", "dash"}


class Watch:
    """What the Python code of this process did while it was watched."""

    def __init__(self):
        self.running = False
        self.reads, self.programs, self.forks, self.popens = set(), [], 0, 0

    def hear(self, event, arguments):
        if not self.running:
            return
        if event == "subprocess.Popen":
            self.popens += 1
            self.programs.append(program_of(arguments[0], arguments[1]))
        elif event in ("os.posix_spawn", "os.exec"):
            self.programs.append(program_of(arguments[0], arguments[1]))
        elif event == "os.system":
            self.programs.append(program_of(None, arguments[0]))
        elif event in ("os.fork", "os.forkpty"):
            self.forks += 1

    def watch_environment(self):
        """Notes the variables that are asked for and not set.

        A copy of the whole environment asks for no such variable, so it is told from a question about one.
        """
        kind = type(os.environ)
        original = kind.__getitem__

        def asked(environ, key):
            if self.running and environ is os.environ and isinstance(key, str):
                try:
                    return original(environ, key)
                except KeyError:
                    self.reads.add(key)
                    raise
            return original(environ, key)

        kind.__getitem__ = asked


def program_of(executable, arguments):
    """The name of a program that is started; that of the command, where a shell is."""

    def text(one):
        return os.fsdecode(one)

    words = arguments.split() if isinstance(arguments, (str, bytes)) else list(arguments or [])
    words = [text(word) for word in words]
    name = os.path.basename(text(executable) if executable else (words or ["?"])[0])
    if name in SHELLS and len(words) > 2 and words[1] == "-c":
        name = os.path.basename((words[2].split() or ["?"])[0])
    return "python" if name.startswith("python") else name


def import_name(name):
    """Imports a module, or what `from MODULE import NAME` takes from one."""
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as missing:
        parent, _, last = name.rpartition(".")
        if missing.name != name or not parent:
            raise
        getattr(importlib.import_module(parent), last)


def native_environment(names):
    """The variables as compiled code of this process sees them, which os.environ does not show."""
    import ctypes

    getenv = ctypes.CDLL(None).getenv
    getenv.restype = ctypes.c_char_p
    values = {name: getenv(name.encode()) for name in names}
    return {name: os.fsdecode(value) for name, value in values.items() if value is not None}


def backends_made():
    """Frameworks that have looked for the devices, which shows in no driver where their CPU build is installed."""
    made = []
    bridge = sys.modules.get("jax._src.xla_bridge")
    if bridge is not None and getattr(bridge, "_backends", None):
        made.append("jax")
    # TensorFlow 2.0 kept its parts in a package of another name.
    for name in ["tensorflow.python.eager.context", "tensorflow_core.python.eager.context"]:
        context = getattr(sys.modules.get(name), "_context", None)
        if getattr(context, "_context_handle", None) or getattr(context, "_physical_devices", None):
            made.append("tensorflow")
    return made


def ask_on_purpose():
    """Initialises CUDA on purpose, so that the log can show that it would have shown it. Says by which library."""
    os.environ.pop("PYTORCH_NVML_BASED_CUDA_CHECK", None)
    ways = [
        ("torch", lambda module: module.cuda.is_available()),
        ("cupy", lambda module: module.cuda.runtime.getDeviceCount()),
        ("numba.cuda", lambda module: module.is_available()),
        ("tensorflow", lambda module: module.config.list_physical_devices("GPU")),
        ("jax", lambda module: module.devices()),
    ]
    for name, ask in ways:
        if name in sys.modules:
            try:
                ask(sys.modules[name])
            except Exception:  # There is no device; that it asked is what counts.
                pass
            return name
    return None


def main():
    module, package, libraries, variables = sys.argv[1], sys.argv[2], json.loads(sys.argv[3]), json.loads(sys.argv[4])
    version = version_of(package)
    watch = Watch()
    if hasattr(sys, "addaudithook"):
        sys.addaudithook(watch.hear)
    watch.watch_environment()
    before, error = dict(os.environ), None
    mark("begin")
    watch.running = True
    started = time.perf_counter()
    try:
        import_name(module)
    except BaseException as fault:  # Also one that leaves the program.
        error = "%s: %s" % (type(fault).__name__, fault)
    seconds = time.perf_counter() - started
    watch.running = False
    mark("end")
    threads = len(os.listdir("/proc/self/task")) - 1
    after = dict(native_environment(variables), **os.environ)
    row = {
        "module": module,
        "version": version,
        "imports": [name for name in libraries if sys.modules.get(name) and not (module + ".").startswith(name + ".")],
        "made": backends_made(),
        "reads": sorted(watch.reads.intersection(variables)),
        "environment": {name: after.get(name) for name in {*before, *after} if before.get(name) != after.get(name)},
        "programs": watch.programs,
        "popens": watch.popens,
        "forks": watch.forks,
        "threads": threads,
        "seconds": seconds,
        "error": error and error[:300],
        "process": os.getpid(),
    }
    if not error:
        row["asked"] = ask_on_purpose()
        row["made-on-purpose"] = backends_made()
    print("\nROW " + json.dumps(row))
    sys.stdout.flush()
    # What a half-initialised library does at the end does not matter.
    os._exit(0)


def mark(what):
    """A line in the log between what was called before and after."""
    with open(os.environ["STANDIN_LOG"], "a") as log:
        log.write("%d mark %s\n" % (os.getpid(), what))


if __name__ == "__main__":
    main()
