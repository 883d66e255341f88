#!/usr/bin/env bash
# Fuzzes the parsers: TARGET (all in turn if empty) for SECONDS each, beginning with the corpus in
# Fuzz/Corpus. SECONDS=0 only replays that corpus. What is found stays in .build/fuzz/found/TARGET for
# the next run; an input that breaks a promise is kept there as well, and printed.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${FUZZ_SECONDS:-60} targets=${TARGET:-http1 json gzip rfc8188 jwe otlp}
scratch=.build/fuzz
fail() { echo "fuzz: $*" >&2; exit 1; }
[[ $seconds =~ ^[0-9]+$ ]] || fail "SECONDS is a whole number, not '$seconds'"

# A find is libFuzzer's to tell; the debugger that Swift starts in a crash would outlive it.
export SWIFT_BACKTRACE=enable=no FUZZ=1

scripts/ensure-system.sh
failed=0
for target in $targets; do
    [ -d "Fuzz/Corpus/$target" ] || fail "no target '$target'; there are: $(ls Fuzz/Corpus | xargs)"
    mkdir -p "$scratch/found/$target"
    log=$scratch/$target.log
    # --sanitize=fuzzer leaves main to libFuzzer; the compiler takes only the last such flag, so that
    # both sanitizers have to stand in it.
    swift build -c release --scratch-path "$scratch" --product "fuzz-$target" \
        --sanitize=fuzzer -Xswiftc -sanitize=fuzzer,address >"$log" 2>&1 \
        || { cat "$log" >&2; fail "the build failed; the lines above say why"; }
    program=$scratch/release/fuzz-$target
    options=(-timeout=10 -rss_limit_mb=2048 -max_len=4096 -print_final_stats=1
        "-artifact_prefix=$scratch/found/$target-")
    [ ! -e "Fuzz/Dictionaries/$target.dict" ] || options+=("-dict=Fuzz/Dictionaries/$target.dict")
    if [ "$seconds" -eq 0 ]; then
        options+=(-runs=0 "Fuzz/Corpus/$target")
    else
        options+=("-max_total_time=$seconds" "$scratch/found/$target" "Fuzz/Corpus/$target")
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
once it is mended, keep the input in Fuzz/Corpus/$target" >&2
    fi
done
exit $failed
