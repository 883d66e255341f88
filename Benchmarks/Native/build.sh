#!/usr/bin/env bash
# Builds the C programs of the benchmarks: build.sh FOLDER
set -euo pipefail
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")"
build() {
    local name=$1; shift
    ${CC:-cc} -std=gnu11 -O2 -Wall -Wextra -o "$out/$name" "$@"
}
build population population.c pool.c words.c -ldeflate -lm
build load load.c client.c batch.c forms.c maker.c otlp.c pool.c process.c seal.c words.c -lcrypto -ldeflate
build limit limit.c check.c scan.c rows.c process.c seal.c -O3 -march=native -lcrypto -ldeflate -lsqlite3
