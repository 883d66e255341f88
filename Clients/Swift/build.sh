#!/usr/bin/env bash
# Builds the client as those who work on it do: with what Linux needs, the judge's adapter and tests.
#   build.sh adapter    .build/release/adapter
#   build.sh urlsession  .build/urlsession/release/adapter, which posts as on Apple's systems
#   build.sh thread     .build/thread/release/adapter, which says where two threads touch the same
#   build.sh library    .build/release/libSojournClient.a, which programs of tests link
#   build.sh test       the package's own tests
set -euo pipefail
cd "$(dirname "$0")"
export CLIENT_DEVELOPMENT=1
# Optimized, with all assertions, so that BoringSSL is compiled once.
tested=(-c release -Xswiftc -enable-testing -Xswiftc -assert-config -Xswiftc Debug)
case ${1:-} in
    adapter) swift build -c release --product adapter ;;
    urlsession)
        # Beside the other one, with which it shares what takes longest, BoringSSL; that one is built again after it.
        CLIENT_URLSESSION=1 swift build -c release --product adapter
        mkdir -p .build/urlsession/release
        cp .build/release/adapter .build/urlsession/release/adapter
        swift build -c release --product adapter ;;
    thread) swift build -c release --product adapter --sanitize=thread --scratch-path .build/thread ;;
    library) swift build -c release --product SojournClient ;;
    # Built first: `swift test` would build with other options than `swift build`, once more.
    test) swift build --build-tests "${tested[@]}"; swift test --skip-build "${tested[@]}" ;;
    *) echo "usage: build.sh adapter|urlsession|thread|library|test" >&2; exit 64 ;;
esac
