"""What lies between a node and an engine's server, and can be in the way."""
import collections
import random
import socket
import struct
import threading
import time

# A reset instead of an end.
RESET = struct.pack("ii", 1, 0)


def abort(*sockets):
    for one in sockets:
        try:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            # Wakes up who reads from it; close alone does not.
            one.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        one.close()


class Link:
    """A port that a node takes for the engine's. Kinds of trouble, each with its odds for a piece of what goes by:

    drop    what the engine answers is not passed on: it has done what it was asked
    cut     the first part of a request is passed on, and no more
    slow    every piece is held for a while
    refuse  nobody listens
    """
    KINDS = ["drop", "cut", "slow", "refuse"]

    def __init__(self, name, port, engine, seed):
        """port: its own; engine: the server's."""
        self.name, self.port, self.engine = name, port, engine
        self.random = random.Random(f"{seed}-{name}")
        self.trouble, self.open, self.lock = {}, set(), threading.Lock()
        self.counts = collections.Counter()
        self.listener = None
        self.listen()

    def listen(self):
        self.listener = socket.create_server(("127.0.0.1", self.port), backlog=64)
        threading.Thread(target=self.accept, args=[self.listener], daemon=True).start()

    def begin(self, kind, odds):
        self.trouble[kind] = odds
        if kind == "refuse":
            abort(self.listener)
            with self.lock:
                aborted, self.open = self.open, set()
            abort(*aborted)

    def end(self, kind):
        if self.trouble.pop(kind, None) is not None and kind == "refuse":
            self.listen()

    def close(self):
        with self.lock:
            abort(self.listener, *self.open)

    def accept(self, listener):
        while True:
            try:
                node, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self.connect, args=[node], daemon=True).start()

    def connect(self, node):
        try:
            engine = socket.create_connection(("127.0.0.1", self.engine), 10)
        except OSError:
            return abort(node)
        engine.settimeout(None)
        for one in (node, engine):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self.lock:
            self.open |= {node, engine}
        back = threading.Thread(target=self.pump, args=[engine, node, self.answer], daemon=True)
        back.start()
        self.pump(node, engine, self.request)
        back.join()
        with self.lock:
            self.open -= {node, engine}
        for one in (node, engine):
            one.close()

    def pump(self, source, target, judge):
        """Until one of them ends; judge says how much of a piece goes on."""
        try:
            while piece := source.recv(1 << 16):
                count = judge(piece)
                target.sendall(piece[:count])
                if count < len(piece):
                    return abort(source, target)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            abort(source, target)

    def request(self, piece):
        self.hold()
        if not self.happens("cut"):
            return len(piece)
        return self.random.randrange(len(piece))

    def answer(self, piece):
        self.hold()
        return 0 if self.happens("drop") else len(piece)

    def hold(self):
        if self.happens("slow"):
            time.sleep(self.random.uniform(0.2, 3))

    def happens(self, kind):
        odds = self.trouble.get(kind)
        if odds is None or self.random.random() >= odds:
            return False
        self.counts[kind] += 1
        return True
