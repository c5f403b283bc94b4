#!/usr/bin/env python3
"""Makes the dashboard for Grafana. What is shown stands here; the JSON is what Grafana imports.

    packaging/monitoring/dashboard.py             writes gpulint-dashboard.json
    packaging/monitoring/dashboard.py --check     ends with 1 when that is another
"""

import json
import pathlib
import sys

FILE = pathlib.Path(__file__).resolve().parent / "gpulint-dashboard.json"

SOURCE = {"type": "prometheus", "uid": "${datasource}"}

# The chosen machines and cards, and the machines alone: a fleet's figures are of many cards.
CHOSEN = 'instance=~"$instance",gpu_name=~"$gpu"'
MACHINES = 'instance=~"$instance"'

# Who a line is about: a check of a validation, and a run of either command.
CHECK = "{{instance}} {{gpu_name}} {{target}}"
RUN = "{{instance}} {{gpu_name}} {{target}}{{command}}"
FORBIDDEN = "{{instance}} {{forbidden_name}} {{forbidden_uuid}}"
BY_FORBIDDEN = "by (instance, forbidden_name, forbidden_uuid)"

VERDICTS = {
    "approved": "green",
    "approved_with_minor_corrections": "yellow",
    "rejected": "red",
    "environment_invalid": "orange",
    "infrastructure": "orange",
    "interrupted": "text",
    "running": "blue",
}
RESULTS = {"holds": "green", "holds_with_corrections": "yellow", "fails": "red", "not_run": "orange", "running": "blue", "waiting": "text"}
# Exit codes of a validation.
CODES = {0: "approved", 1: "approved_with_minor_corrections", 3: "running", 4: "rejected", 5: "environment_invalid", 6: "infrastructure", 130: "interrupted"}

DAY = 86400
COLOURED = ("custom.cellOptions", {"type": "color-background", "mode": "basic"})


def mapped(values):
    """Names and colours of values: (value, name, colour)."""
    options = {str(value): {"text": name.replace("_", " "), "color": colour, "index": index} for index, (value, name, colour) in enumerate(values)}
    return [{"type": "value", "options": options}]


def words(colours):
    return mapped((word, word, colour) for word, colour in colours.items())


def thresholds(*steps):
    """Colours from a value on, the first from anywhere."""
    return {"mode": "absolute", "steps": [{"color": colour, "value": value} for value, colour in steps]}


ONE_IS_TOO_MANY = thresholds((None, "green"), (1, "red"))


def column(name, *properties):
    return {"matcher": {"id": "byName", "options": name}, "properties": [{"id": key, "value": value} for key, value in properties]}


class Board:
    """Panels, set one after the other into rows of 24 columns."""

    def __init__(self):
        self.panels, self.x, self.y, self.height = [], 0, 0, 0

    def add(self, kind, title, width, height, **more):
        if self.x + width > 24:
            self.x, self.y = 0, self.y + self.height
        place = {"x": self.x, "y": self.y, "w": width, "h": height}
        self.panels.append({"id": len(self.panels) + 1, "type": kind, "title": title, "gridPos": place, **more})
        self.x, self.height = self.x + width, height

    def row(self, title):
        self.x = 24
        self.add("row", title, 24, 1, collapsed=False, panels=[])

    def panel(self, kind, title, size, targets, description, options, overrides=(), transformations=(), **defaults):
        targets = [{"refId": chr(ord("A") + index), "datasource": SOURCE, **target} for index, target in enumerate(targets)]
        more = {"description": description, "datasource": SOURCE, "targets": targets, "options": options}
        more["fieldConfig"] = {"defaults": defaults, "overrides": list(overrides)}
        if transformations:
            more["transformations"] = transformations
        self.add(kind, title, *size, **more)

    def stat(self, title, width, expression, description, legend=None, name_only=False, **defaults):
        target = {"expr": expression, "instant": True, "range": False, **({"legendFormat": legend} if legend else {})}
        shown = {"calcs": ["lastNotNull"], "values": False, "fields": ""}
        options = {"colorMode": "background", "graphMode": "none", "textMode": "name" if name_only else "auto", "reduceOptions": shown}
        coloured = [column(word, ("color", {"mode": "fixed", "fixedColor": colour})) for word, colour in VERDICTS.items()]
        overrides = coloured if legend == "{{verdict}}" else []
        defaults = {"unit": "none", "noValue": "–", "thresholds": thresholds((None, "green")), **defaults}
        self.panel("stat", title, (width, 4), [target], description, options, overrides, **defaults)

    def lines(self, title, width, lines, description, unit, height=8, limit=None, **defaults):
        """Lines over time; `lines` are expressions with their legends. A colour of `limit` fills the area behind them."""
        custom = {"drawStyle": "line", "lineInterpolation": "stepAfter", "lineWidth": 1, "fillOpacity": 5, "showPoints": "auto", "spanNulls": False}
        if limit:
            custom["thresholdsStyle"] = {"mode": "area"}
            defaults["thresholds"] = limit
        options = {"legend": {"displayMode": "list", "placement": "bottom", "showLegend": True}, "tooltip": {"mode": "multi", "sort": "desc"}}
        targets = [{"expr": expression, "legendFormat": legend} for expression, legend in lines]
        self.panel("timeseries", title, (width, height), targets, description, options, unit=unit, custom=custom, **defaults)

    def table(self, title, size, values, description, names, columns=(), hidden=()):
        """One line for each set of labels. `values` are expressions with the name of their column, none where only the labels count."""
        targets = [{"expr": expression, "format": "table", "instant": True, "range": False} for expression, _ in values]
        fields = ["Value"] if len(values) == 1 else [f"Value #{chr(ord('A') + index)}" for index in range(len(values))]
        named = {field: name for field, (_, name) in zip(fields, values) if name}
        left_out = [field for field, (_, name) in zip(fields, values) if not name]
        excluded = {name: True for name in ["Time", "__name__", "job", "gpu_uuid", *hidden, *left_out]}
        organised = {"excludeByName": excluded, "renameByName": {**names, **named}, "indexByName": {}}
        steps = [{"id": "merge", "options": {}}, {"id": "organize", "options": organised}]
        custom = {"align": "auto", "filterable": True}
        self.panel("table", title, size, targets, description, {"showHeader": True, "cellHeight": "sm"}, columns, steps, custom=custom)


def verdicts(board):
    board.row("Verdicts")
    latest = f"count by (verdict) (gpulint_validation_verdict{{{CHOSEN}}} == 1)"
    board.stat("Latest verdicts", 10, latest, "How many cards have each verdict in their latest validation.", "{{verdict}}")
    age = f"time() - gpulint_validation_start_time_seconds{{{CHOSEN}}}"
    old = thresholds((None, "green"), (2 * DAY, "yellow"), (7 * DAY, "red"))
    board.stat("Oldest validation", 4, f"max({age})", "How long ago the card that waits longest was validated.", unit="s", thresholds=old)
    for title, width, metric, description in [
        ("Processes on forbidden cards", 4, "gpulint_forbidden_card_processes", "Processes on cards that the policy forbids, which are a command's or may be."),
        ("Errors of cards", 3, "gpulint_xid_total", "Errors (Xid) that the driver reported while commands ran."),
        ("Wrong results", 3, "gpulint_wrong_elements", "Elements of products that are not what they must be."),
    ]:
        board.stat(title, width, f"sum({metric}{{{CHOSEN}}}) or vector(0)", description, decimals=0, thresholds=ONE_IS_TOO_MANY)
    names = {"instance": "machine", "gpu_name": "card"}
    board.table(
        "Cards",
        (12, 9),
        [
            (f"gpulint_validation_verdict{{{CHOSEN}}} == 1", None),
            (age, "age"),
            (f"gpulint_validation_wall_seconds{{{CHOSEN}}}", "took"),
            (f"gpulint_validation_not_checked{{{CHOSEN}}}", "not checked"),
        ],
        "The latest validation of each card. What nobody looked at is named in its report.",
        names,
        [column("verdict", COLOURED, ("mappings", words(VERDICTS))), column("age", ("unit", "s")), column("took", ("unit", "s"))],
        hidden=["stage"],
    )
    board.table(
        "Checks",
        (12, 9),
        [
            (f"gpulint_target_result{{{CHOSEN}}} == 1", None),
            (f"gpulint_target_wall_seconds{{{CHOSEN}}}", "took"),
            (f'gpulint_lock_wait_seconds{{{CHOSEN},stage="validate"}}', "waited"),
        ],
        "How each check of the latest validation ended, how long it took, and how long it waited for the card.",
        {**names, "target": "check", "verdict": "result"},
        [column("result", COLOURED, ("mappings", words(RESULTS))), column("took", ("unit", "s")), column("waited", ("unit", "s"))],
        hidden=["stage", "simulated"],
    )
    board.panel(
        "state-timeline",
        "Verdicts over time",
        (24, 6),
        [{"expr": f"gpulint_validation_exit_code{{{CHOSEN}}}", "legendFormat": "{{instance}} {{gpu_name}}"}],
        "One line for each card: what its latest validation ended with.",
        {"mergeValues": True, "showValue": "auto", "rowHeight": 0.8, "legend": {"displayMode": "list", "placement": "bottom", "showLegend": False}, "tooltip": {"mode": "single", "sort": "none"}},
        mappings=mapped((code, verdict, VERDICTS[verdict]) for code, verdict in CODES.items()),
        thresholds=thresholds((None, "text")),
        custom={"fillOpacity": 80, "lineWidth": 0},
    )


def card(board):
    board.row("The card while it was in use")
    of = lambda metric, statistic: f'{metric}{{{CHOSEN},statistic="{statistic}"}}'
    board.lines("Temperature", 8, [(of("gpulint_temperature_celsius", "max"), RUN)], "The hottest reading of each run and of each check.", "celsius")
    board.lines("Power", 8, [(of("gpulint_power_watts", "max"), RUN)], "The most power of each run and of each check.", "watt", min=0)
    board.lines("Clock", 8, [(of("gpulint_core_clock_hertz", "mean"), RUN)], "The clock of the multiprocessors, in the mean of each run and of each check.", "hertz", min=0)
    slowed = f"gpulint_slowed_samples_total{{{CHOSEN}}} / ignoring (reason) group_left gpulint_samples_total{{{CHOSEN}}}"
    about = "The share of readings in which heat, power or the board did it. That a card had nothing to do is not among it."
    board.lines("What kept the clocks down", 6, [(slowed, RUN + " {{reason}}")], about, "percentunit", min=0, max=1)
    there = f"sum {BY_FORBIDDEN} (gpulint_forbidden_card_processes{{{CHOSEN}}})"
    about = "A line at 0 is the proof: so often was the card looked at, and no process of a command was there."
    board.lines("Processes on forbidden cards", 6, [(there, FORBIDDEN)], about, "none", limit=thresholds((None, "transparent"), (1, "red")), min=0)
    looks = f"sum {BY_FORBIDDEN} (gpulint_forbidden_card_looks_total{{{CHOSEN}}})"
    about = "How often they were looked at in the latest run and validation. Without looks a line at 0 says nothing."
    board.lines("Looks at forbidden cards", 6, [(looks, FORBIDDEN)], about, "none", min=0)
    memory = f"max {BY_FORBIDDEN} ({of('gpulint_forbidden_card_memory_bytes', 'max')})"
    board.lines("Memory in use on forbidden cards", 6, [(memory, FORBIDDEN)], "The most that was in use there meanwhile, by everybody.", "bytes", min=0)
    size = f"max by (instance, gpu_uuid, gpu_name) (gpulint_memory_size_bytes{{{CHOSEN}}})"
    used = [(of("gpulint_memory_used_bytes", "max"), RUN), (size, "{{instance}} {{gpu_name}}: all of it")]
    board.lines("Memory in use", 8, used, "The most that was in use on the card, by everybody.", "bytes", min=0)
    busy = [(of("gpulint_utilization_ratio", "mean"), RUN)]
    board.lines("Time that a kernel ran", 8, busy, "Its share, in the mean of each run and of each check.", "percentunit", min=0, max=1)
    errors = [(f"gpulint_xid_total{{{CHOSEN}}}", RUN + " Xid {{xid}}"), (f"gpulint_samples_failed_total{{{CHOSEN}}}", RUN + " readings that failed")]
    board.lines("Errors of cards", 8, errors, "Errors that the driver reported, and readings that it refused.", "none", min=0)


def memory_and_speed(board):
    board.row("Memory that comes back, and speed")
    grown = [(f"gpulint_memory_leak_bytes_per_iteration{{{CHOSEN}}}", CHECK + " {{source}}")]
    board.lines("Growth with each iteration", 8, grown, "The median of the slopes between all pairs, as the driver and as the allocator count it.", "bytes")
    products = f"gpulint_burn_operations_per_second{{{CHOSEN},statistic="
    read = f'gpulint_burn_read_bytes_per_second{{{CHOSEN},statistic="median"}}'
    speeds = [(f'{products}"median"}}', CHECK), (f'{products}"min"}}', CHECK + " slowest")]
    board.lines("Speed of products", 8, speeds, "Floating-point operations in each second of `burn`.", "flops", min=0)
    past = [(f"{now} / avg_over_time({now}[30d])", f"{CHECK} {of}") for now, of in [(f'{products}"median"}}', "products"), (read, "memory")]]
    slow = thresholds((None, "red"), (0.9, "transparent"))
    board.lines("Speed against its own past", 8, past, "1 is the mean of the last 30 days.", "percentunit", limit=slow)
    after = [(f'gpulint_memory_allocated_bytes{{{CHOSEN},statistic="last"}}', CHECK)]
    board.lines("Memory after an iteration", 8, after, "In use on the card after the last measured iteration.", "bytes", min=0)
    board.lines("Speed of memory", 8, [(read, CHECK)], "Bytes that the comparisons of `burn` read in each second.", "Bps", min=0)
    others = [(f"gpulint_foreign_processes{{{CHOSEN}}}", RUN)]
    board.lines("Processes of others on the card", 8, others, "They make measured times worthless.", "none", min=0)


def commands(board):
    board.row("Commands under gpulint exec")
    names = {"instance": "machine", "gpu_name": "card"}
    yes_or_no = mapped([(0, "no", "red"), (1, "yes", "green")])
    board.table(
        "Latest runs",
        (16, 8),
        [
            (f"gpulint_run_end{{{CHOSEN}}} == 1", None),
            (f"gpulint_run_exit_code{{{CHOSEN}}}", "exit code"),
            (f"time() - gpulint_run_start_time_seconds{{{CHOSEN}}}", "age"),
            (f"gpulint_run_wall_seconds{{{CHOSEN}}}", "took"),
            (f"gpulint_run_cpu_seconds{{{CHOSEN}}}", "processor"),
            (f"gpulint_memory_headroom_bytes{{{CHOSEN}}}", "memory never in use"),
            (f"gpulint_memory_returned{{{CHOSEN}}}", "memory is back"),
            (f"gpulint_orphans{{{CHOSEN}}}", "left behind"),
        ],
        "The latest run of each command: how it ended, and what it left behind.",
        {**names, "kind": "end"},
        [
            *(column(name, ("unit", "s")) for name in ["age", "took", "processor"]),
            column("memory never in use", ("unit", "bytes")),
            column("memory is back", COLOURED, ("mappings", yes_or_no)),
            column("left behind", COLOURED, ("thresholds", thresholds((None, "transparent"), (1, "red")))),
        ],
        hidden=["stage"],
    )
    about = "The numbers that a command wrote to the file of GPULINT_REPORT."
    board.table("What commands reported", (8, 8), [(f"gpulint_reported_value{{{CHOSEN}}}", "value")], about, names, hidden=["stage"])
    memory = [(f'gpulint_command_memory_bytes{{{CHOSEN},statistic="max"}}', RUN), (f"gpulint_memory_baseline_bytes{{{CHOSEN}}}", RUN + " in use before")]
    board.lines("Memory of the command", 12, memory, "The most that the command had on the card, and what was in use before it.", "bytes", min=0)
    waited = [(f"gpulint_lock_wait_seconds{{{CHOSEN}}}", RUN)]
    board.lines("Waiting for the card", 12, waited, "How long runs and checks waited until the card was theirs.", "s", min=0)


def fleet(board):
    board.row("Fleet: merged reports of many machines")
    board.stat("Verdict", 5, f"gpulint_fleet_verdict{{{MACHINES}}} == 1", "The verdict on all machines.", "{{verdict}}", name_only=True)
    board.stat("Reports", 9, f"gpulint_fleet_reports{{{MACHINES}}}", "Reports with each verdict.", "{{verdict}}", decimals=0)
    unreadable = f"sum(gpulint_fleet_unreadable_reports{{{MACHINES}}})"
    board.stat("Unreadable reports", 4, unreadable, "Files without a report that can be read.", decimals=0, thresholds=ONE_IS_TOO_MANY)
    share = f"sum by (instance) (gpulint_fleet_cards{{{MACHINES}}}) / on (instance) gpulint_fleet_expected_cards{{{MACHINES}}}"
    all_of_them = thresholds((None, "red"), (1, "green"))
    board.stat("Cards, of those expected", 6, share, "All of them reported at 100 %.", "{{instance}}", unit="percentunit", thresholds=all_of_them)
    speed = f"gpulint_fleet_card_operations_per_second{{{MACHINES}}}"
    board.table(
        "Cards of the fleet",
        (14, 9),
        [
            (f"gpulint_fleet_card_verdict{{{MACHINES}}} == 1", None),
            (f"gpulint_fleet_card_differences{{{MACHINES}}}", "differences"),
            (f"time() - gpulint_fleet_card_start_time_seconds{{{MACHINES}}}", "age"),
            (speed, "products"),
            (f"gpulint_fleet_card_read_bytes_per_second{{{MACHINES}}}", "memory"),
        ],
        "The worst verdict of each card's reports, in how many ways the card differs from its kind, and its speeds.",
        {"host": "machine", "gpu_name": "card"},
        [
            column("verdict", COLOURED, ("mappings", words(VERDICTS))),
            column("differences", COLOURED, ("thresholds", thresholds((None, "transparent"), (1, "orange")))),
            column("age", ("unit", "s")),
            column("products", ("unit", "flops")),
            column("memory", ("unit", "Bps")),
        ],
        hidden=["stage", "instance"],
    )
    about = "A card that is slower than its kind stands out."
    board.lines("Speed of products on each card", 10, [(speed, "{{host}} {{gpu_name}}")], about, "flops", height=9, min=0)


def versions(board):
    board.row("Versions")
    values = [(f"gpulint_info{{{MACHINES}}}", None), (f"gpulint_fleet_exit_code{{{MACHINES}}}", "exit code of the merge")]
    about = "Which version wrote the figures, and what a merge of reports ended with."
    board.table("Versions of gpulint", (24, 5), values, about, {"instance": "machine", "gpu_name": "card"})


def variable(name, label, query):
    of_all = {"text": ["All"], "value": ["$__all"]}
    more = {"datasource": SOURCE, "query": {"query": query, "refId": "A"}, "refresh": 2, "sort": 1, "multi": True, "includeAll": True}
    return {"type": "query", "name": name, "label": label, **more, "allValue": ".*", "current": of_all}


def dashboard():
    board = Board()
    for rows in [verdicts, card, memory_and_speed, commands, fleet, versions]:
        rows(board)
    variables = [
        {"type": "datasource", "name": "datasource", "label": "Prometheus", "query": "prometheus", "refresh": 1, "multi": False, "includeAll": False},
        variable("instance", "Machine", "label_values(gpulint_info, instance)"),
        variable("gpu", "Card", 'label_values(gpulint_info{instance=~"$instance"}, gpu_name)'),
    ]
    return {
        "title": "gpulint: GPUs of runners",
        "uid": "gpulint-gpu-runners",
        "description": "What gpulint validate, exec and report merge say of the GPUs of these machines.",
        "tags": ["gpu", "gpulint"],
        # That of Grafana 10 and 11.
        "schemaVersion": 39,
        "version": 1,
        "editable": True,
        "graphTooltip": 1,
        "timezone": "browser",
        "refresh": "1m",
        "time": {"from": "now-7d", "to": "now"},
        "templating": {"list": variables},
        "annotations": {"list": []},
        "links": [],
        "panels": board.panels,
    }


def main():
    text = json.dumps(dashboard(), indent=2, ensure_ascii=False) + "\n"
    if "--check" in sys.argv[1:]:
        if FILE.read_text() != text:
            print(f"{FILE.name} is not what {pathlib.Path(__file__).name} makes; run it")
            return 1
        return 0
    FILE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
