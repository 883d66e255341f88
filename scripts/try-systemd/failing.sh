. /root/common.sh
begin() { cursor=$(journalctl --lines=0 --show-cursor | sed -n 's/^-- cursor: //p'); }
starts() { journalctl --unit=sojourn.service --after-cursor="$cursor" --output=cat | grep -c '^Starting ' || true; }

# A connection that waits starts it in spite of wrong settings, until the socket gives up.
cp --preserve /etc/sojourn/config.json config.before
echo '{"data": "/var/lib/sojourn", "liste": "127.0.0.1:8080"}' >/etc/sojourn/config.json
begin
systemctl restart sojourn.service 2>/dev/null && fail "it runs with wrong settings"
systemctl is-active --quiet sojourn.socket || fail "the socket is gone before anybody came"
post waiting >/dev/null && fail "somebody answers"
await systemctl is-failed --quiet sojourn.socket
say "systemctl show --property=Result sojourn.socket"
count=$(starts)
echo "started $count times"
[ "$count" -ge 2 ] && [ "$count" -le 11 ] || fail "not as often as the unit says"
cp --preserve config.before /etc/sojourn/config.json
say "systemctl restart sojourn.service"
await sojourn healthcheck
say "systemctl is-active sojourn.socket sojourn.service"
[ "$(post mended)" = 200 ] || fail "a batch is not accepted"

# What is tried again by itself, such as a full disk (74), does not cost the socket: who waits is served
# in the end.
mkdir -p /run/systemd/system/sojourn.service.d
printf '[Service]\nExecStart=\nExecStart=/bin/sh -c "exit 74"\n' >/run/systemd/system/sojourn.service.d/full.conf
systemctl daemon-reload
begin
systemctl restart sojourn.service 2>/dev/null && fail "it runs on a full disk"
post held >held.code &
sleep 15
systemctl is-active --quiet sojourn.socket || fail "the socket is gone"
count=$(starts)
echo "started $count times in 15 s"
[ "$count" -ge 4 ] && [ "$count" -le 9 ] || fail "it is not tried again every two seconds"
rm -r /run/systemd/system/sojourn.service.d
systemctl daemon-reload
wait
[ "$(cat held.code)" = 200 ] || fail "who waited got $(cat held.code)"
systemctl is-active --quiet sojourn.socket sojourn.service || fail "not both are active"
