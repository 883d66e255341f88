"""What is deleted beside a writer: how long another app's batches wait for it.

A stranger's device has brought as many names as its app may have, and is erased while another app's events come all
the time; or it has first completions of very many contents, whose events a prune deletes before the device is erased.
"""

import collections
import gzip
import time

from .floods import ZIPPED
from .measure import PAUSE, PROCESSES, Honest, Site, alone
from .wire import answer, connect, head

LONGER = 100  # ms of p99
CALM = 4  # seconds
AT_ONCE = 5_000  # events of a batch
NAMES = 100_000  # the default of max-names
COMPLETIONS = 400_000
STEADY = {"events": 500, "pause": 1 / 60}
MONTHS = 300 * 86_400_000


def _bodies(count, event):
    text = '{"batch_id":"erased-%d","resource":{"app.installation.id":"stranger"},"events":[%s]}'
    for first in range(0, count, AT_ONCE):
        events = ",".join(map(event, range(first, min(first + AT_ONCE, count))))
        yield gzip.compress((text % (first, events)).encode(), 1)


def _post(site, bodies):
    told = collections.Counter()
    connection = connect(site.port, timeout=240)
    for body in bodies:
        connection.sendall(head(site.tokens["shop"], len(body), ZIPPED) + body)
        told[answer(connection)] += 1
    connection.close()
    if set(told) != {200}:
        raise SystemExit(f"hostile: what had to be there before was answered {dict(told)}")


def _command(site, arguments, results):
    begun, done = time.monotonic(), None
    try:
        done = site.server.command(*arguments)
    finally:
        # Whatever it raised: somebody waits for this.
        results.put((done, time.monotonic() - begun))


def _beside(site, what, name, calm, *arguments):
    """Prints a row for a command beside the calm client; returns whether that waited no longer than it may."""
    client, results = Honest(site, "honest", events=1, pause=PAUSE), PROCESSES.Queue()
    command = PROCESSES.Process(target=_command, args=(site, arguments, results))
    command.start()
    try:
        done, took = results.get(timeout=600)
        command.join()
    finally:
        posts = client.stop()
    if done is None:
        raise SystemExit(f"hostile: {' '.join(arguments)} failed")
    cells = (
        f"{share} {posts.milliseconds(of):.1f} (alone {calm.milliseconds(of):.1f})"
        for share, of in (("p50", 0.5), ("p99", 0.99), ("longest", 1))
    )
    print(
        f"{what:<14} {name:<8} {len(posts.times)} posts, in ms: {', '.join(cells)}; "
        f"in {took:.1f} s {done}; {posts.wrong} posts not 200",
        flush=True,
    )
    return posts.milliseconds(0.99) - calm.milliseconds(0.99) <= LONGER and posts.wrong == 0


ERASE = ("device", "erase", "--app", "shop", "--device-id", "stranger")


def names(name, program, count=NAMES):
    """Prints a row for so many names; returns whether it kept within the bounds."""
    now = int(time.time() * 1000) - 60_000
    with Site(program) as site:
        _post(site, _bodies(count, lambda number: '{"name":"n%x","time":%d}' % (number, now)))
        steady = Honest(site, "honest", **STEADY)
        try:
            calm = alone(site, CALM, events=1, pause=PAUSE)
            return _beside(site, "erased names", name, calm, *ERASE)
        finally:
            steady.stop()


def completions(name, program, count=COMPLETIONS):
    """Prints two rows for so many completions; returns whether both kept within the bounds."""
    then = int(time.time() * 1000) - MONTHS
    event = '{"name":"content.complete","time":%d,"attributes":{"content.id":"c%x"}}'
    with Site(program) as site:
        _post(site, _bodies(count, lambda number: event % (then, number)))
        calm = alone(site, CALM, events=1, pause=PAUSE)
        held = _beside(site, "pruned", name, calm, "prune", "--older-than", "200d")
        held = _beside(site, "completions", name, calm, *ERASE) and held
    return held
