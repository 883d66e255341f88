"""A data directory, the program's commands on it, and the server as a process."""

import http.client
import json
import os
import signal
import subprocess
import sys
import time

from . import machine

SECRET = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"


def fail(text):
    sys.exit(f"benchmark: {text}")


def run(arguments, **options):
    """What a program prints; the benchmark ends where it fails."""
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, **options)
    except OSError as error:
        fail(f"cannot run {arguments[0]}: {error.strerror}")
    if done.returncode:
        fail(
            f"{' '.join(arguments[:3])} ended with {done.returncode}: "
            f"{(done.stderr or done.stdout).strip()[-2000:]}"
        )
    return done.stdout


class Server:
    def __init__(self, program, data, settings=(), environment=None):
        """`environment` is what the server and its commands find beside this process's own variables."""
        self.program, self.data, self.settings = os.path.abspath(program), data, list(settings)
        self.environment = {**os.environ, **(environment or {})}
        self.process = self.port = self.log = None

    def command(self, *arguments, text=None):
        whole = [self.program, *arguments, "--data", self.data, "--json"]
        return json.loads(run(whole, input=text, env=self.environment))

    def make_app(self, name):
        """An app with a key of profile aes128gcm and SECRET, named as the app is."""
        self.command("app", "add", name, "--time-zone", "UTC")
        self.command(
            "key",
            "add",
            "--app",
            name,
            "--profile",
            "aes128gcm",
            "--id",
            f"{name}-key",
            "--secret-file",
            "-",
            text=SECRET + "\n",
        )

    def ingest_token(self, app):
        """A token for what is not sealed, which the app takes from now on."""
        self.command("app", "set", app, "--allow-plain")
        return self.command("token", "add", "--scope", "ingest", "--app", app)["token"]

    def report_token(self):
        return self.command("token", "add", "--scope", "report")["token"]

    def arguments(self):
        listen = ["--listen", "127.0.0.1:0", "--admin-listen", "off"]
        return ["serve", "--data", self.data, *listen, "--log-level", "info", *self.settings]

    def start(self):
        """Returns how long it took until it could store a batch, in seconds."""
        path = os.path.join(os.path.dirname(self.data), "server.log")
        self.log = open(path, "w")
        begun = time.perf_counter()
        self.process = subprocess.Popen(
            [self.program, *self.arguments()], stderr=self.log, env=self.environment
        )
        try:
            self._wait(path, begun)
        except BaseException:
            self.kill()
            raise
        return time.perf_counter() - begun

    def _wait(self, path, begun):
        while True:
            for line in open(path):
                # The first is where devices post.
                if self.port is None and "listening on 127.0.0.1:" in line:
                    self.port = int(line.split("127.0.0.1:")[1].split()[0])
            if self.port and self.is_ready():
                return
            self.check()
            if time.perf_counter() - begun > 300:
                fail("the server was not ready within 5 minutes")
            time.sleep(0.002)

    def check(self):
        """The benchmark ends where the server has ended by itself."""
        if self.process.poll() is not None:
            self.log.flush()
            with open(self.log.name) as log:
                fail(f"the server ended with {self.process.returncode}: {log.read().strip()[-2000:]}")

    def is_ready(self):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except OSError:
            return False

    @property
    def pid(self):
        return self.process.pid

    def stop(self):
        if self.process is None:
            return
        self.check()
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(120)
        except subprocess.TimeoutExpired:
            self.kill()
            fail("the server did not end within 2 minutes of SIGTERM")
        self.process = self.port = None
        self.log.close()
        if status:
            fail(f"the server ended with {status}")

    def kill(self):
        """Where something else went wrong: ends it, if it runs, and says nothing."""
        if self.process is None:
            return
        self.process.kill()
        self.process.wait()
        self.process = self.port = None
        self.log.close()

    def settle(self, patience=1200):
        """Waits until the process rests: work that it does behind its answers is over.

        Returns the seconds that took; the benchmark ends where it never rests.
        """
        begun = time.perf_counter()
        while time.perf_counter() - begun < patience:
            before = machine.process_seconds(self.pid)
            time.sleep(1)
            if machine.process_seconds(self.pid) - before < 0.03:
                return time.perf_counter() - begun
        fail(f"the server still works {patience} s after its last request")

    def restart(self):
        self.stop()
        return self.start()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.stop()
        else:
            self.kill()


def database_bytes(data):
    return sum(
        os.path.getsize(os.path.join(data, name))
        for name in os.listdir(data)
        if name.startswith("sojourn.db")
    )
