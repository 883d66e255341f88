"""Three nodes and two shards of one server each, with a proxy between each node and each server."""
import concurrent.futures
import http.client
import os
import shutil
import signal
import threading
import time

from machine import APP, NODES, ZONE, Machine
from parts import free_ports
from trouble.ledger import now
from trouble.proxy import Link

ENGINES = ["engine-1", "engine-2"]
# Nodes look for the engine's loss of what it has acknowledged no further back than ten minutes; less some.
REACH = 8 * 60
COPIES = 12
# Merges of no more than so many bytes: they come, so that parts do not become too many, but leave copies of a batch
# in parts of their own, where only FINAL finds them to be one.
SLOW_MERGES = """    <merge_tree>
        <max_bytes_to_merge_at_max_space_in_pool>400000</max_bytes_to_merge_at_max_space_in_pool>
    </merge_tree>
"""


class Cluster(Machine):
    """Machine.start makes deploy/cluster's with replicas; this is the one without."""

    def __init__(self, seed):
        super().__init__()
        self.seed, self.links, self.copies = seed, [], {name: [] for name in ENGINES}
        self.servers, self.ingest = {}, None
        # A process ends with the thread that started it: this one stays.
        self.starter = concurrent.futures.ThreadPoolExecutor(1)
        # Who takes something away from a disk: one at a time, since what one disk has lost the other must have.
        self.disks = threading.Lock()
        # How many rollbacks there are of which not all nodes know; until then nobody promises how far answers are
        # complete.
        self.doubts, self.last_doubt = 0, 0

    def begin(self, part):
        self.parts.append(part)
        return self.again(part)

    def again(self, part):
        return self.starter.submit(part.start).result()

    def start(self, say=lambda text: None):
        say(f"two engines, three nodes and {len(ENGINES) * len(NODES)} proxies")
        for name in ENGINES:
            self.servers[name] = self.start_engine(name, more=SLOW_MERGES)
        for part in self.parts:
            part.wait()
        self.nodes = [self.node(name) for name in NODES]
        for node in self.nodes:
            # Who starts, ends or copies it: one at a time.
            node.gate, node.busy, node.copy = Gate(), threading.Lock(), None
        first = self.nodes[0]
        first.make_tables()
        first.sojourn("app", "add", APP, "--time-zone", ZONE)
        first.sojourn("app", "set", APP, "--allow-plain")
        self.ingest = first.sojourn("token", "add", "--scope", "ingest", "--app", APP)["token"]
        self.token = first.sojourn("token", "add", "--scope", "report", "--app", APP)["token"]
        for node in self.nodes:
            self.begin(node).wait()
        self.wait(lambda: self.have_signed(0), 60, "the engine does not hear of all nodes")
        for name, server in self.servers.items():
            server.kill()
            self.copy(name)
            self.again(server).wait()

    def shards(self, given):
        return []

    def adapted(self, name, settings):
        """Each node has a way of its own to each server."""
        links = [Link(f"{name} to {engine}", port, self.engines[engine], self.seed)
                 for engine, port in zip(ENGINES, free_ports(len(ENGINES)))]
        self.links += links
        return {**settings, "forward-timeout": "4s",
                "forward-to": [f"http://127.0.0.1:{link.port}" for link in links]}

    def ask(self, engine, statement):
        """Straight to a server; None where it does not answer."""
        try:
            return self.query(engine, statement)
        except (OSError, http.client.HTTPException):
            return None

    def copy(self, engine):
        """Of a server that is not running. Its moment is when it was stopped, or later."""
        moment, place = now(), self.path("copies", f"{engine}-{now()}")
        shutil.copytree(self.path(engine, "data"), place)
        copies = self.copies[engine]
        copies.append((moment, place))
        if len(copies) > COPIES:
            # The first one stays for as long as it is of use.
            shutil.rmtree(copies.pop(len(copies) // 2)[1])

    def put_back(self, engine, place):
        """Of a server that is not running."""
        shutil.rmtree(self.path(engine, "data"))
        shutil.copytree(place, self.path(engine, "data"))

    def forget_copies(self):
        """They lack what a node does not have any more."""
        for copies in self.copies.values():
            for _, place in copies:
                shutil.rmtree(place)
            copies.clear()

    def have_said(self, what, moment, nodes):
        said = self.ask("engine-1", f"SELECT node FROM node FINAL WHERE {what} > {moment}")
        return said is not None and {node.name for node in nodes} <= set(said.split())

    def have_signed(self, moment, nodes=None):
        """Whether nodes have said after a moment how far they are."""
        return self.have_said("intDiv(version, 32)", moment, nodes or self.nodes)

    def are_done(self, moment, nodes=None):
        """Whether nodes have handed over all that they answered before a moment."""
        nodes = nodes or self.nodes
        return self.have_said("complete_to", moment, nodes) and not any(waiting(node) for node in nodes)

    def until(self, condition, seconds, cancel=None):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end or cancel is not None and cancel.is_set():
                return False
            time.sleep(0.2)
        return True

    def heal(self):
        """Everything runs, and nothing is in the way."""
        for link in self.links:
            for kind in list(link.trouble):
                link.end(kind)
        for part in [*self.servers.values(), *self.nodes]:
            if part.runs:
                os.kill(part.process.pid, signal.SIGCONT)
            else:
                self.again(part)
        for part in [*self.servers.values(), *self.nodes]:
            part.wait()

    def stop(self):
        for server in self.servers.values():
            if server.runs:
                os.kill(server.process.pid, signal.SIGCONT)
        super().stop()
        for link in self.links:
            link.close()
        self.starter.shutdown()


class Gate:
    """Whether devices may post to a node, and how many do."""

    def __init__(self):
        self.is_open, self.posts, self.lock = True, 0, threading.Lock()

    def enter(self):
        with self.lock:
            self.posts += self.is_open
            return self.is_open

    def leave(self):
        with self.lock:
            self.posts -= 1

    def close(self):
        """Nobody posts from now on."""
        with self.lock:
            self.is_open = False
        while self.posts:
            time.sleep(0.05)

    def open(self):
        self.is_open = True


def waiting(node):
    """Batches that a node has yet to hand over; where it does not answer, more than any number."""
    try:
        return node.metric("sojourn_forward_waiting_batches")
    except (OSError, http.client.HTTPException):
        return float("inf")
