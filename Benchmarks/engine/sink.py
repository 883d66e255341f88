"""Stands before an engine's HTTP interface: passes requests on, and counts.

    sink.py PORT ENGINE-PORT [--swallow]

With --swallow the rows of batches and arrivals go no further: they are read, counted and answered 200, so that they
cost next to nothing. `GET /counted` says what has come, as JSON.
"""
import collections
import http.client
import json
import re
import socket
import sys
import threading
import time
from urllib.parse import parse_qs, unquote, urlsplit

SWALLOWED = re.compile(rb"[?&]query=INSERT%20INTO%20(?:batch|arrival)%20")
ROOM = 1 << 20
KEPT = 4096  # statements that are remembered


class Counts:
    """What has come, over all connections."""

    def __init__(self):
        self.lock = threading.Lock()
        self.inserts = self.row_bytes = 0
        self.passed = collections.deque(maxlen=KEPT)

    def swallowed(self, length):
        with self.lock:
            self.inserts += 1
            self.row_bytes += length

    def told(self):
        """All of it; what was passed on is told once."""
        with self.lock:
            passed, self.passed = list(self.passed), collections.deque(maxlen=KEPT)
            return {"inserts": self.inserts, "row_bytes": self.row_bytes, "passed": passed}


class Guest(threading.Thread):
    """A connection of a node."""

    def __init__(self, connection, port, swallows, counts):
        super().__init__(daemon=True)
        self.connection, self.swallows, self.counts = connection, swallows, counts
        self.engine = http.client.HTTPConnection("127.0.0.1", port, timeout=3600)
        self.rest = b""  # what has come beyond the last request
        self.room = bytearray(ROOM)

    def run(self):
        try:
            while (head := self.head()) is not None:
                self.answer(*head)
        except (OSError, http.client.HTTPException, ValueError):
            pass  # one side is gone: the other sees the connection end
        finally:
            self.connection.close()
            self.engine.close()

    def head(self):
        """Method, target and fields of the next request; None where no more come."""
        while b"\r\n\r\n" not in self.rest:
            more = self.connection.recv(1 << 16)
            if not more:
                return None
            self.rest += more
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        first, *lines = head.split(b"\r\n")
        method, target, _ = first.split(b" ")
        fields = {}
        for line in lines:
            name, value = line.split(b":", 1)
            fields[name.strip().lower().decode()] = value.strip().decode()
        return method.decode(), target, fields

    def answer(self, method, target, fields):
        length = int(fields.get("content-length", 0))
        if target == b"/counted":
            return self.say(200, json.dumps(self.counts.told()).encode())
        if self.swallows and SWALLOWED.search(target):
            self.drop(length)
            self.counts.swallowed(length)
            return self.say(200, b"")
        body, begun = self.take(length), time.perf_counter()
        kept = {name: value for name, value in fields.items() if name.startswith("x-") or name == "content-type"}
        self.engine.request(method, target.decode(), body, kept)
        answer = self.engine.getresponse()
        data = answer.read()
        query = parse_qs(urlsplit(target.decode()).query).get("query")
        statement = unquote(query[0]) if query else body.decode("utf-8", "surrogateescape")
        with self.counts.lock:
            self.counts.passed.append((statement, len(data), time.perf_counter() - begun))
        self.say(answer.status, data, answer.getheader("X-ClickHouse-Exception-Code"))

    def take(self, length):
        """A body."""
        parts, missing = [self.rest[:length]], length - len(self.rest)
        self.rest = self.rest[length:]
        while missing > 0:
            part = self.connection.recv(min(missing, ROOM))
            if not part:
                raise OSError("cut")
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)

    def drop(self, length):
        """Reads a body into the same room again and again."""
        missing = length - len(self.rest)
        self.rest = self.rest[length:]
        while missing > 0:
            count = self.connection.recv_into(self.room, min(missing, ROOM))
            if count == 0:
                raise OSError("cut")
            missing -= count

    def say(self, status, data, code=None):
        fields = f"Content-Length: {len(data)}\r\n" + (f"X-ClickHouse-Exception-Code: {code}\r\n" if code else "")
        self.connection.sendall(f"HTTP/1.1 {status} .\r\n{fields}\r\n".encode() + data)


def main():
    port, engine, *more = sys.argv[1:]
    counts = Counts()
    with socket.create_server(("127.0.0.1", int(port)), backlog=128) as listener:
        while True:
            connection, _ = listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            Guest(connection, int(engine), more == ["--swallow"], counts).start()


if __name__ == "__main__":
    main()
