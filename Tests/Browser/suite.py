#!/usr/bin/env python3
"""The dashboard in a real browser: suite.py PROGRAM [TEST…]

Where Chromium is not installed, all of it is skipped by name; where axe-core is not, what needs it.
"""
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "Support", "suites")]

import runner  # noqa: E402
from driver import find_chromium  # noqa: E402
from fixture import environment  # noqa: E402


def all_tests():
    loader = unittest.TestLoader()
    tests = loader.discover(HERE, pattern="test_*.py", top_level_dir=HERE)
    if loader.errors:
        sys.exit("\n".join(loader.errors))
    return tests


def prepare(tests):
    if find_chromium() is None:
        for test in tests:
            type(test).__unittest_skip__ = True
            type(test).__unittest_skip_why__ = "chromium is not installed"
    return world.close


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: suite.py PROGRAM [TEST…]")
    world = environment.begin(os.path.abspath(sys.argv[1]))
    runner.run("browser", all_tests(), sys.argv[2:], prepare)
