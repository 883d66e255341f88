"""The pictures of docs/images: screenshots.py FOLDER PROGRAM (scripts/screenshots.sh brings what it needs).

A simulated app at a set clock (libfaketime): the same data and the same page each time.
"""

import contextlib
import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Tests", "Browser"))
from driver import Browser  # noqa: E402

# The server starts twice: what comes in takes minutes, and the pictures show the time.
FILLING = "2026-11-23 17:15:00"
NOW = "2026-11-23 17:35:00"
TODAY = NOW[:10]
ADDRESS = "127.0.0.1:18099"
APP = "teahouse"
STEPS = ["order.menu", "order.item_added", "order.checkout", "order.purchase"]
PICTURES = {
    "dashboard-light": {"options": {}, "height": 1330},
    "dashboard-dark": {"options": {"dark": True}, "height": 1330},
    "dashboard-narrow": {"options": {"width": 390, "touch": True}, "height": 1900},
}
# The clock that only goes forward stays true.
ENVIRONMENT = {**os.environ, "TZ": "UTC", "LANG": "C.UTF-8", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}


def at(moment):
    return ["faketime", "-f", "@" + moment]


def command(program, data, *arguments, before=()):
    line = [*before, program, *arguments, "--data", data]
    done = subprocess.run(line, capture_output=True, text=True, env=ENVIRONMENT)
    if done.returncode:
        sys.exit(f"screenshots: {' '.join(line[:3])} ended with {done.returncode}: {done.stderr.strip()[-1000:]}")
    return done.stdout


def is_ready():
    try:
        connection = http.client.HTTPConnection(ADDRESS, timeout=5)
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    except OSError:
        return False


@contextlib.contextmanager
def serving(program, data, moment):
    serve = [*at(moment), program, "serve", "--data", data, "--listen", ADDRESS, "--admin-listen", "off"]
    server = subprocess.Popen(serve, env=ENVIRONMENT, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 20
        while not is_ready():
            if server.poll() is not None or time.monotonic() > end:
                sys.exit("screenshots: the server was not ready in 20 s")
            time.sleep(0.05)
        yield
    finally:
        # faketime stays the server's parent, and ends after it: the next server finds the data free.
        with open(f"/proc/{server.pid}/task/{server.pid}/children") as children:
            for child in children.read().split():
                os.kill(int(child), signal.SIGTERM)
        server.wait(60)


def fill(program, data):
    url = ["--url", f"http://{ADDRESS}"]
    population = ["--devices", "700", "--days", "75", "--seed", "7", "--until", TODAY]
    # What the way takes is in the times of a clock that the server puts right: no two runs would give the same.
    right = ["--wrong-clocks", "0", "--set-clocks", "0"]
    command(program, data, "simulate", "--app", APP, *population, *right, *url, before=at(FILLING))


def take(folder, token):
    view = "&".join(f"step={step}" for step in STEPS)
    browser = Browser(zone="Europe/Berlin")
    try:
        for name, picture in PICTURES.items():
            page = browser.page(reduced=True, **picture["options"])
            page.go(f"http://{ADDRESS}/#app={APP}&{view}&token={token}")
            page.until("document.body?.dataset.settled", 60)
            path = os.path.join(folder, name + ".png")
            page.picture(path, picture["height"])
            page.close()
            if page.complaints:
                sys.exit(f"screenshots: the page complains: {page.complaints}")
            print(f"{path}: {os.path.getsize(path):,} bytes")
    finally:
        browser.close()


def main():
    folder, program = sys.argv[1:]
    program = os.path.abspath(program)
    with tempfile.TemporaryDirectory() as home:
        data = os.path.join(home, "data")
        command(program, data, "app", "add", APP, "--name", "Teahouse", "--time-zone", "Europe/Berlin")
        command(program, data, "key", "add", "--app", APP, "--profile", "aes128gcm", "--id", "key-1")
        token = json.loads(command(program, data, "token", "add", "--scope", "report", "--json"))["token"]
        with serving(program, data, FILLING):
            fill(program, data)
        with serving(program, data, NOW):
            take(folder, token)


if __name__ == "__main__":
    main()
