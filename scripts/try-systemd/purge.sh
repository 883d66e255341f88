. /root/common.sh
say "apt-get remove -y sojourn >/dev/null 2>&1"
systemctl is-active --quiet sojourn.service && fail "it still runs"
say "ls /var/lib/sojourn"
say "apt-get purge -y sojourn >/dev/null 2>&1"
for path in /var/lib/sojourn /etc/sojourn /usr/bin/sojourn /usr/lib/systemd/system/sojourn.service; do
    [ ! -e $path ] || fail "$path is still there"
done
systemctl list-unit-files --no-pager | grep sojourn && fail "systemd still knows of it"
exit 0
