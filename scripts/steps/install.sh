#!/usr/bin/env bash
# Installs what the steps of `make test-long` and of `.ci/run` need, once and before them: apt lets one at a time work.
# Where there is no apt, what needs something that is missing is skipped by name.
set -uo pipefail
cd "$(dirname "$0")/../.."

missing=()
while read -r program package; do
    command -v "$program" >/dev/null 2>&1 || [ -x "/usr/sbin/$program" ] || missing+=("$package")
done <<'END'
chromium chromium
pdftoppm poppler-utils
xvfb-run xvfb
xauth xauth
tsc node-typescript
terser terser
javac default-jdk-headless
kotlinc kotlin
clickhouse-server clickhouse-server
valgrind valgrind
nginx nginx
promtool prometheus
END
/usr/bin/python3 -c 'import gi; gi.require_version("WebKit2", "4.1")' 2>/dev/null || missing+=(python3-gi gir1.2-webkit2-4.1)
if [ "${#missing[@]}" -gt 0 ]; then
    if command -v apt-get >/dev/null; then
        scripts/install.sh --no-install-recommends "${missing[@]}" || exit 1
    else
        echo "install: not here, and there is no apt-get to bring them (Debian's names): ${missing[*]}"
    fi
fi

# What the suites in Python need, in an environment of its own where the system's has it not.
if ! python3 -c 'import cryptography' 2>/dev/null; then
    python3 -c 'import ensurepip, venv' 2>/dev/null || scripts/install.sh python3-venv || exit 1
    python3 -m venv --system-site-packages .build/test-python \
        && .build/test-python/bin/python -m pip install --quiet cryptography || exit 1
fi
[ -e .build/test-axe/axe_playwright_python/axe.min.js ] \
    || python3 -m pip install --quiet --no-deps --target .build/test-axe axe-playwright-python || exit 1
Tests/OpenTelemetry/run.sh -c pass
# Today's Kotlin and ClickHouse, where pip gives them.
(cd Tests/Examples && python3 -c 'import languages; languages.install_todays_kotlin()')
(cd Tests/Engines && python3 -c 'import servers; servers.todays_python()')
