#!/usr/bin/env bash
# Runs something in Python with OpenTelemetry's own packages: run.sh SCRIPT… Installs them into an environment of its
# own. Where PyPI is not reached, what needs them says so.
set -euo pipefail
folder=$(cd "$(dirname "$0")/../.." && pwd)/.build/test-otlp
requirements=$(cd "$(dirname "$0")" && pwd)/requirements.txt
if ! cmp -s "$requirements" "$folder/requirements.txt"; then
    python3 -c 'import ensurepip, venv' 2>/dev/null || "$(dirname "$0")/../../scripts/install.sh" python3-venv
    python3 -m venv "$folder"
    if "$folder/bin/python" -m pip install --quiet -r "$requirements"; then
        cp "$requirements" "$folder/requirements.txt"
    fi
fi
exec "$folder/bin/python" "$@"
