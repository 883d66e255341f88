#!/usr/bin/env python3
"""Times the dashboard over the population of reports.py, in headless Chromium.

    Benchmarks/dashboard.py --keep FOLDER [--page FILE] PROGRAM

Exits 1 where a view takes longer than the page's budget. `make bench-reports` brings what this needs.
"""

import argparse
import gzip
import http.client
import os
import statistics
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Tests", "Browser"))
from driver import Browser  # noqa: E402
from kit import machine, page  # noqa: E402
from kit.dataset import APP, Dataset  # noqa: E402
from kit.server import fail  # noqa: E402

ROUNDS = 7
PLACE = "bench-dashboard"
VIEWS = [
    ("28 days", ""),
    ("28 days, `os.name=iOS`", "&os.name=iOS"),
    ("90 days", "&range=90d"),
    ("28 days, in another time zone", "&tz=Asia/Kathmandu"),
]
# Milliseconds after navigation, warm and without a filter (docs/dashboard.md, Budgets).
PAINT_BUDGET, SETTLED_BUDGET = 1000, 2000
MEASURED = """[
    performance.getEntriesByType("paint").find(one => one.name === "first-contentful-paint").startTime,
    document.body.dataset.settled - performance.timeOrigin,
]"""
BROKEN = "[...document.querySelectorAll('[data-state=error]')].map(panel => panel.dataset.panel)"


class Visit:
    """The page opened once: milliseconds until its first paint and until all panels stand, and its requests."""

    def __init__(self, browser, server, token, view):
        opened = browser.page()
        opened.go(f"http://127.0.0.1:{server.port}/#app={APP}{view}&token={token}")
        opened.until("document.body?.dataset.settled", 120)
        self.paint, self.settled = opened.run(MEASURED)
        broken = opened.run(BROKEN) + opened.complaints
        asked = [one for one in opened.requests if one.url.startswith("http")]
        self.requests, self.bytes = len(asked), sum(one.size for one in asked)
        opened.close()
        if broken:
            fail(f"the page at {view or 'its defaults'}: {broken}")


def median(visits, name):
    return statistics.median(getattr(visit, name) for visit in visits)


def measure(browser, dataset, label, view):
    """One row of the table, and the medians of the warm visits."""
    server, token = dataset.server, dataset.manifest["report_token"]

    def visit():
        return Visit(browser, server, token, view)

    server.restart()
    cold = visit()
    server.stop()
    machine.forget_cached(dataset.data)
    server.start()
    uncached = visit()
    server.settle()
    warm = [visit() for _ in range(ROUNDS)]
    paint, settled = median(warm, "paint"), median(warm, "settled")
    row = [label, *(page.number(value) for value in (paint, settled, cold.settled, uncached.settled))]
    row += [str(warm[0].requests), page.number(warm[0].bytes / 1024)]
    print("  ".join(row), flush=True)
    return row, paint, settled


def weight(server):
    """Bytes of the document, as it is and as it is sent with gzip."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    connection.request("GET", "/", headers={"Accept-Encoding": "gzip"})
    body = connection.getresponse().read()
    return len(gzip.decompress(body)), len(body)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--keep", required=True, help="the folder of reports.py")
    parser.add_argument("--page", help="the page whose table is replaced")
    return parser.parse_args()


def main():
    given = arguments()
    if given.page:
        page.parts(given.page, PLACE)
    dataset = Dataset(given.keep, given.program, native=None)
    dataset.open_kept()
    browser = Browser()
    dataset.server.start()
    try:
        whole, packed = weight(dataset.server)
        measured = [measure(browser, dataset, *view) for view in VIEWS]
    finally:
        dataset.server.stop()
        browser.close()
    made = dataset.manifest
    text = (
        f"{page.heading(given.program)}. {made['events']:,} events of {made['devices']:,} devices over "
        f"{made['days']} days. The document is {whole:,} bytes, {packed:,} with gzip."
    )
    heads = ["view", "first paint ms", "all panels, warm ms", "cold ms", "from disk ms", "requests", "kB"]
    if given.page:
        table = page.table(heads, [row for row, _, _ in measured])
        page.replace(given.page, PLACE, f"{text}\n\n{table}")
        print(f"written to {given.page}")
    _, paint, settled = measured[0]
    if paint > PAINT_BUDGET or settled > SETTLED_BUDGET:
        fail(f"over the budget: first paint {paint:.0f} ms, all panels {settled:.0f} ms")


if __name__ == "__main__":
    main()
