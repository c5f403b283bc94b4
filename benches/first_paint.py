#!/usr/bin/env python3
"""How long a browser needs to show the page of `gpulint map --format html`.

    benches/first_paint.py FOLDER [--files 2600] [--rounds 7] [--page FILE]

FOLDER receives a generated project of `benches/growth.py` on the first run. Its page is opened in headless Chromium from the disk, each
time by a fresh profile: the figures are medians, in milliseconds from the start of the navigation, of the first paint and the first
contentful paint as the browser reports them, of the end of loading, at which the filters work, and of one search over all modules.
`--page FILE` opens a page that is there already. A message on the console that is an error makes the run fail.

GPULINT names the binary and defaults to the release build. Chromium is asked over two pipes, so that nothing listens on a port.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import growth

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
PAINTS = """new Promise((told) => {
  const paint = (name) => performance.getEntriesByName(name)[0]?.startTime;
  const look = () => paint('first-contentful-paint') === undefined ? setTimeout(look, 10) : told([
    paint('first-paint'), paint('first-contentful-paint'), performance.getEntriesByType('navigation')[0].loadEventEnd]);
  look();
})"""
SEARCH = """(() => {
  const begun = performance.now();
  const form = document.getElementById('filters');
  form.elements.text.value = 'pin';
  form.dispatchEvent(new Event('input'));
  document.body.getBoundingClientRect();
  return performance.now() - begun;
})()"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--files", type=int, default=2600)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--page", type=pathlib.Path)
    arguments = parser.parse_args()
    page = arguments.page or made(arguments.folder, arguments.files)
    rounds = [opened(page) for _ in range(arguments.rounds)]
    modules, boxes = rounds[0][4:]
    print(f"{page.name}: {page.stat().st_size / 1e6:.1f} MB, {modules} modules, {boxes} boxes in the picture")
    for name, figures in zip(["first paint", "first contentful paint", "loaded", "one search"], zip(*rounds)):
        print(f"{name}: {statistics.median(figures):.0f} ms ({min(figures):.0f} to {max(figures):.0f})")


def made(folder, files):
    """The page of a generated project, in which every fifth module touches a GPU."""
    project = folder / f"first-paint-{files}"
    growth.project(project, files, "divisions", 0.2, 1)
    gpulint = os.environ.get("GPULINT", REPOSITORY / "target/release/gpulint")
    page = folder / f"first-paint-{files}.html"
    begun = time.monotonic()
    with page.open("wb") as out:
        subprocess.run([gpulint, "map", "--format", "html", "--isolated"], cwd=project, stdout=out, check=True)
    print(f"made in {time.monotonic() - begun:.1f} s")
    return page


def opened(page):
    """The figures of one opening."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or sys.exit("there is no chromium")
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()
    with tempfile.TemporaryDirectory(prefix="gpulint-paint-", ignore_cleanup_errors=True) as profile:
        command = [
            "sh", "-c", f'exec "$0" "$@" 3<&{to_read} 4>&{from_write}', browser, "--headless=new", "--no-sandbox", "--disable-gpu",
            "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe", "--window-size=1400,1000",
            f"--user-data-dir={profile}", "about:blank",
        ]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        child = subprocess.Popen(command, pass_fds=(to_read, from_write), **quiet)
        os.close(to_read)
        os.close(from_write)
        try:
            return figures(Pipe(os.fdopen(to_write, "wb", 0), os.fdopen(from_read, "rb", 0)), page)
        finally:
            child.terminate()
            child.wait()


def figures(pipe, page):
    target = pipe.ask("Target.createTarget", url="about:blank")["targetId"]
    pipe.session = pipe.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    for domain in ["Page", "Runtime", "Log"]:
        pipe.ask(f"{domain}.enable")
    pipe.ask("Page.navigate", url=page.resolve().as_uri())
    while pipe.value("document.readyState") != "complete":
        time.sleep(0.01)
    paints = pipe.value(PAINTS)
    search = pipe.value(SEARCH)
    if pipe.errors:
        sys.exit(f"the page complains: {pipe.errors[0]}")
    counts = [pipe.value(f"document.querySelectorAll('{what}').length") for what in ["#modules article", "#picture > .picture .box"]]
    return [*paints, search, *counts]


class Pipe:
    """Messages in the DevTools protocol, each with a zero byte at its end."""

    def __init__(self, to, come):
        self.to, self.come, self.session, self.number, self.rest, self.errors = to, come, None, 0, b"", []

    def ask(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self.to.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self.next()
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"{method}: {answer['error']}")
                return answer["result"]
            told = answer.get("params", {})
            if told.get("type") == "error" or told.get("entry", {}).get("level") == "error" or "exceptionDetails" in told:
                self.errors.append(told)

    def value(self, expression):
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        return answer["result"].get("value")

    def next(self):
        while b"\0" not in self.rest:
            self.rest += self.come.read(1 << 16) or sys.exit("Chromium ended")
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)


if __name__ == "__main__":
    main()
