#!/usr/bin/env bash
# The dashboard in headless Chromium, against the built program: browser.sh [TEST…]. Brings Chromium and axe-core
# where they can be had; what needs one that is missing is skipped by name.
#   BREAKS=1   removes the page's rules one at a time instead, and sees a test fail for each
set -euo pipefail
cd "$(dirname "$0")/.."

program=${PROGRAM:-.build/tests/release/sojourn}
folder=.build/test-axe
axe=$folder/axe_playwright_python/axe.min.js

quietly() { "$@" >/dev/null 2>&1; }

if [ -z "${CHROMIUM:-}" ] && ! command -v chromium >/dev/null && command -v apt-get >/dev/null; then
    as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
    export DEBIAN_FRONTEND=noninteractive
    install=("${as_root[@]}" apt-get install -y -q --no-install-recommends chromium)
    quietly "${install[@]}" \
        || { quietly "${as_root[@]}" apt-get update -q && quietly "${install[@]}"; } \
        || echo "browser: cannot install chromium (Debian's name)" >&2
fi

# A script that a package carries: nothing of the package is run.
if [ -z "${AXE:-}" ] && [ ! -e "$axe" ]; then
    for python in python3 .build/test-python/bin/python; do
        quietly "$python" -m pip install --quiet --no-deps --retries 1 --target "$folder" axe-playwright-python && break
    done
    [ -e "$axe" ] || echo "browser: cannot install axe-playwright-python, which carries axe-core" >&2
fi
export AXE=${AXE:-$axe}

if [ -n "${BREAKS:-}" ]; then
    exec python3 Tests/Browser/breaks.py "$program" "$@"
fi
exec python3 Tests/Browser/suite.py "$program" "$@"
