"""One page: where it goes, what it runs, what it looks like, and what keys it gets."""
import base64
import time

from .interception import Interception
from .pipe import BrowserError
from .traffic import Traffic

DOMAINS = ["Page", "Runtime", "Network", "Log", "Audits"]
KEY_CODES = {
    "Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "PageUp": 33, "PageDown": 34, "End": 35, "Home": 36,
    "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40,
}
KEY_TEXTS = {"Enter": "\r", " ": " "}
SHIFT = 8


class NeverTrue(AssertionError):
    """What was waited for did not come."""


class Page:
    """`requests`, `complaints` and `downloads` are what it did since it was opened.

    width, height: of the window; dark, reduced: what the person prefers; touch: a phone; zone, language: the
    browser's, whatever the server says.
    """

    # Seconds to wait for what has to come, on a machine that is busy with other things.
    patience = 60

    def __init__(self, browser, *, zone, language, width=1280, height=900, dark=False, reduced=False, touch=False):
        self._pipe, self._home = browser.pipe, browser.home
        self._context = self._pipe.send("Target.createBrowserContext")["browserContextId"]
        target = self._pipe.send(
            "Target.createTarget", url="about:blank", browserContextId=self._context)["targetId"]
        self._session = self._pipe.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._traffic = Traffic()
        self._interception = Interception(self.send)
        self._pipe.listen(self._session, self._follow)
        for domain in DOMAINS:
            self.send(domain + ".enable")
        self.send("Browser.setDownloadBehavior", behavior="allowAndName", downloadPath=self._home,
                  browserContextId=self._context, eventsEnabled=True)
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=touch)
        self.prefer(dark, reduced)
        self.send("Emulation.setTimezoneOverride", timezoneId=zone)
        # What the person has set: the browser's own words stay in the language that it has been installed in.
        self.send("Emulation.setUserAgentOverride", userAgent="", acceptLanguage=language)

    def _follow(self, method, parameters):
        self._traffic.follow(method, parameters)
        self._interception.follow(method, parameters)

    @property
    def requests(self):
        return self._traffic.requests

    @property
    def complaints(self):
        return self._traffic.complaints

    @property
    def downloads(self):
        """The files saved so far: [(name, bytes)]."""
        found = []
        for guid, one in list(self._traffic.downloads.items()):
            if one["state"] == "completed":
                with open(f"{self._home}/{guid}", "rb") as file:
                    found.append((one["name"], file.read()))
        return found

    def send(self, method, seconds=60, **parameters):
        return self._pipe.send(method, self._session, seconds, **parameters)

    def intercept(self, handler):
        """`handler(request)` decides before the network does; see `Interception`."""
        self._interception.add(handler)

    def stop_intercepting(self):
        self._interception.clear()

    def prefer(self, dark=False, reduced=False, forced=False):
        features = {
            "prefers-color-scheme": "dark" if dark else "light",
            "prefers-reduced-motion": "reduce" if reduced else "no-preference",
            "forced-colors": "active" if forced else "none",
        }
        self.send("Emulation.setEmulatedMedia",
                  features=[{"name": name, "value": value} for name, value in features.items()])

    def resize(self, width, height=900, touch=False):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=touch)

    # Going and running

    def go(self, url):
        self.send("Page.navigate", url=url)

    def reload(self):
        self.send("Page.reload")

    def run(self, expression, seconds=60):
        """The value of an expression, awaited where it is a promise."""
        return self._value(seconds, expression=expression)

    def run_apart(self, expression, seconds=120):
        """In a world of its own: the page's document without its globals and its policies."""
        frame = self.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
        world = self.send("Page.createIsolatedWorld", frameId=frame, worldName="tests")
        return self._value(seconds, expression=expression, contextId=world["executionContextId"])

    def _value(self, seconds, **what):
        answer = self.send("Runtime.evaluate", seconds, returnByValue=True, awaitPromise=True, **what)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description", details["text"])[:500])
        return answer["result"].get("value")

    def until(self, expression, seconds=None):
        """Waits for an expression to be true, across navigations."""
        seconds = seconds or self.patience
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if self.run(f"!!({expression})"):
                    return
            except BrowserError:
                pass  # Between two documents.
            time.sleep(0.02)
        thrown = [one for one in self.complaints if one.startswith("exception")]
        raise NeverTrue(f"not in {seconds} s: {expression[:160]} {' '.join(thrown)[:300]}")

    def rendered(self):
        """Waits until what was done is laid out, and those who observe sizes have been told."""
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def wait(self, condition, words=""):
        """Waits for `condition()` to be true of what the page did, and gives what it said."""
        end = time.monotonic() + self.patience
        while time.monotonic() < end:
            if found := condition():
                return found
            time.sleep(0.02)
        raise NeverTrue(f"not in {self.patience} s {words}")

    # A person's hands and eyes

    def press(self, key, shift=False):
        text = KEY_TEXTS.get(key, key if len(key) == 1 else None)
        common = {"key": key, "code": key, "windowsVirtualKeyCode": KEY_CODES.get(key, 0),
                  "modifiers": SHIFT if shift else 0}
        down = {"type": "keyDown", "text": text} if text else {"type": "rawKeyDown"}
        self.send("Input.dispatchKeyEvent", **down, **common)
        self.send("Input.dispatchKeyEvent", type="keyUp", **common)

    def write(self, text):
        self.send("Input.insertText", text=text)

    def picture(self, path, height):
        """Writes a PNG of the window's width and `height` pixels from the top."""
        width = self.run("innerWidth")
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        taken = self.send("Page.captureScreenshot", 60, format="png", clip=clip, captureBeyondViewport=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(taken["data"]))

    def close(self):
        self._pipe.forget(self._session)
        try:
            self._pipe.send("Target.disposeBrowserContext", browserContextId=self._context, seconds=10)
        except BrowserError:
            pass
