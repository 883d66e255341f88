#!/usr/bin/env bash
# The project's own tests: test.sh short | long [K/N], with what Python needs for them. scripts/steps/tests.py says which.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/ensure-system.sh
if ! command -v python3 >/dev/null; then scripts/install.sh python3 python3-venv; fi
# What Python's client of the end-to-end tests needs; a virtual environment leaves the system alone.
if [ "${1:-}" = long ] && ! python3 -c 'import cryptography' 2>/dev/null; then
    python=.build/test-python/bin/python
    if [ ! -x "$python" ]; then
        python3 -c 'import ensurepip, venv' 2>/dev/null || scripts/install.sh python3-venv
        python3 -m venv .build/test-python
    fi
    "$python" -c 'import cryptography' 2>/dev/null || "$python" -m pip install --quiet cryptography
    export TEST_PYTHON="$PWD/$python"
fi
exec python3 scripts/steps/tests.py "$@"
