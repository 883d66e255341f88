#!/usr/bin/env python3
"""Builds some rooms, what they import and their tests, and runs these: check.py [ROOM…]

Without rooms: those whose files differ from `main`, and what imports them. Package.swift alone says which rooms there
are. TEST=words picks tests with one of the words in their name, whatever their tier; else those run that are short,
and with TIER=all the long ones too. Built in debug form in .build/check, which knows all that was built there before.
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


class Rooms:
    """The package's targets: where each lies, and which it imports."""

    def __init__(self):
        text = subprocess.run(["swift", "package", "dump-package"], check=True, capture_output=True, text=True).stdout
        targets = json.loads(text)["targets"]
        self.tested = {one["name"].removesuffix(END) for one in targets if one["type"] == "test"}
        self.names = {one["name"] for one in targets}
        self.imports = {one["name"]: {part for kind in one["dependencies"] for part in kind.get("byName", [])[:1]}
                        for one in targets}
        self.places = {one["name"]: one.get("path") or ("Tests/" if one["type"] == "test" else "Sources/") + one["name"]
                       for one in targets}

    def changed(self):
        """Rooms with tests that have changed, or import what has."""
        files = git("diff", "--name-only", "main") + git("ls-files", "--others", "--exclude-standard")
        if "Package.swift" in files:
            return sorted(self.tested)
        # Folders may be links into others.
        real = {name: os.path.relpath(os.path.realpath(place)) for name, place in self.places.items()}
        links = {name: [os.path.relpath(os.path.realpath(os.path.join(place, one)))
                        for one in os.listdir(place) if os.path.islink(os.path.join(place, one))]
                 for name, place in self.places.items() if os.path.isdir(place)}
        open_ = [name for name in self.names if any(
            file.startswith(folder + "/") for file in files for folder in [real[name], *links.get(name, [])])]
        touched = set()
        while open_:
            name = open_.pop()
            if name not in touched:
                touched.add(name)
                open_ += [user for user, imports in self.imports.items() if name in imports]
        return sorted(room for room in self.tested if room in touched or room + END in touched)


def git(*arguments):
    return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True).stdout.split("\n")[:-1]


def main():
    os.chdir(ROOT)
    subprocess.run(["scripts/ensure-system.sh"], check=True)
    rooms, asked = Rooms(), sys.argv[1:]
    for room in asked:
        if room not in rooms.tested:
            sys.exit(f"check: there is no room {room} with tests; there are: {' '.join(sorted(rooms.tested))}")
    asked = asked or rooms.changed()
    if not asked:
        print("check: nothing differs from main; ROOM=Ingest names a room")
        return 0
    print(f"check: {' '.join(asked)}", flush=True)
    done = subprocess.run(
        ["swift", "build", "--build-tests", "--scratch-path", SCRATCH, "--disable-index-store", "--quiet",
         "--explicit-target-dependency-import-check", "error"],
        env={**os.environ, "ROOMS": " ".join(asked), "FOR_TESTS": "1"})
    if done.returncode:
        return done.returncode
    words = os.environ.get("TEST", "").split()
    tier = None if words or os.environ.get("TIER") == "all" else "short"
    return 1 if swift.run(BUNDLE, asked, tier, words) else 0


if __name__ == "__main__":
    sys.exit(main())
