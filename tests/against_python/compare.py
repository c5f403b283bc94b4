#!/usr/bin/env python3
"""Holds what gpulint says of generated programs against what CPython does when it runs them.

    tests/against_python/compare.py --gpulint BINARY [--seed S] [--count N] [--shrink] [--jobs N]

Prints each contradiction, and with --shrink the smallest program that still shows it. Exit code: 0 when there is none, 1
when there is one, 2 when gpulint fails or too few of the programs could be used.
"""

import argparse
import collections
import functools
import json
import multiprocessing
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import generate
import observe
import scope
import shrink
import snippets

RUNS = 4
# What makes programs of seeds, and whether these catch errors that no sensible program raises.
GENERATORS = {"statements": (generate.program, False), "snippets": (snippets.program, True)}


class Contradiction:
    def __init__(self, kind, what):
        # The same for all that contradict in the same way.
        self.kind = kind
        self.what = what


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gpulint", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=1, help="the first of the seeds")
    parser.add_argument("--count", type=int, default=1000, help="how many programs")
    parser.add_argument("--generator", choices=sorted(GENERATORS), default="statements", help="what makes the programs")
    parser.add_argument("--shrink", action="store_true", help="make what contradicts smaller")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--most", type=int, default=20, help="print so many contradictions, and count the others")
    parser.add_argument("--kind", help="print those of this kind only")
    parser.add_argument("--folder", type=pathlib.Path, help="look at the program in this folder instead")
    parser.add_argument("--written", type=pathlib.Path, help="look at the programs that were written by hand in this folder instead")
    parser.add_argument("--exact", type=pathlib.Path, help="the same, and gpulint is to know each value that is written")
    parser.add_argument("--made", type=pathlib.Path, help="look at the programs in this folder that published.py made")
    parser.add_argument("--without", default="", help="kinds of statements and values to leave out, such as key_error,early_return")
    parser.add_argument("--known", type=pathlib.Path, help="a file of seeds, with the reason behind each, that are left out")
    arguments = parser.parse_args()
    scope.left_out.update(filter(None, arguments.without.split(",")))
    gpulint = str(arguments.gpulint.resolve())
    if arguments.folder:
        _, found, story = judge(texts_below(arguments.folder), gpulint)
        for contradiction in found:
            print(contradiction.kind, contradiction.what, sep=": ")
        print(story)
        return 1 if found else 0
    if arguments.made:
        return compare_made(arguments.made, gpulint, arguments.jobs)
    if written := arguments.written or arguments.exact:
        exact = arguments.exact is not None
        return 1 if any([contradicts(program, gpulint, exact) for program in sorted(written.iterdir())]) else 0

    known = seeds_in(arguments.known)
    seeds = [seed for seed in range(arguments.seed, arguments.seed + arguments.count) if seed not in known]
    verdicts, kinds = collections.Counter(), collections.Counter()
    contradicting = []
    looked = functools.partial(looked_at, gpulint=gpulint, generator=arguments.generator)
    with multiprocessing.get_context("fork").Pool(arguments.jobs) as pool:
        for seed, verdict, found in pool.imap(looked, seeds, chunksize=8):
            verdicts[verdict] += 1
            kinds.update({contradiction.kind for contradiction in found})
            wanted = [one for one in found if arguments.kind in (None, one.kind)]
            if wanted:
                contradicting.append((seed, wanted[0].kind))
        shown = functools.partial(shown_of, gpulint=gpulint, generator=arguments.generator, smaller=arguments.shrink)
        for text in pool.imap_unordered(shown, contradicting[: arguments.most]):
            print(text, flush=True)
    said = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common())
    left_out = f", {arguments.count - len(seeds)} known and left out" if len(seeds) < arguments.count else ""
    print(f"{arguments.count} programs from seed {arguments.seed}: {said}{left_out}")
    for kind, count in kinds.most_common():
        print(f"  {count} {kind}")
    if verdicts["gpulint failed"] or verdicts["agreed"] + verdicts["contradicted"] < len(seeds) * 0.8:
        return 2
    return 1 if contradicting else 0


def texts_below(folder):
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*.py"))}


def compare_made(folder, gpulint, jobs):
    """Prints which programs contradict, and how many there are of each verdict."""
    verdicts = collections.Counter()
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        for name, verdict, told in pool.imap(functools.partial(looked_into, gpulint=gpulint), sorted(folder.iterdir()), chunksize=4):
            verdicts[verdict] += 1
            if told:
                print(f"== {name}: {verdict}", *told, sep="\n", flush=True)
    print(", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()))
    return 1 if verdicts["contradicted"] or verdicts["gpulint failed"] else 0


def looked_into(program, gpulint):
    verdict, found, story = judge(texts_below(program), gpulint, catches=True)
    told = sorted({f"{contradiction.kind}: {contradiction.what}" for contradiction in found})
    return program.name, verdict, told or ([story] if verdict == "gpulint failed" else [])


def contradicts(program, gpulint, exact):
    """Whether a program that was written by hand contradicts; one that cannot be judged counts as one that does."""
    texts = texts_below(program) if program.is_dir() else {"main.py": program.read_text()}
    verdict, found, story = judge(texts, gpulint, catches=True, exact=exact)
    if verdict == "agreed":
        return False
    print(f"== {program.name}: {verdict}")
    for contradiction in found:
        print(contradiction.kind, contradiction.what, sep=": ")
    print(story)
    return True


def seeds_in(file):
    if not file:
        return set()
    lines = [line.split("#")[0].split() for line in file.read_text().splitlines()]
    return {int(words[0]) for words in lines if words}


def looked_at(seed, gpulint, generator):
    program, catches = GENERATORS[generator]
    verdict, found, _ = judge(program(seed), gpulint, catches=catches)
    return seed, verdict, found


def shown_of(case, gpulint, generator, smaller):
    seed, kind = case
    program, catches = GENERATORS[generator]
    texts = program(seed)

    def wanted(candidate, allowed=None):
        _, found, _ = judge(candidate, gpulint, allowed, catches)
        return any(contradiction.kind == kind for contradiction in found)

    if smaller:
        allowed = raised_by(texts)
        texts = shrink.smallest(texts, lambda candidate: wanted(candidate, allowed))
    _, found, story = judge(texts, gpulint, catches=catches)
    lines = [f"== seed {seed}"]
    lines += [f"{contradiction.kind}: {contradiction.what}" for contradiction in found]
    return "\n".join(lines) + f"\n{story}"


def judge(texts, gpulint, allowed=None, catches=False, exact=False):
    """What came of it, the contradictions, and the whole story in words. `allowed` are the only errors that it may raise;
    one that `catches` may raise all of them where it catches them."""
    folder = tempfile.mkdtemp(prefix="against-python-")
    try:
        write(texts, folder)
        runs = observe.runs_of(os.path.realpath(folder), RUNS)
        # Of what did not end, or is no sensible program, nothing is said.
        if runs is None:
            return "did not end", [], ""
        raised = {name for run in runs for name in run["raised"]}
        breaking = {run["ended"] for run in runs} if catches else raised
        if breaking & observe.BROKEN or "RecursionError" in breaking or (allowed is not None and raised - allowed):
            return "broken", [], ""
        answer = subprocess.run(
            [gpulint, "trace", "main.py", "--format", "json", "--isolated"], cwd=folder, capture_output=True, text=True
        )
        if answer.returncode:
            return "gpulint failed", [], answer.stderr
        trace = json.loads(answer.stdout)
        if not trace["complete"]:
            return "not followed to its end", [], ""
        found = list(contradictions(trace, runs))
        if exact:
            found += not_known(trace, runs)
        return "contradicted" if found else "agreed", found, story_of(texts, trace, runs)
    finally:
        shutil.rmtree(folder)


def write(texts, folder):
    for name, text in texts.items():
        path = pathlib.Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def raised_by(texts):
    folder = tempfile.mkdtemp(prefix="against-python-")
    try:
        write(texts, folder)
        return {name for run in observe.runs_of(os.path.realpath(folder), RUNS) or [] for name in run["raised"]}
    finally:
        shutil.rmtree(folder)


def place(event):
    return event["path"], event["line"]


def chain(event):
    return [tuple(site) if isinstance(site, list) else (site["path"], site["line"]) for site in event["chain"]]


def at(event):
    what = {"call": "a use of the GPU", "write": f"a write of {event.get('variable')}"}
    return f"{what.get(event['kind'], 'a removal of ' + str(event.get('variable')))} at {event['path']}:{event['line']}"


def effects_of(trace):
    """What gpulint says of the two variables and of the GPU."""
    for event in trace["events"]:
        is_use = event["kind"] == "call" and event["initialises_cuda"]
        if is_use or (event["kind"] in ("write", "remove") and event["variable"] in (observe.MASK, observe.ORDER)):
            yield event


def key(event):
    return event["kind"], event.get("variable"), place(event)


def contradictions(trace, runs):
    said = collections.defaultdict(list)
    for event in effects_of(trace):
        said[key(event)].append(event)

    for number, run in enumerate(runs):
        happened = {key(event) for event in run["events"]}
        if run["ended"] in ("end", "exit"):
            for one, events in said.items():
                if one not in happened and any(event["certain"] for event in events):
                    yield Contradiction(f"certain {one[0]}", f"{at(events[0])} did not happen in run {number}")
        for event in run["events"]:
            if not event["done"]:
                continue
            events = said.get(key(event))
            if not events:
                yield Contradiction(f"missed {event['kind']}", f"{at(event)} happened in run {number}, and is not in the trace")
            elif event["kind"] == "write":
                values = [each["value"] for each in events]
                # What is written only where nothing is set may be what was there.
                keeps = any(each.get("only_if_unset") for each in events)
                if event["value"] not in values and None not in values and not keeps:
                    yield Contradiction("value", f"{at(event)} wrote {event['value']!r} in run {number}, not one of {values}")
        yield from contradictions_of_first(trace, run, number)


def not_known(trace, runs):
    """Writes whose value nothing in the trace states."""
    states = {key(event) for event in trace["events"] if event["kind"] == "write" and event["value"] is not None}
    written = {key(event): event for run in runs for event in run["events"] if event["kind"] == "write"}
    return [
        Contradiction("unknown value", f"{at(event)} wrote {event['value']!r}")
        for one, event in written.items()
        if one not in states and event["value"] is not None
    ]


def contradictions_of_first(trace, run, number):
    uses = [event for event in run["events"] if event["kind"] == "call"]
    if not uses or trace["first_use"] is None:
        return
    real, said = uses[0], trace["events"][trace["first_gpu_use"]]
    if place(real) != place(said):
        if said["certain"]:
            yield Contradiction("first place", f"run {number} begins with {at(real)}, not with {at(said)}")
        return
    # What may be one of several events of this place has an environment of its own.
    same = [event for event in trace["events"] if key(event) == key(said) and chain(event) == chain(said)]
    if not said["certain"] and (len(same) > 1 or chain(real) != chain(said)):
        return
    for variable, value in real["environment"].items():
        holds = trace["first_use"]["environment"][variable]
        if holds["known"] and value not in holds["values"]:
            yield Contradiction("first value", f"{variable} is {value!r} at {at(real)} in run {number}, not one of {holds['values']}")


def story_of(texts, trace, runs):
    lines = []
    for name, text in sorted(texts.items()):
        lines.append(f"-- {name}")
        lines += [f"{number:3} {line}" for number, line in enumerate(text.splitlines(), 1)]
    seen = []
    for number, run in enumerate(runs):
        words = [f"{event['path']}:{event['line']} {words_of(event)}" for event in run["events"]]
        story = "; ".join(words + [run["ended"]])
        if story not in seen:
            seen.append(story)
            lines.append(f"-- run {number}: {story}")
    words = []
    for event in effects_of(trace):
        maybe = "" if event["certain"] else "?"
        words.append(f"{event['path']}:{event['line']} {words_of(event)}{maybe}")
    lines.append(f"-- gpulint: {'; '.join(words)}")
    if trace["first_use"]:
        held = trace["first_use"]["environment"]
        shown = [f"{name}={held[name]['values']}{'' if held[name]['known'] else ' or other'}" for name in sorted(held)]
        lines.append(f"   first use: {trace['first_use']['path']}:{trace['first_use']['line']} {', '.join(shown)}")
    return "\n".join(lines) + "\n"


def words_of(event):
    if event["kind"] == "call":
        return "use"
    short = {observe.MASK: "MASK", observe.ORDER: "ORDER"}[event["variable"]]
    if event["kind"] == "remove":
        return f"-{short}"
    return f"{short}={event['value']}"


if __name__ == "__main__":
    sys.exit(main())
