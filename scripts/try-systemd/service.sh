. /root/common.sh
say "apt-get install -y --no-install-recommends ./sojourn.deb" 2>&1 | grep -E '^# |^Setting up sojourn'
say "systemctl is-active sojourn.service"
say "systemctl show --property=StatusText sojourn.service"
say "sojourn check-config | grep '^data '"
say "runuser -u sojourn -- sojourn app add shop --time-zone Europe/Paris"
as_sojourn sojourn app set shop --allow-plain >/dev/null
as_sojourn sojourn token add --scope ingest --app shop --json | sed 's/.*"token":"\([^"]*\)".*/\1/' >ingest.token
say "sojourn healthcheck"
[ "$(post first)" = 200 ] || fail "a batch is not accepted"
say "sojourn report platforms --app shop --format csv"
say "systemctl reload sojourn.service"
await sojourn healthcheck
# Reports apart, and a listener that a proxy finds, whoever it runs as.
cp --preserve /etc/sojourn/config.json config.before
cat >/etc/sojourn/config.json <<END
{"data": "/var/lib/sojourn", "listen": ["127.0.0.1:8080", "unix:/run/sojourn/devices.sock"],
 "report-listen": ["127.0.0.1:8081"]}
END
systemctl restart sojourn.service
runuser -u nobody -- curl --silent --fail --unix-socket /run/sojourn/devices.sock http://localhost/livez >/dev/null \
    || fail "a proxy cannot reach the listener in /run/sojourn"
cp --preserve config.before /etc/sojourn/config.json
systemctl restart sojourn.service
await sojourn healthcheck
# A container may not raise the priority that Dispatch wants for some of its threads, nor perhaps the limit
# of descriptors. And a minute's counts have one of what failed.
known='Failed to set thread priority\|last minute .* failed=0 '
[ "$(awk '/^Max open files/ { print $5 }' /proc/1/limits)" -ge 32768 ] || known="$known\\|descriptors are allowed"
journalctl --unit=sojourn.service | grep -v "$known" \
    | grep -i 'fail\|error\|warn' && fail "the journal has complaints"
exit 0
