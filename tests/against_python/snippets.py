"""Makes programs of snippets of ordinary Python, which stand in `snippets/`, from seeds.

A snippet has holes for what it needs, and each hole is filled with another snippet of that kind or with a name that holds such
a thing, so that ways of writing meet that nobody would think of together. A file begins each snippet with `== KIND`, or with
`== KIND 3` for one that is taken three times as often. In it:

    ~name           a name that nothing else has
    $kind           an expression of this kind; what it needs is defined before the snippet, or in another file
    $block          statements, on a line of its own; `$looped` where `break` may stand, `$tried` where something may be raised
    $body           the statements of a function that returns a text; `$void` of one that returns nothing, `$yielding` of a generator
    + kind ~name    what holds a thing of this kind in the blocks that follow
    :: expression   what the snippet is as an expression
    => kind ~name   what holds a thing of this kind behind the snippet
    >> ~name        the lines that follow are a file of this name
"""

# dataclasses is for the programs: a run that finds it imported is quicker.
import dataclasses  # noqa: F401
import pathlib
import random
import re

SNIPPETS = pathlib.Path(__file__).resolve().parent / "snippets"
BLOCKS = {"block", "looped", "tried", "body", "void", "yielding", "effect"}
# What a name may hold: the others are written where they are used.
HELD = {"str", "int", "list", "table", "call", "holder", "function", "items", "manager", "flag"}
# What may be defined in another place than where it is used.
DEFINED = {"call", "holder", "function", "manager", "table", "list", "risky", "items"}
DEEPEST = 4
HEAD = ["import collections, contextlib, copy, dataclasses, functools, importlib, itertools", "import os, random, subprocess, sys, time, types", "import torch"]


class Snippet:
    def __init__(self, kind, weight, lines):
        self.kind = kind
        self.weight = weight
        self.lines = lines
        holes = set(re.findall(r"\$(\w+)", "\n".join(lines)))
        self.is_leaf = not holes - {"order", "card"}
        self.has_files = any(line.startswith(">> ") for line in lines)


def read():
    found = {}
    for path in sorted(SNIPPETS.glob("*.txt")):
        for part in path.read_text().split("\n== ")[1:]:
            head, _, text = part.partition("\n")
            kind, *weight = head.split()
            lines = [line for line in text.splitlines() if line.strip()]
            if not lines:
                continue
            snippet = Snippet(kind, int(weight[0]) if weight else 1, lines)
            found.setdefault(kind, []).append(snippet)
    return found


KINDS = read()


def program(seed):
    """The text of each file."""
    return Program(random.Random(seed)).texts()


class Place:
    """Where statements are written: what they may use, and how they may leave."""

    def __init__(self, module, names=(), owner=None, depth=0, function=None, loop=False, caught=False):
        self.module = module
        # Names with their kind, and the function whose they are.
        self.names = list(names)
        self.owner = owner
        self.depth = depth
        self.function = function
        self.loop = loop
        self.caught = caught

    def within(self, hole, names, owner):
        """The place of a block in a snippet that stands here."""
        inner = Place(self.module, self.names, self.owner, self.depth + 1, self.function, self.loop, self.caught)
        if owner:
            inner.function, inner.loop, inner.caught, inner.owner = "other", False, False, owner
        if hole in ("body", "void", "yielding"):
            inner.function = hole
        elif hole == "looped":
            inner.loop = True
        elif hole == "tried":
            inner.caught = True
        inner.names += [(kind, name, inner.owner) for kind, name in names]
        return inner

    def held(self, kind):
        return [name for each, name, _ in self.names if each == kind]


class File:
    def __init__(self, number):
        # A file imports those with higher numbers only.
        self.number = number
        self.lines = list(HEAD)
        self.place = Place(self)


class Program:
    def __init__(self, chance):
        self.chance = chance
        self.numbers = 0
        self.lines_left = chance.randint(35, 110)
        self.written = {}
        names = ["parts.first", "parts.second", "helper"][: chance.choice([0, 1, 2, 3, 3])]
        self.files = {name: File(number) for number, name in enumerate(names, 1)}
        self.main = File(0)

    def texts(self):
        main = self.main
        while self.lines_left > 0:
            main.lines += self.statement(main.place)
        main.lines += self.produce(self.chosen("effect", main.place), main.place).lines
        files = {name.replace(".", "/") + ".py": file.lines for name, file in self.files.items() if file.place.names}
        if any(name.startswith("parts/") for name in files):
            files["parts/__init__.py"] = []
        files |= {"main.py": main.lines, **self.written}
        return {name: "".join(line + "\n" for line in lines) for name, lines in files.items()}

    def fresh(self, name):
        self.numbers += 1
        return f"{name}{self.numbers}"

    def likely(self, share):
        return self.chance.random() < share

    def statement(self, place):
        kind = "effect" if place.depth >= DEEPEST or self.lines_left < 0 else self.chance.choice(["effect", "statement", "statement", "statement"])
        if place.loop and self.likely(0.12):
            kind = "loop_jump"
        elif place.caught and self.likely(0.3):
            kind = "raise"
        elif place.function and place.depth and self.likely(0.12):
            kind = {"body": "return_text", "void": "return_nothing", "yielding": "yield", "other": "effect"}[place.function]
        elif place.function == "yielding" and self.likely(0.3):
            kind = "yield"
        snippet = self.chosen(kind, place)
        self.lines_left -= len(snippet.lines)
        made = self.produce(snippet, place)
        place.names += [(kind, name, place.owner) for kind, name in made.exports]
        return made.lines

    def chosen(self, kind, place, leaf=False):
        fitting = [each for each in KINDS[kind] if not leaf or each.is_leaf]
        if place.module is not self.main or place.function:
            fitting = [each for each in fitting if not each.has_files]
        fitting = fitting or KINDS[kind]
        return self.chance.choices(fitting, [each.weight for each in fitting])[0]

    def block(self, hole, place, first_of_function):
        lines = []
        if hole == "effect":
            return self.produce(self.chosen("effect", place, leaf=True), place).lines
        if first_of_function and self.likely(0.3):
            lines += self.taken_from_outside(place)
        count = self.chance.choice([1, 1, 2, 2, 3]) if self.lines_left > 0 else 1
        for _ in range(count):
            lines += self.statement(place)
        return lines

    def taken_from_outside(self, place):
        """A name of an outer function or of the file, which this function binds from here on."""
        outer = [each for each in place.names if each[0] in ("str", "int", "list") and each[2] != place.owner and not each[1].startswith("given")]
        if not outer:
            return []
        kind, name, owner = self.chance.choice(outer)
        place.names = [each for each in place.names if each[1] != name] + [(kind, name, place.owner)]
        lines = [f"global {name}" if owner is None else f"nonlocal {name}"]
        return lines + ([f"{name} = {self.leaf('str', place)}"] if kind == "str" and self.likely(0.7) else [])

    def leaf(self, kind, place):
        return self.produce(self.chosen(kind, place, leaf=True), place).expression

    def expression(self, kind, place, before):
        """An expression of this kind; the lines that are to stand before it are added."""
        if kind == "mine":
            own = [name for each, name, owner in place.names if each == "str" and owner == place.owner and not name.startswith("given")]
            if own:
                return self.chance.choice(own)
            kind = "name"
        if kind in ("name", "list_name", "table_name", "int_name", "call_name", "holder_name", "function_name"):
            kind = {"name": "str"}.get(kind, kind.removesuffix("_name"))
            held = place.held(kind)
            if held and self.likely(0.8):
                return self.chance.choice(held)
            name = self.fresh("given" if kind != "str" else "text")
            text = self.expression(kind, place, before)
            before.append(f"{name} = {text}")
            return name
        held = place.held(kind)
        if held and self.likely(0.5):
            return self.chance.choice(held)
        deep = self.lines_left < 0 or place.depth >= DEEPEST or len(before) > 12
        snippet = self.chosen(kind, place, leaf=deep or (kind in ("str", "int") and self.likely(0.35)))
        self.lines_left -= len(snippet.lines) - 1
        if kind in DEFINED and len(snippet.lines) > 1:
            files = [name for name, file in self.files.items() if file.number > place.module.number]
            if files and self.likely(0.35):
                return self.imported(snippet, self.chance.choice(files), place, before)
            if place.depth and self.likely(0.4):
                top = place.module.place
                made = self.produce(snippet, top)
                place.module.lines += made.lines
                return made.expression
        inner = Place(place.module, place.names, place.owner, place.depth + 1, None, False, False)
        made = self.produce(snippet, inner)
        before += made.lines
        return made.expression

    def imported(self, snippet, name, place, before):
        """What another file defines, and this one imports in some way."""
        file = self.files[name]
        made = self.produce(snippet, file.place)
        file.lines += made.lines
        defined = made.expression
        if not defined.isidentifier():
            defined = self.fresh("made")
            file.lines.append(f"{defined} = {made.expression}")
        file.place.names.append((snippet.kind, defined, None))
        package, _, last = name.rpartition(".")
        alias = self.fresh("module")
        ways = [
            (f"from {name} import {defined}", defined),
            (f"from {name} import {defined} as {alias}", alias),
            (f"import {name} as {alias}", f"{alias}.{defined}"),
            (f"import {name}", f"{name}.{defined}"),
            ("", f"importlib.import_module({name!r}).{defined}"),
            (f"{alias} = __import__({name!r}, fromlist=['x'])", f"{alias}.{defined}"),
        ]
        if package:
            ways.append((f"from {package} import {last} as {alias}", f"{alias}.{defined}"))
        if place.owner is None and place.depth == 0:
            ways.append((f"from {name} import *", defined))
        line, text = self.chance.choice(ways)
        # In a function these would make a name of it that is used elsewhere in it.
        if line == f"import {name}" or line.endswith("*") or self.likely(0.3):
            place.module.lines.append(line)
        elif line:
            before.append(line)
        return text

    def produce(self, snippet, place):
        return Made(self, snippet, place)


class Made:
    """A snippet whose holes are filled."""

    def __init__(self, program, snippet, place):
        self.program = program
        self.place = place
        self.names = {}
        self.exports = []
        self.expression = None
        self.lines = []
        before, inner, written, target, functions = [], [], [], None, []
        previous = ""
        for line in snippet.lines:
            text = line.lstrip()
            indent = line[: len(line) - len(text)]
            mark, _, rest = text.partition(" ")
            # What one arm of a `match` binds, the next does not see.
            inner = [each for each in inner if len(each[0]) <= len(indent)]
            if mark == "+":
                inner.append((indent, self.typed(rest)))
                continue
            if mark == "=>":
                self.exports.append(self.typed(rest))
                continue
            if mark == "::":
                self.expression = self.filled(rest, place, before)
                continue
            if mark == ">>":
                if rest == "main":
                    target, place = None, self.place
                else:
                    target = program.written.setdefault(self.filled(rest, place, before), list(HEAD))
                    place = Place(File(9), depth=2)
                continue
            while functions and len(indent) <= functions[-1][0]:
                functions.pop()
            if text.startswith("def "):
                functions.append((len(indent), program.fresh("owner")))
            hole = text[1:] if text.startswith("$") else None
            if hole in BLOCKS:
                nested = place.within(hole, [name for _, name in inner], functions[-1][1] if functions else None)
                is_first = previous.startswith("def ")
                made = [indent + each for each in program.block(hole, nested, is_first)]
            else:
                made = [indent + self.filled(text, place, before)]
            if target is None:
                written += made
            else:
                target += before + made
                before = []
            previous = text
        self.lines = before + written

    def typed(self, text):
        kind, name = text.split()
        return kind, self.filled(name, self.place, [])

    def filled(self, text, place, before):
        def named(match):
            name = match.group(1)
            if name not in self.names:
                self.names[name] = self.program.fresh(name)
            return self.names[name]

        text = re.sub(r"~(\w+)", named, text)
        return re.sub(r"\$(\w+)", lambda match: self.program.expression(match.group(1), place, before), text)
