"""What a page asks over the network, and what it complains about."""
import json
import threading
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit


@dataclass
class Request:
    """url: with its fragment; status: None until answered; outcome: "", "done", or how it failed; size: bytes transferred."""
    url: str
    method: str
    headers: dict
    status: int = None
    outcome: str = ""
    size: int = 0
    answer: dict = field(default_factory=dict)

    @property
    def path(self):
        return urlsplit(self.url).path

    @property
    def pairs(self):
        """The query, decoded, in its order."""
        return parse_qsl(urlsplit(self.url).query, keep_blank_values=True)

    def header(self, name):
        return next((value for key, value in self.headers.items() if key.lower() == name), None)


class Traffic:
    """Follows the events of one page."""

    def __init__(self):
        self.requests, self.complaints, self.downloads = [], [], {}
        self._by_id = {}
        self._lock = threading.Lock()
        self._handlers = {
            "Network.requestWillBeSent": self._sent,
            "Network.requestWillBeSentExtraInfo": self._sent_more,
            "Network.responseReceived": self._received,
            "Network.loadingFinished": lambda p: self._ended(p, "done"),
            "Network.loadingFailed": lambda p: self._ended(p, p["errorText"]),
            "Runtime.consoleAPICalled": self._logged,
            "Runtime.exceptionThrown": self._thrown,
            "Log.entryAdded": self._reported,
            "Audits.issueAdded": self._issue,
            "Browser.downloadWillBegin": self._download,
            "Browser.downloadProgress": self._progress,
        }

    def follow(self, method, parameters):
        handler = self._handlers.get(method)
        if handler is not None:
            with self._lock:
                handler(parameters)

    def _sent(self, p):
        asked = p["request"]
        request = Request(asked["url"] + asked.get("urlFragment", ""), asked["method"],
                          dict(asked["headers"]))
        self._by_id[p["requestId"]] = request
        self.requests.append(request)

    def _sent_more(self, p):
        if request := self._by_id.get(p["requestId"]):
            request.headers.update(p["headers"])

    def _received(self, p):
        if request := self._by_id.get(p["requestId"]):
            request.status = p["response"]["status"]
            request.answer = {k.lower(): v for k, v in p["response"]["headers"].items()}

    def _ended(self, p, outcome):
        if request := self._by_id.get(p["requestId"]):
            request.outcome = outcome
            request.size = int(p.get("encodedDataLength", 0))

    def _logged(self, p):
        words = " ".join(str(one.get("value", one.get("description", ""))) for one in p["args"])
        self.complaints.append(f"console.{p['type']}: {words}")

    def _thrown(self, p):
        details = p["exceptionDetails"]
        said = details.get("exception", {}).get("description") or details["text"]
        self.complaints.append(f"exception: {said}")

    def _reported(self, p):
        entry = p["entry"]
        self.complaints.append(f"{entry['source']} {entry['level']}: {entry['text']} {entry.get('url', '')}")

    def _issue(self, p):
        issue = p["issue"]
        if issue["code"] == "ContentSecurityPolicyIssue":
            self.complaints.append("policy: " + json.dumps(issue["details"])[:300])

    def _download(self, p):
        self.downloads[p["guid"]] = {"name": p["suggestedFilename"], "state": "inProgress"}

    def _progress(self, p):
        if p["guid"] in self.downloads:
            self.downloads[p["guid"]]["state"] = p["state"]
