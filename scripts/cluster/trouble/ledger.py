"""What devices sent and were told, and whether what the engine holds is that."""
import collections
import dataclasses
import threading
import time


def now():
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


@dataclasses.dataclass
class Batch:
    name: str
    device: str
    events: int
    # What its counters are called: batches of a while have one.
    window: str
    made: int
    # When it was first sent, and when a device first had a 200 for it.
    sent: int | None = None
    answered: int | None = None
    # By whom.
    node: str | None = None
    attempts: int = 0

    def token(self, index):
        return f"{self.name}#{index}"


class Ledger:
    """Batch by batch. What is asked of it while devices go on is as of one moment."""

    def __init__(self):
        self.batches, self.lock = {}, threading.Lock()
        # What came of attempts: 200, other statuses, "lost" without an answer.
        self.outcomes = collections.Counter()
        # What a node should never have said.
        self.wrong = []

    def add(self, batch):
        with self.lock:
            self.batches[batch.name] = batch

    def sending(self, batch):
        with self.lock:
            batch.attempts += 1
            batch.sent = batch.sent or now()

    def outcome(self, what, batch=None, node=None):
        with self.lock:
            self.outcomes[what] += 1
            if batch is not None and what == 200 and batch.answered is None:
                batch.answered, batch.node = now(), node

    def is_wrong(self, text):
        with self.lock:
            self.wrong.append(text)
            if len(self.wrong) > 20:
                return
        print(f"WRONG: {text}\n", end="", flush=True)

    def all(self):
        with self.lock:
            return [dataclasses.replace(batch) for batch in self.batches.values()]

    def windows(self, to):
        """By window: events of batches that were answered before a moment, and of all that were ever sent."""
        sums = collections.defaultdict(lambda: [0, 0])
        for batch in self.all():
            if batch.sent is not None:
                sums[batch.window][1] += batch.events
                if batch.answered is not None and to is not None and batch.answered < to:
                    sums[batch.window][0] += batch.events
        return sums


@dataclasses.dataclass
class Verdict:
    """In events, with a line for each of some that are wrong."""
    answered: int = 0
    events: int = 0
    lost: int = 0
    doubled: int = 0
    # Of batches of which some events are there and some are not.
    half: int = 0
    unknown: int = 0
    # Batches that are there as of a later arrival than the one that was answered first.
    late: int = 0
    # Batches that nobody had a 200 for, and that are there.
    silent: int = 0
    lines: list = dataclasses.field(default_factory=list)

    @property
    def is_right(self):
        return not (self.lost or self.doubled or self.half or self.unknown or self.late)

    def note(self, text):
        if len(self.lines) < 20:
            self.lines.append(text)


def compare(batches, found):
    """batches: the ledger's. found: batch, index and moment of arrival of each event that is there."""
    verdict, known = Verdict(), {batch.name: batch for batch in batches}
    times, arrival = collections.Counter(), {}
    for name, index, arrived in found:
        times[name, index] += 1
        arrival[name] = max(arrival.get(name, 0), arrived)
        if name not in known or not 0 <= index < known[name].events:
            verdict.unknown += 1
            verdict.note(f"nobody sent event {index} of {name}")
    for batch in batches:
        counts = [times[batch.name, index] for index in range(batch.events)]
        there = sum(1 for count in counts if count)
        more = sum(counts) - there
        if more:
            verdict.doubled += more
            verdict.note(f"{batch} is there {max(counts)} times")
        if 0 < there < batch.events:
            verdict.half += 1
            verdict.note(f"{batch} has {there} events there")
        if batch.answered is None:
            verdict.silent += there > 0
            continue
        verdict.answered += 1
        verdict.events += batch.events
        verdict.lost += batch.events - there
        if there == 0:
            verdict.note(f"{batch} is not there")
        elif arrival[batch.name] > batch.answered:
            verdict.late += 1
            verdict.note(f"{batch} arrived at {arrival[batch.name]}, it says")
    return verdict
