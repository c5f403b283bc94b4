"""What was measured: as one JSON document, and as a short section of the summary."""

import json
import os
import tempfile

from gpulint import alive
from gpulint.texts import words

SCHEMA = 1
# In this order in the summary: the word of the document, that of the summary, and whether such tests are listed.
VERDICTS = (
    ("leak", "leak", True),
    ("used_gpu", "used the GPU", True),
    ("kept_once", "kept memory once", True),
    ("grew", "kept memory, not judged", True),
    ("clean", "clean", False),
    ("not_measured", "not measured", False),
)
MOST_LINES = 20


def counted(tests):
    return {verdict: sum(test["verdict"] == verdict for test in tests) for verdict, _, _ in VERDICTS}


def document(tests, cards, notes, settings, version):
    return {
        "schema": SCHEMA,
        "tool": {"name": "gpulint", "version": version},
        "settings": {"leak": settings.leak, "allow": settings.allow, "repeats": settings.repeats, "driver": settings.driver},
        "workers": cards,
        "notes": notes,
        "summary": counted(tests),
        "tests": tests,
    }


def write(path, content):
    """All of it or nothing: whoever reads it while it is written sees what was there before."""
    folder = os.path.dirname(os.path.abspath(path))
    os.makedirs(folder, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=folder, prefix=".gpulint-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(content, file, indent=2, ensure_ascii=False)
            file.write("\n")
        # mkstemp lets nobody else read; other files of this user may be read as the umask says.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def lines(tests, notes):
    """The section of the summary."""
    numbers = counted(tests)
    measured = len(tests) - numbers["not_measured"]
    if measured:
        told = ["%d %s" % (numbers[verdict], word) for verdict, word, _ in VERDICTS if numbers[verdict]]
        yield "%d tests: %s" % (len(tests), ", ".join(told))
    for verdict, word, listed in VERDICTS:
        some = [test for test in tests if test["verdict"] == verdict] if listed else []
        for test in some[:MOST_LINES]:
            yield "%s: %s: %s" % (word, test["id"], test["why"])
        if len(some) > MOST_LINES:
            yield "%s: and %d more" % (word, len(some) - MOST_LINES)
    for note in notes:
        yield "note: " + note


def where(key):
    """`torch on cuda:0`, `the driver on GPU-…`."""
    framework, ordinal = key
    return "%s on cuda:%d" % (framework, ordinal) if framework != "driver" else "the driver on %s" % ordinal


def of_leak(name, growths, test):
    """Why a test failed, over several lines."""
    total = ", ".join(words(count) for count in growths)
    text = ["gpulint: %s" % test["why"]]
    if len(growths) > 1:
        text.append("  it was run %d times more, and kept %s" % (len(growths), total))
    if test["alive"]:
        text.append("  still alive, of %d that the last run left:" % test["alive_count"] if len(growths) > 1 else "  alive on the GPU, of %d, old ones among them:" % test["alive_count"])
        text.extend("    %s  %s" % (words(one["bytes"]).rjust(9), alive.in_words(one)) for one in test["alive"])
    elif name != "driver":
        text.append("  Python holds no tensor that the last run left: the graph of a loss, an extension or a cache in C++ may")
    else:
        text.append("  no allocator of a framework counts it: an extension, ctypes, numba or a library took it")
    return "\n".join(text)
