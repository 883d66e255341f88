#!/usr/bin/env python3
"""How fast sealed batches come in, beside this machine's practical limit; small ones; and OTLP beside plain.

    Benchmarks/ingest.py --native FOLDER [--stages PROGRAM] [--only sealed|small|otlp] [--rounds 5]
        [--seconds 8] [--page FILE] [--peer NAME=PROGRAM]… [--before PROGRAM] PROGRAM

Everything happens on 127.0.0.1, on servers and databases made for it. Exits 1 if any batch was not
answered as it should be. `make bench` brings what this needs.
"""

import argparse
import collections
import json
import os
import shutil
import statistics
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from kit import machine, otlp, page, small  # noqa: E402
from kit.native import Native  # noqa: E402
from kit.peer import Peer  # noqa: E402
from kit.server import SECRET, Server, fail, run  # noqa: E402

APP = "shop"
PLACES = {"sealed": "bench", "small": "bench-small", "otlp": "bench-otlp"}
# Requests a second that no run is thought to exceed: so many are made for each second.
MOST = {1: 100_000, 10: 60_000, 50: 20_000, 500: 3_000}
SWEEP = [(1, 50), (8, 50), (64, 50), (256, 50), (1000, 50), (64, 1), (64, 10), (64, 500)]
LIMIT_BATCHES = 12_000
STAGES = {
    "http": "`HTTP1`: head, body, answer",
    "open": "`Sealing`: AES-128-GCM",
    "inflate": "`Compression`: gzip",
    "judge": "`JSON`, `Ingest`: scan and judge",
    "hash": "`Ingest`: the device's hash",
    "accept": "`Ingest`: from open to hash, whole",
    "write": "`Storage`: to disk, 64 under way",
}


class Bench:
    """Fresh servers in a folder, and how busy others were while they worked."""

    def __init__(self, given, folder):
        self.given, self.folder, self.native = given, folder, Native(given.native)
        self.app, self.count, self.others, self.servers = APP, 0, [], []

    def fresh_data(self):
        self.count += 1
        data = os.path.join(self.folder, f"server-{self.count}", "data")
        os.makedirs(os.path.dirname(data))
        return data

    def fresh_server(self, program=None):
        server = Server(program or self.given.program, self.fresh_data())
        server.make_app(APP)
        self.servers.append(server)
        return server

    def end(self):
        """None goes on when the benchmark ends, for whatever reason."""
        for server in self.servers:
            server.kill()

    def remove(self, server):
        shutil.rmtree(os.path.dirname(server.data))

    def load(self, server, seconds, events=50, connections=64, seed=1, rate=0, **more):
        """What `load` says of posting for so long; at a rate all is posted, however long it takes."""
        options = {
            "batches": int((rate or MOST[events]) * seconds), "warmup": 300, "events": events,
            "connections": connections, "seconds": 0 if rate else seconds, "rate": rate,
            "seed": seed, **more,
        }  # fmt: skip
        told = self.native.load(server, APP, **options)
        if told["wrong"] or told["duplicates"]:
            fail(f"not every batch was stored: {told}")
        self.others.append(told["other_cores"])
        return told

    def fresh_load(self, seconds, server=None, **options):
        server = server or self.fresh_server()
        with server:
            told = self.load(server, seconds, **options)
        self.remove(server)
        return told

    def before_load(self, seconds, **options):
        return self.fresh_load(seconds, server=self.fresh_server(self.given.before), **options)

    def peer_load(self, peer, seconds, **options):
        server = Peer(peer.program, self.fresh_data(), APP)
        self.servers.append(server)
        return self.fresh_load(seconds, server=server, **options)


def beside_limit(bench, requests):
    """Server, limit and peers in turn, so that both figures of a ratio come from the same minute.

    Returns a table, a sentence, the requests a second, and what the limit said.
    """
    limits, servers, empty, filled = [], [], [], []
    peers = {peer.name: [] for peer in bench.given.peer}
    for number in range(bench.given.rounds):
        limit = bench.native.limit(requests, APP, bench.folder)
        server = bench.fresh_server()
        empty.append(server.start() * 1000)
        told = bench.load(server, bench.given.seconds, seed=number + 1)
        filled.append(server.restart() * 1000)
        server.stop()
        bench.remove(server)
        limits.append(limit)
        servers.append(told)
        print(
            f"round {number + 1}: {told['events_per_s']:,} events/s at {told['server_cpu_us']:.2f} "
            f"µs; limit {limit['events_per_s']:,} at {limit['cpu_us']:.2f} µs; "
            f"others {told['other_cores']:.2f} cores",
            flush=True,
        )
        for peer in bench.given.peer:
            told = bench.peer_load(peer, bench.given.seconds, seed=number + 1)
            peers[peer.name].append(told)
            print(
                f"  {peer.name} {told['events_per_s']:,} at {told['server_cpu_us']:.2f} µs", flush=True
            )
    ours = [
        ("events_per_s", 0), ("server_cpu_us", 2), ("p50_ms", 1), ("p99_ms", 1), ("p999_ms", 1),
    ]  # fmt: skip

    def over_http(name, runs):
        peak = statistics.median(told["server_peak_kib"] for told in runs) / 1024
        return [name, *page.medians(runs, ours), page.number(peak)]

    theirs = page.medians(limits, [("events_per_s", 0), ("cpu_us", 2)])
    rows = [
        over_http("server, over HTTP", servers),
        ["practical limit, one thread, no network", *theirs, "–", "–", "–", "–"],
    ]
    for name, runs in peers.items():
        rows.append(over_http(f"{name}, over HTTP, without sessions and reports", runs))
    head = ["64 connections, 50 events a batch", "events/s", "CPU µs/event", "p50 ms", "p99 ms"]
    cpu = [told["server_cpu_us"] for told in servers]
    ratios = [page.compared("server ÷ limit", cpu, [told["cpu_us"] for told in limits])]
    for name, runs in peers.items():
        ratios.append(page.compared(f"{name} ÷ server", [told["server_cpu_us"] for told in runs], cpu))
    rates = [ours["events_per_s"] / one["events_per_s"] for ours, one in zip(servers, limits)]
    ratios.append(f"Rate, server ÷ limit: **{statistics.median(rates):.2f}**.")
    events = statistics.median(told["events"] for told in servers)
    text = (
        f"{' '.join(ratios)} Ready {statistics.median(empty):,.0f} ms after the start without data, "
        f"{statistics.median(filled):,.0f} ms with {events:,.0f} events."
    )
    most = statistics.median(told["requests_per_s"] for told in servers)
    return page.table([*head, "p99.9 ms", "peak MiB"], rows), text, most, limits


def sweep(bench):
    rows = []
    figures = [
        ("requests_per_s", 0), ("events_per_s", 0), ("server_cpu_us", 2), ("p50_ms", 2),
        ("p99_ms", 1), ("p999_ms", 1),
    ]  # fmt: skip
    for connections, events in SWEEP:
        seconds = max(2, bench.given.seconds / 2)
        told = bench.fresh_load(seconds, events=events, connections=connections)
        peak = page.number(told["server_peak_kib"] / 1024)
        rows.append([str(connections), str(events), *page.medians([told], figures), peak])
        print("  ".join(rows[-1]), flush=True)
    head = ["connections", "events a batch", "requests/s", "events/s", "CPU µs/event", "p50 ms"]
    return page.table([*head, "p99 ms", "p99.9 ms", "peak MiB"], rows)


def open_loop(bench, most):
    """Latency at half of what the server can do, beside the disk's."""
    sync = machine.fsync_milliseconds(bench.folder)
    told = bench.fresh_load(bench.given.seconds, rate=round(most / 2))
    row = ["50 events a batch", *page.medians([told], [("requests_per_s", 0)])]
    row += [page.number(told[name], 2) for name in ("p50_ms", "p99_ms", "p999_ms")]
    row += [page.number(value, 2) for value in sync]
    print("  ".join(row), flush=True)
    head = ["open loop at half the most", "requests/s", "p50 ms", "p99 ms", "p99.9 ms"]
    return page.table([*head, "fdatasync p50 ms", "fdatasync p99 ms"], [row])


def stages(bench, requests, limits):
    folder = os.path.join(bench.folder, "stages")
    rounds = str(bench.given.rounds)
    told = run([bench.given.stages, requests, f"{APP}-key", SECRET, folder, rounds])
    rows = []
    for one in json.loads(told):
        name, ours = f"{one['stage']}_ns", one["cpu_ns"]
        row = [STAGES[one["stage"]], page.number(ours), "–", "–"]
        if name in limits[0]:
            limit = statistics.median(told[name] for told in limits)
            row[2:] = [page.number(limit), page.number(ours / limit, 1)]
        rows.append([*row, page.number(one["wall_ns"]), page.number(one["allocations"], 1)])
        print("  ".join(rows[-1]), flush=True)
    head = ["stage, 50 events a batch", "CPU ns/event", "limit", "ratio", "ns/event"]
    return page.table([*head, "allocations a batch"], rows)


def sealed(bench):
    """What the page says of sealed batches."""
    requests = os.path.join(bench.folder, "requests")
    bench.native.write_requests(requests, APP, batches=LIMIT_BATCHES)
    first, text, most, limits = beside_limit(bench, requests)
    parts = [first, text, open_loop(bench, most), sweep(bench), stages(bench, requests, limits)]
    return "\n\n".join(parts)


MEASURES = {"sealed": sealed, "small": small.measure, "otlp": otlp.measure}
PeerProgram = collections.namedtuple("PeerProgram", "name program")


def named(text):
    """NAME=PROGRAM."""
    return PeerProgram(*text.split("=", 1))


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--native", required=True, help="folder of the built C programs")
    parser.add_argument("--stages", help="the built program of that name, for sealed batches")
    parser.add_argument("--only", choices=list(PLACES), help="a part of it")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=8, help="of each round")
    parser.add_argument(
        "--peer", action="append", default=[], type=named, metavar="NAME=PROGRAM",
        help="a built program of Benchmarks/Peers, to be measured too",
    )  # fmt: skip
    parser.add_argument("--before", help="another build, which takes turns with this one")
    parser.add_argument("--page", help="the page whose tables are replaced")
    given = parser.parse_args()
    if given.only in (None, "sealed") and not given.stages:
        parser.error("--stages is needed for sealed batches")
    return given


def with_heading(bench, text):
    worst = max(bench.others)
    return (
        f"{page.heading(bench.given.program)}. Others took "
        f"{statistics.median(bench.others):.2f} cores in the median run, {worst:.2f} in the worst"
        f"{machine.warning(worst)}.\n\n{text}"
    )


def main():
    given = arguments()
    wanted = [given.only] if given.only else list(PLACES)
    if given.page:
        for name in wanted:
            page.parts(given.page, PLACES[name])
    # Not /tmp, which may be memory: syncs have to cost what they cost.
    folder = tempfile.mkdtemp(prefix="ingest-", dir=os.path.dirname(os.path.abspath(given.native)))
    bench = Bench(given, folder)
    try:
        for name in wanted:
            bench.others = []
            text = with_heading(bench, MEASURES[name](bench))
            if given.page:
                page.replace(given.page, PLACES[name], text)
                print(f"written to {given.page}")
            else:
                print(text)
    finally:
        bench.end()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
