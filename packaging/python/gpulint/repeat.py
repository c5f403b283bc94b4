"""Runs a Python program several times in one process, and says whether it loses memory of the GPU each time.

    python -m gpulint.repeat [--iterations N] SCRIPT [ARGUMENTS]...
    python -m gpulint.repeat [--iterations N] -m MODULE [ARGUMENTS]...

docs/repeat.md describes it. It needs the standard library, and nothing of the program gpulint.
"""

import argparse
import gc
import os
import runpy
import sys

from gpulint import alive, growth, report
from gpulint.memory import BLOCK, SMALLEST, Meter, tensorflow_gpus
from gpulint.texts import words
from gpulint.tracebacks import release, release_last

CLEAN, UNUSABLE, LEAK, WRONG_CARD, NOT_TOLD = 0, 2, 4, 5, 6
SCHEMA = 1


class Failed(Exception):
    """The program did not end well: in words."""


def once(program, is_module, arguments):
    """Runs the program as Python does. Raises Failed if it does not end well."""
    before = sys.argv, sys.path[:]
    sys.argv = [program, *arguments]
    try:
        if is_module:
            sys.path.insert(0, os.getcwd())
            runpy.run_module(program, run_name="__main__", alter_sys=True)
        else:
            sys.path.insert(0, os.path.dirname(os.path.abspath(program)))
            runpy.run_path(program, run_name="__main__")
    except SystemExit as end:
        failure = None if end.code in (None, 0) else "it ended with code %s" % end.code
        release(end)
    except Exception as error:
        import traceback

        traceback.print_exc()
        failure = "%s: %s" % (type(error).__name__, error)
        release(error)
    else:
        failure = None
    finally:
        sys.argv, sys.path[:] = before
    release_last()
    if failure:
        raise Failed(failure)


def figures(meter):
    """What each allocator and each card tells, in bytes, and how much of what torch holds is torn (fragmentation, 0 to 1)."""
    told = {}
    reading = meter.read()
    for (framework, ordinal), in_use in reading.in_use.items():
        told[report.where((framework, ordinal))] = {"in_use": in_use, "held": reading.held.get((framework, ordinal))}
    for card, used in reading.used.items():
        told[report.where(("driver", card))] = {"in_use": used}
    torch = sys.modules.get("torch")
    if meter.cuda_was_used_by_torch():
        for ordinal in range(torch.cuda.device_count()):
            one = told.get(report.where(("torch", ordinal)))
            if not one:
                continue
            try:
                statistics = torch.cuda.memory_stats_as_nested_dict(ordinal)
                one["most_in_use"] = statistics["allocated_bytes"]["all"]["peak"]
                one["most_held"] = statistics["reserved_bytes"]["all"]["peak"]
                torn = statistics["inactive_split_bytes"]["all"]["current"]
                one["fragmentation"] = torn / one["held"] if one["held"] else 0.0
                # Only where there is a context already, since it makes one.
                if ordinal in meter.cuda.in_use():
                    one["free"], one["total"] = torch.cuda.mem_get_info(ordinal)
                    one["utilisation"] = 1 - one["free"] / one["total"]
            except (KeyError, AttributeError, RuntimeError) as error:
                meter.cannot["torch"] = "%s: %s" % (type(error).__name__, error)
    tensorflow, names = tensorflow_gpus()
    for ordinal, name in enumerate(names):
        one = told.get(report.where(("tensorflow", ordinal)))
        if one:
            one["most_in_use"] = tensorflow.config.experimental.get_memory_info(name)["peak"]
    return told


def reset_peaks(meter):
    torch = sys.modules.get("torch")
    if meter.cuda_was_used_by_torch() and hasattr(torch.cuda, "reset_peak_memory_stats"):
        for ordinal in range(torch.cuda.device_count()):
            torch.cuda.reset_peak_memory_stats(ordinal)
    tensorflow, names = tensorflow_gpus()
    for name in names:
        tensorflow.config.experimental.reset_memory_stats(name)


def series_of(readings):
    """For each allocator, and for what only the driver counts, the bytes after each iteration, and the unit in which they grow."""
    keys = sorted({key for reading in readings for key in reading.in_use})
    series = {key: ([reading.in_use.get(key, 0) for reading in readings], SMALLEST) for key in keys}
    held = [sum(reading.held.values()) for reading in readings]
    for card in sorted({card for reading in readings for card in reading.used}):
        if all(card in reading.used for reading in readings):
            used = [reading.used[card] - more for reading, more in zip(readings, held)]
            series["driver", card] = (used, BLOCK)
    return series


def card_is_wrong(meter):
    """Why the process is on another card than the environment says by a UUID; None if it is not, or says none."""
    asked, visible = os.environ.get("CUDA_VISIBLE_DEVICES", ""), meter.cuda.visible()
    if asked.startswith("GPU-") and "," not in asked and visible and not (len(visible) == 1 and str(visible[0]).startswith(asked)):
        return "CUDA_VISIBLE_DEVICES is %s, and the process sees %s" % (asked, ", ".join(map(str, visible)))
    return None


class Series:
    """The runs so far, and the document about them."""

    def __init__(self, options):
        self.options, self.meter, self.readings, self.old = options, Meter(), [], set()
        self.document = {
            "schema": SCHEMA, "program": [options.program, *options.arguments], "warm_up": options.warm_up, "iterations": [],
            "growth": [], "alive": [], "alive_count": 0, "notes": [],
        }

    def run(self, counts):
        """Once more. Raises Failed."""
        meter, options, asked = self.meter, self.options, os.environ.get("CUDA_VISIBLE_DEVICES")
        if counts:
            self.old = set(alive.tensors())
            if options.snapshot and not self.readings and meter.cuda_was_used_by_torch():
                sys.modules["torch"].cuda.memory._record_memory_history()
        before, after = figures(meter), None
        try:
            once(options.program, options.module, options.arguments)
        finally:
            after = figures(meter)
            reading = meter.settled()
            settled = figures(meter)
            reset_peaks(meter)
            self.document["iterations"].append({"counts": counts, "before": before, "after": after, "settled": settled})
        if os.environ.get("CUDA_VISIBLE_DEVICES") != asked and not self.document["notes"]:
            self.document["notes"].append("the program sets CUDA_VISIBLE_DEVICES")
        if counts:
            self.readings.append(reading)

    def judged(self):
        """The worst of what the series show; None where there are none."""
        self.document["growth"] = [
            {"of": report.where(key), "outcome": growth.judged(series, unit, key[0] != "driver"), "bytes": series[-1] - series[0], "series": series}
            for key, (series, unit) in series_of(self.readings).items()
        ]
        order = [growth.CLEAN, growth.ONE_OFF, growth.INCONCLUSIVE, growth.LEAK]
        return max((one["outcome"] for one in self.document["growth"]), key=order.index, default=None)

    def end(self, verdict, why):
        self.document.update(verdict=verdict, why=why)
        self.document["notes"] += ["%s could not be read: %s" % pair for pair in sorted(self.meter.cannot.items())]


def measured(options):
    """The document, and what to end with."""
    runs = Series(options)
    worst = None
    try:
        for _ in range(options.warm_up):
            runs.run(counts=False)
        # What is inconclusive is measured on.
        for target in [options.iterations] + [more for more in (30, 100) if more > options.iterations]:
            while len(runs.readings) < target:
                runs.run(counts=True)
            worst = runs.judged()
            if worst != growth.INCONCLUSIVE:
                break
    except Failed as failed:
        runs.end("failed", "run %d: %s" % (len(runs.document["iterations"]), failed))
        return runs.document, LEAK
    wrong = card_is_wrong(runs.meter)
    if wrong:
        runs.end("wrong_card", wrong)
        return runs.document, WRONG_CARD
    if worst is None:
        runs.end("not_measured", "nothing initialised CUDA, so nothing was measured")
        return runs.document, NOT_TOLD
    what = ", ".join("%s of %s" % (words(one["bytes"]), one["of"]) for one in runs.document["growth"] if one["outcome"] == worst)
    count = len(runs.readings)
    runs.end(worst, {
        growth.LEAK: "it lost %s over %d iterations" % (what, count),
        growth.INCONCLUSIVE: "%s over %d iterations may be a leak or not: more --iterations" % (what, count),
        growth.ONE_OFF: "it took %s early, and no more" % what,
        growth.CLEAN: "it gave back all that it took, %d times" % count,
    }[worst])
    if worst == growth.LEAK:
        runs.document["alive"], runs.document["alive_count"] = alive.new(runs.old)
        if options.snapshot and runs.meter.cuda_was_used_by_torch():
            sys.modules["torch"].cuda.memory._dump_snapshot(options.snapshot)
            runs.document["snapshot"] = options.snapshot
    return runs.document, {growth.LEAK: LEAK, growth.INCONCLUSIVE: NOT_TOLD}.get(worst, CLEAN)


def options_of(words):
    parser = argparse.ArgumentParser(prog="python -m gpulint.repeat", description="Run a Python program several times in one process, and say whether it loses memory of the GPU each time.")
    parser.add_argument("--iterations", type=int, default=10, metavar="N", help="how often it counts; 5 at least, by default 10; where that leaves it open, 30 and then 100 times")
    parser.add_argument("--warm-up", type=int, default=2, metavar="N", help="how often before that it runs and does not count; by default 2")
    parser.add_argument("--report", metavar="FILE", help="write all figures to this file, as JSON")
    parser.add_argument("--snapshot", metavar="FILE", help="of a leak of torch, write a snapshot that PyTorch's memory viewer shows")
    parser.add_argument("-m", dest="module", action="store_true", help="the program is a module")
    parser.add_argument("program", help="the script, or with -m the module")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    options = parser.parse_args(words)
    if options.iterations < 5 or options.warm_up < 0:
        parser.error("fewer than 5 iterations show nothing")
    if not options.module and not os.path.isfile(options.program):
        parser.error("there is no script %s; -m names a module" % options.program)
    return options


def main(words=None):
    options = options_of(words)
    path = os.path.abspath(options.report) if options.report else None
    # `gpulint validate` reads the report too. It is of this process: what the program starts is to write none in its place.
    of_validation = os.environ.pop("GPULINT_REPEAT_REPORT", None)
    options.snapshot = os.path.abspath(options.snapshot) if options.snapshot else None
    document, code = measured(options)
    gc.collect()
    for file in filter(None, (path, of_validation)):
        try:
            report.write(file, document)
        except OSError as error:
            print("gpulint.repeat: the report %s cannot be written: %s" % (file, error.strerror or error), file=sys.stderr)
            code = code or UNUSABLE
    print("gpulint.repeat: %s: %s" % (document["verdict"].replace("_", " "), document["why"]), file=sys.stderr)
    for one in document["alive"]:
        print("  still alive: %s" % alive.in_words(one), file=sys.stderr)
    for note in document["notes"]:
        print("  note: %s" % note, file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
