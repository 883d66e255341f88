#!/usr/bin/env python3
"""Compares every report of a cluster on this machine with a single node's of the same devices, and again after both are
pruned and all is handed over once more: make cluster-check.

Options: check.py [--devices N] [--days N] [--seed N]. The last line says how many are the same; the exit code is 0
only if all are.
"""
import argparse
import concurrent.futures
import datetime
import json
import re
import subprocess
import sys
import time

from machine import APP, KEY, SHARDS, with_machine
from parts import Failure, PROGRAM, end_with_parent
from questions import FILTERS, OF_ARRIVAL, Questions, path

# What an export says of arrival.
ARRIVAL = re.compile(rb'"received_at":\d+,|,"cursor":"[^"]*"')


class Check:
    """One cluster, and one node alone."""

    def __init__(self, machine, options):
        self.machine, self.options = machine, options
        # Days that are over, in every zone, with all sessions.
        self.last = datetime.datetime.now(datetime.timezone.utc).date() - datetime.timedelta(days=3)
        self.first = self.last - datetime.timedelta(days=options.days - 1)
        self.alone, self.token = None, None
        self.asked, self.same, self.different, self.silent = 0, 0, [], []
        self.begun = time.monotonic()

    def say(self, text):
        print(f"{time.monotonic() - self.begun:6.1f} s  {text}", flush=True)

    def run(self):
        self.machine.start(lambda what: self.say(f"starting {what}"))
        self.fill("the cluster", self.machine.devices)
        posted = int(time.time() * 1000)
        self.say("starting a single node with the same master key")
        self.alone = self.machine.alone()
        self.token = self.alone.add_app(self.machine.secret)
        self.machine.begin(self.alone).wait()
        self.fill("the single node", self.alone.devices)
        self.settle(posted)
        self.compare()
        self.prune()
        self.compare("&format=")

    def fill(self, what, port):
        """The same devices with the same seed, by right clocks."""
        options = self.options
        done = subprocess.run(
            [PROGRAM, "simulate", "--app", APP, "--key", KEY, "--secret-file", self.machine.secret,
             "--url", f"http://127.0.0.1:{port}", "--devices", str(options.devices),
             "--days", str(options.days), "--seed", str(options.seed), "--until", str(self.last),
             "--wrong-clocks", "0", "--set-clocks", "0", "--json"],
            capture_output=True, text=True, env=self.machine.nodes[0].environment,
            preexec_fn=end_with_parent)
        if done.returncode:
            raise Failure(f"simulate ended with {done.returncode}: {done.stderr.strip()}")
        sums = json.loads(done.stdout)
        self.say(f"{what}: {sums['batches']} batches with {sums['events']} events, "
                 f"{sums['repeats']} repeats")

    def settle(self, posted):
        """Until everything that was answered before a moment is in the engine, on both replicas."""
        first = self.machine.nodes[0]
        self.machine.wait(
            lambda: all((node["complete_to"] or 0) > posted for node in first.sojourn("node", "list")),
            120, "nodes have not handed over everything")
        for replicas in SHARDS:
            self.machine.wait(lambda r=replicas: len({self.rows(name) for name in r}) == 1, 60,
                              f"{' and '.join(replicas)} have not the same")
        shares = [self.rows(replicas[0]) for replicas in SHARDS]
        self.say("batches in the engine, by shard: " + ", ".join(str(share) for share in shares))
        if not all(shares):
            raise Failure("a shard has none")
        taken = {node.name: node.metric("sojourn_forward_batches_total")
                 for node in self.machine.nodes}
        self.say("handed over: " + ", ".join(f"{count:.0f} by {name}" for name, count in taken.items()))
        if not all(taken.values()):
            raise Failure("a node has taken none")

    def rows(self, engine):
        return int(self.machine.query(engine, "SELECT count() FROM batch FINAL"))

    def prune(self):
        """Both, by one moment; then a node hands over what it has, as pruned as it is."""
        moment = self.quiet_moment()
        gone = []
        for node in [self.machine.nodes[1], self.alone]:
            pruned = node.sojourn("prune", "--older-than", f"{round(time.time() - moment)}s")
            gone.append(pruned["events"])
            self.say(f"{node.name} pruned {pruned['events']} events")
        if gone[0] != gone[1] or not gone[0]:
            raise Failure("not as many, or none")
        self.machine.nodes[2].sojourn("forward", "--again")
        self.settle(int(time.time() * 1000))

    def quiet_moment(self):
        """Half a minute around it nothing has happened, in the middle of all days."""
        day = str(self.first + (self.last - self.first) / 2)
        lines = self.single(path("export", [("app", APP), ("from", day), ("to", day)])).splitlines()
        times = sorted(json.loads(line)["time"] for line in lines)
        for before, after in zip(times, times[1:]):
            if after - before > 60_000:
                return (before + after) / 2000
        raise Failure(f"on {day} something happens all the time")

    def compare(self, unless=None):
        """unless: what is in no path that is asked."""
        known = {name: self.values(name) for name in FILTERS}
        middle = self.first + (self.last - self.first) / 2
        questions = Questions(APP, str(self.first), str(self.last), str(middle), known)
        index = json.loads(self.single("/report"))
        paths = [asked for report in index["reports"]
                 if report["name"] not in [*OF_ARRIVAL, "devices"] for asked in questions.of(report)]
        paths += [path(f"devices/{device}", [("app", APP)]) for device in self.some_devices()]
        if unless:
            paths = [asked for asked in paths if unless not in asked]
        self.say(f"{len(paths)} questions to the single node and to the cluster")
        several = concurrent.futures.ThreadPoolExecutor(self.options.at_once)
        try:
            for asked, expected, answers in several.map(self.ask_all, range(len(paths)), paths):
                for node, said in answers:
                    self.judge(node, asked, expected, said)
        finally:
            several.shutdown(cancel_futures=True)
        self.silent = [node.name for node in self.machine.nodes if not node.complete]
        for name in self.silent:
            print(f"{name} never said how far its answers are complete", flush=True)

    def ask_all(self, number, asked):
        """What the single node says, and those of the cluster: each of them, but for the other forms of what was
        asked as JSON, which they are asked for in turn."""
        nodes = self.machine.nodes
        if "&format=" in asked:
            nodes = [nodes[number % len(nodes)]]
        return asked, self.single(asked), [(node, node.ask(asked, self.machine.token)) for node in nodes]

    def values(self, dimension):
        """What batches say of themselves, the commonest first."""
        asked = path("versions", [("app", APP), ("from", self.first), ("to", self.last),
                                  ("dimension", dimension)])
        rows = json.loads(self.single(asked))["rows"]
        return [row["value"] for row in rows if row["value"] != "unknown"]

    def some_devices(self):
        """Devices that an export begins and ends with."""
        lines = self.single(path("export", [("app", APP), ("from", self.last), ("to", self.last)]))
        found = [json.loads(line)["device"] for line in lines.splitlines()]
        return sorted({*found[:20], *found[-20:]})[:8]

    def single(self, asked):
        status, _, body = self.alone.ask(asked, self.token)
        if status != 200:
            raise Failure(f"the single node answers {status} to {asked}: {body[:200]!r}")
        return body

    def judge(self, node, asked, expected, said):
        status, fields, body = said
        node.complete = node.complete or fields.get("Sojourn-Complete-To") is not None
        if asked.startswith(("/report/export", "/report/devices")):
            expected, body = ARRIVAL.sub(b"", expected), ARRIVAL.sub(b"", body)
        self.asked += 1
        if status == 0:
            self.machine.all_run()
        if status == 200 and body == expected:
            self.same += 1
            return
        self.different.append(asked)
        if len(self.different) <= self.options.show:
            print(f"\n{node.name} answers {status} to {asked}\n{difference(expected, body)}\n", flush=True)


def difference(expected, body):
    """Where two answers part."""
    at = next((i for i, (x, y) in enumerate(zip(expected, body)) if x != y),
              min(len(expected), len(body)))
    begin = max(0, at - 120)
    return (f"  single  {len(expected)} bytes, at {at}: {expected[begin:at + 120]!r}\n"
            f"  cluster {len(body)} bytes, at {at}: {body[begin:at + 120]!r}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--devices", type=int, default=60)
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--at-once", type=int, default=4, help="questions at a time")
    parser.add_argument("--show", type=int, default=10, help="how many differences are shown")
    options = parser.parse_args()

    def work(machine):
        check = Check(machine, options)
        check.run()
        check.say("done")
        print(f"{check.same} of {check.asked} reports are the same")
        return 0 if check.same == check.asked and check.asked and not check.silent else 1

    return with_machine(work)


if __name__ == "__main__":
    sys.exit(main())
