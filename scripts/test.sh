#!/usr/bin/env bash
# Every test of the project: Swift's, the clients in other languages against the built program, the dashboard in a
# browser, and the gate that sees a batch become dearer. The last line says how it went, and how many tests were skipped.
# BUILD_OPTIONS are those of `swift build` for the tests.
set -euo pipefail
cd "$(dirname "$0")/.."

# What Python's client of the end-to-end tests needs; a virtual environment leaves the system alone.
python=.build/test-python/bin/python
if ! python3 -c 'import cryptography' 2>/dev/null; then
    if [ ! -x "$python" ]; then
        if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
            as_root=()
            [ "$(id -u)" -eq 0 ] || as_root=(sudo)
            "${as_root[@]}" apt-get update -q >/dev/null
            "${as_root[@]}" apt-get install -y -q python3 python3-venv >/dev/null
        fi
        python3 -m venv .build/test-python
    fi
    "$python" -c 'import cryptography' 2>/dev/null || "$python" -m pip install --quiet cryptography
    export TEST_PYTHON="$PWD/$python"
fi

swift build -c release --product sojourn

# Package.swift is the table of imports. What this check skips, rooms above embedded resources, ImportTests sees.
read -ra options <<<"${BUILD_OPTIONS:-}"
swift build --build-tests --explicit-target-dependency-import-check error "${options[@]}"

# What failed stands again at the end, where whoever sees only the last lines finds it.
logs=(.build/test.log .build/deploy.log .build/browser.log .build/web.log .build/client.log .build/opentelemetry.log .build/gate.log)
status=0
# Beside real engines: those of Debian and of today.
python3 Tests/Engines/run.py scripts/swift-tests.sh 2>&1 | tee "${logs[0]}" || status=$?
python3 Tests/Deploy/suite.py .build/release/sojourn 2>&1 | tee "${logs[1]}" || status=$?
python3 Tests/Deploy/cluster.py .build/release/sojourn 2>&1 | tee -a "${logs[1]}" || status=$?
Tests/OpenTelemetry/run.sh Tests/OpenTelemetry/suite.py .build/release/sojourn 2>&1 | tee "${logs[5]}" || status=$?
scripts/browser.sh 2>&1 | tee "${logs[2]}" || status=$?
Clients/Web/install.sh build browsers || true
python3 Clients/Web/tests/suite.py 2>&1 | tee "${logs[3]}" || status=$?
Clients/Swift/build.sh test 2>&1 | tee "${logs[4]}" || status=$?
python3 Clients/Swift/Tests/Programs/suite.py .build/release/sojourn 2>&1 | tee -a "${logs[4]}" || status=$?
scripts/bench.sh gate 2>&1 | tee "${logs[6]}" || status=$?
[ "$status" -eq 0 ] \
    || grep -ahE 'recorded an issue|^.{1,4}Test .* failed|^(FAIL|ERROR): |[Ee]rror:|^benchmark: ' "${logs[@]}" | head -n 50 || true

# Tests that need what is not here say so by name, above.
skipped=()
for name in Swift deploy opentelemetry browser web client; do
    case $name in
        Swift) count=$(grep -aciE '^.{1,6}Test .* skipped' "${logs[0]}" || true) ;;
        client) count=$(grep -aciE '^.{1,6}Test .* skipped' "${logs[4]}" || true) ;;
        *) count=$(grep -acE '\.\.\. skipped ' ".build/$name.log" || true) ;;
    esac
    skipped+=("$name $count")
done
printf -v list '%s, ' "${skipped[@]}"
[ "$status" -eq 0 ] && how=passed || how=FAILED
echo "tests: $how; skipped: ${list%, }"
exit "$status"
