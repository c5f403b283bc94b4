"""Sizes and paths, as people write and read them."""

import os
import re

UNITS = {"": 1, "B": 1, "KB": 1000, "MB": 1000**2, "GB": 1000**3, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30}


def size(text):
    """Bytes of a text such as `4MiB`; None if it is no size."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", str(text))
    unit = UNITS.get(match.group(2).upper()) if match else None
    return None if unit is None else int(float(match.group(1)) * unit)


def words(count):
    """A number of bytes for people: `512 B`, `4.0 MiB`."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if abs(count) >= unit:
            return "%.1f %s" % (count / unit, name)
    return "%d B" % count


def short(file):
    """The path from the current folder, if the file is below it."""
    try:
        relative = os.path.relpath(file)
    except ValueError:
        return file
    return file if relative.startswith("..") else relative
