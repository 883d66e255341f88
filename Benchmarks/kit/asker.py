"""Asks for reports as an operator does, over one connection."""

import http.client
import json
import threading
import time
import urllib.parse

from .dataset import APP
from .server import fail


class Asker:
    def __init__(self, server, token, app=APP):
        self.app = app
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=900)
        self.headers = {"Authorization": f"Bearer {token}"}

    def open(self, report, parameters):
        """The answer to be read; the benchmark ends where it is not 200."""
        query = urllib.parse.urlencode([("app", self.app), *parameters])
        try:
            self.connection.request("GET", f"/report/{report}?{query}", headers=self.headers)
            answer = self.connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            fail(f"{report} of {self.app} {parameters}: no answer: {error}")
        if answer.status != 200:
            fail(f"{report} of {self.app} {parameters}: {answer.status} {answer.read().decode()}")
        return answer

    def ask(self, report, parameters):
        """Seconds, and the rows."""
        begun = time.perf_counter()
        octets = self.open(report, parameters).read()
        return time.perf_counter() - begun, json.loads(octets)["rows"]

    def count_lines(self, report, parameters):
        """Seconds, and the lines of a streamed answer."""
        begun, lines = time.perf_counter(), 0
        answer = self.open(report, parameters)
        while piece := answer.read(1 << 18):
            lines += piece.count(b"\n")
        return time.perf_counter() - begun, lines

    def first_line(self, report, parameters):
        """What a streamed answer begins with; the rest is left."""
        line = self.open(report, parameters).readline()
        self.connection.close()
        return json.loads(line)


class ReportLoop(threading.Thread):
    """Asks for one report after the other until it is stopped."""

    REPORTS = ("active", "sessions", "events", "content")

    def __init__(self, asker, parameters):
        super().__init__()
        self.asker, self.parameters = asker, parameters
        self.moments, self.error, self._ends = [], None, threading.Event()

    def run(self):
        try:
            while not self._ends.is_set():
                self.asker.ask(self.REPORTS[len(self.moments) % len(self.REPORTS)], self.parameters)
                self.moments.append(time.perf_counter())
        except SystemExit as error:  # it would end this thread alone
            self.error = error

    def rate(self, seconds):
        """Answers a second in the last so many seconds."""
        since = time.perf_counter() - seconds
        return sum(moment >= since for moment in self.moments) / seconds

    def stop(self):
        """Waits for the last answer; ends the benchmark where there was none."""
        self._ends.set()
        self.join()
        if self.error:
            raise self.error
