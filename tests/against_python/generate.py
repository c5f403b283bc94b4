"""Makes a small Python program of one to four files from a seed. It ends, and what it does is decided by the answers to
the questions of `Expressions.open_condition` alone."""

import random
from scope import Class, Expressions, Function, Scope
from statements import Statements

MODULES = ["south", "north", "east"]
HEAD = "import os, sys, random, time, contextlib\nimport torch\n"


def program(seed):
    """The texts of the files, by name; `main.py` is the one that is started."""
    source = random.Random(seed)
    expressions = Expressions(source)
    names = MODULES[: source.choice([0, 0, 1, 1, 2, 3])]
    texts, modules = {}, {}
    # Leaves first, so that a module knows what those that it imports hold.
    for number, name in enumerate(names):
        importer = names[number + 1] if number + 1 < len(names) else None
        writer = Module(source, expressions, modules, importer)
        modules[name] = writer.exported(name)
        texts[f"{name}.py"] = writer.text()
    texts["main.py"] = Module(source, expressions, modules, None, is_main=True).text()
    return texts


class Module(Statements):
    """One file: imports, then definitions and statements."""

    def __init__(self, source, expressions, modules, importer, is_main=False):
        super().__init__(source, expressions)
        self.modules = modules
        self.importer = importer
        self.is_main = is_main
        self.level = f'"{source.randrange(60)}"'
        self.scope = Scope()
        self.write()

    def text(self):
        return HEAD + "".join(line + "\n" for line in self.lines)

    def exported(self, name):
        """What others can name of this module once it has run."""
        scope = Scope()
        for kind, names in self.scope.own.items():
            for own in names:
                if own.isidentifier():
                    scope.add(kind, f"{name}.{own}")
        scope.functions = [
            (f"{name}.{own}", function) for own, function in self.scope.functions if own == function.name
        ]
        scope.classes = [(f"{name}.{own}", of) for own, of in self.scope.classes if own == of.name]
        scope.objects = [(f"{name}.{own}", of) for own, of in self.scope.objects if own.isidentifier()]
        return scope

    def write(self):
        scope = self.scope
        self.line(f"LEVEL = {self.level}")
        scope.add("text", "LEVEL")
        if self.chance(0.4):
            self.line("class Stop(Exception):")
            self.line("    pass")
            self.stops = True
        for name in self.modules:
            if self.chance(0.8 if self.is_main else 0.5):
                self.import_module(name, scope)
        count = self.source.choice([4, 5, 6, 7, 8] if self.is_main else [2, 3, 4, 5])
        for _ in range(count):
            self.definition(scope) if self.chance(0.45) else self.statement(scope)
        if not self.is_main:
            return
        if self.chance(0.25):
            with self.block('if __name__ == "__main__":'):
                self.statements(scope.inner(), 3)
        if self.chance(0.7):
            self.line(self.use())

    def import_module(self, name, scope):
        exported = self.modules[name]
        if self.chance(0.3):
            own = [own for own, _ in exported.functions + exported.classes]
            if own:
                chosen = self.source.choice(own)
                short = chosen.split(".")[1]
                self.line(f"from {name} import {short}")
                scope.functions += [(short, of) for full, of in exported.functions if full == chosen]
                scope.classes += [(short, of) for full, of in exported.classes if full == chosen]
                return
        self.line(f"import {name}")
        scope.modules[name] = exported
        for kind, names in exported.names.items():
            for full in names:
                scope.add(kind, full)
        scope.functions += exported.functions
        scope.classes += exported.classes
        scope.objects += exported.objects

    def definition(self, scope):
        way = self.source.random()
        if way < 0.45:
            self.function(scope)
        elif way < 0.6:
            self.function(scope, flavour="generator")
        elif way < 0.72:
            self.function(scope, flavour="context")
        else:
            self.class_definition(scope)

    def function_scope(self, scope, function):
        """What the body of a function starts with; statements that it needs are written."""
        inner = scope.inner(
            protected=function.raises, in_function=True, in_loop=False, gives=function.gives, depth=max(1, scope.depth + 1)
        )
        # A name of a module or of an outer function can be bound anew only where that is said.
        outer, inner.own = inner.own, {kind: [own for own in names if "." in own] for kind, names in inner.own.items()}
        for parameter, kind, _ in function.parameters:
            if kind == "action":
                inner.functions.append((parameter, Function(parameter)))
            else:
                inner.add(kind, parameter)
        return inner, outer

    def function(self, scope, flavour="plain"):
        function = Function(self.fresh("f"), flavour=flavour)
        function.raises = self.chance(0.25)
        function.gives = self.source.choice(["text", "text", None, "list", "dict"])
        if flavour != "plain":
            function.gives = "text"
        header = self.parameters(function, scope)
        if flavour == "context":
            self.line("@contextlib.contextmanager")
        with self.block(f"def {function.name}({', '.join(header)}):"):
            inner, outer = self.function_scope(scope, function)
            self.rebind(scope, inner, outer)
            self.body(function, inner)
        scope.functions.append((function.name, function))

    def parameters(self, function, scope, defaults=0.4):
        header = []
        has_default = False
        for _ in range(self.source.choice([0, 0, 1, 1, 2])):
            kinds = ["text", "text", "list", "dict", "flag", "number"] + (["action"] if function.flavour == "plain" else [])
            kind, name = self.source.choice(kinds), self.fresh("p")
            has_default = has_default or self.chance(defaults)
            function.parameters.append((name, kind, has_default))
            header.append(f"{name}={self.value(kind, scope)}" if has_default else name)
        return header

    def rebind(self, scope, inner, outer):
        names = [(kind, own) for kind, owns in outer.items() for own in owns if own.isidentifier()]
        for kind, own in self.source.sample(names, min(len(names), self.source.choice([0, 0, 1, 2]))):
            is_global = not scope.in_function or own in scope.declared
            self.line(f"{'global' if is_global else 'nonlocal'} {own}")
            if is_global:
                inner.declared |= {own}
            inner.own.setdefault(kind, []).append(own)

    def body(self, function, inner):
        if self.importer and self.chance(0.15):
            # A circle, once both are there.
            self.line(f"import {self.importer}")
            inner.add("text", f"{self.importer}.LEVEL")
        if function.flavour == "plain":
            if not self.statements(inner, 3) and function.gives:
                self.line(f"return {self.value(function.gives, inner)}")
            return
        inner.gives = "nothing"
        self.plain_only(inner, 2)
        if function.flavour == "generator":
            for _ in range(self.source.choice([1, 2, 2, 3])):
                self.yielded(inner)
                self.plain_only(inner, 1)
            return
        handlers = self.source.choice(["", "", "finally", "finally", "except"])
        if not handlers:
            self.line(f"yield {self.value('text', inner)}")
            self.plain_only(inner, 2)
            return
        with self.block("try:"):
            self.line(f"yield {self.value('text', inner)}")
            self.plain_only(inner.inner(), 1)
        with self.block("finally:" if handlers == "finally" else "except ValueError:"):
            self.statements(inner.inner(gives="nothing", no_return=True), 2)
        if self.chance(0.4):
            self.plain_only(inner, 1)

    def yielded(self, inner):
        line = f"yield {self.value('text', inner)}"
        way = self.source.random()
        if way < 0.2:
            with self.block(f"if {self.condition(inner)}:"):
                self.line(line)
                self.plain_only(inner.inner(), 1)
        elif way < 0.35:
            one = self.fresh()
            with self.block(f"for {one} in {self.value('list', inner)}:"):
                looped = inner.inner(in_loop=True)
                looped.add("text", one)
                self.line(f"yield {self.value('text', looped)}")
                self.plain_only(looped, 1)
        elif way < 0.5:
            with self.block("try:"):
                self.line(line)
            with self.block("finally:"):
                self.plain_only(inner.inner(), 2)
        else:
            self.line(line)

    def class_definition(self, scope):
        bases = [pair for pair in scope.classes]
        base = self.source.choice(bases) if bases and self.chance(0.5) else None
        of = Class(self.fresh("C"), base[1] if base else None)
        with self.block(f"class {of.name}({base[0]}):" if base else f"class {of.name}:"):
            if not base or self.chance(0.3):
                self.line(f"mask = {self.text_of(scope)}")
                self.line(f"items = {self.value('list', Scope())}")
                self.line(f"options = {self.value('dict', Scope())}")
            inner = scope.inner(depth=max(1, scope.depth))
            if not base or self.chance(0.5):
                self.constructor(of, base, inner)
            for _ in range(self.source.choice([0, 1, 1, 2])):
                self.method(of, inner)
            if self.chance(0.3):
                self.method(of, inner, is_property=True)
            if self.chance(0.25):
                self.enter_and_exit(of, inner)
            if not base and self.chance(0.3):
                self.class_method(of, inner)
        scope.classes.append((of.name, of))

    def text_of(self, scope):
        return self.value("text", scope)

    def with_self(self, scope, function, of):
        inner, _ = self.function_scope(scope, function)
        inner.add("text", "self.mask")
        inner.add("list", "self.items")
        inner.add("dict", "self.options")
        # Only what is there already, so that nothing calls itself.
        inner.functions += [(f"self.{method.name}", method) for method in of.methods]
        return inner

    def constructor(self, of, base, scope):
        of.takes_mask = True
        default = f"={self.text_of(scope)}"
        with self.block(f"def __init__(self, mask{default}):"):
            if base:
                self.line(f"super().__init__({'mask' if of.base.takes_mask and self.chance(0.5) else ''})")
            inner = self.with_self(scope, Function("__init__"), Class("none"))
            inner.add("text", "mask")
            if self.chance(0.8):
                self.line("self.mask = mask")
            if self.chance(0.5):
                self.line(f"self.items = {self.value('list', Scope())}")
            if self.chance(0.5):
                self.line(f"self.options = {self.value('dict', Scope())}")
            if self.chance(0.3):
                self.statements(inner, 2)
            self.line("self.made = True")

    def method(self, of, scope, is_property=False):
        inherited = [method for method in of.methods if method.method_of is not of]
        overrides = self.source.choice(inherited) if inherited and not is_property and self.chance(0.4) else None
        function = Function(overrides.name if overrides else self.fresh("m"), method_of=of)
        function.raises = not is_property and self.chance(0.2)
        function.gives = self.source.choice(["text", "text", None])
        header = []
        if overrides:
            # Whoever holds an object may call either.
            function.raises, function.gives = overrides.raises, overrides.gives
            function.parameters = overrides.parameters
            header = [f"{name}={self.value(kind, scope)}" if has else name for name, kind, has in function.parameters]
        elif is_property:
            function.gives = "text"
            self.line("@property")
        else:
            header = self.parameters(function, scope)
        with self.block(f"def {function.name}({', '.join(['self'] + header)}):"):
            inner = self.with_self(scope, function, of)
            if overrides and self.chance(0.6):
                given = ", ".join(name for name, _, _ in function.parameters)
                self.line(f"super().{function.name}({given})")
            if not self.statements(inner, 2) and function.gives:
                self.line(f"return {self.value(function.gives, inner)}")
        if is_property:
            of.properties.append(function.name)
            self.setter(of, function.name)
            return
        of.methods = [method for method in of.methods if method.name != function.name] + [function]

    def setter(self, of, name):
        # The name decides, so that the rest of the program does not depend on it.
        aside = random.Random(name)
        if aside.random() < 0.4:
            return
        of.setters.append(name)
        self.line(f"@{name}.setter")
        with self.block(f"def {name}(self, given):"):
            way = ["self.mask = given", 'self.options["a"] = given', 'os.environ["CUDA_VISIBLE_DEVICES"] = given']
            self.line(aside.choice(way))

    def class_method(self, of, scope):
        function = Function(self.fresh("m"), method_of=of)
        is_static = self.chance(0.4)
        self.line("@staticmethod" if is_static else "@classmethod")
        with self.block(f"def {function.name}({'' if is_static else 'cls'}):"):
            inner, _ = self.function_scope(scope, function)
            if not is_static:
                inner.add("text", "cls.mask")
                inner.add("list", "cls.items")
                inner.add("dict", "cls.options")
            self.statements(inner, 2)
        of.methods.append(function)

    def enter_and_exit(self, of, scope):
        of.enters = True
        with self.block("def __enter__(self):"):
            inner = self.with_self(scope, Function("__enter__"), of)
            inner.gives = "nothing"
            self.plain_only(inner, 2)
            self.line("return self")
        with self.block("def __exit__(self, kind, error, trace):"):
            inner = self.with_self(scope, Function("__exit__"), of)
            inner.gives = "nothing"
            self.plain_only(inner, 2)
            if self.chance(0.3):
                self.line("return " + self.source.choice(["True", "False", "kind is ValueError", self.condition(scope)]))
