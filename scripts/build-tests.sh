#!/usr/bin/env bash
# Builds all Swift tests, and the program that they and the suites drive, in .build/tests: optimized, with what a debug
# build checks (assertions, exclusive access), and open to @testable. One build for all: what makes tests slow to run
# are random populations, and a debug build took them 756 s and more where this one takes 250.
# The shipped build is another one (make release): it is made where it is packaged and where speed is judged.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/ensure-system.sh
# Package.swift is the table of imports. What this check skips, rooms above embedded resources, ImportTests sees.
# Nobody looks at the index that editors use.
FOR_TESTS=1 exec swift build -c release --build-tests --scratch-path .build/tests --disable-index-store \
    --explicit-target-dependency-import-check error \
    -Xswiftc -enable-testing -Xswiftc -assert-config -Xswiftc Debug -Xswiftc -enforce-exclusivity=checked "$@"
