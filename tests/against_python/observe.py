"""Runs a program under CPython, in a process of its own, with a stand-in for torch, and says what it did: which of the
two variables it wrote and removed, where it used a GPU, and what the variables held there."""

import gc
import json
import os
import random
import signal
import sys
import time
import types
from scope import MASK, ORDER

# What no generated program does; a program that was made smaller may.
BROKEN = {"NameError", "UnboundLocalError", "AttributeError", "TypeError", "IndexError", "ImportError", "ModuleNotFoundError"}
# Of the processor, for all runs of a program. Importing asyncio alone takes a fifth of a second.
SECONDS = 3.0
EXISTS = os.path.exists


def runs_of(folder, count):
    """What each of so many runs did, under other answers to what is not known; None when one of them did not end."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.close(reading)
            answer = json.dumps(in_child(folder, count)).encode()
            while answer:
                answer = answer[os.write(writing, answer):]
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return json.loads(answer) if answer else None


def in_child(folder, count):
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    silent = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(silent, stream)
    os.chdir(folder)
    sys.dont_write_bytecode = True
    sys.path[:] = [folder] + [path for path in sys.path if path and path != os.path.dirname(os.path.abspath(__file__))]
    sys.setrecursionlimit(300)
    # What is left of a run, such as generators that wait, is not to end in the next.
    gc.disable()
    with open(os.path.join(folder, "main.py")) as file:
        code = compile(file.read(), file.name, "exec")
    record = Record(folder)
    record.watch()
    before = set(sys.modules)
    runs, kept = [], []
    for number in range(count):
        record.held = {}
        decide(random.Random(number), number)
        record.events, record.raised = [], set()
        ended, main = run(code, record)
        runs.append({"ended": ended, "raised": sorted(record.raised), "events": record.events})
        kept.append([main] + [sys.modules.pop(name) for name in set(sys.modules) - before])
    return runs


def run(code, record):
    """How the program ended, and what holds its state."""
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    main.__file__ = code.co_filename
    ended = "end"
    sys.settrace(record.trace)
    try:
        exec(code, main.__dict__)
    except SystemExit:
        ended = "exit"
    except BaseException as error:
        ended = type(error).__name__
    sys.settrace(None)
    return ended, main


def decide(source, number):
    """The answers of this run: all no, all yes, or mixed."""
    fixed = {0: 0.9, 1: 0.1}.get(number)

    def coin():
        return (fixed if fixed is not None else source.random()) < 0.5

    sys.argv = ["main.py"] + (["more", "fast"][: source.choice([1, 2]) if fixed is None else 2] if coin() else [])
    os.environ._data.clear()
    if coin():
        os.environ["MODE"] = source.choice(["slow", "quick"]) if fixed is None else "slow"
    random.random = (lambda: fixed) if fixed is not None else source.random
    time.time = lambda: 0.0 if coin() else 1.0
    os.path.exists = lambda path: coin() if path == "marker" else EXISTS(path)


class Record:
    """What happened, in order."""

    def __init__(self, folder):
        self.folder = folder + os.sep
        self.events = []
        self.raised = set()
        # The environment of the process, which the driver reads: `os.putenv` changes it and not `os.environ`.
        self.held = {}

    def trace(self, frame, event, argument):
        if not frame.f_code.co_filename.startswith(self.folder):
            return None
        frame.f_trace_lines = False
        if event == "exception" and argument[0] not in (StopIteration, GeneratorExit):
            self.raised.add(argument[0].__name__)
        return self.trace

    def note(self, kind, variable=None, value=None, done=True):
        stack = []
        frame = sys._getframe(2)
        while frame:
            if frame.f_code.co_filename.startswith(self.folder):
                stack.append([frame.f_code.co_filename[len(self.folder):], frame.f_lineno])
            frame = frame.f_back
        if stack and variable in (None, MASK, ORDER):
            environment = {name: self.held.get(name) for name in (MASK, ORDER)}
            self.events.append({
                "kind": kind, "variable": variable, "value": value, "done": done, "path": stack[0][0],
                "line": stack[0][1], "chain": stack[:0:-1], "environment": environment,
            })

    def watch(self):
        kind = os._Environ
        set_item, delete, setdefault, pop = kind.__setitem__, kind.__delitem__, kind.setdefault, kind.pop

        def setting(environment, name, value):
            self.note("write", name, value)
            set_item(environment, name, value)

        def setting_default(environment, name, value):
            self.note("write", name, value, name not in environment)
            return setdefault(environment, name, value)

        def deleting(environment, name):
            self.note("remove", name, done=name in environment)
            delete(environment, name)

        def popping(environment, name, *default):
            self.note("remove", name, done=name in environment)
            return pop(environment, name, *default)

        put, take = os.putenv, os.unsetenv

        def of_environ():
            return sys._getframe(2).f_globals is os.__dict__

        def putting(name, value):
            name, value = os.fsdecode(name), os.fsdecode(value)
            if not of_environ():
                self.note("write", name, value)
            put(name, value)
            self.held[name] = value

        def taking(name):
            name = os.fsdecode(name)
            if not of_environ():
                self.note("remove", name, done=name in self.held)
            take(name)
            self.held.pop(name, None)

        os.putenv, os.unsetenv = putting, taking
        kind.__setitem__, kind.__delitem__, kind.setdefault, kind.pop = setting, deleting, setting_default, popping
        sys.modules["torch"] = self.torch()

    def torch(self):
        """As much of torch as programs use. The import does not reach the driver; each of these calls does."""
        torch = types.ModuleType("torch")
        torch.cuda = sys.modules["torch.cuda"] = types.ModuleType("torch.cuda")

        note = self.note

        def using(answer):
            def use(*_):
                self.note("call")
                return answer
            return use

        class Tensor:
            def cuda(self):
                note("call")
                return self

            def to(self, device):
                if device != "cpu":
                    note("call")
                return self

        def made(size, device="cpu"):
            if device != "cpu":
                self.note("call")
            return Tensor()

        torch.zeros = torch.ones = made
        torch.cuda.init, torch.cuda.current_device = using(None), using(0)
        torch.cuda.is_available = using(True)
        # NVML answers, and not the driver.
        torch.cuda.device_count = lambda: 2
        return torch
