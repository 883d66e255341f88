#!/usr/bin/env python3
"""Fails where the way of a batch costs more than it did: allocations and instructions a batch of 1, 10 and 50 events.

    Benchmarks/gate.py --native FOLDER --stages PROGRAM [--write]

Both differ by less than a hundredth between runs of one build, however busy the machine is, so that a tenth
more than Benchmarks/baseline.json is no chance. `--write` makes what is measured the new baseline: say in the commit
what it bought. `make test-long` and `make bench` run it, and bring what it needs.
"""

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from kit.native import Native  # noqa: E402
from kit.server import SECRET, fail, run  # noqa: E402

APP, SIZES = "shop", (1, 10, 50)
# Instructions are those of the larger file less those of the smaller: what comes once does not count.
FEW, MANY = 200, 600
BASELINE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "baseline.json")
ALLOWED = 1.10
# What has fewer than one allocation a batch may have so many more: a tenth of next to nothing is chance.
SLACK = 0.1


class Gate:
    def __init__(self, given, folder):
        self.native, self.folder = Native(given.native), folder
        # Without its debugging information valgrind reads the program in a second.
        self.stages = os.path.join(folder, "stages")
        shutil.copy(given.stages, self.stages)
        run(["strip", "-g", self.stages])
        self.count = 0

    def requests(self, events, batches):
        path = os.path.join(self.folder, f"requests-{events}-{batches}")
        self.native.write_requests(path, APP, batches=batches, events=events)
        return path

    def command(self, requests, rounds):
        self.count += 1
        data = os.path.join(self.folder, f"data-{self.count}")
        return [self.stages, requests, f"{APP}-key", SECRET, data, str(rounds)]

    def allocations(self, events):
        """A batch, by stage."""
        told = json.loads(run(self.command(self.requests(events, MANY), 3)))
        return {one["stage"]: round(one["allocations"], 2) for one in told}

    def instructions(self, events, batches):
        command = self.command(self.requests(events, batches), 1)
        out = os.path.join(self.folder, "callgrind.out")
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *command],
            capture_output=True, text=True,
        )  # fmt: skip
        found = re.search(r"Collected : (\d+)", done.stderr)
        if done.returncode or not found:
            fail(f"valgrind ended with {done.returncode}: {done.stderr.strip()[-2000:]}")
        return int(found[1])

    def measure(self):
        # Each stage goes through its batches twice, once to warm up, and what prepares them once: a figure to
        # compare with, and not what a batch costs.
        found = {"machine": platform.machine()}
        for events in SIZES:
            more = self.instructions(events, MANY) - self.instructions(events, FEW)
            found[f"{events} a batch"] = {
                "instructions": round(more / (MANY - FEW)),
                "allocations": self.allocations(events),
            }
        return found


def grown(found, baseline):
    """What grew by more than a tenth, in words."""
    lines = []

    def compare(name, now, before):
        print(f"{name}: {now:,} ({before:,} in the baseline, {now / before if before else 1:.2f})")
        if now > before * ALLOWED + (SLACK if before < 1 else 0):
            lines.append(f"{name} grew from {before:,} to {now:,}")

    if found.keys() != baseline.keys():
        fail("the sizes are other ones than in the baseline: write it anew with WRITE=1")
    for size in (f"{events} a batch" for events in SIZES):
        ours, theirs = found[size], baseline[size]
        if ours["allocations"].keys() != theirs["allocations"].keys():
            fail("the stages are other ones than in the baseline: write it anew with WRITE=1")
        for stage, before in theirs["allocations"].items():
            compare(f"{size}: allocations, {stage}", ours["allocations"][stage], before)
        if found["machine"] == baseline["machine"]:
            compare(f"{size}: instructions", ours["instructions"], theirs["instructions"])
        else:
            print(f"{size}: {ours['instructions']:,} instructions; the baseline's are of {baseline['machine']}")
    return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--native", required=True, help="folder of the built C programs")
    parser.add_argument("--stages", required=True, help="the built program of that name")
    parser.add_argument("--write", action="store_true", help="make this the baseline")
    given = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="gate-", dir=os.path.dirname(os.path.abspath(given.native)))
    try:
        found = Gate(given, folder).measure()
    finally:
        shutil.rmtree(folder)
    if given.write:
        with open(BASELINE, "w") as file:
            json.dump(found, file, indent=4)
            file.write("\n")
        print(f"written to {os.path.relpath(BASELINE)}")
        return
    with open(BASELINE) as file:
        lines = grown(found, json.load(file))
    if lines:
        fail("; ".join(lines) + f"; by more than {ALLOWED - 1:.0%}")


if __name__ == "__main__":
    main()
