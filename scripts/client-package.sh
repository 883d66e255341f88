#!/usr/bin/env bash
# Writes the Swift client as a package of its own: a tree that can be tagged, since SwiftPM takes no folder of a
# repository by URL. Links are files in it, and the targets that an app never names get names that no other package
# of an app has. What is in FOLDER goes, but for .git: a clone of the published repository is brought up to date.
set -euo pipefail

fail() { echo "sojourn: $*" >&2; exit 1; }

[ $# -eq 1 ] || { echo "usage: scripts/client-package.sh FOLDER" >&2; exit 64; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
source=Clients/Swift
# A folder with anything else in it is not ours to empty.
if [ -n "$(ls -A "$folder" | grep -vx '\.git')" ]; then
    grep -qs 'name: "sojourn-client"' "$folder/Package.swift" || fail "$folder is neither empty nor a copy of the package"
    [ "$folder" != "$(cd $source && pwd)" ] || fail "$folder is where the package is made from"
    if [ -e "$folder/.git" ] && [ -n "$(git -C "$folder" status --porcelain)" ]; then
        fail "$folder has changes that are not committed"
    fi
fi
find "$folder" -mindepth 1 -maxdepth 1 ! -name .git -exec rm -rf {} +

cp -L LICENSE $source/Package.swift $source/README.md "$folder/"
printf '/.build\n/Package.resolved\n.swiftpm\n' >"$folder/.gitignore"
mkdir "$folder/Sources" "$folder/Tests"
cp -RL $source/Sources/. "$folder/Sources/"
cp -RL $source/Tests/CoreTests $source/Tests/ClientTests "$folder/Tests/"

# Module names are one space over all packages of an app.
for name in Core JSON CZlib CCurl; do
    mv "$folder/Sources/$name" "$folder/Sources/Sojourn$name"
    grep -rlE "\b$name\b" "$folder/Package.swift" "$folder/Sources" "$folder/Tests" | while read -r file; do
        sed -i -E \
            -e "s/^((@[a-z_]+ )?(public |package |internal |private )?import) $name\$/\1 Sojourn$name/" \
            -e "s/canImport\($name\)/canImport(Sojourn$name)/" \
            -e "s/\b$name\.([A-Z])/Sojourn$name.\1/" \
            -e "s#\`\`$name/#\`\`Sojourn$name/#g" \
            -e "s/^module $name\b/module Sojourn$name/" \
            "$file"
    done
    sed -i "s/\"$name\"/\"Sojourn$name\"/g" "$folder/Package.swift"
done

version=$(sed -n 's/.*sdkVersion = "\(.*\)"/\1/p' $source/Sources/SojournClient/Device.swift)
sed -i "s/\"VERSION\"/\"$version\"/" "$folder/README.md"
echo "$folder: commit it, and tag it $version"
