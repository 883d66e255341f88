#!/usr/bin/env bash
# Installs what building and trying sojourn.js takes, where it is missing: install.sh [build] [browsers]
set -euo pipefail

missing=()
for group in "$@"; do
    case $group in
    build)
        command -v tsc >/dev/null 2>&1 || missing+=(node-typescript)
        command -v terser >/dev/null 2>&1 || missing+=(terser)
        ;;
    browsers)
        command -v chromium >/dev/null 2>&1 || missing+=(chromium)
        command -v xvfb-run >/dev/null 2>&1 || missing+=(xvfb xauth)
        /usr/bin/python3 -c 'import gi; gi.require_version("WebKit2", "4.1")' 2>/dev/null \
            || missing+=(python3-gi gir1.2-webkit2-4.1)
        ;;
    esac
done
[ "${#missing[@]}" -gt 0 ] || exit 0

fail() { echo "web: cannot install ${missing[*]} (Debian's names)" >&2; exit 1; }
command -v apt-get >/dev/null 2>&1 || fail
as_root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null 2>&1 || fail
    as_root=(sudo -n)
fi
echo "installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -q >/dev/null 2>&1 || true
"${as_root[@]}" apt-get install -y -q --no-install-recommends "${missing[@]}" >/dev/null 2>&1 || fail
