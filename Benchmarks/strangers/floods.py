"""What a stranger does with the key of one app, beside which another app's client has to get on.

Each attack runs in a process of its own, calls `begins` once all is made that it needs, and counts in `told`
what it was answered.
"""

import collections
import gzip
import itertools
import json
import selectors
import threading
import time

from kit.collisions import colliding_ids

from . import blocks, elements
from .wire import NOON, answer, connect, head

ZIPPED = "Content-Encoding: gzip\r\n"
NAMES_BATCHES, NAMES_EVENTS, NAMES_ATTRIBUTES = 14, 5000, 32
HALF_CONNECTIONS, HALF_BODY = 256, 1 << 20


class Phase:
    """One attack. `seconds` is when it is ended, or for one that ends by itself None.

    The honest client posts batches of so many `events`.
    """

    def __init__(self, name, attack, seconds=None, restarts=False, events=1):
        self.name, self.attack, self.seconds = name, attack, seconds
        self.restarts, self.events = restarts, events


# --- ids that collide


def collide(ids, connections):
    """Batches of one event of one device, one after the other on each of the connections."""

    def attack(port, token, told, begins):
        opened = [connect(port, timeout=120) for _ in range(connections)]
        begins()
        for number, connection in enumerate(itertools.cycle(opened)):
            if number >= connections:
                told[answer(connection)] += 1
            body = json.dumps(
                {
                    "batch_id": ids[number % len(ids)],
                    "resource": {"app.installation.id": "stranger"},
                    "events": [{"name": "screen.view", "time": NOON}],
                }
            ).encode()
            connection.sendall(head(token, len(body)) + body)

    return attack


# --- names


def _named(batch_id, events):
    """A zipped batch; an event is the keys of its attributes."""
    lines = (
        '{"name":"n","time":%d,"attributes":{%s}}' % (NOON, ",".join(f'"{key}":0' for key in keys))
        for keys in events
    )
    text = '{"batch_id":"%s","resource":{"app.installation.id":"stranger"},"events":[%s]}'
    return gzip.compress((text % (batch_id, ",".join(lines))).encode(), 6)


def _key(number):
    """Not in the order in which they come."""
    return "k" + f"{number:08d}"[::-1]


def _events(numbers):
    return [
        [_key(number) for number in numbers[at : at + NAMES_ATTRIBUTES]]
        for at in range(0, len(numbers), NAMES_ATTRIBUTES)
    ]


def new_names():
    """Each batch has 160,000 keys that nobody had before."""
    size = NAMES_EVENTS * NAMES_ATTRIBUTES
    return [
        _named(f"new-{number}", _events(range(number * size, (number + 1) * size)))
        for number in range(NAMES_BATCHES)
    ]


KNOWN = 3000 * NAMES_ATTRIBUTES  # fewer than the default of max-names


def introduction():
    """One batch that makes KNOWN keys known."""
    return _named("introduction", _events(range(KNOWN)))


def known_names():
    """As many attributes as `new_names`, of keys that one batch before has made known."""
    size = NAMES_EVENTS * NAMES_ATTRIBUTES
    return [
        _named(
            f"known-{number}",
            _events([(number * size + at * 7919) % KNOWN for at in range(size)]),
        )
        for number in range(NAMES_BATCHES)
    ]


def post_at_once(bodies):
    """Each on a connection of its own; ends with the last answer."""

    def one(port, token, body, told):
        try:
            connection = connect(port, timeout=240)
            connection.sendall(head(token, len(body), ZIPPED) + body)
            told[answer(connection)] += 1
        except OSError as error:
            told[type(error).__name__] += 1

    def attack(port, token, told, begins):
        threads = [
            threading.Thread(target=one, args=(port, token, body, told)) for body in bodies()
        ]
        begins()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    return attack


# --- half bodies


class _HalfBody:
    """A connection whose body never gets its last octet."""

    def __init__(self, port, token):
        self.socket = connect(port, timeout=60)
        self.socket.sendall(head(token, HALF_BODY))
        self.socket.setblocking(False)
        self.missing = HALF_BODY - 1

    def send(self, octets):
        self.missing -= self.socket.send(octets[: self.missing])

    def status(self):
        """Of the answer that there is; "closed" without one."""
        try:
            octets = self.socket.recv(65536)
        except OSError:
            octets = b""
        return int(octets[9:12]) if octets[:5] == b"HTTP/" else "closed"


def half_bodies(port, token, told, begins):
    """256 of them; one that is ended comes again a second later."""
    begins()
    octets = b" " * 65536
    selector = selectors.DefaultSelector()
    due = collections.deque([time.monotonic()] * HALF_CONNECTIONS)
    while True:
        while due and due[0] <= time.monotonic():
            due.popleft()
            half = _HalfBody(port, token)
            selector.register(half.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, half)
        for key, events in selector.select(0.05):
            half = key.data
            try:
                if events & selectors.EVENT_WRITE and half.missing:
                    half.send(octets)
                    if not half.missing:
                        selector.modify(half.socket, selectors.EVENT_READ, half)
                if not events & selectors.EVENT_READ:
                    continue
            except BlockingIOError:
                continue
            except OSError:
                pass
            told[half.status()] += 1
            selector.unregister(half.socket)
            half.socket.close()
            due.append(time.monotonic() + 1)


# --- all of them


class Flood:
    """`prepare` is what the stranger posts before the honest client is measured alone."""

    def __init__(self, *phases, prepare=None):
        self.phases, self._prepare = phases, prepare

    def prepare(self, port, token):
        if self._prepare is None:
            return
        told = collections.Counter()
        post_at_once(lambda: [self._prepare()])(port, token, told, lambda: None)
        if set(told) != {200}:
            raise SystemExit(f"hostile: what had to be there before was answered {dict(told)}")


JUDGED = 800  # events of a batch that a loop leaves to a judge


def elements_on(place, limits, connections, seconds, events):
    """A phase for each kind of body, beside batches of so many events."""

    def attack(kind):
        def post(*arguments):
            elements.post_again(elements.Body(kind, limits), connections)(*arguments)

        return post

    return Flood(
        *(Phase(f"{kind}, {place}", attack(kind), seconds, events=events) for kind in elements.KINDS)
    )


def empty_blocks(octets, connections):
    def post(*arguments):
        elements.post_again(blocks.Body(octets), connections)(*arguments)

    return post


def floods(seconds):
    """By name; the longest takes so many seconds, others a part of that."""
    ids = list(colliding_ids(240_000))
    return {
        "collisions": Flood(
            Phase("8 colliding", collide(ids[:200_000], 8), seconds),
            Phase("restart, 128", collide(ids[200_000:], 128), seconds / 4, restarts=True),
        ),
        "new names": Flood(Phase("new names", post_at_once(new_names))),
        "known names": Flood(
            Phase("known names", post_at_once(known_names)), prepare=introduction
        ),
        "half bodies": Flood(Phase("half bodies", half_bodies, seconds / 3)),
        "elements on loops": elements_on(
            "loops", elements.LOOP, elements.LOOP_CONNECTIONS, seconds / 6, events=1
        ),
        "elements at judges": elements_on(
            "judges", elements.JUDGE, elements.JUDGE_CONNECTIONS, seconds / 6, events=JUDGED
        ),
        "blocks": Flood(
            *(
                Phase(f"blocks, {place}", empty_blocks(octets, connections), seconds / 6, events=events)
                for place, octets, connections, events in blocks.SIZES
            )
        ),
    }
