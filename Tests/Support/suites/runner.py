"""How the suites in Python run: which of their tests, and what they say in the end.

A test is of the tier *long* unless it, or its class, is marked with `short` (docs/testing.md, Tiers). TIER=short or
TIER=long runs those of one tier; without it all run.
"""
import json
import os
import sys
import time
import unittest

SLOWEST = 6


def short(test):
    """Marks a test, or a class of tests, that `make test` runs."""
    test.tier = "short"
    return test


def tier_of(test):
    method = getattr(test, test._testMethodName)
    return getattr(method, "tier", None) or getattr(type(test), "tier", "long")


def named(tests, words):
    """The tests whose names have one of the words; all of them where there is none."""
    for test in tests:
        if isinstance(test, unittest.TestSuite):
            yield from named(test, words)
        elif not words or any(word in test.id() for word in words):
            yield test


class TimedResult(unittest.TextTestResult):
    """Keeps what each test took."""

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


def chosen(tests, words):
    """The tests of the tier that is asked for whose names have one of the words."""
    tier = os.environ.get("TIER")
    if tier not in (None, "short", "long"):
        sys.exit(f"TIER is short or long, not {tier}")
    return [test for test in named(tests, words) if tier in (None, tier_of(test))]


def run(name, tests, words, prepare=None):
    """Runs those that are asked for and ends the program; the last line says how it went. `--list` for a word prints
    all of them with their tiers. `prepare` is called once before them, with those that run, if there are any; it returns what to call after."""
    if words == ["--list"]:
        for test in named(tests, []):
            print(json.dumps({"suite": name, "test": test.id(), "tier": tier_of(test)}))
        sys.exit(0)
    tests = chosen(tests, words)
    if not tests:
        sys.exit("there is no such test")
    end = prepare(tests) if tests and prepare else None
    try:
        runner = unittest.TextTestRunner(verbosity=2, stream=sys.stdout, resultclass=TimedResult, warnings="ignore")
        result = runner.run(unittest.TestSuite(tests))
    finally:
        if end:
            end()
    wrong = len(result.failures) + len(result.errors)
    print(result.slowest())
    print(f"{name}: {result.testsRun} tests, {len(result.skipped)} skipped, {wrong} failed", flush=True)
    sys.exit(wrong != 0)
