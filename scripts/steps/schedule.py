"""Steps side by side: which may begin when, what each said, and what it took.

A step is a command. It waits for the builds that it needs, holds what only one at a time may use, and takes a part of
the machine; what a clock judges runs alone, after the others. Where nothing but timings failed in a step, it is run once
more alone before it counts: the machine may have had much else to do.
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field, replace

# Lines by which suites report a failure, and all lines that are shown of a step that failed, beside its last ones.
FAILURES = ("FAIL", "MUST", "ABUSE", "CRASH", "ERROR")
SIGNS = re.compile(rf"recorded an issue|^.{{1,4}}Test .* failed|^({'|'.join(FAILURES)}|benchmark: )|[Ee]rror: ")
# A step that takes longer hangs, seconds.
LIMIT = 3600
# What a step that is ended has left to tidy up, seconds.
GRACE = 10
# What ends a schedule.
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass
class Step:
    name: str
    command: list
    # Names of the steps that have to have passed before.
    needs: tuple = ()
    # Of the machine's processors, those that it keeps busy.
    cores: float = 1
    alone: bool = False
    # What it takes on two idle processors: the critical path goes first, and shards are made equal by it.
    seconds: int = 30
    # Folders and services that one step at a time may use.
    holds: tuple = ()
    environment: dict = field(default_factory=dict)
    # Fits the failures that only say that something took too long: where there is no other, the step runs once more,
    # alone.
    timings: str = ""
    tier: str = "short"
    # Steps of one bundle share what takes long to build, and so are in one shard.
    bundle: str = ""

    def failed_by_timings(self, text):
        failures = [line for line in text.splitlines() if line.startswith(FAILURES)]
        return bool(self.timings) and bool(failures) and all(re.search(self.timings, line) for line in failures)


@dataclass
class Outcome:
    step: Step
    passed: bool
    seconds: float
    output: str


class Schedule:
    """steps: all of them, in any order. cores: of the machine."""

    def __init__(self, steps, cores=os.cpu_count() or 1, say=print):
        self.steps, self.cores, self.say = list(steps), cores, say
        names = {step.name for step in steps}
        assert len(names) == len(steps), "two steps have one name"
        for step in steps:
            assert set(step.needs) <= names, f"{step.name} needs what is not there"
        self.outcomes, self.running = {}, {}
        # Names of steps of which nothing but timings failed the first time.
        self.repeated = []
        self.changed = threading.Condition()
        self.processes = set()
        self.is_ended = False
        # Of each step the time until all that waits for it is done.
        self.paths = {}
        for step in steps:
            self._path(step)

    def _path(self, step):
        if step.name not in self.paths:
            after = [self._path(other) for other in self.steps if step.name in other.needs]
            self.paths[step.name] = step.seconds + max(after, default=0)
        return self.paths[step.name]

    def run(self):
        """Whether all steps passed."""
        began = time.monotonic()
        # Whoever ends this ends the steps too, which are sessions of their own.
        for number in ENDING:
            signal.signal(number, signal.default_int_handler)
        try:
            while self._begin_more():
                with self.changed:
                    self.changed.wait(1)
        except KeyboardInterrupt:
            self.say("== interrupted: ending what runs", flush=True)
            self.end()
            sys.exit(130)
        self._print_summary(time.monotonic() - began)
        return all(outcome.passed for outcome in self.outcomes.values())

    def end(self):
        """Ends all steps as Ctrl-C would, so that each removes what it made; by force what has not gone then."""
        # It takes a moment, whoever is impatient.
        for number in ENDING:
            signal.signal(number, signal.SIG_IGN)
        with self.changed:
            self.is_ended = True
            processes = list(self.processes)
        for number in (signal.SIGINT, signal.SIGKILL):
            for process in processes:
                try:
                    os.killpg(process.pid, number)
                except ProcessLookupError:
                    pass
            until = time.monotonic() + GRACE
            while any(process.poll() is None for process in processes) and time.monotonic() < until:
                time.sleep(0.05)

    # Which may begin

    def _begin_more(self):
        """Begins what may begin now. Whether there is anything left to wait for."""
        with self.changed:
            waiting = [step for step in self.steps if step.name not in self.outcomes and step.name not in self.running]
            for step in waiting:
                failed = [need for need in step.needs if need in self.outcomes and not self.outcomes[need].passed]
                if failed:
                    self.outcomes[step.name] = Outcome(step, False, 0, f"not run: it needs {', '.join(failed)}\n")
                    self.say(f"== {step.name}: not run, since {', '.join(failed)} failed", flush=True)
            waiting = [step for step in waiting if step.name not in self.outcomes]
            for step in sorted(waiting, key=lambda step: (step.alone, -self.paths[step.name])):
                if self._may_begin(step, waiting):
                    self._begin(step)
            return bool(waiting or self.running)

    def _may_begin(self, step, waiting):
        if any(need not in self.outcomes for need in step.needs):
            return False
        if not self.running:
            # What is alone comes last, so that nothing waits for it in vain.
            return not step.alone or all(other.alone for other in waiting)
        others = list(self.running.values())
        if step.alone or any(other.alone for other in others):
            return False
        if any(set(step.holds) & set(other.holds) for other in others):
            return False
        return step.cores + sum(other.cores for other in others) <= self.cores + 0.01

    # One step

    def _begin(self, step):
        self.running[step.name] = step
        beside = sorted(name for name in self.running if name != step.name)
        self.say(f"== {step.name}: begun" + (f", beside {', '.join(beside)}" if beside else ""), flush=True)
        threading.Thread(target=self._carry_out, args=(step,), daemon=True).start()

    def _carry_out(self, step):
        began = time.monotonic()
        try:
            passed, output = self._run(step)
        except OSError as error:
            passed, output = False, f"ERROR: cannot run {step.command[0]}: {error}\n"
        seconds = time.monotonic() - began
        with self.changed:
            del self.running[step.name]
            how = "passed in" if passed else "FAILED after"
            self.say(f"{output.rstrip()}\n== {step.name}: {how} {seconds:.0f} s", flush=True)
            if not passed and step.failed_by_timings(output):
                self.say(f"== {step.name}: nothing but timings failed; runs once more, alone", flush=True)
                self.repeated.append(step.name)
                self.steps[self.steps.index(step)] = replace(step, alone=True, timings="")
            else:
                self.outcomes[step.name] = Outcome(step, passed, seconds, output)
            self.changed.notify_all()

    def _run(self, step):
        """Whether it passed, and all that it printed."""
        with tempfile.TemporaryFile() as log:
            with self.changed:
                if self.is_ended:
                    return False, "ended"
                process = subprocess.Popen(
                    step.command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                    env={**os.environ, **step.environment}, start_new_session=True)
                self.processes.add(process)
            try:
                status, note = process.wait(LIMIT), ""
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                status, note = process.wait(), f"ERROR: it was not done after {LIMIT} s\n"
            with self.changed:
                self.processes.discard(process)
            log.seek(0)
            return status == 0, log.read().decode(errors="replace") + note

    # What it comes to

    def _print_summary(self, seconds):
        ordered = sorted(self.outcomes.values(), key=lambda outcome: -outcome.seconds)
        self.say("== what each step took, slowest first")
        for outcome in ordered:
            name = outcome.step.name
            notes = ("  FAILED" if not outcome.passed else "") + ("  the second time" if name in self.repeated else "")
            self.say(f"{outcome.seconds:6.0f} s  {name}{notes}")
        self.say(f"{seconds:6.0f} s  in all")
        for outcome in ordered:
            if not outcome.passed:
                self.say(f"== failed in {outcome.step.name}:")
                lines = [line[:400] for line in outcome.output.splitlines()]
                signs = list(dict.fromkeys(line for line in lines if SIGNS.search(line)))
                self.say("\n".join([*signs[-40:], *lines[-10:]]))
        sys.stdout.flush()


def shard_of(steps, number, count):
    """The steps of one of `count` shards, which take about the same time together."""
    bundles = {}
    for step in steps:
        bundles.setdefault(step.bundle or step.name, []).append(step)
    weight = lambda bundle: sum(step.seconds * step.cores for step in bundle)  # noqa: E731
    shards = [[] for _ in range(count)]
    for bundle in sorted(bundles.values(), key=weight, reverse=True):
        min(shards, key=weight).extend(bundle)
    return shards[number - 1]
