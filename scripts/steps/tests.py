#!/usr/bin/env python3
"""The project's own tests as steps: tests.py short | long [K/N]

`make test` runs the tier short, `make test-long` both; K/N of long is a part that takes about an N-th of its time. What
is tested in which tier is told in docs/testing.md, Tiers; Tests/Tiers sees that nothing is left out.
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from schedule import Schedule, Step, shard_of  # noqa: E402

ROOT = os.path.join(HERE, "..", "..")
PROGRAM = os.path.join(".build", "tests", "release", "sojourn")
LONG = {"TIER": "long"}
SHORT = {"TIER": "short"}
CLIENT = "Clients/Swift/.build"
# One browser, or what else draws, at a time.
SCREEN = "browser"

# Rooms whose tests wait for disks and for processes much of the time, and those that compute.
WAITING = ["Storage", "Upkeep", "Sockets", "EndToEnd"]
COMPUTING = ["Architecture", "Client", "Columns", "Commands", "Compression", "Curl", "Dashboard", "Database", "Engine",
             "EngineQuery", "Events", "Forwarding", "HTTP1", "Ingest", "JSON", "Protobuf", "Query", "Reports", "Sealing",
             "Service", "Simulation", "TimeZones", "Truth"]
# Rooms with tests beside real engines.
ENGINES = ["EngineQuery", "Forwarding", "Service", "Reports"]


def swift(tier, *rooms):
    return [sys.executable, "scripts/steps/swift.py", "run", "--tier", tier, *rooms]


def python(path, *arguments):
    return [sys.executable, path, *arguments]


BUILD = Step("build", ["scripts/build-tests.sh"], cores=2, seconds=450)

SHORT_STEPS = [
    BUILD,
    Step("tests that wait", swift("short", *WAITING), ("build",), seconds=100),
    Step("tests that compute", swift("short", *COMPUTING), ("build",), seconds=90),
    Step("tiers", python("Tests/Tiers/suite.py"), ("build",), seconds=5, environment=SHORT),
    Step("a page", python("Tests/Browser/suite.py", PROGRAM), ("build",), seconds=20, holds=(SCREEN,), environment=SHORT),
    Step("a log over OTLP", python("Tests/OpenTelemetry/suite.py", PROGRAM), ("build",), seconds=5, environment=SHORT),
]

# `bundle`: steps that stay together in a shard, since they share what takes long to build or to start.
LONG_STEPS = [
    Step("engines", python("Tests/Engines/run.py", *swift("long", *ENGINES)), ("build",), seconds=200, tier="long"),
    Step("power cuts", swift("long", "Storage"), ("build",), seconds=110, tier="long"),
    Step("upkeep", swift("long", "Upkeep", "Simulation"), ("build",), seconds=80, tier="long"),
    Step("end to end", swift("long", "EndToEnd"), ("build",), seconds=70, tier="long"),
    Step("deploy", python("Tests/Deploy/suite.py", PROGRAM), ("build",), seconds=40, environment=LONG, tier="long"),
    Step("deploy: cluster", python("Tests/Deploy/cluster.py", PROGRAM), ("build",), seconds=20, environment=LONG, tier="long"),
    Step("OTLP", ["Tests/OpenTelemetry/run.sh", "Tests/OpenTelemetry/suite.py", PROGRAM], ("build",), seconds=40,
         environment=LONG, tier="long"),
    Step("browser", ["scripts/browser.sh"], ("build",), seconds=130, holds=(SCREEN,), environment=LONG, tier="long"),
    Step("browser: rules removed", ["scripts/browser.sh"], ("build",), seconds=200, holds=(SCREEN,),
         environment={"BREAKS": "1"}, tier="long"),
    Step("web", ["Clients/Web/test.sh"], seconds=140, holds=(SCREEN,), environment=LONG, tier="long"),
    Step("examples", python("Tests/Examples/suite.py", PROGRAM), ("build",), seconds=90, environment=LONG, tier="long"),
    Step("client", ["Clients/Swift/build.sh", "test"], seconds=140, holds=(CLIENT,), tier="long", bundle="client"),
    Step("client: programs", python("Clients/Swift/Tests/Programs/suite.py", PROGRAM), ("build", "client"), seconds=150,
         holds=(CLIENT,), environment=LONG, tier="long", bundle="client"),
    *(Step(f"{name}{more}", [f"scripts/check-{name}.sh", *([more.strip(": ")] if more else [])], ("build", "client"),
           seconds=seconds, holds=(CLIENT,), tier="long", bundle="client")
      for name, seconds in (("apple", 60), ("docc", 20), ("api", 20)) for more in ("", ": planted")),
    Step("fuzz", ["scripts/fuzz.sh"], seconds=260, environment={"FUZZ_SECONDS": "20"}, tier="long"),
    Step("gate", ["scripts/bench.sh", "gate"], seconds=330, cores=2, tier="long"),
]


def skipped(outcomes):
    """How many tests were skipped, by step."""
    found = []
    for outcome in outcomes:
        count = len(re.findall(r"(?m)^➜ .*Test .* skipped", outcome.text))
        count += sum(int(number) for number in re.findall(r"(?m)^\w+: \d+ tests, (\d+) skipped", outcome.text))
        if count:
            found.append(f"{outcome.step.name} {count}")
    return ", ".join(found) or "none"


def chosen(tier, shard=None):
    steps = list(SHORT_STEPS)
    if tier == "long":
        count = shard or (1, 1)
        steps += shard_of(LONG_STEPS, *count)
    return steps


def main():
    os.chdir(ROOT)
    words = sys.argv[1:]
    shard = re.fullmatch(r"([1-9]\d?)/([1-9]\d?)", words[1]) if len(words) == 2 else None
    if words[:1] not in (["short"], ["long"]) or len(words) > 2 or (len(words) == 2 and not shard):
        sys.exit("usage: tests.py short | long [K/N]")
    number, count = (int(part) for part in shard.groups()) if shard else (1, 1)
    if number > count:
        sys.exit(f"tests: there is no shard {number} of {count}")
    schedule = Schedule(chosen(words[0], (number, count)))
    passed = schedule.run()
    print(f"tests: {'passed' if passed else 'FAILED'}; skipped: {skipped(schedule.outcomes.values())}")
    sys.exit(not passed)


if __name__ == "__main__":
    main()
