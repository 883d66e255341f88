#!/usr/bin/env bash
# What can be known on Linux of code for Apple's systems:
#   a  Core compiles for arm64-apple-ios18.0, against the embedded standard library of this toolchain
#   b  the rest, with what stands behind #if canImport, is compiled and run against stubs of UIKit, SwiftUI, WebKit
#   c  everything parses for arm64-apple-ios15.0
#   d  the privacy manifest is one, and the library uses no API that Apple wants a reason for
#   e  the sample app compiles against those stubs
#   f  JSON and Core use nothing of the standard library that macOS 12 and iOS 15 lack
#   g  Core keeps its account where Int has 32 bits, as on older watches: run as WebAssembly
# `check-apple.sh planted` plants an error for each and sees it found. Linking, what SojournClient uses of
# Apple's own frameworks, and real suspension are nowhere in it: those need a Mac.
set -uo pipefail
cd "$(dirname "$0")/.."
program=${PROGRAM:-$PWD/.build/tests/release/sojourn}
source scripts/checks.sh

core() {
    local package=$1/Clients/Swift common=(-wmo -parse-as-library -swift-version 6 -package-name sojourn-client
        -enable-experimental-feature Embedded -target arm64-apple-ios18.0)
    swiftc "${common[@]}" -module-name JSON -emit-module -emit-module-path "$work/JSON.swiftmodule" "$package"/Sources/JSON/*.swift \
        && swiftc "${common[@]}" -module-name Core -typecheck -I "$work" $(find "$package/Sources/Core" -name '*.swift')
}

stubs() { CLIENT_SOURCES=$(realpath "$1")/Clients/Swift/Sources/SojournClient python3 Clients/Swift/Tests/Programs/suite.py "$program" Apple; }

parsed() {
    local file
    for file in $(find -L "$1/Clients/Swift/Sources" "$1/Examples" -name '*.swift'); do
        swiftc -frontend -parse -swift-version 6 -target arm64-apple-ios15.0 "$file" || return 1
    done
}

# https://developer.apple.com/documentation/bundleresources/describing-use-of-required-reason-api
reasons='^(f|l|x)?stat(64|at|fs|vfs)?$|^fstat(at|fs|vfs)(64)?$|^getattrlist|^fgetattrlist|^mach_absolute_time$|NSUserDefaults|UserDefaults|systemUptime|ProcessInfo.*systemUptime|activeInputModes|creationDate|modificationDate|volumeAvailableCapacity|systemFreeSize'
manifest() {
    local package=$1/Clients/Swift built=Clients/Swift/.build/release asked found
    plutil -lint "$package/Sources/SojournClient/PrivacyInfo.xcprivacy" || return 1
    # What our own objects ask others for; BoringSSL is on Linux alone.
    asked=$(nm -u $built/{SojournClient,Core,JSON}.build/*.o) || return 1
    found=$(sed -n 's/^ *U //p' <<<"$asked" | swift demangle --compact | sort -u | grep -E "$reasons")
    [ -z "$found" ] || { echo "error: APIs that need a reason: $found"; return 1; }
}

sample() {
    rm -rf "$work/modules"; mkdir "$work/modules"
    scripts/client-modules.sh "$work/modules" "$1" || return 1
    swiftc -c -o "$work/sample.o" -wmo -parse-as-library -module-name Sample -swift-version 6 -warnings-as-errors \
        -I "$work/modules" -I Clients/Swift/Sources/CZlib -I Clients/Swift/.build/release/Modules "$1"/Examples/SwiftUI/*.swift
}

# JSON and Core as one module in a folder: what is compiled for a system without the other's module.
together() {
    rm -rf "$work/together"; mkdir "$work/together"
    cp -L "$1"/Clients/Swift/Sources/JSON/*.swift $(find -L "$1/Clients/Swift/Sources/Core" -name '*.swift') "${@:2}" \
        "$work/together" && sed -i -E '/^(@testable )?import (JSON|Core)$/d' "$work"/together/*.swift
}

# Linux's standard library says in its interface since which of Apple's systems each of its parts is there. Compiled for
# macOS 12, an interface makes the compiler heed that. Not seen: what only Apple's has, for Objective-C.
aged() {
    local folder=$PWD/.build/macos12 linux resources
    resources=$(dirname "$tools")/lib/swift
    linux=$(echo "$resources"/linux/Swift.swiftmodule/*-unknown-linux-gnu.swiftinterface)
    mkdir -p "$folder/Swift.swiftmodule"
    sed -e '3s/-target [^ ]*/-target x86_64-apple-macosx12.0/' -e '/^@backDeployed/d' "$linux" >"$work/interface"
    # Written where it changed: it takes a minute to compile.
    cmp -s "$work/interface" "$folder/Swift.swiftmodule/x86_64-apple-macos.swiftinterface" \
        || cp "$work/interface" "$folder/Swift.swiftmodule/x86_64-apple-macos.swiftinterface"
    together "$1" && swiftc -frontend -typecheck -O -parse-as-library -swift-version 6 -package-name sojourn-client -module-name Core \
        -target x86_64-apple-macosx12.0 -disable-objc-interop -I "$folder" -module-cache-path "$folder/cache" \
        -disable-implicit-concurrency-module-import -disable-implicit-string-processing-module-import "$work"/together/*.swift
}

# Embedded Swift has neither key paths nor weak references; closures and unsafe ones do here.
narrow() {
    local tests=Clients/Swift/Tests simulation
    simulation=$(ls $tests/CoreTests/Simulation/*.swift | grep -vE '/(Turns|Scenario)\.swift')
    together "$1" $simulation $tests/Narrow/Narrow.swift || return 1
    sed -i -E -e 's/\\(\.[a-zA-Z]+)([),])/{ $0\1 }\2/g' -e 's/\bunowned ([a-z])/unowned(unsafe) \1/g' \
        "$work"/together/*.swift
    swiftc -c -o "$work/narrow.o" -wmo -Osize -parse-as-library -swift-version 6 -package-name sojourn-client -module-name Core \
        -enable-experimental-feature Embedded -target wasm32-unknown-none-wasm "$work"/together/*.swift \
        && "$tools/clang" --target=wasm32 -O1 -Wall -Wextra -Werror -ffreestanding -mbulk-memory -c \
            -o "$work/system.o" $tests/Narrow/system.c \
        && "$tools/wasm-ld" -o "$work/narrow.wasm" "$work/narrow.o" "$work/system.o" \
            "$(dirname "$tools")"/lib/swift/embedded/wasm32-unknown-none-wasm/libswiftUnicodeDataTables.a \
        && "$tools/wasmkit" run "$work/narrow.wasm" 2>&1 | sed "s/^Error: /error: /"
}

Clients/Swift/build.sh library >/dev/null || exit 1
if [ "${1:-}" = planted ]; then
    plant "a: Foundation in Core" core Clients/Swift/Sources/Core/Machine/Clock.swift '1i import Foundation'
    plant "a: a name in Core's part for iOS" core Clients/Swift/Sources/Core/Machine/Clock.swift '$a #if os(iOS)\nlet planted = missing\n#endif'
    plant "b: a name in SwiftUI's part" stubs Clients/Swift/Sources/SojournClient/View+Sojourn.swift 's/Sojourn.screen(name)/Sojourn.scren(name)/'
    plant "b: an expiry that is not heard" stubs Clients/Swift/Sources/SojournClient/LifeCycle.swift 's/client.expire { noted.signal() }/noted.signal()/'
    plant "c: a bracket in WebKit's part" parsed Clients/Swift/Sources/SojournClient/WKWebView+Sojourn.swift 's/BridgeMessages(bridge), name/BridgeMessages(bridge, name/'
    plant "d: a manifest that is none" manifest Clients/Swift/Sources/SojournClient/PrivacyInfo.xcprivacy 's#</plist>##'
    plant "e: a call that the client has not" sample Examples/SwiftUI/SampleApp.swift 's/Sojourn.count(/Sojourn.counted(/' "no member 'counted'"
    plant "e: a screen that is changed on any thread" sample Examples/SwiftUI/SampleApp.swift 's/MainActor.assumeIsolated { praise = \(.*\) }/praise = \1/' "'praise'"
    plant "f: what an array has from iOS 26 on" aged Clients/Swift/Sources/JSON/Text.swift 's/withUnsafeBufferPointer { unescape(\$0.span/span.withUnsafeBufferPointer { unescape($0.span/' "'span' is only available in macOS 26.0"
    plant "f: an array of closures with typed throws" aged Clients/Swift/Sources/Core/Machine/Clock.swift '$a let planted: [() throws(DiskFailure) -> Void] = []' "runtime support for typed throws"
    plant "g: a shift beyond 32 bits" narrow Clients/Swift/Sources/Core/Machine/Surroundings.swift 's/0x1p-53/1 \/ Double(1 << 53)/' "a draw outside"
    plant "g: an offset beyond 32 bits" narrow Clients/Swift/Sources/Core/Journal/Ledger+Text.swift 's/Int(exactly: \(numbers.[0-9].\))/Optional(Int(\1))/'
else
    see "a: Core for arm64-apple-ios18.0" core
    see "b: the rest against stubs, run" stubs
    see "c: everything parses for arm64-apple-ios15.0" parsed
    see "d: the privacy manifest, and no API that needs a reason" manifest
    see "e: the sample app against stubs" sample
    see "f: JSON and Core with what macOS 12 has" aged
    see "g: Core where Int has 32 bits" narrow
fi
counted
