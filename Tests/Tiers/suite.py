#!/usr/bin/env python3
"""Nothing that is declared is tested by nothing: suite.py [WORD…]

Every test of the project is of one tier and run by one of the steps of scripts/steps/tests.py, and every promise of the
table in docs/testing.md has tests, which are there and of the tier that it names. Needs the build for tests.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
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
        rows = re.findall(r"(?m)^\| (.+) \| (.+) \| (short|long|short, long) \|$", text_of("docs", "testing.md"))
        self.assertGreater(len(rows), 20)
        tiers = {}
        for test in self.swift:
            parts = re.split(r"[./]", test.identifier)
            for part in parts[1:-1]:
                tiers.setdefault(part, set()).add(test.tier)
        for suite in self.python.values():
            for test in suite:
                module, case, name = test["test"].rsplit(".", 2)
                for words in (module, f"{module}.{case}", case, name):
                    tiers.setdefault(words, set()).add(test["tier"])
        client = {os.path.basename(path)[:-6] for path in
                  glob.glob(os.path.join(ROOT, "Clients", "Swift", "Tests", "**", "*Tests.swift"), recursive=True)}
        for step in self.all:
            tiers.setdefault(step.name, set()).add(step.tier)
        for name in client:
            tiers.setdefault(name, {"long"})
        for promise, names, tier in rows:
            found = [tiers.get(name) for name in re.findall(r"`([^`]+)`", names)]
            self.assertTrue(found, promise)
            for name, one in zip(re.findall(r"`([^`]+)`", names), found):
                self.assertIsNotNone(one, f"{promise}: there is no {name}")
            self.assertEqual(set().union(*found), set(tier.split(", ")), promise)

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
        command = f"{note.format('begin')}; sleep 0.2; {note.format('end')}; {then}"
        return Step(name, ["bash", "-c", command], **options)

    def run_steps(self, *steps):
        said = []
        passed = Schedule(list(steps), cores=2, say=lambda text, **_: said.append(text)).run()
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
            passed, notes, _ = self.run_steps(*(self.step(name, **options) for name in "abc"))
            self.assertTrue(passed)
            self.assertEqual([note.split()[0] for note in notes], ["begin", "end"] * 3, options)
        os.remove(self.notes)
        _, notes, _ = self.run_steps(self.step("a"), self.step("b"))
        self.assertEqual([note.split()[0] for note in notes], ["begin", "begin", "end", "end"])

    def test_the_longest_way_begins_first(self):
        _, notes, _ = self.run_steps(
            self.step("short", seconds=1, cores=2), self.step("way", seconds=1, cores=2), self.step("end", needs=("way",), seconds=9))
        self.assertEqual(notes[0], "begin way")

    def test_only_what_is_timed_is_asked_again(self):
        slow = f"echo FAIL slow; [ $(grep -c begin {self.notes}) -gt 1 ]"
        passed, notes, said = self.run_steps(self.step("one", slow, timed="slow"))
        self.assertTrue(passed, said)
        self.assertEqual(notes.count("begin one"), 2)
        os.remove(self.notes)
        passed, notes, _ = self.run_steps(self.step("one", "echo FAIL slow; false", timed="slow"))
        self.assertEqual((passed, notes.count("begin one")), (False, 2))
        for said in ("echo FAIL wrong", "echo FAIL slow; echo FAIL wrong", "true"):
            os.remove(self.notes)
            passed, notes, _ = self.run_steps(self.step("one", said + "; false", timed="slow"))
            self.assertEqual((passed, notes.count("begin one")), (False, 1))


if __name__ == "__main__":
    runner.run("tiers", unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"]), sys.argv[1:])
