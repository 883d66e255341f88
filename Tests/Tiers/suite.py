#!/usr/bin/env python3
"""Every test is run by a tier, and every promise has tests: suite.py [WORD…]

Every test of the project is of one tier and run by one of the steps of scripts/steps/tests.py, and every promise of the
table in docs/testing.md has tests, which are there and of the tier that it names. Needs the build for tests.
"""
import glob
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path[:0] = [os.path.join(ROOT, "Tests", "Support", "suites"), os.path.join(ROOT, "scripts", "steps")]

import runner  # noqa: E402
import swift  # noqa: E402
import tests as steps  # noqa: E402
from schedule import Schedule, Step  # noqa: E402

# Suites in Python, with what they want before `--list`.
SUITES = {"Tests/Browser/suite.py": ["-"], "Tests/Deploy/suite.py": ["-"], "Tests/Deploy/cluster.py": ["-"],
          "Tests/OpenTelemetry/suite.py": ["-"], "Tests/Examples/suite.py": ["-"], "Tests/Tiers/suite.py": [],
          "Clients/Swift/Tests/Programs/suite.py": ["-"], "Clients/Web/tests/suite.py": []}
# A step that runs a suite by a script of its own.
SCRIPTS = {"scripts/browser.sh": "Tests/Browser/suite.py", "Clients/Web/test.sh": "Clients/Web/tests/suite.py"}


def text_of(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def declared(folder, ending, pattern):
    paths = glob.glob(os.path.join(ROOT, folder, "**", "*" + ending), recursive=True)
    return sum(len(re.findall(pattern, text_of(path))) for path in paths if "/.build/" not in path)


def listed(suite):
    done = subprocess.run([sys.executable, suite, *SUITES[suite], "--list"], cwd=ROOT, check=True,
                          capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def suites_of(step):
    """The suites in Python that a step runs, of whichever tier."""
    return [SCRIPTS.get(word, word) for word in step.command if SCRIPTS.get(word, word) in SUITES]


def rooms_of(step):
    """The rooms whose Swift tests a step runs."""
    if "scripts/steps/swift.py" not in step.command:
        return []
    return step.command[step.command.index("--tier") + 2:]


@runner.short
class Tiers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.swift = swift.tests()
        cls.python = {suite: listed(suite) for suite in SUITES}
        cls.all = steps.SHORT_STEPS + steps.LONG_STEPS

    def test_each_swift_test_is_run_once(self):
        known = {(test.room, test.tier) for test in self.swift}
        run = [(room, step.command[step.command.index("--tier") + 1]) for step in self.all for room in rooms_of(step)]
        self.assertEqual(sorted(set(run)), sorted(run), "a room's tier is run twice")
        self.assertEqual(known - set(run), set(), "nothing runs these")
        self.assertEqual({room for room, tier in set(run) - known if tier == "long"}, set(), "no such tests")

    def test_all_that_is_declared_is_listed(self):
        # `@Test` in a comment or a string would be one too many.
        self.assertEqual(len(self.swift), declared("Tests", ".swift", r"(?m)^ *@Test\b"))
        for suite, found in self.python.items():
            names = {test["test"].rsplit(".", 1)[1] for test in found}
            sources = glob.glob(os.path.join(ROOT, os.path.dirname(suite), "test_*.py")) or [os.path.join(ROOT, suite)]
            written = {name for path in sources for name in re.findall(r"(?m)^ +def (test_\w+)\(", text_of(path))}
            self.assertEqual(names, written, suite)

    def test_each_suite_in_python_is_run_once_in_each_tier_that_it_has(self):
        run = [(suite, step.environment.get("TIER")) for step in self.all for suite in suites_of(step)
               if "BREAKS" not in step.environment]
        self.assertEqual(sorted(set(run), key=str), sorted(run, key=str), "a suite's tier is run twice")
        for suite, found in self.python.items():
            tiers = {test["tier"] for test in found}
            self.assertEqual({tier for name, tier in run if name == suite}, tiers, suite)

    def test_shards_have_every_step_of_long_once(self):
        for count in range(1, 9):
            names = [step.name for number in range(count) for step in steps.shard_of(steps.LONG_STEPS, number + 1, count)]
            self.assertEqual(sorted(names), sorted(step.name for step in steps.LONG_STEPS), f"{count} shards")

    def test_every_promise_has_its_tests(self):
        table = text_of("docs", "testing.md").split("| promise | tests | tier |\n|---|---|---|\n")[1].split("\n\n")[0]
        rows = [row.strip("| ").split(" | ") for row in table.strip().split("\n")]
        # Of each name that may stand there, the tiers of its tests, by the room or the suite that has it.
        known = {}

        def add(name, owner, tier):
            known.setdefault(name, {}).setdefault(owner, set()).add(tier)

        for test in self.swift:
            for part in re.split(r"[./]", test.identifier)[1:-1]:
                add(part, test.room, test.tier)
                add(f"{test.room}.{part}", test.room, test.tier)
        for suite, tests in self.python.items():
            for test in tests:
                module, case, name = test["test"].rsplit(".", 2)
                for part in (module, case, name):
                    add(part, suite, test["tier"])
                    add(f"{os.path.basename(os.path.dirname(suite))}.{part}", suite, test["tier"])
        for path in glob.glob(os.path.join(ROOT, "Clients", "Swift", "Tests", "**", "*Tests.swift"), recursive=True):
            add(os.path.basename(path).removesuffix(".swift"), "the Swift client", "long")
        for step in self.all:
            add(step.name, "steps", step.tier)
        for promise, names, tier in rows:
            names = re.findall(r"`([^`]+)`", names)
            self.assertTrue(names, promise)
            found = set()
            for name in names:
                owners = known.get(name, {})
                self.assertEqual(len(owners), 1, f"{promise}: {name} is in {list(owners) or 'nothing'}; FOLDER.{name}?")
                found |= set().union(*owners.values())
            self.assertEqual(found, set(tier.split(", ")), promise)

    def test_counts(self):
        """Not a promise: what the tiers come to, for whoever reads the log."""
        counts = {"Swift": [test.tier for test in self.swift]}
        counts |= {suite: [test["tier"] for test in found] for suite, found in self.python.items()}
        counts["the Swift client"] = ["long"] * declared("Clients/Swift/Tests", ".swift", r"(?m)^ *@Test\b")
        for name, found in counts.items():
            print(f"{name}: {len(found)} declared, {found.count('short')} short, {found.count('long')} long")
        found = sum(counts.values(), [])
        print(f"tests: {len(found)} declared, {found.count('short')} run by short, {found.count('long')} by long")
        self.assertEqual(set(found), {"short", "long"})


@runner.short
class Scheduling(unittest.TestCase):
    """scripts/steps/schedule.py, with steps that take no time to speak of."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sojourn-steps-")
        self.addCleanup(folder.cleanup)
        self.notes = os.path.join(folder.name, "notes")

    def step(self, name, then="true", **options):
        """One that notes when it begins and ends."""
        note = f"echo {{}} {name} >>{self.notes}"
        return Step(name, ["bash", "-c", f"{note.format('begin')}; {then}; status=$?; {note.format('end')}; exit $status"],
                    **options)

    def run_steps(self, *steps):
        said = []
        passed = Schedule(steps, cores=2, say=lambda text, **_: said.append(text)).run()
        with open(self.notes, encoding="utf-8") as file:
            return passed, file.read().split("\n")[:-1], "\n".join(said)

    def test_what_is_needed_comes_first_and_what_needs_a_failure_is_not_run(self):
        passed, notes, said = self.run_steps(
            self.step("late", needs=("well",)), self.step("never", needs=("ill",)), self.step("well"), self.step("ill", "false"))
        self.assertFalse(passed)
        self.assertLess(notes.index("end well"), notes.index("begin late"))
        self.assertNotIn("begin never", notes)
        self.assertIn("== never: not run, since ill failed", said)

    def test_processors_and_what_one_may_hold_are_not_given_twice(self):
        for options in ({"cores": 2}, {"holds": ("folder",)}, {"alone": True}):
            if os.path.exists(self.notes):
                os.remove(self.notes)
            passed, notes, _ = self.run_steps(*(self.step(name, "sleep 0.1", **options) for name in "abc"))
            self.assertTrue(passed)
            self.assertEqual([note.split()[0] for note in notes], ["begin", "end"] * 3, options)

    def test_two_steps_run_side_by_side(self):
        # Each waits for the other.
        until = f"timeout 20 bash -c 'until [ $(grep -c begin {self.notes}) -eq 2 ]; do sleep 0.01; done'"
        passed, _, _ = self.run_steps(*(self.step(name, until) for name in "ab"))
        self.assertTrue(passed)

    def test_what_cannot_be_started_fails(self):
        said = []
        self.assertFalse(Schedule([Step("a", ["/no/such/program"])], say=lambda text, **_: said.append(text)).run())
        self.assertIn("ERROR: cannot run /no/such/program", "\n".join(said))

    def test_a_schedule_that_is_ended_ends_its_steps(self):
        # One tidies up; the other will not go.
        code = f"""
import sys
sys.path.insert(0, {os.path.join(ROOT, "scripts", "steps")!r})
import schedule
from schedule import Schedule, Step
schedule.GRACE = 0.5
Schedule([Step("a", ["bash", "-c", "trap 'echo tidy >>{self.notes}; exit' INT; echo a >>{self.notes}; while [ -e {self.notes} ]; do sleep 0.05; done"]),
          Step("b", ["bash", "-c", "trap '' INT TERM; echo $$ >>{self.notes}; while [ -e {self.notes} ]; do sleep 0.05; done"])], cores=2).run()
"""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            open(self.notes, "w").close()
            process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL)
            while len(self.lines()) < 2:
                time.sleep(0.01)
            process.send_signal(number)
            self.assertEqual(process.wait(30), 130)
            self.assertIn("tidy", self.lines())
            stubborn = next(int(line) for line in self.lines() if line.isdigit())
            self.assertRaises(ProcessLookupError, os.kill, stubborn, 0)

    def lines(self):
        with open(self.notes, encoding="utf-8") as file:
            return file.read().split()

    def test_the_critical_path_goes_first(self):
        _, notes, _ = self.run_steps(
            self.step("short", seconds=1, cores=2), self.step("first", seconds=1, cores=2), self.step("last", needs=("first",), seconds=9))
        self.assertEqual(notes[0], "begin first")

    def test_only_what_failed_by_timings_runs_again(self):
        slow = f"echo FAIL slow; [ $(grep -c begin {self.notes}) -gt 1 ]"
        passed, notes, said = self.run_steps(self.step("one", slow, timings="slow"))
        self.assertTrue(passed, said)
        self.assertEqual(notes.count("begin one"), 2)
        self.assertIn("one  the second time", said)
        os.remove(self.notes)
        passed, notes, _ = self.run_steps(self.step("one", "echo FAIL slow; false", timings="slow"))
        self.assertEqual((passed, notes.count("begin one")), (False, 2))
        for printed in ("echo FAIL wrong", "echo FAIL slow; echo FAIL wrong", "echo FAIL slow; echo CRASH", "true"):
            os.remove(self.notes)
            passed, notes, _ = self.run_steps(self.step("one", printed + "; false", timings="slow"))
            self.assertEqual((passed, notes.count("begin one")), (False, 1))


if __name__ == "__main__":
    runner.run("tiers", unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"]), sys.argv[1:])
