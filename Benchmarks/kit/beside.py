"""Ingest at full load into a database of the population's size, alone and beside a report loop."""

import datetime
import os
import shutil
import statistics

from . import page
from .asker import Asker, ReportLoop
from .server import Server

APP = "load"
RATE = 9_000  # batches a second that no run is thought to exceed
ROUNDS = 3
FIGURES = [("events_per_s", 0), ("p50_ms", 1), ("p99_ms", 1), ("p999_ms", 1)]


def _load(dataset, server, seconds, seed):
    batches = seconds * RATE
    return dataset.native.load(server, APP, batches=batches, warmup=300, seconds=seconds, seed=seed)


def measure(dataset, program, seconds):
    """The table; both in turn, on a copy of the data, so that the kept one stays as it was loaded."""
    data = dataset.copy_of_data("ingest")
    server = Server(program, data, dataset.server.settings)
    last = dataset.last_day()
    month = [
        ("from", (last - datetime.timedelta(days=29)).isoformat()),
        ("to", last.isoformat()),
    ]
    alone, beside, answers = [], [], []
    server.make_app(APP)
    with server:
        for number in range(ROUNDS):
            alone.append(_load(dataset, server, seconds, 100 + number))
            loop = ReportLoop(Asker(server, dataset.manifest["report_token"]), month)
            loop.start()
            beside.append(_load(dataset, server, seconds, 200 + number))
            # It ran while the batches were made, too.
            answers.append(loop.rate(beside[-1]["seconds"]))
            loop.stop()
    shutil.rmtree(os.path.dirname(data))
    rows = []
    for name, runs, asked in (("alone", alone, None), ("beside a report loop", beside, answers)):
        row = [name, *page.medians(runs, FIGURES)]
        row.append(page.number(statistics.median(asked), 1) if asked else "–")
        rows.append(row)
        print("  ".join(row), flush=True)
    head = ["ingest into that database", "events/s", "p50 ms", "p99 ms", "p99.9 ms"]
    return page.table([*head, "reports/s"], rows)
