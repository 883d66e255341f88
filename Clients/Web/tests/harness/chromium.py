"""Headless Chromium over its debugging pipe: JSON that ends with a zero byte, on descriptors 3 and 4."""
import itertools
import json
import os
import queue
import shutil
import subprocess
import tempfile
import threading

from .apps import COMPLAINTS
from .page import DEADLINE, Page

FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
    "--remote-debugging-pipe", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-extensions", "--mute-audio",
    "--allow-file-access-from-files", "--window-size=400,600",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]


class Chromium:
    name = "Chromium"

    @staticmethod
    def missing():
        """Why it cannot be used, or None."""
        return None if Chromium.program() else "chromium is not installed"

    @staticmethod
    def program():
        names = (os.environ.get("CHROMIUM"), "chromium", "chromium-browser", "google-chrome")
        return next((path for name in names if name and (path := shutil.which(name))), None)

    def __init__(self):
        self._profile = tempfile.mkdtemp(prefix="sojourn-chromium-")
        commands, self._commands = os.pipe()
        self._answers, answers = os.pipe()
        # The shell lays the ends at 3 and 4, and becomes the browser.
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec "$0" "$@" 3<&{commands} 4>&{answers}', self.program(), *FLAGS,
             f"--user-data-dir={self._profile}"],
            pass_fds=(commands, answers), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self._numbers, self._waiting, self.listeners = itertools.count(1), {}, {}
        threading.Thread(target=self._read, daemon=True).start()

    def send(self, method, session=None, **parameters):
        """The result of a command."""
        number, answers = next(self._numbers), queue.Queue()
        self._waiting[number] = answers
        command = {"id": number, "method": method, "params": parameters}
        if session:
            command["sessionId"] = session
        text = json.dumps(command).encode() + b"\0"
        while text:
            text = text[os.write(self._commands, text):]
        try:
            answer = answers.get(timeout=2 * DEADLINE)
        except queue.Empty:
            raise AssertionError(f"{method}: no answer") from None
        if "error" in answer:
            raise AssertionError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def _read(self):
        rest = b""
        while piece := os.read(self._answers, 1 << 20):
            *texts, rest = (rest + piece).split(b"\0")
            for message in map(json.loads, texts):
                if "id" in message:
                    self._waiting.pop(message["id"]).put(message)
                elif listener := self.listeners.get(message.get("sessionId")):
                    listener(message["method"], message["params"])
        for answers in list(self._waiting.values()):
            answers.put({"error": {"message": "the browser is gone"}})

    def open(self, url, app, state="complete"):
        """A page with what the app puts into it, once it is parsed or loaded."""
        return ChromiumPage(self, url, app, state)

    def close(self):
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._profile, ignore_errors=True)


class ChromiumPage(Page):
    def __init__(self, browser, url, app, state):
        self._browser, self._texts, self._requests = browser, [], []
        self._target = browser.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = browser.send("Target.attachToTarget", targetId=self._target,
                                     flatten=True)["sessionId"]
        browser.listeners[self._session] = self._hear
        self._send("Page.enable")
        self._send("Runtime.enable")
        self._send("Emulation.setDeviceMetricsOverride", width=400, height=600,
                   deviceScaleFactor=1, mobile=False)
        self._send("Runtime.addBinding", name="tested")
        script = COMPLAINTS + app.replace("POST", "window.tested")
        self._send("Page.addScriptToEvaluateOnNewDocument", source=script)
        self._send("Page.navigate", url=url)
        self.wait_until_loaded(url, state)

    def _send(self, method, **parameters):
        return self._browser.send(method, self._session, **parameters)

    def _hear(self, method, parameters):
        if method == "Runtime.bindingCalled":
            self._texts.append(parameters["payload"])
        elif method == "Page.frameRequestedNavigation":
            is_page = parameters["frameId"] == self._target
            self._requests.append(("page " if is_page else "") + parameters["url"])

    def evaluate(self, body):
        result = self._send("Runtime.evaluate", expression=f"(async () => {{ {body} }})()",
                            awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in result:
            raise AssertionError(f"{body}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def texts(self):
        return list(self._texts)

    def requests(self):
        return list(self._requests)

    def close(self):
        self._browser.send("Target.closeTarget", targetId=self._target)
        self._browser.listeners.pop(self._session)
