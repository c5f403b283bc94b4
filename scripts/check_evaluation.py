#!/usr/bin/env python3
"""Re-checks tables of findings that were read by hand: each must still be what gpulint says.

They stand in docs/evaluation.md and, for --table, in docs/strangers.md.

    scripts/check_evaluation.py FOLDER [--gpulint BINARY] [--table FILE]
    scripts/check_evaluation.py --counts > rules/measured.yaml

FOLDER is what scripts/fetch_packages.sh filled, with `all` or `strangers`. The table has the columns package, version, path:line, rule, source line,
verdict and note. A row whose verdict is "wrong, corrected" must no longer fire, every other row must; and the source line
must be the one that stands there, so that a row cannot drift to another place. In a notebook, path#cell:line. Exit code: 0 when all rows hold, 1 when one
does not, 2 when the table or the packages cannot be read.

--counts prints for each rule what both tables say of it, which its page shows.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
COLUMNS = ["package", "version", "path:line", "rule", "source line", "verdict", "note"]
CORRECTED = "wrong, corrected"
TABLES = [REPOSITORY / "docs/evaluation.md", REPOSITORY / "docs/strangers.md"]
HEAD = """\
# How the findings were judged that were read by hand in published projects, for each rule.
# Written by `scripts/check_evaluation.py --counts` from the tables of docs/evaluation.md and docs/strangers.md.
#   read       how many were read
#   right      those worth acting on
#   corrected  those that were wrong, and are reported no longer
#   projects   in how many they stood
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, nargs="?")
    parser.add_argument("--counts", action="store_true")
    parser.add_argument("--gpulint", type=pathlib.Path, default=REPOSITORY / "target/release/gpulint")
    parser.add_argument("--table", type=pathlib.Path, default=REPOSITORY / "docs/evaluation.md")
    arguments = parser.parse_args()
    if arguments.counts:
        print(counts_of([row for table in TABLES for row in rows_of(table)]), end="")
        return 0
    if arguments.folder is None:
        parser.error("name the FOLDER with the packages, or --counts")

    rows = rows_of(arguments.table)
    findings = {}
    faults = []
    for row in rows:
        package = arguments.folder / f"{row['package']}-{row['version']}"
        if package not in findings:
            findings[package] = findings_in(package, arguments.gpulint.resolve())
        faults += [f"{arguments.table}:{row['at']}: {fault}" for fault in faults_of(row, package, findings[package])]

    for fault in faults:
        print(fault)
    verdicts = sorted({row["verdict"] for row in rows})
    counts = ", ".join(f"{sum(row['verdict'] == verdict for row in rows)} {verdict}" for verdict in verdicts)
    print(f"{len(rows)} rows ({counts}), {len(faults)} that no longer hold")
    return 1 if faults else 0


def counts_of(rows):
    """For each rule how many of its findings were read and how they were judged, as YAML."""
    of_rules = {}
    for row in rows:
        of_rules.setdefault(row["rule"], []).append(row)
    lines = []
    for rule, read in sorted(of_rules.items()):
        right = sum(row["verdict"] == "right" for row in read)
        corrected = sum(row["verdict"] == CORRECTED for row in read)
        projects = len({row["package"] for row in read})
        lines.append(f"{rule}: {{read: {len(read)}, right: {right}, corrected: {corrected}, projects: {projects}}}\n")
    return HEAD + "".join(lines)


def faults_of(row, package, findings):
    """What is no longer true of one row, as sentences."""
    path, _, line = row["path:line"].rpartition(":")
    path, _, cell = path.partition("#")
    file = package / path
    if not line.isdigit() or not file.is_file():
        return [f"{row['path:line']} is not a path and a line of {package.name}"]
    text = file.read_text(encoding="utf-8", errors="replace")
    lines = (cell_of(text, int(cell)) if cell else text).splitlines()
    stands_there = lines[int(line) - 1].strip() if 0 < int(line) <= len(lines) else ""
    faults = []
    if stands_there != row["source line"].strip():
        faults.append(f"{row['path:line']} reads {stands_there!r}, not {row['source line']!r}")
    fires = (path, int(cell or 0), int(line), row["rule"]) in findings
    if row["verdict"] == CORRECTED and fires:
        faults.append(f"{row['rule']} fires at {row['path:line']} again")
    if row["verdict"] != CORRECTED and not fires:
        faults.append(f"{row['rule']} no longer fires at {row['path:line']} (verdict: {row['verdict']})")
    return faults


def cell_of(text, number):
    """The text of one cell of a notebook, counted from 1."""
    cells = json.loads(text)["cells"]
    return "".join(cells[number - 1]["source"]) if 0 < number <= len(cells) else ""


def findings_in(package, gpulint):
    """Path inside the package, cell (0 where there is none), line and rule of everything that gpulint finds there."""
    if not package.is_dir():
        stop(f"{package} is not there: scripts/fetch_packages.sh {package.parent}")
    command = [gpulint, "check", "--isolated", "--no-cache", "--format", "json", "--min-severity", "note", "."]
    try:
        run = subprocess.run(command, cwd=package, capture_output=True, text=True)
    except OSError as error:
        stop(f"{gpulint}: {error.strerror}; build it with cargo build --release --locked, or name it with --gpulint")
    if run.returncode not in (0, 1):
        stop(f"gpulint check on {package}: exit code {run.returncode}\n{run.stderr}")
    found = json.loads(run.stdout)["findings"]
    return {
        (inside(package, finding["path"]), finding.get("cell") or 0, finding["line"], finding["rule"])
        for finding in found
    }


def inside(package, path):
    """`path` relative to the package. gpulint's paths begin at the git work tree when the packages lie in one."""
    for root in [package, *package.resolve().parents]:
        file = root / path
        if file.is_file():
            return file.resolve().relative_to(package.resolve()).as_posix()
    return path


def rows_of(table):
    """The rows of all tables in the file that have our columns, each with the line that it stands on."""
    try:
        lines = table.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        stop(f"{table}: {error.strerror}")
    rows = []
    in_table = False
    for number, line in enumerate(lines, start=1):
        cells = cells_of(line)
        if [cell.lower() for cell in cells] == COLUMNS:
            in_table = True
        elif not cells:
            in_table = False
        elif in_table and not all(re.fullmatch(":?-+:?", cell) for cell in cells):
            if len(cells) != len(COLUMNS):
                stop(f"{table}:{number}: {len(cells)} cells, expected {', '.join(COLUMNS)}; write | in a cell as \\|")
            rows.append(dict(zip(COLUMNS, cells), at=number))
    if not rows:
        stop(f"{table}: no table with the columns {', '.join(COLUMNS)}")
    return rows


def cells_of(line):
    """The cells of one table row without code quotes; empty when the line is not a table row."""
    line = line.strip()
    if not (line.startswith("|") and line.endswith("|")):
        return []
    cells = re.split(r"(?<!\\)\|", line[1:-1])
    return [unquoted(cell.strip().replace("\\|", "|")) for cell in cells]


def unquoted(cell):
    """`code` and ``code with ` in it`` as the text that is meant."""
    quotes = re.fullmatch(r"(`+)(.*?)\1", cell)
    if not quotes:
        return cell
    text = quotes.group(2)
    # A blank on each side belongs to the quotes when the text itself begins or ends with one of them.
    return text[1:-1] if len(text) > 2 and text[0] == text[-1] == " " else text


def stop(message):
    print(message, file=sys.stderr)
    sys.exit(2)


if __name__ == "__main__":
    sys.exit(main())
