"""One page: what it is told to do, and what it was seen to do."""

import base64
import threading
import time

KEYS = {
    "Tab": 9,
    "Enter": 13,
    "Escape": 27,
    " ": 32,
    "PageUp": 33,
    "PageDown": 34,
    "End": 35,
    "Home": 36,
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
}
DOMAINS = ("Page", "Runtime", "Network", "Log", "Audits")


class Failed(Exception):
    """The page threw, or a condition never held."""


class Page:
    """
    requests   {url, method, headers, status, answer, bytes, sent, done} in the order in which they were made;
               `answer` has the fields of the answer, `bytes` what was transferred, the moments are seconds
    complaints what the console, an exception or the content security policy said
    """

    def __init__(self, browser, width=1280, height=900, dark=False, reduced=False, touch=False, intercept=None):
        """`intercept(url)` gives None to let a request go on, "fail", or (status, fields, body)."""
        self.browser, self.intercept = browser, intercept
        self.requests, self.complaints, self._by_id = [], [], {}
        self.context = browser.call("Target.createBrowserContext")["browserContextId"]
        target = browser.call("Target.createTarget", url="about:blank", browserContextId=self.context)
        attached = browser.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self.session = attached["sessionId"]
        browser.listen(self.session, self._event)
        for domain in DOMAINS:
            self.do(domain + ".enable")
        if intercept:
            self.do("Fetch.enable", patterns=[{"urlPattern": "*"}])
        self.do(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=touch
        )
        self.look(dark, reduced)

    def do(self, method, wait=30, **parameters):
        return self.browser.call(method, self.session, wait, **parameters)

    def look(self, dark=False, reduced=False, forced=False):
        features = {
            "prefers-color-scheme": "dark" if dark else "light",
            "prefers-reduced-motion": "reduce" if reduced else "no-preference",
            "forced-colors": "active" if forced else "none",
        }
        told = [{"name": name, "value": value} for name, value in features.items()]
        self.do("Emulation.setEmulatedMedia", features=told)

    def go(self, url):
        self.do("Page.navigate", url=url)

    def run(self, script, wait=30):
        """The value of an expression, awaited where it is a promise."""
        return self._value(self.do("Runtime.evaluate", wait, expression=script, returnByValue=True, awaitPromise=True))

    def run_apart(self, script, wait=60):
        """The same in a world of its own: with the page's document, without its policy."""
        frame = self.do("Page.getFrameTree")["frameTree"]["frame"]["id"]
        world = self.do("Page.createIsolatedWorld", frameId=frame)["executionContextId"]
        return self._value(
            self.do("Runtime.evaluate", wait, expression=script, contextId=world, returnByValue=True, awaitPromise=True)
        )

    def until(self, condition, wait=20):
        """Waits until an expression is true; one that throws is not."""
        end = time.monotonic() + wait
        while time.monotonic() < end:
            try:
                if self.run(f"!!({condition})"):
                    return
            except Failed:
                pass
            time.sleep(0.03)
        raise Failed(f"not true in {wait} s: {condition[:200]}")

    def press(self, key, modifiers=0):
        text = {"Enter": "\r", " ": " "}.get(key) or (key if len(key) == 1 else None)
        common = {"key": key, "code": key, "windowsVirtualKeyCode": KEYS.get(key, 0), "modifiers": modifiers}
        down = {"type": "keyDown", "text": text} if text else {"type": "rawKeyDown"}
        self.do("Input.dispatchKeyEvent", **down, **common)
        self.do("Input.dispatchKeyEvent", type="keyUp", **common)

    def picture(self, path, height=None):
        """Saves the page as PNG, whole or down to `height`."""
        size = self.do("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": height or size["height"], "scale": 1}
        shot = self.do("Page.captureScreenshot", 60, format="png", clip=clip, captureBeyondViewport=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def close(self):
        self.browser.listen(self.session, None)
        self.browser.call("Target.disposeBrowserContext", browserContextId=self.context, wait=10)

    @staticmethod
    def _value(told):
        if "exceptionDetails" in told:
            details = told["exceptionDetails"]
            raise Failed(details.get("exception", {}).get("description", details["text"])[:500])
        return told["result"].get("value")

    def _event(self, method, told):
        request = self._by_id.get(told.get("requestId"))
        if method == "Network.requestWillBeSent":
            sent = told["request"]
            request = {
                "url": sent["url"] + sent.get("urlFragment", ""),
                "method": sent["method"],
                "headers": dict(sent["headers"]),
                "status": None,
                "answer": {},
                "bytes": 0,
                "sent": told["timestamp"],
                "done": None,
            }
            self._by_id[told["requestId"]] = request
            self.requests.append(request)
        elif method == "Network.requestWillBeSentExtraInfo" and request:
            request["headers"].update(told["headers"])
        elif method == "Network.responseReceived" and request:
            request["status"] = told["response"]["status"]
            request["answer"] = {name.lower(): value for name, value in told["response"]["headers"].items()}
        elif method == "Network.responseReceivedExtraInfo" and request:
            # A 304 is told here alone.
            request["status"] = told["statusCode"]
        elif method == "Network.loadingFinished" and request:
            request["bytes"], request["done"] = told["encodedDataLength"], told["timestamp"]
        elif method == "Runtime.consoleAPICalled":
            words = [str(one.get("value", one.get("description", ""))) for one in told["args"]]
            self.complaints.append(f"console.{told['type']}: {' '.join(words)}")
        elif method == "Runtime.exceptionThrown":
            details = told["exceptionDetails"]
            self.complaints.append("thrown: " + details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded":
            self.complaints.append(f"log: {told['entry']['text']} {told['entry'].get('url', '')}")
        elif method == "Audits.issueAdded" and told["issue"]["code"] == "ContentSecurityPolicyIssue":
            self.complaints.append(f"policy: {told['issue']['details']}")
        elif method == "Fetch.requestPaused":
            # Apart from the reading thread, which has to hear the answer to what this asks.
            threading.Thread(target=self._answer, args=(told,), daemon=True).start()

    def _answer(self, told):
        answer = self.intercept(told["request"]["url"])
        if answer is None:
            self.do("Fetch.continueRequest", requestId=told["requestId"])
        elif answer == "fail":
            self.do("Fetch.failRequest", requestId=told["requestId"], errorReason="ConnectionRefused")
        else:
            status, fields, body = answer
            self.do(
                "Fetch.fulfillRequest",
                requestId=told["requestId"],
                responseCode=status,
                responseHeaders=[{"name": name, "value": value} for name, value in fields.items()],
                body=base64.b64encode(body).decode(),
            )
