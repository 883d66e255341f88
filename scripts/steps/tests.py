#!/usr/bin/env python3
"""The project's own tests as steps: tests.py short | long [K/N]

`make test` runs the tier short, `make test-long` both; K/N of long is a part that takes about an N-th of its time. What
is tested in which tier is told in docs/testing.md, Tiers; Tests/Tiers sees that nothing is left out.
"""
import os
import re
import sys
from dataclasses import replace

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from schedule import Schedule, Step, shard_of  # noqa: E402

ROOT = os.path.join(HERE, "..", "..")
PROGRAM = os.path.join(".build", "tests", "release", "sojourn")
LONG = {"TIER": "long"}
SHORT = {"TIER": "short"}
# What one step at a time may use: folders, and a browser or what else draws.
CLIENT = "Clients/Swift/.build"
EXAMPLES = ".build/examples"
SCREEN = "browser"

# Rooms whose tests wait for disks and for processes much of the time, and those that compute.
WAITING = ["Storage", "Upkeep", "Sockets", "EndToEnd"]
COMPUTING = ["Architecture", "Client", "Columns", "Commands", "Compression", "Curl", "Dashboard", "Database", "Engine",
             "EngineQuery", "Events", "Forwarding", "HTTP1", "Ingest", "JSON", "Protobuf", "Query", "Reports", "Sealing",
             "Service", "Simulation", "TimeZones", "Truth"]
# Rooms with tests beside real engines.
ENGINES = ["EngineQuery", "Forwarding", "Service", "Reports"]


def swift(tier, *rooms):
    return python("scripts/steps/swift.py", "run", "--tier", tier, *rooms)


def python(path, *arguments):
    return ["python3", path, *arguments]


BUILD = Step("build", ["scripts/build-tests.sh"], cores=2, seconds=650)
# What the long tests need of the system.
INSTALL = Step("install", ["scripts/steps/install.sh"], cores=0, seconds=45)

SHORT_STEPS = [
    BUILD,
    Step("tests that wait", swift("short", *WAITING), ("build",), seconds=100),
    Step("tests that compute", swift("short", *COMPUTING), ("build",), seconds=100),
    Step("tiers", python("Tests/Tiers/suite.py"), ("build",), seconds=5, environment=SHORT),
    Step("a page", python("Tests/Browser/suite.py", PROGRAM), ("build",), seconds=5, holds=(SCREEN,), environment=SHORT),
    Step("a log over OTLP", python("Tests/OpenTelemetry/suite.py", PROGRAM), ("build",), seconds=5, environment=SHORT),
]


def checked(name, *command, seconds):
    """What is seen of the Swift client without running it."""
    return Step(name, list(command), ("build", "client"), seconds=seconds, holds=(CLIENT,), tier="long", bundle="client")


# `bundle`: steps that stay together in a shard, since they share what takes long to build or to start.
LONG_STEPS = [
    Step("engines", python("Tests/Engines/run.py", *swift("long", *ENGINES)), ("build",), seconds=400, tier="long"),
    Step("power cuts", swift("long", "Storage"), ("build",), seconds=135, tier="long"),
    Step("upkeep", swift("long", "Upkeep", "Simulation"), ("build",), seconds=70, tier="long"),
    Step("end to end", swift("long", "EndToEnd"), ("build",), seconds=60, tier="long"),
    Step("deploy", python("Tests/Deploy/suite.py", PROGRAM), ("build",), seconds=10, environment=LONG, tier="long"),
    Step("deploy: cluster", python("Tests/Deploy/cluster.py", PROGRAM), ("build",), seconds=10, environment=LONG,
         tier="long"),
    Step("OTLP", ["Tests/OpenTelemetry/run.sh", "Tests/OpenTelemetry/suite.py", PROGRAM], ("build",), seconds=20,
         environment=LONG, tier="long"),
    Step("browser", ["scripts/browser.sh"], ("build",), seconds=150, holds=(SCREEN,), environment=LONG, tier="long"),
    Step("browser: rules removed", ["scripts/browser.sh"], ("build",), seconds=280, holds=(SCREEN,),
         environment={"BREAKS": "1"}, tier="long"),
    Step("web", ["Clients/Web/test.sh"], seconds=140, holds=(SCREEN,), environment=LONG, tier="long"),
    Step("examples", python("Tests/Examples/suite.py", PROGRAM), ("build",), seconds=75, holds=(EXAMPLES,),
         environment=LONG, tier="long"),
    Step("client", ["Clients/Swift/build.sh", "test"], seconds=250, holds=(CLIENT,), tier="long", bundle="client"),
    Step("client: programs", python("Clients/Swift/Tests/Programs/suite.py", PROGRAM), ("build", "client"), seconds=110,
         holds=(CLIENT,), environment=LONG, tier="long", bundle="client"),
    checked("apple", "scripts/check-apple.sh", seconds=85),
    checked("apple: planted", "scripts/check-apple.sh", "planted", seconds=90),
    checked("docc", "scripts/check-docc.sh", seconds=20),
    checked("docc: planted", "scripts/check-docc.sh", "planted", seconds=40),
    checked("api", "scripts/check-api.sh", seconds=10),
    checked("api: planted", "scripts/check-api.sh", "planted", seconds=30),
    Step("fuzz", ["scripts/fuzz.sh"], seconds=225, environment={"FUZZ_SECONDS": "20"}, tier="long"),
    Step("hostile", python("Benchmarks/hostile.py", "--only", "elements on loops", "--only", "owing", "--seconds", "2",
                           "--only", "blocks",
                           "--flood-seconds", "6", PROGRAM), ("build",), seconds=40, cores=2, tier="long"),
    Step("hostile: erasures", python("Benchmarks/hostile.py", "--only", "erased names", "--only", "completions",
                                     "--names", "60000", "--completions", "160000", PROGRAM), ("build",), seconds=25,
         cores=2, tier="long"),
    Step("gate", ["scripts/bench.sh", "gate"], seconds=125, cores=2, tier="long"),
]


def skipped(outcomes):
    """How many tests were skipped, by step."""
    found = []
    for outcome in outcomes:
        count = len(re.findall(r"(?m)^➜ .*Test .* skipped", outcome.output))
        count += sum(int(number) for number in re.findall(r"(?m)^\w+: \d+ tests, (\d+) skipped", outcome.output))
        if count:
            found.append(f"{outcome.step.name} {count}")
    return ", ".join(found) or "none"


def chosen(tier, number=1, count=1):
    """The steps of a tier; of the long one those of a shard."""
    if tier == "short":
        return SHORT_STEPS
    steps = SHORT_STEPS + shard_of(LONG_STEPS, number, count)
    return [INSTALL, *(step if step is BUILD else replace(step, needs=(*step.needs, INSTALL.name)) for step in steps)]


def prepare():
    """Puts a Python with what the suites import in front of all steps' PATH, where scripts/steps/install.sh made one."""
    os.environ["PATH"] = os.path.abspath(".build/test-python/bin") + os.pathsep + os.environ["PATH"]


def main():
    os.chdir(ROOT)
    words = sys.argv[1:]
    shard = re.fullmatch(r"([1-9]\d?)/([1-9]\d?)", words[1]) if len(words) == 2 else None
    if words[:1] not in (["short"], ["long"]) or len(words) > 2 or (len(words) == 2 and not shard):
        sys.exit("tests: `make test`, or `make test-long SHARD=K/N` for the part K, from 1 on, of N")
    number, count = (int(part) for part in shard.groups()) if shard else (1, 1)
    if number > count:
        sys.exit(f"tests: there is no shard {number} of {count}")
    prepare()
    schedule = Schedule(chosen(words[0], number, count))
    passed = schedule.run()
    print(f"tests: {'passed' if passed else 'FAILED'}; skipped: {skipped(schedule.outcomes.values())}")
    sys.exit(not passed)


if __name__ == "__main__":
    main()
