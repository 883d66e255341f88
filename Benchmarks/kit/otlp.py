"""OTLP beside plain: the same events as an exporter of logs sends them, and as our own batches."""

import datetime
import statistics
import time

from . import page
from .asker import Asker
from .server import fail

SIZES = (50, 500)
DEVICES = 100  # of a Collector's request, each with 50 events: 110 kB sent, 650 kB inflated
COLLECTOR = 160  # such requests a second that no run is thought to exceed
RETRIED = 3_000  # requests that are posted and retried, for each second of a round
HEAD = [
    "events a request", "events/s", "CPU µs/event", "p50 ms", "p99 ms", "bytes/event", "peak MiB",
]  # fmt: skip
FIGURES = [
    ("events_per_s", 0), ("server_cpu_us", 2), ("p50_ms", 1), ("p99_ms", 1),
    ("sent_octets_per_event", 1),
]  # fmt: skip


def _row(name, events, runs):
    peak = statistics.median(told["server_peak_kib"] for told in runs) / 1024
    row = [name, page.number(events), *page.medians(runs, FIGURES), page.number(peak)]
    print("  ".join(row), flush=True)
    return row


def _post(bench, form, program=None, **options):
    """On a fresh server, as long as a round is."""
    server = bench.fresh_server(program)
    token = server.ingest_token(bench.app)
    return bench.fresh_load(bench.given.seconds, server=server, form=form, token=token, **options)


def _in_turn(bench):
    """A table, and sentences about the ratios in it."""
    ways = {"plain": ("plain", None), "otlp": ("otlp", None)}
    if bench.given.before:
        ways["plain before"] = ("plain", bench.given.before)
    runs = {(name, events): [] for events in SIZES for name in ways}
    for number in range(bench.given.rounds):
        for (name, events), told in runs.items():
            form, program = ways[name]
            told.append(_post(bench, form, program, events=events, seed=number + 1))
            print(
                f"round {number + 1}, {name} of {events}: {told[-1]['events_per_s']:,} events/s "
                f"at {told[-1]['server_cpu_us']:.2f} µs",
                flush=True,
            )
    ratios = []
    for events in SIZES:
        cpu = {name: [told["server_cpu_us"] for told in runs[name, events]] for name in ways}
        of = f"{events} events a request"
        ratios.append(page.compared(f"otlp ÷ plain, {of}", cpu["otlp"], cpu["plain"]))
        if bench.given.before:
            what = f"plain ÷ plain before, {of}"
            ratios.append(page.compared(what, cpu["plain"], cpu["plain before"]))
    rows = [_row(name, events, told) for (name, events), told in runs.items()]
    return page.table(["64 connections", *HEAD], rows), " ".join(ratios)


def _retry(bench):
    """Every record twice, the second time in batches without their first record.

    Rows of both passes; the benchmark ends where the second has stored anything.
    """
    server, now = bench.fresh_server(), int(time.time() * 1000)
    report_token, token = server.report_token(), server.ingest_token(bench.app)
    batches, warmup = int(RETRIED * bench.given.seconds), 300
    options = {"form": "otlp", "token": token, "now": now, "batches": batches, "warmup": warmup}
    day = datetime.datetime.fromtimestamp(now / 1000, datetime.timezone.utc).date()
    asked = [("from", (day - datetime.timedelta(days=1)).isoformat()), ("to", day.isoformat())]

    def stored():
        _, rows = Asker(server, report_token, bench.app).ask("events", asked)
        return sum(row["events"] for row in rows)

    with server:
        first = bench.load(server, 0, **options)
        before = stored()
        again = bench.load(server, 0, leave_out=1, **options)
        after = stored()
    bench.remove(server)
    if not before == after == 50 * (batches + warmup):
        fail(f"{batches + warmup:,} batches of 50 are {before:,} events, {after:,} after a retry")
    return [
        _row("otlp, posted for the first time", 50, [first]),
        _row("… retried in other batches", 49, [again]),
    ]


def _alone(bench):
    requests = max(64, int(COLLECTOR * bench.given.seconds))
    collector = {"resources": DEVICES, "batches": requests, "warmup": 32}
    rows = [
        _row("otlp-json", 50, [_post(bench, "otlp-json")]),
        _row(
            f"otlp of a Collector, {DEVICES} devices a request", 50 * DEVICES,
            [_post(bench, "otlp", **collector)],
        ),
        *_retry(bench),
    ]  # fmt: skip
    return page.table(["64 connections, one run each", *HEAD], rows)


def measure(bench):
    """What the page says of it."""
    table, ratios = _in_turn(bench)
    return "\n\n".join([table, ratios, _alone(bench)])
