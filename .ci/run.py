"""The steps of `.ci/run`: they are scripts/steps/tests.py's, and suites that drive the built program from outside."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join("scripts", "steps"))

import tests  # noqa: E402
from schedule import Schedule, Step, shard_of  # noqa: E402

ACCEPTANCE = os.path.abspath(os.path.join("..", "shared", "acceptance"))
PROGRAM = os.path.abspath(tests.PROGRAM)
SHARDS = 4
CLIENT = "Clients/Swift/.build"
JAVA = "java -Xshare:auto -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp"


def suite(name, *command, **options):
    """A suite, without the lines that an issue which is ahead brings (.ci/but-for)."""
    needs = ("build", "install", *options.pop("needs", ()))
    kind = options.pop("kind", name)
    environment = {"SOJOURN_BIN": PROGRAM, **options.pop("environment", {})}
    return Step("acceptance: " + name, [".ci/but-for", kind, *command], needs, environment=environment, **options)


def client(name, adapter, *more, **options):
    return suite(name, ".ci/client-suite", ACCEPTANCE, adapter, *more, kind="client", **options)


def acceptance():
    python = [sys.executable]
    at = lambda *parts: os.path.join(ACCEPTANCE, *parts)  # noqa: E731
    adapter = os.path.abspath(f"{CLIENT}/release/adapter")
    over_urls = os.path.abspath(f"{CLIENT}/urlsession/release/adapter")
    example = ["--example", "--slack", "1", "--cost", "2000:50000", "--jobs", "4"]
    kotlin = os.path.abspath(".build/examples/kotlin") + ":/usr/share/java/kotlin-stdlib.jar"
    axe = os.path.abspath(".build/test-axe/axe_playwright_python/axe.min.js")
    return [
        Step("adapters", [".ci/adapters"], ("install",), seconds=220, holds=(CLIENT,)),
        suite("http", ".ci/http-suite", at("http", "run.py"), PROGRAM, seconds=5),
        suite("wire", *python, at("wire", "suite.py"), seconds=15),
        suite("reports", *python, at("reports", "suite.py"), "--only", "old", seconds=60),
        suite("dashboard", *python, at("dashboard", "suite.py"), seconds=140, holds=(tests.SCREEN,),
              environment={"AXE": axe}, timed=r"people/budget"),
        suite("otlp", "Tests/OpenTelemetry/run.sh", at("otlp", "suite.py"), seconds=40),
        suite("chaos", at("chaos", "run.sh"), seconds=145),
        # Beside real engines: Debian's ClickHouse, and today's where pip gives it.
        suite("scale", ".ci/scale-suite", at("scale", "check.py"), PROGRAM, seconds=370),
        suite("bridge", *python, at("client", "bridge", "suite.py"), "--bridge", "Clients/Web/sojourn.js", seconds=60,
              holds=(tests.SCREEN,)),
        # Waits on deadlines: half of the machine is idle, but a clock judges.
        client("client", adapter, needs=("adapters",), seconds=50, timed="."),
        client("client over URLSession", over_urls, needs=("adapters",), seconds=60, timed="."),
        client("client in Java", f"{JAVA} {os.path.abspath('.build/examples/java')} Sojourn", *example,
               needs=("adapters",), seconds=90, cores=2, timed="."),
        client("client in Kotlin", f"{JAVA} {kotlin} SojournKt", *example, needs=("adapters",), seconds=90, cores=2, timed="."),
        # Bounds in milliseconds.
        suite("attack", *python, at("attack", "suite.py"), seconds=45, alone=True, timed="."),
    ]


def main():
    commits = subprocess.run(["git", "rev-list", "--count", "HEAD"], check=True, capture_output=True, text=True).stdout
    number = int(commits) % SHARDS + 1
    shard = shard_of(tests.LONG_STEPS, number, SHARDS)
    print(f"== shard {number} of {SHARDS} of the long tests: {', '.join(step.name for step in shard)}", flush=True)
    steps = [Step("install", [".ci/install"], cores=0, seconds=60), Step("formatting", ["make", "lint"], seconds=60)]
    for step in tests.SHORT_STEPS + shard:
        # What steps install is there before, since apt lets one at a time work.
        if step.name != "build":
            step.needs += ("install",)
        step.environment = {"PROGRAM": PROGRAM, **step.environment}
        steps.append(step)
    if os.path.isdir(ACCEPTANCE):
        steps += acceptance()
    if not subprocess.run([sys.executable, "-c", "import cryptography"], capture_output=True).returncode == 0:
        os.environ["PATH"] = os.path.abspath(".build/test-python/bin") + os.pathsep + os.environ["PATH"]
    schedule = Schedule(steps)
    passed = schedule.run()
    outcomes = schedule.outcomes.values()
    print(f"skipped: {tests.skipped(outcomes)}")
    well = sum(outcome.passed for outcome in outcomes)
    print(f"{well} passed, {len(outcomes) - well} failed", flush=True)
    sys.exit(not passed)


main()
