"""The browser's process and the pipe to it.

Chromium reads commands from descriptor 3 and writes answers and events to 4: JSON values, each ended by a zero byte
(`--remote-debugging-pipe`; Chrome DevTools Protocol).
"""

import json
import os
import queue
import shutil
import subprocess
import tempfile
import threading

from .page import Page

FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-extensions",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
    "--mute-audio",
    # Whatever else a page might ask for is nowhere.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
]
NAMES = ("chromium", "chromium-browser", "google-chrome")


class Gone(Exception):
    """The browser gave an error, or no answer."""


def program():
    """The browser's path: CHROMIUM, else the first on the path; None where there is none."""
    found = (shutil.which(name) for name in NAMES)
    return os.environ.get("CHROMIUM") or next((path for path in found if path), None)


class Browser:
    """One process. Each page has storage and a cache of its own."""

    def __init__(self, language="en-GB", zone="UTC"):
        path = program()
        if path is None:
            raise Gone("no Chromium here: apt-get install chromium")
        self.folder = tempfile.mkdtemp(prefix="sojourn-browser-")
        commands, self._commands = os.pipe()
        self._answers, answers = os.pipe()
        # The shell lays the ends at 3 and 4, and becomes the browser.
        wiring = f'exec "$0" "$@" 3<&{commands} 4>&{answers}'
        self.process = subprocess.Popen(
            ["bash", "-c", wiring, path, *FLAGS, f"--user-data-dir={self.folder}", f"--lang={language}"]
            + [f"--accept-lang={language}"],
            pass_fds=(commands, answers),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "LANGUAGE": language, "TZ": zone},
        )
        os.close(commands)
        os.close(answers)
        self._lock, self._last = threading.Lock(), 0
        self._waiting, self._listeners = {}, {}
        threading.Thread(target=self._read, daemon=True).start()

    def call(self, method, session=None, wait=30, **parameters):
        """The result of a command; raises Gone on an error, and without an answer in `wait` seconds."""
        answer = queue.Queue()
        with self._lock:
            self._last += 1
            number = self._last
            self._waiting[number] = answer
            command = {"id": number, "method": method, "params": parameters}
            if session:
                command["sessionId"] = session
            rest = json.dumps(command).encode() + b"\0"
            while rest:
                rest = rest[os.write(self._commands, rest) :]
        try:
            told = answer.get(timeout=wait)
        except queue.Empty:
            raise Gone(f"{method}: no answer in {wait} s") from None
        finally:
            self._waiting.pop(number, None)
        if "error" in told:
            raise Gone(f"{method}: {told['error']['message']}")
        return told["result"]

    def page(self, **options):
        return Page(self, **options)

    def listen(self, session, listener):
        """`listener(method, parameters)` gets the session's events, on the reading thread; None ends that."""
        if listener is None:
            self._listeners.pop(session, None)
        else:
            self._listeners[session] = listener

    def close(self):
        try:
            self.call("Browser.close", wait=5)
            self.process.wait(10)
        except (Gone, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _read(self):
        rest = b""
        while True:
            piece = os.read(self._answers, 1 << 20)
            if not piece:
                for answer in list(self._waiting.values()):
                    answer.put({"error": {"message": "the browser is gone"}})
                return
            *whole, rest = (rest + piece).split(b"\0")
            for text in whole:
                self._deliver(json.loads(text))

    def _deliver(self, message):
        if "id" in message:
            answer = self._waiting.get(message["id"])
            if answer:
                answer.put(message)
        elif message.get("sessionId") in self._listeners:
            self._listeners[message["sessionId"]](message["method"], message["params"])
