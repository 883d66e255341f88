#!/usr/bin/env bash
# Builds sojourn.js from sojourn.ts: build.sh [FILE]. It takes Debian's compiler and minifier and nothing from npm.
# The same input gives the same bytes with the same versions of both, which are those of Debian 12.
set -euo pipefail
target=$(realpath -m "${1:-$(dirname "$0")/sojourn.js}")
cd "$(dirname "$0")"

for tool in tsc terser; do
    command -v $tool >/dev/null 2>&1 \
        || { echo "build: $tool is missing; on Debian: apt-get install node-typescript terser" >&2; exit 1; }
done

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tsc --project tsconfig.json --outDir "$folder"
# Debian's modules are where only Debian's own Node looks for them.
NODE_PATH=/usr/share/nodejs terser "$folder/sojourn.js" --enclose --toplevel --mangle \
    --compress passes=3,ecma=2020,unsafe_arrows --ecma 2020 --format wrap_func_args=false \
    --output "$folder/built.js"
cat "$folder/built.js" >"$target"
