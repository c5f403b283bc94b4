"""Measures each test from before its first fixture to after its last, and fails those that keep GPU memory each time they run.

Memory of a fixture with a wider scope is accounted to the fixture: it counts neither when it is set up nor when it is torn down.
What a test keeps once and not again (a model that is loaded when it is first needed, a workspace, a cache) is no leak. So a test
that passed and kept memory is run again, without a report, and fails when it keeps more each time.
"""

import atexit
import gc
import os
import sys

import pytest
from _pytest.runner import runtestprotocol

from gpulint import alive, report
from gpulint.cpu import CpuWatch
from gpulint.junit import properties
from gpulint.memory import BLOCK, SMALLEST, Meter, Reading
from gpulint.settings import Asked, Settings
from gpulint.texts import words
from gpulint.tracebacks import release_last


class Run:
    """One run of one test: what was held before, and what wider fixtures took and gave back meanwhile."""

    def __init__(self, before):
        self.before, self.wide, self.nested = before, Reading(), []
        # What fixtures had that were torn down, and their names.
        self.credit, self.ended = Reading(), []
        self.outcomes = {}

    def passed(self):
        return self.outcomes.get("call") == "passed" and all(one == "passed" for one in self.outcomes.values())


ASKED = pytest.StashKey()


class Watch:
    def __init__(self, config):
        self.config, self.settings = config, Settings(config)
        self.meter = Meter(self.settings.driver)
        self.cpu = CpuWatch(self.settings.forbidden, self.meter)
        self.run, self.tests, self.fixtures, self.workers, self.lost, self.trouble = None, [], {}, [], [], []
        self.worker = getattr(config, "workerinput", {}).get("workerid")
        self.taken = getattr(config, "gpulint_cards", None)
        # What workers that may still be lost have told, by their names; how much of its own a worker has told.
        self.early, self.told = {}, 0

    # The run.

    def pytest_collection_modifyitems(self, items):
        for item in items:
            try:
                item.stash[ASKED] = Asked.of(item, self.settings)
            except pytest.UsageError as error:
                # That test fails, and no other.
                item.stash[ASKED] = str(error)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item):
        if isinstance(item.stash.get(ASKED, None), str):
            pytest.fail("gpulint: " + item.stash[ASKED], pytrace=False)

    def pytest_sessionfinish(self, session):
        if self.taken:
            self.taken.give_back()
        mine = self._worker()
        output = getattr(self.config, "workeroutput", None)
        if output is not None:
            output["gpulint"] = {"tests": self.tests, "worker": mine}
        else:
            if not self.workers:
                self.workers.insert(0, mine)
            if self.settings.report:
                self._write(session)

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self):
        if self.worker and self.taken and self.taken.slot:
            # What it did is told. Its process would live until all workers are done, and the next one waits until it is off the card.
            atexit._run_exitfuncs()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(0)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node, error):
        told = getattr(node, "workeroutput", {}).get("gpulint")
        name = getattr(node.gateway, "id", "?")
        early = self.early.pop(name, [])
        if told:
            self.tests.extend(told["tests"])
            self.workers.append(told["worker"])
        else:
            self.tests.extend(early)
            self.lost.append(name)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report):
        # With each report a worker tells what it has measured since the last, so that this is known if it crashes.
        if self.worker:
            report.gpulint, self.told = self.tests[self.told :], len(self.tests)
        else:
            for test in report.__dict__.pop("gpulint", ()):
                self.early.setdefault(test["worker"], []).append(test)

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, crashitem, report):
        name = getattr(getattr(getattr(report, "node", None), "gateway", None), "id", "?")
        self.tests.append(_test(crashitem, name, "not_measured", "the worker ended while it ran"))

    def pytest_terminal_summary(self, terminalreporter):
        lines = list(report.lines(self.tests, self._notes()))
        if lines:
            terminalreporter.section("gpulint: GPU memory of tests")
            for line in lines:
                terminalreporter.line(line)

    def _write(self, session):
        try:
            report.write(self.settings.report, report.document(self.tests, self.workers, self._notes(), self.settings, _version()))
        except OSError as error:
            self.trouble.append("the report %s cannot be written: %s" % (self.settings.report, error.strerror or error))
            session.exitstatus = session.exitstatus or pytest.ExitCode.USAGE_ERROR

    def _worker(self):
        """What this process used, and what could not be told of it."""
        cuda, notes = self.meter.cuda, []
        visible = cuda.visible()
        given = self.taken.mask if self.taken else None
        if self.taken and self.taken.why and self.worker and cuda.in_use():
            notes.append("each worker has the same cards: %s" % self.taken.why)
        if self.taken and self.taken.shared and not self.taken.slot and cuda.in_use():
            notes.append("%d workers share fewer cards; with --gpulint-cards slot they take turns" % self.taken.shared)
        if given and given.startswith("GPU-") and cuda.in_use() and visible != [given]:
            notes.append("%s was given %s and sees %s: something sets CUDA_VISIBLE_DEVICES anew" % (self.worker or "the run", given, ", ".join(map(str, visible))))
        notes.extend("%s could not be read: %s" % (name, why) for name, why in sorted(self.meter.cannot.items()))
        if cuda.in_use() and self.settings.driver and self.meter.nvml.missing:
            notes.append("what only the driver counts is not judged: %s" % self.meter.nvml.missing)
        frameworks = {name: str(getattr(sys.modules[name], "__version__", "?")) for name, _ in Meter.FRAMEWORKS if name in sys.modules}
        return {"id": self.worker or "main", "pid": os.getpid(), "given": given, "visible": visible, "frameworks": frameworks, "notes": notes}

    def _notes(self):
        notes = list(self.trouble)
        for worker in self.workers:
            notes.extend(note for note in worker["notes"] if note not in notes)
        notes.extend("the worker %s ended early: what it had measured by then is told" % name for name in self.lost)
        measured = [test for test in self.tests if test["verdict"] != "not_measured"]
        if self.tests and not measured:
            frameworks = sorted({name for worker in self.workers for name in worker["frameworks"]})
            what = "none of torch, CuPy, JAX and TensorFlow was imported" if not frameworks else "%s used no GPU" % " and ".join(frameworks)
            notes.append("nothing was measured: %s, and no library initialised CUDA" % what)
        return notes

    # One test.

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item, nextitem):
        if self.taken:
            self.taken.wait()
        asked = item.stash.get(ASKED, None)
        if not isinstance(asked, Asked):
            return (yield)
        self.run = run = Run(self.meter.read())
        if asked.cpu:
            self.cpu.begin()
        faults = []
        try:
            result = yield
        finally:
            if asked.cpu:
                faults = self.cpu.end()
        try:
            self._judge(item, nextitem, asked, run, faults)
        finally:
            self.run = None
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        made = yield
        if self.run is not None:
            worst = self.run.outcomes.get(made.when)
            self.run.outcomes[made.when] = made.outcome if worst in (None, "passed") else worst
        return made

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef):
        run = self.run
        if run is None or fixturedef.scope == "function":
            return (yield)
        before = self.meter.read()
        run.nested.append(Reading())
        try:
            return (yield)
        finally:
            grown = self.meter.read().minus(before)
            if any(count > 0 for count in grown.in_use.values()):
                gc.collect()
                grown = self.meter.read().minus(before)
            # What the fixtures that it asked for took is theirs.
            inner = run.nested.pop()
            if run.nested:
                run.nested[-1].add(grown)
            grown.add(inner, -1)
            run.wide.add(grown)
            self.fixtures[id(fixturedef)] = grown

    def pytest_fixture_post_finalizer(self, fixturedef):
        mine = self.fixtures.pop(id(fixturedef), None)
        if mine is not None and self.run is not None:
            # It may live a little longer, but not after the test.
            self.run.credit.add(mine)
            # Those that pytest makes of setup_module and the like have names that say nothing.
            if not fixturedef.argname.startswith("_"):
                self.run.ended.append(fixturedef.argname)

    def _judge(self, item, nextitem, asked, run, faults):
        grown = self._kept(run)
        failed = not run.passed()
        if failed and self._most(grown, asked):
            # What a traceback holds goes with it; its text is written already.
            release_last()
        if self._most(grown, asked):
            # First what is cheap: garbage of a test is young.
            _forget_instance(item)
            for generation in (1, 2):
                gc.collect(generation)
                grown = self._kept(run)
                if not self._most(grown, asked):
                    break
        most = self._most(grown, asked)
        test = _test(item.nodeid, self.worker, "clean")
        test["kept"] = self._table(grown)
        self.tests.append(test)
        if not (grown.in_use or self.meter.cuda.initialised()):
            test["verdict"] = "not_measured"
        if faults:
            test.update(verdict="used_gpu", why="; ".join(faults))
            self._fail(item, 'gpulint: the test has mode="cpu", and %s' % " and ".join(faults))
        elif most:
            self._judge_growth(item, nextitem, asked, failed, run, most, test)

    def _judge_growth(self, item, nextitem, asked, failed, run, most, test):
        key, count = most
        if key[0] == "driver" and (asked.leak == "strict" or self.meter.own(key[1]) is None):
            # It loads code and makes contexts when they are first needed, so once says nothing.
            return
        kept = "it kept %s of %s" % (words(count), report.where(key))
        if failed:
            test.update(verdict="grew", why="%s, and did not pass" % kept)
        elif asked.leak in ("ignore", "report"):
            test.update(verdict="grew", why=kept)
        elif asked.leak == "strict":
            test.update(verdict="leak", why=kept)
            test["alive"], test["alive_count"] = alive.new({})
            self._fail(item, report.of_leak(key[0], [count], test))
        else:
            # Memory of a fixture that outlives it, and what a driver loads when it is first needed, say nothing of the test.
            is_news = key[0] != "driver" and count > run.credit.in_use.get(key, 0)
            self._repeat(item, nextitem, asked, kept, run, is_news, test)

    def _repeat(self, item, nextitem, asked, kept, run, is_news, test):
        """Runs the test again until it keeps nothing more, or has kept something each time."""
        growths, before, old = [], self.meter.settled(), {}
        # Workspaces that are gone now were no news either, but what hides behind them may be: it runs again in any case.
        is_news = is_news and self._most(self._kept(run, before), asked) is not None
        owned = self._owned(before)
        for turn in range(self.settings.repeats):
            if turn + 1 == self.settings.repeats:
                old = set(alive.tensors())
            self.run = run = Run(before)
            runtestprotocol(item, log=False, nextitem=nextitem)
            if not run.passed():
                release_last()
                test.update(verdict="grew", why="%s, and did not pass when it was run again" % kept)
                return
            after = self.meter.settled()
            grown = self._kept(run, after)
            owned_now = self._owned(after)
            most = self._most(grown, asked, {card: self._really(owned, owned_now, card) for card in grown.used})
            before, owned = after, owned_now
            if most is None:
                test["repeats"] = growths + [0]
                if is_news:
                    test.update(verdict="kept_once", why="%s, and nothing more in run %d" % (kept, turn + 2))
                return
            growths.append(most[1])
        why = "it keeps %s of %s each time" % (words(sorted(growths)[len(growths) // 2]), report.where(most[0]))
        if run.ended:
            why += "; the fixtures that end with it are %s" % ", ".join(sorted(set(run.ended)))
        test.update(verdict="leak", why=why, repeats=growths)
        test["alive"], test["alive_count"] = alive.new(old)
        self._fail(item, report.of_leak(most[0][0], growths, test))

    def _kept(self, run, now=None):
        grown = (now or self.meter.read()).minus(run.before)
        grown.add(run.wide, -1)
        grown.add(run.credit)
        return grown

    def _most(self, grown, asked, own=None):
        """What grew most beyond what is allowed: its key and the bytes; an allocator before the driver. None if nothing did.

        own: for each card the growth as the driver tells it for this process, where it is asked; None where that is not known.
        """
        least = max(SMALLEST, asked.allow + 1)
        pools = [(key, count) for key, count in grown.in_use.items() if count >= least]
        if pools:
            return max(pools, key=lambda pair: pair[1])
        if not self.settings.driver:
            return None
        cards = []
        for ordinal in self.meter.cuda.in_use():
            card = self.meter.cuda.uuid(ordinal)
            total = grown.used.get(card) if own is None else own.get(card)
            unknown = any(key[1] == ordinal and key not in grown.held for key in grown.in_use)
            if total is None or unknown:
                continue
            # What an allocator took from the driver and gave to nobody is no leak.
            more = total - sum(held for key, held in grown.held.items() if key[1] == ordinal)
            if more >= max(BLOCK, asked.allow + 1):
                cards.append((("driver", card), more))
        return max(cards, key=lambda pair: pair[1]) if cards else None

    def _owned(self, reading):
        return {card: (self.meter.own(card), used) for card, used in reading.used.items()}

    @staticmethod
    def _really(before, after, card):
        """By how much this process grew on a card; None if others may have."""
        (mine, used), (mine_now, used_now) = before.get(card, (None, 0)), after.get(card, (None, 0))
        if isinstance(mine, int) and isinstance(mine_now, int):
            return mine_now - mine
        return used_now - used if mine == mine_now == "alone" else None

    @staticmethod
    def _table(grown):
        table = {report.where(key): count for key, count in grown.in_use.items()}
        table.update((report.where(("driver", card)), count) for card, count in grown.used.items())
        return table

    def _fail(self, item, message):
        """Adds an error to the test, whose own reports have been given already: only now are its fixtures gone."""
        call = pytest.CallInfo.from_call(lambda: pytest.fail(message, pytrace=False), when="teardown")
        made = pytest.TestReport.from_item_and_call(item, call)
        # What it printed stands in its own reports.
        made.sections = []
        made.user_properties = properties(self.tests[-1])
        item.ihook.pytest_runtest_logreport(report=made)


def _test(name, worker, verdict, why=None):
    """What the report has of a test, without figures."""
    test = {"id": name, "verdict": verdict, "why": why, "kept": {}, "repeats": [], "alive": [], "alive_count": 0}
    if worker:
        test["worker"] = worker
    return test


def _forget_instance(item):
    """pytest keeps the object whose method a test is until the session ends, and makes another one when it is asked for."""
    if isinstance(item, pytest.Function) and isinstance(item.parent, pytest.Class):
        for name in ("_obj", "_instance"):
            vars(item).pop(name, None)


def _version():
    try:
        from importlib.metadata import version

        return version("gpulint")
    except Exception:  # Not installed, but found on the path.
        return "?"
