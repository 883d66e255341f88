#!/usr/bin/env bash
# The pictures of the dashboard in docs/images, anew. Installs what is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { echo "screenshots: $*" >&2; exit 1; }
scripts/ensure-system.sh
missing=()
command -v chromium >/dev/null 2>&1 || missing=(chromium)
command -v faketime >/dev/null 2>&1 || missing+=(faketime)
command -v python3 >/dev/null 2>&1 || missing+=(python3)
fc-list 2>/dev/null | grep -q Inter || missing+=(fonts-inter)
if [ "${#missing[@]}" -gt 0 ]; then
    as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    "${as_root[@]}" apt-get update -q >/dev/null
    "${as_root[@]}" apt-get install -y -q "${missing[@]}" >/dev/null \
        || fail "cannot install ${missing[*]} (Debian's names)"
fi
swift build -c release --product sojourn >/dev/null
mkdir -p docs/images
python3 scripts/screenshots.py docs/images .build/release/sojourn
