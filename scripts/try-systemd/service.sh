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
# A container may not raise the priority that Dispatch wants for some of its threads.
journalctl --unit=sojourn.service | grep -v 'Failed to set thread priority' \
    | grep -i 'fail\|error\|warn' && fail "the journal has complaints"
exit 0
