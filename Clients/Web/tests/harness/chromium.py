"""Pages in headless Chromium, by the driver of the dashboard's tests."""
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), *[".."] * 4, "Tests", "Browser"))
from driver import Browser, find_chromium  # noqa: E402

from .apps import COMPLAINTS  # noqa: E402
from .page import DEADLINE, Page  # noqa: E402

FLAGS = ["--allow-file-access-from-files", "--window-size=400,600"]


class Chromium:
    name = "Chromium"

    @staticmethod
    def missing():
        """Why it cannot be used, or None."""
        return None if find_chromium() else "chromium is not installed"

    def __init__(self):
        self._browser = Browser(flags=FLAGS)
        self.pipe = self._browser.pipe

    def open(self, url, app, state="complete"):
        """A page with what the app puts into it, once it is parsed or loaded."""
        return ChromiumPage(self, url, app, state)

    def close(self):
        self._browser.close()


class ChromiumPage(Page):
    def __init__(self, browser, url, app, state):
        self._pipe, self._texts, self._requests = browser.pipe, [], []
        self._target = self._pipe.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._pipe.send("Target.attachToTarget", targetId=self._target,
                                     flatten=True)["sessionId"]
        self._pipe.listen(self._session, self._hear)
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
        return self._pipe.send(method, self._session, 2 * DEADLINE, **parameters)

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
        self._pipe.send("Target.closeTarget", targetId=self._target)
        self._pipe.forget(self._session)
