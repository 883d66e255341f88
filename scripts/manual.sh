#!/usr/bin/env bash
# Writes man pages: manual.sh PROGRAM GENERATOR FOLDER. The generator is swift-argument-parser's; here
# its pages get the names that git made usual (sojourn-app-add).
set -euo pipefail
program=$1 generator=$2 folder=$3

pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
# The day of the version, so that the same source gives the same pages.
date=$(sed -n 's|.*The day of the version, \([0-9-]*\)T.*|\1|p' "$(dirname "$0")/../Sources/Service/BuildInfo.swift")
"$generator" "$program" --multi-page --date "$date" --output-directory "$pages" >/dev/null
rm -f "$pages"/sojourn.help.1
mkdir -p "$folder"
for page in "$pages"/*.1; do
    name=$(basename "$page" .1)
    sed -E '/^\.Xr sojourn\.help 1/d
        s/^\.Dt (SOJOURN[^ ]*) 1/.Dt \U\1\E 1/
        /^\.(Dt|Xr)/ s/([a-zA-Z-])\.([a-zA-Z])/\1-\2/g
        $a\' "$page" >"$folder/${name//./-}.1"
done
