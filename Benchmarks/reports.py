#!/usr/bin/env python3
"""Times every report over a large population, beside the same question put to DuckDB.

    Benchmarks/reports.py --native FOLDER --keep FOLDER [--events N] [--devices N] [--days N]
        [--page FILE] PROGRAM

The population is made, posted to the server as sealed batches, and kept for the next run. Every
answer is compared with DuckDB's. Exits 1 if any differs or a question cannot be asked.
`make bench-reports` brings what this needs.
"""

import argparse
import datetime
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from kit import beside, comparing, duck, machine, page  # noqa: E402
from kit.asker import Asker  # noqa: E402
from kit.dataset import Dataset  # noqa: E402
from kit.native import Native  # noqa: E402
from kit.questions import of_numbers, questions  # noqa: E402
from kit.server import fail  # noqa: E402

ROUNDS = 5
LONG = 1_000_000  # lines of a stream from which on one round has to do
NUMBERS = 10_000_000  # the most events of the second population
PLACE = "bench-reports"


def timed(work, rounds=ROUNDS):
    """Median seconds."""
    times = []
    for _ in range(rounds):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


class Comparison:
    """Asks both of one data set, and remembers where they differ."""

    def __init__(self, dataset, database):
        self.dataset, self.duck = dataset, database
        self.differences, self.worst_contention = [], 0.0

    def asker(self):
        return Asker(self.dataset.server, self.dataset.manifest["report_token"])

    def first_answer(self, question, forgets):
        """Seconds of the first report after a start, with the files in the page cache or not."""
        self.dataset.server.stop()
        if forgets:
            machine.forget_cached(self.dataset.data)
        self.dataset.server.start()
        return self.asker().ask(question.report, question.parameters)[0]

    def measure(self, question):
        """One row of the table."""
        started = page.milliseconds(self.first_answer(question, forgets=False))
        cold = page.milliseconds(self.first_answer(question, forgets=True))
        asker = self.asker()
        rows = asker.ask(question.report, question.parameters)[1]
        self.dataset.server.settle()
        watch = machine.Contention(self.dataset.server.pid)
        warm = timed(lambda: asker.ask(question.report, question.parameters))
        try:
            theirs = self.duck.ask(question.sql)
            other = timed(lambda: self.duck.ask(question.sql))
        except Exception as error:  # whatever DuckDB has against the query
            fail(f"DuckDB on {question.report}, {question.label}: {error}")
        self.worst_contention = max(self.worst_contention, watch.cores())
        difference = comparing.difference(rows, theirs, question.sums)
        if difference:
            self.differences.append(f"{question.report}, {question.label}: {difference}")
        row = [
            f"`{question.report}`",
            question.label,
            page.milliseconds(warm),
            started,
            cold,
            page.milliseconds(other),
            page.number(warm / other, 2),
            "no" if difference else "sums" if question.sums else "yes",
        ]
        print("  ".join(row), flush=True)
        return row

    def measure_stream(self, report, label, parameters, where):
        """One row of the streams' table: lines a second, beside DuckDB's copying to NDJSON. CPU of long ones."""
        asker = self.asker()
        pid = self.dataset.server.pid
        used = machine.process_seconds(pid)
        seconds, lines = asker.count_lines(report, parameters)
        used = machine.process_seconds(pid) - used
        rounds = 1 if lines >= LONG else ROUNDS
        if rounds > 1:
            seconds = timed(lambda: asker.count_lines(report, parameters), rounds)
        rows = f"SELECT * FROM e WHERE {where} ORDER BY time, batch, idx"
        # DuckDB computes in this process.
        own = time.process_time()
        other = timed(
            lambda: self.duck.run(f"COPY ({rows}) TO '{os.devnull}' (FORMAT json)"), rounds
        )
        own = time.process_time() - own
        wanted = self.duck.ask(f"SELECT count(*) AS n FROM e WHERE {where}")[0]["n"]
        if lines != wanted:
            self.differences.append(f"{label}: {lines} lines, not {wanted}")
        row = [
            label,
            f"{lines:,}",
            page.milliseconds(seconds),
            page.number(lines / seconds),
            page.milliseconds(other),
            page.number(seconds / other, 2),
            *(page.number(cpu / lines * 1e6, 2) if rounds == 1 else "–" for cpu in (used, own)),
        ]
        print("  ".join(row), flush=True)
        return row

    def measure_streams(self):
        last, days = self.dataset.last_day(), self.dataset.manifest["days"]
        first = last - datetime.timedelta(days=days - 1)
        every = [("from", first.isoformat()), ("to", last.isoformat())]
        line = self.asker().first_line("export", every)
        number = int(line["batch_id"].split("-")[1])
        device = f"devices/{line['device']}"
        return [
            self.measure_stream("export", "`export`, whole", every, "TRUE"),
            self.measure_stream(device, "`devices`, one", [], f"device = {number}"),
        ]


def heading(given, comparison, start_seconds):
    made = comparison.dataset.manifest
    worst = comparison.worst_contention
    warning = " **(too much: do not trust these figures)**" if worst > 0.2 else ""
    return (
        f"{made['events']:,} events of {made['devices']:,} devices over {made['days']} days, in "
        f"{made['made']['batches']:,} batches and {made['made']['sessions']:,} sessions; "
        f"{made['octets_per_event']:.0f} octets an event on disk. "
        f"{page.heading(given.program)}, DuckDB {duck.version()} with {comparison.duck.threads} threads. "
        f"While questions were asked, others took at most {worst:.2f} cores{warning}. "
        f"The server rested {made['settled_after']:,.0f} s after the last batch, and was ready "
        f"{start_seconds * 1000:,.0f} ms after a start."
    )


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--native", required=True, help="folder of the built C programs")
    parser.add_argument("--keep", required=True, help="where the data set stays")
    parser.add_argument("--events", type=int, default=10_000_000)
    parser.add_argument("--devices", type=int, default=200_000)
    parser.add_argument("--days", type=int, default=90)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=10, help="of each run of ingest")
    parser.add_argument("--page", help="the page whose tables are replaced")
    return parser.parse_args()


def numbers_of(given):
    """A population of its own, in which every event carries a number."""
    dataset = Dataset(
        os.path.join(given.keep, "numbers"), given.program, Native(given.native), of_numbers=True
    )
    dataset.prepare(min(given.events, NUMBERS), given.devices, given.days, given.seed)
    duck.load(dataset.folder, dataset.duck_path)
    return Comparison(dataset, duck.Duck(dataset.duck_path))


def main():
    given = arguments()
    duck.version()
    if given.page:
        page.parts(given.page, PLACE)
    dataset = Dataset(given.keep, given.program, Native(given.native))
    dataset.prepare(given.events, given.devices, given.days, given.seed)
    duck.load(dataset.folder, dataset.duck_path)
    comparison = Comparison(dataset, duck.Duck(dataset.duck_path))
    start_seconds = dataset.server.start()
    try:
        asked = questions(dataset.last_day(), given.days, dataset.arrival_days())
        rows = [comparison.measure(question) for question in asked]
        streams = comparison.measure_streams()
    finally:
        dataset.server.stop()
    numbers = numbers_of(given)
    numbers.dataset.server.start()
    try:
        asked = of_numbers(numbers.dataset.last_day(), given.days)
        rows += [numbers.measure(question) for question in asked]
    finally:
        numbers.dataset.server.stop()
    ingest = beside.measure(dataset, given.program, given.seconds)
    if given.page:
        heads = ["report", "asked", "warm ms", "started ms", "cold ms", "DuckDB ms", "÷ DuckDB"]
        stream_heads = ["stream", "lines", "ms", "lines/s", "DuckDB ms", "÷ DuckDB"]
        stream_heads += ["CPU µs/line", "DuckDB's"]
        parts = [
            heading(given, comparison, start_seconds),
            page.table([*heads, "equal"], rows),
            page.table(stream_heads, streams),
            ingest,
        ]
        page.replace(given.page, PLACE, "\n\n".join(parts))
        print(f"written to {given.page}")
    differences = comparison.differences + numbers.differences
    for difference in differences:
        print(f"differs: {difference}", file=sys.stderr)
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
