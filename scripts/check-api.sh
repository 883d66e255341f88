#!/usr/bin/env bash
# The public interface of the Swift client is the one that is checked in, as text (Clients/Swift/API). What apps would
# have to change is named.
#   check-api.sh            compares
#   check-api.sh planted    plants a change of each kind and sees it found
#   check-api.sh renew      writes the text anew, for a change that is meant
# `swift package diagnose-api-breaking-changes` of Swift 6.3.1 is of no use here: it clones the package's folder, which
# is no repository of its own (swiftlang/swift-package-manager 4342); it reports what is `package` (10010), as the
# digester does of modules, but not of interfaces; and it looks at the product's target alone, not at Core.
set -uo pipefail
cd "$(dirname "$0")/.."
source scripts/checks.sh
written=Clients/Swift/API
modules=(SojournClient Core)

# What apps see, without the compiler's version and what the sources import.
interface() { grep -vE '^(// swift-|import )' "$work/new/$1.swiftinterface"; }

# The text that is checked in, with what a compiler wants before it.
readable() { grep -E '^(// swift-|import )' "$work/new/$1.swiftinterface"; cat "$written/$1.swiftinterface"; }

same() {
    local module digest=(-diagnose-sdk -abort-on-module-fail -compiler-style-diags -module-cache-path "$work/cache") status=0
    rm -rf "$work/new" "$work/old"; mkdir "$work/new" "$work/old"
    scripts/client-modules.sh "$work/new" "$1" || return 1
    for module in "${modules[@]}"; do
        interface "$module" | diff -u --label written --label now "$written/$module.swiftinterface" - && continue
        status=1
    done
    [ "$status" -eq 0 ] && return 0
    for module in "${modules[@]}"; do
        readable "$module" >"$work/old/$module.swiftinterface"
        digest+=(-module "$module" -use-interface-for-module "$module")
    done
    "$tools/swift-api-digester" "${digest[@]}" -BI "$work/old" -BI "$work/new" -BI Clients/Swift/Sources/CZlib -BI Clients/Swift/.build/release/Modules \
        -I "$work/new" -I Clients/Swift/Sources/CZlib -I Clients/Swift/.build/release/Modules 2>&1 | sed 's/^<unknown>:0: //'
    echo "error: the public interface has changed; if that is meant: scripts/check-api.sh renew"
    return 1
}

Clients/Swift/build.sh library >/dev/null || exit 1
case ${1:-} in
    renew)
        same .
        mkdir -p "$written"
        for module in "${modules[@]}"; do interface "$module" >"$written/$module.swiftinterface"; done
        exit ;;
    planted)
        sources=Clients/Swift/Sources
        plant "a parameter of another name" same $sources/SojournClient/Sojourn.swift 's/by count: Int = 1/times count: Int = 1/' 'has been renamed to func count(_:times:)'
        plant "a parameter of another name, on Apple's systems" same $sources/SojournClient/WKWebView+Sojourn.swift 's/addSojourn(contentID:/addSojourn(page contentID:/' 'has been renamed to func addSojourn(page:)'
        plant "a value that is taken no more" same $sources/Core/Events/Value.swift '/: ExpressibleByBooleanLiteral/,$d' 'removed conformance to ExpressibleByBooleanLiteral'
        plant "a parameter without its default" same $sources/SojournClient/Sojourn.swift 's/within seconds: Double = 5/within seconds: Double/' 'removed default argument'
        plant "another call" same $sources/SojournClient/Sojourn.swift 's/^    public static func forget/    public static func planted() {}\n&/' 'the public interface has changed' ;;
    *) see "the public interface is as Clients/Swift/API says" same ;;
esac
counted
