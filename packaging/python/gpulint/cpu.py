"""That a test does without the GPU: it imports none of the forbidden modules, and neither initialises CUDA nor takes memory of a GPU.

An import counts where it is written, whether or not the module was loaded before, so that the order of tests does not matter.
"""

import builtins
import importlib
import sys

from gpulint.texts import short


class CpuWatch:
    """One for each run. Only while a test is watched does it see anything."""

    def __init__(self, forbidden, meter):
        self._forbidden, self._meter, self._seen = tuple(forbidden), meter, None
        self._import, self._import_module = builtins.__import__, importlib.import_module

    def begin(self):
        self._seen = {}
        self._before = self._state()
        self._import, self._import_module = builtins.__import__, importlib.import_module
        builtins.__import__, importlib.import_module = self._imported, self._imported_by_name

    def end(self):
        """What the test did since `begin` that it must not, in words."""
        if builtins.__import__ == self._imported:
            builtins.__import__ = self._import
        if importlib.import_module == self._imported_by_name:
            importlib.import_module = self._import_module
        seen, self._seen = self._seen, None
        faults = ["it imported %s%s" % (module, where) for module, where in seen.items()]
        initialised, allocations = self._before
        now, more = self._state()
        if now and not initialised:
            faults.append("it initialised CUDA")
        elif more > allocations:
            faults.append("it took memory of a GPU")
        return faults

    def _state(self):
        """Whether CUDA is initialised, and how often torch has taken memory since it was."""
        count, api = 0, getattr(sys.modules.get("torch"), "cuda", None)
        initialised = self._meter.cuda.initialised()
        try:
            if api is not None and api.is_initialized():
                initialised = True
                for ordinal in range(api.device_count()):
                    count += api.memory_stats_as_nested_dict(ordinal).get("allocation", {}).get("all", {}).get("allocated", 0)
        except Exception:  # Another version; the driver has been asked.
            pass
        return initialised, count

    def _root(self, name):
        return next((root for root in self._forbidden if name == root or name.startswith(root + ".")), None)

    def _note(self, name, frame):
        root = self._root(name)
        if root is None or root in self._seen:
            return
        # What has no specification was made by the test, to stand for the module.
        if root in sys.modules and type(getattr(sys.modules[root], "__spec__", None)).__name__ != "ModuleSpec":
            return
        while frame is not None and frame.f_code.co_filename.startswith("<frozen "):
            frame = frame.f_back
        # Its own parts import each other before it is imported.
        if frame is not None and self._root(str(frame.f_globals.get("__name__"))) == root:
            return
        self._seen[root] = " (%s:%d)" % (short(frame.f_code.co_filename), frame.f_lineno) if frame else ""

    def _imported(self, name, globals=None, locals=None, fromlist=(), level=0):
        module = self._import(name, globals, locals, fromlist, level)
        if self._seen is not None:
            frame = sys._getframe(1)
            full = name if level == 0 else getattr(module, "__name__", name)
            self._note(full, frame)
            for part in fromlist or ():
                if isinstance(part, str) and full + "." + part in sys.modules:
                    self._note(full + "." + part, frame)
        return module

    def _imported_by_name(self, name, package=None):
        module = self._import_module(name, package)
        if self._seen is not None:
            self._note(getattr(module, "__name__", name), sys._getframe(1))
        return module
