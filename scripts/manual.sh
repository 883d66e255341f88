#!/usr/bin/env bash
# Writes man pages: manual.sh PROGRAM GENERATOR FOLDER. The generator is swift-argument-parser's; here
# its pages get the names that git made usual (sojourn-app-add), and lists of options their form.
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
        /^\.(Dt|Xr)/ s/([a-zA-Z-])\.([a-zA-Z])/\1-\2/g' "$page" \
        | awk '
            # "  --name   text" of a discussion is an item of a list.
            /^  --[a-z]/ {
                if (!listed) { print ".Bl -tag -width 6n"; listed = 1 }
                split($0, words, " ")
                text = $0; sub(/^ *--[^ ]+ +/, "", text)
                print ".It Fl -" substr(words[1], 3); print text; next
            }
            listed { print ".El"; listed = 0 }
            { print }
            END { if (listed) print ".El" }' >"$folder/${name//./-}.1"
done
