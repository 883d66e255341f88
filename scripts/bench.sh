#!/usr/bin/env bash
# Measures: bench.sh reports|ingest|gate|soak|client|cluster. Installs what is missing, builds, and writes the tables of
# docs/performance.md. EVENTS, DEVICES, DAYS and KEEP for reports; ROUNDS, SECONDS_EACH, PEERS=1, BEFORE=PROGRAM and
# ONLY=sealed|small|otlp for ingest, which without ONLY ends with the gate; SECONDS_IN_ALL for the soak; the first four, ROUNDS, LONG and
# ONLY for cluster; with PAGE=- the page stays as it is, with WRITE=1 the gate writes its baseline.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { echo "benchmark: $*" >&2; exit 1; }
what=${1:-}
[[ $what =~ ^(reports|ingest|gate|soak|client|cluster)$ ]] || fail "usage: scripts/bench.sh reports|ingest|gate|soak|client|cluster"
only=(--only "${ONLY:-}")
[ -n "${ONLY:-}" ] || only=()

scripts/ensure-system.sh
missing=()
command -v "${CC:-cc}" >/dev/null 2>&1 || missing=(gcc libc6-dev)
command -v python3 >/dev/null 2>&1 || missing+=(python3)
[[ $what =~ ^(reports|soak|client|cluster)$ ]] || command -v valgrind >/dev/null 2>&1 || missing+=(valgrind)
[[ $what =~ ^(reports|soak|client|cluster)$ ]] || command -v strip >/dev/null 2>&1 || missing+=(binutils)
if [ "$what" = ingest ] && [ "${PEERS:-}" = 1 ]; then
    missing+=(golang-go golang-github-mattn-go-sqlite3-dev golang-golang-x-crypto-dev)
fi
[ "$what" != reports ] || command -v chromium >/dev/null 2>&1 || missing+=(chromium)
[ "$what" != reports ] || python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
[ "${#missing[@]}" -eq 0 ] || scripts/install.sh "${missing[@]}"

# A population of that size has as many events a device, and over a year from 50 million on.
EVENTS=${EVENTS:-10000000} DEVICES=${DEVICES:-$((${EVENTS:-10000000} / 50))}
DAYS=${DAYS:-$((EVENTS > 50000000 ? 365 : 90))}
folder=$PWD/.build/benchmarks
mkdir -p "$folder"
log=$folder/build.log
built() { "$@" >"$log" 2>&1 || { cat "$log" >&2; fail "the build failed; the lines above say why"; }; }
[ "$what" = gate ] || built swift build -c release --product sojourn
page=(--page "${PAGE:-docs/performance.md}")
[ "${PAGE:-}" != - ] || page=()
if [ "$what" = client ]; then
    for part in adapter library; do built Clients/Swift/build.sh $part; done
    exec python3 Benchmarks/client.py --adapter Clients/Swift/.build/release/adapter --rounds "${ROUNDS:-5}" \
        "${page[@]}" .build/release/sojourn
fi
built Benchmarks/Native/build.sh "$folder/native"

if [ "$what" = reports ]; then
    python=$folder/python/bin/python
    if ! "$python" -c 'import duckdb, zoneinfo' 2>/dev/null; then
        built python3 -m venv "$folder/python"
        "$python" -m pip install --quiet duckdb >"$log" 2>&1 \
            || { tail -3 "$log" >&2; fail "cannot install duckdb from PyPI, which the comparison needs"; }
    fi
    "$python" Benchmarks/reports.py --native "$folder/native" --keep "${KEEP:-$folder/population}" \
        --events "$EVENTS" --devices "$DEVICES" --days "$DAYS" \
        "${page[@]}" .build/release/sojourn
    exec "$python" Benchmarks/dashboard.py --keep "${KEEP:-$folder/population}" "${page[@]}" .build/release/sojourn
fi
if [ "$what" = cluster ]; then
    exec python3 Benchmarks/cluster.py --native "$folder/native" --keep "${KEEP:-$folder/population}" \
        --events "$EVENTS" --devices "$DEVICES" --days "$DAYS" \
        --rounds "${ROUNDS:-3}" --long "${LONG:-300}" "${only[@]}" "${page[@]}" .build/release/sojourn
fi
if [ "$what" = soak ]; then
    exec python3 Benchmarks/soak.py --native "$folder/native" --seconds "${SECONDS_IN_ALL:-3600}" \
        "${page[@]}" .build/release/sojourn
fi
ingest=(python3 Benchmarks/ingest.py --native "$folder/native" --rounds "${ROUNDS:-5}" --seconds "${SECONDS_EACH:-8}")
[ -z "${BEFORE:-}" ] || ingest+=(--before "$BEFORE")
if [ "$what" = ingest ] && [ "${PEERS:-}" = 1 ]; then
    built swift build -c release --package-path Benchmarks/Peers/HummingbirdGRDB --scratch-path "$folder/peer"
    ingest+=(--peer "Hummingbird with GRDB=$folder/peer/release/peer")
    # Debian's sources of the packages that it needs, without a network.
    (cd Benchmarks/Peers/Go && built env GO111MODULE=off GOPATH=/usr/share/gocode go build -tags libsqlite3 -o "$folder/peer/go" .)
    ingest+=(--peer "Go=$folder/peer/go")
fi
if [ "$what" = ingest ] && [[ ${ONLY:-} =~ ^(small|otlp)$ ]]; then
    exec "${ingest[@]}" "${only[@]}" "${page[@]}" .build/release/sojourn
fi
built env BENCHMARKS=1 swift build -c release --product stages
[ "$what" = gate ] \
    || "${ingest[@]}" --stages ".build/release/stages" "${only[@]}" "${page[@]}" .build/release/sojourn
[ "$what" = gate ] || [ -z "${ONLY:-}" ] || exit 0
exec python3 Benchmarks/gate.py --native "$folder/native" --stages ".build/release/stages" $([ "${WRITE:-}" != 1 ] || echo --write)
