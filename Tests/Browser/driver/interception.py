"""Answers given to a page in place of a server's."""
import base64
import threading
from dataclasses import dataclass, field

from .pipe import BrowserError
from .traffic import Request

# A handler's word for: no server is there.
REFUSED = object()


@dataclass
class Answer:
    status: int
    headers: dict = field(default_factory=dict)
    body: bytes = b""


class Interception:
    """Handlers are asked one after the other, the latest first, each request in a thread of its own, so that they
    may wait. A handler gets a `Request` and gives an `Answer`, `REFUSED`, or None to pass it on. Where a server asks for
    a password by HTTP, the browser's dialog is closed without one."""

    def __init__(self, send):
        self._send = send
        self._handlers = []

    def add(self, handler):
        if not self._handlers:
            self._send("Fetch.enable", patterns=[{"urlPattern": "http*"}], handleAuthRequests=True)
        self._handlers.insert(0, handler)

    def clear(self):
        """Whatever was asked before: from now on the server answers."""
        self._handlers = []
        self._send("Fetch.disable")

    def follow(self, method, parameters):
        step = {"Fetch.requestPaused": self._decide, "Fetch.authRequired": self._close_dialog}.get(method)
        if step:
            threading.Thread(target=step, args=(parameters,), daemon=True).start()

    def _close_dialog(self, p):
        try:
            self._send("Fetch.continueWithAuth", requestId=p["requestId"], authChallengeResponse={"response": "CancelAuth"})
        except BrowserError:
            pass  # The page has given the request up meanwhile.

    def _decide(self, p):
        request = Request(p["request"]["url"], p["request"]["method"], p["request"]["headers"])
        found = (handler(request) for handler in list(self._handlers))
        decision = next((one for one in found if one is not None), None)
        try:
            self._carry_out(p["requestId"], decision)
        except BrowserError:
            pass  # The page has given the request up meanwhile.

    def _carry_out(self, identifier, decision):
        if decision is None:
            self._send("Fetch.continueRequest", requestId=identifier)
        elif decision is REFUSED:
            self._send("Fetch.failRequest", requestId=identifier, errorReason="ConnectionRefused")
        else:
            self._send(
                "Fetch.fulfillRequest", requestId=identifier, responseCode=decision.status,
                responseHeaders=[{"name": k, "value": v} for k, v in decision.headers.items()],
                body=base64.b64encode(decision.body).decode())
