#!/usr/bin/env python3
"""Swift's tests as a build has left them: which there are, of which tier, and running those of some rooms.

    swift.py [--bundle FILE] list
    swift.py [--bundle FILE] run [--tier short|long] ROOM…

A room's tests are the target ROOMTests. A test is *long* where it, or the suite it is in, has the tag `.long`
(Tests/Support/TestSupport/Tags.swift), and short otherwise. `run` runs one room after the other, and in each one test
after the other: all 1,700 at once wait for each other, and take three times as long.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
BUNDLE = os.path.join(ROOT, ".build", "tests", "release", "sojournPackageTests.xctest")
# Filters that no test fits, or rooms without tests of the tier (EX_UNAVAILABLE).
NONE = 69


@dataclass
class Test:
    identifier: str
    name: str
    tier: str

    @property
    def room(self):
        return self.identifier.split(".", 1)[0].removesuffix("Tests")


def tests(bundle=BUNDLE):
    """All test functions of a bundle, each once, however many arguments it has."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "events")
        # Only a version that is not yet settled tells of tags (Swift 6.3); a later one is taken for the newest.
        subprocess.run(
            [bundle, "--testing-library", "swift-testing", "--list-tests", "--event-stream-output-path", path,
             "--experimental-event-stream-version", "99"], check=True, stdout=subprocess.DEVNULL)
        with open(path, encoding="utf-8") as file:
            records = [json.loads(line) for line in file]
    told = [record["payload"] for record in records if record["kind"] == "test"]
    suites = [one["id"] for one in told if one["kind"] == "suite" and ".long" in one.get("_tags", [])]
    found = []
    for one in told:
        if one["kind"] != "function":
            continue
        identifier = one["id"].rsplit("/", 1)[0]
        is_long = ".long" in one.get("_tags", []) or any(identifier.startswith(suite + "/") for suite in suites)
        found.append(Test(identifier, one.get("displayName", one["name"]), "long" if is_long else "short"))
    return sorted(found, key=lambda test: test.identifier)


def run(bundle, rooms, tier, words=()):
    known, status = tests(bundle), 0
    for room in rooms:
        mine = [test for test in known if test.room == room]
        if not mine:
            print(f"{room}: there are no such tests", file=sys.stderr)
            status = 1
        mine = [test for test in mine if tier in (None, test.tier)]
        if words:
            mine = [test for test in mine if any(word in test.identifier or word in test.name for word in words)]
        if not mine:
            continue
        filters = [part for test in mine for part in ("--filter", f"^{re.escape(test.identifier)}/")]
        log = os.path.join(os.path.dirname(bundle), f"{room}{'-' + tier if tier else ''}.log")
        with open(log, "wb") as file:
            done = subprocess.run([bundle, "--testing-library", "swift-testing", "--no-parallel", *filters],
                                  stdout=file, stderr=subprocess.STDOUT)
        status |= done.returncode
        print(f"{room}: {said(log, done.returncode)}", flush=True)
    return status


def said(log, status):
    """What one wants to read of a run's log: all that is wrong or was left out, and the last line."""
    with open(log, encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
    kept, is_kept = [], False
    for line in lines:
        is_kept = line.startswith(("✘", "➜")) or is_kept and not line.startswith(("◇", "✔"))
        if is_kept:
            kept.append(line[:2000])
    if status and not kept:
        # It crashed.
        kept = [*lines[-60:], f"ended with {status}"]
    return "\n".join([lines[-1] if lines else "", *kept, *([f"all of it is in {os.path.relpath(log)}"] if status else [])])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bundle", default=BUNDLE)
    parser.add_argument("--tier", choices=["short", "long"])
    parser.add_argument("what", choices=["list", "run"])
    parser.add_argument("rooms", nargs="*")
    given = parser.parse_intermixed_args()
    if given.what == "list":
        for test in tests(given.bundle):
            print(json.dumps({"suite": test.room, "test": test.identifier, "tier": test.tier, "name": test.name}))
        return 0
    return 1 if run(given.bundle, given.rooms, given.tier) else 0


if __name__ == "__main__":
    sys.exit(main())
