"""Devices that post batches to nodes of their choice, and again until one says 200, or though it did."""
import heapq
import http.client
import itertools
import json
import random
import socket
import threading
import time

from machine import APP
from trouble.ledger import Batch, now

# Batches of so many seconds have counters of one name.
WINDOW = 20
DEADLINE = 4
# Odds that a device
HANGS_UP = 0.06         # does not wait for the answer,
REPEATS = 0.1           # sends again what was answered 200,
GIVES_UP = 0.04         # never sends again what was not,
CHANGES_NODE = 0.6      # takes another node for the next attempt,
HAS_A_WRONG_CLOCK = 0.2
LOST = "lost"


class Devices(threading.Thread):
    """Some devices in one thread."""
    numbers = itertools.count(1)

    def __init__(self, number, machine, ledger, rate, seed):
        """rate: new batches a second."""
        super().__init__(daemon=True)
        self.machine, self.ledger, self.rate = machine, ledger, rate
        self.random = random.Random(f"{seed}-devices-{number}")
        # Each with how far its clock is off, in milliseconds.
        self.names = {f"phone-{number}-{index}": self.random.randrange(-10**7, 10**7)
                      if self.random.random() < HAS_A_WRONG_CLOCK else 0 for index in range(40)}
        # When, in which order, batch, node.
        self.due, self.order = [], itertools.count()
        self.stopping, self.drained = threading.Event(), threading.Event()
        self.resume = threading.Event()
        self.resume.set()

    def run(self):
        following = time.monotonic()
        while not self.stopping.is_set():
            moment = time.monotonic()
            if self.resume.is_set() and following <= moment:
                self.post(self.new(), None)
                following = max(following + self.random.expovariate(self.rate), moment - 1)
            elif self.due and self.due[0][0] <= moment:
                _, _, batch, node = heapq.heappop(self.due)
                self.post(batch, node)
            else:
                if not self.due and not self.resume.is_set():
                    self.drained.set()
                time.sleep(0.01)

    def pause(self):
        """No new batches; drained is set when the last has been sent for the last time."""
        self.drained.clear()
        self.resume.clear()

    def new(self):
        made = now()
        batch = Batch(f"b-{next(self.numbers)}", self.random.choice(list(self.names)),
                      self.random.randint(1, 7), f"w-{made // (1000 * WINDOW)}", made)
        self.ledger.add(batch)
        return batch

    def again(self, batch, node, low, high):
        if node is not None and self.random.random() < CHANGES_NODE:
            node = None
        heapq.heappush(self.due, (time.monotonic() + self.random.uniform(low, high), next(self.order), batch, node))

    def post(self, batch, node):
        node = node or self.random.choice(self.machine.nodes)
        while not node.gate.enter():
            node = self.random.choice(self.machine.nodes)
        self.ledger.sending(batch)
        hangs_up = self.random.random() < HANGS_UP
        try:
            status, body = send(node.devices, self.body(batch), self.machine.ingest, hangs_up)
            if status == 200:
                self.ledger.outcome(200, batch, node.name)
        finally:
            node.gate.leave()
        if status == 200:
            self.judge(batch, node, body)
            if self.random.random() < REPEATS:
                self.again(batch, node, 0.1, 30 if self.resume.is_set() else 1)
            return
        self.ledger.outcome(status)
        if status not in (LOST, 429, 503, 507):
            self.ledger.is_wrong(f"{node.name} answers {status} to {batch}: {body[:200]!r}")
        if batch.answered is None and self.random.random() >= GIVES_UP:
            self.again(batch, node, 0.1, 3)

    def body(self, batch):
        clock = now() + self.names[batch.device]
        return json.dumps({
            "schema": 1, "batch_id": batch.name, "sent_at": clock,
            "resource": {"app.installation.id": batch.device, "os.name": "Test", "service.version": batch.window},
            "events": [{"name": "usage.counter", "time": batch.made + self.names[batch.device],
                        "attributes": {"counter.name": batch.window, "counter.value": 1,
                                       "token": batch.token(index)}} for index in range(batch.events)]}).encode()

    def judge(self, batch, node, body):
        said = json.loads(body)
        if (said["batch_id"], said["accepted"], said["rejected"]) != (batch.name, batch.events, 0):
            self.ledger.is_wrong(f"{node.name} answers 200 to {batch}: {body!r}")


def send(port, body, token, hangs_up):
    """Status and body of the answer, or LOST."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE)
    try:
        connection.request("POST", f"/v1/apps/{APP}/batches", body,
                           {"Authorization": "Bearer " + token, "Content-Type": "application/json"})
        if hangs_up:
            connection.sock.shutdown(socket.SHUT_RDWR)
            return LOST, b""
        answer = connection.getresponse()
        return answer.status, answer.read()
    except (OSError, http.client.HTTPException):
        return LOST, b""
    finally:
        connection.close()
