#!/usr/bin/env python3
"""Removes one rule of the page after the other and looks whether its test sees it: breaks.py PROGRAM [WORD…]

The document that the browser gets is changed, and the policy's hashes with it; nothing on disk is. Ends with 1 where a test
still passes, or fails without a change.
"""
import io
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "Support", "suites")]

from driver import Page, find_chromium  # noqa: E402
from fixture import environment  # noqa: E402
from rules import RULES  # noqa: E402

# What waits for a page that is broken need not wait long.
PATIENCE_S = 10


class Misfit(Exception):
    """A change whose text is not in the page, or more than once."""


def change_of(rule):
    """From a text to the changed one; a module has only some of the places."""
    def change(text):
        for old, new in rule.changes:
            text = text.replace(old, new)
        return text
    return change


def check_places(rule, document):
    for old, _ in rule.changes:
        if document.count(old) != 1:
            raise Misfit(f"{document.count(old)} times in the page: {old}")


def fails(name):
    """Whether a test fails. One that cannot be found or is skipped does not."""
    test = unittest.defaultTestLoader.loadTestsFromName(name)
    if unittest.defaultTestLoader.errors:
        sys.exit("\n".join(unittest.defaultTestLoader.errors))
    result = unittest.TextTestRunner(stream=io.StringIO()).run(test)
    if result.skipped or not result.testsRun:
        raise Misfit(f"{name} did not run")
    return not result.wasSuccessful()


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: breaks.py PROGRAM [WORD…]")
    if find_chromium() is None:
        sys.exit("breaks: chromium is not installed")
    rules = [rule for rule in RULES if all(word in rule.words for word in sys.argv[2:])]
    world = environment.begin(os.path.abspath(sys.argv[1]))
    wrong = []
    try:
        document = world.server.request("GET", "/")[2].decode()
        for name in sorted({rule.test for rule in rules}):
            if fails(name):
                wrong.append(f"{name} fails without a change")
        Page.patience = PATIENCE_S
        for rule in rules:
            try:
                check_places(rule, document)
                with world.changed(change_of(rule)):
                    is_seen = fails(rule.test)
            except Misfit as misfit:
                is_seen = False
                wrong.append(f"{rule.words}: {misfit}")
            short = rule.test.rpartition(".")[2].removeprefix("test_").replace("_", " ")
            print(f"{rule.words} → {short if is_seen else 'NOTHING FAILS'}", flush=True)
            if not is_seen:
                wrong.append(f"{rule.words}: {rule.test} does not see it")
    finally:
        world.close()
    print("\n".join([*wrong, f"{len(rules)} rules, {len(wrong)} wrong"]))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
