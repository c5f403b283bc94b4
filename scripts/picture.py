#!/usr/bin/env python3
"""Makes the pictures of the README: the map of the example project, as a browser shows it.

    scripts/picture.py

`gpulint map` draws `examples/two-cards`, headless Chromium opens the page in a small window, light and dark, and the top of it, without
the table of counts, is kept in docs/map-light.png and docs/map-dark.png, with a palette of 64 colours, so that each is below 60 KB.
GPULINT names the binary and defaults to the release build. Only Python's standard library is needed. Fonts are those of the machine:
another one makes another file.
"""

import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
PROJECT = REPOSITORY / "examples/two-cards"
SIZE = (960, 840)
COLOURS = 64
# More is too much for a picture that each visitor loads.
MOST_BYTES = 60_000


def main():
    gpulint = os.environ.get("GPULINT", REPOSITORY / "target/release/gpulint")
    with tempfile.TemporaryDirectory() as folder:
        # By itself, so that paths begin in it and not in this repository.
        project = shutil.copytree(PROJECT, pathlib.Path(folder) / "two-cards")
        (project / ".git").mkdir()
        command = [pathlib.Path(gpulint).resolve(), "map", "--format", "html"]
        page = subprocess.run(command, cwd=project, stdout=subprocess.PIPE, check=True).stdout
    for scheme in ["light", "dark"]:
        width, height, pixels = decoded(photographed(page, scheme))
        png = encoded(width, height, pixels)
        if len(png) > MOST_BYTES:
            sys.exit(f"{scheme}: {len(png)} bytes; make the window smaller")
        file = REPOSITORY / f"docs/map-{scheme}.png"
        file.write_bytes(png)
        print(f"{file.relative_to(REPOSITORY)}: {width} × {height}, {len(png)} bytes")


def photographed(page, scheme):
    """A page in a window, as a PNG with all its colours."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or sys.exit("there is no chromium")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        # The page follows what the browser prefers; here it is told.
        told = f"<style>:root {{ color-scheme: {scheme} !important; }} .overview {{ display: none; }}</style></head>".encode()
        (folder / "map.html").write_bytes(page.replace(b"</head>", told, 1))
        command = [
            browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
            "--force-device-scale-factor=1", f"--window-size={SIZE[0]},{SIZE[1]}", f"--user-data-dir={folder / 'profile'}",
            # Grey edges of letters instead of coloured ones: far fewer colours.
            "--disable-lcd-text", f"--screenshot={folder / 'page.png'}", f"file://{folder / 'map.html'}",
        ]
        environment = dict(os.environ, HOME=str(folder))
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True, timeout=120)
        return (folder / "page.png").read_bytes()


def decoded(png):
    """Width, height and the pixels of a PNG of 8 bits a channel, each as (red, green, blue)."""
    width, height, depth, kind = struct.unpack(">IIBB", png[16:26])
    channels = {2: 3, 6: 4}.get(kind) if depth == 8 else None
    if channels is None:
        sys.exit(f"Chromium wrote a PNG of kind {kind} with {depth} bits")
    packed, at = b"", 8
    while at < len(png):
        length, name = struct.unpack(">I4s", png[at : at + 8])
        if name == b"IDAT":
            packed += png[at + 8 : at + 8 + length]
        at += 12 + length
    raw, row = zlib.decompress(packed), width * channels
    above, pixels = bytearray(row), []
    for y in range(height):
        start = y * (row + 1)
        line = bytearray(raw[start + 1 : start + 1 + row])
        unfilter(raw[start], line, above, channels)
        pixels += zip(line[0::channels], line[1::channels], line[2::channels])
        above = line
    return width, height, pixels


def unfilter(how, line, above, channels):
    """Takes back what PNG did to a line so that it packs well: section 9 of its specification."""
    for x in range(len(line)):
        left = line[x - channels] if x >= channels else 0
        up, corner = above[x], above[x - channels] if x >= channels else 0
        if how == 1:
            guess = left
        elif how == 2:
            guess = up
        elif how == 3:
            guess = (left + up) // 2
        elif how == 4:
            guess = min((left, up, corner), key=lambda one: abs(left + up - corner - one))
        else:
            return
        line[x] = (line[x] + guess) & 255


def encoded(width, height, pixels):
    """A PNG with a palette of the most frequent colours; each other one becomes the nearest of them."""
    counts = {}
    for pixel in pixels:
        counts[pixel] = counts.get(pixel, 0) + 1
    palette = sorted(sorted(counts), key=counts.get, reverse=True)[:COLOURS]
    nearest = {
        pixel: min(range(len(palette)), key=lambda at: sum((one - other) ** 2 for one, other in zip(palette[at], pixel)))
        for pixel in counts
    }
    rows = bytearray()
    for y in range(height):
        rows.append(0)
        rows += bytes(nearest[pixel] for pixel in pixels[y * width : (y + 1) * width])
    parts = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        (b"PLTE", bytes(channel for colour in palette for channel in colour)),
        (b"IDAT", zlib.compress(bytes(rows), 9)),
        (b"IEND", b""),
    ]
    part = lambda name, data: struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    return b"\x89PNG\r\n\x1a\n" + b"".join(part(name, data) for name, data in parts)


if __name__ == "__main__":
    main()
