"""Holds the dashboard against Grafana's own types: it is read into them and written again, and nothing of it may be lost.

    PYTHON tests/runtime/monitoring/grafana_types.py        where PYTHON has the package grafana-foundation-sdk
"""

import importlib.metadata
import json
import pathlib
import sys

from grafana_foundation_sdk.cog import plugins
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import Dashboard

ROOT = pathlib.Path(__file__).resolve().parents[3]


def lost(before, after, place="the dashboard"):
    """What is not there any more, or is something else."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key, value in before.items():
            if key in after:
                yield from lost(value, after[key], f"{place}.{key}")
            else:
                yield f"{place}.{key} is no field"
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, (one, other) in enumerate(zip(before, after)):
            yield from lost(one, other, f"{place}[{number}]")
    elif before != after:
        yield f"{place}: {before!r} became {after!r}"


def faults_of(dashboard):
    # Grafana's encoder writes what its types keep.
    typed = Dashboard.from_json(dashboard)
    return list(lost(dashboard, json.loads(JSONEncoder().encode(typed))))


def main():
    plugins.register_default_plugins()
    text = (ROOT / "packaging/monitoring/gpulint-dashboard.json").read_text()
    # A test that finds nothing in a wrong one is none.
    for right, wrong in [('"colorMode"', '"colourMode"'), ('"drawStyle"', '"drawnStyle"'), ('"expr"', '"expression"')]:
        if not faults_of(json.loads(text.replace(right, wrong))):
            print(f"{wrong} instead of {right} is not found")
            return 1
    faults = faults_of(json.loads(text))
    print("\n".join(faults) or f"the types of Grafana {importlib.metadata.version('grafana-foundation-sdk').split('!')[-1]} keep all of it")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
