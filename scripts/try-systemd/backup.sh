. /root/common.sh
say "systemctl enable --now sojourn-backup.timer" 2>&1
say "systemctl list-timers --no-pager sojourn-backup.timer" | grep 'sojourn-backup.service' >/dev/null || fail "the timer waits for nothing"
copies=/var/backups/sojourn
# Made before the clock, kept and not kept; and what is no copy.
for days in 20 15 3; do
    old=$copies/$(date -u --date="$days days ago" +%Y-%m-%dT%H%M%SZ)
    as_sojourn mkdir -p "$old"
    touch "$old/sojourn.db"
    touch --date="$days days ago" "$old"
done
as_sojourn mkdir $copies/mine
touch --date="40 days ago" $copies/mine
before=$(ls $copies | wc -l)

# A copy that fails leaves the older ones alone.
chmod 0500 $copies
systemctl start sojourn-backup.service 2>/dev/null && fail "a copy into a folder that cannot be written"
systemctl reset-failed sojourn-backup.service
chmod 0700 $copies
[ "$(ls $copies | wc -l)" -eq "$before" ] || fail "a failed copy has removed older ones"

say "systemctl start sojourn-backup.service"
say "systemctl show --property=Result,ExecMainStatus sojourn-backup.service"
say "ls $copies"
[ "$(ls -d $copies/20* | wc -l)" -eq 2 ] && [ -d $copies/mine ] || fail "not the copies that should be there"
copy=$(ls -d $copies/20* | tail -1)
[ ! -e "$copy/master.key" ] || fail "the copy has the master key"

# The server has no /tmp, nor one of its own in which a copy would be lost.
for place in /tmp/copy /var/tmp/copy; do
    said=$(as_sojourn sojourn backup $place 2>&1) && fail "a copy that nobody sees: $said"
    echo "$said"
    [ ! -e $place ] || fail "there is something in $place"
done

rm -rf /tmp/back
say "install -D -m 0600 /var/lib/sojourn/master.key /tmp/back/master.key"
say "sojourn restore $copy --data /tmp/back"
say "sojourn verify --data /tmp/back"
[ "$(report --data /tmp/back)" = "$(report)" ] || fail "the copy has other figures"
say "systemctl disable --now sojourn-backup.timer" 2>&1

# Without a server the command makes the copy itself.
systemctl stop sojourn.service
sleep 1.1
systemctl start sojourn-backup.service || fail "no copy without a server"
systemctl start sojourn.service
[ "$(ls -d $copies/20* | wc -l)" -eq 3 ] || fail "no copy without a server"
