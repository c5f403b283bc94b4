"""Whether what is in use grows from iteration to iteration: the rule of docs/leaks.md, for a count that is exact or comes in blocks."""

LEAK, ONE_OFF, CLEAN, INCONCLUSIVE = "leak", "one_off", "clean", "inconclusive"


def lasting_steps(series, unit):
    """The places before which everything is lower, by a unit at least, than everything from there on."""
    highest, lowest = [], []
    for value in series:
        highest.append(value if not highest else max(highest[-1], value))
    for value in reversed(series):
        lowest.append(value if not lowest else min(lowest[-1], value))
    lowest.reverse()
    return [at for at in range(1, len(series)) if lowest[at] - highest[at - 1] >= unit]


def judged(series, unit, exact):
    """What the readings after each iteration show: `leak`, `one_off` (early and no more), `clean`, or `inconclusive`.

    series: bytes in use, one after each iteration. unit: the least by which it can grow. exact: whether it counts each byte that is in use,
    and not blocks that fill up unseen.
    """
    count = len(series)
    if count < 5:
        return INCONCLUSIVE
    steps, middle = lasting_steps(series, unit), count // 2
    if not steps:
        rise, noise = _slope(series) * (count - 1), max(series) - min(series)
        return CLEAN if rise < unit or rise < noise / 2 else INCONCLUSIVE
    if steps[-1] < middle and _slope(series[middle:]) * (count - middle) < unit:
        return ONE_OFF if exact or count >= 30 else INCONCLUSIVE
    if count < 30:
        return LEAK if len(steps) == count - 1 else INCONCLUSIVE
    # Steps in each third, and in the last no fewer than half of what a third has on average.
    thirds = [sum(count * third // 3 <= at < count * (third + 1) // 3 for at in steps) for third in range(3)]
    enough = len(steps) >= (10 if count >= 100 else count / 5)
    return LEAK if enough and min(thirds) > 0 and thirds[2] * 2 >= len(steps) / 3 else INCONCLUSIVE


def _slope(series):
    """The median of the slopes between all pairs (Theil and Sen)."""
    slopes = sorted((series[later] - series[first]) / (later - first) for first in range(len(series)) for later in range(first + 1, len(series)))
    return slopes[len(slopes) // 2] if slopes else 0.0
