#!/usr/bin/env python3
"""The dashboard in a real browser: suite.py PROGRAM [TEST…]

Where Chromium is not installed, all of it is skipped by name; where axe-core is not, what needs it.
"""
import os
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from driver import find_chromium  # noqa: E402
from fixture import environment  # noqa: E402
from fixture.runner import named  # noqa: E402


SLOWEST = 6


class TimedResult(unittest.TextTestResult):
    """Says at the end which tests took longest."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.seconds = {}

    def startTest(self, test):
        self._began = time.monotonic()
        super().startTest(test)

    def stopTest(self, test):
        self.seconds[test.id()] = time.monotonic() - self._began
        super().stopTest(test)

    def slowest(self):
        ordered = sorted(self.seconds.items(), key=lambda one: -one[1])[:SLOWEST]
        return "\n".join(f"{seconds:5.1f} s  {name}" for name, seconds in ordered)


def all_tests():
    loader = unittest.TestLoader()
    tests = loader.discover(HERE, pattern="test_*.py", top_level_dir=HERE)
    if loader.errors:
        sys.exit("\n".join(loader.errors))
    return tests


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: suite.py PROGRAM [TEST…]")
    world = environment.begin(os.path.abspath(sys.argv[1]))
    tests = list(named(all_tests(), sys.argv[2:]))
    if not tests:
        sys.exit("no test has such a name")
    if find_chromium() is None:
        for test in tests:
            type(test).__unittest_skip__ = True
            type(test).__unittest_skip_why__ = "chromium is not installed"
    try:
        result = unittest.TextTestRunner(verbosity=2, resultclass=TimedResult).run(unittest.TestSuite(tests))
    finally:
        world.close()
    print(result.slowest())
    print(f"browser: {result.testsRun} tests, {len(result.skipped)} skipped, "
          f"{len(result.failures) + len(result.errors)} failed", flush=True)
    sys.exit(0 if result.wasSuccessful() else 1)


if __name__ == "__main__":
    main()
