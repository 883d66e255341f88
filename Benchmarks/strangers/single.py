"""Hostile clients of one connection; each runs until it is ended."""

import gzip
import os
import signal
import socket
import struct
import time

from .wire import answer, connect, head


def again(client):
    """Comes back whenever the server has had enough."""

    def forever(port, token):
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        while True:
            try:
                client(port, token)
            except (OSError, ConnectionError):
                pass

    return forever


def silent(port, token):
    connect(port).recv(1)


def slow_header(port, token):
    connection = connect(port)
    connection.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nX: ")
    while True:
        connection.sendall(b"y")
        time.sleep(0.005)


def slow_body(port, token):
    connection = connect(port)
    connection.sendall(head(token, 900_000))
    while True:
        connection.sendall(b" ")
        time.sleep(0.005)


def slow_reader(port, token):
    connection = connect(port)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    connection.sendall(b"GET /report HTTP/1.1\r\nHost: a\r\n\r\n" * 2000)
    while connection.recv(16):
        time.sleep(0.005)


def no_reader(port, token):
    connection = connect(port)
    while True:
        connection.sendall(b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n" * 1000)


def resets(port, token):
    connection = connect(port)
    connection.sendall(b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def garbage(port, token):
    connection = connect(port)
    connection.sendall(os.urandom(4096))
    while connection.recv(65536):
        pass


def too_large(port, token):
    connection = connect(port)
    connection.sendall(head(token, 1 << 40))
    while connection.recv(65536):
        connection.sendall(b"z" * 65536)


def send_all(bodies, more):
    def client(port, token):
        connection = connect(port)
        while True:
            for body in bodies:
                connection.sendall(head(token, len(body), more) + body)
                answer(connection)

    return client


def keys_body():
    """8 MiB of distinct member names, sealed by nobody, gzipped."""
    members = ",".join(f'"k{i}":{i}' for i in range(480_000))
    return gzip.compress(('{"schema":1,"x":{' + members + "}}").encode(), 6)


def kinds():
    """By name; bodies are made once."""
    bomb = gzip.compress(b" " * (256 << 20), 9)[:1_000_000]
    zipped = "Content-Encoding: gzip\r\n"
    clients = {
        "silent": silent,
        "slow header": slow_header,
        "slow body": slow_body,
        "slow reader": slow_reader,
        "no reader": no_reader,
        "resets": resets,
        "garbage": garbage,
        "413": too_large,
        "gzip bombs": send_all([bomb], zipped),
        "distinct keys": send_all([keys_body()], zipped),
        "deep JSON": send_all([b"[" * 1_000_000], ""),
    }
    return {name: again(client) for name, client in clients.items()}
