#!/usr/bin/env bash
# Installs the system libraries that the build needs, where they are missing. One clear line and an
# end where that is not possible.
set -euo pipefail

fail() { echo "sojourn: $*" >&2; exit 1; }

command -v swift >/dev/null 2>&1 \
    || fail "no Swift compiler found; install Swift 6.3 or newer (https://swift.org/install) and try again"

version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p' | head -1)
read -r major minor <<<"${version:-0 0}"
(( major > 6 || (major == 6 && minor >= 3) )) \
    || fail "Swift ${major}.${minor} is too old; install Swift 6.3 or newer (https://swift.org/install)"

# header that tells whether it is there, package that has it
needs=(
    "zlib.h zlib1g-dev"
    "openssl/evp.h libssl-dev"
    "sqlite3.h libsqlite3-dev"
    "curl/curl.h libcurl4-openssl-dev"
    "libdeflate.h libdeflate-dev"
)
missing=()
for need in "${needs[@]}"; do
    read -r header package <<<"$need"
    found=no
    for folder in /usr/include /usr/include/*-linux-gnu* /usr/local/include; do
        [ -e "$folder/$header" ] && found=yes && break
    done
    [ "$found" = yes ] || missing+=("$package")
done
command -v make >/dev/null 2>&1 || missing+=(make)
[ -d /usr/share/zoneinfo ] || missing+=(tzdata)
[ "${#missing[@]}" -gt 0 ] || exit 0

exec "$(dirname "$0")/install.sh" "${missing[@]}"
