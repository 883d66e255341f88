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
        # Only a version that is not settled yet tells of tags (Swift 6.3); a number beyond all known means the newest.
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
    """Runs the tests of rooms: of one tier (nil: of both), of which the name has one of the words. Whether all passed."""
    asked = [test for test in tests(bundle) if test.room in rooms and tier in (None, test.tier)
             and (not words or any(word in test.identifier or word in test.name for word in words))]
    if not asked:
        named = f" with {' or '.join(words)} in their names" if words else ""
        print(f"there are no {tier + ' ' if tier else ''}tests of {' and '.join(rooms)}{named}", file=sys.stderr)
        return False
    passed = True
    for room in rooms:
        mine = [test for test in asked if test.room == room]
        if not mine:
            continue
        filters = [part for test in mine for part in ("--filter", f"^{re.escape(test.identifier)}/")]
        log = os.path.join(os.path.dirname(bundle), f"{room}{'-' + tier if tier else ''}.log")
        with open(log, "wb") as file:
            done = subprocess.run([bundle, "--testing-library", "swift-testing", "--no-parallel", *filters],
                                  stdout=file, stderr=subprocess.STDOUT)
        with open(log, encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
        ended = re.search(r"Test run with (\d+) tests? .*(passed|failed) after", lines[-1] if lines else "")
        is_whole = bool(ended) and int(ended[1]) == len(mine)
        if done.returncode or not is_whole:
            passed = False
        print(f"{room}: {summary(lines)}", flush=True)
        if not is_whole:
            print("\n".join(lines[-60:]))
            print(f"ERROR: {room} did not run its {len(mine)} tests to the end: status {done.returncode}")
        if done.returncode or not is_whole:
            print(f"all of it is in {os.path.relpath(log)}", flush=True)
    return passed


def summary(lines):
    """What one wants to read of a run's log: the last line, and all that is wrong or was left out."""
    kept, is_kept = [], False
    for line in lines:
        is_kept = line.startswith(("✘", "➜")) or is_kept and not line.startswith(("◇", "✔"))
        if is_kept:
            kept.append(line[:2000])
    return "\n".join([*lines[-1:], *kept])


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
    return 0 if run(given.bundle, given.rooms, given.tier) else 1


if __name__ == "__main__":
    sys.exit(main())
