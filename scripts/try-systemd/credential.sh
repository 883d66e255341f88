. /root/common.sh
say "systemctl stop sojourn.socket sojourn.service"
say "install -D -m 0600 /var/lib/sojourn/master.key /etc/credstore/sojourn.master.key"
say "rm /var/lib/sojourn/master.key"
say "systemctl start sojourn.socket sojourn.service"
await sojourn healthcheck
[ ! -e /var/lib/sojourn/master.key ] || fail "another key was made"
say "runuser -u sojourn -- sojourn app set shop --name 'The shop'"
[ "$(post with-credential)" = 200 ] || fail "a batch is not accepted"
# Without a server the nightly copy needs the key itself.
systemctl stop sojourn.socket sojourn.service
systemctl start sojourn-backup.service || fail "no copy without a server"
# And back, for the chapters that follow.
install -m 0600 -o sojourn -g sojourn /etc/credstore/sojourn.master.key /var/lib/sojourn/master.key
rm /etc/credstore/sojourn.master.key
systemctl start sojourn.socket sojourn.service
await sojourn healthcheck
