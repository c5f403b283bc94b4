"""What the code at one point of a generated program can name, and the expressions and conditions made of it."""

MASK = "CUDA_VISIBLE_DEVICES"
ORDER = "CUDA_DEVICE_ORDER"
# Kinds of statements and values, by the names of their methods, that no program has; `compare.py --without` fills it.
left_out = set()


class Function:
    """A function of a generated program. `flavour`: plain, generator or context; `gives`: what a call returns or yields."""

    def __init__(self, name, parameters=(), gives=None, raises=False, flavour="plain", method_of=None):
        self.name = name
        # (name, kind, has a default)
        self.parameters = list(parameters)
        self.gives = gives
        self.raises = raises
        self.flavour = flavour
        self.method_of = method_of


class Class:
    """Every class has `mask` (text), `items` (list) and `options` (dict), of the class or of the instance."""

    def __init__(self, name, base=None):
        self.name = name
        self.base = base
        self.methods = list(base.methods) if base else []
        self.properties = list(base.properties) if base else []
        # Of these: those that may be set.
        self.setters = list(base.setters) if base else []
        self.enters = base.enters if base else False
        self.takes_mask = base.takes_mask if base else False


class Scope:
    """Names in reach, by kind: text, number, flag, list, dict, set. `own` are those that may be bound anew here."""

    def __init__(self):
        self.names = {}
        self.own = {}
        self.functions = []
        self.classes = []
        self.objects = []
        self.modules = {}
        # Names that this function, or one around it, declares global.
        self.declared = frozenset()
        # Somebody catches what is raised here.
        self.protected = False
        self.in_function = False
        self.in_loop = False
        self.gives = None
        self.depth = 0

    def inner(self, **changes):
        """A copy for a block: what it defines is not known behind it."""
        copy = Scope()
        copy.__dict__.update(self.__dict__)
        copy.names = {kind: list(names) for kind, names in self.names.items()}
        copy.own = {kind: list(names) for kind, names in self.own.items()}
        copy.functions, copy.classes, copy.objects = list(self.functions), list(self.classes), list(self.objects)
        copy.modules = dict(self.modules)
        copy.depth = self.depth + 1
        copy.__dict__.update(changes)
        return copy

    def add(self, kind, name, own=True):
        self.names.setdefault(kind, []).append(name)
        if own:
            self.own.setdefault(kind, []).append(name)


class Expressions:
    """Values and conditions. Literals differ as far as possible, so that a wrong value is seen."""

    def __init__(self, random):
        self.random = random
        self.count = 0

    def chance(self, of):
        return self.random.random() < of

    def fresh(self, stem="v"):
        self.count += 1
        return f"{stem}{self.count}"

    def literal(self):
        return f'"{self.random.randrange(60)}"'

    def value(self, kind, scope, depth=0):
        return getattr(self, kind)(scope, depth)

    def known(self, kind, scope):
        names = scope.names.get(kind)
        return self.random.choice(names) if names else None

    def text(self, scope, depth=0):
        if depth > 2 or self.chance(0.2):
            return self.literal()
        name = self.known("text", scope)
        if name and self.chance(0.4):
            return name
        ways = [
            self.element, self.element, self.item, self.item, self.attribute, self.attribute, self.called, self.called,
            self.formatted, self.chosen, self.read, self.joined, self.alternative, self.comprehended,
        ]
        ways = [way for way in ways if way.__name__ not in left_out]
        return self.random.choice(ways)(scope, depth + 1) or name or self.literal()

    def element(self, scope, depth):
        name = self.known("list", scope)
        return name and name + self.random.choice(["[0]", "[-1]", f"[len({name}) - 1]", "[0]"])

    def item(self, scope, depth):
        name = self.known("dict", scope)
        if not name:
            return None
        return name + self.random.choice(['["a"]', '["b"]', f'.get("c", {self.literal()})', '.get("a")'])

    def attribute(self, scope, depth):
        if scope.objects and self.chance(0.75):
            name, of = self.random.choice(scope.objects)
            ways = [".mask", ".items[0]", '.options["a"]'] + [f".{name}" for name in of.properties] * 2
            return name + self.random.choice(ways)
        if scope.classes:
            name, of = self.random.choice(scope.classes)
            return name + self.random.choice([".mask", '.options["a"]', ".items[-1]"])
        return None

    def called(self, scope, depth):
        able = [pair for pair in self.callable(scope) if pair[1].flavour == "plain" and pair[1].gives == "text"]
        if not able:
            return None
        return self.call(*self.random.choice(able), scope, depth)

    def callable(self, scope):
        """Functions that can be called here, with the expression that names each."""
        bound = [(f"{name}.{method.name}", method) for name, of in scope.objects for method in of.methods]
        return [pair for pair in scope.functions + bound if scope.protected or not pair[1].raises]

    def call(self, name, function, scope, depth=0):
        arguments = []
        by_name = False
        for parameter, kind, has_default in function.parameters:
            if has_default and self.chance(0.4):
                by_name = True
                continue
            value = self.value(kind, scope, depth + 1)
            by_name = by_name or self.chance(0.15)
            arguments.append(f"{parameter}={value}" if by_name else value)
        return f"{name}({', '.join(arguments)})"

    def formatted(self, scope, depth):
        first, number = self.known("text", scope), self.known("number", scope)
        ways = []
        if first:
            ways += [f'f"{{{first}}}"', f'f"{{{first}}},{self.random.randrange(60)}"', f'"%s" % {first}']
            ways += [f'"{{}}".format({first})', f'{first} + ",{self.random.randrange(60)}"']
        if number:
            ways += [f"str({number})", f'f"{{{number}}}"', f"str({number} + 1)"]
        return self.random.choice(ways) if ways else None

    def chosen(self, scope, depth):
        return f"({self.text(scope, depth)} if {self.condition(scope)} else {self.text(scope, depth)})"

    def read(self, scope, depth):
        variable = self.random.choice([MASK, MASK, "STAGE"])
        return f'os.environ.get("{variable}", {self.literal()})'

    def joined(self, scope, depth):
        name = self.known("list", scope)
        return name and f'",".join({name})'

    def alternative(self, scope, depth):
        name = self.known("text", scope)
        return name and f"({name} or {self.literal()})"

    def comprehended(self, scope, depth):
        name, mapping = self.known("list", scope), self.known("dict", scope)
        one = self.fresh("e")
        ways = []
        if name:
            ways += [f'",".join([{one} for {one} in {name}])', f"[{one} for {one} in {name}][0]"]
            ways += [f'",".join({one} for {one} in {name} if {one} != {self.literal()})']
        if mapping:
            ways += [f'{{{one}: {one}1 for {one}, {one}1 in {mapping}.items()}}["a"]']
        return self.random.choice(ways) if ways else None

    def number(self, scope, depth=0):
        name = self.known("number", scope)
        ways = [str(self.random.randrange(5))]
        if name and depth < 3:
            ways += [name, f"{name} + 1"]
        if self.known("list", scope):
            ways.append(f"len({self.known('list', scope)})")
        return self.random.choice(ways)

    def flag(self, scope, depth=0):
        if depth > 1 or self.chance(0.5):
            return self.random.choice(["True", "False"])
        return self.condition(scope)

    def list(self, scope, depth=0):
        name = self.known("list", scope)
        if name and self.chance(0.4):
            return self.random.choice([name, name, f"list({name})", f"{name}.copy()"])
        texts = [self.text(scope, depth + 1) for _ in range(self.random.choice([1, 2, 2, 3]))]
        return f"[{', '.join(texts)}]"

    def dict(self, scope, depth=0):
        name = self.known("dict", scope)
        if name and self.chance(0.4):
            return self.random.choice([name, name, f"dict({name})", f"{{**{name}}}", f"{name}.copy()"])
        first, second = self.text(scope, depth + 1), self.text(scope, depth + 1)
        if self.chance(0.25):
            return f"dict(a={first}, b={second})"
        return f'{{"a": {first}, "b": {second}}}'

    def set(self, scope, depth=0):
        return f"{{{self.text(scope, depth + 1)}, {self.literal()}}}"

    def action(self, scope, depth=0):
        """A function to be called without arguments."""
        able = [
            name for name, function in scope.functions
            if function.flavour == "plain" and not function.raises and all(has for _, _, has in function.parameters)
        ]
        if able and self.chance(0.8):
            return self.random.choice(able)
        return f"lambda: {self.text(scope, depth + 1)}"

    def object(self, scope, depth=0):
        if scope.objects and self.chance(0.7):
            return self.random.choice(scope.objects)[0]
        if scope.classes:
            return self.made(scope)[0]
        return None

    def made(self, scope):
        name, of = self.random.choice(scope.classes)
        mask = self.text(scope, 2) if of.takes_mask and self.chance(0.7) else ""
        return f"{name}({mask})", of

    def condition(self, scope):
        if self.chance(0.35):
            return self.open_condition()
        condition = self.settled_condition(scope)
        return f"not {condition}" if " " not in condition and self.chance(0.2) else condition

    def open_condition(self):
        """Runs differ in what these say."""
        return self.random.choice([
            "len(sys.argv) > 1", "len(sys.argv) > 2", 'sys.argv[-1] == "fast"', 'os.path.exists("marker")',
            "random.random() < 0.5", "time.time() % 2 < 1", 'os.environ.get("MODE") == "slow"', 'os.environ.get("MODE")',
        ])

    def settled_condition(self, scope):
        """True or false on every path by what the program itself did; gpulint may or may not follow it."""
        ways = ["True", "False"]
        text, flag, number = self.known("text", scope), self.known("flag", scope), self.known("number", scope)
        name, mapping, of = self.known("list", scope), self.known("dict", scope), self.known("set", scope)
        if flag:
            ways += [flag, flag, flag]
        if text:
            ways += [f"{text} == {self.literal()}", f"{text} != {self.literal()}", text, f"{text} is None"]
        if number:
            ways += [f"{number} > {self.random.randrange(4)}", f"{number} == {self.random.randrange(4)}"]
        if name:
            ways += [f"len({name}) > {self.random.randrange(1, 4)}", f"{self.literal()} in {name}"]
            if text:
                ways += [f"{text} in {name}"]
        if mapping:
            ways += [f'"c" in {mapping}', f'{mapping}["a"] == {self.literal()}', f'{mapping}.get("c") is None']
        if of:
            ways += [f"{self.literal()} in {of}"]
        ways += [f'"{MASK}" in os.environ', f'os.environ.get("{MASK}") == {self.literal()}']
        ways += [f'"{MASK}" not in os.environ', 'os.environ.get("STAGE") is None', '"STAGE" in os.environ']
        return self.random.choice(ways)
