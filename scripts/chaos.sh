#!/usr/bin/env bash
# Power cuts, failing disks, kills and repeats at length (docs/testing.md, How durability is tested):
# POINTS crash points, KILLS times kill -9, REPEATS batches that come twice, a backup of BACKUP events
# under load, from SEED on. The last line says what was lost and doubled; anything else that a test found
# fails as well.
set -euo pipefail
cd "$(dirname "$0")/.."

points=${POINTS:-10000} kills=${KILLS:-1000} repeats=${REPEATS:-10000} models=${MODELS:-300}
backup=${BACKUP:-1000000}
seed=${SEED:-$(date +%s)}
fail() { echo "chaos: $*" >&2; exit 1; }
for number in "$points" "$kills" "$repeats" "$models" "$backup" "$seed"; do
    [[ $number =~ ^[0-9]{1,12}$ ]] || fail "POINTS, KILLS, REPEATS, MODELS, BACKUP and SEED are whole numbers, not '$number'"
done

mkdir -p .build
log=.build/chaos.log tally=.build/chaos.tally
scripts/build-tests.sh >"$log" 2>&1 || { cat "$log" >&2; fail "the build failed; the lines above say why"; }

echo "chaos: seed $seed, all of it is in $log"
: >"$tally"
status=0
# Unset, these tests draw few cases; a number says how many.
CHAOS_TALLY=$PWD/$tally CHAOS_SEED=$seed CHAOS_POINTS=$points CHAOS_KILLS=$kills \
    CHAOS_REPEATS=$repeats CHAOS_MODELS=$models CHAOS_BACKUP=$backup SWIFT_BACKTRACE=enable=no \
    .build/tests/release/sojournPackageTests.xctest --testing-library swift-testing --filter \
    '^(StorageTests\.(CrashPoint|FailingDisk|AfterFailure|DurableWAL|LyingDisk)Tests|ReportsTests\.ModelTests|EndToEndTests\.(Kill|Repeat|Backup)Tests)/' \
    >"$log" 2>&1 || status=$?
grep -aE '^✔ Test "' "$log" | sed 's/^✔ Test /chaos: /' || true
[ "$status" -eq 0 ] || grep -aE '✘|error:|run again' "$log" | cut -c1-500 | head -40 >&2 || true

awk -v asked_points="$points" -v asked_kills="$kills" '
    $1 == "points" { points += $2 }
    $1 == "kills" { kills += $2 }
    { lost += $4; doubled += $6 }
    END {
        printf "%d crash points, %d kills: %d lost, %d doubled\n", points, kills, lost, doubled
        exit points < asked_points || kills < asked_kills || lost || doubled
    }' "$tally" || status=1
exit "$status"
