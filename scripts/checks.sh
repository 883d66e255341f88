# For scripts that see checks hold, and see each find what is planted for it. A check is a command that takes the root
# of a tree: this repository's, or a copy with an error in it. Source this from the root, then
#   see NAME CHECK                      the check holds
#   plant NAME CHECK FILE CHANGE WORDS  it does not, once `sed CHANGE` has been at the file, and says WORDS, if given
#   counted                             the last line, and whether none failed
# $work is a folder for what they write, $tools the folder of the toolchain's programs.
mkdir -p .build
work=$(mktemp -d "$PWD/.build/check.XXXXXX")
trap 'rm -rf "$work"' EXIT
tools=$(swiftc -print-target-info | sed -n 's|.*"runtimeResourcePath": "\(.*\)/lib/swift".*|\1/bin|p')
passed=0 failed=0

see() {
    local name=$1 check=$2
    if "$check" . >"$work/log" 2>&1; then
        passed=$((passed + 1)); echo "ok   $name"
    else
        failed=$((failed + 1)); echo "FAIL $name"; tail -n 20 "$work/log"
    fi
}

plant() {
    local name=$1 check=$2 file=$3 change=$4 words=${5:-} copy=$work/tree said
    rm -rf "$copy"; mkdir -p "$copy/Clients/Swift"
    cp -RL Clients/Swift/Sources "$copy/Clients/Swift"
    cp -R Examples "$copy"
    sed -i "$change" "$copy/$file"
    if cmp -s "$copy/$file" "$file"; then echo "FAIL $name: nothing was planted"; failed=$((failed + 1)); return; fi
    if "$check" "$copy" >"$work/log" 2>&1; then
        failed=$((failed + 1)); echo "FAIL $name: not found"
        return
    fi
    said=$(grep -aE 'error: |AssertionError|expected|Encountered' "$work/log" | grep -aF -m 1 -e "$words" | sed 's/.*error: //' | cut -c 1-120)
    if [ -n "$said" ]; then
        passed=$((passed + 1)); echo "ok   $name: $said"
    else
        failed=$((failed + 1)); echo "FAIL $name: something else"; tail -n 20 "$work/log"
    fi
}

counted() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
