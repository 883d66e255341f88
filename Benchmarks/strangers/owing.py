"""With `rate-limit`: what a stranger with a key of an app, or with nothing but its name, makes the app's devices wait."""

import collections
import gzip
import json
import os
import secrets
import struct
import subprocess
import threading
import time

from kit.server import SECRET

from .measure import Site
from .wire import answer, batch, connect, head

LONGEST = 2.5  # seconds of 429 that are owed at most: what a bucket holds in a second, one more, and a pause
HEADS = 99  # that come at once, before a body of theirs is charged
PATIENCE = 60
SENT = 20


def _large():
    text = '{"batch_id":"x","resource":{"app.installation.id":"z"},"events":[' + " " * 8_388_000 + "]}"
    return gzip.compress(text.encode(), 9)


def _status(port, token, number):
    """Of a batch of a device of its own."""
    connection, body = connect(port), batch(number, 1, device=f"honest-{number}")
    connection.sendall(head(token, len(body)) + body)
    status = answer(connection)
    connection.close()
    return status


def seconds_owed(program):
    """Heads pass one by one; then all their bodies come, 8 MiB inflated each.

    For how long other devices of the app are 429 after that, and what the stranger was answered.
    """
    with Site(program, "--rate-limit", "1") as site:
        token, large = site.tokens["shop"], _large()
        opened = [connect(site.port, timeout=60) for _ in range(HEADS)]
        for connection in opened:
            connection.sendall(head(token, len(large), "Content-Encoding: gzip\r\n"))
        time.sleep(0.3)
        for connection in opened:
            connection.sendall(large)
        told = collections.Counter(answer(connection) for connection in opened)
        begun, refused_at = time.monotonic(), 0.0
        for number in range(int(PATIENCE / 0.05)):
            if _status(site.port, token, number) == 429:
                refused_at = time.monotonic() - begun
            elif refused_at or time.monotonic() - begun > 1:
                break
            time.sleep(0.05)
        return refused_at, dict(told)


def _name_the_key(port, over, told):
    """Bodies that name a key and were sealed by nobody."""
    connection = connect(port)
    while not over.is_set():
        body = secrets.token_bytes(16) + struct.pack(">IB", 4096, 2) + b"k1" + secrets.token_bytes(40)
        coded = "Content-Encoding: gzip, aes128gcm\r\n"
        try:
            connection.sendall(head("-", len(body), coded) + body)
            told[answer(connection)] += 1
        except OSError:
            connection = connect(port)


def sent_beside_names(program):
    """How `sojourn send` of some batches with the key ends, beside two who merely name it.

    Its exit code, its seconds, and what those were answered.
    """
    with Site(program, "--rate-limit", "1") as site:
        site.server.command(
            "key", "add", "--app", "shop", "--profile", "aes128gcm", "--id", "k1",
            "--secret-file", "-", text=SECRET + "\n",
        )  # fmt: skip
        secret = os.path.join(site.folder, "secret")
        files = [os.path.join(site.folder, f"{number}.json") for number in range(SENT)]
        for path, content in [(secret, SECRET), *zip(files, map(_file, range(SENT)))]:
            with open(path, "w") as file:
                file.write(content)
        os.chmod(secret, 0o600)
        over, told = threading.Event(), collections.Counter()
        strangers = [
            threading.Thread(target=_name_the_key, args=(site.port, over, told)) for _ in range(2)
        ]
        for stranger in strangers:
            stranger.start()
        time.sleep(1)
        begun = time.monotonic()
        done = subprocess.run(
            [program, "send", *files, "--url", f"http://127.0.0.1:{site.port}", "--app", "shop",
             "--key", "k1", "--secret-file", secret, "--patience", "3s", "--json"],
            capture_output=True, env=site.server.environment, timeout=PATIENCE,
        )  # fmt: skip
        spent = time.monotonic() - begun
        over.set()
        for stranger in strangers:
            stranger.join()
        return done.returncode, spent, dict(told)


def _file(number):
    events = [{"name": "app.opened", "time": int(time.time() * 1000)}]
    resource = {"app.installation.id": f"sent-{number}"}
    return json.dumps({"batch_id": f"sent-{number}", "resource": resource, "events": events})


def measure(name, program):
    """Prints two rows; returns whether nobody owed longer than `LONGEST`, and all was sent."""
    owed, told = seconds_owed(program)
    print(f"owing          {name:<8} {owed:.1f} s of 429 to the app's devices; {told}", flush=True)
    code, spent, named = sent_beside_names(program)
    print(
        f"named keys     {name:<8} `send` of {SENT} batches took {spent:.1f} s and ended with {code}; "
        f"the stranger was answered {named}",
        flush=True,
    )
    return owed <= LONGEST and code == 0 and spent < 5
