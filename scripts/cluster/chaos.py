#!/usr/bin/env python3
"""Half an hour in which everything goes wrong that docs/scale.md promises to survive: make cluster-chaos.

Options: chaos.py [--minutes N] [--seed N]. Devices post to three nodes with two engines (ClickHouse, a shard each),
and keep a ledger of what was answered 200. Engines are killed, stopped, slow, rolled back and lose their last
minutes; nodes are killed and put back from copies; between both, answers are dropped, requests cut and connections
refused. In the end, and every five minutes, everything runs again, and the engine must have each event of the ledger
once. The last line says so; the exit code is 0 only if it has, and nothing else was wrong.

That it can fail is shown each time: the same rows, read without FINAL, have to be too many. Given a build that takes
a unit for handed over before the answer (CLUSTER_PROGRAM), it prints what is lost, and ends with 1.
"""
import argparse
import collections
import random
import sys
import time

from machine import APP, with_machine
from parts import Failure
from trouble.cluster import Cluster
from trouble.devices import Devices
from trouble.faults import Faults
from trouble.ledger import Ledger, compare, now
from trouble.reports import Reports, days, export

THREADS, RATE = 4, 6
ROUND = 5 * 60
# Of a round, without a start of an engine.
QUIET = 0.4
# Events straight from a server.
ROWS = "SELECT batch_id, place, received_at FROM batch {final} ARRAY JOIN event.place AS place"


class Chaos:
    def __init__(self, machine, options):
        self.machine, self.options = machine, options
        self.ledger = Ledger()
        self.devices = [Devices(number, machine, self.ledger, RATE, options.seed) for number in range(THREADS)]
        self.reports = [Reports(number, machine, self.ledger, options.seed) for number in range(2)]
        self.counts, self.verdict, self.copies = collections.Counter(), None, None
        self.unverified = []
        self.begun = time.monotonic()

    def say(self, text):
        # In one piece, since lanes say things at once.
        print(f"{time.monotonic() - self.begun:7.1f} s  {text}\n", end="", flush=True)

    def run(self):
        self.machine.start(lambda what: self.say(f"starting {what}"))
        for one in [*self.devices, *self.reports]:
            one.start()
        seconds = self.options.minutes * 60
        rounds = max(1, round(seconds / ROUND))
        for number in range(rounds):
            self.say(f"round {number + 1} of {rounds}")
            for device in self.devices:
                device.resume.set()
            faults = Faults(self.machine, self.ledger, f"{self.options.seed}-{number}", self.say)
            faults.run(seconds / rounds, seconds / rounds * QUIET)
            self.counts += faults.counts
            self.settle()
            self.audit()
        for one in self.reports:
            one.ending.set()
        for one in self.reports:
            one.join()
        return self.summary()

    def settle(self):
        """Until all is well, devices have an answer to everything, and everything is handed over."""
        self.say("everything runs again")
        self.machine.heal()
        for device in self.devices:
            device.pause()
        for device in self.devices:
            if not device.drained.wait(120):
                raise Failure("devices get no answers, though everything runs")
        moment = now()
        if not self.machine.until(lambda: self.machine.are_done(moment), 180):
            raise Failure("nodes have not handed over everything after 180 s in which everything runs")

    def audit(self):
        """The ledger beside what a report says that there is, and what there is without FINAL."""
        for node in self.machine.nodes:
            try:
                node.sojourn("verify", "--engine")
            except Failure as failure:
                self.unverified.append(f"{node.name}: {failure}")
        batches = self.ledger.all()
        self.verdict = compare(batches, self.exported())
        self.copies = compare(batches, self.rows(""))
        straight = compare(batches, self.rows("FINAL"))
        if straight != self.verdict:
            self.ledger.is_wrong(f"the tables have {straight}, and the export {self.verdict}")
        for line in self.verdict.lines:
            print(f"WRONG: {line}", flush=True)
        self.say(f"{numbers(self.verdict)}; without FINAL: {self.copies.doubled} doubled")

    def exported(self):
        first, last = days()
        node = random.choice(self.machine.nodes)
        status, _, body = node.ask(f"/report/export?app={APP}&from={first}&to={last}", self.machine.token)
        if status != 200:
            raise Failure(f"{node.name} answers {status} to export, though everything runs: {body[:200]!r}")
        return export(body)

    def rows(self, final):
        for engine in self.machine.servers:
            for line in self.machine.query(engine, ROWS.format(final=final)).splitlines():
                name, index, arrived = line.split("\t")
                yield name, int(index), int(arrived)

    def summary(self):
        ledger, outcomes, asked = self.ledger, self.ledger.outcomes, Reports.counts
        attempts = sum(outcomes.values())
        batches = [batch for batch in ledger.all() if batch.attempts]
        answered = sum(1 for batch in batches if batch.answered is not None)
        print(f"\nfaults: {sum(self.counts.values())}")
        for kind, count in sorted(self.counts.items()):
            print(f"  {count:6} {kind}")
        pieces = collections.Counter()
        for link in self.machine.links:
            pieces += link.counts
        print("between nodes and engines: " + ", ".join(
            f"{pieces[kind]} {what}" for kind, what in
            [("drop", "answers dropped"), ("cut", "requests cut"), ("slow", "pieces held")]))
        print(f"devices: {len(batches)} batches in {attempts} attempts, {outcomes['lost']} answers lost, "
              f"{sum(1 for batch in batches if batch.attempts > 1)} batches repeated, "
              f"{len(batches) - answered} never answered 200, of which {self.verdict.silent} are in the engine")
        print("answers: " + ", ".join(f"{count} of {status}" for status, count in sorted(
            outcomes.items(), key=str) if status != "lost"))
        print(f"reports: {asked[200]} of 200, {asked['complete']} of them with Sojourn-Complete-To, at most "
              f"{Reports.lag / 1000:.1f} s ago, {asked['in doubt']} while an engine was rolled back; "
              f"{asked[503]} of 503; {asked[0]} without an answer")
        print(f"without FINAL: {self.copies.doubled} doubled")
        for text in self.unverified:
            print(f"verify --engine: {text}")
        print(f"wrong answers: {len(ledger.wrong)}")
        print(numbers(self.verdict))
        if not self.copies.doubled:
            print("nothing was in the engine twice, so this has shown nothing", file=sys.stderr)
        return 0 if (self.verdict.is_right and self.verdict.answered and self.copies.doubled
                     and not ledger.wrong and not self.unverified) else 1


def numbers(verdict):
    more = "".join(f", {count} {what}" for count, what in [
        (verdict.half, "in part"), (verdict.unknown, "of nobody"), (verdict.late, "as of a later arrival")] if count)
    return (f"{verdict.answered} batches answered 200, {verdict.events} events; "
            f"lost {verdict.lost}, doubled {verdict.doubled}{more}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int)
    options = parser.parse_args()
    options.seed = int(time.time()) if options.seed is None else options.seed
    print(f"seed {options.seed}, {options.minutes:g} minutes", flush=True)
    return with_machine(lambda machine: Chaos(machine, options).run(), lambda: Cluster(options.seed))


if __name__ == "__main__":
    sys.exit(main())
