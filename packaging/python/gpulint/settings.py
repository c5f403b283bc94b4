"""What the user asks of the plugin: options, ini options, and the mark of a test."""

import os

import pytest

from gpulint.texts import size

LEAK = ("repeat", "strict", "report")
CARDS = ("auto", "slot", "keep")


class Settings:
    """Of the whole run. An option counts before an ini option.

    Raises pytest.UsageError for a value that means nothing.
    """

    def __init__(self, config):
        def asked(name):
            option = getattr(config.option, "gpulint_" + name)
            return option if option is not None else config.getini("gpulint_" + name) or None

        def one_of(name, values):
            value = asked(name) or values[0]
            if value not in values:
                raise pytest.UsageError("gpulint: %s is `%s`, and can be %s" % (name, value, ", ".join(values)))
            return value

        self.leak = one_of("leak", LEAK)
        self.cards = one_of("cards", CARDS)
        self.allow = size(asked("allow") or 0)
        if self.allow is None:
            raise pytest.UsageError("gpulint: allow is `%s`, which is no size such as 4MiB" % asked("allow"))
        repeats = str(asked("repeats") or 5)
        if not repeats.isdigit() or not 2 <= int(repeats) <= 1000:
            raise pytest.UsageError("gpulint: repeats is `%s`, and can be 2 to 1000" % repeats)
        self.repeats = int(repeats)
        self.driver = config.getini("gpulint_driver")
        self.forbidden = tuple(config.getini("gpulint_forbidden_imports"))
        # Tests may change the folder.
        self.report = os.path.abspath(config.option.gpulint_report) if config.option.gpulint_report else None


class Asked:
    """Of one test: its mark, and what it does not say from the settings."""

    __slots__ = ("leak", "allow", "cpu")

    def __init__(self, leak, allow, cpu):
        self.leak, self.allow, self.cpu = leak, allow, cpu

    @classmethod
    def of(cls, item, settings):
        """Raises pytest.UsageError for a mark that means nothing."""
        said = {}
        # The closest mark is the first.
        for mark in item.iter_markers("gpulint"):
            if mark.args or set(mark.kwargs) - {"leak", "mode"}:
                raise pytest.UsageError("the mark gpulint takes leak=… and mode=…, by name, and nothing else")
            for key, value in mark.kwargs.items():
                said.setdefault(key, value)
        leak, allow, mode = said.get("leak", settings.leak), settings.allow, said.get("mode", "gpu")
        if str(leak).startswith("allow "):
            leak, allow = settings.leak, size(leak[6:])
        if allow is None or leak not in LEAK + ("ignore",):
            known = '"allow 4MiB", "ignore", "strict", "repeat" or "report"'
            raise pytest.UsageError("leak=%r in the mark gpulint can be %s" % (said["leak"], known))
        if mode not in ("gpu", "cpu"):
            raise pytest.UsageError('mode=%r in the mark gpulint can be "cpu" or "gpu"' % mode)
        return cls(leak, allow, mode == "cpu")
