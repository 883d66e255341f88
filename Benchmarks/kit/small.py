"""Small batches, as phones send them, beside peers and another build: what a request costs, not an event."""

import statistics

from . import page

SIZES = (1, 10, 50)
HEAD = ["64 connections", "events a batch", "batches/s", "events/s", "CPU µs/batch", "CPU µs/event"]


def _row(name, events, runs):
    figures = [("requests_per_s", 0), ("events_per_s", 0)]
    cpu = statistics.median(told["server_cpu_us"] for told in runs)
    row = [name, str(events), *page.medians(runs, figures), page.number(cpu * events, 1)]
    row += [page.number(cpu, 2), *page.medians(runs, [("p50_ms", 2), ("p99_ms", 1)])]
    peak = statistics.median(told["server_peak_kib"] for told in runs) / 1024
    return [*row, page.number(peak)]


def measure(bench):
    """A table, and sentences about the ratios in it: all take turns on fresh databases."""
    ways = {"server": bench.fresh_load}
    if bench.given.before:
        ways["before"] = bench.before_load
    for peer in bench.given.peer:
        ways[peer.name] = lambda *of, peer=peer, **more: bench.peer_load(peer, *of, **more)
    runs = {(name, events): [] for events in SIZES for name in ways}
    for number in range(bench.given.rounds):
        for (name, events), told in runs.items():
            told.append(ways[name](bench.given.seconds, events=events, seed=number + 1))
            print(
                f"round {number + 1}, {name}, {events} a batch: "
                f"{told[-1]['requests_per_s']:,} batches/s at "
                f"{told[-1]['server_cpu_us'] * events:.1f} µs",
                flush=True,
            )
    ratios = []
    for name, events in runs:
        if name != "server":
            ours, theirs = runs["server", events], runs[name, events]
            what = f"{name} ÷ server, {events} a batch"
            ratios.append(page.compared(what, *_cpu(theirs, ours)))
            rates = [one["events_per_s"] / other["events_per_s"] for one, other in zip(ours, theirs)]
            ratios.append(f"Rate, server ÷ {name}: **{statistics.median(rates):.2f}**.")
    rows = [_row(name, events, told) for (name, events), told in runs.items()]
    return "\n\n".join([page.table([*HEAD, "p50 ms", "p99 ms", "peak MiB"], rows), " ".join(ratios)])


def _cpu(*runs):
    return [[told["server_cpu_us"] for told in of] for of in runs]
