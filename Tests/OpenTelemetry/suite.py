#!/usr/bin/env python3
"""The built program behind OpenTelemetry's own SDK, and records that come again: run.sh suite.py PROGRAM

What docs/opentelemetry.md gives to copy and this machine can run is run as it stands there.
"""

import gzip
import http.client
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from urllib.parse import urlencode

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path[:0] = [os.path.join(ROOT, part) for part in ("Benchmarks", "scripts/otlp", "Tests/Support/suites")]
import regroup  # noqa: E402
import runner  # noqa: E402
from kit.server import Server  # noqa: E402
from wire import JSON, PROTOBUF, Device, Record, encode, field, int_pair, text_pair  # noqa: E402

PROGRAM, APP = "", "shop"
PAGE = os.path.join(ROOT, "docs", "opentelemetry.md")
REPORTS = {
    "active": {}, "sessions": {}, "retention": {}, "platforms": {}, "versions": {"dimension": "service.version"}, "events": {},
    "lengths": {}, "hours": {}, "values": {"name": "app.tap", "of": "n"},
}  # fmt: skip


def has(module):
    return not subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True).returncode


def blocks(kind, heading):
    """The fenced blocks of a kind under a heading of the page."""
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    part = text.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(rf"```{kind}\n(.*?)```", part, re.S)


class Served(unittest.TestCase):
    """A server of its own with an app that allows plain bodies."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="sojourn-otlp-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.server, self.token, self.reader = self.serve("data")

    def serve(self, name, key=None, settings=()):
        data = os.path.join(self.folder, name)
        if key:
            os.makedirs(data, mode=0o700)
            shutil.copy(key, os.path.join(data, "master.key"))
            os.chmod(os.path.join(data, "master.key"), 0o600)
        server = Server(PROGRAM, data, ["--admin-listen", "127.0.0.1:0", *settings])
        server.command("app", "add", APP, "--allow-plain")
        token = server.command("token", "add", "--scope", "ingest", "--app", APP)["token"]
        reader = server.report_token()
        server.start()
        self.addCleanup(server.kill)
        return server, token, reader

    def post(self, body, kind=PROTOBUF, server=None, token=None):
        """(status, body) of a request that is sent until it is answered."""
        server = server or self.server
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        headers = {"Content-Type": kind, "Authorization": "Bearer " + (token or self.token), "Content-Encoding": "gzip"}
        connection.request("POST", "/v1/logs", gzip.compress(body, 1), headers)
        try:
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def ask(self, path, server=None, reader=None, **query):
        server, reader = server or self.server, reader or self.reader
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        connection.request("GET", path + "?" + urlencode({"app": APP, **query}), headers={"Authorization": "Bearer " + reader})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        self.assertEqual(answer.status, 200, body)
        return body

    def reports(self, server=None, reader=None):
        return {name: self.ask("/report/" + name, server, reader, **self.days(), **more) for name, more in REPORTS.items()}

    def days(self):
        day = lambda n: time.strftime("%Y-%m-%d", time.gmtime(time.time() + n * 86400))  # noqa: E731
        return {"from": day(-2), "to": day(2), "tz": "UTC"}

    def events(self):
        lines = self.ask("/report/export", **self.days()).splitlines()
        return [json.loads(line) for line in lines]


class Page(Served):
    """What docs/opentelemetry.md gives to copy."""

    def environment(self):
        return {**os.environ, "SERVER": f"http://127.0.0.1:{self.server.port}", "TOKEN": self.token,
                "HOME": self.folder, "PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]}

    def shell(self, text):
        # The address and the token are the reader's own.
        text = re.sub(r"(?m)^(SERVER|TOKEN)=.*$", "", text)
        done = subprocess.run(["bash", "-euc", text], capture_output=True, text=True, cwd=self.folder,
                              env=self.environment(), timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    @runner.short
    def test_curl(self):
        (curl,) = blocks("sh", "On the server")
        self.assertEqual(self.shell(curl).strip(), "{}")
        (event,) = self.events()
        self.assertEqual((event["name"], event["attributes"]), ("session.start", {"session.id": "s-1"}))
        self.assertEqual(event["resource"]["os.name"], "Android")

    @unittest.skipUnless(has("opentelemetry.sdk"), "opentelemetry-sdk is not installed")
    def test_python(self):
        environment, automatic = blocks("sh", "Python")
        program, own = blocks("python", "Python")
        with open(os.path.join(self.folder, "events.py"), "w", encoding="utf-8") as file:
            file.write(program)
        self.shell(environment)
        found = self.events()
        self.assertEqual([event["name"] for event in found], ["session.start", "screen.view", "usage.counter", "session.end"])
        self.assertEqual({event["resource"]["service.version"] for event in found}, {"5.2.0"})
        self.assertEqual(found[2]["attributes"]["counter.value"], 3)
        # The same again with a logger that the environment sets up.
        with open(os.path.join(self.folder, "events.py"), "w", encoding="utf-8") as file:
            file.write(own)
        self.shell(environment.replace("python3 events.py\n", "") + automatic)
        after = self.events()
        self.assertEqual(len(after), 5)
        self.assertEqual(len({event["device"] for event in after}), 1, "the installation is the same")


class Again(Served):
    """Records that come again."""

    def test_a_request_of_many_devices_whose_server_is_killed_in_the_middle(self):
        rng = random.Random(7)
        for attempt in range(6):
            begin = time.time_ns() - 60 * 10**9
            parts = [(Device(f"part-{attempt}-{d}"), [Record("by.part", begin + d, [("d", d)], "s")]) for d in range(2500)]
            body = encode(parts, PROTOBUF if attempt % 2 else JSON)
            kind = PROTOBUF if attempt % 2 else JSON
            before = len(self.events())
            told = []

            def send():
                try:
                    told.append(self.post(body, kind))
                except (OSError, http.client.HTTPException):
                    told.append(None)

            sender = threading.Thread(target=send)
            sender.start()
            time.sleep(rng.uniform(0.005, 0.12))
            self.server.kill()
            sender.join()
            self.server.start()
            stored = len(self.events()) - before
            self.assertTrue(0 <= stored <= 2500)
            if told[0] is not None and told[0][0] == 200:
                self.assertEqual(stored, 2500)
            status, answer = self.post(body, kind)
            self.assertEqual((status, answer), (200, b"" if kind == PROTOBUF else b"{}"))
            self.assertEqual(len(self.events()) - before, 2500, "the retry brings the rest")
        self.assertEqual(self.server.command("verify").get("findings", []), [])

    def test_any_grouping_order_and_encoding_gives_the_same_reports(self):
        rng = random.Random(11)
        now = time.time_ns()
        devices = []
        for d in range(30):
            at, records = now - rng.randint(1, 30) * 3600 * 10**9, []
            for s in range(4):
                session = f"s-{d}-{s}"
                names = ["session.start", *rng.choices(["app.tap", "app.shown"], k=rng.randint(1, 12)), "session.end"]
                for name in names:
                    at += rng.randint(1, 90) * 10**9 + rng.randint(0, 10**6)
                    records.append(Record(name, min(at, now), [("n", rng.randint(0, 9))], session))
            devices.append((Device(f"order-{d}"), records))
        for device, records in devices:
            self.assertEqual(self.post(encode([(device, records)], PROTOBUF))[0], 200)
        wanted = self.reports()
        for round_number in range(3):
            other, token, reader = self.serve(f"other-{round_number}", key=os.path.join(self.server.data, "master.key"))
            batches = [(device, batch) for _ in range(3) for device, records in devices for batch in regroup.groups(records, rng)]
            rng.shuffle(batches)
            while batches:
                size = rng.choice([1, 2, 7])
                kind = rng.choice([PROTOBUF, JSON])
                request, batches = batches[:size], batches[size:]
                self.assertEqual(self.post(encode(request, kind), kind, other, token)[0], 200)
                if rng.random() < 0.02:
                    other.restart()
            for name, found in self.reports(other, reader).items():
                self.assertEqual(found, wanted[name], name)


class Names(Served):
    """`max-names`, of which only the writer knows."""

    def test_what_it_leaves_out_stands_in_the_answer_and_again_when_the_batch_comes_again(self):
        server, token, _ = self.serve("names", settings=["--max-names", "2"])
        begin = time.time_ns()
        records = [Record(name, begin + n, [], "s") for n, name in enumerate(["a.one", "a.two", "a.three", "a.four"])]
        body = encode([(Device("names"), records)], JSON)
        for _ in range(3):
            status, answer = self.post(body, JSON, server, token)
            self.assertEqual(status, 200)
            told = json.loads(answer)["partialSuccess"]
            self.assertEqual(told["rejectedLogRecords"], "2")
            self.assertTrue(told["errorMessage"].startswith("2 too-many-names, first at 0/0/2: "), told)


class Planted(Served):
    """A raw id is nowhere but in the request."""

    def test_raw_ids(self):
        marks = ["Planted-Resource-4711", "Planted-Second-4712", "Planted-Record-4713", "Planted-Record-4714"]
        resource = field(1, field(1, text_pair("app.installation.id", marks[0])) + field(1, text_pair("device.id", marks[1])))
        record = (b"\x09" + time.time_ns().to_bytes(8, "little") + field(12, b"app.tap")
                  + field(6, text_pair("app.installation.id", marks[2])) + field(6, text_pair("device.id", marks[3]))
                  + field(6, int_pair("n", 1)))
        bad = b"\x09" + time.time_ns().to_bytes(8, "little") + field(12, b"Not A Name") + field(6, text_pair("device.id", marks[3]))
        self.server.settings += ["--log-level", "trace"]
        self.server.restart()
        for records in ([record], [record, bad], [bad], [record[:-3]]):
            scope = field(2, b"".join(field(2, one) for one in records))
            for body in (field(1, resource + scope), field(1, resource + scope)[:-1]):
                status, answer = self.post(body)
                self.assertIn(status, (200, 400))
                for mark in marks:
                    self.assertNotIn(mark.encode(), answer)
        self.assertEqual(len(self.events()), 1)
        told = self.ask("/report/export", **self.days())
        self.server.stop()
        for place, _, names in os.walk(self.folder):
            for name in names:
                with open(os.path.join(place, name), "rb") as file:
                    told += file.read()
        self.assertIn(b"app.tap", told)
        for mark in marks:
            self.assertNotIn(mark.encode().lower(), told.lower())


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: suite.py PROGRAM [TEST…]")
    PROGRAM = os.path.abspath(sys.argv[1])
    runner.run("opentelemetry", unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"]), sys.argv[2:])
