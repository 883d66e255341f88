#!/usr/bin/env bash
# Runs the tests of what strangers' octets reach under the address sanitizer, and of what has threads
# under the thread sanitizer. Any report fails, also one that a test survives.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/ensure-system.sh
export SWIFT_BACKTRACE=enable=no SANITIZED=1
# What the runtime keeps for good is no leak.
export ASAN_OPTIONS=detect_leaks=0
export TSAN_OPTIONS="suppressions=$PWD/scripts/thread-sanitizer.suppressions"

mkdir -p .build
failed=0
sanitize() {
    local kind=$1 room log
    shift
    # One room at a time: some tests count the descriptors of the process.
    for room in "$@"; do
        log=.build/sanitize-$kind-$room.log
        if swift test --sanitize="$kind" --scratch-path ".build/sanitize-$kind" \
            --filter "^${room}Tests\\." >"$log" 2>&1 \
            && ! grep -qaE 'ERROR: AddressSanitizer|WARNING: ThreadSanitizer' "$log"
        then
            echo "sanitize $kind: $room: $(grep -aoE 'Test run with [0-9]+ tests' "$log") passed"
        else
            failed=1
            grep -aE -A 12 'Sanitizer: |✘|error:' "$log" | head -60 >&2 || true
            echo "sanitize $kind: $room: FAILED; all of it is in $log" >&2
        fi
    done
}
sanitize address HTTP1 Sockets JSON Ingest Sealing Compression
sanitize thread Sockets Database Columns Storage Upkeep
exit $failed
