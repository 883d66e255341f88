. /root/common.sh
apt-get install -y --no-install-recommends ./sojourn.deb >/dev/null 2>&1
await sojourn healthcheck
say "systemctl stop sojourn.socket sojourn.service"
say "cp /old/etc/sojourn/config.json /etc/sojourn/config.json"
say "rsync --archive --delete --no-specials /old/var/lib/sojourn/ /var/lib/sojourn/"
say "chown -R sojourn: /var/lib/sojourn"
say "systemctl start sojourn.service"
await sojourn healthcheck
say "sojourn healthcheck"
say "runuser -u sojourn -- sojourn app list"
report | diff - /old/root/figures || fail "the figures are other ones"
cp /old/root/ingest.token .
[ "$(post moved)" = 200 ] || fail "a batch is not accepted"
say "runuser -u sojourn -- sojourn verify"
