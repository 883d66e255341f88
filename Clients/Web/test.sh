#!/usr/bin/env bash
# The web bridge's tests, with what they need installed where it can be had: test.sh [WORD…]
cd "$(dirname "$0")"
./install.sh build browsers || true
exec python3 tests/suite.py "$@"
