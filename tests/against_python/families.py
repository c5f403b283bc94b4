"""Programs that share modules whose classes, functions and objects are made of each other's, each program with settings of its
own: what one program made is known when the next is followed, and only a part of it is still the same.
"""

import random

SETTINGS = 'PLACE = "cpu"\nKIND = "a"\n'
MASKED = 'import os\n\nos.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"\nos.environ["CUDA_VISIBLE_DEVICES"] = "0"\n\n'


def program(seed):
    """The files of one project, by name."""
    return Family(random.Random(seed)).files()


class Family:
    def __init__(self, chance):
        self.chance = chance
        # What each module offers: its name, and whether it is a class, an object, or a function.
        self.offered = []
        self.number = 0

    def files(self):
        modules = {}
        for number in range(self.chance.randint(2, 5)):
            modules[f"m{number}.py"] = self.module(f"m{number}")
        modules["settings.py"] = SETTINGS
        for number in range(self.chance.randint(2, 4)):
            modules[f"run{number}.py"] = self.run()
        return modules

    def name(self, prefix):
        self.number += 1
        return f"{prefix}{self.number}"

    def module(self, module):
        lines, imports, own = [], set(), []
        for _ in range(self.chance.randint(1, 4)):
            makers = [self.a_class, self.a_class, self.a_function, self.an_object, self.a_change, self.a_registry]
            made = self.chance.choice(makers)(module, imports, own)
            lines += [*made, ""]
        self.offered += own
        head = ["import torch", *(["import settings"] if self.chance.random() < 0.8 else [])]
        head += ["from settings import PLACE"] if self.chance.random() < 0.5 else []
        head += sorted(imports)
        text = "\n".join([*head, "", *lines]) + "\n"
        needs = [line for line in ("import settings", "from settings import PLACE") if line not in head]
        return "\n".join(needs + [text]) if needs else text

    def place(self):
        return self.chance.choice(["settings.PLACE", "settings.PLACE", "PLACE", '"cuda:0"', '"cpu"'])

    def taken(self, kind, imports, own):
        """Something of this kind that is there, or nothing."""
        here = [name for name, what, _ in own if what == kind]
        there = [(name, module) for name, what, module in self.offered if what == kind]
        if here and (not there or self.chance.random() < 0.4):
            return self.chance.choice(here)
        if there:
            name, module = self.chance.choice(there)
            imports.add(f"from {module} import {name}")
            return name
        return None

    def a_class(self, module, imports, own):
        name = self.name("C")
        bases = {self.taken("class", imports, own) for _ in range(self.chance.choice([0, 1, 1, 1]))} - {None}
        lines = [f"class {name}({', '.join(sorted(bases))}):" if bases else f"class {name}:"]
        if not bases or self.chance.random() < 0.3:
            lines.append(f"    place = {self.place()}")
        if self.chance.random() < 0.3:
            lines += ["    def __init__(self):", f"        self.own = {self.place()}", ""]
        if not bases or self.chance.random() < 0.25:
            body = self.chance.choice(["self.place", 'getattr(self, "own", "cpu")', "type(self).place"])
            lines += ["    def load(self):", f"        return torch.zeros(1, device={body})", ""]
        if self.chance.random() < 0.3:
            lines += ["    @classmethod", "    def make(cls):", "        return cls().load()", ""]
        if len(lines) == 1:
            lines.append(f"    kind = {self.number}")
        if self.chance.random() < 0.4:
            lines += ["", f"{name}.mark = {self.chance.choice([str(self.number), name, 'settings.KIND'])}"]
        own.append((name, "class", module))
        return lines

    def a_function(self, module, imports, own):
        name = self.name("f")
        other = self.taken(self.chance.choice(["class", "function", "object"]), imports, own)
        inner = f"{other}().load()" if other and other[0] == "C" else f"{other}()" if other and other[0] == "f" else None
        inner = f"{other}.load()" if other and other[0] == "o" else inner
        inner = inner or f"torch.zeros(1, device={self.place()})"
        default = self.place()
        lines = [f"def {name}(where={default}):"]
        if self.chance.random() < 0.4:
            lines.append("    torch.ones(1, device=where)")
        own.append((name, "function", module))
        return [*lines, f"    return {inner}"]

    def an_object(self, module, imports, own):
        taken = self.taken("class", imports, own)
        if taken is None:
            return self.a_class(module, imports, own)
        name = self.name("o")
        lines = [f"{name} = {taken}()"]
        if self.chance.random() < 0.3:
            lines.append(f"{name}.place = {self.place()}")
        own.append((name, "object", module))
        return lines

    def a_change(self, module, imports, own):
        """An attribute of a class of another module that is set from here."""
        taken = self.taken("class", imports, own)
        if taken is None:
            return self.a_class(module, imports, own)
        return [f"{taken}.place = {self.place()}"]

    def a_registry(self, module, imports, own):
        taken = [self.taken("class", imports, own) for _ in range(2)]
        taken = sorted({one for one in taken if one})
        if not taken:
            return self.a_class(module, imports, own)
        name = self.name("f")
        kinds = self.chance.choice(["list", "dict"])
        held = ", ".join(taken) if kinds == "list" else ", ".join(f'"{one}": {one}' for one in taken)
        table = f"TABLE{self.number} = {'[' if kinds == 'list' else '{'}{held}{']' if kinds == 'list' else '}'}"
        each = f"TABLE{self.number}" if kinds == "list" else f"TABLE{self.number}.values()"
        own.append((name, "function", module))
        return [table, "", f"def {name}():", f"    for one in {each}:", "        one().load()"]

    def run(self):
        lines = ["import settings", ""]
        device = self.chance.choice(["cuda:0", "cuda:1", "cuda:2", "cpu"])
        lines.append(f'settings.PLACE = "{device}"' if self.chance.random() < 0.8 else f'settings.KIND = "{device}"')
        ways = []
        for _ in range(self.chance.randint(1, 4)):
            name, what, module = self.chance.choice(self.offered)
            use = {"class": f"{name}().load()", "object": f"{name}.load()", "function": f"{name}()"}[what]
            ways.append([f"from {module} import {name}", "", use])
        for way in ways:
            if self.chance.random() < 0.25:
                lines += ['if os.environ.get("STAGE"):', *(f"    {line}" for line in way if line)]
            elif self.chance.random() < 0.2:
                lines += [self.later(), *way]
            else:
                lines += way
        return MASKED + "\n".join(lines) + "\n"

    def later(self):
        # Two literals with one text are one value, and either may be shown.
        self.number += 1
        return f'settings.PLACE = "cuda:{10 + self.number}"'
