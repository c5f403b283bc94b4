"""Statements of generated programs: what changes the environment, touches the GPU, changes data, or decides what runs."""

import contextlib
import random
from scope import MASK, ORDER, left_out

DEEPEST = 3
ERRORS = ["ValueError", "RuntimeError", "KeyError"]


class Statements:
    """Writes lines; `statement` writes one that fits the scope."""

    def __init__(self, source, expressions):
        self.source = source
        self.expressions = expressions
        self.lines = []
        self.indent = 0
        self.stops = False
        self.is_main = False
        self.modules = {}

    def chance(self, of):
        return self.source.random() < of

    def fresh(self, stem="v"):
        return self.expressions.fresh(stem)

    def value(self, kind, scope):
        return self.expressions.value(kind, scope)

    def condition(self, scope):
        return self.expressions.condition(scope)

    def line(self, text):
        self.lines.append("    " * self.indent + text)

    @contextlib.contextmanager
    def block(self, header):
        self.line(header)
        self.indent += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.line("pass")
        self.indent -= 1

    def statements(self, scope, most):
        """True when nothing behind them runs."""
        for _ in range(self.source.randint(1, most)):
            if self.statement(scope):
                return True
        return False

    def plain_only(self, scope, most):
        """Statements that neither return nor raise."""
        scope = scope.inner(gives="nothing", protected=False, in_loop=False)
        for _ in range(self.source.randint(0, most)):
            if self.statement(scope):
                return

    def statement(self, scope):
        simple = [
            (self.environment, 9), (self.gpu, 3), (self.assign, 5), (self.rebound, 4), (self.change_list, 3),
            (self.change_dict, 4), (self.change_object, 3), (self.change_set, 1), (self.call, 6), (self.stage, 2),
            (self.table, 1), (self.mapped, 1), (self.advance, 1),
        ]
        if scope.protected:
            simple.append((self.raised, 2))
        if scope.in_loop:
            simple.append((self.leave_loop, 2))
        if scope.in_function and scope.gives != "nothing":
            simple.append((self.early_return, 2))
        if self.is_main and not scope.in_function:
            simple.append((self.leave_program, 0.3))
        nested = [
            (self.branch, 6), (self.loop, 3), (self.generated_loop, 3), (self.while_loop, 1), (self.attempt, 4),
            (self.managed, 3), (self.closure, 1.5), (self.key_error, 1),
        ]
        choices = simple + (nested if scope.depth < DEEPEST else [])
        choices = [(way, weight) for way, weight in choices if way.__name__ not in left_out]
        for _ in range(20):
            way = self.source.choices([way for way, _ in choices], [weight for _, weight in choices])[0]
            done = way(scope)
            if done is not None:
                return done
        return self.environment(scope)

    def environment(self, scope):
        variable = self.source.choice([MASK, MASK, MASK, ORDER])
        value = self.value("text", scope)
        if variable == ORDER:
            value = self.source.choice(['"PCI_BUS_ID"', '"FASTEST_FIRST"', value])
        way = self.source.random()
        if way < 0.5:
            self.line(f'os.environ["{variable}"] = {value}')
        elif way < 0.62:
            self.line(f'os.environ.setdefault("{variable}", {value})')
        elif way < 0.74:
            self.line(f'os.environ.pop("{variable}", None)')
        elif way < 0.8:
            with self.block(f'if "{variable}" in os.environ:'):
                self.line(f'del os.environ["{variable}"]')
        elif way < 0.86:
            self.line(f'os.environ.update({{"{variable}": {value}}})')
        elif way < 0.9:
            self.line(f"os.environ.update({variable}={value})")
        elif way < 0.95:
            name = self.fresh("env")
            self.line(f"{name} = os.environ")
            self.line(f'{name}["{variable}"] = {value}')
        else:
            name = self.fresh("d")
            # In one line, since gpulint names the line of the dictionary.
            self.line(f'{name} = {{"{variable}": {value}}}; os.environ.update({name})')
        return False

    def use(self):
        return self.source.choice([
            "torch.cuda.init()", "torch.cuda.init()", 'torch.zeros(1, device="cuda")', "torch.ones(1).cuda()",
            "torch.cuda.is_available()", "torch.cuda.current_device()",
        ])

    def gpu(self, scope):
        use = self.use()
        if "is_available" in use and self.chance(0.5) and scope.depth < DEEPEST:
            with self.block(f"if {use}:"):
                self.statements(scope.inner(), 1)
            return False
        self.line(use)
        return False

    def stage(self, scope):
        if self.chance(0.6):
            self.line(f'os.environ["STAGE"] = {self.value("text", scope)}')
        else:
            self.line('os.environ.pop("STAGE", None)')
        return False

    def assign(self, scope):
        kind = self.source.choice(["text", "text", "list", "dict", "dict", "number", "flag", "set", "object", "object"])
        name = self.fresh()
        if kind == "object":
            if scope.objects and self.chance(0.4):
                other, of = self.source.choice(scope.objects)
                self.line(f"{name} = {other}")
            elif scope.classes:
                made, of = self.expressions.made(scope)
                self.line(f"{name} = {made}")
            else:
                return None
            scope.objects.append((name, of))
            aside = random.Random(name)
            if of.setters and aside.random() < 0.7:
                self.line(f'{name}.{aside.choice(of.setters)} = "{aside.randrange(60)}"')
            return False
        self.line(f"{name} = {self.value(kind, scope)}")
        scope.add(kind, name)
        return False

    def rebound(self, scope):
        kind = self.source.choice(["text", "text", "list", "dict", "number", "flag"])
        if not scope.own.get(kind):
            return None
        name = self.source.choice(scope.own[kind])
        if kind == "number" and self.chance(0.5):
            self.line(f"{name} += 1")
        elif kind == "text" and self.chance(0.15):
            self.line(f'{name} += ",{self.source.randrange(60)}"')
        else:
            self.line(f"{name} = {self.value(kind, scope)}")
        return False

    def change_list(self, scope):
        name = self.expressions.known("list", scope)
        if not name:
            return None
        text = self.value("text", scope)
        self.line(self.source.choice([
            f"{name}.append({text})", f"{name}[0] = {text}", f"{name}.insert(0, {text})", f"{name}.extend([{text}])",
            f"{name}[-1] = {text}", f"{name}.reverse()",
        ]))
        if self.chance(0.2):
            with self.block(f"if len({name}) > 1:"):
                self.line(self.source.choice([f"{name}.pop()", f"{name}.pop(0)", f"del {name}[0]"]))
        return False

    def change_dict(self, scope):
        name = self.expressions.known("dict", scope)
        if not name:
            return None
        text, key = self.value("text", scope), self.source.choice(["a", "a", "b", "c"])
        self.line(self.source.choice([
            f'{name}["{key}"] = {text}', f'{name}["{key}"] = {text}', f'{name}.update({{"{key}": {text}}})',
            f"{name}.update({key}={text})", f'{name}.setdefault("{key}", {text})', f'{name}.pop("c", None)',
        ]))
        return False

    def change_set(self, scope):
        name = self.expressions.known("set", scope)
        if not name:
            return None
        self.line(f"{name}.{self.source.choice(['add', 'discard'])}({self.value('text', scope)})")
        return False

    def change_object(self, scope):
        of_class = self.chance(0.3)
        if not (scope.classes if of_class else scope.objects):
            return None
        name = self.source.choice(scope.classes if of_class else scope.objects)[0]
        text = self.value("text", scope)
        self.line(self.source.choice([
            f"{name}.mask = {text}", f"{name}.mask = {text}", f"{name}.items.append({text})", f"{name}.items[0] = {text}",
            f'{name}.options["a"] = {text}', f'setattr({name}, "mask", {text})', f"{name}.items = [{text}]",
        ]))
        return False

    def call(self, scope):
        able = self.expressions.callable(scope)
        if not able:
            return None
        name, function = self.source.choice(able)
        call = self.expressions.call(name, function, scope)
        if function.flavour == "context":
            return None
        gives = function.gives
        if function.flavour == "generator":
            if self.chance(0.5):
                self.line(f"list({call})")
                return False
            call = f'",".join({call})'
        if gives and self.chance(0.5):
            name = self.fresh()
            self.line(f"{name} = {call}")
            # A method that returns early returns None.
            scope.add(gives, name)
            return False
        self.line(call)
        return False

    def advance(self, scope):
        """A generator that is not run to its end."""
        able = [pair for pair in self.expressions.callable(scope) if pair[1].flavour == "generator"]
        if not able:
            return None
        name, call = self.fresh(), self.expressions.call(*self.source.choice(able), scope)
        if self.chance(0.6):
            self.line(f'{name} = next({call}, "7")')
        else:
            held = self.fresh("g")
            self.line(f"{held} = {call}")
            self.line(f'{name} = next({held}, "7")')
            if self.chance(0.5):
                self.line(f'{name} = next({held}, "8")')
        scope.add("text", name)
        return False

    def table(self, scope):
        """Functions in a dictionary or behind another name."""
        able = [
            (name, function) for name, function in self.expressions.callable(scope)
            if function.flavour == "plain" and all(has for _, _, has in function.parameters)
        ]
        if not able:
            return None
        name, function = self.source.choice(able)
        alias = self.fresh("t")
        if self.chance(0.5):
            self.line(f'{alias} = {{"run": {name}}}')
            self.line(f'{alias}["run"]()')
        else:
            self.line(f"{alias} = {name}")
            self.line(f"{alias}()")
        return False

    def mapped(self, scope):
        """A function for each element, in a comprehension."""
        able = [
            (name, function) for name, function in self.expressions.callable(scope)
            if function.flavour == "plain" and function.parameters and function.parameters[0][1] == "text"
            and all(has for _, _, has in function.parameters[1:])
        ]
        if not able:
            return None
        name, one = self.source.choice(able)[0], self.fresh("e")
        result = self.fresh()
        filtered = f" if {one} != {self.expressions.literal()}" if self.chance(0.3) else ""
        self.line(f"{result} = [{name}({one}) for {one} in {self.value('list', scope)}{filtered}]")
        return False

    def raised(self, scope):
        error = self.source.choice(ERRORS + (["Stop"] * 3 if self.stops else []))
        if self.chance(0.65):
            with self.block(f"if {self.condition(scope)}:"):
                self.line(f'raise {error}("x")')
            return False
        self.line(f'raise {error}("x")')
        return True

    def leave_loop(self, scope):
        word = self.source.choice(["break", "continue"])
        if self.chance(0.8):
            with self.block(f"if {self.condition(scope)}:"):
                self.line(word)
            return False
        self.line(word)
        return True

    def early_return(self, scope):
        value = f" {self.value(scope.gives, scope)}" if scope.gives else ""
        if self.chance(0.8):
            with self.block(f"if {self.condition(scope)}:"):
                self.line(f"return{value}")
            return False
        self.line(f"return{value}")
        return True

    def leave_program(self, scope):
        with self.block(f"if {self.condition(scope)}:"):
            self.line("sys.exit()")
        return False

    def branch(self, scope):
        with self.block(f"if {self.condition(scope)}:"):
            ends = self.statements(scope.inner(), 2)
        if self.chance(0.25):
            with self.block(f"elif {self.condition(scope)}:"):
                ends = self.statements(scope.inner(), 2) and ends
        if self.chance(0.4):
            with self.block("else:"):
                return self.statements(scope.inner(), 2) and ends
        return False

    def loop(self, scope):
        one = self.fresh()
        name, mapping = self.expressions.known("list", scope), self.expressions.known("dict", scope)
        ways = [(f"for {one} in {self.value('list', scope.inner(names={}))}:", "text"), (f"for {one} in range({self.source.randint(1, 3)}):", "number")]
        if name:
            ways += [(f"for {one} in list({name}):", "text"), (f"for {one} in {name}:", "text")]
            ways += [(f"for {one}n, {one} in enumerate(list({name})):", "text")]
        if mapping:
            ways += [(f"for {one}k, {one} in list({mapping}.items()):", "text"), (f"for {one} in list({mapping}.values()):", "text")]
        of = self.expressions.known("set", scope)
        if of:
            ways += [(f"for {one} in sorted({of}):", "text")]
        header, kind = self.source.choice(ways)
        self.looped(header, one, kind, scope)
        return False

    def looped(self, header, one, kind, scope):
        with self.block(header):
            inner = scope.inner(in_loop=True)
            if one:
                inner.add(kind, one)
            self.statements(inner, 3)
        if self.chance(0.2):
            with self.block("else:"):
                self.statements(scope.inner(), 1)

    def generated_loop(self, scope):
        able = [pair for pair in self.expressions.callable(scope) if pair[1].flavour == "generator"]
        if not able:
            return None
        call, one = self.expressions.call(*self.source.choice(able), scope), self.fresh()
        if self.chance(0.2):
            held = self.fresh("g")
            self.line(f"{held} = {call}")
            call = held
        self.looped(f"for {one} in {call}:", one, "text", scope)
        return False

    def while_loop(self, scope):
        count = self.fresh("n")
        self.line(f"{count} = 0")
        also = f" and {self.condition(scope)}" if self.chance(0.4) else ""
        with self.block(f"while {count} < {self.source.randint(1, 3)}{also}:"):
            self.line(f"{count} += 1")
            inner = scope.inner(in_loop=True)
            inner.names.setdefault("number", []).append(count)
            self.statements(inner, 2)
        if self.chance(0.15):
            with self.block("else:"):
                self.statements(scope.inner(), 1)
        return False

    def attempt(self, scope):
        handled = self.source.choice(["all", "all", "some", "none"])
        # What a handler does not name goes on to whoever is outside.
        protected = handled == "all" or scope.protected
        with self.block("try:"):
            ends = self.statements(scope.inner(protected=protected), 3)
        if handled == "all" and self.stops and self.chance(0.4):
            with self.block("except Stop:"):
                self.statements(scope.inner(), 2)
        if handled != "none":
            some = ["ValueError", "(RuntimeError, KeyError)", "KeyError", "RuntimeError"]
            if self.chance(0.4) or handled == "some":
                with self.block(f"except {self.source.choice(some)}:"):
                    self.handler(scope)
            if handled == "all":
                with self.block(self.source.choice(["except Exception:", "except Exception as error:", "except:"])):
                    self.handler(scope)
            if self.chance(0.3):
                with self.block("else:"):
                    self.statements(scope.inner(), 2)
        if handled == "none" or self.chance(0.3):
            with self.block("finally:"):
                self.statements(scope.inner(gives="nothing", in_loop=False), 2)
        return ends and handled == "none"

    def handler(self, scope):
        ends = self.statements(scope.inner(), 2)
        if not ends and scope.protected and self.chance(0.2):
            self.line("raise")

    def key_error(self, scope):
        """A look-up that fails where the key is not there."""
        mapping = self.expressions.known("dict", scope)
        name, variable = self.fresh(), self.source.choice([MASK, "STAGE"])
        ways = [f'{name} = os.environ["{variable}"]', f'del os.environ["{MASK}"]', f'os.environ.pop("{MASK}")']
        if mapping:
            ways += [f'{name} = {mapping}["c"]', f'{mapping}.pop("c")', f'del {mapping}["c"]']
        with self.block("try:"):
            self.line(self.source.choice(ways))
            self.statements(scope.inner(), 1)
        with self.block("except KeyError:"):
            self.handler(scope)
        return False

    def managed(self, scope):
        able = [pair for pair in self.expressions.callable(scope) if pair[1].flavour == "context"]
        objects = [pair for pair in scope.objects if pair[1].enters]
        classes = [pair for pair in scope.classes if pair[1].enters]
        inner = scope.inner()
        one = self.fresh()
        if able and (self.chance(0.6) or not objects + classes):
            call = self.expressions.call(*self.source.choice(able), scope)
            inner.add("text", one)
        elif objects + classes:
            if objects and (self.chance(0.5) or not classes):
                call, of = self.source.choice(objects)
            else:
                call, of = self.source.choice(classes)
                call += "()"
            inner.objects.append((one, of))
        elif self.chance(0.15) and scope.depth:
            call = f"contextlib.suppress({self.source.choice(ERRORS)})"
            one = None
        else:
            return None
        with self.block(f"with {call} as {one}:" if one and self.chance(0.7) else f"with {call}:"):
            if f"as {one}:" not in self.lines[-1]:
                inner = scope.inner()
            ends = self.statements(inner, 2)
        # A manager may swallow what is raised.
        return ends and False

    def closure(self, scope):
        self.function(scope)
        name, function = scope.functions[-1]
        if self.chance(0.7) and (scope.protected or not function.raises):
            self.line(self.expressions.call(name, function, scope))
        return False
