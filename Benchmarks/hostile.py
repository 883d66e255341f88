#!/usr/bin/env python3
"""One hostile client beside one that posts at full speed: how much longer does the other wait?

    Benchmarks/hostile.py [--seconds 4] [--rounds 2] [--only KIND]… [PROGRAM]

Each kind of hostile client runs beside the poster, in turn with the poster alone, so that both
figures of a ratio come from the same minute. Everything happens on 127.0.0.1. Exits 1 if the p99
beside any kind is more than 3 times the p99 alone, or if a single post was not answered 200.
"""
import argparse
import gzip
import json
import multiprocessing
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

NOON = int(time.time() * 1000) - 3_600_000


def command(program, data, *args):
    done = subprocess.run([program, *args, "--data", data, "--json"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{program} {args[0]}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def batch(number, events=20):
    return json.dumps({
        "schema": 1, "batch_id": f"hostile-{os.getpid()}-{number}", "sent_at": int(time.time() * 1000),
        "resource": {"device.id": f"device-{number % 500}", "os.name": "iOS"},
        "events": [{"name": "screen.view", "time": NOON + i, "attributes": {"app.screen.name": "home"}}
                   for i in range(events)],
    }).encode()


def head(token, length, more=""):
    return (f"POST /v1/apps/shop/batches HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {length}\r\n{more}\r\n").encode()


def connect(port):
    made = socket.create_connection(("127.0.0.1", port), timeout=20)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


def answer(connection):
    got = b""
    while b"\r\n\r\n" not in got:
        piece = connection.recv(65536)
        if not piece:
            raise ConnectionError("closed")
        got += piece
    header, body = got.split(b"\r\n\r\n", 1)
    length = int(header.lower().split(b"content-length:")[1].split(b"\r\n")[0])
    while len(body) < length:
        body += connection.recv(65536)
    return int(header[9:12])


def post_for(port, token, seconds, results):
    connection, number, times, wrong = connect(port), 0, [], 0
    # Batch ids of all runs differ by the process.
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        body = batch(number)
        number += 1
        begun = time.perf_counter()
        connection.sendall(head(token, len(body)) + body)
        wrong += answer(connection) != 200
        times.append(time.perf_counter() - begun)
    results.put((times, wrong))


# --- the hostile ones; each runs until it is ended


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


BOMB = gzip.compress(b" " * (256 << 20), 9)[:1_000_000]
KINDS = {
    "silent": again(silent), "slow header": again(slow_header), "slow body": again(slow_body),
    "slow reader": again(slow_reader), "no reader": again(no_reader), "resets": again(resets),
    "garbage": again(garbage), "413": again(too_large),
    "gzip bombs": again(send_all([BOMB], "Content-Encoding: gzip\r\n")),
    "distinct keys": again(send_all([keys_body()], "Content-Encoding: gzip\r\n")),
    "deep JSON": again(send_all([b"[" * 1_000_000], "")),
}


def measure(port, token, seconds, kind):
    hostile = multiprocessing.Process(target=KINDS[kind], args=(port, token)) if kind else None
    if hostile:
        hostile.start()
        time.sleep(0.3)
    results = multiprocessing.Queue()
    poster = multiprocessing.Process(target=post_for, args=(port, token, seconds, results))
    poster.start()
    times, wrong = results.get()
    poster.join()
    if hostile:
        hostile.kill()
        hostile.join()
    return times, wrong


def p99(times):
    return sorted(times)[int(len(times) * 0.99)] * 1000


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", nargs="?", default=".build/release/sojourn")
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", action="append")
    given = parser.parse_args()
    program = os.path.abspath(given.program)
    folder = tempfile.mkdtemp(prefix="sojourn-hostile-")
    data = folder + "/data"
    command(program, data, "app", "add", "shop", "--allow-plain")
    token = command(program, data, "token", "add", "--scope", "ingest", "--app", "shop")["token"]
    log = open(folder + "/log", "w+")
    server = subprocess.Popen(
        [program, "serve", "--data", data, "--listen", "127.0.0.1:0", "--admin-listen", "off"],
        stderr=log)
    port = None
    while port is None:
        time.sleep(0.05)
        if server.poll() is not None:
            sys.exit(open(folder + "/log").read())
        for line in open(folder + "/log"):
            if "listening on 127.0.0.1:" in line:
                port = int(line.split("127.0.0.1:")[1].split()[0])
    failed = False
    try:
        measure(port, token, 1, None)
        print(f"{'beside':<14} {'posts':>7} {'p99 ms':>8} {'alone':>8} {'ratio':>6}")
        for kind in given.only or KINDS:
            alone, beside, wrong = [], [], 0
            for _ in range(given.rounds):
                for which, into in ((None, alone), (kind, beside)):
                    times, bad = measure(port, token, given.seconds, which)
                    into += times
                    wrong += bad
            ratio = p99(beside) / p99(alone)
            note = f"  {wrong} posts not 200" if wrong else ""
            failed = failed or ratio > 3 or wrong > 0
            print(f"{kind:<14} {len(beside):>7} {p99(beside):>8.2f} {p99(alone):>8.2f} {ratio:>6.2f}{note}",
                  flush=True)
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(40)
        shutil.rmtree(folder)
    print("too slow, or not answered" if failed else "each at most 3 times")
    sys.exit(failed)


if __name__ == "__main__":
    main()
