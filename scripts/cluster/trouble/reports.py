"""Reports while things go wrong: 503, or right."""
import collections
import json
import random
import threading
import time

from machine import APP
from trouble.ledger import now


def days():
    """from and to, so that today is among them in every zone."""
    day = 86_400
    return [time.strftime("%Y-%m-%d", time.gmtime(time.time() + shift * day)) for shift in (-2, 2)]


def export(body):
    """Batch, index and arrival of each line."""
    for line in body.decode().splitlines():
        event = json.loads(line)
        assert event["attributes"]["token"] == f"{event['batch_id']}#{event['index']}", line
        yield event["batch_id"], event["index"], event["received_at"]


class Reports(threading.Thread):
    """Asks any node, now and then."""
    # By status; 200 with the field; the longest that an answer was not complete.
    counts, lag = collections.Counter(), 0

    def __init__(self, number, machine, ledger, seed):
        super().__init__(daemon=True)
        self.machine, self.ledger = machine, ledger
        self.random, self.ending = random.Random(f"{seed}-reports-{number}"), threading.Event()

    def run(self):
        while not self.ending.wait(self.random.uniform(0.5, 3)):
            node = self.random.choice(self.machine.nodes)
            if self.random.random() < 0.8:
                self.ask(node, "counters", "&limit=10000", self.counters)
            else:
                window = self.random.choice(sorted(self.ledger.windows(None))[-6:] or ["w-0"])
                self.ask(node, "export", f"&service.version={window}",
                         lambda body, window=window: self.events(body, window))

    def ask(self, node, report, more, read):
        first, last = days()
        begun = now()
        status, fields, body = node.ask_once(
            f"/report/{report}?app={APP}&from={first}&to={last}{more}", self.machine.token)
        ended, to = now(), fields.get("Sojourn-Complete-To")
        self.counts[status] += 1
        if status != 200:
            # 0: the node was killed, or an export that had begun was cut.
            if status not in (0, 503):
                self.ledger.is_wrong(f"{node.name} answers {status} to {report}: {body[:200]!r}")
            return
        self.counts["complete"] += to is not None
        to = int(to) if to else None
        if to is not None and to > ended:
            self.ledger.is_wrong(f"{node.name}: complete to {to}, and it is only {ended}")
        if self.machine.doubts or self.machine.last_doubt >= begun:
            self.counts["in doubt"] += 1
            to = None
        if to is not None:
            Reports.lag = max(Reports.lag, begun - to)
        self.judge(f"{node.name}, {report}, complete to {to}", to, read(body))

    @staticmethod
    def counters(body):
        """Events by window."""
        return collections.Counter({row["counter"]: row["total"] for row in json.loads(body)["rows"]}), None

    def events(self, body, window):
        found = [event[:2] for event in export(body)]
        if len(set(found)) < len(found):
            self.ledger.is_wrong(f"an export of {window} has an event twice")
        return collections.Counter({window: len(found)}), window

    def judge(self, who, to, found):
        """What was answered before that moment is there, and nothing that nobody sent."""
        counts, only = found
        for window, (answered, sent) in self.ledger.windows(to).items():
            if only in (None, window) and not answered <= counts[window] <= sent:
                self.ledger.is_wrong(f"{who}: {counts[window]} events of {window}, not {answered} to {sent}")
