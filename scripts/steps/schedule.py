"""Steps side by side: which may begin when, what each said, and what it took.

A step is a command. It waits for the builds that it needs, holds what only one at a time may use, and takes a part of
the machine; what a clock judges runs alone, after the others. Where only what is timed failed in a step, it is asked once
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

# How lines begin that tell what failed; whatever else does is among the last of the step.
SIGNS = re.compile(r"recorded an issue|^.{1,4}Test .* failed|^(FAIL|ERROR|MUST|CRASH|benchmark: )|[Ee]rror: ")


@dataclass
class Step:
    name: str
    command: list
    # Names of the steps that have to have passed; those that are not asked for too count as passed.
    needs: tuple = ()
    # Of the machine's processors, those that it keeps busy.
    cores: float = 1
    alone: bool = False
    # What it takes on two idle processors: the longest way begins first, and shards are made equal by it.
    seconds: int = 30
    # Folders and services that one step at a time may use.
    holds: tuple = ()
    environment: dict = field(default_factory=dict)
    # Lines that say that something took too long: where no other failed, the step is asked once more, alone.
    timed: str = ""
    tier: str = "short"
    # Steps of one bundle share what takes long to build, and so are in one shard.
    bundle: str = ""

    def fails_by_the_clock(self, text):
        wrong = [line for line in text.splitlines() if line.startswith(("FAIL", "MUST", "ABUSE"))]
        return bool(self.timed) and bool(wrong) and all(re.search(self.timed, line) for line in wrong)


class Outcome:
    def __init__(self, step, passed, seconds, text):
        self.step, self.passed, self.seconds, self.text = step, passed, seconds, text


class Schedule:
    """steps: all of them, in any order. cores: of the machine."""

    def __init__(self, steps, cores=os.cpu_count() or 1, say=print):
        self.steps, self.cores, self.say = list(steps), cores, say
        names = {step.name for step in steps}
        assert len(names) == len(steps), "two steps have one name"
        self.outcomes, self.running = {}, {}
        self.changed = threading.Condition()
        self.processes = set()
        # Of each step the time until all that waits for it is done.
        self.ways = {}
        for step in steps:
            self._way(step)

    def _way(self, step):
        if step.name not in self.ways:
            after = [self._way(other) for other in self.steps if step.name in other.needs]
            self.ways[step.name] = step.seconds + max(after, default=0)
        return self.ways[step.name]

    def run(self):
        """Whether all steps passed."""
        began = time.monotonic()
        # Whoever ends this ends the steps too.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            while self._begin_more():
                with self.changed:
                    self.changed.wait(1)
        except KeyboardInterrupt:
            self.end()
            sys.exit(130)
        self._tell(time.monotonic() - began)
        return all(outcome.passed for outcome in self.outcomes.values())

    def end(self):
        for process in list(self.processes):
            try:
                os.killpg(process.pid, signal.SIGTERM)
            except ProcessLookupError:
                pass

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
            for step in sorted(waiting, key=lambda step: (step.alone, -self.ways[step.name])):
                if self._may_begin(step, waiting):
                    self._begin(step)
            return bool(waiting or self.running)

    def _may_begin(self, step, waiting):
        known = {other.name for other in self.steps}
        if any(need in known and need not in self.outcomes for need in step.needs):
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
        passed, seconds, text = self._command(step)
        with self.changed:
            del self.running[step.name]
            how = "passed in" if passed else "FAILED after"
            self.say(f"{text.rstrip()}\n== {step.name}: {how} {seconds:.0f} s", flush=True)
            if not passed and step.fails_by_the_clock(text):
                self.say(f"== {step.name}: only what a clock judges failed; asked once more alone", flush=True)
                self.steps[self.steps.index(step)] = replace(step, alone=True, timed="")
            else:
                self.outcomes[step.name] = Outcome(step, passed, seconds, text)
            self.changed.notify_all()

    def _command(self, step):
        began = time.monotonic()
        with tempfile.TemporaryFile() as log:
            process = subprocess.Popen(
                step.command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                env={**os.environ, **step.environment}, start_new_session=True)
            self.processes.add(process)
            status = process.wait()
            self.processes.discard(process)
            log.seek(0)
            text = log.read().decode(errors="replace")
        return status == 0, time.monotonic() - began, text

    # What it comes to

    def _tell(self, seconds):
        ordered = sorted(self.outcomes.values(), key=lambda outcome: -outcome.seconds)
        self.say("== what each step took, slowest first")
        for outcome in ordered:
            self.say(f"{outcome.seconds:6.0f} s  {outcome.step.name}{'' if outcome.passed else '  FAILED'}")
        self.say(f"{seconds:6.0f} s  in all")
        for outcome in ordered:
            if not outcome.passed:
                self.say(f"== failed in {outcome.step.name}:")
                lines = [line[:400] for line in outcome.text.splitlines()]
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
