"""Posting without end: load generators that go from one app to the next."""

import itertools
import time
import typing

from .server import fail

CONNECTIONS = 32  # of each generator
GENERATORS = 2
FIRST = 20  # seconds that the second generator gives its first app, so that they never pause together


class Run(typing.NamedTuple):
    """One app's batches."""

    app: str
    begun: float
    ended: float
    events: int

    def events_between(self, first, last):
        """How many were answered then, by its mean rate."""
        share = max(0.0, min(self.ended, last) - max(self.begun, first))
        return self.events * share / (self.ended - self.begun)


class Stream:
    """Posts the batches of a pool to one app after the other."""

    def __init__(self, server, native, pool, seconds):
        self.server, self.native, self.pool, self.seconds = server, native, pool, seconds
        self.runs, self.numbers = [], itertools.count(1)
        self.begin, self.end = 0.0, seconds
        self.made = 0

    def make_apps(self, count):
        """Makes the first apps before the start, where none can be made later."""
        for number in range(1, count + 1):
            self.server.make_app(f"app{number}")
        self.made = count

    def now(self):
        """Seconds since the begin."""
        return time.monotonic() - self.begin

    def start(self, threads):
        """Has the generators post until the time is over; returns their futures."""
        self.begin = time.monotonic()
        firsts = [self.seconds, *[FIRST] * (GENERATORS - 1)]
        return {threads.submit(self._generate, first) for first in firsts}

    def _generate(self, first):
        """Posts to one app after the other until the time is over; to the first for `first` seconds."""
        while (left := self.end - self.now()) > 1:
            number = next(self.numbers)
            app = f"app{number}"
            if number > self.made:
                self.server.make_app(app)
            told = self.native.load(
                self.server, app, pool=self.pool, connections=CONNECTIONS, seconds=min(left, first)
            )
            if told["wrong"] or told["duplicates"] or not told["events"]:
                fail(f"not every batch was stored: {told}")
            ended = self.now()
            self.runs.append(Run(app, ended - told["seconds"], ended, told["events"]))
            first = self.seconds

    def events_between(self, first, last):
        """How many were answered then, over all apps."""
        return sum(run.events_between(first, last) for run in self.runs)
