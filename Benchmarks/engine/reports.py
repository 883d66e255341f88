"""Every report of a population from real engines, beside the same answer of a node without one."""
import dataclasses
import os
import re
import shutil
import statistics
import time

from kit import machine, page
from kit.asker import Asker
from kit.questions import MANNERS, questions


from .nodes import Engine, Node, VERSIONS, fresh

ROUNDS = 3
SETTINGS = ["--report-timeout", "10m", "--shutdown-timeout", "10m"]
BOUNDS = {"18.16": 6.0, "today": 3.0}  # seconds
OF_EVENTS = re.compile(r"\bFROM (batch|arrival|refusal)\b")
HAND_OVER = 3600  # seconds at most


@dataclasses.dataclass
class Asked:
    """A question, and what came of it by engine."""

    report: str
    label: str
    parameters: list
    seconds: dict = dataclasses.field(default_factory=dict)
    bytes: dict = dataclasses.field(default_factory=dict)
    equal: dict = dataclasses.field(default_factory=dict)

    def bound(self, version):
        """Seconds that it may take."""
        asked = {name for name, _ in self.parameters}
        is_hard = self.report in ("values", "hours", "lengths") or (self.report == "versions" and "interval" in asked)
        return BOUNDS[version] * (2 if is_hard else 1)


def all_questions(dataset, node):
    """Each report over the last 30 days as it is asked without more, and in its special ways; all of one device."""
    days = dataset.manifest["days"]
    others = {label.format(days=days) for label, *_ in MANNERS}
    found = [Asked(one.report, one.label, one.parameters)
             for one in questions(dataset.last_day(), days, dataset.arrival_days()) if one.label not in others]
    line = Asker(node, dataset.manifest["report_token"]).first_line("export", found[0].parameters)
    return [*found, Asked(f"devices/{line['device']}", "one device's events", [])]


def body(asker, one):
    """Seconds, and the answer without what differs by design."""
    begun = time.perf_counter()
    answer = asker.open(one.report, one.parameters).read()
    took = time.perf_counter() - begun
    return took, re.sub(rb',"cursor":"[^"]*"', b"", answer)


class Reports:
    def __init__(self, dataset, program, folder):
        self.dataset, self.program, self.folder = dataset, program, folder
        self.token = dataset.manifest["report_token"]
        self.hand_overs, self.parts, self.releases, self.others = {}, {}, {}, []

    def copy(self, name):
        """The node's folder with its data."""
        path = os.path.join(self.folder, name)
        fresh(path)
        shutil.copytree(self.dataset.data, os.path.join(path, "data"))
        return os.path.join(path, "data")

    def ask_engine(self, version, asked, expected):
        engine = Engine(fresh(os.path.join(self.folder, version)), version, swallows=False)
        node = Node(self.program, self.copy(f"node-{version}"), engine, SETTINGS)
        try:
            engine.start()
            node.make_tables()
            node.start()
            self.hand_overs[version] = node.hand_over(HAND_OVER)
            self.parts[version] = engine.settle()
            self.releases[version] = engine.query("SELECT version()")
            print(f"{self.releases[version]}: handed over in {self.hand_overs[version]:.0f} s, "
                  f"{self.parts[version]} parts", flush=True)
            for one in asked:
                self.measure(node, engine, version, one, expected[one.report, one.label])
            node.stop()
        finally:
            node.kill()
            engine.end()
            for name in (version, f"node-{version}"):
                shutil.rmtree(os.path.join(self.folder, name), ignore_errors=True)

    def measure(self, node, engine, version, one, expected):
        asker = Asker(node, self.token)
        engine.counted()
        answer = body(asker, one)[1]
        one.bytes[version] = sum(length for statement, length, _ in engine.counted()["passed"]
                                 if OF_EVENTS.search(statement))
        one.equal[version] = answer == expected
        watch = machine.Contention(node.pid, *engine.pids)
        one.seconds[version] = statistics.median(body(asker, one)[0] for _ in range(ROUNDS))
        self.others.append(watch.cores())
        print(f"{version}: {one.report} {one.label}: {one.seconds[version]:.2f} s, {one.bytes[version]:,} bytes, "
              f"{'equal' if one.equal[version] else 'NOT EQUAL'}", flush=True)

    def run(self, versions=tuple(VERSIONS)):
        """The tables, and in words what is not as it has to be."""
        alone = Node(self.program, self.copy("alone"), settings=SETTINGS)
        expected, seconds = {}, {}
        try:
            alone.start()
            asked = all_questions(self.dataset, alone)
            asker = Asker(alone, self.token)
            for one in asked:
                expected[one.report, one.label] = body(asker, one)[1]
                seconds[one.report, one.label] = statistics.median(body(asker, one)[0] for _ in range(ROUNDS))
            alone.stop()
        finally:
            alone.kill()
            shutil.rmtree(os.path.join(self.folder, "alone"), ignore_errors=True)
        for version in versions:
            self.ask_engine(version, asked, expected)
        return asked, seconds

    def complaints(self, asked):
        """What is not as it has to be, in lines."""
        found = []
        for one in asked:
            for version, took in one.seconds.items():
                name = f"{one.report}, {one.label}, from {self.releases[version]}"
                if not one.equal[version]:
                    found.append(f"{name}: another answer than without an engine")
                if took > one.bound(version):
                    found.append(f"{name}: {took:.2f} s, over {one.bound(version):.0f}")
        return found

    def tables(self, asked, seconds):
        """As the page has them."""
        versions = list(self.releases)
        head = ["report", "asked"]
        for version in versions:
            head += [f"{self.releases[version]} ms", "at most", "bytes"]
        rows = []
        for one in asked:
            row = [f"`{one.report.split('/')[0]}`", one.label]
            for version in versions:
                row += [page.milliseconds(one.seconds[version]), page.number(one.bound(version) * 1000),
                        page.number(one.bytes[version])]
            rows.append([*row, page.milliseconds(seconds[one.report, one.label]),
                         "yes" if all(one.equal.values()) else "no"])
        made = self.dataset.manifest
        handed = "; ".join(f"{self.releases[version]} in {self.hand_overs[version]:,.0f} s, "
                           f"{made['events'] / self.hand_overs[version]:,.0f} events/s, "
                           f"into {self.parts[version]} parts" for version in versions)
        text = (f"{made['events']:,} events of {made['devices']:,} devices over {made['days']} days, in "
                f"{made['made']['batches']:,} batches, handed over by one node to an engine of one shard: {handed}. "
                f"While reports were asked for, others took {statistics.median(self.others):.2f} cores in the median "
                f"question, {max(self.others):.2f} in the worst{machine.warning(max(self.others))}.")
        return text + "\n\n" + page.table([*head, "no engine ms", "equal"], rows)
