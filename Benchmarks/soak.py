#!/usr/bin/env python3
"""Whether memory stays as it is over a long time at full load, and the rate with it.

    Benchmarks/soak.py --native FOLDER [--seconds 3600] [--page FILE] PROGRAM

Two load generators post the same batches to one app after the other. At the end the server is started
anew, and a report counts every app's events. Exits 1 if an event is missing, or if memory grew by more
than a tenth from the second third of the time to the last. `make soak` brings what this needs.
"""

import argparse
import concurrent.futures
import itertools
import os
import shutil
import sys
import tempfile
import typing

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from kit import machine, page  # noqa: E402
from kit.asker import Asker  # noqa: E402
from kit.native import Native  # noqa: E402
from kit.server import Server, database_bytes, fail  # noqa: E402
from kit.stream import Stream  # noqa: E402

PLACE = "soak"
BATCHES, EVENTS, DEVICES = 400_000, 50, 100_000  # that one app gets
INTERVAL = 5  # seconds between two samples
LINE_EACH = 24  # samples
ROWS = 12
MOST_GROWTH = 1.1
MIB, GIB = 1 << 20, 1 << 30
EACH_SECOND = 20 << 20  # octets of database, at some 450,000 events a second
# What two generators may still post to their apps once they are told to stop, twice.
LEAST_FREE = 4 * GIB


class Sample(typing.NamedTuple):
    when: float  # seconds since the begin
    cpu: float  # seconds
    peak: int  # octets of memory, since the sample before
    anonymous: int
    log: int
    database: int

    def line(self):
        return (
            f"{self.when:,.0f} s: {self.peak / MIB:.0f} MiB, anonymous {self.anonymous / MIB:.0f}; "
            f"log {self.log / MIB:.1f} MiB; database {self.database / GIB:.1f} GiB; "
            f"{self.cpu:,.0f} s of CPU"
        )


class Soak:
    def __init__(self, given, folder):
        self.seconds, self.folder, self.native = given.seconds, folder, Native(given.native)
        self.pool = os.path.join(folder, "batches.pool")
        # What is counted in the end is not in memory any more, and the disk still writes.
        self.server = Server(
            given.program, os.path.join(folder, "server", "data"), ["--report-timeout", "10m"]
        )
        self.samples = []
        self.stream = Stream(self.server, self.native, self.pool, given.seconds)
        self.is_short = False

    def prepare(self):
        need = LEAST_FREE + self.seconds * EACH_SECOND
        if shutil.disk_usage(self.folder).free < need:
            fail(f"{need / GIB:.0f} GiB of disk have to be free below {self.folder}")
        print(f"writing {BATCHES:,} batches", flush=True)
        os.makedirs(os.path.dirname(self.server.data))
        self.native.write_pool(self.pool, batches=BATCHES, events=EVENTS, devices=DEVICES)
        self.token = self.server.report_token()

    def now(self):
        return self.stream.now()

    def sample(self):
        self.server.check()
        memory = machine.process_memory(self.server.pid)
        log = os.path.join(self.server.data, "sojourn.db-wal")
        self.samples.append(
            Sample(
                self.now(), machine.process_seconds(self.server.pid), *memory,
                os.path.getsize(log), database_bytes(self.server.data),
            )  # fmt: skip
        )
        if len(self.samples) % LINE_EACH == 1:
            print(self.samples[-1].line(), flush=True)
        if self.now() < self.stream.end and shutil.disk_usage(self.folder).free < LEAST_FREE:
            self.is_short, self.stream.end = True, self.now()

    def post(self):
        """Has the generators post until the time is over, and takes samples meanwhile."""
        with concurrent.futures.ThreadPoolExecutor() as threads:
            working = self.stream.start(threads)
            try:
                while working:
                    self.sample()
                    done, working = concurrent.futures.wait(
                        working, INTERVAL, concurrent.futures.FIRST_EXCEPTION
                    )
                    for one in done:
                        one.result()
            finally:
                self.stream.end = 0.0  # the other ends with the app it is at

    def rows(self):
        """One for each twelfth of the time; each begins with the sample at which the one before ended."""
        steps = len(self.samples) - 1
        edges = [steps * number // ROWS for number in range(ROWS + 1)]
        for begin, end in itertools.pairwise(edges):
            samples = self.samples[begin : end + 1]
            first, last = samples[0], samples[-1]
            events = self.stream.events_between(first.when, last.when)
            yield [
                f"{first.when / 60:.1f} to {last.when / 60:.1f}",
                page.number(events / (last.when - first.when)),
                page.number((last.cpu - first.cpu) * 1e6 / events, 2),
                page.number(max(sample.peak for sample in samples) / MIB),
                page.number(max(sample.anonymous for sample in samples) / MIB),
                page.number(max(sample.log for sample in samples) / MIB, 1),
                page.number(last.database / GIB, 1),
            ]

    def growth(self):
        """The most memory of the last third of the samples, by that of the second."""
        third = len(self.samples) // 3
        peaks = [sample.peak for sample in self.samples]
        return max(peaks[2 * third :]) / max(peaks[third : 2 * third])

    def verify(self):
        """Counts what is stored; returns the seconds until a fresh server was ready."""
        ready = self.server.start()
        for one in self.stream.runs:
            rows = Asker(self.server, self.token, one.app).ask("events", [])[1]
            stored = sum(row["events"] for row in rows)
            if stored != one.events:
                fail(f"{one.app} was told that it has {one.events:,} events; it has {stored:,}")
        self.server.stop()
        return ready

    def run(self):
        """The table, and what is to be said about it."""
        self.prepare()
        with self.server as server:
            watch = machine.Contention(server.pid)
            self.post()
            others = watch.cores()
        if len(self.samples) < 3 * ROWS:
            fail(f"no more than {LEAST_FREE // GIB} GiB of disk were left below {self.folder}")
        ready, growth = self.verify(), self.growth()
        head = ["minutes", "events/s", "CPU µs/event", "peak MiB", "anonymous MiB"]
        table = page.table([*head, "log MiB", "database and log GiB"], list(self.rows()))
        total = sum(one.events for one in self.stream.runs)
        text = (
            f"{total:,} events in {len(self.stream.runs)} apps, each counted by a report after a restart that "
            f"took {ready * 1000:,.0f} ms. Most memory of the last third of "
            f"the time, by that of the second: **{growth:.2f}**. "
            f"Others took {others:.2f} cores{machine.warning(others)}."
        )
        if self.is_short:
            text += f" **It ended early, with less than {LEAST_FREE // GIB} GiB of disk free.**"
        return table, text, growth


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--native", required=True, help="folder of the built C programs")
    parser.add_argument("--seconds", type=float, default=3600, help="at least 300")
    parser.add_argument("--page", help="the page whose table is replaced")
    given = parser.parse_args()
    if given.seconds < 300:
        parser.error("--seconds: nothing is told by less than 300")
    return given


def main():
    given = arguments()
    if given.page:
        page.parts(given.page, PLACE)
    # Not /tmp, which may be memory: syncs have to cost what they cost.
    folder = tempfile.mkdtemp(prefix="soak-", dir=os.path.dirname(os.path.abspath(given.native)))
    soak = Soak(given, folder)
    try:
        table, text, growth = soak.run()
    except BaseException:
        soak.server.kill()
        print(f"what there is stays in {folder} until you remove it", file=sys.stderr)
        raise
    whole = "\n\n".join([f"{page.heading(given.program)}.", table, text])
    print(whole)
    shutil.rmtree(folder)
    if growth > MOST_GROWTH:
        fail(f"memory grew by {growth:.2f} from the second third of the time to the last")
    if given.page:
        page.replace(given.page, PLACE, whole)
        print(f"written to {given.page}")


if __name__ == "__main__":
    main()
