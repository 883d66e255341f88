"""Nodes of this benchmark, the engines behind them, and what stands between."""
import http.client
import json
import os
import shutil
import sys
import time

from kit.server import Server, fail

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(1, os.path.join(ROOT, "Tests", "Engines"))
from servers import PASSWORD, USER, answers, debian, today  # noqa: E402
from parts import Failure, Part, free_ports, listens, write  # noqa: E402

VERSIONS = {"18.16": debian, "today": today}


def fetched(port, path, seconds=60):
    """A body on the loopback interface; the benchmark ends where it is not 200."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read()
    except (OSError, http.client.HTTPException) as error:
        fail(f"no answer from port {port} to {path}: {error}")
    finally:
        connection.close()
    if answer.status != 200:
        fail(f"port {port} answered {answer.status} to {path}: {body[:200].decode(errors='replace')}")
    return body.decode()


class Engine:
    """A real one, and the sink before it."""

    def __init__(self, folder, version, swallows):
        self.folder, self.swallows = folder, swallows
        made = VERSIONS[version](os.path.join(folder, "engine"))
        if made is None:
            fail("pip gives no chdb, which is today's ClickHouse; measure where it does")
        self.behind, self.server = made
        (self.port,) = free_ports(1)
        self.sink = None
        self.password_file = write(os.path.join(folder, "password"), PASSWORD, 0o600)

    def start(self):
        self.server.start().wait()
        self.start_sink()
        return self

    def start_sink(self):
        line = [sys.executable, os.path.join(HERE, "sink.py"), str(self.port), str(self.behind)]
        self.sink = Part("sink", os.path.join(self.folder, "sink"), line + ["--swallow"] * self.swallows,
                         lambda: listens(self.port))
        self.sink.start().wait()

    def stop_sink(self):
        self.sink.end()
        self.sink.wait_end(10)

    def end(self):
        for part in (self.sink, self.server):
            if part is not None:
                part.end()
                part.wait_end(30)

    @property
    def pids(self):
        """Of what runs."""
        return [part.process.pid for part in (self.server, self.sink) if part.process.poll() is None]

    def counted(self):
        """What came to the sink: inserts, row_bytes, and of each statement that it passed on since it was asked
        last its text, the answer's bytes and seconds."""
        return json.loads(fetched(self.port, "/counted"))

    def query(self, statement, database="sojourn"):
        """What the engine says, as text."""
        connection = http.client.HTTPConnection("127.0.0.1", self.behind, timeout=600)
        connection.request("POST", f"/?database={database}", statement.encode(),
                           {"X-ClickHouse-User": USER, "X-ClickHouse-Key": PASSWORD})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        if answer.status != 200:
            fail(f"the engine says to {statement}: {text.strip()}")
        return text.strip()

    def settle(self, seconds=600):
        """Waits until it merges nothing any more; returns how many parts the batches are in."""
        end = time.monotonic() + seconds
        calm = 0
        while calm < 3:
            if time.monotonic() > end:
                fail(f"the engine still merges after {seconds} s")
            calm = calm + 1 if self.query("SELECT count() FROM system.merges") == "0" else 0
            time.sleep(1)
        return int(self.query("SELECT count() FROM system.parts"
                              " WHERE active AND database = 'sojourn' AND table = 'batch'"))


class Node(Server):
    """A server whose metrics can be asked, and which may hand over to an engine."""

    def __init__(self, program, data, engine=None, settings=()):
        environment = {}
        if engine:
            environment = {"SOJOURN_FORWARD_TO": f"http://127.0.0.1:{engine.port}", "SOJOURN_NODE": "bench",
                           "SOJOURN_FORWARD_PASSWORD_FILE": engine.password_file}
        super().__init__(program, data, settings, environment)
        (self.admin,) = free_ports(1)

    def arguments(self):
        line = super().arguments()
        line[line.index("--admin-listen") + 1] = f"127.0.0.1:{self.admin}"
        return line

    def make_tables(self):
        self.command("migrate", "--engine")

    def metrics(self):
        """Values by name, those of several labels added up."""
        found = {}
        for line in fetched(self.admin, "/metrics").splitlines():
            if line and not line.startswith("#"):
                name, value = line.rsplit(" ", 1)
                name = name.split("{")[0]
                found[name] = found.get(name, 0.0) + float(value)
        return found

    def waiting(self):
        """Batches that are not handed over."""
        return self.metrics()["sojourn_forward_waiting_batches"]

    def hand_over(self, seconds):
        """Waits until something was handed over and nothing waits any more; returns how long that took."""
        begun = time.monotonic()
        while True:
            self.check()
            found = self.metrics()
            waiting = found["sojourn_forward_waiting_batches"]
            if found["sojourn_forward_units_total"] > 0 and waiting == 0 and found["sojourn_forward_lag_seconds"] < 10:
                return time.monotonic() - begun
            if time.monotonic() - begun > seconds:
                fail(f"{waiting:,.0f} batches wait still after {seconds} s")
            time.sleep(0.2)


def fresh(folder):
    """An empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    return folder
