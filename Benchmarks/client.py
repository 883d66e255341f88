#!/usr/bin/env python3
"""What the Swift client costs the app that it is in, and the wire.

    Benchmarks/client.py --adapter ADAPTER [--rounds 5] [--page FILE] PROGRAM

Drives the client's adapter by lines, as a judge does, and a program around the library: calls beside an upload that
stalls, starts with a full journal, a background upload to a server that never answers, a while of nothing, and a day of use of which a
real server says how many bytes came. `make bench-client` brings what this needs.
"""

import argparse
import base64
import contextlib
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "Clients", "Swift", "Tests", "Programs"))
import suite as programs  # noqa: E402
from fixture.server import Server  # noqa: E402
from kit import machine, page  # noqa: E402

PLACE = "client"
CALLS = 100_000
IDLE = 30  # seconds
SECRET = "ab" * 32
DAY = [  # what an app of some ten screens tells of a visit, a session's two ends aside
    "screen menu", "screen list", "content viewed lesson-4", "count 1 photo.taken", "screen detail",
    'event order.placed {"total": 12.5, "items": 3, "paid": true}', "content completed lesson-4", "screen menu",
]
VISITS = 6


START = """
import SojournClient
import Glibc

func now(_ clock: clockid_t) -> Int {
    var time = timespec()
    clock_gettime(clock, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

func resident() -> Int {
    let file = open("/proc/self/statm", O_RDONLY)
    var bytes = [UInt8](repeating: 0, count: 128)
    let count = read(file, &bytes, 128)
    close(file)
    let pages = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: " ")
    return ((Int(pages[1]) ?? 0) - (Int(pages[2]) ?? 0)) * sysconf(Int32(_SC_PAGESIZE))
}

let (memory, began, used) = (resident(), now(CLOCK_MONOTONIC), now(CLOCK_THREAD_CPUTIME_ID))
Sojourn.start(
    app: "shop", key: "k1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", server: "http://127.0.0.1:9", debug: false)
let (took, cost) = (now(CLOCK_MONOTONIC) - began, now(CLOCK_THREAD_CPUTIME_ID) - used)
var status = await Sojourn.status
print(took, cost, resident() - memory, status.waiting)
if CommandLine.arguments.count > 1 {
    while status.dropped == 0 {
        for number in 0..<5000 { Sojourn.event("bench", ["n": .integer(Int64(number))]) }
        status = await Sojourn.status
    }
}
"""


class Adapter:
    """A client's process on a folder, and an app's key for a server."""

    def __init__(self, program, folder, server, key="k1", secret=SECRET, **settings):
        self.folder, self.server, self.key = folder, server, key
        self.secret = os.path.join(folder, "secret")
        os.makedirs(folder, exist_ok=True)
        with open(self.secret, "w", encoding="ascii") as file:
            file.write(secret)
        environment = dict(os.environ, CLIENT_VERSION="2.4.1",
                           **{f"CLIENT_{name}": str(value) for name, value in settings.items()})
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, env=environment)

    def ask(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().decode().strip()

    def timed(self, line):
        """Seconds until the answer, which is `ok`."""
        began = time.perf_counter()
        said = self.ask(line)
        took = time.perf_counter() - began
        if said != "ok":
            raise SystemExit(f"benchmark: the client answered '{said}' to '{line[:40]}'")
        return took

    def start(self):
        return self.timed(f"start {self.server} shop {self.key} {self.secret} {self.folder}/journal")

    def status(self):
        return {name: int(value) for name, value in
                (pair.split("=") for pair in self.ask("status").split()[1:])}

    def bench(self):
        """Median and 99th percentile of a call, nanoseconds."""
        return tuple(int(word) for word in self.ask(f"bench {CALLS}").split()[1:])

    def end(self):
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def stalling():
    """The address of a server that takes connections and never answers."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


class Bench:
    def __init__(self, options):
        self.options = options
        self.folder = tempfile.mkdtemp(prefix="sojourn-client-")
        self.count = 0

    @contextlib.contextmanager
    def client(self, server, folder=None, **settings):
        self.count += 1
        client = Adapter(self.options.adapter, folder or f"{self.folder}/{self.count}", server, **settings)
        try:
            yield client
        finally:
            client.end()

    def rounds(self, body):
        return [body() for _ in range(self.options.rounds)]

    def calls(self):
        """A call with nothing else on, and beside an upload that stalls."""
        def alone():
            with self.client("http://127.0.0.1:9") as client:
                client.start()
                return client.bench()

        def beside():
            with stalling() as server, self.client(server, INTERVAL_MS=1) as client:
                client.start()
                client.ask("foreground")
                client.ask("screen menu")
                time.sleep(0.2)
                return client.bench()

        return [("a call", self.rounds(alone)), ("a call while an upload stalls", self.rounds(beside))]

    def starts(self):
        """Of `start` with as much waiting as a journal holds: nanoseconds, those of the caller's CPU, bytes of
        memory of its own once the journal is read, events that wait."""
        program = programs.compiled(START, self.folder)
        home = os.path.join(self.folder, "home")
        environment = dict(os.environ, HOME=home, XDG_DATA_HOME=home)

        def run(*arguments):
            said = subprocess.run([program, *arguments], capture_output=True, text=True, check=True, env=environment)
            return tuple(int(word) for word in said.stdout.split())

        run("fill")
        return [run() for _ in range(self.options.rounds * 4)]

    def budget(self):
        """Seconds of a background upload to a server that never answers, with the budget that apps have."""
        with stalling() as server, self.client(server) as client:
            client.start()
            client.ask("foreground")
            client.ask("screen menu")
            return client.timed("background")

    def idle(self):
        """Seconds of CPU, and how often a thread woke, in a while of nothing in the foreground."""
        with self.client("http://127.0.0.1:9") as client:
            client.start()
            client.ask("foreground")
            client.ask("flush 1000")
            time.sleep(2)
            client.ask("enable off")
            client.ask("enable on")
            pid = client.process.pid

            def switches():
                found = {}
                for task in os.listdir(f"/proc/{pid}/task"):
                    with open(f"/proc/{pid}/task/{task}/status", encoding="ascii") as file:
                        found[task] = sum(int(line.split()[1]) for line in file if "ctxt_switches" in line)
                return found

            before, used = switches(), machine.process_seconds(pid)
            time.sleep(IDLE)
            woke = sum(count - before.get(task, 0) for task, count in switches().items())
            return machine.process_seconds(pid) - used, woke

    def wire(self):
        """Events of days of use, the batches they came in, and bytes of their bodies, as the server counted them."""
        server = Server(self.options.program)
        try:
            server.command("app", "add", "shop")
            key = server.command("key", "add", "--app", "shop", "--profile", "aes128gcm")
            secret = base64.urlsafe_b64decode(key["secret"] + "=" * (-len(key["secret"]) % 4)).hex()
            server.start()
            with self.client(server.origin, key=key["key"], secret=secret) as client:
                client.start()
                for _ in range(VISITS):
                    client.ask("foreground")
                    for line in DAY:
                        client.ask(line)
                    client.ask("background")
            token = server.token("report", "shop")["token"]
            lines = server.report("quality", {"app": "shop", "format": "csv"}, token).decode().splitlines()
            rows = [dict(zip(lines[0].split(","), line.split(","))) for line in lines[1:] if "," in line]
            return tuple(sum(int(row[name]) for row in rows) for name in ("events", "batches", "bytes_received"))
        finally:
            server.remove()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--adapter", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--page")
    parser.add_argument("program")
    options = parser.parse_args()
    options.adapter, options.program = os.path.abspath(options.adapter), os.path.abspath(options.program)
    bench, contention = Bench(options), machine.Contention()
    try:
        rows = []
        for name, found in bench.calls():
            median, p99 = (statistics.median(column) for column in zip(*found))
            rows.append([f"{name}, {CALLS:,} of them, median", f"{median / 1000:.2f} µs", "1 µs"])
            rows.append([f"{name}, 99th percentile", f"{p99 / 1000:.2f} µs", "10 µs"])
        starts = bench.starts()
        took, cost, own = (sorted(column) for column in list(zip(*starts))[:3])
        name = f"`start` with {starts[0][3]:,} events waiting"
        rows.append([f"{name}, median", f"{statistics.median(took) / 1e6:.2f} ms", "1 ms"])
        rows.append([f"{name}, the caller's CPU, the worst of {len(cost)}", f"{cost[-1] / 1e6:.2f} ms", "1 ms"])
        rows.append(["memory of its own once they are read", f"{statistics.median(own) / 2**20:.1f} MiB", "2 MiB"])
        budgets = bench.rounds(bench.budget)
        rows.append(["background upload to a server that never answers, the worst", f"{max(budgets):.2f} s", "5.2 s"])
        used, woke = bench.idle()
        rows.append([f"CPU in {IDLE} s of nothing", f"{used:.2f} s", ""])
        rows.append([f"a thread woke in {IDLE} s of nothing", f"{woke}", ""])
        events, batches, bytes = bench.wire()
        rows.append([f"bytes an event, {events // VISITS} a visit, of bodies as sent", f"{bytes / events:.0f}", ""])
        rows.append(["bytes a body", f"{bytes / batches:.0f}", ""])
        others = contention.cores()
        text = (f"{page.heading(options.program)}. Others took {others:.2f} cores{machine.warning(others)}.\n\n"
                + page.table(["the Swift client", "measured", "at most"], rows))
        print(text)
        if options.page:
            page.replace(options.page, PLACE, text)
    finally:
        shutil.rmtree(bench.folder, ignore_errors=True)


if __name__ == "__main__":
    main()
