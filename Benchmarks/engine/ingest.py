"""What handing over costs a node that takes batches at full speed, with a sink in the engine's place."""
import concurrent.futures
import os
import shutil
import statistics
import time

from ingest import APP, Bench
from kit import machine, page
from kit.server import database_bytes, fail
from kit.stream import Stream

from .nodes import Engine, Node, fresh

MIB, GIB = 1 << 20, 1 << 30
POOL = 400_000  # batches that one app gets of a stream
APPS_A_MINUTE = 4
# What has to hold.
LEAST_RATE, MOST_CPU, MOST_LAG, LEAST_PACE = 0.8, 1.25, 10.0, 2.0
DRAIN = 1800  # seconds at most
WAYS = {"alone": "without `forward-to`", "handing": "handing over to the sink", "away": "the engine away"}


class Sample:
    """What a node is at: seconds since the begin, batches handed over and waiting, lag, memory and CPU."""

    def __init__(self, node, when):
        found = node.metrics()
        self.when = when
        self.batches = found["sojourn_forward_batches_total"]
        self.waiting = found["sojourn_forward_waiting_batches"]
        self.lag = found["sojourn_forward_lag_seconds"]
        self.memory, _ = machine.process_memory(node.pid)
        self.cpu = machine.process_seconds(node.pid)


class HandingOver(Bench):
    """Nodes with and without an engine in its place."""

    def __init__(self, given, folder):
        super().__init__(given, folder)
        self.engine = self.node = None
        self.rounds = {way: [] for way in WAYS}
        self.pool = os.path.join(folder, "batches.pool")
        self.complaints = []

    def begin(self, is_handing=True):
        """A fresh node, and a fresh engine with a sink before it."""
        data = self.fresh_data()
        if is_handing:
            self.engine = Engine(fresh(os.path.join(self.folder, "engine")), "18.16", swallows=True).start()
        self.node = Node(self.given.program, data, self.engine)
        if is_handing:
            self.node.make_tables()
        self.node.make_app(APP)
        self.node.start()
        return self.node

    def finish(self):
        """Ends them, and removes what they had."""
        self.node.stop()
        self.remove(self.node)
        self.end()

    def end(self):
        if self.node is not None:
            self.node.kill()
        if self.engine is not None:
            self.engine.end()
        self.node = self.engine = None
        super().end()

    def round(self, way, seed):
        """One of the ways in which a node takes what one generator posts."""
        node = self.begin(way != "alone")
        if way == "away":
            self.engine.stop_sink()
        pids = [node.pid] + (self.engine.pids if self.engine else [])
        watch, used, begun = machine.Contention(*pids), machine.process_seconds(node.pid), time.monotonic()
        sink = machine.process_seconds(self.engine.sink.process.pid) if way == "handing" else 0
        told = self.load(node, self.given.seconds, seed=seed)
        others = watch.cores()
        told["backlog"] = node.waiting() if way == "handing" else 0
        if way == "handing":
            told["after"] = node.hand_over(DRAIN)
            told["sink"] = machine.process_seconds(self.engine.sink.process.pid) - sink
        if way != "away":  # that would do nothing but try
            node.settle()
        # All CPU until the work is done, that of the batches before the clock included.
        events = told["events"] + 300 * 50
        told["whole_cpu_us"] = (machine.process_seconds(node.pid) - used) * 1e6 / events
        told["others"] = others
        print(f"{WAYS[way]}: {told['events_per_s']:,} events/s, {told['server_cpu_us']:.2f} µs an event, "
              f"{told['whole_cpu_us']:.2f} until all was done; others {others:.2f} cores; {told['backlog']:,.0f} "
              f"batches waited at the end ({time.monotonic() - begun:.0f} s)", flush=True)
        self.finish()
        self.rounds[way].append(told)

    def in_turn(self):
        """The rounds' table, and what they come to."""
        for number in range(self.given.rounds):
            for way in WAYS:
                self.round(way, number + 1)
        rows = []
        for way, name in WAYS.items():
            told = self.rounds[way]
            figures = [("events_per_s", 0), ("server_cpu_us", 2), ("whole_cpu_us", 2), ("p50_ms", 1), ("p99_ms", 1)]
            rows.append([name, *page.medians(told, figures),
                         page.number(statistics.median(one["server_peak_kib"] for one in told) / 1024)])
        head = ["64 connections, 50 events a batch", "events/s", "CPU µs/event", "until all is done", "p50 ms", "p99 ms"]
        rate = self.ratios("handing", "events_per_s")
        cpu = self.ratios("handing", "whole_cpu_us")
        away = self.ratios("away", "events_per_s")
        self.judge("events/s while handing over ÷ without", rate, rate >= LEAST_RATE)
        self.judge("CPU an event while handing over ÷ without", cpu, cpu < MOST_CPU)
        self.judge("events/s with the engine away ÷ without", away, away >= LEAST_RATE)
        sink = statistics.median(one["sink"] * 1e6 / one["events"] for one in self.rounds["handing"])
        text = (f"Median of {self.given.rounds} rounds in turn: events/s while handing over ÷ without **{rate:.2f}** "
                f"(at least {LEAST_RATE}), with the engine away ÷ without **{away:.2f}**; CPU an event until all is "
                f"handed over ÷ without **{cpu:.2f}** (below {MOST_CPU}). The sink took {sink:.2f} µs an event.")
        return page.table([*head, "peak MiB"], rows) + "\n\n" + text

    def ratios(self, way, name):
        """The median over rounds of a way's figure ÷ that of a node alone."""
        return statistics.median(one[name] / alone[name]
                                 for one, alone in zip(self.rounds[way], self.rounds["alone"]))

    def judge(self, what, value, is_right):
        print(f"{what}: {value:.2f}{'' if is_right else ' (NOT AS IT HAS TO BE)'}", flush=True)
        if not is_right:
            self.complaints.append(f"{what}: {value:.2f}")

    def stream(self, seconds):
        """Batches for a while, with all apps made."""
        if not os.path.exists(self.pool):
            self.native.write_pool(self.pool, batches=POOL, events=50, devices=100_000)
        stream = Stream(self.node, self.native, self.pool, seconds)
        stream.make_apps(int(seconds / 60 * APPS_A_MINUTE) + 4)
        return stream

    def watched(self, stream, at=lambda when: None):
        """Samples of each second while a stream is posted; `at` is called with the seconds before each."""
        samples = []
        with concurrent.futures.ThreadPoolExecutor() as threads:
            working = stream.start(threads)
            try:
                while working:
                    at(stream.now())
                    samples.append(Sample(self.node, stream.now()))
                    done, working = concurrent.futures.wait(working, 1, concurrent.futures.FIRST_EXCEPTION)
                    for one in done:
                        one.result()
            finally:
                stream.end = 0.0
        return samples

    def keeping_up(self):
        """Minutes at full speed: how far the hand-over lags."""
        node = self.begin()
        stream = self.stream(self.given.long)
        watch, sink = machine.Contention(node.pid, *self.engine.pids), self.engine.sink.process.pid
        used = [machine.process_seconds(pid) for pid in (sink, self.engine.server.process.pid)]
        samples = self.watched(stream)
        others, last = watch.cores(), samples[-1]
        used = [machine.process_seconds(pid) - before
                for pid, before in zip((sink, self.engine.server.process.pid), used)]
        events = sum(run.events for run in stream.runs)
        size, rows = database_bytes(node.data), self.engine.counted()["row_bytes"]
        self.finish()
        worst = max(sample.lag for sample in samples)
        self.judge("lag in seconds at the end", last.lag, last.lag < MOST_LAG)
        lags = [page.number(max(s.lag for s in samples if low <= s.when < low + self.given.long / 5), 1)
                for low in (self.given.long / 5 * fifth for fifth in range(5))]
        return (f"**{self.given.long:,.0f} s at full speed**, two generators with 32 connections each: {events:,} events, "
                f"{events / last.when:,.0f} a second, {size / GIB:.1f} GiB of database. The lag was {last.lag:.1f} s at "
                f"the end (below {MOST_LAG:.0f}), {worst:.1f} s at most (by fifths of the time: {', '.join(lags)}); "
                f"{last.waiting:,.0f} batches waited at the end. The node had at most "
                f"{max(s.memory for s in samples) / MIB:.0f} MiB. {rows / events:.0f} bytes of rows an event went to the "
                f"sink, which took {used[0] / last.when:.2f} cores; the engine after it {used[1] / last.when:.2f}. "
                f"Others took {others:.2f}{machine.warning(others)}.")

    def drain(self):
        """Waits until nothing waits; returns samples from the first unit on."""
        samples, begun = [], time.monotonic()
        start = Sample(self.node, 0)
        while True:
            sample = Sample(self.node, time.monotonic() - begun)
            if sample.batches > start.batches:
                samples.append(sample)
                if sample.waiting == 0:
                    return samples
            else:
                start = sample
                samples = [sample]
            if sample.when > DRAIN:
                fail(f"{sample.waiting:,.0f} batches wait still {DRAIN} s after the engine is back")
            time.sleep(0.5)

    def away(self):
        """Minutes at full speed without the engine, and how the backlog goes when it is back."""
        node = self.begin()
        long = self.given.long
        stream = self.stream(long)
        self.engine.stop_sink()
        watch = machine.Contention(node.pid, self.engine.server.process.pid)
        samples = self.watched(stream)
        others, events, size = watch.cores(), sum(run.events for run in stream.runs), database_bytes(node.data)
        came, rate = samples[-1].waiting / samples[-1].when, events / samples[-1].when
        memory = max(s.memory for s in samples)
        print(f"away for {samples[-1].when:.0f} s: {rate:,.0f} events/s, {samples[-1].waiting:,.0f} batches wait", flush=True)
        self.engine.start_sink()
        began = time.monotonic()
        samples = self.drain()
        first, last = samples[0], samples[-1]
        goes = (first.waiting - last.waiting) / (last.when - first.when)
        node.settle()
        quiet = (f"With the engine back and devices quiet the first unit went after at most {first.when:.0f} s, and "
                 f"{first.waiting:,.0f} batches within {last.when - first.when:.0f} s more: "
                 f"**{goes / came:.1f}** times as fast as they came (at least {LEAST_PACE:.0f}). The node had at most "
                 f"{max(s.memory for s in samples) / MIB:.0f} MiB meanwhile, {memory / MIB:.0f} before.")
        print(f"{quiet} ({time.monotonic() - began:.0f} s)", flush=True)
        self.judge("pace of the backlog ÷ pace at which it came", goes / came, goes / came >= LEAST_PACE)
        beside = self.beside()
        self.finish()
        return (f"**{long:,.0f} s at full speed with the engine away**: {events:,} events, {rate:,.0f} a second, "
                f"{size / GIB:.1f} GiB of database; an hour of that would be "
                f"{size / GIB * 3600 / long:.0f}. Others took {others:.2f} cores{machine.warning(others)}. {quiet} {beside}")

    def beside(self):
        """The same while batches go on to come at full speed: away for a third of the time, back for the rest."""
        away = self.given.long / 5
        stream = Stream(self.node, self.native, self.pool, 3 * away)
        stream.numbers = iter(range(1001, 2000))
        stream.made = 1000 + int(3 * away / 60 * APPS_A_MINUTE) + 4
        for number in range(1001, stream.made + 1):
            self.node.make_app(f"app{number}")
        self.engine.stop_sink()
        back = []

        def at(when):
            if when >= away and not back:
                self.engine.start_sink()
                back.append(when)

        samples = self.watched(stream, at)
        before = [s for s in samples if s.when < back[0]]
        after = [s for s in samples if s.when >= back[0] and s.batches > before[-1].batches]
        if len(after) < 5:
            return "Beside full ingest nothing was handed over in time."
        first, last = after[0], after[-1]
        seconds = last.when - first.when
        handed = (last.batches - first.batches) / seconds
        came = handed + (last.waiting - first.waiting) / seconds
        return (f"Beside full ingest, after {back[0]:.0f} s without the engine, {handed:,.0f} batches a second were handed "
                f"over while {came:,.0f} came: **{handed / came:.2f}**; of {first.waiting:,.0f} that waited "
                f"{last.waiting:,.0f} were left {seconds:.0f} s later.")

    def text(self):
        """All of it, for the page."""
        parts = [self.in_turn(), self.keeping_up(), self.away()]
        others = [one["others"] for told in self.rounds.values() for one in told]
        note = (f"In the rounds others took {statistics.median(others):.2f} cores in the median, {max(others):.2f} in "
                f"the worst{machine.warning(max(others))}.")
        shutil.rmtree(os.path.join(self.folder, "engine"), ignore_errors=True)
        return "\n\n".join([*parts[:1], note, *parts[1:]])
