"""What goes wrong, drawn from a seed. Each lane is a thread with one fault at a time; several lanes overlap."""
import collections
import glob
import os
import random
import shutil
import signal
import threading
import time

from parts import Failure
from trouble.cluster import REACH
from trouble.ledger import now


class Faults:
    """All lanes of a round."""

    def __init__(self, machine, ledger, seed, say):
        self.machine, self.ledger, self.say = machine, ledger, say
        self.counts, self.lock = collections.Counter(), threading.Lock()
        # From when on no engine is started again: that would have nodes hand over again what they did in the last
        # ten minutes, and hide what was lost.
        self.quiet, self.ending = threading.Event(), threading.Event()
        self.lanes = [EngineLane(self, f"{seed}-{name}", name) for name in machine.servers]
        self.lanes += [NodeLane(self, f"{seed}-{node.name}", node) for node in machine.nodes]
        self.lanes += [LinkLane(self, f"{seed}-link-{index}") for index in range(3)]

    def run(self, seconds, quiet):
        """quiet: so many of them, in the end, without a start of an engine."""
        for lane in self.lanes:
            lane.start()
        time.sleep(seconds - quiet)
        self.quiet.set()
        self.say("from here on no engine is started again")
        time.sleep(quiet)
        self.ending.set()
        for lane in self.lanes:
            lane.join()

    def count(self, kind, text):
        with self.lock:
            self.counts[kind] += 1
        self.say(text)


class Lane(threading.Thread):
    # Seconds between two faults, odds of each kind.
    gaps, kinds = (1, 2), {}

    def __init__(self, faults, seed):
        super().__init__(daemon=True)
        self.faults, self.machine, self.ending = faults, faults.machine, faults.ending
        self.random = random.Random(seed)

    def run(self):
        while not self.ending.wait(self.random.uniform(*self.gaps)):
            kind = self.random.choices(list(self.kinds), list(self.kinds.values()))[0]
            try:
                getattr(self, kind)()
            except (Failure, OSError) as failure:
                self.faults.ledger.is_wrong(f"{kind}: {failure}")

    def count(self, kind, text):
        self.faults.count(kind, text)

    def last(self, low, high):
        """A fault's time, unless the end comes before."""
        return self.ending.wait(self.random.uniform(low, high))


class EngineLane(Lane):
    gaps = (5, 40)
    kinds = {"kill": 3, "stop": 2, "lose": 3, "roll_back": 2}

    def __init__(self, faults, seed, name):
        super().__init__(faults, seed)
        self.name, self.part = name, self.machine.servers[name]

    def kill(self):
        if self.faults.quiet.is_set():
            return self.stop()
        self.part.kill()
        self.count("engines killed", f"{self.name} killed, and its data copied")
        self.machine.copy(self.name)
        self.last(1, 20)
        self.back()

    def back(self):
        self.machine.again(self.part)
        self.part.wait()
        self.faults.say(f"{self.name} is back")

    def stop(self):
        os.kill(self.part.process.pid, signal.SIGSTOP)
        self.count("engines stopped", f"{self.name} stopped")
        self.last(1, 20)
        os.kill(self.part.process.pid, signal.SIGCONT)
        self.faults.say(f"{self.name} goes on")

    def lose(self):
        """As by a power cut: what it acknowledged in the last minutes is gone. Nodes see to that by themselves."""
        self.put_back("engines that lost their last minutes", now() - REACH * 1000, isolated=True)

    def roll_back(self):
        """To a copy of any age. Nodes have to be told."""
        self.put_back("engines rolled back", 0, isolated=False)

    def put_back(self, kind, since, isolated):
        with self.machine.disks:
            copies = [copy for copy in self.machine.copies[self.name] if copy[0] >= since]
            if self.faults.quiet.is_set() or not copies:
                # Which makes a copy, unless it is quiet.
                return self.kill()
            moment, place = self.random.choice(copies)
            with self.faults.lock:
                self.machine.doubts += not isolated
            self.part.kill()
            age = (now() - moment) / 1000
            self.count(kind, f"{self.name} killed, and put back to what it was {age:.1f} s ago"
                       + (", which nobody is told" if isolated else ""))
            self.machine.put_back(self.name, place)
            self.last(0.5, 5)
            self.back()
            if not isolated:
                # Nodes may see for themselves that it was started again, before they are told or after.
                self.last(0, 10)
                for node in self.machine.nodes:
                    self.tell(node, moment)
            told = now()
            # Until then a node must not lose what only its disk has.
            if not self.machine.until(lambda: self.machine.have_signed(told), 120):
                self.faults.say("not all nodes have got through to engine-1 within two minutes")
            with self.faults.lock:
                self.machine.doubts -= not isolated
                self.machine.last_doubt = now()

    def tell(self, node, moment):
        """sojourn forward --again --since MOMENT"""
        with node.busy:
            for last in [False] * 9 + [True]:
                try:
                    node.sojourn("forward", "--again", "--since", str(moment))
                    break
                except Failure:
                    if last:
                        raise
                    time.sleep(1)
        self.faults.say(f"{node.name} hands over again what came since {moment}")


class NodeLane(Lane):
    gaps = (15, 50)
    kinds = {"kill": 6, "copy": 2, "restore": 1}

    def __init__(self, faults, seed, node):
        super().__init__(faults, seed)
        self.node = node

    def kill(self):
        with self.node.busy:
            self.node.kill()
            self.count("nodes killed", f"{self.node.name} killed")
            self.last(0.3, 8)
            self.back()

    def back(self):
        self.machine.again(self.node)
        self.node.wait()
        self.faults.say(f"{self.node.name} is back")

    def copy(self):
        """sojourn backup"""
        place = self.machine.path("backups", f"{self.node.name}-{now()}")
        with self.node.busy:
            self.node.sojourn("backup", place)
            if self.node.copy:
                shutil.rmtree(self.node.copy)
            self.node.copy = place
        self.faults.say(f"{self.node.name} copied")

    def restore(self):
        """sojourn restore, when everything is handed over: what was not would be lost with the disk."""
        if not self.node.copy:
            return self.copy()
        with self.machine.disks, self.node.busy:
            self.node.gate.close()
            try:
                moment = now()
                if not self.machine.until(
                        lambda: self.machine.are_done(moment, [self.node]), 40, self.ending):
                    return self.faults.say(f"{self.node.name} is not put back: it has not handed over everything")
                self.node.kill()
                self.count("nodes put back", f"{self.node.name} killed, and put back to its copy")
                for path in glob.glob(os.path.join(self.node.folder, "data", "sojourn.db*")):
                    os.unlink(path)
                self.node.sojourn("restore", self.node.copy)
                self.back()
                # They may lack what now is in the engine alone.
                self.machine.forget_copies()
            finally:
                self.node.gate.open()


class LinkLane(Lane):
    gaps = (0.5, 6)
    kinds = {"trouble": 1}

    def trouble(self):
        link = self.random.choice(self.machine.links)
        kind = self.random.choice(link.KINDS)
        odds = 1 if kind == "refuse" else self.random.choice([0.3, 0.6, 1])
        if kind in link.trouble:
            return
        link.begin(kind, odds)
        self.count(f"links that {kind}", f"{link.name}: {kind} {odds:.0%}")
        self.last(1, 6)
        link.end(kind)
        self.faults.say(f"{link.name}: no {kind} any more")
