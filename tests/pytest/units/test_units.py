"""What of the plugin can be asked without running tests."""

import pytest
from gpulint.cards import divided, of_mask
from gpulint.driver import uuid_of
from gpulint.growth import judged, lasting_steps
from gpulint.memory import Reading
from gpulint.texts import size, words

CARDS = ["GPU-a", "GPU-b"]


@pytest.mark.parametrize(
    "mask, order, devices",
    [
        (None, None, CARDS),
        (None, "PCI_BUS_ID", CARDS),
        ("0,1", "PCI_BUS_ID", CARDS),
        ("1,0", "PCI_BUS_ID", ["GPU-b", "GPU-a"]),
        # In which order the driver counts is not known without it.
        ("1, 0", None, ["1", "0"]),
        ("GPU-b", None, ["GPU-b"]),
        ("GPU-b,GPU-a", "FASTEST_FIRST", ["GPU-b", "GPU-a"]),
        ("7", "PCI_BUS_ID", ["7"]),
        ("", None, []),
        ("-1", None, []),
        ("NoDevFiles", None, []),
    ],
)
def test_what_a_mask_leaves(mask, order, devices):
    assert of_mask(mask, order, CARDS) == (devices, None)


@pytest.mark.parametrize("mask", ["0,0", "0,1,0", "0,GPU-b", "0,foo,1", "1gpu", "MIG-1", "0-1", "+1", "0,,1", "²"])
def test_what_no_one_divides(mask):
    devices, why = of_mask(mask, "PCI_BUS_ID", CARDS)
    assert devices == [] and mask in why


def test_no_card_is_known():
    assert of_mask(None, None, []) == ([], "NVML does not tell which cards there are")


def test_each_worker_has_a_card():
    given = [divided(CARDS, None, number, 3).mask for number in range(3)]
    assert given == ["GPU-a", "GPU-b", "GPU-a"]
    assert [divided(CARDS, None, 0, workers).shared for workers in (1, 2, 3)] == [0, 0, 3]
    assert divided([], "why", 0, 2).mask is None and divided([], "why", 0, 2).why == "why"


@pytest.mark.parametrize(
    "text, count",
    [("0", 0), ("512", 512), ("4MiB", 4 << 20), ("4 mib", 4 << 20), ("1.5KiB", 1536), ("2MB", 2000000), ("1GiB", 1 << 30), ("3B", 3)],
)
def test_sizes(text, count):
    assert size(text) == count


@pytest.mark.parametrize("text", ["", "MiB", "4Mi", "-1", "4 MiB more", "1e3", "four"])
def test_no_sizes(text):
    assert size(text) is None


def test_words():
    assert [words(count) for count in (0, 512, 1536, 4 << 20, 3 << 30, -(2 << 20))] == ["0 B", "512 B", "1.5 KiB", "4.0 MiB", "3.0 GiB", "-2.0 MiB"]


def test_growth():
    before, after = Reading(), Reading()
    before.in_use, after.in_use = {("torch", 0): 5}, {("torch", 0): 7, ("torch", 1): 3}
    # A card that is used since then was not read before: its context is no growth.
    before.used, after.used = {"GPU-a": 10}, {"GPU-a": 10, "GPU-b": 400}
    grown = after.minus(before)
    assert grown.in_use == {("torch", 0): 2, ("torch", 1): 3} and grown.used == {"GPU-a": 0}
    assert before.minus(after).in_use == {("torch", 0): -2, ("torch", 1): -3}


def test_uuid():
    assert uuid_of(bytes.fromhex("30903090000040008000000000000002")) == "GPU-30903090-0000-4000-8000-000000000002"


MIB = 1 << 20


@pytest.mark.parametrize(
    "series, unit, exact, outcome",
    [
        ([100 + 512 * n for n in range(10)], 512, True, "leak"),
        ([100 + 512 * n for n in range(5)], 512, True, "leak"),
        # Fewer than five show nothing.
        ([100 + 512 * n for n in range(4)], 512, True, "inconclusive"),
        ([100] * 10, 512, True, "clean"),
        ([100, 900] * 5, 512, True, "clean"),
        ([0, 0, 4096, 4096, 4096, 4096, 4096, 4096, 4096, 4096], 512, True, "one_off"),
        # A block that came early may be the first of a small leak.
        ([0, 0] + [2 * MIB] * 8, 2 * MIB, False, "inconclusive"),
        ([0, 0] + [2 * MIB] * 28, 2 * MIB, False, "one_off"),
        # A cache that is not full yet, or a leak that comes now and then.
        ([0, 0, 0, 512, 512, 512, 1024, 1024, 1024, 1024], 512, True, "inconclusive"),
        ([n // 3 * 2 * MIB for n in range(30)], 2 * MIB, False, "leak"),
        ([min(n, 12) * 2 * MIB for n in range(30)], 2 * MIB, False, "one_off"),
        ([n // 10 * 2 * MIB for n in range(100)], 2 * MIB, False, "inconclusive"),
        ([n // 8 * 2 * MIB for n in range(100)], 2 * MIB, False, "leak"),
        ([5000 - 512 * n for n in range(10)], 512, True, "clean"),
    ],
)
def test_what_a_series_shows(series, unit, exact, outcome):
    assert judged(series, unit, exact) == outcome


def test_lasting_steps():
    assert lasting_steps([0, 512, 0, 512, 1024, 1024, 5000], 512) == [4, 6]
    assert lasting_steps([], 512) == lasting_steps([1], 512) == []
