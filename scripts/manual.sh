#!/usr/bin/env bash
# Writes man pages: manual.sh PROGRAM GENERATOR FOLDER. The generator is swift-argument-parser's; here
# its pages get the names that git made usual (sojourn-app-add), and the program's own the settings.
set -euo pipefail
program=$1 generator=$2 folder=$3
top=$(dirname "$0")/..

pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
# The day of the version, so that the same source gives the same pages.
date=$(sed -n 's|.*The day of the version, \([0-9-]*\)T.*|\1|p' "$top/Sources/Service/Program/BuildInfo.swift")
"$generator" "$program" --multi-page --date "$date" --output-directory "$pages" >/dev/null
rm -f "$pages"/sojourn.help.1

# Behind the description. The pages are mdoc(7), where a paragraph with a tag, man(7)'s .TP, is an item.
{
    cat <<'END'
.Sh SETTINGS
Every command takes all settings.
One is taken from the first of these that has it: the command line, the environment, the file that
\fB\-\-config\fR or \fBSOJOURN_CONFIG\fR names or, without either, \%/etc/sojourn/config.json, the default.
\fBsojourn check\-config\fR shows the outcome, and where each came from.
.Bl -tag -width 6n
END
    sed '/^\.TP$/ { N; s/^\.TP\n/.It /; }' "$top/docs/settings.roff"
    echo .El
} >"$pages/settings"
grep -q '^\.Sh "EXIT STATUS"$' "$pages/sojourn.1" \
    || { echo "manual: sojourn.1 has no place for the settings" >&2; exit 1; }
awk -v part="$pages/settings" '
    $0 == ".Sh \"EXIT STATUS\"" { while ((getline line <part) > 0) print line }
    { print }' "$pages/sojourn.1" >"$pages/whole"
mv "$pages/whole" "$pages/sojourn.1"

# A page is known by one word, as whatis wants it, and written as it is typed.
mkdir -p "$folder"
for page in "$pages"/*.1; do
    name=$(basename "$page" .1)
    typed=${name//./ }
    sed -E '/^\.Xr sojourn\.help 1/d
        /^\.Sh NAME/,/^\.Sh SYNOPSIS/ { s/^\.Nm .+/.Nm '"${name//./-}"'/; s/^\.Nd "(.*[^.])\.?"$/.Nd \1/; }
        s/^\.Nm$/.Nm "'"$typed"'"/
        s/^\.Ex -std$/.Ex -std "'"$typed"'"/
        s/^\.Dt (SOJOURN[^ ]*) 1/.Dt \U\1\E 1/
        s/^$/.Pp/
        /^\.(Dt|Xr)/ s/([a-zA-Z-])\.([a-zA-Z])/\1-\2/g
        $a\' "$page" >"$folder/${name//./-}.1"
done
