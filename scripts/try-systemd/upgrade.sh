. /root/common.sh
before=$(systemctl show --property=MainPID --value sojourn.service)
say "apt-get install -y --no-install-recommends ./sojourn_NEW.deb" 2>&1 | grep -E '^# |^Unpacking|^Setting up sojourn'
await sojourn healthcheck
[ "$(systemctl show --property=MainPID --value sojourn.service)" != "$before" ] || fail "the old program still runs"
say "systemctl is-active sojourn.service sojourn.socket"
[ "$(post after-upgrade)" = 200 ] || fail "a batch is not accepted"
