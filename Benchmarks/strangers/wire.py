"""Requests and answers, as thin as they can be: what is measured is the server."""

import json
import os
import socket
import time

NOON = int(time.time() * 1000) - 3_600_000


def batch(number, events=20, device=None):
    """Batch ids of all runs differ by the process."""
    return json.dumps(
        {
            "schema": 1,
            "batch_id": f"hostile-{os.getpid()}-{number}",
            "sent_at": int(time.time() * 1000),
            "resource": {"device.id": device or f"device-{number % 500}", "os.name": "iOS"},
            "events": [
                {
                    "name": "screen.view",
                    "time": NOON + i,
                    "attributes": {"app.screen.name": "home"},
                }
                for i in range(events)
            ],
        }
    ).encode()


def head(token, length, more="", app="shop"):
    return (
        f"POST /v1/apps/{app}/batches HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {length}\r\n{more}\r\n"
    ).encode()


def connect(port, timeout=20):
    made = socket.create_connection(("127.0.0.1", port), timeout=timeout)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


def answer(connection):
    """Its status; the body is read, too."""
    got = b""
    while b"\r\n\r\n" not in got:
        piece = connection.recv(65536)
        if not piece:
            raise ConnectionError("closed")
        got += piece
    header, body = got.split(b"\r\n\r\n", 1)
    missing = int(header.lower().split(b"content-length:")[1].split(b"\r\n")[0]) - len(body)
    while missing > 0:
        piece = connection.recv(65536)
        if not piece:
            raise ConnectionError("closed")
        missing -= len(piece)
    return int(header[9:12])
