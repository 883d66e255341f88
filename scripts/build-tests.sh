#!/usr/bin/env bash
# Builds all Swift tests, and the program that they and the suites drive, in .build/tests: optimized, with what a debug
# build checks (assertions, exclusive access), and open to @testable. Why one build for all:
# docs/decisions/0062-one-build-for-tests.md. The shipped one is another (make release).
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/ensure-system.sh
# Package.swift is the table of imports. What this check skips, rooms above embedded resources, ImportTests sees.
# Nobody looks at the index that editors use.
FOR_TESTS=1 exec swift build -c release --build-tests --scratch-path .build/tests --disable-index-store \
    --explicit-target-dependency-import-check error \
    -Xswiftc -enable-testing -Xswiftc -assert-config -Xswiftc Debug -Xswiftc -enforce-exclusivity=checked "$@"
