#!/usr/bin/env python3
"""Runs a command beside real engines: Debian's ClickHouse 18.16, and today's where pip gives it (chdb).

    Tests/Engines/run.py COMMAND…

The command finds them in SOJOURN_TEST_ENGINES (URLs with spaces between), as user `sojourn` with the password in
SOJOURN_TEST_ENGINE_PASSWORD. Both listen on free ports of the loopback interface and end with the command.
"""
import os
import subprocess
import sys
import tempfile

from servers import PASSWORD, Failure, debian, today


def main():
    with tempfile.TemporaryDirectory(prefix="sojourn-engines-") as folder:
        started, urls = [], []
        try:
            for name, make in (("debian", debian), ("today", today)):
                made = make(os.path.join(folder, name))
                if made is None:
                    print("engines: pip gives no chdb; only Debian's ClickHouse is tested", flush=True)
                    continue
                port, part = made
                started.append(part.start())
                urls.append(f"http://127.0.0.1:{port}")
            for part in started:
                part.wait()
            environment = {**os.environ, "SOJOURN_TEST_ENGINES": " ".join(urls),
                           "SOJOURN_TEST_ENGINE_PASSWORD": PASSWORD}
            return subprocess.run(sys.argv[1:], env=environment).returncode
        except Failure as failure:
            print(f"engines: {failure}", file=sys.stderr)
            return 1
        finally:
            for part in started:
                part.end()
            for part in started:
                part.wait_end(20)


if __name__ == "__main__":
    sys.exit(main())
