#!/usr/bin/env python3
"""Builds some rooms, what they import and their tests, and runs these: check.py [ROOM…]

Without rooms: those whose files differ from where the branch left `main`, and what imports them. Package.swift alone
says which rooms there are. TEST=words picks tests with one of the words in their name, whatever their tier; else those
run that are short, and with TIER=all the long ones too. Built in debug form in .build/check, which knows all that was
built there before.
"""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "steps"))

import swift  # noqa: E402

ROOT = os.path.join(HERE, "..")
SCRATCH = os.path.join(".build", "check")
BUNDLE = os.path.join(SCRATCH, "debug", "sojournPackageTests.xctest")
END = "Tests"
# The room whose tests read the pages and the sources.
PAGES = "Architecture"


class Rooms:
    """The package's targets: the folder of each, and which it imports."""

    def __init__(self):
        text = subprocess.run(["swift", "package", "dump-package"], check=True, capture_output=True, text=True).stdout
        targets = json.loads(text)["targets"]
        self.tested = {one["name"].removesuffix(END) for one in targets if one["type"] == "test"}
        self.names = {one["name"] for one in targets}
        self.imports = {one["name"]: {part for kind in one["dependencies"] for part in kind.get("byName", [])[:1]}
                        for one in targets}
        self.paths = {one["name"]: one.get("path") or ("Tests/" if one["type"] == "test" else "Sources/") + one["name"]
                      for one in targets}

    def changed(self):
        """Rooms with tests that have changed since they left main, or import what has."""
        base = git("merge-base", "main", "HEAD")[0]
        files = git("diff", "--name-only", "--no-renames", base) + git("ls-files", "--others", "--exclude-standard")
        if "Package.swift" in files:
            return sorted(self.tested)
        folders = {name: self.folders_of(path) for name, path in self.paths.items()}
        open_ = [name for name, its in folders.items()
                 if any((file + "/").startswith(folder + "/") for file in files for folder in its)]
        touched = set()
        while open_:
            name = open_.pop()
            if name not in touched:
                touched.add(name)
                open_ += [user for user, imports in self.imports.items() if name in imports]
        rooms = {room for room in self.tested if room in touched or room + END in touched}
        # What is in no room, pages and scripts, is what that one reads.
        every = [folder + "/" for its in folders.values() for folder in its]
        if any(not (file + "/").startswith(tuple(every)) for file in files):
            rooms.add(PAGES)
        return sorted(rooms)

    @staticmethod
    def folders_of(path):
        """Where a target's files lie: its folder, and those that links in it lead to."""
        found = {os.path.relpath(os.path.realpath(path))}
        for folder, names, files in os.walk(path):
            links = [os.path.join(folder, name) for name in names + files if os.path.islink(os.path.join(folder, name))]
            found |= {os.path.relpath(os.path.realpath(link)) for link in links}
        return found


def git(*arguments):
    done = subprocess.run(["git", *arguments], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"check: {done.stderr.strip()}; ROOM=Ingest names a room")
    return done.stdout.split("\n")[:-1]


def main():
    os.chdir(ROOT)
    tier = os.environ.get("TIER") or "short"
    if tier not in ("short", "all"):
        sys.exit(f"check: TIER is short or all, not {tier}")
    subprocess.run(["scripts/ensure-system.sh"], check=True)
    rooms, asked = Rooms(), []
    for room in sys.argv[1:]:
        same = [name for name in rooms.tested if name.lower() == room.lower()]
        if not same:
            sys.exit(f"check: there is no room {room} with tests; there are: {' '.join(sorted(rooms.tested))}")
        asked += same
    asked = asked or rooms.changed()
    if not asked:
        print("check: nothing differs from main; ROOM=Ingest names a room")
        return 0
    print(f"check: building {' '.join(asked)}; a first time takes minutes, then what changed", flush=True)
    done = subprocess.run(
        ["swift", "build", "--build-tests", "--scratch-path", SCRATCH, "--disable-index-store", "--quiet",
         "--explicit-target-dependency-import-check", "error"],
        env={**os.environ, "ROOMS": " ".join(asked), "FOR_TESTS": "1"})
    if done.returncode:
        return done.returncode
    words = os.environ.get("TEST", "").split()
    return 0 if swift.run(BUNDLE, asked, None if words or tier == "all" else "short", words) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
