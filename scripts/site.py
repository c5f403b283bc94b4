#!/usr/bin/env python3
"""Builds the site: the pages of docs/ and one page for each rule, with search; each also as Markdown, and `llms.txt`, which lists
them for programs (https://llmstxt.org). Needs `pip install mkdocs==1.6.1` and a gpulint.

    cargo build
    scripts/site.py target/debug/gpulint target/site

With a third argument, the folder that `playground/build.py` made, the site has the playground too, and the page of each rule leads
to its examples there. A link that leads nowhere is a failure.
"""

import importlib.util
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What stands in the navigation, in this order; the other pages of docs/ are found by links and by search.
SECTIONS = {
    "Checking": ["how-it-works", "coverage", "output", "fixes", "own-rules"],
    "Setting up": ["install", "twenty-tasks", "policy", "pre-commit", "ci", "shards", "editors", "in-the-browser"],
    "GPU runners": ["doctor", "exec", "validate", "fleet", "leaks", "runs", "simulated", "hardware"],
    "How well it does": ["performance", "evaluation", "strangers", "troubles", "engine-checks", "checked", "releasing"],
}


def main():
    if len(sys.argv) not in (3, 4):
        raise SystemExit("usage: scripts/site.py GPULINT FOLDER [PLAYGROUND]")
    gpulint, out, *playground = sys.argv[1:]
    if importlib.util.find_spec("mkdocs") is None:
        raise SystemExit("scripts/site.py needs mkdocs: pip install mkdocs==1.6.1")
    asked = subprocess.run([gpulint, "rules", "--format", "json"], check=True, capture_output=True, text=True)
    rules = json.loads(asked.stdout)["rules"]
    home = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["repository"]
    with tempfile.TemporaryDirectory() as folder:
        pages = pathlib.Path(folder, "pages")
        (pages / "rules").mkdir(parents=True)
        for page in (ROOT / "docs").glob("*.md"):
            (pages / page.name).write_text(linked(page.read_text(), pathlib.PurePosixPath("docs"), home))
        (pages / "index.md").write_text(linked((ROOT / "README.md").read_text(), pathlib.PurePosixPath(), home))
        for picture in (ROOT / "docs").glob("*.png"):
            shutil.copyfile(picture, pages / picture.name)
        for rule in rules:
            told = subprocess.run([gpulint, "rule", rule["id"]], check=True, capture_output=True, text=True)
            page = with_playground(told.stdout, rule["id"]) if playground else told.stdout
            (pages / "rules" / f"{rule['id']}.md").write_text(page)
        for folder in playground:
            shutil.copytree(folder, pages / "playground")
        settings = pathlib.Path(folder, "mkdocs.yml")
        # JSON is YAML.
        settings.write_text(json.dumps(settings_for(rules, pages, home, bool(playground))))
        build = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--config-file", settings]
        site = pathlib.Path(out).resolve()
        subprocess.run([*build, "--site-dir", site], check=True)
        for page in pages.rglob("*.md"):
            shutil.copyfile(page, site / page.relative_to(pages))
        listed = llms_for(rules, pages)
        (site / "llms.txt").write_text(listed)
        lost = [target for target in re.findall(r"\]\(([^)]+)\)", listed) if not (site / target).is_file()]
        if lost:
            raise SystemExit(f"llms.txt names what is no page: {', '.join(lost)}")
    print(f"{out}: {len(rules)} rules")


def with_playground(page, rule):
    """The page of a rule, whose examples can be tried."""
    link = f"[Try them in the playground](../playground/index.html#rule={rule}): gpulint runs in the browser."
    return page.replace("\n## Examples\n", f"\n## Examples\n\n{link}\n", 1)


def llms_for(rules, pages):
    """What there is to read, in the form of https://llmstxt.org: a title, what it is about, and lists of links."""
    about = tomllib.loads((ROOT / "Cargo.toml").read_text())["package"]["description"]
    lines = ["# gpulint", "", f"> {about}", ""]
    lines += ["`gpulint check --format compact` prints each finding on a line, with the reason, what to do and the fix as a patch."]
    lines += ["`gpulint rule ID` explains a rule, `gpulint trace FILE` tells what a program does to the GPU."]

    def entry(page, told):
        return f"- [{page.removesuffix('.md')}]({page}): {' '.join(told.split())}"

    for section, names in {"Start": ["index"], **SECTIONS}.items():
        lines += ["", f"## {section}", ""]
        lines += [entry(f"{name}.md", title_of(pages / f"{name}.md")) for name in names]
    families = {}
    for rule in rules:
        families.setdefault(rule["family"], []).append(rule)
    for family, of_family in families.items():
        lines += ["", f"## Rules: {family}", ""]
        lines += [entry(f"rules/{rule['id']}.md", rule["summary"]) for rule in of_family]
    return "\n".join(lines) + "\n"


def title_of(page):
    return next(line.lstrip("# ") for line in page.read_text().splitlines() if line.startswith("# "))


def linked(text, folder, home):
    """With the links of the repository made those of the site; what is no page of the site is at `home`."""

    def link(found):
        target, _, part = found[2].partition("#")
        if not target or re.match(r"[a-z]+:", target):
            return found[0]
        path = normal(folder / target)
        part = part and f"#{part}"
        if match := re.fullmatch(r"rules/[^/]+/([^/]+)\.yaml", path):
            return f"{found[1]}(rules/{match[1]}.md)"
        if match := re.fullmatch(r"docs/([^/]+\.md)", path):
            return f"{found[1]}({match[1]}{part})"
        if path == "README.md":
            return f"{found[1]}(index.md{part})"
        return f"{found[1]}({home}/blob/main/{path}{part})"

    # Pictures in two colours are written in HTML; they lie beside the pages.
    text = re.sub(r'\b(src|srcset)="docs/([^"/]+\.png)"', r'\1="\2"', text)
    return re.sub(r"(\])\(([^()\s]+)\)", link, text)


def normal(path):
    parts = []
    for part in path.parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def settings_for(rules, pages, home, has_playground):
    families = {}
    for rule in rules:
        families.setdefault(rule["family"], []).append(f"rules/{rule['id']}.md")
    of_rules = [{"All rules": "rules.md"}] + [{family: files} for family, files in families.items()]
    navigation = [{"gpulint": "index.md"}, {"Rules": of_rules}]
    if has_playground:
        navigation += [{"Playground": "playground/index.html"}]
    navigation += [{name: [f"{page}.md" for page in listed]} for name, listed in SECTIONS.items()]
    return {
        "site_name": "gpulint",
        "repo_url": home,
        "docs_dir": str(pages),
        # What colours code comes from another server.
        "theme": {"name": "mkdocs", "highlightjs": False},
        "nav": navigation,
        "strict": True,
        "validation": {"links": {"not_found": "warn", "anchors": "warn", "unrecognized_links": "warn"}, "nav": {"omitted_files": "warn"}},
        "plugins": ["search"],
    }


if __name__ == "__main__":
    sys.exit(main())
