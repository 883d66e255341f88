#!/usr/bin/env python3
"""The web bridge in Chromium and in WebKitGTK, and its build: suite.py [WORD…]

Of the tests whose names have one of the words, or of all. What needs a program that is not
installed is skipped by name.
"""
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "..", "Tests", "Support", "suites")]

import runner  # noqa: E402
from harness.case import close_all  # noqa: E402


def main():
    loader = unittest.TestLoader()
    found = loader.discover(HERE, pattern="test_*.py", top_level_dir=HERE)
    if loader.errors:
        sys.exit("\n".join(loader.errors))
    runner.run("web", found, sys.argv[1:], lambda tests: close_all)


if __name__ == "__main__":
    main()
