#!/usr/bin/env python3
"""What an engine costs: a node that hands over at full speed, and every report answered by a real engine.

    Benchmarks/cluster.py --native FOLDER --keep FOLDER [--only ingest|reports] [--rounds 3] [--seconds 10]
        [--long 300] [--page FILE] PROGRAM

The node hands over to a sink, which answers as Debian's ClickHouse, to which it passes on all but the rows of batches.
Reports are asked of Debian's ClickHouse 18.16 and of today's (chdb), and compared byte for byte with those of a node
without an engine. Exits 1 where a bound of the tables is not held. `make bench-cluster` brings what this needs.
"""

import argparse
import os
import shutil
import signal
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from kit import page  # noqa: E402
from kit.dataset import Dataset  # noqa: E402
from kit.native import Native  # noqa: E402
from engine.ingest import HandingOver  # noqa: E402
from engine.nodes import Failure  # noqa: E402
from engine.reports import Reports  # noqa: E402

PLACES = {"ingest": "bench-cluster-ingest", "reports": "bench-cluster-reports"}


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--native", required=True, help="folder of the built C programs")
    parser.add_argument("--keep", required=True, help="where the data set stays, that of reports.py")
    parser.add_argument("--only", choices=list(PLACES), help="half of it")
    parser.add_argument("--events", type=int, default=10_000_000)
    parser.add_argument("--devices", type=int, default=200_000)
    parser.add_argument("--days", type=int, default=90)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3, help="of each way to take batches, in turn")
    parser.add_argument("--seconds", type=float, default=10, help="of each of them")
    parser.add_argument("--long", type=float, default=300, help="seconds at full speed, with the engine and without")
    parser.add_argument("--page", help="the page whose tables are replaced")
    return parser.parse_args()


def measure_ingest(given, folder):
    """Text for the page, and complaints."""
    bench = HandingOver(given, folder)
    try:
        return bench.text(), bench.complaints
    finally:
        bench.end()


def measure_reports(given, folder):
    """Text for the page, and complaints."""
    dataset = Dataset(given.keep, given.program, Native(given.native))
    dataset.prepare(given.events, given.devices, given.days, given.seed)
    reports = Reports(dataset, given.program, folder)
    asked, seconds = reports.run()
    return reports.tables(asked, seconds), reports.complaints(asked)


def interrupted(_number, _frame):
    raise KeyboardInterrupt


def main():
    given = arguments()
    signal.signal(signal.SIGTERM, interrupted)
    wanted = [given.only] if given.only else list(PLACES)
    if given.page:
        for name in wanted:
            page.parts(given.page, PLACES[name])
    # Not /tmp, which may be memory: syncs have to cost what they cost.
    folder = tempfile.mkdtemp(prefix="cluster-", dir=os.path.dirname(os.path.abspath(given.native)))
    complaints = []
    try:
        for name in wanted:
            text, more = {"ingest": measure_ingest, "reports": measure_reports}[name](given, folder)
            complaints += more
            whole = f"{page.heading(given.program)}.\n\n{text}"
            print(whole, flush=True)
            if given.page:
                page.replace(given.page, PLACES[name], whole)
                print(f"written to {given.page}")
    except Failure as failure:
        sys.exit(f"benchmark: {failure}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for complaint in complaints:
        print(f"not as it has to be: {complaint}", file=sys.stderr)
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
