#!/usr/bin/env python3
"""Upgrades under load: upgrade.py PROGRAM [OTHER] [--forward] [--rounds N] [--clients N] [--seconds S]

PROGRAM and OTHER (the build before; PROGRAM itself unless given) take turns on the same data and on
listening sockets that this script holds, as systemd does for sojourn.socket. Clients post all the
while, half of them with a connection for each batch and half on one that they keep, and do with the
answers what docs/protocol.md asks of a device. At the end no connection may have been refused, and
each batch that was answered 200 has to be there once, whole, and nothing else.
"""
import argparse
import collections
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

EVENTS = 3
# What a device tries again; anything else is a failure of this test.
AGAIN = {429, 500, 503, 507}
# Between the descriptors and the program, since only what execs itself knows LISTEN_PID.
LAUNCH = """
import os, sys
sockets = [int(n) for n in sys.argv[1].split(",")]
for place, descriptor in enumerate(sockets):
    os.dup2(descriptor, 3 + place)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(sockets)))
os.execv(sys.argv[2], sys.argv[2:])
"""


class Site:
    """Sockets, data and the tokens: what stays while servers come and go."""

    def __init__(self, folder, program):
        self.folder, self.program = folder, program
        self.data = os.path.join(folder, "data")
        self.sockets = [socket.create_server(("127.0.0.1", 0), backlog=1024) for _ in range(2)]
        # Numbers that the launcher's do not overwrite.
        self.spare = [100 + place for place in range(len(self.sockets))]
        for listener, number in zip(self.sockets, self.spare):
            os.dup2(listener.fileno(), number)
        self.port, self.admin = (s.getsockname()[1] for s in self.sockets)
        self.command("app", "add", "shop", "--allow-plain")
        self.ingest = self.command("token", "add", "--scope", "ingest", "--app", "shop")["token"]
        self.log = open(os.path.join(folder, "server.log"), "w", encoding="utf-8")

    def output(self, *arguments):
        done = subprocess.run([self.program, *arguments, "--data", self.data],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"upgrade: sojourn {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout

    def command(self, *arguments):
        return json.loads(self.output(*arguments, "--json"))

    def start(self, program):
        """A server on the sockets, once it can store; what comes earlier waits in the backlog."""
        numbers = ",".join(map(str, self.spare))
        server = subprocess.Popen(
            [sys.executable, "-c", LAUNCH, numbers, program, "serve", "--data", self.data,
             "--listen", f"127.0.0.1:{self.port}", "--admin-listen", f"127.0.0.1:{self.admin}"],
            pass_fds=self.spare, stderr=self.log)
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and server.poll() is None:
            if self.is_ready():
                return server
            time.sleep(0.01)
        self.stop(server)
        sys.exit(f"upgrade: {program} was not ready: {self.log_end()}")

    def is_ready(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.admin, timeout=5)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    @staticmethod
    def stop(server):
        if server.poll() is None:
            server.send_signal(signal.SIGTERM)
        return server.wait(120)

    def log_end(self):
        with open(self.log.name, encoding="utf-8") as file:
            return " ".join(file.read().splitlines()[-1:])


class Load:
    """Clients that post until they are told to end, and then until their last batch is taken."""

    def __init__(self, site, clients):
        self.site = site
        self.is_over = threading.Event()
        self.lock = threading.Lock()
        self.counts = collections.Counter()
        self.wrong = []
        self.taken = set()
        self.longest = 0.0
        self.threads = [threading.Thread(target=self.live, args=(number, number % 2 == 1))
                        for number in range(clients)]

    def start(self):
        for thread in self.threads:
            thread.start()

    def end(self):
        self.is_over.set()
        for thread in self.threads:
            thread.join()

    def live(self, client, keeps):
        connection, number = None, 0
        while not self.is_over.is_set():
            name = f"c{client}-{number}"
            number += 1
            began = time.monotonic()
            connection = self.deliver(name, client, connection, keeps)
            with self.lock:
                self.longest = max(self.longest, time.monotonic() - began)

    def deliver(self, name, client, connection, keeps):
        """Posts a batch until it is taken; the connection if it may be used again."""
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            outcome, connection = self.attempt(name, client, connection, keeps)
            with self.lock:
                self.counts[outcome] += 1
            if outcome in ("answered", "repeats"):
                with self.lock:
                    self.taken.add(name)
                return connection
            if outcome == "wrong":
                return connection
            # Retry-After is 1 s; a device that nobody answers waits as long.
            if outcome != "broken" or connection is None:
                self.is_over.wait(0.05 if outcome == "broken" else 1)
        with self.lock:
            self.wrong.append(f"{name} was not taken in two minutes")
        return connection

    def attempt(self, name, client, connection, keeps):
        fields = {"Authorization": "Bearer " + self.site.ingest,
                  "Content-Type": "application/json"}
        if not keeps:
            fields["Connection"] = "close"
        if connection is None:
            connection = http.client.HTTPConnection("127.0.0.1", self.site.port, timeout=60)
            try:
                connection.connect()
            except ConnectionRefusedError:
                return "refused", None
            except OSError:
                return "broken", None
        try:
            connection.request("POST", "/v1/apps/shop/batches", self.batch(name, client), fields)
            answer = connection.getresponse()
            body = answer.read()
        except (OSError, http.client.HTTPException):
            connection.close()
            return "broken", None
        if answer.will_close:
            connection.close()
            connection = None
        return self.judge(name, answer.status, body), connection

    def judge(self, name, status, body):
        said = json.loads(body)
        if status == 200 and said.get("batch_id") == name and said.get("accepted") == EVENTS:
            return "repeats" if said["duplicate"] else "answered"
        if status in AGAIN and said.get("code") in ("shutting-down", "overloaded"):
            return said["code"]
        with self.lock:
            self.wrong.append(f"{name}: {status} {body[:200]!r}")
        return "wrong"

    @staticmethod
    def batch(name, client):
        now = int(time.time() * 1000)
        return json.dumps({
            "batch_id": name, "sent_at": now,
            "resource": {"app.installation.id": f"phone-{client}"},
            "events": [{"name": "app.tap", "time": now, "attributes": {"batch": name}}] * EVENTS})


def stored(site):
    """How many events there are of each batch."""
    day = 86_400
    # A day more on both sides, since the load may have run over a midnight.
    first, last = (time.strftime("%Y-%m-%d", time.gmtime(time.time() + shift))
                   for shift in (-day, day))
    lines = site.output("report", "export", "--app", "shop", "--from", first, "--to", last,
                        "--format", "json")
    return collections.Counter(json.loads(line)["batch_id"] for line in lines.splitlines()), (
        first, last)


def faults(site, load):
    """What is not as it has to be, a line each."""
    found = list(load.wrong)
    if load.counts["refused"]:
        found.append(f"{load.counts['refused']} connections were refused")
    events, (first, last) = stored(site)
    lost = load.taken - set(events)
    partly = [name for name, count in events.items() if count != EVENTS]
    unknown = set(events) - load.taken
    for names, what in ((lost, "answered and lost"), (partly, "not there once and whole"),
                        (unknown, "there and never answered")):
        if names:
            found.append(f"{len(names)} batches are {what}, such as {sorted(names)[0]}")
    quality = site.command("report", "quality", "--app", "shop", "--from", first, "--to", last)
    batches = sum(row["batches"] for row in quality["rows"])
    if batches != len(load.taken):
        found.append(f"quality counts {batches} batches, {len(load.taken)} were answered")
    verified = site.command("verify")
    if not verified["good"] or verified["batches"] != len(load.taken):
        found.append(f"verify: {verified}")
    print(f"stored: {len(events)} batches, {sum(events.values())} events; "
          f"quality counts {batches} batches; verify finds {len(verified['findings'])} faults")
    return found


def version(program):
    """What it says of itself; two builds of the same version differ by their octets."""
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    return f"{program}, version {done.stdout.strip()}, {os.path.getsize(program)} bytes"


def run(options, folder):
    programs = [os.path.abspath(options.other or options.program), os.path.abspath(options.program)]
    print(f"from {version(programs[0])}\nto   {version(programs[1])}", flush=True)
    site = Site(folder, programs[1])
    server = site.start(programs[0])
    load = Load(site, options.clients)
    load.start()
    found = []
    names, place = ("old", "new"), 0
    try:
        for turn in range(1, options.rounds + 1):
            time.sleep(options.seconds)
            before = len(load.taken)
            began = time.monotonic()
            code = site.stop(server)
            stopped = time.monotonic()
            last, place = place, 1 if options.forward else turn % 2
            server = site.start(programs[place])
            if code != 0:
                found.append(f"restart {turn}: the server ended with {code}")
            print(f"restart {turn}: {names[last]} to {names[place]}, "
                  f"{before} batches so far, stopped in {stopped - began:.2f} s, "
                  f"ready after {time.monotonic() - stopped:.2f} s", flush=True)
        time.sleep(options.seconds)
    finally:
        load.end()
        code = site.stop(server)
    if code != 0:
        found.append(f"the last server ended with {code}")
    found += faults(site, load)
    counts = load.counts
    print(f"answered 200: {counts['answered']}, again as a repeat: {counts['repeats']}, "
          f"503: {counts['shutting-down'] + counts['overloaded']}, "
          f"connections that ended without an answer: {counts['broken']}, "
          f"refused: {counts['refused']}; a batch took at most {load.longest:.2f} s")
    for line in found:
        print("FAIL " + line)
    print(f"{options.rounds} restarts, {len(load.taken)} batches: "
          + ("none refused, none lost, none doubled" if not found else f"{len(found)} faults"))
    return 1 if found else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("other", nargs="?")
    parser.add_argument("--forward", action="store_true",
                        help="never back: a build refuses the schema of a newer one")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--clients", type=int, default=24)
    parser.add_argument("--seconds", type=float, default=2, help="between two restarts")
    options = parser.parse_args()
    # What SOJOURN_… the caller has is not meant for these servers.
    for name in [n for n in os.environ if n.startswith("SOJOURN_")]:
        del os.environ[name]
    folder = tempfile.mkdtemp(prefix="sojourn-upgrade-")
    try:
        return run(options, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
