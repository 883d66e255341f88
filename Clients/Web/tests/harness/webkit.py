"""WebKitGTK, in a process of the system's own Python on a display of its own (`webkit_app.py`)."""
import functools
import json
import os
import shutil
import subprocess

from .apps import COMPLAINTS, WKWEBVIEW
from .page import Page

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = "/usr/bin/python3"
ENVIRONMENT = {"WEBKIT_DISABLE_COMPOSITING_MODE": "1", "LIBGL_ALWAYS_SOFTWARE": "1",
               "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1", "NO_AT_BRIDGE": "1"}


class WebKit:
    name = "WebKit"

    @staticmethod
    @functools.cache
    def missing():
        """Why it cannot be used, or None."""
        if not shutil.which("xvfb-run"):
            return "xvfb is not installed"
        asked = [PYTHON, "-c", "import gi; gi.require_version('WebKit2', '4.1')"]
        there = os.path.exists(PYTHON) and not subprocess.run(asked, capture_output=True).returncode
        return None if there else "gir1.2-webkit2-4.1 and python3-gi are not installed"

    def __init__(self):
        self._process = subprocess.Popen(
            ["xvfb-run", "-a", PYTHON, os.path.join(HERE, "webkit_app.py")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, **ENVIRONMENT})

    def send(self, **command):
        """The answer to a command."""
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise AssertionError("WebKit is gone")
        answer = json.loads(line)
        if "error" in answer:
            raise AssertionError(f"{command}: {answer['error']}")
        return answer

    def open(self, url, app, state="complete"):
        """A page with what the app puts into it, once it is parsed or loaded."""
        return WebKitPage(self, url, app, state)

    def close(self):
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()


class WebKitPage(Page):
    """One at a time. `WKWEBVIEW` is the engine's own handler, not an object that is like it."""

    def __init__(self, browser, url, app, state):
        self._browser = browser
        is_own = app == WKWEBVIEW
        post = "window.webkit.messageHandlers.tested"
        script = "" if is_own else app.replace("POST", f"{post}.postMessage.bind({post})")
        handler = "sojourn" if is_own else "tested" if "POST" in app else None
        browser.send(do="open", url=url, script=COMPLAINTS + script, handler=handler)
        self.wait_until_loaded(url, state)

    def evaluate(self, body):
        return self._browser.send(do="run", body=body)["value"]

    def texts(self):
        return self._browser.send(do="tell")["texts"]

    def requests(self):
        return self._browser.send(do="tell")["requests"]

    def close(self):
        self._browser.send(do="close")
