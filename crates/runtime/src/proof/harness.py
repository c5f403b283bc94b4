"""Loaded before a program by `gpulint prove`: writes down which of the forbidden modules are imported, and from where.

Python imports a module of this name from the first folder of PYTHONPATH that has one, in each process and before anything of the program.
The program's own, if there is one, is loaded afterwards. A module counts as imported when its code begins to run, which also sees what is
removed from `sys.modules` again, and does not count what is not installed.
"""

import sys


def _watch():
    import os
    import time

    folder = os.environ.get("GPULINT_PROOF_FOLDER")
    if not folder:
        return
    patterns = [pattern.split(".") for pattern in os.environ.get("GPULINT_PROOF_FORBIDDEN", "").split(",") if pattern]
    told, begun = set(), {}
    getpid, perf_counter, _getframe = os.getpid, time.perf_counter, sys._getframe
    os_open, os_write, os_close = os.open, os.write, os.close
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT

    def fits(pattern, parts):
        if not pattern:
            return not parts
        if pattern[0] == "**":
            return any(fits(pattern[1:], parts[at:]) for at in range(len(parts) + 1))
        return bool(parts) and fits_word(pattern[0], parts[0]) and fits(pattern[1:], parts[1:])

    def fits_word(pattern, word):
        if "*" not in pattern:
            return pattern == word
        first, *rest = pattern.split("*")
        if not word.startswith(first):
            return False
        word = word[len(first):]
        for part in rest[:-1]:
            at = word.find(part)
            if at < 0:
                return False
            word = word[at + len(part):]
        return word.endswith(rest[-1])

    def forbidden(name):
        """The part of a module's name that is forbidden, with all that lies below it."""
        parts = name.split(".")
        for end in range(1, len(parts) + 1):
            if any(fits(pattern, parts[:end]) for pattern in patterns):
                return ".".join(parts[:end])
        return None

    def quoted(text):
        escaped = str(text).replace("\\", "\\\\").replace('"', '\\"')
        return '"' + "".join(c if c >= " " and c.isprintable() else "\\u%04x" % (ord(c) & 0xFFFF) for c in escaped) + '"'

    def write(line):
        # A forked child has a number, and so a file, of its own.
        try:
            file = os_open("%s/%d.jsonl" % (folder, getpid()), flags, 0o600)
        except OSError:
            return
        try:
            os_write(file, (line + "\n").encode("utf-8", "backslashreplace"))
        finally:
            os_close(file)

    def importers(frame):
        """Where it was imported, from the inside out, without the machinery of imports."""
        places = []
        while frame is not None and len(places) < 40:
            file = frame.f_code.co_filename
            if not file.startswith("<frozen ") and file != __file__ and not file.endswith(("/importlib/__init__.py", "\\importlib\\__init__.py")):
                places.append('{"path": %s, "line": %d}' % (quoted(file), frame.f_lineno))
            frame = frame.f_back
        return ", ".join(places)

    def tell(name, frame):
        root = forbidden(name)
        if root is None or (getpid(), root) in told:
            return
        told.add((getpid(), root))
        write('{"module": %s, "chain": [%s]}' % (quoted(root), importers(frame)))

    def hook(event, arguments):
        if event == "exec":
            try:
                frame = _getframe(1)
            except ValueError:
                # The program itself.
                return
            space = frame.f_locals.get("args") if frame.f_code.co_filename.startswith("<frozen importlib") else None
            if type(space) is tuple and len(space) > 1 and type(space[1]) is dict:
                name = space[1].get("__name__")
            else:
                code = arguments[0]
                name = named(code.co_filename) if getattr(code, "co_name", "") == "<module>" else None
            if type(name) is str:
                tell(name, frame)
        elif event == "import" and arguments[1]:
            # The library of an extension is loaded; by a program in C perhaps.
            try:
                frame = _getframe(1)
            except ValueError:
                frame = None
            tell(arguments[0], frame)

    def named(file):
        """The forbidden module that a file of this name would be, run by an importer of somebody's own."""
        path = file.replace("\\", "/")
        for ending in ("/__init__.py", ".py"):
            if path.endswith(ending) and "/site-packages/" in path:
                return path[: -len(ending)].rpartition("/site-packages/")[2].replace("/", ".")
        return None

    class Clock:
        """Measures how long the import of a forbidden module takes; what it finds is what the finders after it find."""

        @staticmethod
        def find_spec(name, path=None, target=None):
            if forbidden(name) != name:
                return None
            spec = None
            for finder in sys.meta_path[sys.meta_path.index(Clock) + 1 :]:
                find = getattr(finder, "find_spec", None)
                spec = find(name, path, target) if find else None
                if spec is not None:
                    break
            execute = getattr(getattr(spec, "loader", None), "exec_module", None)
            if execute is not None:

                def timed(module):
                    start = perf_counter()
                    try:
                        return execute(module)
                    finally:
                        write('{"module": %s, "milliseconds": %.1f}' % (quoted(name), 1000 * (perf_counter() - start)))

                try:
                    spec.loader.exec_module = timed
                except AttributeError:
                    pass
            return spec

    # Before a word is said: a Python that is too old for it (3.7) says nothing then, and is not taken for one that was watched.
    sys.addaudithook(hook)
    sys.meta_path.insert(0, Clock)
    words = getattr(sys, "orig_argv", ["python"])[:20]
    write('{"python": %s, "command": [%s]}' % (quoted(sys.version.split()[0]), ", ".join(map(quoted, words))))
    if hasattr(os, "register_at_fork"):
        forked = '{"python": %s, "command": ["(forked)"]}' % quoted(sys.version.split()[0])
        os.register_at_fork(after_in_child=lambda: write(forked))


def _next():
    """The module of this name that the program would have had."""
    import importlib.machinery
    import importlib.util
    import os

    here = os.path.dirname(os.path.abspath(__file__))
    others = [folder for folder in sys.path if os.path.abspath(folder or ".") != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


_watch()
_next()
