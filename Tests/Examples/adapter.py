"""A client as a process that takes commands as lines, as the files' own `main` does, and can be killed at any moment."""
import json
import os
import subprocess
import threading
import time

# Waits of 2 s at most, and a budget that is shorter: nothing is posted after it.
SHORT = {"CLIENT_BACKOFF_MS": "2000", "CLIENT_BACKOFF_CAP_MS": "2000", "CLIENT_BUDGET_MS": "800"}
# Hardly any waits.
FAST = {"CLIENT_BACKOFF_MS": "20", "CLIENT_BACKOFF_CAP_MS": "60"}


class Adapter:
    def __init__(self, command, log, **environment):
        self.log = log
        with open(log, "ab") as errors:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
                                            env={**os.environ, **environment}, text=True, encoding="utf-8", bufsize=1)

    def ask(self, line, timeout=20):
        """One command and its answer; none in time is an error."""
        alarm = threading.Timer(timeout, self.process.kill)
        alarm.start()
        try:
            self.tell(line)
            answer = self.process.stdout.readline().rstrip("\n")
        finally:
            alarm.cancel()
        if not answer:
            raise AssertionError(f"no answer to {line!r} in {timeout} s: {self.said()[-300:]}")
        return answer

    def tell(self, line):
        """One command, whose answer is not waited for."""
        self.process.stdin.write(line + "\n")

    def event(self, number, **more):
        assert self.ask("event tap " + json.dumps({"n": number, **more})) == "ok"

    def status(self):
        """The account, which has to be closed."""
        assert self.ask("sync") == "ok"
        pairs = dict(pair.split("=") for pair in self.ask("status").split()[1:])
        status = {name: int(value) for name, value in pairs.items()}
        parts = sum(status[name] for name in ("accepted", "rejected", "dropped", "deleted", "waiting"))
        assert status["appended"] == parts, status
        return status

    def said(self):
        """Its log."""
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read()

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def until(holds, seconds=20):
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise AssertionError(f"it did not happen in {seconds} s")
        time.sleep(0.02)
