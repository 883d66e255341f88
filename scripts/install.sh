#!/usr/bin/env bash
# Installs packages under Debian's names: install.sh PACKAGE…  One clear line and an end where that is not possible.
set -euo pipefail

fail() { echo "sojourn: $*" >&2; exit 1; }

command -v apt-get >/dev/null 2>&1 \
    || fail "missing $* (Debian's names); install them with this system's package manager"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null 2>&1 || fail "missing $*; run as root: apt-get install $*"
    as_root=(sudo)
fi
echo "installing $*"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! "${as_root[@]}" apt-get install -y -q "$@" >"$log" 2>&1; then
    { "${as_root[@]}" apt-get update -q && "${as_root[@]}" apt-get install -y -q "$@"; } >"$log" 2>&1 \
        || fail "cannot install $*: $(grep -m1 '^E:' "$log" || tail -n1 "$log")"
fi
