#!/usr/bin/env bash
# Fuzzes the parsers: TARGET (all in turn if empty) for FUZZ_SECONDS each, beginning with the corpus that
# Fuzz/Corpus/TARGET.tar.gz holds. FUZZ_SECONDS=0 only replays that corpus. What is found stays in
# .build/fuzz/found/TARGET for the next run; an input that breaks a promise is kept there as well, and printed.
#   fuzz.sh                     fuzzes
#   fuzz.sh keep TARGET FILE…   adds inputs to a target's corpus
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${FUZZ_SECONDS:-60} known='http1 json gzip rfc8188 jwe otlp'
targets=${TARGET:-$known} scratch=.build/fuzz
fail() { echo "fuzz: $*" >&2; exit 1; }
[[ $seconds =~ ^[0-9]+$ ]] || fail "SECONDS is a whole number, not '$seconds'"

# A target's corpus as files in a folder, without what an older one had.
unpack() {
    rm -rf "$scratch/corpus/$1"
    mkdir -p "$scratch/corpus/$1"
    tar -xzf "Fuzz/Corpus/$1.tar.gz" -C "$scratch/corpus/$1"
}

usage='usage: fuzz.sh, or fuzz.sh keep TARGET FILE…'
if [ "${1:-}" = keep ]; then
    target=${2:-}
    [ $# -gt 2 ] || fail "$usage"
    [[ " $known " == *" $target "* ]] || fail "no target '$target'; there are: $known"
    for input in "${@:3}"; do [ -f "$input" ] || fail "there is no file $input"; done
    unpack "$target"
    for input in "${@:3}"; do
        cp "$input" "$scratch/corpus/$target/$(sha1sum <"$input" | cut -c 1-40)"
    done
    # The same inputs make the same file. The one that is there stays until the new one is whole.
    tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=644 -C "$scratch/corpus/$target" \
        -cf - $(ls "$scratch/corpus/$target") | gzip -9n >"$scratch/$target.tar.gz"
    mv "$scratch/$target.tar.gz" "Fuzz/Corpus/$target.tar.gz"
    echo "fuzz: $target has $(ls "$scratch/corpus/$target" | wc -l) inputs"
    exit
fi

[ $# -eq 0 ] || fail "$usage"
for target in $targets; do
    [[ " $known " == *" $target "* ]] || fail "no target '$target'; there are: $known"
done

# A find is libFuzzer's to tell; the debugger that Swift starts in a crash would outlive it.
export SWIFT_BACKTRACE=enable=no FUZZ=1

# A fuzzer that is interrupted ends as one that found something.
trap 'fail interrupted' INT TERM

scripts/ensure-system.sh
mkdir -p "$scratch"
log=$scratch/build.log
# --sanitize=fuzzer leaves main to libFuzzer; the compiler takes only the last such flag, so that both sanitizers
# have to stand in it.
swift build -c release --scratch-path "$scratch" --disable-index-store \
    --sanitize=fuzzer -Xswiftc -sanitize=fuzzer,address >"$log" 2>&1 \
    || { cat "$log" >&2; fail "the build failed; the lines above say why"; }

failed=0
for target in $targets; do
    unpack "$target"
    mkdir -p "$scratch/found/$target"
    log=$scratch/$target.log
    program=$scratch/release/fuzz-$target
    options=(-timeout=10 -rss_limit_mb=2048 -max_len=4096 -print_final_stats=1
        "-artifact_prefix=$scratch/found/$target-")
    [ ! -e "Fuzz/Dictionaries/$target.dict" ] || options+=("-dict=Fuzz/Dictionaries/$target.dict")
    if [ "$seconds" -eq 0 ]; then
        options+=(-runs=0 "$scratch/corpus/$target")
    else
        options+=("-max_total_time=$seconds" "$scratch/found/$target" "$scratch/corpus/$target")
    fi
    before=$(ls "$scratch/found/$target" | wc -l)
    if "$program" "${options[@]}" >"$log" 2>&1; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
        new=$(($(ls "$scratch/found/$target" | wc -l) - before))
        echo "fuzz $target: $runs runs, $new new, no crash"
    else
        failed=1
        grep -aE '^broken at|ERROR|SUMMARY|^ +#[0-9]+ .*(Fuzz|Sources)/' "$log" | head -20 >&2 || true
        input=$(sed -n 's/.*Test unit written to //p' "$log" | tail -1)
        echo "fuzz $target: CRASH; all of it is in $log" >&2
        [ -z "$input" ] || echo "repeat it with: SWIFT_BACKTRACE=enable=no $program $input
once it is mended, keep the input: scripts/fuzz.sh keep $target $input" >&2
    fi
done
exit $failed
