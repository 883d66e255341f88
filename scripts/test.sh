#!/usr/bin/env bash
# The project's own tests: test.sh short | long [K/N]. scripts/steps/tests.py says which.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/ensure-system.sh
command -v python3 >/dev/null || scripts/install.sh python3 python3-venv
exec python3 scripts/steps/tests.py "$@"
