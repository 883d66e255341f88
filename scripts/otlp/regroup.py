#!/usr/bin/env python3
"""Records that come again and again, each time in other company: make otlp-chaos.

    regroup.py [--records 1000000] [--devices 400] [--connections 16] [--kills 20] [--seed 1] PROGRAM

Each record is sent one to five times, in batches of random size, order and company, several devices to a request, in
both encodings, over many connections, while the server is killed again and again. In the end each has to be stored
once. Before that, on a server of its own and undisturbed, it measures what a request costs that comes for the first
time, again as it was, and again in other company. The last line says so; the exit code is 0 only if all holds.
Everything happens on 127.0.0.1.
"""

import argparse
import gzip
import http.client
import os
import random
import shutil
import sqlite3
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Benchmarks"))
from kit.server import Server  # noqa: E402
from wire import JSON, PROTOBUF, Device, Record, encode  # noqa: E402

APP, MOST = "shop", 5
# Of a device's records: how many, as a part, are sent wholly mixed in one of the times.
MIXED = 0.2


def population(options, now):
    """[(device, [record])]: all of them, with numbers that tell them apart."""
    devices, each = [], options.records // options.devices
    for d in range(options.devices):
        begin = now - 6 * 3600 * 10**9
        records = [
            Record("by.number", begin + i * 7_000_003 + d, [("d", d), ("i", i)], f"s-{d}-{i // 40}")
            for i in range(each)
        ]
        devices.append((Device(f"regroup-{options.seed}-{d}"), records))
    return devices


def groups(records, rng):
    """The records cut into batches of random size; mostly of neighbours, as a queue that is cut anew has them."""
    records = list(records)
    if rng.random() < MIXED:
        rng.shuffle(records)
    at = 0
    while at < len(records):
        size = rng.choice([1, 5, 20, 50, 50, 100])
        batch = records[at : at + size]
        at += size
        if rng.random() < 0.5:
            rng.shuffle(batch)
        yield batch


def plan(devices, rng):
    """All requests, in the order in which they are sent: a list of (device, records) each."""
    requests = []
    times = {device: [rng.randint(1, MOST) for _ in records] for device, records in devices}
    for number in range(1, MOST + 1):
        batches = []
        for device, records in devices:
            again = [r for r, n in zip(records, times[device]) if n >= number]
            batches += [(device, batch) for batch in groups(again, rng)]
        rng.shuffle(batches)
        at = 0
        while at < len(batches):
            size = rng.choice([1, 1, 1, 3, 10])
            requests.append(batches[at : at + size])
            at += size
    # The times overlap: a client that tries again does not wait for the others.
    window = max(1, len(requests) // 10)
    keyed = [(number + rng.random() * window, request) for number, request in enumerate(requests)]
    keyed.sort(key=lambda pair: pair[0])
    return [request for _, request in keyed]


def body(request, rng):
    kind = JSON if rng.random() < 0.1 else PROTOBUF
    return gzip.compress(encode(request, kind), 1), kind


class Poster:
    """A connection that posts until it is answered 200, to whatever server runs now."""

    def __init__(self, where):
        self.where, self.connection, self.port = where, None, None

    def post(self, octets, kind, stop):
        while not stop.is_set():
            try:
                if self.connection is None or self.port != self.where.port:
                    self.port = self.where.port
                    self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
                headers = {
                    "Content-Type": kind,
                    "Content-Encoding": "gzip",
                    "Authorization": "Bearer " + self.where.token,
                }
                self.connection.request("POST", "/v1/logs", octets, headers)
                answer = self.connection.getresponse()
                told = answer.read()
                if answer.status == 200 and told in (b"", b"{}"):
                    return
                if answer.status != 503:
                    raise SystemExit(f"answer {answer.status} {told[:300]!r}")
                time.sleep(0.05)
            except (OSError, http.client.HTTPException):
                self.connection = None
                time.sleep(0.02)


class Target:
    """A server that can be killed and started again."""

    def __init__(self, program, folder, name):
        os.makedirs(os.path.join(folder, name))
        self.server = Server(program, os.path.join(folder, name, "data"))
        self.server.command("app", "add", APP, "--allow-plain")
        self.token = self.server.command("token", "add", "--scope", "ingest", "--app", APP)["token"]
        self.server.start()

    @property
    def port(self):
        return self.server.port

    def restart(self):
        self.server.kill()
        self.server.start()

    def cpu(self):
        """Seconds."""
        with open(f"/proc/{self.server.process.pid}/stat") as stat:
            parts = stat.read().rsplit(")", 1)[1].split()
        return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")

    def count(self):
        """(events, different ones) on disk."""
        data = sqlite3.connect(f"file:{self.server.data}/sojourn.db?mode=ro", uri=True)
        try:
            return data.execute("SELECT count(*), count(DISTINCT attributes) FROM event").fetchone()
        finally:
            data.close()


def run(target, bodies, options, kills=0, seed=0):
    """Posts all over many connections; seconds it took."""
    lock, stop, at = threading.Lock(), threading.Event(), [0]
    failed = []

    def work():
        poster = Poster(target)
        try:
            while True:
                with lock:
                    number = at[0]
                    at[0] += 1
                if number >= len(bodies) or stop.is_set():
                    return
                poster.post(*bodies[number], stop)
        except BaseException as error:  # noqa: BLE001: the main thread tells it
            failed.append(error)
            stop.set()

    threads = [threading.Thread(target=work) for _ in range(options.connections)]
    begun = time.monotonic()
    for thread in threads:
        thread.start()
    rng = random.Random(f"{seed}/kills")
    marks = sorted(rng.uniform(0.02, 0.98) * len(bodies) for _ in range(kills))
    for mark in marks:
        while at[0] < mark and not stop.is_set() and any(t.is_alive() for t in threads):
            time.sleep(0.01)
        target.restart()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return time.monotonic() - begun


def costs(program, folder, options):
    """CPU µs a record: the first time, the same requests again, the same records in other company."""
    rng = random.Random(f"{options.seed}/costs")
    small = argparse.Namespace(**{**vars(options), "records": 200_000, "devices": 400, "seed": "c"})
    devices = population(small, time.time_ns())
    whole = [(device, batch) for device, records in devices for batch in groups(records, rng)]
    other = [(device, batch) for device, records in devices for batch in groups(records, rng)]
    rng.shuffle(other)
    first, again = [[body([part], rng) for part in parts] for parts in (whole, other)]
    target, out = Target(program, folder, "costs"), []
    try:
        for bodies in (first, first, again):
            before = target.cpu()
            run(target, bodies, options)
            out.append((target.cpu() - before) * 1e6 / small.records)
        assert target.count() == (small.records, small.records), target.count()
    finally:
        target.server.kill()
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--devices", type=int, default=400)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="regroup-", dir=os.environ.get("TMPDIR") or os.path.dirname(os.path.abspath(options.program)))
    rng = random.Random(options.seed)
    try:
        first, same, other = costs(options.program, folder, options)
        print(f"CPU a record: {first:.2f} µs the first time, {same:.2f} again, {other:.2f} in other company", flush=True)
        requests = plan(population(options, time.time_ns()), rng)
        sent = sum(len(records) for request in requests for _, records in request)
        bodies = [body(request, rng) for request in requests]
        print(f"{len(bodies)} requests with {sent} records", flush=True)
        target = Target(options.program, folder, "chaos")
        try:
            took = run(target, bodies, options, options.kills, options.seed)
            target.server.stop()
            found = target.count()
            verified = target.server.command("verify")
        finally:
            target.server.kill()
        wanted = options.records // options.devices * options.devices
        good = found == (wanted, wanted) and max(same, other) <= first
        print(f"{took:.0f} s, {options.kills} kills, verify {verified.get('findings', verified)}")
        print(f"{found[0]} stored, {found[1]} different, of {wanted} that were sent {sent} times: {'passed' if good else 'FAILED'}")
        return 0 if good else 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
