"""Puts what was measured of each test into the report of JUnit that pytest writes, as properties of its entry.

pytest closes the entry of a test before its memory can be measured: what its fixtures return lives until then. So the properties are
put into the entries at the end, before they are written.
"""

import xml.etree.ElementTree as ElementTree

import pytest


def properties(test):
    """Names and values, of a test of the report."""
    return [("gpulint", test["verdict"])] + [("gpulint_kept: " + key, count) for key, count in test["kept"].items()]


class Properties:
    """A plugin of pytest beside Watch, in the process that writes reports."""

    def __init__(self, watch):
        self.watch = watch

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session):
        if not getattr(session.config.option, "xmlpath", None):
            return
        try:
            _add(session.config, self.watch.tests)
        except Exception as error:  # A pytest that keeps its entries in another way: said, and no result changes.
            self.watch.trouble.append("the report of JUnit has no figures: %s: %s" % (type(error).__name__, error))


def _add(config, tests):
    from _pytest.junitxml import bin_xml_escape, mangle_test_address, xml_key

    report = config.stash.get(xml_key, None)
    measured = {}
    for test in tests:
        if test["verdict"] != "not_measured":
            names = mangle_test_address(test["id"])
            folder = ".".join(([report.prefix] if report.prefix else []) + names[:-1])
            measured[folder, bin_xml_escape(names[-1])] = test
    for reporter in report.node_reporters_ordered:
        # Of an entry that is closed, it is the one that will be written.
        entry = reporter.to_xml()
        test = measured.get((entry.get("classname"), entry.get("name")))
        if test is None or entry.find("properties/property[@name='gpulint']") is not None:
            continue
        inside = entry.find("properties")
        if inside is None:
            inside = ElementTree.Element("properties")
            entry.insert(0, inside)
        for name, value in properties(test):
            ElementTree.SubElement(inside, "property", name=name, value=str(value))
