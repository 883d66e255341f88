. /root/common.sh
say "systemctl stop sojourn.service"
say "systemctl enable --now sojourn.socket" 2>&1
say "systemctl start sojourn.service"
await sojourn healthcheck

# Batches while it is restarted, a connection for each.
load() {
    local number=0
    while [ ! -e over ]; do
        number=$((number + 1))
        local code status=0
        code=$(post "load-$1-$number") || status=$?
        # 7 is a connection that was refused.
        echo "$1-$number $status $code"
        # As a device: the same batch again, until it is taken.
        while [ "$code" != 200 ]; do
            sleep 0.1
            status=0
            code=$(post "load-$1-$number") || status=$?
            echo "$1-$number $status $code"
        done
    done
}
rm -f over
for client in 1 2 3 4; do load $client >load.$client & done
for _ in 1 2 3 4 5; do
    sleep 1
    systemctl restart sojourn.service
    systemctl reset-failed sojourn.service
done
sleep 1
touch over
wait
cat load.* | awk '
    { status[$2]++; if ($3 == 200) taken++; else if ($2 == 0) refused[$3]++ }
    END {
        printf "taken %d, connection refused %d, other answers", taken, status[7]
        for (code in refused) printf " %s: %d", code, refused[code]
        printf ", without an answer %d\n", NR - status[0] - status[7]
    }' | tee load.counts
grep -q ', connection refused 0,' load.counts || fail "connections were refused"
taken=$(sed 's/taken \([0-9]*\),.*/\1/' load.counts)
stored=$(sojourn report export --app shop --format json | grep -c '"batch_id":"load-')
[ "$taken" -eq "$stored" ] || fail "$taken batches were taken, and $stored are stored"
echo "stored $stored"
