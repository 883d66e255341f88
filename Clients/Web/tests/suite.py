#!/usr/bin/env python3
"""The web bridge in Chromium and in WebKitGTK, and its build: suite.py [WORD…]

Of the tests whose names have one of the words, or of all. What needs a program that is not
installed is skipped by name.
"""
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from harness.case import close_all  # noqa: E402


def named(tests, words):
    for test in tests:
        if isinstance(test, unittest.TestSuite):
            yield from named(test, words)
        elif not words or any(word in test.id() for word in words):
            yield test


def main():
    loader = unittest.TestLoader()
    found = loader.discover(HERE, pattern="test_*.py", top_level_dir=HERE)
    if loader.errors:
        sys.exit("\n".join(loader.errors))
    tests = list(named(found, sys.argv[1:]))
    if not tests:
        sys.exit("no test has such a name")
    try:
        result = unittest.TextTestRunner(verbosity=2).run(unittest.TestSuite(tests))
    finally:
        close_all()
    print(f"web: {result.testsRun} tests, {len(result.skipped)} skipped, "
          f"{len(result.failures) + len(result.errors)} failed", flush=True)
    sys.exit(0 if result.wasSuccessful() else 1)


if __name__ == "__main__":
    main()
