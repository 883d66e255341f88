"""The steps of `.ci/run`: they are scripts/steps/tests.py's, and suites that drive the built program from outside."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join("scripts", "steps"))

import tests  # noqa: E402
from schedule import Schedule, Step  # noqa: E402

ACCEPTANCE = os.path.abspath(os.path.join("..", "shared", "acceptance"))
PROGRAM = os.path.abspath(tests.PROGRAM)
SHARDS = 4
ADAPTERS = os.path.abspath(os.path.join(".build", "adapters"))
JAVA = "java -Xshare:auto -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp"


def suite(name, *command, **options):
    """A suite, without the lines that an issue which is ahead brings (.ci/but-for)."""
    needs = ("build", "install", *options.pop("needs", ()))
    kind = options.pop("kind", name)
    environment = {"SOJOURN_BIN": PROGRAM, **options.pop("environment", {})}
    return Step("acceptance: " + name, [".ci/but-for", kind, *command], needs, environment=environment, **options)


def client(name, adapter, *more, **options):
    return suite(name, ".ci/client-suite", ACCEPTANCE, adapter, *more, kind="client", needs=("adapters",),
                 timings=r"FAIL (bound|budget|cost)/|\btook [\d.]+", **options)


def acceptance():
    at = lambda *parts: os.path.join(ACCEPTANCE, *parts)  # noqa: E731
    example = ["--example", "--slack", "1", "--cost", "2000:50000", "--jobs", "4"]
    java = f"{JAVA} {ADAPTERS}/java Sojourn"
    kotlin = f"{JAVA} {ADAPTERS}/kotlin:/usr/share/java/kotlin-stdlib.jar SojournKt"
    axe = os.path.abspath(".build/test-axe/axe_playwright_python/axe.min.js")
    return [
        Step("adapters", [".ci/adapters"], ("install",), seconds=160, holds=(tests.CLIENT, tests.EXAMPLES)),
        suite("http", ".ci/http-suite", at("http", "run.py"), PROGRAM, seconds=5),
        suite("wire", "python3", at("wire", "suite.py"), seconds=15),
        suite("reports", "python3", at("reports", "suite.py"), "--only", "old", seconds=60),
        suite("dashboard", "python3", at("dashboard", "suite.py"), seconds=140, holds=(tests.SCREEN,),
              environment={"AXE": axe}, timings=r"people/budget"),
        suite("otlp", "Tests/OpenTelemetry/run.sh", at("otlp", "suite.py"), seconds=40),
        suite("chaos", at("chaos", "run.sh"), seconds=145),
        # Beside real engines: Debian's ClickHouse, and today's where pip gives it.
        suite("scale", ".ci/scale-suite", at("scale", "check.py"), PROGRAM, seconds=370),
        suite("bridge", "python3", at("client", "bridge", "suite.py"), "--bridge", "Clients/Web/sojourn.js", seconds=60,
              holds=(tests.SCREEN,)),
        # Waits on deadlines: half of the machine is idle.
        client("client", f"{ADAPTERS}/swift", seconds=50),
        # Linux's URLSession gives the first of several addresses all the time there is; Apple's goes on by itself.
        client("client over URLSession", f"{ADAPTERS}/urlsession", "--skip", "addresses/the-first-is-silent",
               seconds=60),
        client("client in Java", java, *example, seconds=90, cores=2),
        client("client in Kotlin", kotlin, *example, seconds=90, cores=2),
        # Some wait on deadlines, some start a browser.
        suite("found", ".ci/found", PROGRAM, at("found"), seconds=150, holds=(tests.SCREEN,)),
        suite("attack", "python3", at("attack", "suite.py"), seconds=45, alone=True, timings=r" ms\b"),
    ]


def main():
    commits = subprocess.run(["git", "rev-list", "--count", "HEAD"], check=True, capture_output=True, text=True).stdout
    number = int(commits) % SHARDS + 1
    steps = [Step("formatting", ["make", "lint"], seconds=10), *tests.chosen("long", number, SHARDS)]
    shard = ", ".join(step.name for step in steps if step.tier == "long")
    print(f"== shard {number} of {SHARDS} of the long tests: {shard}", flush=True)
    if os.path.isdir(ACCEPTANCE):
        steps += acceptance()
    tests.prepare()
    schedule = Schedule(steps)
    passed = schedule.run()
    outcomes = schedule.outcomes.values()
    print(f"skipped: {tests.skipped(outcomes)}")
    well = sum(outcome.passed for outcome in outcomes)
    print(f"{well} passed, {len(outcomes) - well} failed", flush=True)
    sys.exit(not passed)


if __name__ == "__main__":
    main()
