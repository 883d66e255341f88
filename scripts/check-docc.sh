#!/usr/bin/env bash
# The documentation of the Swift client, as its readers build it:
#   a  every public symbol has a doc comment, those of Apple's systems too
#   b  the catalogue and the comments convert without a warning
#   c  so do those of the package that apps get
# `check-docc.sh planted` plants an error for each and sees it found.
set -uo pipefail
cd "$(dirname "$0")/.."
source scripts/checks.sh
sources=Clients/Swift/Sources
catalogue=Sources/SojournClient/SojournClient.docc

# Of a repository or a package; then the name of Core.
graphs() {
    local module core=${2:-Core}
    rm -rf "$work/modules" "$work/graphs"; mkdir "$work/modules" "$work/graphs"
    scripts/client-modules.sh "$work/modules" "$1" || return 1
    # What apps use of Core is a part of the interface.
    for module in SojournClient "$core"; do
        "$tools/swift-symbolgraph-extract" -module-name "$module" -target "$(uname -m)-unknown-linux-gnu" \
            -minimum-access-level public -skip-synthesized-members -skip-inherited-docs -emit-extension-block-symbols \
            -I "$work/modules" -I "$sources/CZlib" -I "$work/package/Sources/SojournCZlib" -I Clients/Swift/.build/release/Modules \
            -module-cache-path "$work/cache" -output-dir "$work/graphs" || return 1
    done
}

commented() {
    graphs "$1" && python3 - "$work"/graphs/*.json <<'END'
import json, sys
symbols = [symbol for path in sys.argv[1:] for symbol in json.load(open(path, encoding="utf-8"))["symbols"]]
# An extension of somebody else's type is a place, its members are the symbols.
own = [symbol for symbol in symbols if symbol["kind"]["identifier"] != "swift.extension"]
bare = [".".join(symbol["pathComponents"]) for symbol in own if "docComment" not in symbol]
print(f"{len(own)} public symbols")
for name in bare:
    print(f"error: no doc comment: {name}")
sys.exit(bool(bare) or not own)
END
}

# A catalogue, with the symbols that are there.
convert() {
    "$tools/docc" convert "$1" --additional-symbol-graph-dir "$work/graphs" --warnings-as-errors \
        --fallback-bundle-identifier org.sojourn.client --output-path "$work/SojournClient.doccarchive"
}

converted() { graphs "$1" && convert "$1/Clients/Swift/$catalogue"; }

published() {
    scripts/client-package.sh "$work/package" && graphs "$work/package" SojournCore && convert "$work/package/$catalogue"
}

Clients/Swift/build.sh library >/dev/null || exit 1
if [ "${1:-}" = planted ]; then
    plant "a: a call without a comment" commented $sources/SojournClient/Sojourn.swift '/\/\/\/ It was shown/d' 'Content.viewed()'
    plant "a: a modifier of SwiftUI without a comment" commented $sources/SojournClient/View+Sojourn.swift '/^    \/\/\//d' 'View.sojournScreen(_:)'
    plant "b: a link to an article that is not there" converted Clients/Swift/$catalogue/SojournClient.md 's/<doc:Privacy>/<doc:Privaci>/' Privaci
    plant "b: a link to a call that is not there" converted Clients/Swift/$catalogue/WhatIsSent.md 's/Sojourn\/flush(within:)/Sojourn\/flush(for:)/' 'flush(for:)'
    plant "b: a link to nothing in a comment of Core" converted $sources/Core/Machine/Status.swift 's/``next``/``nextt``/' nextt
    plant "b: a parameter that is not there" converted $sources/SojournClient/SojournBridge.swift 's/- text: JSON/- words: JSON/' words
else
    see "a: every public symbol has a doc comment" commented
    see "b: the documentation converts without a warning" converted
    see "c: so does that of the package that apps get" published
fi
counted
