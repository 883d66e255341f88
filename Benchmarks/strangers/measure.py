"""Processes beside each other: the honest client, and one that is not."""

import collections
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import time

from kit.machine import Contention
from kit.server import Server

from .honest import Posts, post
from .signs import Signs

# What is made before is there in the other process.
PROCESSES = multiprocessing.get_context("fork")
PAUSE = 0.01  # between posts of the calm honest client
PATIENCE = 300  # for an attack that ends by itself, in seconds


class Site:
    """A server on a fresh data directory with two apps: the stranger's, and the honest client's."""

    APPS = ("shop", "honest")

    def __init__(self, program, *settings):
        self.folder = tempfile.mkdtemp(prefix="sojourn-hostile-")
        self.signs = Signs(os.path.join(self.folder, "notify"))
        self.server = Server(
            program, os.path.join(self.folder, "data"), settings, self.signs.environment
        )
        self.tokens = {}
        for app in self.APPS:
            self.server.command("app", "add", app, "--allow-plain")
            made = self.server.command("token", "add", "--scope", "ingest", "--app", app)
            self.tokens[app] = made["token"]

    @property
    def port(self):
        return self.server.port

    def __enter__(self):
        self.signs.__enter__()
        self.server.start()
        return self

    def __exit__(self, *_):
        self.server.kill()
        self.signs.__exit__()
        shutil.rmtree(self.folder)


class Honest:
    """A process that posts until it is told to stop."""

    def __init__(self, site, app, **options):
        self._stop, self._results = PROCESSES.Event(), PROCESSES.Queue()
        self._process = PROCESSES.Process(
            target=post,
            args=(site.port, site.tokens[app], app, self._results, self._stop.is_set),
            kwargs=options,
        )
        self._process.start()

    def stop(self):
        self._stop.set()
        times, wrong = self._results.get(timeout=120)
        self._process.join()
        return Posts(times, wrong)


def alone(site, seconds, app="honest", **options):
    client = Honest(site, app, **options)
    time.sleep(seconds)
    return client.stop()


def _attack(attack, port, token, begins, results):
    told = collections.Counter()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    try:
        attack(port, token, told, begins.set)
    finally:
        results.put(dict(told))


class Beside:
    """The posts of the calm honest client beside one phase of a flood."""

    def __init__(self, site, phase):
        begins, results = PROCESSES.Event(), PROCESSES.Queue()
        stranger = PROCESSES.Process(
            target=_attack, args=(phase.attack, site.port, site.tokens["shop"], begins, results)
        )
        stranger.start()
        begins.wait(PATIENCE)
        client = Honest(site, "honest", events=phase.events, pause=PAUSE)
        contention, begun = Contention(site.server.pid), time.monotonic()
        stranger.join(PATIENCE if phase.seconds is None else phase.seconds)
        self.posts = client.stop()
        ended = time.monotonic()
        if stranger.is_alive():
            stranger.terminate()
        self.told = results.get(timeout=60)
        stranger.join(10)
        stranger.kill()
        self.seconds = ended - begun
        self.cores_of_others = contention.cores()
        self.longest_gap = site.signs.longest_gap(begun, ended)
