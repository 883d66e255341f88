#!/usr/bin/env bash
# Writes a Debian change log from CHANGELOG.md: debian-changelog.sh MAINTAINER <CHANGELOG.md. Released
# versions alone: each "## [VERSION] - DAY" and the list items below it.
set -euo pipefail
maintainer=$1

# Debian's lines have at most 80 signs, and an entry begins with a star.
item() { fold -s -w 72 <<<"$1" | sed -e 's/ *$//' -e '1s/^/  * /' -e '2,$s/^/    /'; }
signed() { printf '\n -- %s  %s\n' "$maintainer" "$(LC_ALL=C date -u -R -d "$1")"; }

day=
while IFS= read -r line; do
    if [[ $line =~ ^##\ \[([0-9][^]]*)\]\ -\ ([0-9-]+)$ ]]; then
        [ -z "$day" ] || { signed "$day"; echo; }
        day=${BASH_REMATCH[2]}
        printf 'sojourn (%s) unstable; urgency=medium\n\n' "${BASH_REMATCH[1]}"
    elif [[ -n $day && $line == "- "* ]]; then
        item "$(sed -E 's/\[([^]]*)\]\([^)]*\)/\1/g' <<<"${line#- }")"
    fi
done
[ -n "$day" ] || { echo "debian-changelog: no released version found" >&2; exit 1; }
signed "$day"
