#!/usr/bin/env bash
# Writes the modules of the Swift client into a folder, as those see them who write for Apple's systems: what stands
# behind #if canImport is there, by stubs of UIKit, SwiftUI and WebKit. Beside each is its public interface as text.
#   client-modules.sh FOLDER [ROOT]
# ROOT is this repository, a copy of its sources with an error in it, or the package that apps get
# (scripts/client-package.sh), where Core and its like have names of their own. Crypto's module is the one that
# `Clients/Swift/build.sh library` has built.
set -euo pipefail
into=$(realpath "$1")
cd "$(dirname "$0")/.."
root=$(realpath "${2:-.}")
sources=$root/Clients/Swift/Sources prefix=
[ -d "$sources" ] || sources=$root/Sources prefix=Sojourn
mkdir -p "$into"

# An interface is written of what is built for evolution only; Crypto, which is not, is in no interface.
module() {
    local name=$1; shift
    swiftc -emit-module -emit-module-path "$into/$name.swiftmodule" -module-name "$name" -wmo -parse-as-library \
        -swift-version 6 -package-name sojourn-client -enable-library-evolution -suppress-warnings \
        -emit-module-interface-path "$into/$name.swiftinterface" \
        -I "$into" -I "$sources/${prefix}CZlib" -I Clients/Swift/.build/release/Modules "$@"
}

for name in UIKit SwiftUI WebKit; do module $name Clients/Swift/Tests/Apple/$name/*.swift; done
for name in ${prefix}JSON ${prefix}Core SojournClient; do
    mapfile -t files < <(find -L "$sources/$name" -name '*.swift' | sort)
    module $name "${files[@]}"
done
